"""Forces from the multipliers of all bodies at once: actuators, springs, reactions."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from kanegen.codegen.derivation.euler_parameters import names_of_massless_bodies
from kanegen.codegen.graph import evaluate
from kanegen.codegen.mechanism import BASE, Mechanism, MechanismBuilder
from kanegen.codegen.mechanism.catalogue import mechanism
from tests.derivation.comparison import worst
from tests.derivation.force_programs import newton_euler
from tests.derivation.trees import random_tree

from .mechanisms import cylindrical_arm, sprung_arm, universal_arm
from .support import Array, Bodies, derivative

TOLERANCE = 1e-11
"""Roundings of 1.1e-16 times a condition of the Jacobian of up to 1e4."""


@pytest.mark.parametrize(
    "tree",
    [
        mechanism("stanford_arm"),
        universal_arm(),
        *(cylindrical_arm(slide_first, against) for slide_first in (0, 1) for against in (0, 1)),
        *(random_tree(seed, joints, fixed=True) for seed, joints in ((2, 2), (5, 5), (8, 7))),
    ],
)
def test_actuators_supply_what_newton_euler_asks_for(tree: Mechanism) -> None:
    bodies = Bodies(tree)
    for seed in range(3):
        m = bodies.random_motion(seed)
        expected = evaluate(newton_euler(tree), {"q": m.q, "v": m.v, "a": m.a})["tau"]
        _, drives = bodies.multipliers(m)
        found = bodies("actuator_forces", x=m.x, q=m.q, multipliers=drives)
        assert worst(found[None], expected[None]) <= TOLERANCE
        assert worst(-drives[None], expected[None]) <= TOLERANCE  # what the drives' unit derivatives are for


def test_mass_matrix_and_quadratic_terms_are_those_of_kinetic_energy() -> None:
    """Lagrange: M d2x/dt2 - g without gravity is d/dt(M xdot) - d(xdot^T M xdot / 2)/dx, M the matrix (20)."""
    bodies = Bodies(random_tree(4, 2, fixed=False))
    m = bodies.random_motion(6)
    mass = bodies.programs["body_mass_matrix"]
    n = m.x.size
    turning = derivative(mass, {"x": m.x}, {"x": m.xdot}).reshape(n, n)
    slope = [derivative(mass, {"x": m.x}, {"x": unit}).reshape(n, n) for unit in np.eye(n)]
    quadratic = turning @ m.xdot - np.array([m.xdot @ s @ m.xdot for s in slope]) / 2
    loads = bodies("body_forces", x=m.x, xdot=m.xdot) - bodies("body_forces", x=m.x, xdot=np.zeros(n))
    assert loads == pytest.approx(-quadratic, abs=TOLERANCE)
    matrix = bodies("body_mass_matrix", x=m.x)
    for at in range(3, n, 7):
        assert np.abs(matrix[:, at : at + 4] @ m.x[at : at + 4]).max() <= TOLERANCE


def test_springs_and_dampers_load_the_actuators() -> None:
    """Against the derivatives of the lengths of the springs, seen in joint coordinates."""
    sprung = sprung_arm()
    bodies, bare = Bodies(sprung), Bodies(replace(sprung, springs=()))
    m = bodies.random_motion(7)
    assert [a.name for a in bodies.programs["body_forces"].inputs] == ["x", "xdot", "q"]
    extra = bodies.actuator_forces(m) - bare.actuator_forces(m)
    elbow, slide = m.q[1], m.q[2]
    expected = np.array([0, 3 * (elbow - 0.7) + 0.4 * m.v[1], 20 * (slide - 0.1) + 2 * m.v[2]])
    lengths = spring_lengths(bodies, m.q)
    slopes = (spring_lengths(bodies, m.q, 1e-6) - spring_lengths(bodies, m.q, -1e-6)) / 2e-6
    expected += slopes[:, 0] * (15 * (lengths[0] - 0.3) + 1.5 * (slopes[:, 0] @ m.v))
    expected += slopes[:, 1] * 8 * lengths[1]
    # the central difference of a length of order one: 1e-12 of truncation and 1e-10 of rounding
    assert extra == pytest.approx(expected, abs=1e-7)


def spring_lengths(bodies: Bodies, q: Array, step: float | None = None) -> Array:
    """Lengths of "line" and "pull", or for a step along each coordinate, one row each."""
    if step is not None:
        return np.array([spring_lengths(bodies, q + step * unit) for unit in np.eye(len(q))])
    x = bodies("body_coordinates", q=q).reshape(-1, 7)

    def point(body: int, arm: tuple[float, float, float]) -> Array:
        e0, e = x[body, 3], x[body, 4:]
        s = np.array(arm)
        return x[body, :3] + s + 2 * np.cross(e, e0 * s + np.cross(e, s))

    lower, hook = point(0, (-0.2, 0, 0)), point(1, (0, 0.2, 0.2))
    return np.array([np.linalg.norm(point(2, (0, 0, 0)) - lower), np.linalg.norm(hook - (0.3, -0.4, 1))])


def test_reactions_balance_every_body() -> None:
    """Newton for each body: what its joint and actuator exert, less what those of its children do, accelerates it."""
    tree = random_tree(6, 6, fixed=False)
    bodies = Bodies(tree)
    m = bodies.random_motion(8)
    joints, drives = bodies.multipliers(m)
    exerted = bodies("joint_reactions", x=m.x, multipliers=joints)[:, :3]
    gradient = bodies("driving_constraint_jacobian", x=m.x, q=m.q).reshape(6, 6, 7)
    for k, joint in enumerate(tree.joints):
        row = tree.coordinates.index(joint.name)
        exerted[k] -= drives[row] * gradient[row, k, :3]
    inertial = bodies("body_mass_matrix", x=m.x) @ m.xddot
    needed = (inertial - bodies("body_forces", x=m.x, xdot=m.xdot)).reshape(6, 7)[:, :3]
    for k, joint in enumerate(tree.joints):
        children = [c for c, other in enumerate(tree.joints) if other.parent == joint.child]
        net = exerted[k] - sum((exerted[c] for c in children), np.zeros(3))
        assert net == pytest.approx(needed[k], abs=1e-9)  # forces of some hundreds of newtons


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


def test_bodies_without_inertia_that_stay() -> None:
    assert names_of_massless_bodies(carried_arm()) == ["carrier"]
    assert names_of_massless_bodies(mechanism("stewart_platform")) == [
        "platform_x",
        "platform_y",
        "platform_yaw",
    ]
