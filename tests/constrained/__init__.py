"""Constrained mechanisms of the catalogue, against a witness by multipliers, laws of mechanics and published numbers."""
