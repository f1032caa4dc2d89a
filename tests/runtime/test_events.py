"""Events: where they are, against motions that are known, what they change, what is refused; rows of steps, and progress."""

from __future__ import annotations

import functools
import sys

import numpy as np
import pytest
import sympy
from numpy.testing import assert_allclose
from scipy.special import ellipk

import kanegen
from kanegen import Event
from kanegen.codegen.mechanism import MechanismBuilder
from kanegen.simulation import Status

G = 9.81


@functools.cache
def made(joint: str) -> kanegen.Robot:
    """A mass on a vertical rail; a rod on a hinge, one metre long, without weight but for a point mass; a free body."""
    b = MechanismBuilder(joint, gravity=(0, 0, 0) if joint == "floating" else (0, 0, f"-{G}"))
    if joint == "prismatic":
        b.body("body", mass=1, inertia=("0.1", "0.1", "0.1"))
        b.prismatic("z", "base", "body", axis=(0, 0, 1))
    elif joint == "revolute":
        b.body("body", mass=1, center=(0, 0, -1), inertia=(0, 0, 0))
        b.revolute("phi", "base", "body", axis=(0, 1, 0))
    else:
        b.body("body", mass=1, inertia=(1, 1, 1))
        b.floating("free", "base", "body")
    needed = [
        "forward_dynamics",
        "kinetic_energy",
        "potential_energy",
        "coordinate_rates",
        "forward_dynamics_derivatives",
    ]
    return kanegen.load(
        b.build(), kernels=needed[: 3 + (joint == "floating") + 2 * (joint == "revolute")], interpreted=True
    )


SETTINGS = [
    {"rtol": 1e-12, "atol": 1e-14},
    {"method": "rk4", "step": 2e-3},
]


@pytest.mark.parametrize("settings", SETTINGS)
def test_a_bouncing_mass(settings):
    """From 1 m, each impact leaving 0.8 of the speed: t = sqrt(2 h / g), then 2 v / g more each time."""
    bounce = Event("q.z", direction=-1, action=lambda t, q, v: (q, -0.8 * v))
    motion = kanegen.simulate(made("prismatic"), [1.0], [0.0], 3.0, events=[bounce], **settings)
    times, speed = [np.sqrt(2 / G)], np.sqrt(2 * G)
    while times[-1] < 3.0:
        speed *= 0.8
        times.append(times[-1] + 2 * speed / G)
    found = [t for t, *_ in motion.events]
    # The motion is a parabola, which the methods follow exactly: rounding is left.
    assert_allclose(found, times[:-1], rtol=0, atol=1e-13)
    assert motion.statistics.status is Status.DONE
    assert motion.q.min() > -1e-12
    assert motion.energy is not None
    losses = motion.energy[0] * 0.8 ** (2 * np.searchsorted(found, motion.t))
    assert_allclose(motion.energy, losses, rtol=0, atol=1e-11)


@pytest.mark.parametrize(
    "settings", [{}, {"method": "rk4", "step": 2.0}, {"method": "gauss4", "step": 2.0}, {"max_step": 4.0}]
)
def test_a_mass_that_comes_back_within_a_quarter_of_a_step(settings):
    """What leaves zero and is back before the step is first looked at: with an impact each time, or thrown from there."""
    bounce = Event("q.z", direction=-1, action=lambda t, q, v: (q, -v))
    motion = kanegen.simulate(made("prismatic"), [1.0], [0.0], 10.0, events=[bounce], **settings)
    fall = np.sqrt(2 / G)
    # The motion is a parabola, which the methods follow exactly; roundings of 11 impacts are left.
    assert_allclose([t for t, *_ in motion.events], fall * np.arange(1, 10 / fall, 2), rtol=0, atol=1e-12)
    assert motion.q.min() > -1e-12

    thrown = kanegen.simulate(
        made("prismatic"), [0.0], [1.0], 10.0, events=[Event("z", -1, True)], **settings
    )
    assert [t for t, *_ in thrown.events] == pytest.approx([2 / G], abs=1e-13)

    # What an action leads past zero by rounding alone has passed no more than what it leads to zero, or elsewhere.
    for height in (-1e-17, 0.0, 1e-3):
        lifted = Event("z", action=lambda t, q, v, z=height: ([z], [1.0]) if v[0] < -2 else None)
        motion = kanegen.simulate(made("prismatic"), [1.0], [0.0], 0.7, events=[lifted], **settings)
        back = fall + (1 + np.sqrt(1 + 2 * G * height)) / G
        assert [t for t, *_ in motion.events] == pytest.approx([fall, back], abs=1e-12)


@pytest.mark.parametrize("settings", [{}, {"method": "rk4", "step": 2.0}, {"method": "gauss4", "step": 2.0}])
def test_two_passages_within_a_quarter_of_a_step(settings):
    """Of a mass that is thrown, there and back, each that is asked for; and one that is thrown back from a ceiling."""
    rises, falls = ((4 + s * np.sqrt(16 - 2 * G * 0.5)) / G for s in (-1, 1))
    for direction, expected in ((0, [rises, falls]), (1, [rises]), (-1, [falls])):
        watched = [Event(lambda t, q, v: 1.0), Event("z - 0.5", direction)]
        motion = kanegen.simulate(made("prismatic"), [0.0], [4.0], 10.0, events=watched, **settings)
        assert [t for t, *_ in motion.events] == pytest.approx(expected, abs=1e-12)

    back = [Event("z", action=lambda t, q, v: (q, -v)), Event("z - 0.5", action=lambda t, q, v: (q, -v))]
    motion = kanegen.simulate(made("prismatic"), [0.25], [4.0], 10.0, events=back, **settings)
    above, below = (np.sqrt(16 + s * G * 0.5) for s in (-1, 1))
    # Each impact is found to some roundings of the time there; a hundred of them add.
    assert_allclose(
        [t for t, *_ in motion.events],
        np.arange((4 - above) / G, 10.0, (below - above) / G),
        rtol=0,
        atol=1e-11,
    )
    assert [which for _, which, *_ in motion.events][:4] == [1, 0, 1, 0]


@pytest.mark.parametrize(
    ("settings", "allowed"),
    [(SETTINGS[0], 1e-10), (SETTINGS[1], 1e-10), ({"method": "rodas4", "rtol": 1e-9, "atol": 1e-12}, 1e-6)],
)
def test_a_pendulum_through_zero(settings, allowed):
    """Its quarter period is K(sin^2(a/2)) / omega.  rk4: some hundred steps of (omega h)^5 / 100 each."""
    quarter = float(ellipk(np.sin(0.5) ** 2)) / np.sqrt(G)
    watched = [Event(lambda t, q, v: q[0]), Event("v.phi", direction=1), Event("v[0]", direction=-1)]
    motion = kanegen.simulate(made("revolute"), [1.0], [0.0], 5.0, events=watched, **settings)
    for number, first, apart in ((0, 1, 2), (1, 2, 4), (2, 4, 4)):
        found = np.array([t for t, which, *_ in motion.events if which == number])
        assert_allclose(found, quarter * (first + apart * np.arange(len(found))), rtol=0, atol=allowed)
        assert found.size >= 2
    assert sorted(t for t, *_ in motion.events) == [t for t, *_ in motion.events]
    assert max(abs(q[0]) for _, which, q, _ in motion.events if which == 0) < allowed


@pytest.mark.parametrize(
    ("settings", "allowed"),
    [({}, 1e-7), ({"method": "rk4", "step": 0.02}, 1e-4), ({"method": "gauss4", "step": 0.02}, 1e-4)],
)
def test_conditions_that_jump(settings, allowed):
    """They have no slope by which steps could come nearer than the interpolant, of third order or more, knows the motion."""
    pendulum = functools.partial(kanegen.simulate, made("revolute"), [1.0], [7.0], 1.0, **settings)
    smooth = pendulum(events=[Event("phi - 2")]).events
    for jumps in (
        lambda t, q, v: 1.0 if q[0] > 2 else -1.0,
        lambda t, q, v: (q[0] - 2) % 3 - 1.5,  # from 1.5 to -1.5, where q is 2
    ):
        motion = pendulum(events=[Event(jumps)])
        found = min((t for t, *_ in motion.events), key=lambda t: abs(t - smooth[0][0]))
        assert found == pytest.approx(smooth[0][0], abs=allowed)


def test_an_event_changes_no_motion():
    arm = kanegen.load("stanford_arm")
    q0, v0 = [0.1, 1.2, 0.3, 0.1, 0.2, 0.4], np.zeros(6)
    plain = kanegen.simulate(arm, q0, v0, 1.0, "feedback_law", rtol=1e-10)
    watched = kanegen.simulate(
        arm, q0, v0, 1.0, "feedback_law", rtol=1e-10, events=[Event("q.q2 - 1.15"), Event("t - 0.5")]
    )
    assert {number for _, number, *_ in watched.events} >= {1}
    assert [t for t, number, *_ in watched.events if number == 1] == pytest.approx([0.5], abs=1e-15)
    # Both follow the solution to rtol over some hundred steps.
    assert_allclose(watched.q, plain.q, rtol=0, atol=1e-7)
    assert_allclose(watched.work, plain.work, rtol=0, atol=1e-6)


def test_a_terminal_event_ends_the_motion():
    motion = kanegen.simulate(made("revolute"), [1.0], [0.0], 5.0, events=[Event("phi", terminal=True)])
    (end,) = motion.events
    assert motion.statistics.status is Status.EVENT
    assert motion.statistics.t == end[0]
    assert motion.t[-1] <= end[0] < motion.t[-1] + 0.005 + 1e-12
    assert np.isfinite(motion.q).all()
    assert len(motion.work) == len(motion.t)


def test_a_free_body_is_turned_back():
    """The quaternion goes through (0, 0, sin, cos) of half the angle: at angles of 90 degrees it is turned back."""

    def turn_back(t, q, v):
        return q, -v

    event = Event("q.free_qz - sin(pi / 4)", direction=1, action=turn_back)
    arm = made("floating")
    motion = kanegen.simulate(arm, arm.neutral, [0, 0, 0, 0, 0, 1.0], 3.0, rtol=1e-10, events=[event])
    assert [t for t, *_ in motion.events] == pytest.approx([np.pi / 2], abs=1e-9)
    angle = np.minimum(motion.t, np.pi - motion.t)
    assert_allclose(2 * np.arctan2(motion.q[:, 5], motion.q[:, 6]), angle, rtol=0, atol=1e-8)


def test_impacts_of_a_loop():
    """A four-bar linkage whose crank strikes a stop at 0.9 rad and goes back as fast: energy stays."""
    needed = [
        "constraint_jacobian",
        "coordinate_rates",
        "multiplier_dynamics",
        "generalized_speeds",
        "constraint_projection",
    ]
    arm = kanegen.load(
        "four_bar",
        kernels=["forward_dynamics", "kinetic_energy", "potential_energy", *needed],
        interpreted=True,
    )
    q0 = arm.assemble([1.0, 0.0, 1.6])

    def back(t, q, v):
        return q, -v

    stop = Event("q.q1 - 0.9", direction=1, action=back)
    motion = kanegen.simulate(arm, q0, [3.0], 0.5, rtol=1e-9, events=[stop], times=np.linspace(0, 0.5, 21))
    assert motion.events
    assert motion.q[:, 0].max() < 0.9 + 1e-9
    assert np.abs(arm.constraint_residual(motion.q)).max() < 1e-9
    assert motion.energy is not None
    assert_allclose(motion.energy, motion.energy[0], rtol=0, atol=1e-6)
    opens = Event("q.q1 - 0.9", action=lambda t, q, v: (q + np.array([0.1, 0, 0]), v))
    with pytest.raises(kanegen.InconsistentStateError):
        kanegen.simulate(arm, q0, [3.0], 0.5, events=[opens])


def test_under_sampled_control():
    event = Event("z - 0.5", direction=-1, action=lambda t, q, v: (q, 0 * v))
    motion = kanegen.simulate(
        made("prismatic"),
        [1.0],
        [0.0],
        1.0,
        lambda t, q, v: [0.0],
        sample_period=0.1,
        events=[event],
        rtol=1e-10,
    )
    assert motion.events[0][0] == pytest.approx(np.sqrt(1 / G), abs=1e-12)
    later = motion.t > motion.events[0][0]
    fallen = 0.5 - 0.5 * G * (motion.t[later] - motion.events[0][0]) ** 2
    assert_allclose(motion.q[later, 0], fallen, rtol=0, atol=1e-9)


@pytest.mark.parametrize(
    ("condition", "value"),
    [
        ("q.z - 0.3", 0.7 - 0.3),
        ("q['z'] * v[0] ** 2 - sqrt(abs(-t))", 0.7 * 4 - 0.5),
        (sympy.Symbol("z") ** 2 - sympy.Abs(sympy.Symbol("v.z")) + sympy.pi, 0.49 - 2 + np.pi),
        ("atan2(1, 2) + -t", np.arctan2(1, 2) - 0.25),
    ],
)
def test_expressions(condition, value):
    from kanegen.simulation.events import checked_events

    ((_, function),) = checked_events(made("prismatic"), [Event(condition)])
    assert function(0.25, np.array([0.7]), np.array([2.0])) == pytest.approx(value, abs=1e-15)


@pytest.mark.parametrize(
    "condition",
    [
        "q.nothing",
        "x.z",
        "q[1]",
        "__import__('os')",
        "z.real.imag",
        "(lambda: 1)()",
        "q.z -",
        "z if t else t",
        "sin(z, x=1)",
    ],
)
def test_what_is_no_expression(condition):
    with pytest.raises(ValueError, match="condition"):
        kanegen.simulate(made("prismatic"), [1.0], [0.0], 1.0, events=[Event(condition)])


def test_what_goes_wrong():
    arm = made("prismatic")
    for wrong in ({"direction": 2}, {"action": 3}):
        with pytest.raises(ValueError, match="Event"):
            Event("t", **wrong)
    with pytest.raises(ValueError, match="events"):
        kanegen.simulate(arm, [1.0], [0.0], 1.0, events=["q.z"])
    for action in (lambda t, q, v: q, lambda t, q, v: (q, [1, 2]), lambda t, q, v: ([np.nan], v)):
        with pytest.raises(ValueError, match=r"action|q0"):
            kanegen.simulate(arm, [1.0], [0.0], 1.0, events=[Event("q.z", action=action)])
    with pytest.raises(ValueError, match="condition"):
        kanegen.simulate(arm, [1.0], [0.0], 1.0, events=[Event(lambda t, q, v: np.nan)])
    with pytest.raises(KeyError, match="mine"):
        kanegen.simulate(arm, [1.0], [0.0], 1.0, events=[Event(lambda t, q, v: {}["mine"])])


@pytest.mark.filterwarnings("ignore:the compiled integrators are missing")
@pytest.mark.parametrize(
    "settings", [{"method": "rk4", "step": 1e-3}, {"rtol": 1e-8}, {"sample_period": 0.01}]
)
@pytest.mark.parametrize("compiled", [True, False])
def test_rows_of_steps(settings, compiled, monkeypatch):
    """More of them than C has room for at a time; the same motion as with rows at these times."""
    duration = 3.2 if compiled else 0.5
    if not compiled:
        monkeypatch.setitem(sys.modules, "kanegen._integrators", None)
    arm, q0 = kanegen.load("stanford_arm"), [0.1, 1.2, 0.3, 0.1, 0.2, 0.4]
    each = kanegen.simulate(arm, q0, np.zeros(6), duration, "feedback_law", every=2, **settings)
    assert len(each.t) == 1 + each.statistics.accepted // 2
    assert each.t[0] == 0.0
    rows = kanegen.simulate(arm, q0, np.zeros(6), duration, "feedback_law", times=each.t, **settings)
    for name in ("q", "v", "tau", "work"):
        # Rows lie on the ends of steps.
        assert_allclose(getattr(each, name), getattr(rows, name), rtol=0, atol=1e-12)
    assert settings.get("step") is None or len(each.t) == 1 + round(duration / 2e-3)


@pytest.mark.filterwarnings("ignore:the compiled integrators are missing")
@pytest.mark.parametrize("compiled", [True, False])
def test_progress_is_told_and_ends_a_motion(compiled, monkeypatch):
    if not compiled:
        monkeypatch.setitem(sys.modules, "kanegen._integrators", None)
    told: list[float] = []

    def progress(t: float) -> bool:
        told.append(t)
        return len(told) == 3

    arm = kanegen.load("stanford_arm")
    motion = kanegen.simulate(
        arm,
        arm.home,
        np.zeros(6),
        1e6,
        "feedback_law",
        "rk4",
        step=1e-3,
        max_steps=10**10,
        every=50,
        progress=progress,
    )
    assert motion.statistics.status is Status.STOPPED
    assert told == sorted(told)
    assert told[0] == 0.0
    assert motion.t[-1] <= motion.statistics.t == told[-1] < 1e6
    with pytest.raises(ZeroDivisionError):
        kanegen.simulate(arm, arm.home, np.zeros(6), 1.0, progress=lambda t: 1 / 0)
    with pytest.raises(ValueError, match="every"):
        kanegen.simulate(arm, arm.home, np.zeros(6), 1.0, every=0)
