"""The stiff method in NumPy: the counterpart of ``csrc/kanegen_rodas4.c`` and ``csrc/kanegen_linearisation.c``."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from kanegen.interpreted_adaptive import Adaptive
from kanegen.interpreted_integration import EPSILON, Integration
from kanegen.protocols import FloatArray

Derivatives = Callable[..., tuple[FloatArray, ...]]
"""Derivatives (nv, nv) of the accelerations at q, v and tau (nv,): by q, v and tau."""

_GAMMA = 0.25
_NODE = (0.0, 0.386, 0.21, 0.63, 1.0, 1.0)
_SLOPE = (0.25, -0.1043, 0.1035, -0.0362, 0.0, 0.0)
_LAST = (1.221224509226641, 6.019134481288629, 12.53708332932087, -0.6878860361058950)
_A = (
    (),
    (1.544,),
    (0.9466785280815826, 0.2557011698983284),
    (3.314825187068521, 2.896124015972201, 0.9986419139977817),
    _LAST,
    (*_LAST, 1.0),
)
_C = (
    (),
    (-5.6688,),
    (-2.430093356833875, -0.2063599157091915),
    (-0.1073529058151375, -9.594562251023355, -20.47028614809616),
    (7.496443313967647, -10.24680431464352, -33.99990352819905, 11.70890893206160),
    (8.083246795921522, -7.981132988064893, -31.52159432874371, 16.31930543123136, -6.058818238834054),
)
_D3 = (10.12623508344586, -7.487995877610167, -34.80091861555747, -7.992771707568823, 1.025137723295662)
_D4 = (-0.6762803392801253, 6.087714651680015, 16.43084320892478, 24.76722511418386, -6.594389125716872)


class Rodas4(Adaptive):
    """The method RODAS of order 4(3)."""

    order = 4.0

    def __init__(self, run: Integration, derivatives: Derivatives) -> None:
        super().__init__(run)
        self._nv = run.dynamics.widths[1]
        self._derivatives = derivatives
        self._known = False
        self._dq = self._dv = np.zeros((self._nv, self._nv))
        self._rate = np.zeros(self._nv)
        self._u: list[FloatArray] = []

    def begin(self, t: float) -> None:
        """Begin a stretch on which the rate of change is smooth."""
        self._known = False
        super().begin(t)

    def attempt(self, t: float, h: float) -> tuple[FloatArray, float]:
        """One step; the last of its stages is its error."""
        run, nv, s = self.run, self._nv, _GAMMA * h
        if not self._known:
            self._linearise(t, h)
        y, u = run.y, list[FloatArray]()
        for i in range(len(_NODE)):
            y = run.y + sum((a * x for a, x in zip(_A[i], u, strict=True)), np.zeros(2 * nv))
            rate = self.k1 if i == 0 else run.rate_of_change(t + _NODE[i] * h, y)
            b = rate + sum((c / h * x for c, x in zip(_C[i], u, strict=True)), np.zeros(2 * nv))
            b[nv:] += h * _SLOPE[i] * self._rate
            try:
                u.append(self._solved(s, b))
            except np.linalg.LinAlgError:
                return y, math.nan
        self._u = u
        y_next = y + u[-1]
        if not np.isfinite(y_next).all():
            return y_next, math.nan
        return y_next, self.scaled_norm(u[-1], run.y, y_next)

    def _solved(self, s: float, b: FloatArray) -> FloatArray:
        """The solution of (1/s - J) x = b.  Raises LinAlgError."""
        nv = self._nv
        matrix = np.eye(nv) / s - self._dv - s * self._dq
        x_v = np.linalg.solve(matrix, b[nv:] + s * (self._dq @ b[:nv]))
        return np.concatenate([s * (b[:nv] + x_v), x_v])

    def write_rows_inside(self, t_next: float, y_next: FloatArray) -> None:
        """Write the rows inside the step that was tried."""
        c3, c4 = (sum((d * x for d, x in zip(w, self._u, strict=False)), 0.0 * y_next) for w in (_D3, _D4))

        def judge(h: float, t: float, y: FloatArray, rate: FloatArray, defect: FloatArray) -> float:
            del t, y, rate
            return self.adaptive_defect(self._solved(_GAMMA * h, defect) / _GAMMA, y_next)

        self.run.write_interpolated_rows(t_next, y_next, c3, c4, 0.0, judge)

    def accept(self, t_next: float, y_next: FloatArray, t_end: float) -> None:
        """Make y_next the state."""
        self.run.accept_step(t_next, y_next)
        self._known = False
        if t_next < t_end:
            self.k1 = self.run.rate_of_change(t_next, self.run.y)

    def _linearise(self, t: float, h: float) -> None:
        """Linearise the accelerations, the controller included, about the present state."""
        run, nv = self.run, self._nv
        y = run.y
        tau = run.tau(t, y) if run.tau_varies else run.held
        self._dq, self._dv, dtau = self._derivatives(y[:nv], y[nv:], tau)
        self._rate = np.zeros(nv)
        run.linearisations += 1
        self._known = True
        if not run.tau_varies:
            return
        for j in range(2 * nv):
            beside = y.copy()
            beside[j] += math.sqrt(EPSILON) * max(1.0, abs(y[j]))
            column = dtau @ ((run.tau(t, beside) - tau) / (beside[j] - y[j]))
            (self._dq if j < nv else self._dv)[:, j % nv] += column
        t_near = t + max(math.cbrt(EPSILON) * h, 4.0 * EPSILON * abs(t))
        distance = t_near - t
        near, far = run.tau(t_near, y) - tau, run.tau(t_near + distance, y) - tau
        self._rate = dtau @ ((4.0 * near - far) / (2.0 * distance))
