"""The explicit methods in NumPy: the counterparts of ``csrc/kanegen_rk4.c`` and ``csrc/kanegen_dopri5.c``."""

from __future__ import annotations

import math

import numpy as np

from kanegen.interpreted_adaptive import Adaptive
from kanegen.interpreted_integration import EPSILON, EndError, Integration, Judge
from kanegen.motion import Status
from kanegen.protocols import FloatArray

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

_STABLE_RK4, _ROUNDING = 2.5, 1e3 * EPSILON
_JUMP = 1.0 / 3.0
_STABLE, _FASTER = 1.0, 4.0


class RungeKutta4:
    """The classical method with equal steps."""

    def __init__(self, run: Integration) -> None:
        self._run = run
        self._k2 = self._k3 = self._k4 = run.y

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
            run.stiff = self._is_stiff(t_next - t, begin)
            k1 = None
            if run.row_before(t_next):
                k1 = run.rate_of_change(t_next, y_next)
                run.write_rows_before(t_next, y_next, begin, k1, 0.0, self._judge_of(begin, k1, y_next))
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
        self._k2, self._k3, self._k4 = k2, k3, k4
        return y + h / 6.0 * (k1 + 2.0 * (k2 + k3) + k4)

    def _judge_of(self, k1: FloatArray, k_end: FloatArray, y_next: FloatArray) -> Judge:
        """How defects in the step just taken are judged: see the C file."""
        run, stages = self._run, np.array([k1, self._k2, self._k3, self._k4, k_end])
        seen = stages.max(axis=0) - stages.min(axis=0)
        sizes = np.maximum(np.abs(run.y), np.abs(y_next))
        tolerance = run.request.atol + run.request.rtol * sizes

        def judge(h: float, t: float, y: FloatArray, rate: FloatArray, defect: FloatArray) -> float:
            if run.stiff:
                return 0.0
            size = np.abs(defect)
            largest = max(float(np.abs(run.y).max()), h * float(np.abs(k1).max()))
            speaks = (h * size > np.maximum(tolerance, _ROUNDING * largest)) & (size > _JUMP * seen)
            if not speaks.any():
                return 0.0
            s, jump = (t - run.t) / h, rate
            weights = ((1.0 - s) * (1.0 - 2.0 * s), 4.0 * s * (1.0 - s), s * (2.0 * s - 1.0))
            for stage, weight in enumerate(weights):
                jump = jump - weight * run.dynamics.rate(y, run.tau(run.t + 0.5 * h * stage, y))
            speaks &= ~(np.abs(jump) < 0.5 * size)
            return float(np.max(np.where(speaks, size / (_JUMP * seen), 0.0)))

        return judge

    def _is_stiff(self, h: float, k1: FloatArray) -> bool:
        """Whether the step is as long as is stable for the fastest part of the motion, or longer."""
        change = float(np.sum((self._k3 - self._k2) ** 2))
        distance = 0.25 * float(np.sum((self._k2 - k1) ** 2))
        size = float(np.sum(self._run.y**2))
        beyond_rounding = h * h * distance > _ROUNDING * _ROUNDING * size
        return beyond_rounding and change >= _STABLE_RK4 * _STABLE_RK4 * distance


class DormandPrince(Adaptive):
    """The method of order 5(4)."""

    order = 5.0

    def __init__(self, run: Integration) -> None:
        super().__init__(run)
        self._k = [run.y]

    def attempt(self, t: float, h: float) -> tuple[FloatArray, float]:
        """One step; the last of its stages is the rate of change at its end."""
        run, k = self.run, [self.k1]
        y_before = y_stage = run.y
        for c, a in zip(_C[1:], _A[1:], strict=True):
            y_before, y_stage = y_stage, run.y + h * _weighted(a, k)
            k.append(run.rate_of_change(t + c * h, y_stage))
        self._k = k
        if not np.isfinite(y_stage).all():
            return y_stage, math.nan
        run.stiff = self._is_stiff(h, y_before, y_stage)
        return y_stage, self.scaled_norm(h * _weighted(_E, k), run.y, y_stage)

    def write_rows_inside(self, t_next: float, y_next: FloatArray) -> None:
        """Write the rows inside the step that was tried."""
        run, k = self.run, self._k
        c5 = (t_next - run.t) * _weighted(_D, k)

        def judge(h: float, t: float, y: FloatArray, rate: FloatArray, defect: FloatArray) -> float:
            del t, y, rate
            return self.adaptive_defect(h * defect, y_next)

        run.write_rows_before(t_next, y_next, k[0], k[6], c5, judge)

    def accept(self, t_next: float, y_next: FloatArray, t_end: float) -> None:
        """Make y_next the state, and its last stage the first of the next step."""
        run = self.run
        run.accept_step(t_next, y_next)
        self.k1 = self._k[6]
        if run.dynamics.drift is not None and t_next < t_end:
            self.k1 = run.rate_of_change(t_next, run.y)  # the state was projected since

    def _is_stiff(self, h: float, y6: FloatArray, y7: FloatArray) -> bool:
        """Whether the step was limited by the stability of the method rather than by its error."""
        y1, k1, k6, k7 = self.run.y, self.k1, self._k[5], self._k[6]
        weight = 1.0 / self.tolerances(y1, y7) ** 2
        change, distance, motion_change, motion_distance = (
            float(np.sum(weight * x * x)) for x in (k7 - k6, y7 - y6, k7 - k1, y7 - y1)
        )
        if not (distance > 0.0 and h * h * change >= _STABLE * _STABLE * distance):
            return False
        return change * motion_distance >= _FASTER * _FASTER * motion_change * distance


def _weighted(weights: tuple[float, ...], k: list[FloatArray]) -> FloatArray:
    """Sum of the stages with these weights, in their order."""
    total = weights[0] * k[0]
    for weight, stage in zip(weights[1:], k[1:], strict=True):
        if weight != 0.0:
            total = total + weight * stage
    return total
