"""Orientations over time as targets of ball joints: how they are interpolated, and what laws make of them."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.spatial.transform import Rotation

import kanegen
from kanegen import laws
from kanegen.codegen.mechanism import MechanismBuilder
from kanegen.simulation.references import checked_signals
from tests.cases.test_laws_everywhere import kernels_of_motion

FIRST, SECOND = np.array([0.6, 0.0, 0.8]), np.array([0.0, 1.0, 0.0])
NAMES = tuple(f"target_ball_q{axis}" for axis in "xyzw")


def angles(t: Any) -> Any:
    """Two angles with their first and second derivatives: (2, 3, ...)."""
    return np.array([[np.sin(2 * t), 2 * np.cos(2 * t), -4 * np.sin(2 * t)], [t**2, 2 * t, 2 + 0 * t]])


def rotation(t: Any) -> Rotation:
    """A turn about one axis of the parent, then about one that turns along."""
    a, b = angles(t)[:, 0]
    return Rotation.from_rotvec(np.multiply.outer(a, FIRST)) * Rotation.from_rotvec(
        np.multiply.outer(b, SECOND)
    )


def turning(t: float) -> tuple[np.ndarray, np.ndarray]:
    """Its angular velocity and acceleration along the axes that turn, by hand."""
    (_, da, dda), (b, db, ddb) = angles(t)
    first = Rotation.from_rotvec(b * SECOND).inv().apply(FIRST)
    return da * first + db * SECOND, dda * first - db * da * np.cross(SECOND, first) + ddb * SECOND


def signals(t: float) -> np.ndarray:
    """r (4, 3): a quaternion of changing length, and its derivatives, by the rule of products."""
    parts = []
    for (angle, rate, second), axis in zip(angles(t), (FIRST, SECOND), strict=True):
        along, across = np.append(axis, 0), np.array([0, 0, 0, 1])
        value = np.sin(angle / 2) * along + np.cos(angle / 2) * across
        slope = (np.cos(angle / 2) * along - np.sin(angle / 2) * across) / 2
        parts.append((value, rate * slope, second * slope - rate**2 / 4 * value))
    (a, da, dda), (b, db, ddb) = parts

    def times(x: np.ndarray, y: np.ndarray) -> np.ndarray:
        return np.append(x[3] * y[:3] + y[3] * x[:3] + np.cross(x[:3], y[:3]), x[3] * y[3] - x[:3] @ y[:3])

    p = times(a, b), times(da, b) + times(a, db), times(dda, b) + 2 * times(da, db) + times(a, ddb)
    n = 2 + np.sin(t), np.cos(t), -np.sin(t)
    return np.stack(
        [n[0] * p[0], n[1] * p[0] + n[0] * p[1], n[2] * p[0] + 2 * n[1] * p[1] + n[0] * p[2]], axis=1
    )


@cache
def robot() -> kanegen.Robot:
    """A hinge, and a ball on its arm."""
    b = MechanismBuilder("wrist")
    for name in ("arm", "bob"):
        b.body(name, mass=2, center=("0.1", "0.2", "-0.3"), inertia=("0.02", "0.03", "0.04"))
    b.revolute("hinge", "base", "arm", axis=(0, 1, 0))
    b.spherical("ball", "arm", "bob", position=("0.4", 0, 0))
    b.law("tracking", laws.computed_torque(16, 8, "references"))
    b.law("swinging", laws.computed_torque(16, 0, "references"))
    model = b.build()
    needed = [*kernels_of_motion(model, "tracking", "swinging"), "inverse_dynamics"]
    return kanegen.load(model, interpreted=True, kernels=needed)


@pytest.mark.parametrize("off", [0.0, 1.3])
def test_accelerations_are_those_of_the_law_on_rotations(off: float) -> None:
    """kp sin(angle) + kd (R' w - v) + R' dw/dt - v x R' w, R the wanted axes as the child sees them: Lee, Leok, McClamroch
    (2010).  On the target itself nothing but its own acceleration remains.
    """
    arm, t = robot(), 0.7
    own = rotation(t) * Rotation.from_rotvec(off * np.array([0.5, -0.4, 0.3]))
    relative = own.inv() * rotation(t)
    w, dw = (relative.apply(x) for x in turning(t))
    v = w + off * np.array([0.3, 0.2, -0.1])
    error = relative.as_rotvec()
    size = np.linalg.norm(error)
    feedback = 16 * np.sinc(size / np.pi) * error + 8 * (w - v)
    q, speeds = np.append(0.3, own.as_quat()), np.append(0.4, v)
    r = np.vstack([[0.3, 0.4, 0.5], signals(t)])
    a = arm.call("closed_loop_tracking", t, q, speeds, r)
    # Accelerations below 100 from forces of that size over masses of a hundredth: some hundred roundings.
    assert_allclose(a, np.append(0.5, feedback + dw - np.cross(v, w)), rtol=0, atol=100 * 1e4 * 2**-53)
    if off == 0.0:
        tau = arm.inverse_dynamics(q, speeds, np.append(0.5, dw))
        assert_allclose(arm.call("tracking", t, q, speeds, r), tau, rtol=0, atol=100 * 1e2 * 2**-53)


def test_errors_without_damping_keep_their_energy() -> None:
    """|w - v|^2 / 2 + kp (1 - cos angle) stays, the target turning in whatever way between its rows: its rates are those of
    its own interpolation.
    """
    arm, rows = robot(), np.linspace(0, 2, 9)
    given = {"target_hinge": (rows, np.sin(rows)), "target_ball": (rows, rotation(rows).as_quat())}
    start = {"ball": (rotation(0.0) * Rotation.from_rotvec([0.4, 0.5, -0.6])).as_quat(), "hinge": 0.2}
    motion = kanegen.simulate(
        arm,
        start,
        {"hinge": 1, "ball": [1, 0, 2]},
        2.0,
        controller="swinging",
        references=given,
        rtol=1e-10,
        atol=1e-12,
    )
    splines = checked_signals(arm.laws["swinging"].references, given)[1:]
    inside = motion.t[5:-5:10]
    energies = []
    for t, q, v in zip(inside, motion.q[5:-5:10, 1:], motion.v[5:-5:10, 1:], strict=True):
        step = 1e-4  # of central differences: off by step^2 / 6 times third derivatives below 100, 2e-7
        before, wanted, after = (
            Rotation.from_quat([s.at(x)[0] for s in splines]) for x in (t - step, t, t + step)
        )
        own = Rotation.from_quat(q)
        rate = own.inv().apply((after * before.inv()).as_rotvec() / (2 * step)) - v
        energies.append(rate @ rate / 2 + 16 * (1 - np.cos((own.inv() * wanted).magnitude())))
    assert np.ptp(energies) < 1e-5
    assert max(energies) > 2.0


def test_rows_of_any_sign_and_length_are_one_curve_of_fourth_order() -> None:
    at = np.linspace(0.0, 2.0, 301)
    errors = []
    for count in (21, 41):
        t = np.linspace(0, 2, count)
        rows = rotation(t).as_quat() * np.random.default_rng(7).choice([-3.0, -1.0, 0.5], count)[:, None]
        whole = checked_signals(NAMES, {"target_ball": (t, rows)})
        parts = checked_signals(
            NAMES, {name: (t, column) for name, column in zip(NAMES, rows.T, strict=True)}
        )
        assert all(np.array_equal(a.coefficients, b.coefficients) for a, b in zip(whole, parts, strict=True))
        found = Rotation.from_quat([[s.at(x)[0] for s in whole] for x in at])
        errors.append((found.inv() * rotation(at)).magnitude().max())
    # Halving the distance of rows leaves a sixteenth; near the ends, where not-a-knot has its error, somewhat more.
    assert errors[0] < 2e-3
    assert 10 < errors[0] / errors[1] < 25


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({}, "rows of x, y, z, w"),
        ({"target_ball": ([0, 1], [0, 1])}, "rows of target_ball_qx"),
        ({"target_ball": ([0, 1], np.zeros((2, 4)))}, "not zero"),
        ({name: ([0, 1 + k], [1, 1]) for k, name in enumerate(NAMES)}, "at the same times"),
    ],
)
def test_what_is_no_orientation_is_refused(given: dict, told: str) -> None:
    with pytest.raises(ValueError, match=told):
        checked_signals(NAMES, given)
