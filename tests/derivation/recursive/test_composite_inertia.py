"""Mass matrices by composite inertias: by hand."""

from __future__ import annotations

import numpy as np
import pytest

from kanegen.codegen.derivation.placed_tree.deriver import Deriver
from kanegen.codegen.graph import evaluate
from kanegen.codegen.mechanism import BASE, MechanismBuilder
from tests.derivation.tree_kernels import mass_matrix


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
