"""Certificates: what makes sure, at generation, that a kernel set is right.

``Subject`` says what is to be checked, ``certify`` checks it and returns the ``Record`` of residuals.  Nothing here derives:
the witness is Newton's and Euler's equations in numbers (newton_euler.py), read from the mechanism's records.
"""
