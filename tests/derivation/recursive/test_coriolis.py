"""The Coriolis matrix: Christoffel symbols from the mass matrix."""

from __future__ import annotations

from typing import Any

import mpmath
import numpy as np
import pytest

from kanegen.codegen.derivation.placed_tree.deriver import Deriver
from kanegen.codegen.graph import Program
from kanegen.codegen.mechanism import Mechanism
from tests.derivation.comparison import EXACT, exactly
from tests.derivation.structured_trees import states, structured_tree
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


@pytest.mark.parametrize(
    "machine",
    [structured_tree(60, 4), structured_tree(63, 4), random_tree(3, 5)],
    ids=lambda machine: machine.name,
)
def test_christoffel_symbols(machine: Mechanism) -> None:
    """Every entry, to 30 digits: so dM/dt - 2 C is skew-symmetric."""
    program = Deriver(machine, coriolis_matrix)({})[0]
    n = machine.dof
    at = states(61, 1, n)
    with mpmath.workdps(DIGITS):
        q, v = (list(map(mpmath.mpf, at[name][0])) for name in "qv")
        assert apart(exactly(program, q=q, v=v), list(christoffel(machine, q, v).flat)) < EXACT
