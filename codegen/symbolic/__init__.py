"""The equations of kernels in symbols: for SymPy, and for people to read."""
