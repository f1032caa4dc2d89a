"""The error of this room: kernels that are not what they should be."""

from __future__ import annotations


class CertificateError(ArithmeticError):
    """Generated kernels fail a check.  Whatever the model is, that is an error of kanegen or of the compiler."""
