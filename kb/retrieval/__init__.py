"""From a query to ranked sections: tokens, encoders, signatures, index, fusion."""
