"""The feedback motion by SciPy's ``solve_ivp`` over Pinocchio's ``aba``: how a user of those two would do it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from benchmarks.peers.engines import Array, library
from benchmarks.peers.feedback_law import DURATION, START, generalized_forces
from benchmarks.peers.pinocchio_engine import PinocchioEngine
from benchmarks.peers.stanford_arm_models import JOINTS, STANFORD_ARM, STANFORD_ARM_URDF


@dataclass(frozen=True)
class Final:
    """The end of a simulated motion: q (6,) and v (6,), and how often the right-hand side was evaluated."""

    q: Array
    v: Array
    evaluations: int


def feedback_motion(method: str, rtol: float, atol: float) -> Callable[[], Final]:
    """A function that simulates the motion of Fig. 3 and returns its end.

    Args:
        method: one of ``solve_ivp``'s, "RK45" or "DOP853".
        rtol: relative tolerance.
        atol: absolute tolerance.

    Raises:
        PeerUnavailable: where SciPy or Pinocchio is not installed.
    """
    solve_ivp = library("scipy.integrate", "SciPy", "scipy").solve_ivp
    engine = PinocchioEngine(STANFORD_ARM_URDF, JOINTS)
    model, data, aba = engine.model, engine.data, engine.pinocchio.aba
    order = np.array(STANFORD_ARM.order)
    inverse = np.argsort(order)

    # Written for speed: scalars for the law, one gather each way between the paper's order and the chain's.
    def rates(_: float, y: Array) -> Array:
        q, v = y[:6], y[6:]
        tau = np.array(generalized_forces(q.tolist(), v.tolist()))
        a = aba(model, data, q[order], v[order], tau[order])
        return np.concatenate((v, a[inverse]))

    start = np.array([*START, *[0.0] * 6])

    def simulate() -> Final:
        solution = solve_ivp(rates, (0.0, DURATION), start, method=method, rtol=rtol, atol=atol)
        if not solution.success:
            raise RuntimeError(f"solve_ivp gave up: {solution.message}")
        end = solution.y[:, -1]
        return Final(q=end[:6], v=end[6:], evaluations=int(solution.nfev))

    return simulate
