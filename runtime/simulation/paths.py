"""Inverse dynamics along a path: the forces that a motion given beforehand needs.

A joint path is interpolated by cubic splines, whose derivatives are rates and accelerations.  A path of a frame is
interpolated in the same way; configurations are found at its rows by inverse kinematics, each from the one before, and a
spline through them is the joint path.  So q, v and a always belong to one motion, which the mechanism can make, at singular
configurations and with freedoms to spare too; between rows the frame is off by the error of a spline, of fourth order.

Where loops or rolling contacts determine coordinates that the path does not name, these are carried along: the rates of all
coordinates are N(q) v + n(q), v the speeds of the named ones, which are integrated from row to row by the classical method
of Runge and Kutta; then loops are closed, what is named staying.  Accelerations a fulfil N a = q'' - d(N v + n)/dt, v held,
for the named coordinates, where d/dt is taken along the motion by central differences, to ten digits.

A mechanism without speeds has no path but its equations with time, which are followed (following.py).
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from kanegen.arrays import FloatArray, Values, passed
from kanegen.boundary import boundary
from kanegen.errors import AssemblyError, KanegenError, ModelWarning
from kanegen.followers import Coupling, cure_of_name, with_followers
from kanegen.model_warnings import warn
from kanegen.quaternions import normalised
from kanegen.robot.assembly import closed_holding, led_to
from kanegen.simulation.arm import active_constraints
from kanegen.simulation.following import Following
from kanegen.simulation.motion import Motion, Moved, Statistics, Status
from kanegen.simulation.references import Signal, checked_signals, spread, values_at
from kanegen.simulation.request import checked_configuration, checked_times, obtain

PLACES, ANGLES = ("x", "y", "z"), ("roll", "pitch", "yaw")
"""What a path of a frame gives: its origin [m], and R = Rz(yaw) Ry(pitch) Rx(roll) [rad], both in the base."""
REACHED = 1e-12
"""Poses are reached to within this [m, rad]: accelerations are then smooth to this over the square of the rows' distance."""
JUMP = 0.5
"""Farther [rad, m] no coordinate goes from one pose to the next, unless it flips over."""
FOLLOWED = 1e-3
"""Named coordinates that do not fit together are followed to within this [rad, m], and of the largest rate."""
STILL = 0.01
"""Between two rows that are nearer than this, of the farthest two, a frame counts as moved so far."""
LEAST_WAY = 1e4 * REACHED
"""Ways [m, rad] shorter than this are for the most part what is left of reaching a pose."""
STRAYS = 1e-3
"""A frame that strays by more than this part of its way is led by no smooth motion.

A spline through rows h apart is off by h^4/384 times the fourth derivative, of ways of h times the first: in 10 rows along a
tenth of an arm's length 4e-4 at most, in 100 rows a thousandth of that; corners of the joints' motion leave a tenth and more
of a row beside them, whatever h is.
"""
_NEARER = "begin with another q0 (--set q.NAME=VALUE), with the frame nearer to where the path begins"
INCREMENT = float(np.cbrt(np.finfo(np.float64).eps))
"""Of central differences."""


@dataclass(frozen=True, slots=True)
class PassedLimit:
    """A limit of a joint that a path passes.

    ``kind``: "position", "speed" or "effort".  ``t`` [s] is the first row beyond it, ``worst`` the value farthest beyond
    [rad, m, and of speed and force], at ``t_worst``.
    """

    joint: str
    kind: str
    limit: float
    t: float
    worst: float
    t_worst: float

    def __str__(self) -> str:
        """One line."""
        return (
            f"{self.kind} of {self.joint} from t = {self.t:.6g} s, farthest {self.worst:.6g} at t = {self.t_worst:.6g} s "
            f"(limit {self.limit:.6g})"
        )


@dataclass(frozen=True, eq=False)
class Trajectory(Motion):
    """A motion along a path: tau (k, nv) are the forces it needs.  See ``Motion`` for rows, files and pictures.

    a (k, nv) rad/s^2 or m/s^2: dv/dt.  passed: the limits of joints that it passes.

    Of a mechanism without speeds, whose equations decide all of the motion: qdot and qddot (k, nq), dq/dt and d2q/dt2, and
    constraint_forces (k, m), N m or N, those of ``constraints.forces``.
    """

    a: FloatArray = field(default_factory=lambda: np.zeros((0, 0)))
    passed: tuple[PassedLimit, ...] = ()
    qdot: FloatArray = field(default_factory=lambda: np.zeros((0, 0)))
    qddot: FloatArray = field(default_factory=lambda: np.zeros((0, 0)))
    constraint_forces: FloatArray = field(default_factory=lambda: np.zeros((0, 0)))

    @property
    def _forces(self) -> FloatArray:
        """What drives it: tau (k, nv), or forces of equations (k, m)."""
        return self.tau if self.tau.shape[1] else self.constraint_forces

    @property
    def peak(self) -> FloatArray:
        """The largest size of each force, N m or N: (nv,), or without speeds (m,)."""
        largest: FloatArray = np.abs(self._forces).max(axis=0)
        return largest

    @property
    def rms(self) -> FloatArray:
        """The root mean square of each force over time, N m or N, by the trapezoidal rule; shaped as ``peak``."""
        span = self.t[-1] - self.t[0]
        if not span:
            return self.peak
        steps, squares = np.diff(self.t), self._forces**2
        root: FloatArray = np.sqrt(0.5 * steps @ (squares[1:] + squares[:-1]) / span)
        return root

    def within(self, rows: Any) -> Self:
        """The trajectory of some rows alone."""
        more = {name: getattr(self, name) for name in ("a", "qdot", "qddot", "constraint_forces")}
        chosen = {name: values[rows] for name, values in more.items() if len(values)}
        return replace(super().within(rows), **chosen)

    def columns(self) -> Any:
        """The columns of ``Motion.columns``, and a.NAME; of one without speeds qdot.NAME, qddot.NAME and lambda.NAME."""
        yield from super().columns()
        for symbol, values in (
            ("a", self.a),
            ("qdot", self.qdot),
            ("qddot", self.qddot),
            ("lambda", self.constraint_forces),
        ):
            yield from zip(self._names(symbol, values.shape[1]), values.T, strict=True)


def trajectory(
    arm: Any,
    path: Mapping[str, Any] | None = None,
    q0: Values | None = None,
    times: ArrayLike | None = None,
    *,
    frame: str | None = None,
) -> Trajectory:
    """The forces tau (k, nv) that a motion along a path needs, by inverse dynamics.

    A mechanism without speeds has its path in its own equations, which with time decide all of its motion: give no other,
    but ``times`` (k,).  It begins in the configuration nearest to q0 in which they hold then, and its forces are
    ``Trajectory.constraint_forces``.  IntegrationError: the equations lead no further.

    path: by names, tables (times [s], values) through which cubic splines with not-a-knot ends go; these do not begin at
    rest unless the values do.  Names are those of coordinates [rad, m], all four of a quaternion together, whose length does
    not matter; or of a joint with a quaternion, with rows of its coordinates.  With ``frame``, the name of a frame, they are
    "x", "y", "z" [m] of its origin, or some of these, and all or none of "roll", "pitch", "yaw" [rad]:
    R = Rz(yaw) Ry(pitch) Rx(roll), in the base.

    q0 (nq,): home by default.  Coordinates that the path does not name keep its values, but for those that loops or rolling
    contacts move: these follow, from q0.  Inverse kinematics begins there.

    times (k,): of the rows, within those of the tables; by default 1001, equally spaced.  A path of a frame is followed at
    these exactly (to 1e-12 m, rad), and coordinates that are not named are integrated from one to the next, with an error of
    fourth order where they roll.

    A limit that is passed is told by a ``ModelWarning``, all in one, and in ``Trajectory.passed``; another one tells of the
    path of a frame that joints do not follow smoothly, as at singular configurations, where forces are large.  Raises
    ValueError for wrong arguments, AssemblyError where loops cannot be closed so, DeadCentreError, MissingKernelError, and
    KanegenError for
    a path that leaves reach or range, that does not determine the motion, or that the mechanism cannot follow.
    """
    with boundary("following a path", getattr(arm, "name", ""), TypeError, ValueError):
        if not hasattr(arm, "nv"):
            raise TypeError(f"arm: expected a robot, as kanegen.load gives it, got {arm!r}")
        if not arm.nv:
            return _decided(arm, path, q0, times, frame)
        if arm.depends_on_time:
            raise KanegenError(
                f"{arm.name} depends on time: the speeds and accelerations of a path are not found for what is driven in "
                "time. Simulate it, or give inverse_dynamics q, v and a themselves, with t"
            )
        for kernel in ("inverse_dynamics", *(() if arm.speeds_are_rates else ("coordinate_rates",))):
            obtain(arm, kernel, "a trajectory")
        start = checked_configuration(arm, arm.home if q0 is None else q0)
        names = arm.coordinate_names if frame is None else (*PLACES, *ANGLES)
        path = {} if path is None else path
        if frame is None and isinstance(path, Mapping):
            joints = {name: [names[i] for i in places] for name, places in arm.coordinate_places.items()}
            path = spread(path, joints, "path")
            _refuse_parts_of_quaternions(arm, path)
        signals = _signals(path, names, arm.followers if frame is None else {})
        first = max(float(signal.knots[0]) for signal in signals)
        last = min(float(signal.knots[-1]) for signal in signals)
        if not first < last:
            raise ValueError("path: its tables have no time in common")
        rows = checked_times(times, first, last)
        if len(rows) < (1 if frame is None else 2):
            raise ValueError(
                "times: expected one at least, with a frame two, as speeds follow from configurations"
            )
        hand = None if frame is None else _HandPath(arm, frame, signals)
        if hand is not None:
            q = hand.reached(start, rows)
            begins, start = start, q[0]
            path = {name: (rows, values) for name, values in zip(arm.coordinate_names, q.T, strict=True)}
        signals = _signals(path, arm.coordinate_names, arm.followers)
        q, rates, v, a = _Path(arm, signals, start).along(rows)
        tau = np.asarray(arm.inverse_dynamics(q, v, a), dtype=np.float64)
        if hand is not None:
            hand.warn_of_strays(signals, rows, begins)
        return _told(arm, rates, rows, q, v, tau, a=a)


def _decided(
    arm: Any, path: Mapping[str, Any] | None, q0: Values | None, times: ArrayLike | None, frame: str | None
) -> Trajectory:
    """The trajectory of a mechanism without speeds."""
    if path or frame is not None:
        raise ValueError(
            f"path: {arm.name} has no speeds, its equations decide all of its motion. Give times alone"
        )
    rows = np.zeros(0) if times is None else checked_times(times, -np.inf, np.inf)
    if not rows.size:
        raise ValueError("times: expected one at least, of those at which the motion is wanted")
    for kernel in ("coordinate_rates", "multiplier_dynamics", "constraint_forces"):
        obtain(arm, kernel, "a trajectory")
    begin = arm.at(rows[0]).assemble(checked_configuration(arm, arm.home if q0 is None else q0))
    q = Following(arm).rows(begin, rows)
    now = arm.at(rows)
    qdot = now.coordinate_rates(q)
    qddot, _ = arm.call("multiplier_dynamics", rows, q, qdot)
    none = np.zeros((len(rows), 0))
    return _told(
        arm,
        qdot,
        rows,
        q,
        none,
        none,
        a=none,
        qdot=qdot,
        qddot=qddot,
        constraint_forces=now.constraint_forces(q),
    )


def _told(
    arm: Any, rates: FloatArray, t: FloatArray, q: FloatArray, v: FloatArray, tau: FloatArray, **more: Any
) -> Trajectory:
    """The trajectory; a ModelWarning tells of the limits that it passes."""
    limits = dict(getattr(arm, "joint_limits", {}))
    beyond = _passed(limits, t, arm, q, rates, tau)
    if beyond:
        warn(f"the path of {arm.name} passes limits: {'; '.join(map(str, beyond))}")

    def energy(t: FloatArray, q: FloatArray, v: FloatArray) -> FloatArray:
        now = arm.at(t)
        found: FloatArray = now.kinetic_energy(q, v) + now.potential_energy(q)
        return found

    ties = () if arm.constraints is None else arm.constraints.forces
    return Trajectory(
        t,
        q,
        v,
        tau,
        Statistics(Status.DONE, float(t[-1]), 0, 0, 0, 0, compiled=False),
        energy if {"kinetic_energy", "potential_energy"} <= set(arm.kernels) else None,
        of=Moved(arm.name, tuple(arm.coordinate_names), tuple(arm.speed_names), limits, constraints=ties),
        arm=arm,
        passed=beyond,
        **more,
    )


def _signals(path: Any, names: Sequence[str], following: Mapping[str, Coupling]) -> tuple[Signal, ...]:
    """The splines of a path, all twice differentiable; ``following``: joints that have none.  Raises ValueError."""
    signals = checked_signals(None, path, "path")
    if not signals:
        raise ValueError(f"path: expected tables (times, values) for some of {', '.join(names)}")
    for signal in signals:
        if signal.name not in names:
            cure = cure_of_name(signal.name, names, following, f"Known are {', '.join(names)}.")
            raise ValueError(f"path: there is no {signal.name!r}. {cure}")
        if signal.kinks.size > 2:
            raise ValueError(f"path, {signal.name!r}: a linear table has no accelerations at its corners")
    return signals


def _refuse_parts_of_quaternions(arm: Any, path: Mapping[str, Any]) -> None:
    for begin in arm.quaternions:
        names = arm.coordinate_names[begin : begin + 4]
        if any(name in path for name in names) and not all(name in path for name in names):
            raise ValueError(f"path: expected all of the quaternion {', '.join(names)}")


def _rotation(roll: float, pitch: float, yaw: float) -> FloatArray:
    (a, b, c), (r, s, u) = np.cos([roll, pitch, yaw]), np.sin([roll, pitch, yaw])
    return np.array(
        [
            [c * b, c * s * r - u * a, c * s * a + u * r],
            [u * b, u * s * r + c * a, u * s * a - c * r],
            [-s, b * r, b * a],
        ]
    )


class _HandPath:
    """The path of a frame, as signals of its position and angles."""

    def __init__(self, arm: Any, frame: str, signals: tuple[Signal, ...]) -> None:
        by_name = {signal.name: signal for signal in signals}
        angles = [name for name in ANGLES if name in by_name]
        if 0 < len(angles) < 3:
            raise ValueError(f"path: expected all of {', '.join(ANGLES)}, or none")
        self._arm, self._frame = arm, frame
        self._turned = [_unwrapped(by_name[name]) for name in angles]
        self._places = {k: by_name[name] for k, name in enumerate(PLACES) if name in by_name}
        self._rows = (*(PLACES[k] for k in self._places), *(("rx", "ry", "rz") if angles else ()))

    def _wanted(self, t: float, pose: FloatArray) -> FloatArray:
        """A pose of the frame with what the path says of it at a time."""
        found = np.array(pose, dtype=np.float64)
        for k, signal in self._places.items():
            found[k, 3] = signal.at(t)[0]
        if self._turned:
            found[:3, :3] = _rotation(*(signal.at(t)[0] for signal in self._turned))
        return found

    def reached(self, start: FloatArray, times: FloatArray) -> FloatArray:
        """Configurations (k, nq) in which the frame is where the path asks for, each found from the one before."""
        arm, frame = self._arm, self._frame
        q = np.empty((len(times), arm.nq))
        for i, t in enumerate(times):
            before = q[i - 1] if i else start
            pose = self._wanted(t, arm.frame_pose(before, frame))
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ModelWarning)  # said by the error below
                found = arm.inverse_kinematics(frame, pose, before, self._rows, tolerance=REACHED)
            if not found.converged:
                raise KanegenError(
                    f"{arm.name}: the path leads {frame!r} out of reach at t = {t:.6g} s: {found.residual:.3g} [m, rad] "
                    f"remain. It may be too far away, or beyond limits of joints; or {_NEARER}"
                )
            q[i] = found.q
            step = np.abs(q[i] - before) * ~_in_quaternions(arm)
            if i and step.max() > JUMP:
                raise KanegenError(
                    f"{arm.name}: {arm.coordinate_names[int(step.argmax())]} jumps by {step.max():.3g} at t = {t:.6g} s, "
                    "from one row to the next: the path passes a singular configuration there, or has too few rows. Give "
                    f"more, or {_NEARER}"
                )
        return q

    def warn_of_strays(self, joints: tuple[Signal, ...], times: FloatArray, start: FloatArray) -> None:
        """Say where configurations do not follow each other smoothly, by where splines through them lead between rows."""
        arm, frame = self._arm, self._frame
        middles = 0.5 * (times[1:] + times[:-1])
        at, between = (
            np.array(arm.frame_pose(np.array([values_at(joints, t)[:, 0] for t in row]), frame))
            for row in (times, middles)
        )
        wanted = np.array([self._wanted(t, pose) for t, pose in zip(middles, between, strict=True)])
        ways, strays = _ways(at[:-1], at[1:]), _ways(between, wanted)
        least = np.maximum(STILL * ways.max(axis=0), LEAST_WAY)
        ratios = (strays / np.maximum(ways, least)).max(axis=1)
        worst = int(ratios.argmax())
        if ratios[worst] > STRAYS:
            away = np.linalg.norm(arm.frame_pose(start, frame)[:3, 3] - at[0, :3, 3])
            warn(
                f"{arm.name}: the path of {frame!r} does not lead smoothly from row to row near t = {middles[worst]:.6g} s, "
                f"where the frame strays in between by {ratios[worst]:.2g} of its way: forces there are those of a jerk "
                "that the path does not ask for. It passes a singular configuration or a limit of a joint, or has too few "
                f"rows. Give more, or {_NEARER} (it does {away:.3g} m from there now)"
            )


def _ways(start: FloatArray, end: FloatArray) -> FloatArray:
    """From poses (k, 4, 4) to others: how far [m], and twice the sine of half the angle (k, 2)."""
    by = end - start
    return np.stack(
        [np.linalg.norm(by[:, :3, 3], axis=1), np.linalg.norm(by[:, :3, :3], axis=(1, 2)) / np.sqrt(2)],
        axis=1,
    )


def _in_quaternions(arm: Any) -> Any:
    inside = np.zeros(arm.nq, dtype=bool)
    for begin in arm.quaternions:
        inside[begin : begin + 4] = True
    return inside


def _unwrapped(signal: Signal) -> Signal:
    """The same angle, which goes the short way from row to row."""
    values = np.unwrap([signal.at(t)[0] for t in signal.knots])
    return checked_signals(None, {signal.name: (signal.knots, values)}, "path")[0]


class _Path:
    """A mechanism that is to go along splines of some of its coordinates."""

    def __init__(self, arm: Any, signals: tuple[Signal, ...], start: FloatArray) -> None:
        # Stages and differences lie beside closed configurations, by less than they err; rows are closed.
        self._arm = arm if arm.constraints is None else arm.with_open_loops("ignore")
        self._signals, self._start = signals, start
        self._named = [arm.coordinate_names.index(signal.name) for signal in signals]
        constraints = active_constraints(arm)
        self._follows = constraints is not None
        self._loops = constraints is not None and bool(constraints.position)
        # Without constraints what is not named stays: it is asked for as well.
        self._held = self._named if self._follows else list(range(arm.nq))
        self._rest = len(set(self._held)) < arm.nq

    def along(self, times: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
        """q, dq/dt (k, nq), v and a (k, nv)."""
        arm = self._arm
        q, rates = np.empty((2, len(times), arm.nq))
        v, a = np.empty((2, len(times), arm.nv))
        for i, t in enumerate(times):
            if not i:
                q[i] = self._begun(t)
            else:
                q[i] = self._onto(self._carried(q[i - 1], times[i - 1], t), t)
            rates[i], v[i], a[i] = self._motion(q[i], t)
        return q, rates, v, a

    def _asked(self, t: float) -> FloatArray:
        """What the path asks for (3, nq): coordinates, where they are not named the start's, first and second derivative."""
        found = np.zeros((3, self._arm.nq))
        found[0] = self._start
        found[:, self._named] = values_at(self._signals, t).T
        for begin in self._arm.quaternions:
            # With s of length n, p = s/n: s' = n' p + n p', and once more.
            s, first, second = found[:, begin : begin + 4]
            n = float(np.linalg.norm(s))
            rate = float(s @ first) / n
            bend = float(first @ first + s @ second - rate * rate) / n
            p = s / n
            turning = (first - rate * p) / n
            found[:, begin : begin + 4] = p, turning, (second - bend * p - 2.0 * rate * turning) / n
        return found

    def _begun(self, t: float) -> FloatArray:
        q: FloatArray = self._asked(t)[0]
        if not self._loops:
            return q
        found = led_to(self._arm, self._arm.assemble(self._start), q, self._held)
        return self._onto(q if found is None else found, t)

    def _onto(self, q: FloatArray, t: float) -> FloatArray:
        """The configuration near q that the path asks for, loops closed."""
        wanted = self._asked(t)[0][self._held]
        q = q.copy()
        q[self._held] = wanted
        if not self._loops:
            return q
        closed = closed_holding(self._arm, q, self._held) if self._rest else None
        if closed is None:
            try:
                closed = self._arm.assemble(q)
            except AssemblyError as error:
                raise AssemblyError(f"along the path, at t = {t:.6g} s: {error}") from None
            self._refuse_unfollowed(closed[self._held], wanted, t, 1.0, "be at")
        return closed

    def _carried(self, q: FloatArray, t: float, end: float) -> FloatArray:
        """The configuration at the end of a row, by the method of Runge and Kutta of order 4 for what is not named."""
        if not (self._follows and self._rest):
            return q
        h = end - t

        def rates(along: float, x: FloatArray) -> FloatArray:
            x = normalised(x, self._arm.quaternions)
            asked = self._asked(along)
            x[self._held] = asked[0][self._held]
            return self._speeds(x, asked[1], along)[0]

        k1 = rates(t, q)
        k2 = rates(t + 0.5 * h, q + 0.5 * h * k1)
        k3 = rates(t + 0.5 * h, q + 0.5 * h * k2)
        k4 = rates(end, q + h * k3)
        return normalised(q + h / 6.0 * (k1 + 2.0 * (k2 + k3) + k4), self._arm.quaternions)

    def _speeds(
        self, q: FloatArray, asked: FloatArray, t: float
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        """dq/dt (nq,), v (nv,) and N (held, nv) for rates of the coordinates as asked."""
        arm, held = self._arm, self._held
        by_speed = arm.coordinate_rates(q, np.vstack([np.zeros(arm.nv), np.eye(arm.nv)]))
        matrix = (by_speed[1:] - by_speed[0]).T
        v, _, rank, _ = np.linalg.lstsq(matrix[held], asked[held] - by_speed[0][held], rcond=1e-10)
        if rank < arm.nv:
            names = ", ".join(arm.coordinate_names[i] for i in held)
            raise KanegenError(
                f"{arm.name}: the path of {names} does not determine the motion at t = {t:.6g} s, which has {arm.nv} "
                f"degrees of freedom, but {rank}. Name other coordinates, or more of {', '.join(arm.coordinate_names)}"
            )
        rates = matrix @ v + by_speed[0]
        size = max(1.0, float(np.abs(asked[held]).max()))
        self._refuse_unfollowed(rates[held], asked[held], t, size, "change at the rate")
        return rates, np.asarray(v, dtype=np.float64), matrix[held]

    def _motion(self, q: FloatArray, t: float) -> tuple[FloatArray, FloatArray, FloatArray]:
        """dq/dt (nq,), v and a (nv,)."""
        arm, held = self._arm, self._held
        _, first, second = self._asked(t)
        if arm.speeds_are_rates:
            return first, first, second
        rates, v, matrix = self._speeds(q, first, t)
        away = INCREMENT / max(1.0, float(np.abs(rates).max()))
        ahead, back = (arm.coordinate_rates(q + x * rates, v) for x in (away, -away))
        bend = (ahead - back) / (2.0 * away)
        a = np.linalg.lstsq(matrix, second[held] - bend[held], rcond=1e-10)[0]
        return rates, v, np.asarray(a, dtype=np.float64)

    def _refuse_unfollowed(
        self, found: FloatArray, asked: FloatArray, t: float, size: float, verb: str
    ) -> None:
        """Raise KanegenError where constraints do not let the named coordinates do together what is asked."""
        gaps = np.abs(found - asked)
        i = int(gaps.argmax())
        if gaps[i] > FOLLOWED * size:
            name = self._arm.coordinate_names[self._held[i]]
            raise KanegenError(
                f"{self._arm.name} cannot follow the path at t = {t:.6g} s: {name} should {verb} {asked[i]:.6g}, where its "
                f"constraints allow {found[i]:.6g}. Keep within its reach, and name as many coordinates as it has degrees "
                f"of freedom, {self._arm.nv}, so that they do not contradict each other"
            )


def _passed(
    limits: Mapping[str, Any], t: FloatArray, arm: Any, q: FloatArray, rates: FloatArray, tau: FloatArray
) -> tuple[PassedLimit, ...]:
    """The limits that are passed: ranges and rates of coordinates and their followers, efforts by the names of speeds."""
    found, following = [], getattr(arm, "followers", {})
    positions = with_followers(arm.coordinate_names, q, following)
    speeds = with_followers(arm.coordinate_names, rates, following, rates=True)
    efforts = with_followers(arm.speed_names, tau, {})
    for name, its in limits.items():
        for kind, columns, lower, upper in (
            ("position", positions, its.lower, its.upper),
            ("speed", speeds, its.velocity and -its.velocity, its.velocity),
            ("effort", efforts, its.effort and -its.effort, its.effort),
        ):
            if name not in columns:
                continue
            column = columns[name]
            rows = np.flatnonzero(passed(column, lower, upper))
            if rows.size:
                by = np.maximum(
                    *(
                        np.full(t.shape, -np.inf) if x is None else s * (column - x)
                        for s, x in ((-1, lower), (1, upper))
                    )
                )
                worst = int(by.argmax())
                limit = upper if upper is not None and column[worst] > upper else lower
                found.append(
                    PassedLimit(
                        name, kind, float(limit), float(t[rows[0]]), float(column[worst]), float(t[worst])
                    )
                )
    return tuple(found)
