"""Kernels: what each of them is (contract.py), and all that there are (catalogue.py)."""
