"""The length of steps chosen from estimates of their errors, in NumPy: the counterpart of ``csrc/kanegen_adaptive.c``."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod

import numpy as np

from kanegen.interpreted_integration import EPSILON, EndError, Integration
from kanegen.motion import Status
from kanegen.protocols import FloatArray

_SAFETY, _SHRINK_MOST, _GROW_MOST = 0.9, 0.2, 10.0
_BETA = 0.04
_ALLOWED = 1e4
_SMALLEST_LAST_ERROR = 1e-4


class Adaptive(ABC):
    """A method that chooses its steps, with PI control.  ``k1`` is dy/dt at the present state."""

    order: float
    """The error of a step of h is in proportion to h**order."""

    def __init__(self, run: Integration) -> None:
        self.run = run
        self.k1 = run.y
        self._step_length = 0.0
        self._last_error = _SMALLEST_LAST_ERROR

    @abstractmethod
    def attempt(self, t: float, h: float) -> tuple[FloatArray, float]:
        """The state that a step leads to, and its error as a multiple of the tolerance: not a number where it failed."""

    @abstractmethod
    def write_rows_inside(self, t_next: float, y_next: FloatArray) -> None:
        """Write the rows inside the step that was tried."""

    @abstractmethod
    def accept(self, t_next: float, y_next: FloatArray, t_end: float) -> None:
        """Make y_next the state and, unless this is t_end, k1 the rate of change there."""

    def begin(self, t: float) -> None:
        """Begin a stretch on which the rate of change is smooth."""
        self.k1 = self.run.rate_of_change(t, self.run.y)

    def advance(self, t_begin: float, t_end: float) -> None:
        """Advance the state from t_begin to t_end."""
        run = self.run
        shortest_at_zero = EPSILON * EPSILON * (run.request.t_end - run.request.t0)
        alpha = 1.0 / self.order - 0.75 * _BETA
        longest = run.request.max_step
        just_rejected = False
        self.begin(t_begin)
        if not np.isfinite(self.k1).all():
            raise EndError(Status.NOT_FINITE)
        if self._step_length == 0.0:
            self._step_length = self._first_step(t_begin, t_end - t_begin)
        while run.t < t_end:
            t, proposed = run.t, self._step_length
            lands = t_end - t <= min(1.01 * proposed, (1.0 + 1e-9) * longest)
            t_next = t_end if lands else t + min(proposed, longest)
            h = t_next - t
            if run.accepted + run.rejected >= run.request.max_steps:
                raise EndError(Status.TOO_MANY_STEPS)
            if t_next <= t:
                raise EndError(Status.STEP_UNDERFLOW)
            y_next, error = self.attempt(t, h)
            if not error <= 1.0:
                run.rejected += 1
                just_rejected = True
                failed = math.isnan(error)
                shrink = 0.0 if failed else _SAFETY * math.pow(error, -alpha)
                self._step_length = h * max(_SHRINK_MOST, shrink)
                if self._step_length <= max(shortest_at_zero, 10.0 * EPSILON * abs(t)):
                    raise EndError(Status.NOT_FINITE if failed else Status.STEP_UNDERFLOW)
                continue
            self._step_length = h * min(1.0 if just_rejected else _GROW_MOST, self._growth(error, alpha))
            if lands:
                self._step_length = max(self._step_length, proposed)
            self._last_error = max(error, _SMALLEST_LAST_ERROR)
            just_rejected = False
            if run.row_before(t_next):
                self.write_rows_inside(t_next, y_next)
            self.accept(t_next, y_next, t_end)
            if t_next < t_end:
                run.write_rows_here()

    def adaptive_defect(self, x: FloatArray, y_next: FloatArray) -> float:
        """How large x, a defect times the length of the step, is against what such methods leave: see the C file."""
        return self.scaled_norm(x, self.run.y, y_next) / _ALLOWED

    def scaled_norm(self, x: FloatArray, a: FloatArray, b: FloatArray) -> float:
        """Size of x against the tolerance at states a and b."""
        ratio = x / self.tolerances(a, b)
        return math.sqrt(float(np.sum(ratio * ratio)) / ratio.size)

    def tolerances(self, a: FloatArray, b: FloatArray) -> FloatArray:
        """The error that each entry may have."""
        request = self.run.request
        size = np.maximum(np.abs(a), np.abs(b))
        for start in request.quaternions:
            size[start : start + 4] = 1.0  # whatever an entry is, the quaternion has this length
        tolerances: FloatArray = request.atol + request.rtol * size
        return tolerances

    def _growth(self, error: float, alpha: float) -> float:
        if error == 0.0:
            return _GROW_MOST
        return max(_SHRINK_MOST, _SAFETY * math.pow(error, -alpha) * math.pow(self._last_error, _BETA))

    def _first_step(self, t: float, h_max: float) -> float:
        y, k1 = self.run.y, self.k1
        d0, d1 = self.scaled_norm(y, y, y), self.scaled_norm(k1, y, y)
        tells = d0 >= 1e-5 and d1 >= 1e-5 and math.isfinite(d0) and math.isfinite(d1)
        h0 = min(h_max, 0.01 * d0 / d1 if tells else 1e-6)
        k2 = self.run.rate_of_change(t + h0, y + h0 * k1)
        d2 = self.scaled_norm(k2 - k1, y, y) / h0 if h0 > 0.0 else math.nan
        if not math.isfinite(d2):
            return h0
        steepest = max(d1, d2)
        h1 = max(1e-6, 1e-3 * h0) if steepest <= 1e-15 else math.pow(0.01 / steepest, 1.0 / self.order)
        return min(h_max, 100.0 * h0, h1)
