"""Certificates: what makes sure, at generation, that a kernel set is right.

A ``KernelSet`` is what is to be checked, a ``Sample`` the states in which it is; ``certify`` checks it and returns the
``Record`` of residuals.  Nothing here derives: the witness is Newton's and Euler's equations in numbers (newton_euler.py),
read from the mechanism's records.  What a set needs from its derivation is handed in.
"""
