"""Inertial parameters of a tree: which of them forces depend on, and their regressors."""
