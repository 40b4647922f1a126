"""Pages of the content that are made, not written: the contents, and what versions changed."""
