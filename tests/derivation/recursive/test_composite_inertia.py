"""Mass matrices by composite inertias: by hand, and as the derivative of inverse dynamics."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest

from kanegen.codegen.derivation.placed_tree.deriver import Deriver
from kanegen.codegen.graph import evaluate
from kanegen.codegen.mechanism import BASE, MechanismBuilder
from tests.derivation.comparison import DIGITS, EXACT, difference, exactly
from tests.derivation.structured_trees import states, structured_tree
from tests.derivation.tree_kernels import inverse_dynamics, mass_matrix


def test_planar_double_pendulum_by_hand() -> None:
    """Point masses 2 and 3 at the ends of rods 0.5 and 0.4, relative angles."""
    builder = MechanismBuilder("pendulum", gravity=(0, -9.81, 0))
    builder.body("upper", mass=2, center=(0.5, 0, 0))
    builder.body("lower", mass=3, center=(0.4, 0, 0))
    builder.revolute("shoulder", BASE, "upper", (0, 0, 1))
    builder.revolute("elbow", "upper", "lower", (0, 0, 1), position=(0.5, 0, 0))
    q = np.array([0.3, 0.9])
    found = evaluate(Deriver(builder.build(), mass_matrix)({})[0], {"q": q})["M"]
    far, cross = 3 * 0.4**2, 3 * 0.5 * 0.4 * np.cos(q[1])
    wanted = [[5 * 0.5**2 + far + 2 * cross, far + cross], [far + cross, far]]
    assert found == pytest.approx(np.array(wanted), rel=1e-15)


def test_a_slider_on_a_turntable_by_hand() -> None:
    """A sliding mass: M = diag(I + m r^2, m), and nothing else."""
    builder = MechanismBuilder("turntable")
    builder.body("table", mass=5, inertia=(1, 1, 2))
    builder.body("slider", mass=3)
    builder.revolute("turn", BASE, "table", (0, 0, -1))
    builder.prismatic("slide", "table", "slider", (-1, 0, 0))
    found = evaluate(Deriver(builder.build(), mass_matrix)({})[0], {"q": np.array([0.4, 0.7])})["M"]
    assert found == pytest.approx(np.diag([2 + 3 * 0.7**2, 3]), rel=1e-15)


@pytest.mark.parametrize("gauge", [False, True])
@pytest.mark.parametrize("seed", range(50, 56))
def test_columns_are_forces_for_unit_accelerations(seed: int, gauge: bool) -> None:
    """tau(q, 0, e_j) - tau(q, 0, 0) is column j of M, to 30 digits."""
    mechanism = structured_tree(seed, 4)
    forces = Deriver(mechanism, inverse_dynamics, gauge=gauge)({})[0]
    matrix = Deriver(mechanism, mass_matrix, gauge=gauge)({})[0]
    q = states(seed, 1, 4)["q"][0]
    with mpmath.workdps(DIGITS):
        M = exactly(matrix, q=q)
        rest = exactly(forces, q=q, v=[0] * 4, a=[0] * 4)
        columns = [exactly(forces, q=q, v=[0] * 4, a=[int(i == j) for i in range(4)]) for j in range(4)]
        wanted = [columns[j][i] - rest[i] for i in range(4) for j in range(4)]
        assert difference(M, wanted) < EXACT
