"""Case 90: whatever kanegen refuses, it refuses with an error of one family."""

from __future__ import annotations

import inspect

import pytest

import kanegen
from kanegen import errors
from kanegen.codegen.graph.sympy_bridge import UnsupportedExpressionError


def test_all_errors_are_one_family() -> None:
    """Case 90."""
    raised = [
        found for _, found in inspect.getmembers(errors, inspect.isclass) if issubclass(found, Exception)
    ]
    assert all(issubclass(found, kanegen.KanegenError | Warning) for found in raised)
    assert issubclass(kanegen.ModelError, ValueError)
    assert issubclass(kanegen.CertificateError, ArithmeticError)
    assert issubclass(UnsupportedExpressionError, kanegen.KanegenError)
    assert issubclass(kanegen.ModelWarning, UserWarning)


def test_a_wrong_model_is_caught_as_such() -> None:
    """Case 90."""
    with pytest.raises(kanegen.KanegenError):
        kanegen.load("no_such_model")
