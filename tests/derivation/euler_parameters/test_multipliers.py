"""What multipliers of all bodies at once give, by hand: reactions, and motions from forces."""

from __future__ import annotations

import numpy as np
import pytest

from kanegen.codegen.graph import evaluate
from kanegen.codegen.mechanism import BASE, Mechanism, MechanismBuilder
from kanegen.codegen.mechanism.catalogue import mechanism
from tests.derivation.comparison import worst
from tests.derivation.force_programs import newton_euler

from .mechanisms import universal_arm
from .support import Bodies

TOLERANCE = 1e-11
"""Roundings of 1.1e-16 times a condition of the Jacobian of up to 1e4."""


def test_reactions_of_a_hanging_beam() -> None:
    """A beam on a hinge, held level by its drive: the hinge carries the weight, and no moment but across the axis."""
    builder = MechanismBuilder("beam")
    builder.body("beam", mass=2, center=(0.5, 0.1, 0), inertia=(0.1, 0.2, 0.2))
    builder.revolute("hinge", BASE, "beam", (0, 1, 0), position=(0.3, 0, 1))
    bodies = Bodies(builder.build())
    m = bodies.motion(np.zeros(1), np.zeros(1), np.zeros(1))
    joints, drives = bodies.multipliers(m)
    weight = 2 * 9.81
    reaction = bodies("joint_reactions", x=m.x, multipliers=joints)[0]
    assert reaction == pytest.approx([0, 0, weight, weight * 0.1, 0, 0], abs=TOLERANCE)
    assert -drives == pytest.approx([-weight * 0.5], abs=TOLERANCE)


def carried_arm() -> Mechanism:
    """An arm on a carrier without inertia that merges with nothing, as its slide and its hinge are not parallel."""
    builder = MechanismBuilder("carried_arm")
    builder.body("carrier")
    builder.body("arm", mass=2, center=(0.5, 0, 0), inertia=(0.1, 0.2, 0.2))
    builder.prismatic("lift", BASE, "carrier", (0, 0, 1))
    builder.revolute("hinge", "carrier", "arm", (0, 1, 0))
    return builder.build()


@pytest.mark.parametrize("tree", [mechanism("stanford_arm"), universal_arm(), carried_arm()])
def test_actuator_forces_move_the_bodies_as_asked(tree: Mechanism) -> None:
    """Forward: (22) with (10) for the joints, and the actuators as forces along the gradients of their coordinates."""
    bodies = Bodies(tree)
    m = bodies.random_motion(9)
    tau = evaluate(newton_euler(tree), {"q": m.q, "v": m.v, "a": m.a})["tau"]
    gradient = bodies("joint_constraint_jacobian", x=m.x)
    rows = len(gradient)
    matrix = np.block([[bodies("body_mass_matrix", x=m.x), gradient.T], [gradient, np.zeros((rows, rows))]])
    loads = bodies("body_forces", x=m.x, xdot=m.xdot)
    loads = loads + bodies("driving_constraint_jacobian", x=m.x, q=m.q).T @ tau
    right = [*loads, *bodies("joint_constraint_gamma", x=m.x, xdot=m.xdot)]
    found = np.linalg.solve(matrix, right)[: m.x.size]
    assert worst(found[None], m.xddot[None]) <= TOLERANCE
