"""The historical methods by name, as formulations."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from kanegen.codegen.derivation.historical.as_written import counted
from kanegen.codegen.derivation.historical.lagrange import hollerbach_3x3, hollerbach_4x4, uicker
from kanegen.codegen.derivation.historical.links import Scalar, Tree, links_of
from kanegen.codegen.derivation.historical.newton_euler import composite_bodies, luh_walker_paul
from kanegen.codegen.graph import Expression, Graph, OperationCounts
from kanegen.codegen.graph.linear import Entries
from kanegen.codegen.mechanism.records import Mechanism

WALKER_ORIN = "walker_orin_1982"
"""The method that has a mass matrix of its own."""

METHODS: Mapping[str, tuple[Callable[[Tree], list[Scalar]], str]] = {
    "uicker_1965": (uicker, "Lagrange's equations with 4 x 4 matrices (Uicker 1965)"),
    "hollerbach_1980_4x4": (hollerbach_4x4, "recursive Lagrange with 4 x 4 matrices (Hollerbach 1980)"),
    "hollerbach_1980_3x3": (hollerbach_3x3, "recursive Lagrange with 3 x 3 matrices (Hollerbach 1980)"),
    "luh_walker_paul_1980": (luh_walker_paul, "recursive Newton-Euler (Luh, Walker & Paul 1980)"),
    WALKER_ORIN: (luh_walker_paul, "recursive Newton-Euler and composite bodies (Walker & Orin 1982)"),
}
"""How a method finds the forces of the links, and its source."""


def _forces(
    method: Callable[[Tree], list[Scalar]],
    mechanism: Mechanism,
    graph: Graph,
    q: Entries,
    v: Entries,
    a: Entries,
) -> list[Expression]:
    return method(links_of(mechanism, graph, q, v, a))


def _inertia(mechanism: Mechanism, graph: Graph, q: Entries) -> list[list[Any]]:
    return composite_bodies(links_of(mechanism, graph, q))


FORCES = {name: (partial(_forces, method), source) for name, (method, source) in METHODS.items()}
"""The same as formulations: mechanism, graph, q, v, a -> forces in the order of the coordinates."""

INERTIA = {WALKER_ORIN: _inertia}
"""Mechanism, graph, q -> mass matrix, where it is not had from the forces."""


def as_written(name: str, mechanism: Mechanism) -> OperationCounts:
    """Operations that the formulas of a method have for a plain tree, those of its own mass matrix among them.

    Raises ModelError for what is no plain tree.
    """
    parts = [METHODS[name][0], *([composite_bodies] if name in INERTIA else [])]
    counts = [counted(part, mechanism)[0] for part in parts]
    return OperationCounts(sum(x.multiplications for x in counts), sum(x.additions for x in counts))
