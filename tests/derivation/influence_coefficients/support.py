"""Programs from expressions, their exact values, and arms to try."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import mpmath
import numpy as np

from kanegen.codegen.derivation.influence_coefficients.model import Model
from kanegen.codegen.derivation.placed_tree.choices import Choices
from kanegen.codegen.derivation.placed_tree.placement import PlacedTree, place
from kanegen.codegen.graph import Argument, Expression, Graph, Program, evaluate_entries, multiprecision
from kanegen.codegen.mechanism import BASE, Mechanism, MechanismBuilder

DIGITS = 50
"""Digits carried where derivatives are compared."""


def program(graph: Graph, sizes: Mapping[str, int], **results: Sequence[Expression]) -> Program:
    """Flat expressions of a graph as named outputs."""
    return Program(
        name="program",
        title="",
        source="",
        inputs=tuple(Argument(name, (size,), "", "") for name, size in sizes.items()),
        outputs=tuple(Argument(name, (len(found),), "", "") for name, found in results.items()),
        graph=graph,
        results=tuple(tuple(x.ref for x in found) for found in results.values()),
    )


def flat(nested: Any) -> list[Expression]:
    """The entries of a matrix or array, row by row."""
    if isinstance(nested, Expression):
        return [nested]
    return [x for part in nested for x in flat(part)]


def model_results(model: Model) -> dict[str, list[Expression]]:
    return {"I": flat(model.inertia), "P": flat(model.power), "loads": flat(model.loads)}


def values(found: Program, **arguments: Iterable[Any]) -> dict[str, Any]:
    """All outputs as object arrays of mpmath numbers, in the outputs' shapes."""
    entries = {(name, i): mpmath.mpmathify(x) for name, xs in arguments.items() for i, x in enumerate(xs)}
    results = evaluate_entries(found, entries, multiprecision())
    return {
        output.name: np.array(result, dtype=object).reshape(output.shape)
        for output, result in zip(found.outputs, results, strict=True)
    }


def gap(found: Any, expected: Any) -> Any:
    """Error of the largest component over the largest component, or over one where all are smaller."""
    found, expected = np.asarray(found, dtype=object).ravel(), np.asarray(expected, dtype=object).ravel()
    assert found.shape == expected.shape
    return max(abs(found - expected)) / max(1, *abs(expected))


def exact_numbers(seed: int, *sizes: int) -> tuple[list[mpmath.mpf], ...]:
    """Random numbers between -2 and 2, one list for each size."""
    rng = np.random.default_rng(seed)
    return tuple([mpmath.mpf(float(x)) for x in rng.uniform(-2, 2, size)] for size in sizes)


def open_tree(mechanism: Mechanism) -> Mechanism:
    """The tree of a closed mechanism, its joints free."""
    return replace(mechanism, loops=(), constraints=(), speeds=(), home=())


def placed(mechanism: Mechanism) -> PlacedTree:
    return place(mechanism, Choices())


def random_arm(seed: int, joints: int, *, planar: bool = False) -> Mechanism:
    """An unbranched arm, every third joint sliding unless ``planar``, with a frame "hand" beyond its last joint."""
    rng = np.random.default_rng([seed, joints])

    def vector(size: float) -> tuple[float, ...]:
        x, y, z = (round(float(x), 3) for x in rng.uniform(-size, size, 3))
        return (x, y, 0) if planar else (x, y, z)

    builder = MechanismBuilder(f"arm_{seed}_{joints}", gravity=vector(9))
    for number in range(1, joints + 1):
        name, parent = f"link{number}", BASE if number == 1 else f"link{number - 1}"
        builder.body(name, mass=number / 2, center=vector(0.3), inertia=(0.2, 0.3, 0.25, 0.02, -0.01, 0.03))
        connect = builder.prismatic if not planar and number % 3 == 0 else builder.revolute
        axis = (0, 0, 1) if planar else tuple(np.sign(rng.uniform(-1, 1, 3)) * (3, 2, 6) / 7)
        connect(
            f"joint{number}",
            parent,
            name,
            tuple(float(x) for x in axis),
            position=vector(0.6),
            rotation=(0, 0, 0) if planar else vector(1.5),
        )
    builder.frame("hand", f"link{joints}", position=vector(0.4), rotation=vector(1))
    return builder.build()
