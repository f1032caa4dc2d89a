"""What is said of a motion whose steps missed something, or were limited by stability: what is to blame, and the cure."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from kanegen.arrays import FloatArray
from kanegen.simulation.arm import SimulatedArm
from kanegen.simulation.motion import Motion, Statistics, Status
from kanegen.simulation.request import EQUAL_STEPS, Request, why_not_stiff_method


def stepped_over(name: str, method: str, t: float) -> str:
    """What is said of a motion whose steps have not seen what acts at time t."""
    shorter = "shorter steps (step=…)" if method in EQUAL_STEPS else "a max_step"
    return (
        f"the simulation of {name} stepped over something: at t = {t!r} s forces act that its steps have not seen, so that "
        f"the motion from there on is not to be trusted. Where forces jump in time, name the times: breaks=[…]; else give "
        f"{shorter} below the length of the event"
    )


MANY, MANY_RIGID = 1000, 10_000
"""Fewer steps cost too little to speak of.  A rigid robot that has settled under its controller is stiff as well."""

SOME = {"dopri5": 15, "rk4": 3}
"""As many steps are no accident.  A motion that becomes unstable with equal steps does not last for many."""

STABLE_RK4 = 2.5
"""Steps of "rk4" are stable up to a little more than this over the fastest rate."""

DERIVATIVES = "forward_dynamics_derivatives"


@dataclass(frozen=True, slots=True)
class Fastest:
    """The fastest part exp(lambda t) of a motion: |lambda| [1/s], whether it oscillates, and the coordinate most moved."""

    rate: float
    oscillates: bool
    coordinate: str
    is_mode: bool

    def __str__(self) -> str:
        """The coordinate and how fast it is."""
        how_fast = (
            f"{self.rate / (2.0 * math.pi):.3g} Hz" if self.oscillates else f"damped at {self.rate:.3g} 1/s"
        )
        return f"{self.coordinate}, {how_fast}"


def limited_by_stability(arm: SimulatedArm, request: Request, statistics: Statistics) -> bool:
    """Whether stability kept most steps short, or was lost because they were too long, and it is worth saying so.

    Where "rk4" loses stability few steps may show it, as what comes of them need not be stiff any more: where it began, they
    were too long for the fastest part of the motion.
    """
    most = 2 * statistics.stiff_steps >= statistics.accepted
    if request.method == "rk4" and statistics.stiff_steps > 0 and statistics.accepted and not most:
        found = _fastest(arm, request.q0, request.v0, np.zeros(request.v0.size))
        return found is not None and found.rate * mean_step(request, statistics) > STABLE_RK4
    if not most:
        return False
    if request.method == "dopri5" and statistics.status is Status.DONE:
        return statistics.stiff_steps >= (MANY if arm.mode_names else MANY_RIGID)
    if statistics.status is Status.NOT_FINITE and request.method == "rk4":
        return statistics.stiff_steps > 0
    return statistics.stiff_steps >= SOME.get(request.method, MANY)


def mean_step(request: Request, statistics: Statistics) -> float:
    """The mean length of the steps that were taken, s."""
    return (statistics.t - request.t0) / statistics.accepted


def stiffness_hint(arm: SimulatedArm, request: Request, motion: Motion) -> str:
    """What made the motion stiff, and what to do about it, in a few sentences."""
    statistics = motion.statistics
    mean = mean_step(request, statistics)
    found = _fastest(arm, *_state(request, motion))
    if found is not None and found.rate * mean < 0.5:
        found = None  # the mechanism alone does not explain it
    steps = f"{statistics.stiff_steps} of {statistics.accepted} steps, {mean:.2g} s long on average,"
    if request.method == "rk4":
        why = "were as long as 'rk4' is stable, or longer"
    else:
        why = "were kept short by the stability of 'dopri5', not by errors"
    return (
        f"the simulation of {arm.name} is stiff: {steps} {why}. {_reason(found)} {_cure(arm, request, found)}"
    )


def _reason(found: Fastest | None) -> str:
    if found is None:
        return "Forces change fast with the state, those of a controller or of friction perhaps."
    if found.is_mode:
        return f"The fastest mode is {found}."
    return f"The fastest part of the motion is mostly one of {found}."


def _cure(arm: SimulatedArm, request: Request, found: Fastest | None) -> str:
    cures = []
    if why_not_stiff_method(arm) is None and _has_derivatives(arm):
        cures.append("method='rodas4' takes longer steps once what is fast is damped")
    if found is not None and found.is_mode:
        cures.append("a model without this mode is not limited by it")
    if found is None and request.sample_period == 0.0:
        cures.append("a controller that is sampled (sample_period=…) does not limit the steps")
    if request.method == "rk4":
        limit = f" below {STABLE_RK4 / found.rate:.2g} s" if found is not None else ""
        cures.append(f"'rk4' needs shorter steps{limit}")
    if not cures:
        cures.append("a model without such fast parts is not limited by them")
    text = "; ".join(cures)
    return text[0].upper() + text[1:] if not text.startswith("method") else text


def _has_derivatives(arm: SimulatedArm) -> bool:
    return DERIVATIVES in (*arm.kernels, *arm.optional_kernels)


def _state(request: Request, motion: Motion) -> tuple[FloatArray, FloatArray, FloatArray]:
    """q, v and tau of the last row that tells something: a motion that became unstable says nothing of its mechanism."""
    rows = np.flatnonzero(np.isfinite(np.hstack([motion.q, motion.v, motion.tau])).all(axis=1))
    if request.method == "rk4" or rows.size == 0:
        return request.q0, request.v0, np.zeros(request.v0.size)
    return motion.q[rows[-1]], motion.v[rows[-1]], motion.tau[rows[-1]]


def _fastest(arm: SimulatedArm, q: FloatArray, v: FloatArray, tau: FloatArray) -> Fastest | None:
    """The eigenvalue of largest modulus of the mechanism at a state, tau held; None where v is not dq/dt."""
    if why_not_stiff_method(arm) is not None:
        return None
    n = arm.nv
    mobility = np.column_stack([_accelerations(arm, q, v, tau + e) for e in np.eye(n)])
    mobility -= _accelerations(arm, q, v, tau)[:, None]  # accelerations are linear in tau
    matrix = np.zeros((2 * n, 2 * n))
    matrix[:n, n:] = np.eye(n)
    y = np.concatenate([q, v])
    for j in range(2 * n):
        # Central differences err by about the square of the increment.
        away = np.zeros(2 * n)
        away[j] = float(np.cbrt(np.finfo(np.float64).eps)) * max(1.0, abs(float(y[j])))
        before, after = (_accelerations(arm, x[:n], x[n:], tau) for x in (y - away, y + away))
        matrix[n:, j] = (after - before) / (2.0 * away[j])
    if not (np.isfinite(matrix).all() and np.isfinite(mobility).all()):
        return None
    rates, vectors = np.linalg.eig(matrix)
    fastest = int(np.argmax(np.abs(rates)))
    rate, shape = complex(rates[fastest]), vectors[:n, fastest]
    # The share of each coordinate in the kinetic energy, whatever its unit; that of the forces against it is the same.
    shares = np.abs(shape) * np.abs(np.linalg.lstsq(mobility, shape, rcond=None)[0])
    names = list(arm.coordinate_names)
    modes = [names.index(name) for name in arm.mode_names]
    among = modes or list(range(n))
    moving = among[int(np.argmax(shares[among]))]
    return Fastest(abs(rate), abs(rate.imag) > 0.1 * abs(rate), names[moving], bool(modes))


def _accelerations(arm: SimulatedArm, q: FloatArray, v: FloatArray, tau: FloatArray) -> FloatArray:
    return np.asarray(arm.forward_dynamics(q, v, tau), dtype=np.float64)
