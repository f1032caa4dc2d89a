"""Committed C of the built-in mechanisms."""
