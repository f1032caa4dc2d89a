"""The methods of equal steps in NumPy, for machines without a compiler.

The counterparts of ``csrc/kanegen_equal_steps.c``, ``kanegen_rk4.c`` and ``kanegen_gauss4.c``, step for step and with their
names; these say where the methods come from.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod

import numpy as np

from kanegen.arrays import FloatArray
from kanegen.simulation.motion import Status
from kanegen.simulation.numpy_integration import EPSILON, EndError, Integration, Judge

_STABLE_RK4, _ROUNDING = 2.5, 1e3 * EPSILON
_JUMP = 1.0 / 3.0


class EqualSteps(ABC):
    """The fewest equal steps that are no longer than the one asked for."""

    def __init__(self, run: Integration) -> None:
        self.run = run
        self.known = False
        self.k: list[FloatArray] = []

    def advance(self, t_begin: float, t_end: float) -> None:
        """Advance the state from t_begin to t_end."""
        run = self.run
        count = max(1.0, float(np.ceil((t_end - t_begin) / run.request.step - 1e-9)))
        h = (t_end - t_begin) / count
        self.known = False
        i = 0
        while i < count:
            t = run.t
            t_next = t_begin + (i + 1) * h if i + 1 < count else t_end
            run.may_step()
            if t_next <= t:
                raise EndError(Status.STEP_UNDERFLOW)
            y_next = self.attempt(t, t_next - t)
            if not np.isfinite(y_next).all():
                raise EndError(Status.NOT_FINITE)
            run.stiff = self.is_stiff(t_next - t)
            laid = run.row_before(t_next)
            if laid:
                begin, end = self.rates_at_ends(t_next, y_next)
                run.write_rows_before(t_next, y_next, begin, end, 0.0, self._judge_of(y_next))
            self.accept(t_next, y_next, laid)
            if t_next < t_end:
                run.write_rows_here()
            i += 1

    @abstractmethod
    def attempt(self, t: float, h: float) -> FloatArray:
        """The state after a step of h; leaves rates of change in the step in ``k``."""

    def is_stiff(self, h: float) -> bool:
        """Whether the step is as long as is stable for the fastest part of the motion, or longer."""
        del h
        return False

    @abstractmethod
    def rates_at_ends(self, t_next: float, y_next: FloatArray) -> tuple[FloatArray, FloatArray]:
        """The rates of change at the beginning and the end of the step, kept in ``k`` as well."""

    @abstractmethod
    def accept(self, t_next: float, y_next: FloatArray, laid: bool) -> None:
        """Make y_next the state; ``laid``: whether the interpolant was."""

    def _judge_of(self, y_next: FloatArray) -> Judge:
        """How defects in the step just taken are judged: see the C file."""
        run, stages = self.run, np.array(self.k)
        seen = np.ptp(stages[:, : run.n], axis=0)
        y_begin, y_end, k_first = run.y[: run.n], y_next[: run.n], self.k[0][: run.n]
        sizes = np.maximum(np.abs(y_begin), np.abs(y_end))
        tolerance = run.request.atol + run.request.rtol * sizes

        def judge(h: float, t: float, y: FloatArray, rate: FloatArray, defect: FloatArray) -> float:
            if run.stiff:
                return 0.0
            size = np.abs(defect)
            largest = max(float(np.abs(y_begin).max()), h * float(np.abs(k_first).max()))
            speaks = (h * size > np.maximum(tolerance, _ROUNDING * largest)) & (size > _JUMP * seen)
            if not speaks.any():
                return 0.0
            s, jump = (t - run.t) / h, rate
            weights = ((1.0 - s) * (1.0 - 2.0 * s), 4.0 * s * (1.0 - s), s * (2.0 * s - 1.0))
            for stage, weight in enumerate(weights):
                jump = jump - weight * run.rate_under(y, run.force(run.t + 0.5 * h * stage, y))
            speaks &= ~(np.abs(jump) < 0.5 * size)
            return float(np.max(np.where(speaks, size / (_JUMP * seen), 0.0)))

        return judge


class RungeKutta4(EqualSteps):
    """The classical method."""

    def attempt(self, t: float, h: float) -> FloatArray:
        """One step, whose first rate of change may be the last of the step before."""
        y, rate_of_change = self.run.y, self.run.rate_of_change
        k1 = self.k[4] if self.known else rate_of_change(t, y)
        k2 = rate_of_change(t + 0.5 * h, y + 0.5 * h * k1)
        k3 = rate_of_change(t + 0.5 * h, y + 0.5 * h * k2)
        k4 = rate_of_change(t + h, y + h * k3)
        self.k = [k1, k2, k3, k4]
        return y + h / 6.0 * (k1 + 2.0 * (k2 + k3) + k4)

    def rates_at_ends(self, t_next: float, y_next: FloatArray) -> tuple[FloatArray, FloatArray]:
        """The end is the beginning of the next step."""
        self.k.append(self.run.rate_of_change(t_next, y_next))
        return self.k[0], self.k[4]

    def accept(self, t_next: float, y_next: FloatArray, laid: bool) -> None:
        """Make y_next the state."""
        self.run.accept_step(t_next, y_next)
        self.known = laid and self.run.dynamics.drift is None  # with constraints, the state is projected

    def is_stiff(self, h: float) -> bool:
        """Whether the step is as long as is stable for the fastest part of the motion, or longer."""
        n, (k1, k2, k3, *_) = self.run.n, self.k
        change = float(np.sum((k3 - k2)[:n] ** 2))
        distance = 0.25 * float(np.sum((k2 - k1)[:n] ** 2))
        size = float(np.sum(self.run.y[:n] ** 2))
        beyond_rounding = h * h * distance > _ROUNDING * _ROUNDING * size
        return beyond_rounding and change >= _STABLE_RK4 * _STABLE_RK4 * distance


_C = np.array([0.5 - math.sqrt(3.0) / 6.0, 0.5 + math.sqrt(3.0) / 6.0])
_A = np.array([[0.25, 0.25 - math.sqrt(3.0) / 6.0], [0.25 + math.sqrt(3.0) / 6.0, 0.25]])
_MOST_ITERATIONS, _STAGNANT = 100, 1e-10
_MOST_CORRECTION = 1e-3
_MOST_KEPT = 2


class Gauss4(EqualSteps):
    """Gauss' method with two stages, which keeps the balance of energy and works."""

    def __init__(self, run: Integration) -> None:
        super().__init__(run)
        self._kept: list[FloatArray] = []
        self._kept_step = 0.0
        self._reference = math.nan

    def attempt(self, t: float, h: float) -> FloatArray:
        """One step, its stages found by iteration."""
        run = self.run
        if not self.known:
            self._kept = []
        if math.isnan(self._reference):
            self._reference = self._balance()[0]
        k, change = self._guess(t, h), math.inf
        for iteration in range(_MOST_ITERATIONS):
            before, change, size = change, 0.0, 0.0
            for i in range(2):
                y = run.y + h * (_A[i, 0] * k[0] + _A[i, 1] * k[1])
                fresh = run.rate_of_change(t + _C[i] * h, y)
                if not np.isfinite(fresh[: run.n]).all():
                    raise EndError(Status.NOT_SOLVED if iteration else Status.NOT_FINITE)
                change = max(change, h * float(np.abs(fresh - k[i])[: run.n].max()))
                size = max(size, float((np.abs(y) + h * np.abs(fresh))[: run.n].max()))
                k[i] = fresh
            contracts = iteration > 0 and change < before
            if contracts and change * change <= 0.1 * EPSILON * size * (before - change):
                break
            if change == 0.0 or (change >= before and change <= _STAGNANT * size):
                break
        else:
            raise EndError(Status.NOT_SOLVED)
        self.k = k
        return run.y + 0.5 * h * (k[0] + k[1])

    def _guess(self, t: float, h: float) -> list[FloatArray]:
        """Rates of change at the stages to begin with: polynomials through those of the steps before."""
        if not self._kept or abs(h - self._kept_step) > 1e-6 * h:
            return [self.run.rate_of_change(t, self.run.y)] * 2
        nodes = np.concatenate([_C - 1.0, _C - 2.0])[: len(self._kept)]
        found = []
        for c in _C:
            weights = [np.prod([(c - x) / (node - x) for x in nodes if x != node]) for node in nodes]
            found.append(sum(weight * rate for weight, rate in zip(weights, self._kept, strict=True)))
        return found

    def rates_at_ends(self, t_next: float, y_next: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Neither end is a stage."""
        ends = self.run.rate_of_change(self.run.t, self.run.y), self.run.rate_of_change(t_next, y_next)
        self.k = [*self.k, *ends]
        return ends

    def accept(self, t_next: float, y_next: FloatArray, laid: bool) -> None:
        """Make y_next the state, its rates scaled so that energy less works is what it is to be."""
        del laid
        run, h = self.run, t_next - self.run.t
        equal = abs(h - self._kept_step) <= 1e-6 * h
        self._kept = [*self.k[:2], *(self._kept if equal else [])][: 2 * _MOST_KEPT]
        self._kept_step, self.known = h, True
        run.accept_step(t_next, y_next)
        found, kinetic = self._balance()
        missing = self._reference - found
        if abs(missing) <= _MOST_CORRECTION * kinetic:
            run.scale_rates(math.sqrt(1.0 + missing / kinetic))

    def _balance(self) -> tuple[float, float]:
        """Energy less works, and the kinetic energy."""
        run = self.run
        kinetic, potential = run.energies()
        return kinetic + potential - float(run.y[run.n :].sum()), kinetic
