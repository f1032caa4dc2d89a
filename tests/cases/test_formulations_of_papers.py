"""The tools of the papers' formulations on every built-in mechanism (case 77): they work, or say why they do not."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

import pytest
import sympy

from kanegen.codegen.derivation import dual_vectors, euler_parameters, influence_coefficients
from kanegen.codegen.graph import Graph, constant, inputs
from kanegen.codegen.graph.sympy_bridge import to_sympy
from kanegen.codegen.mechanism.catalogue import mechanism, names
from kanegen.codegen.mechanism.records import Mechanism
from kanegen.errors import ModelError


def test_table_2_of_agrawal_1988() -> None:
    """Case 77: the printed table for the disk as it is described: with its edge, driven plates, and speeds u1 and u2."""
    disk = mechanism("plate_disk")
    length = sympy.Symbol("l")
    none = [0, 0, 0]
    table = {
        "disk": (([*none, 1, 0, 0]), [0, 0, -1 / length, 0, 1, 0]),
        "Dstar": ([*none, 1, 0, 0], [0, 0, -1 / length, *none]),
    }
    for frame, rows in table.items():
        graph = Graph()
        found = dual_vectors.dual_partial_velocities(disk, graph, inputs(graph, "q", 3), frame)
        for vector, expected in zip(found, rows, strict=True):
            for x, y in zip((*vector.real, *vector.dual), expected, strict=True):
                assert sympy.simplify(to_sympy(graph, x.ref) - y) == 0, frame


def test_partial_velocities_of_a_frame_that_is_not_there() -> None:
    """Case 77: a clear error."""
    graph = Graph()
    with pytest.raises(ModelError, match=r"frame 'nose'.*one of .*'Dstar'"):
        dual_vectors.dual_partial_velocities(mechanism("plate_disk"), graph, inputs(graph, "q", 3), "nose")


def _with_motion(tool: Callable[..., object]) -> Callable[[Mechanism], object]:
    def run(model: Mechanism) -> object:
        graph, n = Graph(), len(model.coordinates)
        return tool(model, graph, *(inputs(graph, name, n) for name in "qva"))

    return run


def _on_speeds(model: Mechanism) -> object:
    graph, n = Graph(), len(model.coordinates)
    unit = [[constant(graph, int(r == c)) for c in range(n)] for r in range(n)]
    return dual_vectors.forces_on_speeds(model, graph, *(inputs(graph, name, n) for name in "qva"), unit)


def _partials(model: Mechanism) -> object:
    graph, n = Graph(), len(model.coordinates)
    q = inputs(graph, "q", n)
    return [dual_vectors.dual_partial_velocities(model, graph, q, f.name) for f in model.frames[:3]]


TOOLS: dict[str, Callable[[Mechanism], object]] = {
    "dual_vectors.forces": _with_motion(dual_vectors.forces),
    "dual_vectors.forces_on_speeds": _on_speeds,
    "dual_vectors.dual_partial_velocities": _partials,
    "influence_coefficients.forces": _with_motion(influence_coefficients.forces),
    "euler_parameters.forces": _with_motion(euler_parameters.forces),
    "euler_parameters.programs": euler_parameters.programs,
    "euler_parameters.names_of_constraints": euler_parameters.names_of_constraints,
    "euler_parameters.names_of_joints": euler_parameters.names_of_joints,
    "euler_parameters.names_of_struts": euler_parameters.names_of_struts,
}


@pytest.mark.parametrize("tool", TOOLS)
def test_every_tool_on_every_built_in(tool: str) -> None:
    """Case 77: no error but ModelError, and plain arms are refused by none."""
    models = [mechanism(name) for name in names()]
    for model in [mechanism("stanford_arm"), *(model for model in models if not model.plain_tree)]:
        if model.plain_tree:
            TOOLS[tool](model)
        else:
            with suppress(ModelError):
                TOOLS[tool](model)
