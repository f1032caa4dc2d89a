"""Mechanism descriptions to C text."""
