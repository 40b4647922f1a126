"""Is a folder of Markdown fit to answer from: rules over it, each with file, line and remedy."""
