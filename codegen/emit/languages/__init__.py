"""The languages that kernels are written in."""
