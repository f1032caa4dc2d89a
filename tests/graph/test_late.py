"""Modules that are imported when something of them is first used."""

from __future__ import annotations

import fractions

import pytest

from kanegen.codegen.graph.late import Late


def test_attributes_are_those_of_the_module() -> None:
    late = Late("fractions")
    assert late.Fraction is fractions.Fraction
    with pytest.raises(AttributeError, match="module 'fractions' has no attribute 'nothing'"):
        _ = late.nothing


def test_looking_at_it_imports_nothing() -> None:
    late = Late("kanegen.no_such_module")
    assert not hasattr(late, "__wrapped__")  # as inspect and doctest ask of every object
    assert "no_such_module" in repr(late)
    with pytest.raises(ModuleNotFoundError):
        _ = late.anything
