"""Euler parameters against rotations composed by Rodrigues' formula."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from kanegen.codegen.derivation.euler_parameters.rotation import (
    b_matrix,
    parameters_of,
    rate_of_parameters,
    rotation_curvature,
    rotation_matrix,
    rotation_rate,
    turned_gradient,
)
from kanegen.codegen.graph import Argument, Expression, Graph, Program, evaluate, inputs
from kanegen.codegen.mechanism import BASE, MechanismBuilder

from .support import ROUNDING, Array, derivative

SIZES = {"p": 4, "d": 4, "s": 3}


def run(build: object, **arguments: Array) -> Array:
    """A matrix or vector of expressions in p, d and s, at these numbers."""
    program = program_of(build)
    used = {argument.name: arguments[argument.name] for argument in program.inputs}
    return evaluate(program, used)["y"]


def program_of(build: object) -> Program:
    graph = Graph()
    p, d, s = (inputs(graph, name, size) for name, size in SIZES.items())
    found = build(p, d, s)  # type: ignore[operator]
    rows = [[x] if isinstance(x, Expression) else list(x) for x in found]
    return Program(
        name="y",
        title="",
        source="",
        inputs=tuple(Argument(name, (size,), "", "") for name, size in SIZES.items()),
        outputs=(Argument("y", (len(rows), len(rows[0])), "", ""),),
        graph=graph,
        results=(tuple(x.ref for row in rows for x in row),),
    )


def rodrigues(axis: Array, angle: float) -> Array:
    x, y, z = axis
    skew = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + np.sin(angle) * skew + (1 - np.cos(angle)) * skew @ skew


@pytest.fixture(name="state")
def _state() -> dict[str, Array]:
    rng = np.random.default_rng(5)
    p, d, s = rng.normal(size=4), rng.normal(size=4), rng.normal(size=3)
    return {"p": p / np.linalg.norm(p), "d": d, "s": s}


def test_rotation_matrix_is_that_of_rodrigues(state: dict[str, Array]) -> None:
    axis, angle = state["s"] / np.linalg.norm(state["s"]), 1.234
    p = np.array([np.cos(angle / 2), *(np.sin(angle / 2) * axis)])
    found = run(lambda p, _d, _s: rotation_matrix(p), **(state | {"p": p}))
    assert found == pytest.approx(rodrigues(axis, angle), abs=ROUNDING)


def test_b_matrix_is_orthonormal_and_annihilates_p(state: dict[str, Array]) -> None:
    b = run(lambda p, _d, _s: b_matrix(p), **state)
    assert b @ b.T == pytest.approx(np.eye(3), abs=ROUNDING)
    assert b @ state["p"] == pytest.approx(np.zeros(3), abs=ROUNDING)


def test_angular_velocity_from_the_matrix_and_from_b_agree(state: dict[str, Array]) -> None:
    """(14): w' = 2 B dp/dt, and skew(w') = A^T dA/dt; the rate of p comes back from w."""
    p = state["p"]
    rate = state["d"] - p * (p @ state["d"])
    at = state | {"d": rate}
    turn = run(lambda p, _d, _s: rotation_matrix(p), **at)
    skew = turn.T @ run(lambda p, d, _s: rotation_rate(p, d), **at)
    w = 2 * run(lambda p, _d, _s: b_matrix(p), **at) @ rate
    assert [skew[2, 1], skew[0, 2], skew[1, 0]] == pytest.approx(w, abs=ROUNDING)
    back = run(lambda p, _d, s: rate_of_parameters(p, s), **(at | {"s": turn @ w}))
    assert back[:, 0] == pytest.approx(rate, abs=ROUNDING)


def test_derivatives_of_the_matrix_hold_off_the_unit_sphere(state: dict[str, Array]) -> None:
    at = state | {"p": 1.3 * state["p"]}
    matrix = program_of(lambda p, _d, _s: rotation_matrix(p))
    rate = derivative(matrix, at, {"p": at["d"]}).reshape(3, 3)
    assert run(lambda p, d, _s: rotation_rate(p, d), **at) == pytest.approx(rate, abs=ROUNDING)
    gradient = run(lambda p, _d, s: turned_gradient(p, s), **at)
    assert gradient @ at["d"] == pytest.approx(rate @ at["s"], abs=ROUNDING)
    bend = derivative(program_of(lambda p, d, _s: rotation_rate(p, d)), at, {"p": at["d"]}).reshape(3, 3)
    assert run(lambda _p, d, _s: rotation_curvature(d), **at) == pytest.approx(bend, abs=ROUNDING)


@pytest.mark.parametrize(
    "angles", [(0, 0, 0), (3, 0.1, 0), (0, 3, 0.2), (0.1, 0, 3), (1, -1, 2), (-2.5, 0.3, -2)]
)
def test_parameters_of_fixed_rotations(angles: tuple[float, float, float]) -> None:
    """Each of the four formulas is the best one somewhere."""
    builder = MechanismBuilder("turned")
    builder.body("body", mass=1)
    builder.revolute("hinge", BASE, "body", (0, 0, 1), rotation=angles)
    mechanism = builder.build()
    rotation = mechanism.joints[0].rotation
    p = np.array([float(x) for x in parameters_of(rotation, mechanism)])  # type: ignore[arg-type]
    assert p @ p == pytest.approx(1, abs=ROUNDING)
    found = run(lambda p, _d, _s: rotation_matrix(p), p=p, d=p, s=p[:3])
    expected = np.array([[float(x) for x in row] for row in rotation])  # type: ignore[arg-type]
    assert found == pytest.approx(expected, abs=ROUNDING)


def test_parameters_of_quarter_turns_are_exact() -> None:
    builder = MechanismBuilder("turned")
    builder.body("body", mass=1)
    builder.revolute("hinge", BASE, "body", (0, 0, 1), rotation=((0, 0, 1), (1, 0, 0), (0, 1, 0)))
    mechanism = builder.build()
    half = Fraction(1, 2)
    assert parameters_of(mechanism.joints[0].rotation, mechanism) == (half, half, half, half)
