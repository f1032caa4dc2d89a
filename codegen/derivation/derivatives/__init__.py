"""Derivatives of inverse and forward dynamics: by composites of the tree, by differentiating programs, and carried on."""
