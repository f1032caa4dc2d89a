"""What the NumPy integrators share: the counterpart of ``csrc/kanegen_integrators.c``, with its names."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from kanegen.interpreted_dynamics import Dynamics, OpenError
from kanegen.motion import Status
from kanegen.protocols import ControllerFunction, FloatArray
from kanegen.simulation_request import Request

EPSILON = float(np.finfo(np.float64).eps)

Judge = Callable[[float, float, FloatArray, FloatArray, FloatArray], float]
"""How large a defect (n,) is against what there may be: of a step of h, at time t, at state y, where f(t, y) is the fourth
argument, the defect the fifth."""


class EndError(Exception):
    """The run cannot go on."""

    def __init__(self, status: Status) -> None:
        super().__init__(status.value)
        self.status = status


class Integration:
    """One integration under way: what is the same for every method.

    y is (q, v), with constraints (q, dq/dt); of other dynamics whatever they integrate.
    """

    def __init__(self, dynamics: Dynamics, request: Request, controller: ControllerFunction | None) -> None:
        self.request = request
        self.t = request.t0
        self.dynamics = dynamics
        self.y = self.dynamics.start(request)
        self.accepted = self.rejected = self.evaluations = self.controller_calls = 0
        self.linearisations = self.stiff_steps = self.looks = 0
        self.stiff = False
        self.defect, self.defect_t = 0.0, request.t0
        self.row_q, self.row_v, self.row_tau, self.row_y = (
            np.full((request.times.size, width), np.nan) for width in (*dynamics.widths, self.y.size)
        )
        self._controller = controller
        self._callers_errstate = np.geterr()
        self._held = np.zeros(dynamics.widths[2])
        self._rows = self._probes = 0
        self._earliest, self._latest = -math.inf, math.inf

    def rate_of_change(self, t: float, y: FloatArray) -> FloatArray:
        """dy/dt under the forces that act at time t."""
        self.evaluations += 1
        return self.dynamics.rate(y, self.tau(t, y) if self.tau_varies else self._held)

    def tau(self, t: float, y: FloatArray) -> FloatArray:
        """What the controller gives at a time and state."""
        if self._controller is None:
            return self._held
        self.controller_calls += 1
        t = min(max(t, self._earliest), self._latest)
        q, v = self.dynamics.coordinates(y).copy(), self.dynamics.speeds(y).copy()
        with np.errstate(**self._callers_errstate):
            return np.asarray(self._controller(t, q, v), dtype=np.float64)

    @property
    def tau_varies(self) -> bool:
        """Whether tau varies with time and state, rather than being none or held."""
        return self._controller is not None and self.request.sample_period == 0.0

    @property
    def held(self) -> FloatArray:
        """The force that does not vary."""
        return self._held

    def accept_step(self, t_next: float, y_next: FloatArray) -> None:
        """Make y_next, reached at t_next, the state, brought to the constraints."""
        self.t, self.y = t_next, self._projected(y_next)
        self.accepted += 1
        self.stiff_steps += self.stiff

    def write_rows_here(self) -> None:
        """Write the rows that fall on the present state."""
        times = self.request.times
        while self._rows < times.size:
            t_row = float(times[self._rows])
            if t_row > self.t and not self._same_instant(t_row, self.t):
                return
            self._write_row(self.y)

    def row_before(self, t_next: float) -> bool:
        """Whether a row or a probe falls between the present state and t_next, ends excluded."""
        return self._is_row_before(t_next) or self._is_probe_before(t_next)

    def _is_row_before(self, t_next: float) -> bool:
        return self._is_before(self._rows, self.request.times, t_next)

    def _is_probe_before(self, t_next: float) -> bool:
        return self.tau_varies and self._is_before(self._probes, self.request.probes, t_next)

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
        self.write_interpolated_rows(t_next, y_next, c3, c4, c5, judge)

    def write_interpolated_rows(
        self,
        t_next: float,
        y_next: FloatArray,
        c3: FloatArray,
        c4: FloatArray,
        c5: FloatArray | float,
        judge: Judge,
    ) -> None:
        """Write these rows by the interpolant with these coefficients, and look for defects: see the C file."""
        h = t_next - self.t
        d = y_next - self.y

        def interpolated(t: float) -> FloatArray:
            s = (t - self.t) / h
            r = 1.0 - s
            return self._projected(self.y + s * (d + r * (c3 + s * (c4 + r * c5))))

        def look(t: float, y: FloatArray, tau: FloatArray) -> None:
            s = (t - self.t) / h
            r = 1.0 - s
            inner = c4 + r * c5
            slope = d + (r - s) * (c3 + s * inner) + s * r * (inner - s * c5)
            rate = self.dynamics.rate(y, tau)
            self.looks += 1
            multiple = judge(h, t, y, rate, slope / h - rate)
            if multiple > self.defect:
                self.defect, self.defect_t = multiple, t

        while self._is_row_before(t_next):
            row, t_row = self._rows, float(self.request.times[self._rows])
            y = interpolated(t_row)
            self._write_row(y)
            if self.tau_varies:
                look(t_row, y, self.row_tau[row])
        while self._is_probe_before(t_next):
            t_probe = float(self.request.probes[self._probes])
            if t_probe > self.t:
                y = interpolated(t_probe)
                look(t_probe, y, self.tau(t_probe, y))
            self._probes += 1

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
                    self._held = self.tau(instant, self.y)
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
        try:
            return self.dynamics.projected(y)
        except OpenError:
            raise EndError(Status.OPEN) from None

    def _write_row(self, y: FloatArray) -> None:
        row = self._rows
        self.row_q[row], self.row_v[row] = self.dynamics.coordinates(y), self.dynamics.speeds(y)
        self.row_y[row] = y
        sampled = self.request.sample_period > 0.0
        self.row_tau[row] = self._held if sampled else self.tau(float(self.request.times[row]), y)
        self._rows += 1
