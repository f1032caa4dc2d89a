"""The straight line of Sim, Yoo & Lee 1985 and the joints' motion along it."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from kanegen.codegen.mechanism import catalogue
from kanegen.codegen.mechanism.catalogue.sim_yoo_lee_path import StraightLine
from tests.mechanism.witness import frame_pose

ORACLE = json.loads((Path(__file__).parents[1] / "oracles" / "sim_yoo_lee_1985.json").read_text())
LINE = StraightLine.of_the_paper()


def test_length_and_duration() -> None:
    assert pytest.approx(ORACLE["path_len"], rel=1e-15) == LINE.length
    assert pytest.approx(ORACLE["T_final"], rel=1e-15) == LINE.duration


def test_joints_against_the_oracle() -> None:
    """Some 50 operations on numbers up to 6: 1e-14."""
    q, v, a = LINE.joints([row["t"] for row in ORACLE["table"]])
    for values, name in ((q, "q"), (v, "qd"), (a, "qdd")):
        np.testing.assert_allclose(values, [row[name] for row in ORACLE["table"]], rtol=0, atol=1e-14)


def test_ranges_of_the_joints() -> None:
    """The oracle's extremes are those of 200 equally spaced times."""
    q, _, _ = LINE.joints(np.linspace(0.0, LINE.duration, 200))
    found = np.degrees([q.min(axis=0), q.max(axis=0)]).T
    np.testing.assert_allclose(found, ORACLE["joint_ranges_deg"], rtol=0, atol=1e-12)


def test_the_robot_reaches_the_hand() -> None:
    """Forward kinematics of the catalogue's robot, from an independent implementation."""
    robot = catalogue.mechanism("sim_yoo_lee_robot")
    t = np.linspace(0.0, LINE.duration, 15)
    hand, (q, _, _) = LINE.hand(t), LINE.joints(t)
    for k in range(len(t)):
        pose = frame_pose(robot, q[k], "hand")
        np.testing.assert_allclose(pose[:3, 3], hand.point[k], rtol=0, atol=1e-14)
        np.testing.assert_allclose(pose[:3, :3], hand.axes[k], rtol=0, atol=1e-14)


def test_ends_of_the_hand() -> None:
    """Table 2, and the z-x-z angles (90, 90, 0) and (180, 90, 90) degrees as matrices."""
    hand = LINE.hand([0.0, LINE.duration])
    np.testing.assert_allclose(hand.point, [[2.03, 0.0, 1.02], [0.0, 1.52, 2.54]], atol=1e-15)
    np.testing.assert_allclose(hand.axes[0], [[0, 0, 1], [1, 0, 0], [0, 1, 0]], atol=1e-15)
    np.testing.assert_allclose(hand.axes[1], [[0, 1, 0], [0, 0, 1], [1, 0, 0]], atol=1e-15)
    np.testing.assert_allclose(hand.velocity, 0.0, atol=1e-14)


@pytest.mark.parametrize("phase", [0, 1, 2])
def test_derivatives(phase: int) -> None:
    """Central differences over 1e-5 s: errors of 1e-10 / 6 of third derivatives (up to 100), and roundings / 1e-5."""
    h = 1e-5
    t = np.linspace(LINE.breaks[phase], LINE.breaks[phase + 1], 7)
    (q0, v0, _), (_, v, a), (q1, v1, _) = (LINE.joints(t + dt, phase) for dt in (-h, 0.0, h))
    np.testing.assert_allclose((q1 - q0) / (2 * h), v, rtol=0, atol=1e-8)
    np.testing.assert_allclose((v1 - v0) / (2 * h), a, rtol=0, atol=1e-8)
    before, now, after = (LINE.hand(t + dt, phase) for dt in (-h, 0.0, h))
    np.testing.assert_allclose((after.point - before.point) / (2 * h), now.velocity, rtol=0, atol=1e-8)
    np.testing.assert_allclose(
        (after.velocity - before.velocity) / (2 * h), now.acceleration, rtol=0, atol=1e-8
    )
    turning = np.einsum("kij,klj->kil", (after.axes - before.axes) / (2 * h), now.axes)
    spin = np.stack([turning[:, 2, 1], turning[:, 0, 2], turning[:, 1, 0]], axis=1)
    np.testing.assert_allclose(spin, now.angular_velocity, rtol=0, atol=1e-8)
    change = (after.angular_velocity - before.angular_velocity) / (2 * h)
    np.testing.assert_allclose(change, now.angular_acceleration, rtol=0, atol=1e-8)


def test_phases_meet_but_accelerations_jump() -> None:
    for k, t in ((0, LINE.breaks[1]), (1, LINE.breaks[2])):
        (q0, v0, a0), (q1, v1, a1) = (LINE.joints(t, phase) for phase in (k, k + 1))
        np.testing.assert_allclose(q0, q1, rtol=0, atol=1e-14)
        np.testing.assert_allclose(v0, v1, rtol=0, atol=1e-14)
        assert np.abs(a0 - a1).max() > 1.0
        assert LINE.phases(t) == k + 1
    assert LINE.phases([0.0, LINE.duration]).tolist() == [0, 2]
