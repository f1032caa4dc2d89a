"""What the NumPy integrators share, for machines without a compiler: the equations that they integrate, and the walk.

The counterparts of ``csrc/kanegen_constraints.c``, ``kanegen_steps.c``, ``kanegen_rows.c`` and ``kanegen_driver.c``, with
their names; the comments are there.  Results are those of C up to rounding.
"""

from __future__ import annotations

import math
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol

import numpy as np

from kanegen.arrays import FloatArray
from kanegen.quaternions import normalised
from kanegen.simulation.arm import (
    ENERGIES,
    SimulatedArm,
    active_constraints,
    constraint_units,
    kernel_function,
)
from kanegen.simulation.calls_from_c import progress_result
from kanegen.simulation.controllers import Force
from kanegen.simulation.motion import Status
from kanegen.simulation.request import Request

EPSILON = float(np.finfo(np.float64).eps)

MOST_PROJECTIONS = 8
MARGIN = 1e-3


class OpenError(Exception):
    """A state cannot be brought back to the constraints."""


class Dynamics(Protocol):
    """A state y, and how it changes."""

    @property
    def time(self) -> FloatArray | None:
        """Where its kernels find the time (); None where nothing depends on it."""

    @property
    def widths(self) -> tuple[int, int, int]:
        """How many coordinates, speeds and forces there are."""

    @property
    def drift(self) -> float | None:
        """How far states were found from the constraints at most; None where there are none."""

    def start(self, request: Request) -> FloatArray:
        """The state to begin with."""

    def coordinates(self, y: FloatArray) -> FloatArray:
        """The coordinates q at a state."""

    def rate(self, y: FloatArray, tau: FloatArray) -> FloatArray:
        """dy/dt under the forces tau."""

    def speeds(self, y: FloatArray) -> FloatArray:
        """The speeds v at a state."""

    def projected(self, y: FloatArray) -> FloatArray:
        """The state brought back to the constraints.  Raises OpenError."""


class WithEnergies(ABC):
    """The energies of a mechanism."""

    def __init__(self, arm: SimulatedArm) -> None:
        self._energies = [kernel_function(arm, name) for name in ENERGIES if name in arm.kernels]

    def energies(self, y: FloatArray) -> tuple[float, float]:
        """Kinetic and potential energy."""
        kinetic, potential = self._energies
        q, v = self.coordinates(y), self.speeds(y)
        return float(kinetic(q, v)[0]), float(potential(q)[0])

    @abstractmethod
    def coordinates(self, y: FloatArray) -> FloatArray:
        """The coordinates q at a state."""

    @abstractmethod
    def speeds(self, y: FloatArray) -> FloatArray:
        """The speeds v at a state."""


def dynamics_of(arm: SimulatedArm, request: Request) -> Dynamics:
    """The equations of a mechanism."""
    if active_constraints(arm) is None:
        return TreeDynamics(arm, request.quaternions)
    return ConstrainedDynamics(arm, request.drift)


def _time_of(arm: SimulatedArm) -> FloatArray | None:
    return np.zeros(()) if arm.depends_on_time else None


class TreeDynamics(WithEnergies):
    """y = (q, v), dy/dt = (N(q) v, a(q, v, tau)); quaternions in q are kept at length one."""

    drift = None

    def __init__(self, arm: SimulatedArm, quaternions: Sequence[int]) -> None:
        super().__init__(arm)
        self._quaternions = quaternions
        self._nq = arm.nq
        self.widths = (arm.nq, arm.nv, arm.nv)
        self.time = _time_of(arm)
        self._accelerations = kernel_function(arm, "forward_dynamics", self.time)
        self._rates = None if arm.speeds_are_rates else kernel_function(arm, "coordinate_rates", self.time)

    def start(self, request: Request) -> FloatArray:
        """The state to begin with."""
        return np.concatenate([request.q0, request.v0])

    def coordinates(self, y: FloatArray) -> FloatArray:
        """The coordinates, which are part of the state."""
        return y[: self._nq]

    def rate(self, y: FloatArray, tau: FloatArray) -> FloatArray:
        """dy/dt under the forces tau."""
        q, v = y[: self._nq], y[self._nq :]
        qdot = v if self._rates is None else self._rates(q, v)[0]
        return np.concatenate([qdot, self._accelerations(q, v, tau)[0]])

    def speeds(self, y: FloatArray) -> FloatArray:
        """The speeds, which are part of the state."""
        return y[self._nq :]

    def projected(self, y: FloatArray) -> FloatArray:
        """The state with its quaternions at length one."""
        return normalised(y, self._quaternions)


class ConstrainedDynamics(WithEnergies):
    """y = (q, dq/dt); the accelerations come with multipliers, and states are projected onto the constraints."""

    def __init__(self, arm: SimulatedArm, bound: float) -> None:
        super().__init__(arm)
        self._nq = arm.nq
        self.widths = (arm.nq, arm.nv, arm.nv)
        self._bound = bound
        self.time = time = _time_of(arm)
        self._multiplier_dynamics = kernel_function(arm, "multiplier_dynamics", time)
        self._generalized_speeds = kernel_function(arm, "generalized_speeds", time)
        self._projection = kernel_function(arm, "constraint_projection", time)
        constraints = active_constraints(arm)
        has_residual = constraints is not None and constraints.position
        self._residual = kernel_function(arm, "constraint_residual", time) if has_residual else None
        self._units = None if constraints is None else constraint_units(arm, constraints)
        self.drift = 0.0

    def start(self, request: Request) -> FloatArray:
        """The state to begin with."""
        assert request.rates0 is not None  # there are constraints
        return np.concatenate([request.q0, request.rates0])

    def coordinates(self, y: FloatArray) -> FloatArray:
        """The coordinates, which are part of the state."""
        return y[: self._nq]

    def rate(self, y: FloatArray, tau: FloatArray) -> FloatArray:
        """dy/dt under the forces tau."""
        qddot, _ = self._multiplier_dynamics(*self._halves(y), tau)
        return np.concatenate([y[self._nq :], qddot])

    def speeds(self, y: FloatArray) -> FloatArray:
        """The speeds v(q, dq/dt)."""
        return self._generalized_speeds(*self._halves(y))[0]

    def projected(self, y: FloatArray) -> FloatArray:
        """The state brought back to the constraints.  Raises OpenError."""
        y, distance = brought_back(y, self._bound, self._projected_once)
        self.drift = max(self.drift, distance)
        return y

    def _projected_once(self, y: FloatArray) -> tuple[FloatArray, float]:
        following = np.concatenate(self._projection(*self._halves(y)))
        phi = np.zeros(0) if self._residual is None else self._residual(following[: self._nq])[0]
        assert self._units is not None  # there are constraints
        return following, distance_from(following[self._nq :], y[self._nq :], phi, *self._units)

    def _halves(self, y: FloatArray) -> tuple[FloatArray, FloatArray]:
        return y[: self._nq], y[self._nq :]


def brought_back(
    y: FloatArray, bound: float, once: Callable[[FloatArray], tuple[FloatArray, float]]
) -> tuple[FloatArray, float]:
    """The state projected until its distance from the constraints is below ``bound``, and that.  Raises OpenError."""
    distance = np.inf
    for _ in range(MOST_PROJECTIONS):
        before = distance
        following, distance = once(y)
        if not np.isfinite(distance):
            break
        y = following
        if not distance > MARGIN * bound or before <= distance <= bound:
            break
    if not distance <= bound:
        raise OpenError
    return y, distance


def distance_from(
    rates: FloatArray,
    rates_before: FloatArray,
    phi: FloatArray,
    units: FloatArray | float = 1.0,
    coordinate_units: FloatArray | float = 1.0,
) -> float:
    """Of a projected state: the correction of its rates, relative where these exceed one, or the residual if larger."""
    correction = float((np.abs(rates - rates_before) / coordinate_units).max())
    fastest = max(1.0, float((np.abs(rates) / coordinate_units).max()))
    return float(np.maximum(correction / fastest, (np.abs(phi) / units).max(initial=0.0)))


Judge = Callable[[float, float, FloatArray, FloatArray, FloatArray], float]
"""How large a defect (n,) is against what there may be: of a step of h, at time t, at state y, where f(t, y) is the fourth
argument, the defect the fifth."""


WrenchOf = tuple[Callable[[float, FloatArray, FloatArray], FloatArray], Callable[..., tuple[FloatArray, ...]]]
"""A wrench (6,) at a time and state (q, v), and the kernel of the Jacobian of its frame at q."""


class Rows(NamedTuple):
    """Times, coordinates, speeds, forces, states, states of the law, and works in the rows."""

    t: FloatArray
    q: FloatArray
    v: FloatArray
    tau: FloatArray
    y: FloatArray
    x: FloatArray
    work: FloatArray


BETWEEN_PROGRESS = 0.05
"""Seconds between two reports of progress."""


class EndError(Exception):
    """The run cannot go on."""

    def __init__(self, status: Status) -> None:
        super().__init__(status.value)
        self.status = status


class Integration:
    """One integration under way: what is the same for every method.

    y is (q, v), with constraints (q, dq/dt), and of other dynamics whatever they integrate; then come the states x of the
    law.  Behind these n numbers come the works of the forces and of the wrenches, which have no part in errors.  A force is
    (tau, dx/dt); with wrenches, tau is what they and the controller do together, and the part of the controller and the
    powers of the wrenches follow.
    """

    def __init__(
        self,
        dynamics: Dynamics,
        request: Request,
        controller: Force | None,
        x0: FloatArray,
        works: bool,
        wrenches: Sequence[WrenchOf] = (),
    ) -> None:
        self.request = request
        self.t = request.t0
        self.dynamics = dynamics
        self._nv, self._nx = dynamics.widths[2], x0.size
        state = np.concatenate([self.dynamics.start(request), x0])
        self.n = state.size
        self.y = np.concatenate([state, np.zeros((self._nv + len(wrenches)) * works)])
        self._wrenches = wrenches
        self.accepted = self.rejected = self.evaluations = self.controller_calls = 0
        self.stiff_steps = self.looks = 0
        self.stiff = False
        self.defect, self.defect_t = 0.0, request.t0
        self._written: list[tuple[float, FloatArray, FloatArray, FloatArray, FloatArray]] = []
        self._controller = controller
        self._callers_errstate = np.geterr()
        self._held = np.zeros(self._nv + self._nx)
        self._probes = 0
        self._has_row = False
        self._told = -math.inf
        self._earliest, self._latest = -math.inf, math.inf

    def rate_of_change(self, t: float, y: FloatArray) -> FloatArray:
        """dy/dt under the forces that act at time t."""
        self.evaluations += 1
        self._at(t)
        force = self.force(t, y)
        rate = self.rate_under(y, force)
        if y.size == self.n:
            return rate
        driven = self._controller is not None
        tau = self._of_controller(force)
        power = tau * self.dynamics.speeds(self._of_mechanism(y)) if driven else np.zeros(self._nv)
        return np.concatenate([rate, power, force[2 * self._nv + self._nx :]])

    def rate_under(self, y: FloatArray, force: FloatArray) -> FloatArray:
        """dy/dt under a force."""
        rate = self.dynamics.rate(self._of_mechanism(y), force[: self._nv])
        return np.concatenate([rate, force[self._nv : self._nv + self._nx]]) if self._nx else rate

    def _at(self, t: float) -> None:
        """Make it a time for the kernels of the mechanism, whatever is called next."""
        if self.dynamics.time is not None:
            self.dynamics.time[...] = min(max(t, self._earliest), self._latest)

    def _of_mechanism(self, y: FloatArray) -> FloatArray:
        """The state but for those of the law, and for works."""
        return y[: self.n - self._nx]

    def force(self, t: float, y: FloatArray) -> FloatArray:
        """The force at a time and state: that of the controller, or the one held, and of the wrenches."""
        self._at(t)
        force = self._held if self.request.sample_period > 0.0 else self._controlled(t, y)
        if not self._wrenches:
            return force
        t, q, v = self._seen(t, y)
        with np.errstate(**self._callers_errstate):
            acting = [
                jacobian(q)[0].reshape(6, -1).T @ wrench(t, q, v) for wrench, jacobian in self._wrenches
            ]
        tau = force[: self._nv]
        powers = [forces @ v for forces in acting]
        return np.concatenate([tau + sum(acting), force[self._nv :], tau, powers])

    def _controlled(self, t: float, y: FloatArray) -> FloatArray:
        """What the controller gives at a time and state."""
        if self._controller is None:
            return self._held
        self.controller_calls += 1
        self._at(t)
        t, q, v = self._seen(t, y)
        with np.errstate(**self._callers_errstate):
            return self._controller(t, q, v, y[self.n - self._nx : self.n].copy())

    def _seen(self, t: float, y: FloatArray) -> tuple[float, FloatArray, FloatArray]:
        """The time and state that functions of users are given."""
        own = self._of_mechanism(y)
        q, v = self.dynamics.coordinates(own).copy(), self.dynamics.speeds(own).copy()
        return min(max(t, self._earliest), self._latest), q, v

    def _of_controller(self, force: FloatArray) -> FloatArray:
        """The forces of the controller alone, in a force."""
        start = self._nv + self._nx if self._wrenches else 0
        return force[start : start + self._nv]

    @property
    def force_varies(self) -> bool:
        """Whether the force varies with time and state, rather than being none or held."""
        controlled = self._controller is not None and self.request.sample_period == 0.0
        return controlled or bool(self._wrenches)

    def accept_step(self, t_next: float, y_next: FloatArray) -> None:
        """Make y_next, reached at t_next, the state, brought to the constraints."""
        self._at(t_next)
        self.t, self.y = t_next, self._projected(y_next)
        self.accepted += 1
        self._has_row = False
        self.stiff_steps += self.stiff

    def energies(self) -> tuple[float, float]:
        """Kinetic and potential energy of the present state."""
        assert isinstance(self.dynamics, WithEnergies)  # whose balance is kept
        return self.dynamics.energies(self._of_mechanism(self.y))

    def scale_rates(self, factor: float) -> None:
        """Multiply the rates in the present state."""
        self.y[self.dynamics.widths[0] : self.n - self._nx] *= factor

    def may_step(self) -> None:
        """Whether one more step may be taken.  Raises EndError."""
        request = self.request
        if self.accepted + self.rejected >= request.max_steps:
            raise EndError(Status.TOO_MANY_STEPS)
        if request.progress is not None and time.perf_counter() - self._told > BETWEEN_PROGRESS:
            self._told = time.perf_counter()
            if progress_result(request.progress, self.t):
                raise EndError(Status.STOPPED)

    def write_rows_here(self) -> None:
        """Write the rows that fall on the present state."""
        times, every = self.request.times, self.request.every
        if every:
            if not self._has_row and self.accepted % every == 0:
                self._has_row = True
                self._write_row(self.t, self.y)
            return
        while len(self._written) < times.size:
            t_row = float(times[len(self._written)])
            if t_row > self.t and not self._same_instant(t_row, self.t):
                return
            self._write_row(t_row, self.y)

    def row_before(self, t_next: float) -> bool:
        """Whether a row or a probe falls between the present state and t_next, ends excluded."""
        return self._is_row_before(t_next) or self._is_probe_before(t_next)

    def _is_row_before(self, t_next: float) -> bool:
        return self._is_before(len(self._written), self.request.times, t_next)

    def _is_probe_before(self, t_next: float) -> bool:
        return self.force_varies and self._is_before(self._probes, self.request.probes, t_next)

    def _is_before(self, index: int, times: FloatArray, t_next: float) -> bool:
        return index < times.size and times[index] < t_next and not self._same_instant(times[index], t_next)

    def write_rows_before(
        self,
        t_next: float,
        y_next: FloatArray,
        k_begin: FloatArray,
        k_end: FloatArray,
        c5: FloatArray | float,
        judge: Judge,
    ) -> None:
        """Write these rows: the cubic Hermite interpolant, and the term that c5 adds to it; look for defects."""
        h = t_next - self.t
        d = y_next - self.y
        c3 = h * k_begin - d
        c4 = d - h * k_end - c3

        def interpolated(t: float) -> FloatArray:
            s = (t - self.t) / h
            r = 1.0 - s
            self._at(t)
            return self._projected(self.y + s * (d + r * (c3 + s * (c4 + r * c5))))

        def look(t: float, y: FloatArray, force: FloatArray) -> None:
            s = (t - self.t) / h
            r = 1.0 - s
            inner = c4 + r * c5
            slope = d + (r - s) * (c3 + s * inner) + s * r * (inner - s * c5)
            rate = self.rate_under(y, force)
            self.looks += 1
            multiple = judge(h, t, y, rate, slope[: self.n] / h - rate)
            if multiple > self.defect:
                self.defect, self.defect_t = multiple, t

        while self._is_row_before(t_next):
            t_row = float(self.request.times[len(self._written)])
            y = interpolated(t_row)
            force = self._write_row(t_row, y)
            if self.force_varies:
                look(t_row, y, force)
        while self._is_probe_before(t_next):
            t_probe = float(self.request.probes[self._probes])
            if t_probe > self.t:
                y = interpolated(t_probe)
                look(t_probe, y, self.force(t_probe, y))
            self._probes += 1

    def write_rows_inside(self, t_next: float, inside: Callable[[float], FloatArray]) -> None:
        """Write the rows before t_next from what interpolates the states inside a step."""
        while self._is_row_before(t_next):
            t_row = float(self.request.times[len(self._written)])
            y = inside(t_row)
            self._at(t_row)
            self._write_row(t_row, self._projected(y))

    def walk(self, advance: Callable[[float, float], None]) -> None:
        """From instant to instant: sample instants, at each of which the controller is called, and breaks.

        On the way to a break the controller sees no time from there on: see the C file.
        """
        request = self.request
        period, t_end = request.sample_period, request.t_end
        samples, breaks = 0, list(request.breaks)
        while True:
            while breaks and self._is_reached(breaks[0]):
                self._earliest = breaks.pop(0)
            if period > 0.0:
                instant = request.t0 + samples * period
                if self._is_reached(instant):
                    self._held = self._controlled(instant, self.y)
                    samples += 1
            self.write_rows_here()
            if self.t >= t_end:
                return
            t_next = t_end
            if period > 0.0:
                t_next = self._sooner(request.t0 + samples * period, t_next)
            if breaks:
                t_next = self._sooner(breaks[0], t_next)
            if t_next <= self.t:
                raise EndError(Status.STEP_UNDERFLOW)
            self._latest = t_next
            if breaks and self._same_instant(breaks[0], t_next):
                self._latest = math.nextafter(min(breaks[0], t_next), -math.inf)
            advance(self.t, t_next)
            self._latest = math.inf

    def _is_reached(self, instant: float) -> bool:
        return instant <= self.t or self._same_instant(instant, self.t)

    def _sooner(self, instant: float, t_next: float) -> float:
        return instant if instant < t_next and not self._same_instant(instant, t_next) else t_next

    def _same_instant(self, a: float, b: float) -> bool:
        """Times that differ by rounding alone."""
        return abs(a - b) <= 4.0 * EPSILON * max(abs(a), abs(b), abs(self.request.t0))

    def _projected(self, y: FloatArray) -> FloatArray:
        own = self._of_mechanism(y)
        try:
            projected = self.dynamics.projected(own)
        except OpenError:
            raise EndError(Status.OPEN) from None
        return np.concatenate([projected, y[own.size :]]) if y.size > own.size else projected

    def _write_row(self, t: float, y: FloatArray) -> FloatArray:
        """The force that acts there."""
        own, force = self._of_mechanism(y), self.force(t, y)
        q, v = self.dynamics.coordinates(own), self.dynamics.speeds(own)
        self._written.append((t, q.copy(), v.copy(), self._of_controller(force).copy(), y.copy()))
        return force

    def rows(self) -> Rows:
        """What was written; the rows at times that were not reached are not a number."""
        times = np.array([row[0] for row in self._written])
        if not self.request.every:
            times = self.request.times
        columns = [np.full((times.size, width), np.nan) for width in (*self.dynamics.widths, self.y.size)]
        for k, (_, *values) in enumerate(self._written):
            for column, value in zip(columns, values, strict=True):
                column[k] = value
        q, v, tau, y = columns
        return Rows(times, q, v, tau, y, y[:, self.n - self._nx : self.n], y[:, self.n :])
