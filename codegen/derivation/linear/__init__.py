"""Unrolled and structurally sparse solutions of symmetric positive definite systems."""
