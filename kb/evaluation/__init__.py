"""Labelled cases, retrieval metrics and the runs that produce them."""
