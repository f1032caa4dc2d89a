"""Control laws for any mechanism: ``pd``, ``pid``, ``computed_torque`` and ``impedance``.

Each is a record of numbers.  ``simulate(arm, ..., controller=law)`` evaluates it in Python with the kernels of the robot.
``MechanismBuilder.law(name, law)`` compiles it together with the dynamics, as a kernel of that name beside the others.  The
formulas stand here once, for numbers and for expressions alike.

A law acts on joints that are driven: on those whose rates are speeds, and on balls, but not on floating joints and on modes
of flexible links, whose forces are zero.  Where gains are given by the names of joints it acts on these alone.
"""

from __future__ import annotations

import ast
import dataclasses
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from kanegen.errors import ModelError, did_you_mean, shown

Gain = float | Mapping[str, float]
"""A number for all joints that a law acts on, or by their names, for these alone."""

Target = Mapping[str, Any] | Sequence[float] | str | None
"""Where joints shall be [rad, m]: by their names, zero or no rotation for others (a ball has a quaternion x, y, z, w); one
number for each coordinate of the mechanism; "references": the signals target_<joint>, of a ball target_<joint>_qx to _qw,
whose length does not matter; None: zero."""

REFERENCES = "references"

_AXES = ("x", "y", "z")


@dataclass(frozen=True)
class Driven:
    """A joint that a law may act on: its places in v, one or three, and in q, one or four, and the joints that follow it."""

    name: str
    speeds: tuple[int, ...]
    coordinates: tuple[int, ...]
    followers: tuple[str, ...] = ()


class Mechanics(Protocol):
    """What a law needs of a mechanism at a state: numbers, or expressions."""

    joints: Sequence[Driven]
    nq: int
    nv: int

    def number(self, value: Any) -> Any:
        """A number of a law."""

    def gravity_forces(self) -> Sequence[Any]:
        """Forces (nv,) that hold the mechanism at rest."""

    def inverse_dynamics(self, a: Sequence[Any]) -> Sequence[Any]:
        """Forces (nv,) for accelerations (nv,)."""

    def frame(self, frame: str) -> tuple[Sequence[Any], Sequence[Any]]:
        """The pose (16,) and the Jacobian (6 nv,) of a frame, row by row."""

    def clipped(self, value: Any, limit: Any) -> Any:
        """The value, but no farther from zero than the limit."""


Found = tuple[list[Any], list[Any]]
"""tau (nv,), and the rates of the states of the law."""


class Law(ABC):
    """A control law for any mechanism; ``title`` is one line on what it does.

    Its text is the call that makes it, as ``from_text`` reads it.
    """

    title: str = ""

    @abstractmethod
    def found(
        self, of: Mechanics, q: Sequence[Any], v: Sequence[Any], x: Sequence[Any], r: Sequence[Any]
    ) -> Found:
        """Forces and rates of states; r has three entries for each of the references."""

    def states(self, joints: Sequence[Driven]) -> tuple[str, ...]:
        """Names of the states of the law, which begin at zero."""
        del joints
        return ()

    @abstractmethod
    def references(self, joints: Sequence[Driven]) -> tuple[str, ...]:
        """Names of the signals that it follows."""

    @property
    @abstractmethod
    def maker(self) -> str:
        """The name of the function that makes it."""

    def __str__(self) -> str:
        given = [(f.name, getattr(self, f.name), f.default) for f in dataclasses.fields(self)]  # type: ignore[arg-type]
        words = [f"{name}={_plain(value)!r}" for name, value, default in given if value is not default]
        return f"{self.maker}({', '.join(words)})"

    def controller(self, arm: Any) -> Controller:
        """The law as a callable for a robot: t, q, v, x with states, r with references.  Raises ModelError."""
        return Controller(self, RobotMechanics(arm))


def pd(
    kp: Gain, kd: Gain = 0.0, target: Target = None, *, gravity: bool = True, limit: Gain | None = None
) -> Law:
    """Proportional and derivative feedback of the joints, with compensation of gravity.

    tau = g(q) + kp (target - q) + kd (rate of the target - v), kp in N m/rad or N/m, kd in N m s/rad or N s/m; of a ball kp
    acts on the sine of the angle between its axes and those of the target, about their common axis, and kd on the target's
    angular velocity less its own, along the child's axes.  ``gravity`` adds the
    forces g that hold the mechanism at rest; |tau| stays below ``limit`` [N m, N].  Stable for kp, kd > 0, unless limited:
    Arimoto, Takegaki, "A new feedback method for dynamic control of manipulators", J. Dyn. Syst. Meas. Control 103 (1981).
    """
    return JointFeedback(kp, kd, target, gravity, limit)


def pid(
    kp: Gain,
    ki: Gain,
    kd: Gain = 0.0,
    target: Target = None,
    *,
    gravity: bool = False,
    limit: Gain | None = None,
    tracking_time: Gain | None = None,
) -> Law:
    """The law of ``pd`` with an integral of the error, whose winding up is prevented where forces are limited.

    u = kp e + ki x + kd de/dt, dx/dt = e + (tau - u) / (ki tracking_time), with tau = u clipped to +-limit: a saturated
    integral returns within the tracking time [s], kp/ki where none is given.  Astrom, Hagglund, "Advanced PID Control", ISA
    2006, section 3.5 (back-calculation).  The states are called integral_<joint>; balls have none.
    """
    return JointFeedback(kp, kd, target, gravity, limit, ki, tracking_time)


def computed_torque(kp: Gain, kd: Gain, target: Target = None) -> Law:
    """Feedback linearisation: tau = inverse dynamics of a = a_target + kd (v_target - v) + kp (target - q).

    kp in 1/s^2, kd in 1/s: errors decay as d2e/dt2 + kd de/dt + kp e = 0, whatever the mechanism.  All its speeds must be
    rates of joints that are driven, or of balls.  Luh, Walker, Paul, "Resolved-acceleration control of mechanical
    manipulators", IEEE Trans. Autom. Control 25 (1980); for balls Lee, Leok, McClamroch, "Geometric tracking control of a
    quadrotor UAV on SE(3)", IEEE Conf. Decision and Control 2010.
    """
    return ComputedTorque(kp, kd, target)


def impedance(
    frame: str,
    stiffness: Sequence[float],
    damping: Sequence[float],
    target: Any = REFERENCES,
    *,
    gravity: bool = True,
) -> Law:
    """A spring and a damper between a frame and its target: tau = g(q) + J^T (K e - D J v).

    stiffness K (6,) in N/m, then N m/rad, and damping D (6,) along and about the axes of the base, or (3,) for the position
    alone.  target: a position (3,) [m], a pose (4, 4), in the base frame, or "references": the signals target_x, target_y
    and target_z [m], to whose rates the damper is relative.  Without a rotation in the target the last three of e are zero;
    of one they are the sine of the angle about the common axis.  Hogan, "Impedance control", J. Dyn. Syst. Meas. Control 107
    (1985).
    """
    return Impedance(frame, tuple(stiffness), tuple(damping), target, gravity)


MAKERS: Mapping[str, Callable[..., Law]] = {
    "pd": pd,
    "pid": pid,
    "computed_torque": computed_torque,
    "impedance": impedance,
}
"""What makes laws, by name."""


def from_text(text: str) -> Law:
    """The law of a text such as ``pd(kp=100, kd=20, target={"q1": 0.3})``, whose arguments are literals.

    Raises ValueError for other texts, and ModelError for arguments that do not fit together.
    """
    try:
        call = ast.parse(text.strip(), mode="eval").body
        assert isinstance(call, ast.Call) and isinstance(call.func, ast.Name)
        make = MAKERS[call.func.id]
        listed = [ast.literal_eval(value) for value in call.args]
        named = {str(word.arg): ast.literal_eval(word.value) for word in call.keywords}
    except (SyntaxError, AssertionError, KeyError, ValueError, RecursionError, MemoryError):
        raise ValueError(
            f"expected a law of kanegen.laws with numbers, such as pd(kp=100, kd=20), got {shown(text)}; there are "
            f"{', '.join(MAKERS)}"
        ) from None
    try:
        return make(*listed, **named)
    except TypeError as error:
        raise ValueError(f"{shown(text)}: {error}") from None


def _plain(value: Any) -> Any:
    """A value of a law as lists and numbers, which are literals."""
    if isinstance(value, Mapping):
        return {str(name): _plain(one) for name, one in value.items()}
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    return [_plain(one) for one in value] if isinstance(value, list | tuple) else value


@dataclass(frozen=True)
class JointFeedback(Law):
    """See ``pd`` and ``pid``."""

    title = "feedback of the errors of joints, their rates and integrals"

    kp: Gain
    kd: Gain
    target: Target
    gravity: bool
    limit: Gain | None = None
    ki: Gain = 0.0
    tracking_time: Gain | None = None

    @property
    def maker(self) -> str:
        """``pid`` where it integrates."""
        return "pd" if self.ki == 0.0 and self.tracking_time is None else "pid"

    def states(self, joints: Sequence[Driven]) -> tuple[str, ...]:
        """One for each joint with an integral."""
        return tuple(f"integral_{joint.name}" for joint in self._integrated(joints))

    def references(self, joints: Sequence[Driven]) -> tuple[str, ...]:
        """One for each joint that it acts on."""
        return _signals(self.target, _acted(joints, self.kp))

    def _integrated(self, joints: Sequence[Driven]) -> list[Driven]:
        gains = _by_joint("ki", self.ki, joints)
        return [j for j in _acted(joints, self.kp) if len(j.speeds) == 1 and gains.get(j.name, 0.0)]

    def found(
        self, of: Mechanics, q: Sequence[Any], v: Sequence[Any], x: Sequence[Any], r: Sequence[Any]
    ) -> Found:
        """Forces and rates of states."""
        acted, integrated = _acted(of.joints, self.kp), self._integrated(of.joints)
        kp, kd, ki = (
            _by_joint(what, gain, of.joints)
            for what, gain in (("kp", self.kp), ("kd", self.kd), ("ki", self.ki))
        )
        limits, times = (
            {} if given is None else _by_joint(what, given, of.joints)
            for what, given in (("limit", self.limit), ("tracking_time", self.tracking_time))
        )
        weight = of.gravity_forces() if self.gravity else [of.number(0)] * of.nv
        tau: list[Any] = [of.number(0)] * of.nv
        xdot: list[Any] = []
        for joint, errors in zip(acted, _errors(of, acted, self.target, q, v, r), strict=True):
            name, has_integral = joint.name, joint in integrated
            for k, (error, rate, _) in zip(joint.speeds, errors, strict=True):
                u = weight[k] + of.number(kp[name]) * error + of.number(kd.get(name, 0.0)) * rate
                if has_integral:
                    u = u + of.number(ki[name]) * x[len(xdot)]
                tau[k] = of.clipped(u, of.number(limits[name])) if name in limits else u
                if has_integral:
                    unwinding = of.number(0)
                    if name in limits:
                        per = ki[name] * times[name] if name in times else kp[name]
                        unwinding = (tau[k] - u) / of.number(per)
                    xdot.append(error + unwinding)
        return tau, xdot


@dataclass(frozen=True)
class ComputedTorque(Law):
    """See ``computed_torque``."""

    title = "forces for accelerations that feed errors of joints back"

    kp: Gain
    kd: Gain
    target: Target

    @property
    def maker(self) -> str:
        """``computed_torque``."""
        return "computed_torque"

    def references(self, joints: Sequence[Driven]) -> tuple[str, ...]:
        """One for each joint."""
        return _signals(self.target, joints)

    def found(
        self, of: Mechanics, q: Sequence[Any], v: Sequence[Any], x: Sequence[Any], r: Sequence[Any]
    ) -> Found:
        """Forces."""
        del x
        if sum(len(joint.speeds) for joint in of.joints) != of.nv:
            names = ", ".join(joint.name for joint in of.joints)
            raise ModelError(
                "law computed_torque",
                f"acts on {names or 'no joint'}, and the mechanism has {of.nv} speeds",
                "a mechanism all of whose speeds are rates of driven joints: none that floats, bends, or has other speeds",
                "Use pd or pid, or choose rates of joints for speeds.",
            )
        kp, kd = _by_joint("kp", self.kp, of.joints), _by_joint("kd", self.kd, of.joints)
        a = [of.number(0)] * of.nv
        for joint, errors in zip(of.joints, _errors(of, of.joints, self.target, q, v, r), strict=True):
            for k, (error, rate, ahead) in zip(joint.speeds, errors, strict=True):
                feedback = of.number(kp.get(joint.name, 0.0)) * error
                a[k] = feedback + of.number(kd.get(joint.name, 0.0)) * rate + ahead
        return list(of.inverse_dynamics(a)), []


@dataclass(frozen=True)
class Impedance(Law):
    """See ``impedance``."""

    title = "a spring and a damper at a frame"

    frame: str
    stiffness: tuple[float, ...]
    damping: tuple[float, ...]
    target: Any
    gravity: bool = True

    @property
    def maker(self) -> str:
        """``impedance``."""
        return "impedance"

    def __post_init__(self) -> None:
        """Check that the parts fit together."""
        if {len(self.stiffness), len(self.damping)} not in ({3}, {6}):
            raise ModelError(
                "law impedance",
                f"has {len(self.stiffness)} stiffnesses and {len(self.damping)} dampings",
                "six each, or three each for the position alone",
                "Give zeros where nothing shall act.",
            )
        shape = None if isinstance(self.target, str) else np.shape(self.target)
        if (shape is None and self.target != REFERENCES) or shape not in (None, (3,), (4, 4)):
            raise ModelError(
                "law impedance",
                f"has the target {self.target!r}",
                f"a position (3,), a pose (4, 4) or {REFERENCES!r}",
                "Give one of these.",
            )

    def references(self, joints: Sequence[Driven]) -> tuple[str, ...]:
        """The coordinates of the target."""
        del joints
        return tuple(f"target_{axis}" for axis in _AXES) if isinstance(self.target, str) else ()

    def found(
        self, of: Mechanics, q: Sequence[Any], v: Sequence[Any], x: Sequence[Any], r: Sequence[Any]
    ) -> Found:
        """Forces."""
        del q, x
        pose, jacobian = of.frame(self.frame)
        following = isinstance(self.target, str)
        rows = np.asarray(np.zeros(3) if following else self.target, dtype=np.float64)
        position = rows if rows.ndim == 1 else rows[:3, 3]
        force = []
        for i, (k, d) in enumerate(zip(self.stiffness, self.damping, strict=True)):
            rate = sum((jacobian[i * of.nv + j] * v[j] for j in range(of.nv)), start=of.number(0))
            error = of.number(0)
            if i < 3:
                error = (r[3 * i] if following else of.number(position[i])) - pose[4 * i + 3]
                rate = rate - r[3 * i + 1] if following else rate
            elif rows.ndim == 2:
                # half the sum of the cross products of the axes, as they are and as they shall be
                a, b = (i - 2) % 3, (i - 1) % 3
                for j in range(3):
                    own, wanted = ([pose[4 * n + j] for n in (a, b)], [of.number(rows[n, j]) for n in (a, b)])
                    error = error + (own[0] * wanted[1] - own[1] * wanted[0]) * of.number(0.5)
            force.append(of.number(k) * error - of.number(d) * rate)
        weight = of.gravity_forces() if self.gravity else [of.number(0)] * of.nv
        tau = [of.number(0)] * of.nv
        for k in (k for joint in of.joints for k in joint.speeds):
            tau[k] = sum((jacobian[i * of.nv + k] * f for i, f in enumerate(force)), start=weight[k])
        return tau, []


def _by_joint(what: str, given: Gain, joints: Sequence[Driven]) -> dict[str, float]:
    """Numbers by the names of joints.  Raises ModelError."""
    names = [joint.name for joint in joints]
    if not isinstance(given, Mapping):
        return dict.fromkeys(names, float(given))
    for name in given:
        if name not in names:
            leader = next((joint.name for joint in joints if name in joint.followers), None)
            raise ModelError(
                f"law, {what}",
                f"is given for {name!r}, which "
                + (f"follows {leader!r}" if leader else "is no joint that a law can drive"),
                f"names among {', '.join(names)}",
                f"Give {leader!r} alone." if leader else did_you_mean(str(name), names, "Mend the name."),
            )
    return {name: float(value) for name, value in given.items()}


def _acted(joints: Sequence[Driven], kp: Gain) -> list[Driven]:
    named = _by_joint("kp", kp, joints)
    return [joint for joint in joints if joint.name in named]


def _signals(target: Target, joints: Sequence[Driven]) -> tuple[str, ...]:
    if target != REFERENCES:
        return ()
    ends = {1: ("",), 4: tuple(f"_q{axis}" for axis in "xyzw")}
    return tuple(f"target_{joint.name}{end}" for joint in joints for end in ends[len(joint.coordinates)])


def _errors(
    of: Mechanics,
    joints: Sequence[Driven],
    target: Target,
    q: Sequence[Any],
    v: Sequence[Any],
    r: Sequence[Any],
) -> list[list[tuple[Any, Any, Any]]]:
    """For each joint and each of its speeds the error, its rate, and the acceleration of what is wanted."""
    found = []
    signals = iter(r)
    for joint in joints:
        own, rates = [q[j] for j in joint.coordinates], [v[k] for k in joint.speeds]
        ball = len(own) == 4
        if target == REFERENCES:
            wanted, first, second = zip(*([next(signals) for _ in range(3)] for _ in own), strict=True)
            length = _square(wanted) if ball else None
            speeds, ahead = _turning(own, rates, wanted, first, second) if ball else (first, second)
            rates_of_errors = [x - rate for x, rate in zip(speeds, rates, strict=True)]
        else:
            wanted, length = tuple(map(of.number, _target(of, target, joint))), None
            rates_of_errors, ahead = [-rate for rate in rates], [of.number(0)] * len(rates)
        errors = _rotation_error(own, wanted) if ball else [wanted[0] - own[0]]
        errors = errors if length is None else [x / length for x in errors]
        found.append(list(zip(errors, rates_of_errors, ahead, strict=True)))
    return found


def _target(of: Mechanics, target: Target, joint: Driven) -> list[float]:
    count = len(joint.coordinates)
    neutral = [0.0, 0.0, 0.0, 1.0][-count:] if count > 1 else [0.0]
    if target is None:
        return neutral
    if isinstance(target, Mapping):
        _by_joint("target", dict.fromkeys(target, 0.0), of.joints)
        given = np.ravel(np.asarray(target.get(joint.name, neutral), dtype=np.float64))
    elif isinstance(target, str) or np.shape(target) != (of.nq,):
        raise ModelError(
            "law, target",
            f"is {target!r}",
            f"numbers by joint, ({of.nq},) numbers, or {REFERENCES!r}",
            "Give these.",
        )
    else:
        given = np.asarray(target, dtype=np.float64)[list(joint.coordinates)]
    if given.shape != (count,) or not np.isfinite(given).all() or (count == 4 and not given.any()):
        raise ModelError(
            f"law, target of {joint.name!r}",
            f"is {given!r}",
            f"{count} finite numbers, a quaternion x, y, z, w of a ball",
            "Give these.",
        )
    return [float(x) for x in (given / np.linalg.norm(given) if count == 4 else given)]


def _rotation_error(own: Sequence[Any], wanted: Sequence[Any]) -> list[Any]:
    """The sine of the angle from the child's axes to those wanted, times their common axis, along the child's axes.

    With unit quaternions it is 2 s u, where (u, s) is the conjugate of the own one times the one wanted.
    """
    u, s = _product(own, wanted)
    scale = 2 * s / _square(own)
    return [scale * x for x in u]


def _turning(
    own: Sequence[Any],
    rates: Sequence[Any],
    wanted: Sequence[Any],
    first: Sequence[Any],
    second: Sequence[Any],
) -> tuple[list[Any], list[Any]]:
    """Angular velocity of the axes wanted, and its rate as the child sees it, both along the child's axes.

    With p the quaternion wanted, of any length, they turn at w = 2 vec(p' p*) / |p|^2 along the parent's axes, and
    w' = 2 vec(p'' p*) / |p|^2 - 2 (p . p') / |p|^2 w.  Along those of the child, which turn at v, w changes by w' - v x w.
    """
    square = _square(wanted)
    back = [-wanted[0], -wanted[1], -wanted[2], wanted[3]]
    # _product has the conjugate of its first factor: p' p* = conj(conj(p')) p*
    velocity, acceleration = (
        [2 * x / square for x in _product([-p[0], -p[1], -p[2], p[3]], back)[0]] for p in (first, second)
    )
    growth = 2 * sum(x * y for x, y in zip(wanted, first, strict=True)) / square
    acceleration = [x - growth * y for x, y in zip(acceleration, velocity, strict=True)]
    speeds, ahead = (_seen_from(own, x) for x in (velocity, acceleration))
    return speeds, [x - y for x, y in zip(ahead, _cross(rates, speeds), strict=True)]


def _product(a: Sequence[Any], b: Sequence[Any]) -> tuple[list[Any], Any]:
    """The conjugate of the quaternion a times b: its vector, and its scalar."""
    across = _cross(a, b)
    vector = [a[3] * b[i] - a[i] * b[3] - across[i] for i in range(3)]
    return vector, a[3] * b[3] + a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def _seen_from(a: Sequence[Any], x: Sequence[Any]) -> list[Any]:
    """A vector x along axes that are turned by the quaternion a, of any length."""
    across = _cross(a, x)
    twice = _cross(a, [y - a[3] * z for y, z in zip(across, x, strict=True)])
    square = _square(a)
    return [y + 2 * z / square for y, z in zip(x, twice, strict=True)]


def _cross(a: Sequence[Any], b: Sequence[Any]) -> list[Any]:
    return [a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3] for i in range(3)]


def _square(a: Sequence[Any]) -> Any:
    return a[0] * a[0] + a[1] * a[1] + a[2] * a[2] + a[3] * a[3]


class RobotMechanics:
    """A robot at a state, in numbers."""

    def __init__(self, arm: Any) -> None:
        self._arm, self.nq, self.nv = arm, arm.nq, arm.nv
        in_q, in_v = arm.coordinate_places, arm.speed_places
        followers: dict[str, tuple[str, ...]] = {}
        for name, one in getattr(arm, "followers", {}).items():
            followers[one.leader] = (*followers.get(one.leader, ()), name)
        joints = [
            Driven(name, in_v[name], in_q[name], followers.get(name, ()))
            for name in arm.joint_names
            if name in in_q and len(in_v.get(name, ())) in (1, 3)
        ]
        self.joints: Sequence[Driven] = sorted(joints, key=lambda joint: joint.coordinates)
        self._now, self.q, self.v = arm, np.zeros(0), np.zeros(0)

    def at(self, t: float, q: Any, v: Any) -> None:
        """Make it this time and state."""
        self._now, self.q, self.v = self._arm.at(t), q, v

    def number(self, value: Any) -> float:
        """A number of a law."""
        return float(value)

    def gravity_forces(self) -> Sequence[float]:
        """Forces that hold the robot at rest."""
        found: Sequence[float] = self._now.gravity_forces(self.q).tolist()
        return found

    def inverse_dynamics(self, a: Sequence[float]) -> Sequence[float]:
        """Forces for accelerations."""
        found: Sequence[float] = self._now.inverse_dynamics(self.q, self.v, np.array(a)).tolist()
        return found

    def frame(self, frame: str) -> tuple[Sequence[float], Sequence[float]]:
        """The pose and the Jacobian of a frame."""
        pose, jacobian = self._now.frame_pose(self.q, frame), self._now.frame_jacobian(self.q, frame)
        return pose.ravel().tolist(), jacobian.ravel().tolist()

    def clipped(self, value: float, limit: float) -> float:
        """The value, but no farther from zero than the limit."""
        return max(-limit, min(limit, value))


class Controller:
    """A law of a robot as ``simulate`` calls it; ``x0`` are its states at the beginning, ``references`` its signals."""

    def __init__(self, law: Law, of: RobotMechanics) -> None:
        self._law, self._of = law, of
        self.references = law.references(of.joints)
        self.x0 = np.zeros(len(law.states(of.joints)))

    def __call__(self, t: float, q: Any, v: Any, *more: Any) -> Any:
        """Tau (nv,), with states (tau, xdot); ``more`` are x (nx,) with states and r (signals, 3) with references."""
        of, rest = self._of, list(more)
        x = rest.pop(0).tolist() if self.x0.size else []
        r = rest.pop(0).ravel().tolist() if self.references else []
        of.at(t, q, v)
        tau, xdot = self._law.found(of, q.tolist(), v.tolist(), x, r)
        return (tau, xdot) if self.x0.size else tau
