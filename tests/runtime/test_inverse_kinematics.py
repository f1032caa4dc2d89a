"""Inverse kinematics: trees, limits, ball joints, loops, rolling contacts, bent links, rows, and poses out of reach."""

from __future__ import annotations

import functools

import numpy as np
import pytest
from numpy.testing import assert_allclose

import kanegen
from kanegen.codegen.mechanism import MechanismBuilder
from kanegen.codegen.mechanism.records import JointLimits

TOLERANCE = 1e-10
"""What inverse_kinematics reaches by default, in m and rad."""


@functools.cache
def seven_axes() -> kanegen.Robot:
    """An arm with the axes, offsets and ranges of a Panda."""
    b = MechanismBuilder("seven_axes")
    turn, half = ("-1.5707963267948966", "1.5707963267948966"), JointLimits(lower="-2.9", upper="2.9")
    elbow = JointLimits(lower="-3.07", upper="-0.07")
    wrist = JointLimits(lower="-0.02", upper="3.75")
    before = "base"
    for k, (position, angle, limits) in enumerate(
        [
            ((0, 0, "0.333"), 0, half),
            ((0, 0, 0), turn[0], JointLimits(lower="-1.76", upper="1.76")),
            ((0, "-0.316", 0), turn[1], half),
            (("0.0825", 0, 0), turn[1], elbow),
            (("-0.0825", "0.384", 0), turn[0], half),
            ((0, 0, 0), turn[1], wrist),
            (("0.088", 0, 0), turn[1], half),
        ],
        start=1,
    ):
        b.body(f"link{k}", mass=1, center=(0, 0, "0.1"), inertia=("0.1", "0.1", "0.1"))
        b.revolute(
            f"q{k}",
            before,
            f"link{k}",
            axis=(0, 0, 1),
            position=position,
            rotation=(angle, 0, 0),
            limits=limits,
        )
        before = f"link{k}"
    b.frame("hand", before, position=(0, 0, "0.2"))
    return kanegen.load(b.build(), kernels=["frame_pose_hand", "frame_jacobian_hand"], interpreted=True)


@functools.cache
def chain_of_balls() -> kanegen.Robot:
    """A floating body, on it a ball joint, a hinge with a narrow range, and a rail."""
    b = MechanismBuilder("chain_of_balls")
    for name in ("trunk", "upper", "lower", "rod"):
        b.body(name, mass=1, center=(0, 0, "0.1"), inertia=("0.1", "0.1", "0.1"))
    b.floating("root", "base", "trunk")
    b.spherical("shoulder", "trunk", "upper", position=("0.1", 0, "0.2"))
    b.revolute("elbow", "upper", "lower", axis=(0, 1, 0), position=(0, 0, "0.4"), limits=JointLimits(-1, 1))
    b.prismatic("rail", "lower", "rod", axis=(0, 0, 1), limits=JointLimits(upper=1))
    needed = ["coordinate_rates", "frame_pose_rod", "frame_jacobian_rod"]
    return kanegen.load(b.build(), kernels=needed, interpreted=True)


@functools.cache
def named(model: str, frame: str) -> kanegen.Robot:
    """A built-in with the kernels that are needed."""
    kernels = [f"frame_pose_{frame}", f"frame_jacobian_{frame}", "coordinate_rates"]
    kernels += [] if model.startswith("flexible") else ["constraint_jacobian"]
    return kanegen.load(model, kernels=kernels, interpreted=True)


def within_limits(arm: kanegen.Robot, q: np.ndarray) -> bool:
    for name, x in zip(arm.coordinate_names, np.moveaxis(q, -1, 0), strict=True):
        limits = arm.joint_limits.get(name, kanegen.JointLimits())
        lower, upper = (limits.lower, limits.upper)
        if (lower is not None and x.min() < lower) or (upper is not None and x.max() > upper):
            return False
    return True


@pytest.mark.parametrize(
    ("arm", "frame"),
    [
        (lambda: kanegen.load("stanford_arm"), "F"),
        (lambda: kanegen.load("stanford_arm", speeds="kane_levinson"), "F"),
        (seven_axes, "hand"),
        (chain_of_balls, "rod"),
        (lambda: named("flexible_two_link_spatial", "tip"), "tip"),
    ],
)
def test_reachable_poses_are_reached(arm, frame):
    """From within 0.3 rad of a solution; links bend by a tenth of that."""
    robot, generator = arm(), np.random.default_rng(7)
    q = np.array([robot.random_configuration(generator) for _ in range(30)])
    away = generator.uniform(-0.3, 0.3, q.shape) * (0.1 if robot.mode_names else 1.0)
    poses = robot.frame_pose(q, frame)
    found = robot.inverse_kinematics(frame, poses, q + away)
    assert found.converged.all()
    assert within_limits(robot, found.q)
    # Entries of a matrix move by about as much as it turns; axes on bent links are no rotation exactly.
    columns = slice(3, 4) if robot.mode_names else slice(0, 4)
    reached = robot.frame_pose(found, frame)
    assert_allclose(reached[..., columns], poses[..., columns], rtol=0, atol=4 * TOLERANCE)
    for start in robot.quaternions:
        assert_allclose(np.linalg.norm(found.q[:, start : start + 4], axis=1), 1.0, rtol=1e-15)
    assert np.median(found.iterations) <= 6  # convergence is quadratic: 0.3, 1e-1, 1e-2, 1e-4, 1e-8, 1e-16


@pytest.mark.parametrize(
    ("model", "frame"),
    [
        ("four_bar", "coupler_tip"),
        ("five_bar", "outer1_tip"),
        ("cooperating_arms", "far_grip"),
        ("stewart_platform", "platform"),
        ("rolling_disc", "axle"),
        ("whipple_bicycle", "front_axle"),
    ],
)
def test_loops_are_kept_closed(model, frame):
    robot, generator = named(model, frame), np.random.default_rng(8)
    q = [robot.assemble(robot.home + generator.uniform(-0.2, 0.2, robot.nq)) for _ in range(4)]
    poses = robot.frame_pose(q, frame)
    found = robot.inverse_kinematics(frame, poses, q + generator.uniform(-0.1, 0.1, np.shape(q)))
    assert found.converged.all()
    assert_allclose(robot.frame_pose(found.q, frame), poses, rtol=0, atol=4 * TOLERANCE)
    if robot.constraints.position:
        # Lengths are below ten metres, whose rounding is 1e-15: see the bound on assembly.
        assert np.abs(robot.constraint_residual(found.q)).max() < 1e-12


def test_from_a_dead_centre_and_from_a_singular_start():
    four_bar, arm = named("four_bar", "coupler_tip"), seven_axes()
    dead = four_bar.assemble([np.arccos(0.0), 0.3, 0.3])
    found = four_bar.inverse_kinematics(
        "coupler_tip", four_bar.frame_pose(dead, "coupler_tip"), four_bar.home
    )
    assert found.converged
    straight = np.array([0.0, 0.0, 0.0, -0.07, 0.0, 0.0, 0.0])  # axes 1, 3 and 5 nearly coincide
    aim = np.array([0.2, 0.4, -0.3, -0.6, 0.2, 0.5, 0.1])
    assert arm.inverse_kinematics("hand", arm.frame_pose(aim, "hand"), straight).converged


def test_rows_leave_the_others_free():
    arm, q0 = kanegen.load("stanford_arm"), np.array([0.1, 1.2, 0.3, 0.5, -0.4, 0.6])
    pose = np.eye(4)
    pose[:3, 3] = [0.4, 0.3, 0.5]
    at = arm.inverse_kinematics("F", pose, q0, rows=("x", "y", "z"))
    assert_allclose(arm.frame_pose(at.q, "F")[:3, 3], pose[:3, 3], rtol=0, atol=TOLERANCE)
    upright = arm.inverse_kinematics("F", pose, q0, rows=("rx", "ry"))
    # What remains is a rotation about the base's z axis.
    assert_allclose(arm.frame_pose(upright.q, "F")[:3, 2], [0, 0, 1], rtol=0, atol=2 * TOLERANCE)
    assert not np.allclose(arm.frame_pose(upright.q, "F")[:3, :3], np.eye(3), atol=1e-3)


def test_out_of_reach_is_said_with_the_nearest_configuration():
    """Of two rods of 1 m, 3 m from the shoulder: 1 m is missing when the arm is straight, towards the pose."""
    b = MechanismBuilder("two_rods")
    for name in ("upper", "fore"):
        b.body(name, mass=1, center=("0.5", 0, 0), inertia=("0.1", "0.1", "0.1"))
    b.revolute("shoulder", "base", "upper", axis=(0, 0, 1))
    b.revolute("elbow", "upper", "fore", axis=(0, 0, 1), position=(1, 0, 0), limits=JointLimits(upper="0.5"))
    b.frame("tip", "fore", position=(1, 0, 0))
    arm = kanegen.load(b.build(), kernels=["frame_pose_tip", "frame_jacobian_tip"], interpreted=True)
    aim = np.eye(4)
    poses = np.stack([aim, aim])
    poses[0, :2, 3], poses[1, :2, 3] = [1.2, 1.5], [1.8, 2.4]
    with pytest.warns(kanegen.ModelWarning, match="1 of 2 poses, the first in row 1"):
        found = arm.inverse_kinematics("tip", poses, [0.3, -0.4], rows=("x", "y"))
    assert found.converged.tolist() == [True, False]
    assert_allclose(
        found.q[1], [np.arctan2(2.4, 1.8), 0.0], rtol=0, atol=1e-3
    )  # flat there: as the root of STUCK
    assert_allclose(
        np.linalg.norm(arm.frame_pose(found.q[1], "tip")[:2, 3] - [1.8, 2.4]), 1.0, rtol=0, atol=1e-6
    )
    with pytest.warns(kanegen.ModelWarning, match="limits"):
        bent = arm.inverse_kinematics(
            "tip", np.eye(4), [0.3, 0.4], rows=("x", "y")
        )  # the tip on the shoulder
    assert bent.q[1] <= 0.5
    assert not bent.converged


@pytest.mark.parametrize(
    "wrong",
    [
        {"pose": 2 * np.eye(4)},
        {"pose": np.diag([1.0, 1.0, -1.0, 1.0])},
        {"pose": np.full((4, 4), np.nan)},
        {"pose": np.eye(3)},
        {"rows": ("x", "roll")},
        {"rows": ()},
        {"q0": np.full(6, np.inf)},
    ],
)
def test_wrong_arguments(wrong):
    with pytest.raises(ValueError):  # noqa: PT011
        kanegen.load("stanford_arm").inverse_kinematics(**{"frame": "F", "pose": np.eye(4), **wrong})
