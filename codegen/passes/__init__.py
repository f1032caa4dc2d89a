"""Graph to graph: each pass one small module."""
