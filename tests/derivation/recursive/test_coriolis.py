"""The Coriolis matrix: Christoffel symbols from the mass matrix, velocity forces, and cases by hand."""

from __future__ import annotations

from typing import Any

import mpmath
import numpy as np
import pytest

from kanegen.codegen.derivation.placed_tree.deriver import Deriver
from kanegen.codegen.graph import Program, evaluate
from kanegen.codegen.mechanism import BASE, Mechanism, MechanismBuilder
from tests.derivation.comparison import EXACT, ROUNDING, exactly
from tests.derivation.structured_trees import derive_by_chance, states, structured_tree
from tests.derivation.tree_kernels import DYNAMICS, coriolis_matrix
from tests.derivation.trees import random_tree

STEP = mpmath.mpf(10) ** -20
DIGITS = 70
"""A central difference errs by STEP^2 and by the rounding at this many digits over STEP: both far below EXACT."""


def textbook(machine: Mechanism, kernel: str) -> Program:
    return Deriver(machine, DYNAMICS[kernel], gauge=False)({})[0]


def mass(program: Program, q: list[Any]) -> Any:
    n = len(q)
    return np.array(exactly(program, q=q), dtype=object).reshape(n, n)


def apart(found: list[Any], wanted: list[Any]) -> Any:
    """Largest difference; entries are of the order of 1, or all zero where velocities cause no forces."""
    return max(abs(x - y) for x, y in zip(found, wanted, strict=True))


def christoffel(machine: Mechanism, q: list[Any], v: list[Any]) -> Any:
    """C_ij = sum_k (dM_ij/dq_k + dM_ik/dq_j - dM_jk/dq_i) v_k / 2 by differences of the mass matrix."""
    program = textbook(machine, "mass_matrix")
    n = len(q)
    slopes = []
    for k in range(n):
        up, down = ([x + s * STEP * (i == k) for i, x in enumerate(q)] for s in (1, -1))
        slopes.append((mass(program, up) - mass(program, down)) / (2 * STEP))
    found = np.zeros((n, n), dtype=object)
    for i in range(n):
        for j in range(n):
            found[i, j] = (
                sum((slopes[k][i, j] + slopes[j][i, k] - slopes[i][j, k]) * v[k] for k in range(n)) / 2
            )
    return found


@pytest.mark.parametrize("gauge", [False, True])
@pytest.mark.parametrize(
    "machine",
    [*(structured_tree(seed, 4) for seed in range(60, 66)), random_tree(3, 5), random_tree(2, 4)],
    ids=lambda machine: machine.name,
)
def test_christoffel_symbols(machine: Mechanism, gauge: bool) -> None:
    """Every entry, to 30 digits: so dM/dt - 2 C is skew-symmetric."""
    program = Deriver(machine, coriolis_matrix, gauge=gauge)({})[0]
    n = machine.dof
    at = states(61, 1, n)
    with mpmath.workdps(DIGITS):
        q, v = (list(map(mpmath.mpf, at[name][0])) for name in "qv")
        assert apart(exactly(program, q=q, v=v), list(christoffel(machine, q, v).flat)) < EXACT


@pytest.mark.parametrize("seed", range(70, 76))
def test_velocity_forces(seed: int) -> None:
    """C v = h - g, for random decisions everywhere."""
    machine = structured_tree(seed, 5)
    at = states(seed, 1, 5)
    program, answers = derive_by_chance(Deriver(machine, coriolis_matrix), np.random.default_rng(seed))
    with mpmath.workdps(DIGITS):
        q, v = list(at["q"][0]), list(at["v"][0])
        matrix = np.array(exactly(program, q=q, v=v), dtype=object).reshape(5, 5)
        bias = exactly(textbook(machine, "bias_forces"), q=q, v=v)
        gravity = exactly(textbook(machine, "gravity_forces"), q=q)
        wanted = [h - g for h, g in zip(bias, gravity, strict=True)]
        assert apart(list(matrix @ np.array(v, dtype=object)), wanted) < EXACT, answers


def test_a_slider_on_a_turntable_by_hand() -> None:
    """M = diag(I + m r^2, m): C = m r [[r', w], [-w, 0]]."""
    builder = MechanismBuilder("turntable")
    builder.body("table", mass=5, inertia=(1, 1, 2))
    builder.body("slider", mass=3)
    builder.revolute("turn", BASE, "table", (0, 0, 1))
    builder.prismatic("slide", "table", "slider", (-1, 0, 0))
    q, v = np.array([0.4, 0.7]), np.array([1.1, -0.6])
    found = evaluate(Deriver(builder.build(), coriolis_matrix)({})[0], {"q": q, "v": v})["C"]
    wanted = 3 * q[1] * np.array([[v[1], v[0]], [-v[0], 0]])
    assert found == pytest.approx(wanted, rel=1e-15)


def test_long_chain_in_double_precision() -> None:
    """Sixteen joints: the velocity forces of the recursion without this matrix."""
    machine = random_tree(3, 16)
    at = {name: 0.3 * x for name, x in states(1, 3, 16).items()}
    matrix = evaluate(Deriver(machine, coriolis_matrix)({})[0], at)["C"]
    bias = evaluate(textbook(machine, "bias_forces"), at)["h"]
    gravity = evaluate(textbook(machine, "gravity_forces"), at)["g"]
    found = np.einsum("bij,bj->bi", matrix, at["v"])
    # weights of 16 bodies cancel in h - g
    assert np.abs(found - (bias - gravity)).max() < ROUNDING * np.abs(bias).max() * 10
