"""Resubstitution: a search among all definitions that the values of a program might have."""
