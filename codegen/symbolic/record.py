"""Equations in symbols, and what there is to know of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import sympy

Output = Any
"""A Matrix, an Array or an expression."""


@dataclass(frozen=True)
class Record:
    """Kernels of a mechanism as equations: definitions in order, each in terms of those before it, then the outputs.

    ``inputs``: the symbols of the entries of each argument, by its name; ``parameters``: those of live parameters, with
    their values in the model.  ``outputs``: a Matrix for each vector (a column) and matrix, an Array of more dimensions, an
    expression for a scalar; where several kernels have outputs of one name, the kernel's name stands before it.
    ``meaning``, ``units`` (SI) and ``symbols`` (LaTeX) are those of all symbols.  ``frames`` says where the frames of bodies
    are that components belong to, ``built`` how the equations were derived.
    """

    title: str
    built: str
    frames: tuple[str, ...]
    inputs: Mapping[str, list[sympy.Symbol]]
    parameters: Mapping[sympy.Symbol, sympy.Expr]
    definitions: list[tuple[sympy.Symbol, sympy.Expr]]
    outputs: Mapping[str, Output]
    shapes: Mapping[str, tuple[int, ...]]
    meaning: Mapping[sympy.Symbol, str]
    units: Mapping[sympy.Symbol, str]
    symbols: Mapping[sympy.Symbol, str]
    described: Mapping[str, str] = field(default_factory=dict)


def entries_of(output: Output) -> list[sympy.Expr]:
    """The entries of an output, row by row."""
    if isinstance(output, sympy.MatrixBase):
        return list(output)
    return list(sympy.flatten(output.tolist())) if isinstance(output, sympy.NDimArray) else [output]
