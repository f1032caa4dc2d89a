"""Simulation in NumPy: the two schemes of ``csrc/``, step for step, for mechanisms without compiled kernels.

The names are those of the C files, which say where the methods come from. Results are those of C up to rounding; tests
hold the two against each other.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from kanegen.interpreted_dynamics import Dynamics, dynamics_of
from kanegen.interpreted_integration import EPSILON, EndError, Integration
from kanegen.motion import Motion, Statistics, Status
from kanegen.protocols import ControllerFunction, FloatArray, SimulatedArm
from kanegen.simulation_request import Request

# Dormand-Prince 5(4): nodes, coefficients (the last row being the weights of order 5), weights of the error, and
# weights of the interpolant's fifth coefficient.
_C = (0.0, 1 / 5, 3 / 10, 4 / 5, 8 / 9, 1.0, 1.0)
_A = (
    (),
    (1 / 5,),
    (3 / 40, 9 / 40),
    (44 / 45, -56 / 15, 32 / 9),
    (19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729),
    (9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656),
    (35 / 384, 0.0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84),
)
_E = (71 / 57600, 0.0, -71 / 16695, 71 / 1920, -17253 / 339200, 22 / 525, -1 / 40)
_D = (
    -12715105075 / 11282082432,
    0.0,
    87487479700 / 32700410799,
    -10690763975 / 1880347072,
    701980252875 / 199316789632,
    -1453857185 / 822651844,
    69997945 / 29380423,
)

_SAFETY, _SHRINK_MOST, _GROW_MOST = 0.9, 0.2, 10.0
_BETA, _ALPHA = 0.04, 0.17
_SMALLEST_LAST_ERROR = 1e-4


def simulate_interpreted(
    arm: SimulatedArm, request: Request, controller: ControllerFunction | None
) -> Motion:
    """Run the request in NumPy. Exceptions of the controller pass through."""
    run, statistics = integrate(dynamics_of(arm, request), request, controller)
    return Motion(
        t=request.times,
        q=run.row_q,
        v=run.row_v,
        tau=run.row_tau,
        statistics=statistics,
        drift=run.dynamics.drift,
    )


def integrate(
    dynamics: Dynamics, request: Request, controller: ControllerFunction | None
) -> tuple[Integration, Statistics]:
    """Carry an integration as far as it goes: its rows, and what it did. Exceptions of the controller pass through."""
    run = Integration(dynamics, request, controller)
    advance: Callable[[float, float], None]
    advance = _RungeKutta4(run).advance if request.method == "rk4" else _DormandPrince(run).advance
    status = Status.DONE
    # Steps are checked for values that are not finite: NumPy need not warn of them, except in the controller.
    with np.errstate(all="ignore"):
        try:
            run.walk(advance)
        except EndError as ended:
            status = ended.status
    statistics = Statistics(
        status=status,
        t=run.t,
        accepted=run.accepted,
        rejected=run.rejected,
        evaluations=run.evaluations,
        controller_calls=run.controller_calls,
        compiled=False,
    )
    return run, statistics


class _RungeKutta4:
    """The classical method with equal steps."""

    def __init__(self, run: Integration) -> None:
        self._run = run

    def advance(self, t_begin: float, t_end: float) -> None:
        """Advance the state from t_begin to t_end."""
        run = self._run
        count = max(1.0, float(np.ceil((t_end - t_begin) / run.request.step - 1e-9)))
        h = (t_end - t_begin) / count
        k1: FloatArray | None = None
        i = 0
        while i < count:
            t = run.t
            t_next = t_begin + (i + 1) * h if i + 1 < count else t_end
            if run.accepted >= run.request.max_steps:
                raise EndError(Status.TOO_MANY_STEPS)
            if t_next <= t:
                raise EndError(Status.STEP_UNDERFLOW)
            begin = run.rate_of_change(t, run.y) if k1 is None else k1
            y_next = self._step(t, t_next - t, begin)
            if not np.isfinite(y_next).all():
                raise EndError(Status.NOT_FINITE)
            k1 = None
            if run.row_before(t_next):
                k1 = run.rate_of_change(t_next, y_next)
                run.write_rows_before(t_next, y_next, begin, k1, 0.0)
            run.accept_step(t_next, y_next)
            if run.dynamics.drift is not None:
                k1 = None  # the state was projected since
            if t_next < t_end:
                run.write_rows_here()
            i += 1

    def _step(self, t: float, h: float, k1: FloatArray) -> FloatArray:
        y, rate_of_change = self._run.y, self._run.rate_of_change
        k2 = rate_of_change(t + 0.5 * h, y + 0.5 * h * k1)
        k3 = rate_of_change(t + 0.5 * h, y + 0.5 * h * k2)
        k4 = rate_of_change(t + h, y + h * k3)
        return y + h / 6.0 * (k1 + 2.0 * (k2 + k3) + k4)


class _DormandPrince:
    """The method of order 5(4) with PI control of the step."""

    def __init__(self, run: Integration) -> None:
        self._run = run
        self._step_length = 0.0
        self._last_error = _SMALLEST_LAST_ERROR

    def advance(self, t_begin: float, t_end: float) -> None:
        """Advance the state from t_begin to t_end."""
        run = self._run
        shortest_at_zero = EPSILON * EPSILON * run.request.duration
        just_rejected = False
        k1 = run.rate_of_change(t_begin, run.y)
        if not np.isfinite(k1).all():
            raise EndError(Status.NOT_FINITE)
        if self._step_length == 0.0:
            self._step_length = self._first_step(t_begin, t_end - t_begin, k1)
        while run.t < t_end:
            t, proposed = run.t, self._step_length
            lands = t + 1.01 * proposed >= t_end
            t_next = t_end if lands else t + proposed
            h = t_next - t
            if run.accepted + run.rejected >= run.request.max_steps:
                raise EndError(Status.TOO_MANY_STEPS)
            if t_next <= t:
                raise EndError(Status.STEP_UNDERFLOW)
            y_next, k = self._stages(t, h, k1)
            error = self._error(h, k, y_next)
            if not error <= 1.0:
                run.rejected += 1
                just_rejected = True
                finite = math.isfinite(error)
                shrink = _SAFETY * math.pow(error, -_ALPHA) if finite else 0.0
                self._step_length = h * max(_SHRINK_MOST, shrink)
                if self._step_length <= max(shortest_at_zero, 10.0 * EPSILON * abs(t)):
                    raise EndError(Status.STEP_UNDERFLOW if finite else Status.NOT_FINITE)
                continue
            self._step_length = h * min(1.0 if just_rejected else _GROW_MOST, self._growth(error))
            if lands:
                self._step_length = max(self._step_length, proposed)
            self._last_error = max(error, _SMALLEST_LAST_ERROR)
            just_rejected = False
            if run.row_before(t_next):
                run.write_rows_before(t_next, y_next, k1, k[6], h * _weighted(_D, k))
            run.accept_step(t_next, y_next)
            k1 = k[6]
            if run.dynamics.drift is not None and t_next < t_end:
                k1 = run.rate_of_change(t_next, run.y)  # the state was projected since
            if t_next < t_end:
                run.write_rows_here()

    def _stages(self, t: float, h: float, k1: FloatArray) -> tuple[FloatArray, list[FloatArray]]:
        """The state the step leads to, and its seven stages; the last is the rate of change there."""
        k = [k1]
        y_stage = self._run.y
        for c, a in zip(_C[1:], _A[1:], strict=True):
            y_stage = self._run.y + h * _weighted(a, k)
            k.append(self._run.rate_of_change(t + c * h, y_stage))
        return y_stage, k

    def _growth(self, error: float) -> float:
        if error == 0.0:
            return _GROW_MOST
        return max(_SHRINK_MOST, _SAFETY * math.pow(error, -_ALPHA) * math.pow(self._last_error, _BETA))

    def _scaled_norm(self, x: FloatArray, a: FloatArray, b: FloatArray) -> float:
        request = self._run.request
        size = np.maximum(np.abs(a), np.abs(b))
        for start in request.quaternions:
            size[start : start + 4] = 1.0  # whatever an entry is, the quaternion has this length
        ratio = x / (request.atol + request.rtol * size)
        return math.sqrt(float(np.sum(ratio * ratio)) / ratio.size)

    def _error(self, h: float, k: list[FloatArray], y_next: FloatArray) -> float:
        if not np.isfinite(y_next).all():
            return math.nan
        return self._scaled_norm(h * _weighted(_E, k), self._run.y, y_next)

    def _first_step(self, t: float, h_max: float, k1: FloatArray) -> float:
        y = self._run.y
        d0, d1 = self._scaled_norm(y, y, y), self._scaled_norm(k1, y, y)
        h0 = min(h_max, 1e-6 if d0 < 1e-5 or d1 < 1e-5 else 0.01 * d0 / d1)
        k2 = self._run.rate_of_change(t + h0, y + h0 * k1)
        d2 = self._scaled_norm(k2 - k1, y, y) / h0 if h0 > 0.0 else math.nan
        if not math.isfinite(d2):
            return h0
        steepest = max(d1, d2)
        h1 = max(1e-6, 1e-3 * h0) if steepest <= 1e-15 else math.pow(0.01 / steepest, 1.0 / 5.0)
        return min(h_max, 100.0 * h0, h1)


def _weighted(weights: tuple[float, ...], k: list[FloatArray]) -> FloatArray:
    """Sum of the stages with these weights, in their order."""
    total = weights[0] * k[0]
    for weight, stage in zip(weights[1:], k[1:], strict=True):
        if weight != 0.0:
            total = total + weight * stage
    return total
