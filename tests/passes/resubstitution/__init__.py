"""Resubstitution."""
