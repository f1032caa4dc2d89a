"""What the NumPy integrators share: the counterpart of ``csrc/kanegen_integrators.c``, with its names."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from kanegen.interpreted_dynamics import Dynamics, OpenError
from kanegen.motion import Status
from kanegen.protocols import ControllerFunction, FloatArray
from kanegen.simulation_request import Request

EPSILON = float(np.finfo(np.float64).eps)


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
        self.t = 0.0
        self.dynamics = dynamics
        self.y = self.dynamics.start(request)
        self.accepted = self.rejected = self.evaluations = self.controller_calls = 0
        self.linearisations = self.stiff_steps = 0
        self.stiff = False
        self.row_q, self.row_v, self.row_tau, self.row_y = (
            np.full((request.times.size, width), np.nan) for width in (*dynamics.widths, self.y.size)
        )
        self._controller = controller
        self._callers_errstate = np.geterr()
        self._held = np.zeros(dynamics.widths[2])
        self._rows = 0

    def rate_of_change(self, t: float, y: FloatArray) -> FloatArray:
        """dy/dt under the forces that act at time t."""
        self.evaluations += 1
        return self.dynamics.rate(y, self.tau(t, y) if self.tau_varies else self._held)

    def tau(self, t: float, y: FloatArray) -> FloatArray:
        """What the controller gives at a time and state."""
        if self._controller is None:
            return self._held
        self.controller_calls += 1
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
            if t_row > self.t and not _same_instant(t_row, self.t):
                return
            self._write_row(self.y)

    def row_before(self, t_next: float) -> bool:
        """Whether a row falls between the present state and t_next, ends excluded."""
        if self._rows >= self.request.times.size:
            return False
        t_row = float(self.request.times[self._rows])
        return t_row < t_next and not _same_instant(t_row, t_next)

    def write_rows_before(
        self,
        t_next: float,
        y_next: FloatArray,
        k_begin: FloatArray,
        k_end: FloatArray,
        c5: FloatArray | float,
    ) -> None:
        """Write these rows: the cubic Hermite interpolant, and the term that c5 adds to it."""
        h = t_next - self.t
        d = y_next - self.y
        c3 = h * k_begin - d
        c4 = d - h * k_end - c3
        self.write_interpolated_rows(t_next, y_next, c3, c4, c5)

    def write_interpolated_rows(
        self, t_next: float, y_next: FloatArray, c3: FloatArray, c4: FloatArray, c5: FloatArray | float
    ) -> None:
        """Write these rows by the interpolant with these coefficients: see the C file."""
        h = t_next - self.t
        d = y_next - self.y
        while self.row_before(t_next):
            s = (float(self.request.times[self._rows]) - self.t) / h
            r = 1.0 - s
            self._write_row(self._projected(self.y + s * (d + r * (c3 + s * (c4 + r * c5)))))

    def walk(self, advance: Callable[[float, float], None]) -> None:
        """From sample instant to sample instant, the controller called at each of them; in one go if not sampled."""
        period, t_end = self.request.sample_period, self.request.duration
        if period == 0.0:
            self.write_rows_here()
            if t_end > 0.0:
                advance(0.0, t_end)
            self.write_rows_here()
            return
        k = 0
        while True:
            instant = k * period
            if self.t < t_end or _same_instant(instant, t_end):
                self._held = self.tau(instant, self.y)
            self.write_rows_here()
            if self.t >= t_end:
                return
            following = (k + 1) * period
            stops_before_end = following < t_end and not _same_instant(following, t_end)
            t_next = following if stops_before_end else t_end
            if t_next <= self.t:
                raise EndError(Status.STEP_UNDERFLOW)
            advance(self.t, t_next)
            k += 1

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


def _same_instant(a: float, b: float) -> bool:
    """Times that differ by rounding alone."""
    return abs(a - b) <= 4.0 * EPSILON * max(abs(a), abs(b))
