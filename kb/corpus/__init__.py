"""From a folder of Markdown to sections and chunks that are slices of its files."""
