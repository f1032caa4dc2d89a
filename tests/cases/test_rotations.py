"""Joints with unit quaternions and compound joints (CASES 14 and 26), in URDF, MJCF and TOML."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from numpy.typing import NDArray

import kanegen
from kanegen.codegen.mechanism import ModelError
from tests.mechanism.importers.documents import pendulum

from .files import LoadText, inertial

Array = NDArray[np.float64]
EPSILON = np.finfo(float).eps
BODY = inertial("1 2 2.5 0.1 -0.2 0.3", '<origin xyz="0.1 -0.2 0.3"/>', mass="2")
OF_FREE = ("j_x", "j_y", "j_z", "j_qx", "j_qy", "j_qz", "j_qw")
FREE_SPEEDS = ("j_vx", "j_vy", "j_vz", "j_wx", "j_wy", "j_wz")


def ball(suffix: str) -> str:
    """A body that hangs on a ball joint "j"; its mass centre is at (0.1, -0.2, 0.3)."""
    if suffix == ".toml":
        return (
            '[[body]]\nname = "b"\nmass = 2\ncenter = [0.1, -0.2, 0.3]\ninertia = [1, 2, 2.5, 0.1, -0.2, 0.3]\n'
            '[[joint]]\nname = "j"\ntype = "spherical"\nparent = "base"\nchild = "b"\n'
        )
    return (
        '<mujoco><worldbody><body name="b"><inertial pos="0.1 -0.2 0.3" mass="2" fullinertia="1 2 2.5 0.1 -0.2 0.3"/>'
        '<joint name="j" type="ball"/></body></worldbody></mujoco>'
    )


TENSOR = np.array([[1, 0.1, -0.2], [0.1, 2, 0.3], [-0.2, 0.3, 2.5]])
CENTER = np.array([0.1, -0.2, 0.3])
ABOUT_ORIGIN = TENSOR + 2.0 * (CENTER @ CENTER * np.eye(3) - np.outer(CENTER, CENTER))


def rotation(quaternion: Array) -> Array:
    """Of (x, y, z, w), of any length but zero."""
    x, y, z, w = quaternion / np.linalg.norm(quaternion)
    cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    turned: Array = np.eye(3) + 2 * w * cross + 2 * cross @ cross
    return turned


@pytest.mark.parametrize("suffix", [".toml", ".xml"])
def test_a_ball_joint_is_eulers_equations(load_text: LoadText, suffix: str) -> None:
    """Case 14: angular velocity in the body's axes, the quaternion with its order in the names."""
    if suffix == ".xml":
        pytest.importorskip("mujoco")
    arm = load_text(ball(suffix), "inverse_dynamics", "mass_matrix", suffix=suffix)
    assert arm.coordinate_names == ("j_qx", "j_qy", "j_qz", "j_qw")
    assert arm.speed_names == ("j_wx", "j_wy", "j_wz")
    for q in np.random.default_rng(0).normal(size=(10, 4)):
        v, a = q[:3], q[1:]
        weight = np.cross(CENTER, rotation(q).T @ [0, 0, -2 * 9.81])
        expected = ABOUT_ORIGIN @ a + np.cross(v, ABOUT_ORIGIN @ v) - weight
        unit = q / np.linalg.norm(q)
        # Forces of order fifty, some hundred roundings.
        assert_allclose(arm.inverse_dynamics(unit, v, a), expected, atol=1e-12)
        assert_allclose(arm.mass_matrix(unit), ABOUT_ORIGIN, atol=1e-14)


def test_a_planar_joint_of_a_urdf(load_text: LoadText) -> None:
    """Case 14: two displacements in the plane and an angle about its normal, all named."""
    arm = load_text(pendulum('<axis xyz="0 0 1"/>', kind="planar", body=BODY), "mass_matrix", "frame_pose_b")
    assert arm.coordinate_names == arm.speed_names == ("j_x", "j_y", "j_angle")
    x, y, angle = q = np.array([0.3, -0.2, 0.7])
    s, c = np.sin(angle), np.cos(angle)
    assert_allclose(
        arm.frame_pose(q, "b"), [[c, -s, 0, x], [s, c, 0, y], [0, 0, 1, 0], [0, 0, 0, 1]], atol=1e-15
    )
    across = 2.0 * (np.array([[-s, -c], [c, -s]]) @ CENTER[:2])
    expected = np.diag([2.0, 2.0, ABOUT_ORIGIN[2, 2]])
    expected[:2, 2] = expected[2, :2] = across
    assert_allclose(arm.mass_matrix(q), expected, atol=1e-14)


def test_a_type_of_joint_that_is_unknown_is_refused_by_name(load_text: LoadText) -> None:
    """Case 14: never a wrong model."""
    with pytest.raises(ModelError, match=r"joint 'j'.*'hover'"):
        load_text(pendulum(kind="hover"))


@pytest.fixture(scope="module", params=[True, False], ids=["compiled", "interpreted"])
def free(request: pytest.FixtureRequest, load_text: LoadText) -> kanegen.Robot:
    kernels = (
        "inverse_dynamics",
        "forward_dynamics",
        "mass_matrix",
        "coordinate_rates",
        "frame_pose_b",
        "momentum",
    )
    text = pendulum(kind="floating", body=BODY)
    return load_text(text, *kernels, compiled=request.param, gravity=(0, 0, 0))


@pytest.mark.parametrize("size", [2.0, 1e-3, 1.0 + 1e-9])
def test_a_quaternion_of_any_length_is_the_rotation(free: kanegen.Robot, size: float) -> None:
    """Case 26: the kernels normalise it, so that every value is that of the unit quaternion."""
    assert (free.coordinate_names, free.speed_names) == (OF_FREE, FREE_SPEEDS)
    random = np.random.default_rng(1)
    q, v, a = random.normal(size=(20, 7)), random.normal(size=(20, 6)), random.normal(size=(20, 6))
    q[:, 3:] /= np.linalg.norm(q[:, 3:], axis=1, keepdims=True)
    scaled = q.copy()
    scaled[:, 3:] *= size
    for kernel, arguments in (
        ("inverse_dynamics", (v, a)),
        ("forward_dynamics", (v, a)),
        ("mass_matrix", ()),
    ):
        expected = free.call(kernel, q, *arguments)
        assert_allclose(free.call(kernel, scaled, *arguments), expected, atol=1e-13 * np.abs(expected).max())
    assert_allclose(free.frame_pose(scaled, "b"), free.frame_pose(q, "b"), atol=1e-14)
    turned = free.frame_pose(scaled, "b")[:, :3, :3]
    assert_allclose(turned, [rotation(x) for x in q[:, 3:]], atol=1e-14)


def test_a_quaternion_of_length_zero_is_refused(free: kanegen.Robot) -> None:
    """Case 26: it is no rotation."""
    with pytest.raises(ValueError, match="q0: the quaternion j_qx, j_qy, j_qz, j_qw of r is zero"):
        kanegen.simulate(free, np.zeros(7), np.zeros(6), 1.0)
    with pytest.raises(
        ValueError, match=r"^r, frame_pose_b: the quaternion j_qx, j_qy, j_qz, j_qw is zero, which is"
    ):
        free.frame_pose(np.zeros(7), "b")
    q = np.tile([0, 0, 0, 0, 0, 0, 1.0], (2, 3, 1))
    q[1, 2] = 0.0
    # without gravity forces along the body's own axes do not depend on where it is
    assert np.isfinite(free.inverse_dynamics(q, np.ones(6), np.ones(6))).all()
    for call in (
        lambda: free.frame_pose(q, "b"),
        lambda: free.momentum(q, np.zeros((2, 1, 6))),
        lambda: free.momentum(np.zeros(7), np.zeros((2, 3, 6))),
    ):
        with pytest.raises(ValueError, match=r"is zero \(first in row (1, 2|0, 0) of the batch\)"):
            call()


def test_a_million_steps_do_not_drift(free: kanegen.Robot) -> None:
    """Case 26: begun at the length two, it has length one in every row, and momentum is kept.  NumPy takes 300 steps."""
    steps = 1_000_000 if free.target else 300
    start = [0, 0, 0, 0, 0, 0, 2.0]
    v = [0.1, -0.2, 0.3, 0.5, 2.0, 0.1]
    motion = kanegen.simulate(
        free, start, v, steps * 1e-3, method="rk4", step=1e-3, times=np.linspace(0, steps * 1e-3, 11)
    )
    assert motion.statistics.accepted >= steps
    assert np.abs(np.linalg.norm(motion.q[:, 3:], axis=1) - 1.0).max() <= 2 * EPSILON
    momentum = free.momentum(motion.q, motion.v)
    # RK4 errs by about (omega h)^5 / 120 a step, 3e-16, and a rounding; a million of them, were all to add up: 1e-9.
    assert_allclose(momentum[:, :3], np.broadcast_to(momentum[0, :3], (11, 3)), atol=1e-8)
