"""The laws of kanegen.laws: in Python and compiled, on every kind of mechanism, and what they promise."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation

import kanegen
from kanegen import laws
from kanegen.codegen.mechanism import MechanismBuilder, ModelError
from kanegen.codegen.mechanism.importers.toml import from_toml
from kanegen.codegen.mechanism.laws_library import with_laws
from tests.cases.test_laws_everywhere import KINDS

pytestmark = pytest.mark.few_passes

LINEAR = ("four_bar", "prescribed", "gear", "following", "sprung", "ball")
"""Kinds all of whose speeds are rates of joints that can be driven."""


@pytest.mark.parametrize("make", KINDS, ids=lambda make: make.__name__)
def test_compiled_laws_are_those_in_python(make: Any) -> None:
    """One formula, over doubles with the robot's kernels and over expressions with those of the mechanism in one graph."""
    plain = make().build()
    hand = plain.frames[-1].name
    own = {
        "feedback": laws.pd(20, 5, limit=30),
        "integrating": laws.pid(20, 7, 5, limit=25, gravity=True),
        "unwinding": laws.pid(20, 7, 5, limit=25, tracking_time=0.5),
        "following": laws.pd(20, 5, "references"),
        "soft": laws.impedance(hand, [100, 200, 300, 4, 5, 6], [1, 2, 3, 4, 5, 6], np.eye(4)),
    }
    linear = laws.computed_torque(16, 8)
    if make.__name__ in LINEAR:
        own |= {"linear": linear, "tracking": laws.computed_torque(16, 8, "references")}
    else:
        with pytest.raises(ModelError, match="all of whose speeds are rates of driven joints"):
            with_laws(plain, {"linear": linear})
    needed = ["inverse_dynamics", "gravity_forces", f"frame_pose_{hand}", f"frame_jacobian_{hand}", *own]
    arm = kanegen.load(with_laws(plain, own), interpreted=True, kernels=needed).with_open_loops("ignore")
    random = np.random.default_rng(51)
    q, v = arm.home + 0.1 * random.standard_normal(arm.nq), random.standard_normal(arm.nv)
    for name, law in own.items():
        controller = law.controller(arm)
        x = random.standard_normal(controller.x0.size)
        r = random.standard_normal((len(controller.references), 3))
        given = (0.0, q, v, *([x] if x.size else []), *([r] if r.size else []))
        one, other = np.hstack(arm.call(name, *given)), np.hstack(controller(*given))
        # some hundred roundings of terms below 1e3, divided by masses of a tenth or more
        assert_allclose(one, other, rtol=0, atol=100 * 1e3 * 2**-53 * 10, err_msg=name)


def two_links(own: dict[str, laws.Law]) -> Any:
    builder = MechanismBuilder("two")
    for name, parent in (("a", "base"), ("b", "link a")):
        builder.body(f"link {name}", mass=2, center=("0.5", 0, 0), inertia=("0.1", "0.1", "0.1"))
        at = (1, 0, 0) if parent != "base" else (0, 0, 0)
        builder.revolute(name, parent, f"link {name}", axis=(0, 1, 0), position=at)
    builder.frame("tip", "link b", (1, 0, 0))
    for name, law in own.items():
        builder.law(name, law)
    return builder.build()


def ball(own: dict[str, laws.Law]) -> Any:
    builder = MechanismBuilder("top")
    builder.body("top", mass=2, center=(0, 0, "0.5"), inertia=("0.2", "0.3", "0.1"))
    builder.spherical("ball", "base", "top")
    for name, law in own.items():
        builder.law(name, law)
    return builder.build()


LIMIT, TARGET = 45.0, {"a": 0.4, "b": -0.3}
QUATERNION = Rotation.from_rotvec([0.3, -0.2, 0.5]).as_quat()
SPRING = laws.pd({"a": 30, "b": 20}, 0, TARGET)
WINDING = laws.pid({"a": 60, "b": 40}, {"a": 50, "b": 30}, 12, TARGET, limit=LIMIT)
HAND = laws.impedance("tip", [80, 0, 50, 0, 10, 0], [0] * 6, target=np.eye(4))
FOLLOWING = laws.computed_torque(25, 10, "references")


@cache
def arm() -> Any:
    own = {"spring": SPRING, "winding": WINDING, "hand": HAND, "following": FOLLOWING}
    own["gentle"] = laws.impedance("tip", [80, 0, 50], [9, 0, 8])
    return kanegen.load(two_links(own))


def test_energy_of_the_spring_that_a_law_is() -> None:
    """Without damping and weightless by its compensation, kinetic energy and that of the spring stay together the same."""
    motion = kanegen.simulate(arm(), [0, 0], [1, 0.5], 2.0, controller="spring", rtol=1e-10, atol=1e-12)
    spring = 0.5 * np.square(motion.q - list(TARGET.values())) @ [30, 20]
    total = arm().kinetic_energy(motion.q, motion.v) + spring
    # errors of integration: some hundred times the tolerance, of numbers below 20
    assert_allclose(total, total[0], rtol=0, atol=100 * 20 * 1e-10)
    top = kanegen.load(ball({"held": laws.pd(6, 0, {"ball": QUATERNION})}))
    motion = kanegen.simulate(top, top.home, [1, -0.5, 2], 2.0, controller="held", rtol=1e-10, atol=1e-12)
    turned = Rotation.from_quat(motion.q).inv() * Rotation.from_quat(QUATERNION)
    total = top.kinetic_energy(motion.q, motion.v) + 6 * (1 - np.cos(turned.magnitude()))
    assert_allclose(total, total[0], rtol=0, atol=100 * 20 * 1e-10)


def test_energy_of_the_spring_at_a_hand() -> None:
    motion = kanegen.simulate(arm(), [0.2, 0.4], [0, 0], 1.0, controller="hand", rtol=1e-10, atol=1e-12)
    X = arm().frame_pose(motion.q, "tip")
    # the spring of the rotation about y: 10 (1 - cos) of the angle between the axes
    spring = 0.5 * np.square(X[:, :3, 3]) @ [80, 0, 50] + 10 * (1 - X[:, 0, 0])
    total = arm().kinetic_energy(motion.q, motion.v) + spring
    assert_allclose(total, total[0], rtol=0, atol=100 * 200 * 1e-10)


def pid_by_hand(q: np.ndarray, v: np.ndarray, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    e = np.array([0.4, -0.3]) - q
    u = np.array([60, 40]) * e - 12 * v + np.array([50, 30]) * x
    tau = np.clip(u, -LIMIT, LIMIT)
    return tau, e + (tau - u) / [60, 40]


def test_an_integral_holds_the_weight_and_does_not_wind_up() -> None:
    """Against SciPy on the formula above; forces are limited at first, the weight is held at the end."""
    robot, times = arm(), np.linspace(0, 8, 81)
    settings: dict[str, Any] = {"times": times, "rtol": 1e-10, "atol": 1e-12}
    compiled = kanegen.simulate(robot, [0, 0], [0, 0], 8.0, controller="winding", **settings)
    python = kanegen.simulate(robot, [0, 0], [0, 0], 8.0, controller=WINDING, **settings)

    def rate(t: float, y: np.ndarray) -> np.ndarray:
        tau, xdot = pid_by_hand(y[:2], y[2:4], y[4:])
        return np.concatenate([y[2:4], robot.forward_dynamics(y[:2], y[2:4], tau), xdot])

    expected = solve_ivp(
        rate, (0, 8), np.zeros(6), "DOP853", times, rtol=1e-11, atol=1e-13, max_step=0.01
    ).y.T
    for motion in (compiled, python):
        # limits begin and end inside steps, each of which errs by its tolerance there; errors die out with the motion
        assert_allclose(motion.q, expected[:, :2], rtol=0, atol=1e-7)
        assert_allclose(motion.x, expected[:, 4:], rtol=0, atol=1e-7)
    assert np.abs(compiled.tau).max() == LIMIT
    held = robot.gravity_forces([0.4, -0.3])
    assert np.abs(held).max() < LIMIT
    # the slowest part of this loop decays with about 1/s
    assert_allclose(compiled.tau[-1], held, rtol=0, atol=LIMIT * np.exp(-8) * 10)
    assert np.abs(compiled.x * [50, 30]).max() < 2 * LIMIT


def test_errors_under_computed_torque_are_those_of_a_line() -> None:
    """d2e/dt2 + 10 de/dt + 25 e = 0 from e = -0.5, at rest: e = -0.5 (1 + 5 t) exp(-5 t), whatever the signal."""
    times = np.linspace(0, 2, 9)
    wave = np.sin(3 * times), np.cos(2 * times)
    signals = {"target_a": (times, wave[0]), "target_b": (times, wave[1])}
    rates = [
        kanegen.simulation.references.checked_signals(None, {"s": x})[0].at(0)[1] for x in signals.values()
    ]
    settings: dict[str, Any] = {"references": signals, "times": times, "rtol": 1e-10, "atol": 1e-12}
    start = [wave[0][0] + 0.5, wave[1][0] + 0.5], rates, 2.0
    for controller in ("following", FOLLOWING):
        motion = kanegen.simulate(arm(), *start, controller=controller, **settings)
        error = -0.5 * (1 + 5 * times) * np.exp(-5 * times)
        assert_allclose(np.transpose(wave) - motion.q, np.stack([error, error], axis=1), rtol=0, atol=1e-8)


def test_a_hand_follows_its_signals() -> None:
    """tau = g + J^T (K e - D (J v - rate of the target))."""
    robot, q, v = arm(), np.array([0.3, 0.5]), np.array([0.2, -0.4])
    r = np.array([[1.5, 0.1, 0], [0, 0, 0], [-0.5, 0.2, 0]])
    J, X = robot.frame_jacobian(q, "tip")[:3], robot.frame_pose(q, "tip")
    force = np.array([80, 0, 50]) * (r[:, 0] - X[:3, 3]) - np.array([9, 0, 8]) * (J @ v - r[:, 1])
    assert robot.laws["gentle"].references == ("target_x", "target_y", "target_z")
    # some hundred roundings of forces below 1e3
    assert_allclose(
        robot.call("gentle", 0.0, q, v, r), robot.gravity_forces(q) + J.T @ force, rtol=0, atol=1e5 * 2**-53
    )


WRONG: list[tuple[Any, str]] = [
    (lambda: laws.pd({"c": 1}), "is given for 'c'"),
    (lambda: laws.pd(1, target={"c": 1}), "is given for 'c'"),
    (lambda: laws.pd(1, target=[1]), r"numbers by joint, \(2,\) numbers"),
    (lambda: laws.pd(1, target="signal"), "numbers by joint"),
    (lambda: laws.pd(1, target={"a": [1, 2]}), "1 finite numbers"),
    (lambda: laws.impedance("tipp", [1] * 3, [1] * 3), "Did you mean 'tip'"),
    (lambda: laws.impedance("tip", [1] * 3, [1] * 6), "six each, or three each"),
    (lambda: laws.impedance("tip", [1] * 3, [1] * 3, [1, 2]), "a pose"),
    (lambda: "pd", "expected a law"),
]


@pytest.mark.parametrize(("law", "told"), WRONG)
def test_laws_that_do_not_fit(law: Any, told: str) -> None:
    with pytest.raises(ModelError, match=told):
        with_laws(two_links({}), {"held": law()})


@pytest.mark.parametrize(
    "law",
    [
        laws.pd(20, {"a": 2.5}),
        laws.pid(1, 2, target={"a": 0.1}, limit=3, tracking_time=0.5),
        laws.computed_torque(1, 2, "references"),
        laws.impedance("tip", [1] * 3, (2.0, 3.0, 4.0), np.zeros(3), gravity=False),
    ],
)
def test_the_text_of_a_law_makes_it_again(law: Any) -> None:
    assert str(laws.from_text(str(law))) == str(law)
    mechanism = two_links({})
    assert with_laws(mechanism, {"held": laws.from_text(str(law))}) == with_laws(mechanism, {"held": law})


def test_toml_has_them() -> None:
    tree = """
        [[body]]
        name = "link"
        mass = 1
        [[joint]]
        name = "a"
        type = "prismatic"
        parent = "base"
        child = "link"
        axis = [0, 0, 1]
        [[law]]
        name = "held"
        """
    text = tree + 'type = "pid"\nkp = { a = "20/2" }\nki = 3\ntarget = [0.5]\nlimit = 30\ngravity = true\n'
    expected = with_laws(from_toml(tree.replace("[[law]]", "[[frame]]") + 'body = "link"\n'), {})
    law = laws.pid({"a": 10}, 3, target=[0.5], limit=30, gravity=True)
    assert from_toml(text).laws == with_laws(expected, {"held": law}).laws
    for wrong, told in (
        (text.replace("ki", "kx"), "kx: is not a key"),
        (text.replace("pid", "pit"), "Did you mean 'pi"),
    ):
        with pytest.raises(ModelError, match=told):
            from_toml(wrong)
