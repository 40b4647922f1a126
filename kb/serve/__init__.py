"""The knowledge base over HTTP: the web chat."""
