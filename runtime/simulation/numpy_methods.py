"""Dormand and Prince's method in NumPy, and what simulates without a compiler, or by others' integrators.

The counterpart of ``csrc/kanegen_dopri5.c`` and ``kanegen_adaptive.c``, step for step and with their names; these say where
the method comes from.  Results are those of C up to rounding; tests hold the two against each other.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

import numpy as np

from kanegen.arrays import FloatArray
from kanegen.simulation.arm import SimulatedArm, kernel_function
from kanegen.simulation.controllers import Force
from kanegen.simulation.foreign_methods import ForeignMethod
from kanegen.simulation.motion import Motion, Statistics, Status
from kanegen.simulation.numpy_equal_steps import Gauss4, RungeKutta4
from kanegen.simulation.numpy_integration import (
    EPSILON,
    Dynamics,
    EndError,
    Integration,
    WrenchOf,
    dynamics_of,
)
from kanegen.simulation.request import Request

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
_ORDER = 5.0

_SAFETY, _SHRINK_MOST, _GROW_MOST = 0.9, 0.2, 10.0
_BETA = 0.04
_ALLOWED = 1e4
_SMALLEST_LAST_ERROR = 1e-4
_STABLE, _FASTER = 1.0, 4.0


class DormandPrince:
    """The method of order 5(4), its steps chosen by PI control."""

    def __init__(self, run: Integration) -> None:
        self._run = run
        self._k1 = run.y
        self._k = [run.y]
        self._step_length = 0.0
        self._last_error = _SMALLEST_LAST_ERROR

    def advance(self, t_begin: float, t_end: float) -> None:
        """Advance the state from t_begin to t_end."""
        run = self._run
        shortest_at_zero = EPSILON * EPSILON * (run.request.t_end - run.request.t0)
        alpha = 1.0 / _ORDER - 0.75 * _BETA
        longest = run.request.max_step
        just_rejected = False
        self._k1 = run.rate_of_change(t_begin, run.y)
        if not np.isfinite(self._k1).all():
            raise EndError(Status.NOT_FINITE)
        if self._step_length == 0.0:
            self._step_length = self._first_step(t_begin, t_end - t_begin)
        while run.t < t_end:
            t, proposed = run.t, self._step_length
            lands = t_end - t <= min(1.01 * proposed, (1.0 + 1e-9) * longest)
            t_next = t_end if lands else t + min(proposed, longest)
            h = t_next - t
            run.may_step()
            if t_next <= t:
                raise EndError(Status.STEP_UNDERFLOW)
            y_next, error = self._attempt(t, h)
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
                self._write_rows_inside(t_next, y_next)
            self._accept(t_next, y_next, t_end)
            if t_next < t_end:
                run.write_rows_here()

    def _attempt(self, t: float, h: float) -> tuple[FloatArray, float]:
        """One step; the last of its stages is the rate of change at its end."""
        run, k = self._run, [self._k1]
        y_before = y_stage = run.y
        for c, a in zip(_C[1:], _A[1:], strict=True):
            y_before, y_stage = y_stage, run.y + h * _weighted(a, k)
            k.append(run.rate_of_change(t + c * h, y_stage))
        self._k = k
        if not np.isfinite(y_stage).all():
            return y_stage, math.nan
        run.stiff = self._is_stiff(h, y_before, y_stage)
        return y_stage, self._scaled_norm(h * _weighted(_E, k), run.y, y_stage)

    def _write_rows_inside(self, t_next: float, y_next: FloatArray) -> None:
        """Write the rows inside the step that was tried."""
        run, k = self._run, self._k
        c5 = (t_next - run.t) * _weighted(_D, k)

        def judge(h: float, t: float, y: FloatArray, rate: FloatArray, defect: FloatArray) -> float:
            del t, y, rate
            return self._scaled_norm(h * defect, run.y, y_next) / _ALLOWED

        run.write_rows_before(t_next, y_next, k[0], k[6], c5, judge)

    def _accept(self, t_next: float, y_next: FloatArray, t_end: float) -> None:
        """Make y_next the state, and its last stage the first of the next step."""
        run = self._run
        run.accept_step(t_next, y_next)
        self._k1 = self._k[6]
        if run.dynamics.drift is not None and t_next < t_end:
            self._k1 = run.rate_of_change(t_next, run.y)  # the state was projected since

    def _is_stiff(self, h: float, y6: FloatArray, y7: FloatArray) -> bool:
        """Whether the step was limited by the stability of the method rather than by its error."""
        y1, k1, k6, k7 = self._run.y, self._k1, self._k[5], self._k[6]
        n = self._run.n
        weight = 1.0 / self._tolerances(y1, y7) ** 2
        change, distance, motion_change, motion_distance = (
            float(np.sum(weight * x[:n] ** 2)) for x in (k7 - k6, y7 - y6, k7 - k1, y7 - y1)
        )
        if not (distance > 0.0 and h * h * change >= _STABLE * _STABLE * distance):
            return False
        return change * motion_distance >= _FASTER * _FASTER * motion_change * distance

    def _scaled_norm(self, x: FloatArray, a: FloatArray, b: FloatArray) -> float:
        """Size of x against the tolerance at states a and b."""
        ratio = x[: self._run.n] / self._tolerances(a, b)
        return math.sqrt(float(np.sum(ratio * ratio)) / ratio.size)

    def _tolerances(self, a: FloatArray, b: FloatArray) -> FloatArray:
        """The error that each entry may have."""
        request = self._run.request
        size = np.maximum(np.abs(a), np.abs(b))[: self._run.n]
        for start in request.quaternions:
            size[start : start + 4] = 1.0  # whatever an entry is, the quaternion has this length
        tolerances: FloatArray = request.atol + request.rtol * size
        return tolerances

    def _growth(self, error: float, alpha: float) -> float:
        if error == 0.0:
            return _GROW_MOST
        return max(_SHRINK_MOST, _SAFETY * math.pow(error, -alpha) * math.pow(self._last_error, _BETA))

    def _first_step(self, t: float, h_max: float) -> float:
        y, k1 = self._run.y, self._k1
        d0, d1 = self._scaled_norm(y, y, y), self._scaled_norm(k1, y, y)
        tells = d0 >= 1e-5 and d1 >= 1e-5 and math.isfinite(d0) and math.isfinite(d1)
        h0 = min(h_max, 0.01 * d0 / d1 if tells else 1e-6)
        k2 = self._run.rate_of_change(t + h0, y + h0 * k1)
        d2 = self._scaled_norm(k2 - k1, y, y) / h0 if h0 > 0.0 else math.nan
        if not math.isfinite(d2):
            return h0
        steepest = max(d1, d2)
        h1 = max(1e-6, 1e-3 * h0) if steepest <= 1e-15 else math.pow(0.01 / steepest, 1.0 / _ORDER)
        return min(h_max, 100.0 * h0, h1)


def _weighted(weights: tuple[float, ...], k: list[FloatArray]) -> FloatArray:
    """Sum of the stages with these weights, in their order."""
    total = weights[0] * k[0]
    for weight, stage in zip(weights[1:], k[1:], strict=True):
        if weight != 0.0:
            total = total + weight * stage
    return total


class Method(Protocol):
    """What advances the state of a run, from one instant to the next."""

    def advance(self, t_begin: float, t_end: float) -> None:
        """Advance the state from t_begin to t_end."""


_METHODS: Mapping[str, Callable[[Integration], Method]] = {
    "dopri5": DormandPrince,
    "rk4": RungeKutta4,
    "gauss4": Gauss4,
}


def simulate_in_numpy(
    arm: SimulatedArm, request: Request, controller: Force | None, x0: FloatArray
) -> Motion:
    """Run the request in NumPy. Exceptions of the controller pass through."""
    dynamics = dynamics_of(arm, request)
    wrenches = [(w.function(arm), kernel_function(arm, w.jacobian, dynamics.time)) for w in request.wrenches]
    own = _METHODS.get(request.method)
    run, statistics = integrate(
        dynamics,
        request,
        controller,
        x0,
        lambda run: ForeignMethod(run, arm) if own is None else own(run),
        works=True,
        wrenches=wrenches,
    )
    t, q, v, tau, _, x, work = run.rows()
    return Motion(
        t=t,
        q=q,
        v=v,
        tau=tau,
        x=x,
        work=work,
        statistics=statistics,
        drift=run.dynamics.drift,
    )


def integrate(
    dynamics: Dynamics,
    request: Request,
    controller: Force | None,
    x0: FloatArray,
    method_of: Callable[[Integration], Method] = DormandPrince,
    *,
    works: bool = False,
    wrenches: Sequence[WrenchOf] = (),
) -> tuple[Integration, Statistics]:
    """Carry an integration as far as it goes: its rows, and what it did. Exceptions of the controller pass through."""
    run = Integration(dynamics, request, controller, x0, works, wrenches)
    method = method_of(run)
    status = Status.DONE
    # Steps are checked for values that are not finite: NumPy need not warn of them, except in the controller.
    with np.errstate(all="ignore"):
        try:
            run.walk(method.advance)
        except EndError as ended:
            status = ended.status
    statistics = Statistics(
        status=status,
        t=run.t,
        accepted=run.accepted,
        rejected=run.rejected,
        evaluations=run.evaluations,
        controller_calls=run.controller_calls,
        stiff_steps=run.stiff_steps,
        looks=run.looks,
        defect=run.defect,
        defect_t=run.defect_t,
        compiled=False,
    )
    return run, statistics
