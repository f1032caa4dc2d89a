"""Joints that close loops: what each kind lets happen, and how many of its rows a linkage needs."""

from __future__ import annotations

import numpy as np
import pytest

from kanegen.codegen.mechanism.catalogue import mechanism
from kanegen.codegen.mechanism.constraints import LoopKind

from .mechanisms import two_arms
from .support import ROUNDING, Array, Bodies, home

IDENTITY = np.eye(3)
SPIN = np.array([[0.6, -0.8, 0], [0.8, 0.6, 0], [0, 0, 1]])
"""A turn about z."""
TILT = np.array([[0.36, 0.48, -0.8], [-0.8, 0.6, 0], [0.48, 0.64, 0.6]])
"""A rotation about no coordinate axis."""
CROSSED = np.array([[0.6, 0, 0.8], [0.8, 0, -0.6], [0, 1, 0]])
"""The z axis turned into the xy plane, and then about it."""

ALLOWED = {
    LoopKind.SPHERICAL: (TILT, (0, 0, 0)),
    LoopKind.REVOLUTE: (SPIN, (0, 0, 0)),
    LoopKind.UNIVERSAL: (CROSSED, (0, 0, 0)),
    LoopKind.CYLINDRICAL: (SPIN, (0, 0, 0.7)),
    LoopKind.PRISMATIC: (IDENTITY, (0, 0, 0.7)),
    LoopKind.PLANAR: (SPIN, (0.3, -0.5, 0)),
    LoopKind.FIXED: (IDENTITY, (0, 0, 0)),
}
"""Pose of the second frame in the first that the joint allows."""

ROWS = {
    LoopKind.SPHERICAL: 3,
    LoopKind.REVOLUTE: 5,
    LoopKind.UNIVERSAL: 4,
    LoopKind.CYLINDRICAL: 4,
    LoopKind.PRISMATIC: 5,
    LoopKind.PLANAR: 3,
    LoopKind.FIXED: 6,
}

FORBIDDEN = {
    LoopKind.SPHERICAL: [(TILT, (0.1, 0, 0)), (TILT, (0, 0.1, 0)), (TILT, (0, 0, 0.1))],
    LoopKind.REVOLUTE: [(TILT, (0, 0, 0)), (SPIN, (0, 0, 0.1))],
    LoopKind.UNIVERSAL: [(TILT, (0, 0, 0)), (CROSSED, (0.1, 0, 0))],
    LoopKind.CYLINDRICAL: [(SPIN, (0.1, 0, 0.7)), (SPIN, (0, 0.1, 0.7)), (TILT, (0, 0, 0.7))],
    LoopKind.PRISMATIC: [(SPIN, (0, 0, 0.7)), (IDENTITY, (0.1, 0, 0)), (IDENTITY, (0, 0.1, 0))],
    LoopKind.PLANAR: [(SPIN, (0, 0, 0.1)), (TILT, (0, 0, 0))],
    LoopKind.FIXED: [(SPIN, (0, 0, 0)), (IDENTITY, (0, 0, 0.1))],
}


def rows_of_loop(bodies: Bodies, x: Array) -> tuple[Array, Array]:
    """Values and gradients of the loop's rows."""
    rows = [k for k in range(len(bodies.names)) if k not in bodies.of_tree]
    return bodies("joint_constraints", x=x)[rows], bodies("joint_constraint_jacobian", x=x)[rows]


def placed(bodies: Bodies, rotation: Array, position: tuple[float, ...]) -> Array:
    """Body coordinates in which the base is so placed in the frame at the tip: the tip's body is put there, joints open."""
    x = bodies.random_motion(1).x
    frame = bodies.mechanism.frame("l_tip")
    turned = np.array([[float(v) for v in row] for row in frame.rotation])  # type: ignore[arg-type]
    at = np.array([float(v) for v in frame.position]) - (0.1, 0, 0.05)  # type: ignore[arg-type]
    body = (turned @ rotation).T
    e0 = np.sqrt(1 + np.trace(body)) / 2
    e = np.array([body[2, 1] - body[1, 2], body[0, 2] - body[2, 0], body[1, 0] - body[0, 1]]) / (4 * e0)
    x[-7:-4] = -body @ (at + turned @ position)
    x[-4:] = [e0, *e]
    return x


@pytest.mark.parametrize("kind", LoopKind)
def test_what_a_joint_allows(kind: LoopKind) -> None:
    bodies = Bodies(two_arms(kind, to_base=True))
    value, gradient = rows_of_loop(bodies, placed(bodies, *ALLOWED[kind]))
    assert len(value) == ROWS[kind]
    assert np.abs(value).max() <= ROUNDING
    assert np.linalg.matrix_rank(gradient) == ROWS[kind]
    for pose in FORBIDDEN[kind]:
        assert np.abs(rows_of_loop(bodies, placed(bodies, *pose))[0]).max() > 0.01


@pytest.mark.parametrize(
    ("name", "deficit"), [("four_bar", 3), ("five_bar", 3), ("four_bar_tilted", 0), ("stewart_platform", 0)]
)
def test_linkages_are_closed_at_home_and_of_the_expected_rank(name: str, deficit: int) -> None:
    linkage = mechanism(name)
    bodies = Bodies(linkage)
    q = home(linkage)
    m = bodies.motion(q, np.zeros_like(q), np.zeros_like(q))
    assert np.abs(bodies("joint_constraints", x=m.x)).max() <= ROUNDING
    gradients = bodies("joint_constraint_jacobian", x=m.x)
    values = np.linalg.svd(gradients, compute_uv=False)
    rank = int((values > 1e-9).sum())
    assert rank == len(bodies.names) - deficit
    assert m.x.size - rank == linkage.dof


def test_a_loop_pushes_its_two_bodies_oppositely() -> None:
    """The reaction of a loop's joint, found on its second body, against the same joint to the base."""
    bodies = Bodies(two_arms(LoopKind.SPHERICAL))
    x = bodies.random_motion(3).x
    multipliers = np.zeros(len(bodies.names))
    rows = [k for k in range(len(bodies.names)) if k not in bodies.of_tree]
    multipliers[rows] = (3.0, -4.0, 5.0)
    assert bodies("joint_reactions", x=x, multipliers=multipliers)[-1] == pytest.approx(
        [-3, 4, -5, 0, 0, 0], abs=ROUNDING
    )
    to_base = Bodies(two_arms(LoopKind.SPHERICAL, to_base=True))
    x = placed(to_base, TILT, (0, 0, 0))
    multipliers = np.zeros(len(to_base.names))
    multipliers[[k for k in range(len(to_base.names)) if k not in to_base.of_tree]] = (3.0, -4.0, 5.0)
    found = to_base("joint_reactions", x=x, multipliers=multipliers)[-1]
    assert found == pytest.approx([-3, 4, -5, 0, 0, 0], abs=ROUNDING)
