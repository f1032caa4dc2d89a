"""Laws of force elements by hand, from TOML, and in motions; what is refused."""

from __future__ import annotations

import math
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import sympy
from scipy.integrate import solve_ivp

import kanegen
from kanegen import ModelWarning
from kanegen.codegen import pipeline
from kanegen.codegen.derivation.euler_parameters.body_model import body_model
from kanegen.codegen.graph import Expression
from kanegen.codegen.mechanism import (
    BASE,
    ForceLaw,
    JointLimits,
    JointSum,
    Mechanism,
    MechanismBuilder,
    ModelError,
    PathLength,
    force_laws,
)
from kanegen.codegen.mechanism.edits.renaming import renamed
from kanegen.codegen.mechanism.fingerprint import fingerprint
from kanegen.codegen.mechanism.importers.toml import from_toml
from kanegen.codegen.mechanism.skeleton import skeleton_of
from kanegen.codegen.mechanism.writers import to_mjcf, to_toml
from kanegen.errors import DeadCentreError
from kanegen.options import options

S, R = sympy.symbols("s r")
POINTS = [(-1, -4), (0, -1), (0.5, 0), (2, 6)]

BY_HAND: dict[str, tuple[ForceLaw, Callable[[float, float], tuple[float, float]]]] = {
    "spring": (force_laws.spring(3, 0.2), lambda s, r: (3 * (s - 0.2), 0)),
    "polynomial": (
        force_laws.spring((3, -2, 1), 0.2),
        lambda s, r: (3 * (s - 0.2) - 2 * (s - 0.2) ** 2 + (s - 0.2) ** 3, 0),
    ),
    "rope": (force_laws.dead_band(5, upper=0.7), lambda s, r: (5 * max(s - 0.7, 0), 0)),
    "buffer": (force_laws.dead_band(5, lower=0.3), lambda s, r: (5 * min(s - 0.3, 0), 0)),
    "band": (force_laws.dead_band(5, 0.3, 0.7), lambda s, r: (5 * (max(s - 0.7, 0) + min(s - 0.3, 0)), 0)),
    "cubic band": (
        force_laws.dead_band((0, 0, 4), 0.3, 0.7),
        lambda s, r: (4 * (max(s - 0.7, 0) + min(s - 0.3, 0)) ** 3, 0),
    ),
    "no band": (force_laws.dead_band(5, 0.3, 0.3), lambda s, r: (5 * (s - 0.3), 0)),
    "table": (
        force_laws.tabular(POINTS),
        lambda s, r: (-1 + 3 * s if s < 0 else 2 * s - 1 if s < 0.5 else 4 * (s - 0.5), 0),
    ),
    "constant beyond": (
        force_laws.tabular(POINTS, beyond="constant"),
        lambda s, r: (float(np.interp(s, *np.transpose(POINTS))), 0),
    ),
    "expression": (force_laws.elastic(S * sympy.exp(-S), S), lambda s, r: (s * math.exp(-s), 0)),
    "given energy": (force_laws.elastic(2 * S, S, S**2 + 7), lambda s, r: (2 * s, 0)),
    "dampers": (force_laws.damper(2, 3, 4), lambda s, r: (0, 2 * r + 3 * abs(r) * r + 4 * r**3)),
    "friction": (force_laws.friction(2), lambda s, r: (0, 2 * r / math.hypot(r, 0.01))),
    "Stribeck": (
        force_laws.friction(2, 3, 0.5, 0.02),
        lambda s, r: (0, (2 + math.exp(-((r / 0.5) ** 2))) * r / math.hypot(r, 0.02)),
    ),
    "resisting": (force_laws.resisting(sympy.tanh(R) * S**2, R, S), lambda s, r: (0, math.tanh(r) * s**2)),
    "stops": (
        force_laws.stops(-0.5, 0.7, 50, 0.4),
        lambda s, r: (
            50 * (max(s - 0.7, 0) + min(s + 0.5, 0)),
            50 * max(s - 0.7, 0) * max(-1, 0.4 * r) + 50 * min(s + 0.5, 0) * max(-1, -0.4 * r),
        ),
    ),
    "sum": (
        force_laws.spring(3) + force_laws.damper(2) + force_laws.dead_band(1, upper=0),
        lambda s, r: (3 * s + max(s, 0), 2 * r),
    ),
}


@pytest.mark.parametrize("name", BY_HAND)
def test_forces_are_those_of_the_formulas_and_slopes_of_their_energies(name: str) -> None:
    law, by_hand = BY_HAND[name]
    random = np.random.default_rng(1)
    s, r = random.uniform(-3, 3, (2, 200))
    found = law.numbers(s, r, {})
    expected = np.array([by_hand(*pair) for pair in zip(s.tolist(), r.tolist(), strict=True)]).T
    # some ten roundings of numbers below 300
    np.testing.assert_allclose(np.array([found["force"], found["resistance"]]), expected, rtol=0, atol=5e-13)
    # by Simpson's rule from 0, exact for cubics between kinks; across one of the 2000 intervals, 0.003 wide, the rule errs
    # by its cube times the jump of a slope below 100, and so for the fourth derivative of exp(-s) s on all of them
    grid = np.linspace(0, 1, 4001)[:, None] * s
    weights = np.where(np.arange(4001) % 2, 4.0, 2.0)
    weights[[0, -1]] = 1
    work = weights @ law.numbers(grid, 0.0, {})["force"] * s / 12000
    np.testing.assert_allclose(found["energy"] - law.numbers(0.0, 0.0, {})["energy"], work, rtol=0, atol=1e-5)
    assert (found["resistance"] * r >= 0).all()


def pendulum(add: Callable[[MechanismBuilder], object]) -> Mechanism:
    """A point of mass 2 kg on a rod of 0.5 m about y; at angle q it is at 0.5 (cos q, 0, -sin q)."""
    b = MechanismBuilder("pendulum", gravity=(0, 0, -9.81))
    b.body("rod", 2, (0.5, 0, 0), (0, 0, 0))
    b.revolute("q", BASE, "rod", (0, 1, 0), limits=JointLimits(-0.3, 0.5))  # type: ignore[arg-type]
    b.frame("tip", "rod", (0.5, 0, 0))
    b.frame("post", BASE, (0.5, 0, 0.4))
    add(b)
    return b.build()


WORDS: dict[str, tuple[str, Callable[[MechanismBuilder, Expression], object]]] = {
    "band": (
        'first = "tip"\nsecond = "post"\nstiffness = 3\nlower = 0.1\nupper = "k/100"\ndamping = 1',
        lambda b, k: b.force_element(
            "e", PathLength(("tip", "post")), force_laws.dead_band(3, 0.1, k / 100) + force_laws.damper(1)
        ),
    ),
    "table": (
        'joint = "q"\npoints = [[0, 0], [0.5, "2*3"]]\nbeyond = "constant"\nquadratic_damping = 0.2',
        lambda b, k: b.force_element(
            "e",
            "q",
            force_laws.tabular([(0, 0), (0.5, 6)], "constant") + force_laws.damper(quadratic=0.2),
        ),
    ),
    "expression": (
        'path = ["tip", "rod", "post"]\nforce = "k*s**3"',
        lambda b, k: b.force_element(
            "e", PathLength(("tip", "rod", "post")), force_laws.elastic(sympy.Symbol("k") * S**3, S)
        ),
    ),
    "Stribeck": (
        'joints = ["q"]\ncoefficients = [2]\nfriction = 1\nstatic_friction = 2\nstribeck_speed = 0.1',
        lambda b, k: b.force_element("e", JointSum(("q",), (2,)), force_laws.friction(1, 2, 0.1)),  # type: ignore[arg-type]
    ),
    "stops": (
        'joint = "q"\nstops = true\nstiffness = "k"\ndissipation = 0.5',
        lambda b, k: b.joint_stop("q", k, 0.5, name="e"),
    ),
    "polynomial": (
        'joint = "q"\nstiffness = [1, 2]\nrest = 0.1',
        lambda b, k: b.force_element("e", "q", force_laws.spring((1, 2), 0.1)),
    ),
}
TOML = """\
name = "pendulum"
gravity = [0, 0, -9.81]
parameters = { k = 30 }
[[body]]
name = "rod"
mass = 2
center = [0.5, 0, 0]
[[joint]]
name = "q"
type = "revolute"
parent = "base"
child = "rod"
axis = [0, 1, 0]
limits = { lower = -0.3, upper = 0.5 }
[[frame]]
name = "tip"
body = "rod"
position = [0.5, 0, 0]
[[frame]]
name = "post"
body = "base"
position = [0.5, 0, 0.4]
[[spring]]
name = "e"
"""


@pytest.mark.parametrize("name", WORDS)
def test_toml_says_the_same(name: str) -> None:
    text, add = WORDS[name]

    expected = pendulum(lambda b: add(b, b.parameter("k", 30, "")))
    assert fingerprint(from_toml(TOML + text + "\n")) == fingerprint(expected)


def lifted(q: float) -> float:
    """The distance from the tip to the post."""
    return math.hypot(0.5 * math.cos(q) - 0.5, -0.5 * math.sin(q) - 0.4)


def test_a_motion_is_that_of_the_same_laws_in_scipy() -> None:
    """A slack rope, a stop with dissipation, a quadratic damper and Stribeck friction."""

    def add(b: MechanismBuilder) -> None:
        b.force_element("rope", PathLength(("tip", "post")), force_laws.dead_band(200, upper=0.5))
        b.joint_stop("q", 80, 0.5)
        b.force_element("loss", "q", force_laws.damper(quadratic=0.1) + force_laws.friction(0.2, 0.3, 0.4))

    def slope(_: float, state: np.ndarray) -> list[float]:
        q, v = state
        length = lifted(q)
        rate = (
            0.5 * math.sin(q) * (0.5 - 0.5 * math.cos(q)) + 0.5 * math.cos(q) * (0.5 * math.sin(q) + 0.4)
        ) / length
        deep = max(q - 0.5, 0.0)
        force = 200 * max(length - 0.5, 0) * rate + 80 * deep * max(0.0, 1 + 0.5 * v)
        force += 80 * min(q + 0.3, 0) * max(0.0, 1 - 0.5 * v)
        force += 0.1 * abs(v) * v + (0.2 + 0.1 * math.exp(-((v / 0.4) ** 2))) * v / math.hypot(v, 0.01)
        return [v, (2 * 9.81 * 0.5 * math.cos(q) - force) / 0.5]

    robot = kanegen.load(pendulum(add), kernels=["forward_dynamics", "inverse_dynamics", "potential_energy"])
    motion = kanegen.simulate(robot, [0.1], [1.5], 1.0, rtol=1e-11, atol=1e-11)
    exact = solve_ivp(slope, (0, 1), [0.1, 1.5], method="DOP853", rtol=1e-12, atol=1e-12, max_step=1e-3)
    np.testing.assert_allclose([motion.q[-1, 0], motion.v[-1, 0]], exact.y[:, -1], rtol=0, atol=1e-8)
    assert exact.y[0].max() > 0.5, "the stop was met"
    assert max(map(lifted, exact.y[0])) > 0.5, "the rope was taut"


@pytest.mark.parametrize(
    ("law", "stopped"),
    [
        (force_laws.stops(-0.3, 0.5, 80, 0.5), (True, True)),
        (force_laws.dead_band(80, upper=0.5), (False, True)),
        (force_laws.spring(80, rest=0.5), (False, False)),
        (force_laws.stops(-0.4, 0.6, 80), (False, False)),
        (force_laws.tabular([(-0.3, 0), (0.5, 0), (0.6, 60)]), (False, True)),
    ],
)
def test_a_limit_is_told_of_where_no_stop_acts(law: ForceLaw, stopped: tuple[bool, bool]) -> None:
    robot = kanegen.load(pendulum(lambda b: b.force_element("stop", "q", law)), interpreted=True)
    limits = robot.joint_limits["q"]
    assert (limits.stops_below, limits.stops_above) == stopped
    for q, told in zip((-0.31, 0.51), stopped, strict=True):
        with nullcontext() if told else pytest.warns(ModelWarning, match="with_joint_stops"):
            kanegen.simulate(robot, [q], [0.0], 0.0)


def test_energy_is_kept_where_nothing_resists() -> None:
    def add(b: MechanismBuilder) -> None:
        b.force_element(
            "rope", PathLength(("tip", "post")), force_laws.tabular([(0, -20), (0.3, 0), (0.6, 60)])
        )
        b.joint_stop("q", 300)

    robot = kanegen.load(pendulum(add), kernels=["forward_dynamics", "potential_energy", "kinetic_energy"])
    motion = kanegen.simulate(robot, [0.1], [7.0], 2.0, rtol=1e-10, atol=1e-10)
    assert motion.q.max() > 0.5, "the stop was met"
    # each step errs by 1e-10 of states below 10, and dE/dv = 0.5 v < 5, dE/dq < 60
    assert np.ptp(motion.energy) < motion.statistics.accepted * 1e-10 * 10 * 65


def meeting(law: ForceLaw) -> Mechanism:
    """Two slides on one line, tied to the base."""
    b = MechanismBuilder("meeting", gravity=(0, 0, 0))
    for name, parent, axis in (("x", BASE, (1, 0, 0)), ("y", "x", (0, 1, 0))):
        b.body(name, 1)
        b.prismatic(name, parent, name, axis)
    b.force_element("rope", PathLength((BASE, "y")), law)
    return b.build()


def test_a_slack_rope_needs_no_direction_where_its_ends_meet() -> None:
    kernels = ["inverse_dynamics", "inverse_dynamics_derivatives", "potential_energy"]
    slack, other = (
        kanegen.load(meeting(law), kernels=kernels, interpreted=True)
        for law in (force_laws.dead_band(9, upper=0.5), force_laws.spring((3, 1), 0.1))
    )
    still = np.zeros(2)
    np.testing.assert_array_equal(slack.inverse_dynamics(still, still, still), still)
    dq, dv, da = slack.inverse_dynamics_derivatives(still, still, still)
    np.testing.assert_array_equal([dq, dv, da], [0 * np.eye(2), 0 * np.eye(2), np.diag((2, 1))])
    with pytest.raises(DeadCentreError, match="'rope' between 'base' and 'y'"):
        other.inverse_dynamics(still, still, still)


def test_a_bushing_resists_by_hand_formulas() -> None:
    """A slide and a hinge about z: d = (cos 0.2 (x - 0.1) ..., ...) in the first axes, turned by 0.2 about z."""
    b = MechanismBuilder("bushing", gravity=(0, 0, 0))
    b.body("slider")
    b.body("plate", 1, inertia=(1, 1, 1))
    b.prismatic("x", BASE, "slider", (1, 0, 0))
    b.revolute("q", "slider", "plate", (0, 0, 1))
    b.frame("seat", BASE, (0.1, 0, 0), (0, 0, 0.2))
    rows = np.diag([30.0, 40, 50, 6, 7, 8])
    rows[0, 5] = rows[5, 0] = 3
    b.bushing("mount", "seat", "plate", rows.tolist(), (1, 2, 3, 0.4, 0.5, 0.6))
    robot = kanegen.load(b.build(), kernels=["potential_energy", "bias_forces"], interpreted=True)

    def u(q: np.ndarray) -> np.ndarray:
        turn = q[1] - 0.2
        theta = math.sin(turn) * (4 - math.cos(turn)) / 3
        return np.array([math.cos(0.2) * (q[0] - 0.1), -math.sin(0.2) * (q[0] - 0.1), 0, 0, 0, theta])

    q, v = np.array([0.35, -0.9]), np.array([0.7, 1.3])
    turn = q[1] - 0.2
    slope = (4 * math.cos(turn) - math.cos(2 * turn)) / 3
    G = np.array([[math.cos(0.2), 0], [-math.sin(0.2), 0], [0, 0], [0, 0], [0, 0], [0, slope]])
    expected = G.T @ (rows @ u(q) + np.array([1, 2, 3, 0.4, 0.5, 0.6]) * (G @ v))
    np.testing.assert_allclose(robot.bias_forces(q, v), expected, rtol=1e-14)
    assert robot.potential_energy(q) == pytest.approx(u(q) @ rows @ u(q) / 2, rel=1e-14)


def test_the_angle_of_a_bushing_is_that_of_the_turn_but_for_its_fifth_power() -> None:
    for degrees, part in ((30, 0.003), (60, 0.036)):
        turn = math.radians(degrees)
        assert 1 - part < math.sin(turn) * (4 - math.cos(turn)) / 3 / turn < 1


def mounted(stiffness: Any, damping: Any = (0,) * 6) -> Mechanism:
    """The pendulum on a bushing."""
    return pendulum(lambda b: b.bushing("mount", "post", "tip", stiffness, damping))


def test_bushings_of_files_and_where_they_are_not_known() -> None:
    text = TOML.replace("[[spring]]", "[[bushing]]").replace('"e"', '"mount"')
    words = 'first = "post"\nsecond = "tip"\nstiffness = [1, 2, 3, 4, 5, "k"]\n'
    expected = fingerprint(
        pendulum(lambda b: b.bushing("mount", "post", "tip", (1, 2, 3, 4, 5, b.parameter("k", 30, ""))))
    )
    assert fingerprint(from_toml(text + words)) == expected
    with pytest.raises(ModelError, match="has bushings"):
        body_model(mounted((1,) * 6))


REFUSED: dict[str, tuple[Callable[[], object], str]] = {
    "no band": (lambda: force_laws.dead_band(3), "has no end"),
    "one point": (lambda: force_laws.tabular([(0, 0)]), "no two points"),
    "points back": (lambda: force_laws.tabular([(0, 0), (0, 1)]), "do not increase"),
    "beyond": (lambda: force_laws.tabular([(0, 0), (1, 1)], "cubic"), "goes on 'cubic'"),
    "no integral": (lambda: force_laws.elastic(sympy.Function("f")(S), S), "no integral"),
    "no expression": (lambda: force_laws.elastic("s", S), "SymPy expression"),  # type: ignore[arg-type]
    "no speed": (lambda: force_laws.friction(1, 2), "no Stribeck speed"),
    "slip": (lambda: force_laws.friction(1, slip_speed=0), "more than 0"),
    "no limits": (lambda: pendulum(lambda b: b.joint_stop("p", 3)), "no limits"),
    "band reversed": (
        lambda: pendulum(lambda b: b.force_element("e", "q", force_laws.dead_band(1, 2, 1))),
        "width of the dead band",
    ),
    "pushes": (
        lambda: pendulum(lambda b: b.force_element("e", "q", force_laws.spring(-1))),
        "stiffness is -1",
    ),
    "energy": (
        lambda: pendulum(lambda b: b.force_element("e", "q", force_laws.elastic(S, S, S**2))),
        "energy has the slope",
    ),
    "resists at rest": (
        lambda: pendulum(lambda b: b.force_element("e", "q", force_laws.resisting(R + 1, R))),
        "resists at rest",
    ),
    "symbol": (
        lambda: pendulum(lambda b: b.force_element("e", "q", force_laws.elastic(S * sympy.Symbol("k"), S))),
        "depends on the symbol 'k'",
    ),
    "function": (
        lambda: pendulum(lambda b: b.force_element("e", "q", force_laws.resisting(sympy.sinh(R), R))),
        "sinh",
    ),
    "asymmetric": (lambda: mounted([[1, 2, 0, 0, 0, 0], *np.zeros((5, 6)).tolist()]), "not symmetric"),
    "negative": (lambda: mounted((1, 1, 1, 1, 1, 1), (0, 0, 0, 0, 0, -1)), "least principal damping is -1"),
    "five": (lambda: mounted((1,) * 5), "six numbers"),
    "bushing in one body": (
        lambda: pendulum(lambda b: b.bushing("mount", "rod", "tip", (1,) * 6)),
        "both fixed in 'rod'",
    ),
    "no joint": (lambda: pendulum(lambda b: b.force_element("e", "p", force_laws.spring(1))), "'p'"),
    "coefficients": (
        lambda: pendulum(lambda b: b.force_element("e", JointSum(("q",), (1, 2)), force_laws.spring(1))),  # type: ignore[arg-type]
        "a coefficient for each",
    ),
    "one frame": (
        lambda: pendulum(lambda b: b.force_element("e", PathLength(("tip",)), force_laws.spring(1))),
        "runs through 1 frame",
    ),
    "one body": (
        lambda: pendulum(lambda b: b.force_element("e", PathLength(("tip", "rod")), force_laws.spring(1))),
        "all fixed in 'rod'",
    ),
    "no frame": (
        lambda: pendulum(lambda b: b.force_element("e", PathLength(("tip", "top")), force_laws.spring(1))),
        "'top' is not a frame",
    ),
    "place": (
        lambda: from_toml(TOML + "stiffness = 1\nupper = 2\n"),
        "line 23: spring 'e': does not say where",
    ),
    "key": (
        lambda: from_toml(TOML + 'joint = "q"\ndamping = 1\nbeyond = "linear"\n'),
        "line 27: spring 'e', beyond",
    ),
    "text": (lambda: from_toml(TOML + 'joint = "q"\nforce = "s +"\n'), "line 26: spring 'e', force"),
    "stop": (lambda: from_toml(TOML + 'joint = "q"\nstops = true\nrest = 1\n'), "line 27: spring 'e', rest"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_wrong_is_refused(case: str) -> None:
    make, message = REFUSED[case]
    with pytest.raises(ModelError, match=message):
        make()


def test_stops_for_models_from_files() -> None:
    mechanism = force_laws.with_joint_stops(pendulum(lambda b: None), 80, 0.5)
    expected = pendulum(lambda b: b.joint_stop("q", 80, 0.5))
    assert mechanism.springs == expected.springs
    with pytest.raises(ModelError, match="has no limits"):
        force_laws.with_joint_stops(mechanism, 80, joints=["p"])


def test_numbers_of_parameters_are_checked_as_those_of_files_are() -> None:
    def add(b: MechanismBuilder) -> None:
        b.force_element("e", "q", force_laws.dead_band(3, upper=b.parameter("u", 1, ""), lower=0))

    robot = kanegen.load(pendulum(add), live_parameters=True, kernels=["inverse_dynamics"], interpreted=True)
    with pytest.raises(ModelError, match="width of the dead band"):
        robot.with_parameters({"u": -1})


def test_models_are_changed_with_their_elements() -> None:
    """Renamed everywhere; left out with what they act on; drawn."""

    def add(b: MechanismBuilder) -> None:
        b.body("hand", 1)
        b.spherical("wrist", "rod", "hand", (0.5, 0.1, 0))
        b.force_element("cord", PathLength(("post", "tip", "hand")), force_laws.dead_band(3, upper=1))
        b.force_element("stop", JointSum(("q",)), force_laws.stops(-1, 1, 3))
        b.bushing("mount", "post", "hand", (1,) * 6)

    mechanism = pendulum(add)
    assert skeleton_of(mechanism).ties == (("post", "tip"), ("tip", "hand"), ("post", "hand"))
    names = {"q": "p", "tip": "top", "post": "stake"}
    cord, stop, mount = renamed(mechanism, names).springs
    assert (cord.displacement, stop.displacement) == (PathLength(("stake", "top", "hand")), JointSum(("p",)))  # type: ignore[union-attr]
    assert (mount.first, mount.second) == ("stake", "hand")  # type: ignore[union-attr]
    with pytest.warns(ModelWarning):
        left = pipeline.read(mechanism, options({"remove": ["hand"]}))
    assert [spring.name for spring in left.springs] == ["stop"]


def test_files_of_toml_have_all_elements_and_say_what_mjcf_lacks() -> None:
    def add(b: MechanismBuilder) -> None:
        k = b.parameter("k", 3, "")
        cord = force_laws.dead_band(k, 0, 1) + force_laws.friction(1, 2, 0.1) + force_laws.damper(1, 2, 3)
        b.force_element("cord", PathLength(("post", "rod", "tip")), cord)
        b.force_element("table", JointSum(("q",), (2,)), force_laws.tabular(POINTS))  # type: ignore[arg-type]
        b.bushing("mount", "post", "tip", (1, 2, 3, 4, 5, k), (1,) * 6)

    mechanism = pendulum(add)
    again = from_toml(to_toml(mechanism).text)
    assert [spring.name for spring in again.springs] == ["cord", "table", "mount"]
    mounts = [fingerprint(replace(m, springs=m.springs[2:])) for m in (mechanism, again)]
    assert mounts[0] == mounts[1]
    s, r = np.random.default_rng(3).uniform(-3, 3, (2, 50))
    for one, other in zip(mechanism.springs[:2], again.springs[:2], strict=True):
        assert one.displacement == other.displacement  # type: ignore[union-attr]
        expected, found = (x.law.numbers(s, r, {"k": 3.0}) for x in (one, other))  # type: ignore[union-attr]
        for name, numbers in expected.items():
            np.testing.assert_allclose(found[name], numbers, rtol=1e-13, atol=1e-13)
    told = [finding.where for finding in to_mjcf(mechanism).findings]
    assert {"force element 'cord'", "force element 'table'", "bushing 'mount'"} <= set(told)
