"""How fast is the 10 s feedback motion of Kane & Levinson's Fig. 3, beside SciPy over Pinocchio?

``kanegen.simulate`` with the compiled feedback law (eqs 128-133) against ``scipy.integrate.solve_ivp`` (RK45, the same
pair of formulas of order 5(4), and DOP853) calling Pinocchio's ``aba`` from Python, at the same tolerances, in one run,
taking turns.  The ends of all motions are compared with the independently integrated one of ``tests/oracles``.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from benchmarks.course import Course, say
from benchmarks.peers.engines import Array, PeerUnavailable
from benchmarks.peers.feedback_law import DURATION, START
from benchmarks.peers.scipy_simulation import feedback_motion
from benchmarks.peers.verification import ORACLES
from benchmarks.protocol import Timing, measure, python_contestant
from kanegen.codegen.commands.benchmark_records import Claim, Column, Contents, Shown, Table

OWN = "kanegen.simulate, dopri5"
LAW = "feedback_law"
"""The kernel of the compiled arm that holds eqs 128-133."""

SCIPY_METHODS = ("RK45", "DOP853")
TOLERANCES = ((1e-6, 1e-9), (1e-9, 1e-12), (1e-12, 1e-14))
"""(rtol, atol)"""

AIM = 100.0
"""The simulation is to be at least this many times faster than each of SciPy's methods."""


@dataclass(frozen=True)
class Simulation:
    """One way of simulating the motion; ``end`` does it and returns the final q (6,)."""

    name: str
    end: Callable[[], Array]


@dataclass(frozen=True)
class Outcome:
    """What one simulation took, and how far its end is from the oracle's.

    ``error`` is the largest component's, rad or m; ``over_own`` the time over kanegen's (None without kanegen).
    """

    name: str
    rtol: float
    atol: float
    milliseconds: float
    median_milliseconds: float
    error: float
    over_own: float | None


def oracle_end() -> Array:
    """q (6,) at 10 s from ``tests/oracles/stanford_arm_motions.json``."""
    document = json.loads((ORACLES / "stanford_arm_motions.json").read_text(encoding="utf-8"))
    return np.array(document["fig3"]["table"][-1]["q"])


def own_simulation(rtol: float, atol: float) -> Simulation:
    """kanegen's, integrator, dynamics and law all in C.

    Raises:
        PeerUnavailable: where kanegen cannot be imported, or its simulations are not compiled.
    """
    try:
        from kanegen import load, simulate  # imported here: without them the peers are measured all the same
        from kanegen.simulation.run import Motion
    except ImportError:
        raise PeerUnavailable("kanegen.load and kanegen.simulate cannot be imported") from None
    arm = load("stanford_arm")
    if LAW not in arm.kernels:
        raise PeerUnavailable(f"kanegen's {arm.name} has no compiled {LAW}")
    q0, v0 = np.array(START), np.zeros(6)
    times = np.array([0.0, DURATION])  # SciPy keeps no rows between its steps either

    def motion() -> Motion:
        return simulate(arm, q0, v0, DURATION, controller=LAW, rtol=rtol, atol=atol, times=times)

    if not motion().statistics.compiled:
        raise PeerUnavailable("kanegen's simulation is not compiled (make build compiles it)")
    return Simulation(OWN, lambda: motion().q[-1])


def scipy_simulation(method: str, rtol: float, atol: float) -> Simulation:
    """SciPy's, over Pinocchio.

    Raises:
        PeerUnavailable: where SciPy or Pinocchio is not installed.
    """
    motion = feedback_motion(method, rtol, atol)
    return Simulation(f"SciPy {method} over Pinocchio", lambda: motion().q)


def simulations(rtol: float, atol: float) -> tuple[list[Simulation], list[str]]:
    """Everything that can take part, kanegen first, and a sentence for each that cannot."""
    found: list[Simulation] = []
    notes: list[str] = []
    try:
        found.append(own_simulation(rtol, atol))
    except PeerUnavailable as reason:
        notes.append(str(reason))
    for method in SCIPY_METHODS:
        try:
            found.append(scipy_simulation(method, rtol, atol))
        except PeerUnavailable as reason:
            notes.append(str(reason))
    return found, notes


def outcomes(entries: Sequence[Simulation], rtol: float, atol: float, rounds: int) -> list[Outcome]:
    """Time the simulations in turns and compare their ends with the oracle's."""
    # A few hundredths of SciPy's time: as many passes as leave the caches warm.
    contestants = [python_contestant(e.name, e.end, 1, 20 if e.name == OWN else 1) for e in entries]
    timings: dict[str, Timing] = measure(contestants, rounds).timings
    expected = oracle_end()
    own = timings.get(OWN)
    return [
        Outcome(
            name=entry.name,
            rtol=rtol,
            atol=atol,
            milliseconds=timings[entry.name].minimum / 1e6,
            median_milliseconds=timings[entry.name].median / 1e6,
            error=float(np.abs(entry.end() - expected).max()),
            over_own=None if own is None else timings[entry.name].minimum / own.minimum,
        )
        for entry in entries
    ]


def section(course: Course) -> Contents:
    """The motion at several tolerances."""
    claims, rows = [], []
    for rtol, atol in TOLERANCES[: 1 if course.quick else None]:
        say(f"the motion of Fig. 3, rtol {rtol:g}")
        entries, notes = simulations(rtol, atol)
        for note in notes:
            course.missing(note)
        for outcome in outcomes(entries, rtol, atol, 1 if course.quick else 3):
            times = (outcome.milliseconds, outcome.median_milliseconds)
            rows.append((outcome.name, rtol, atol, *times, outcome.over_own, outcome.error))
            if outcome.name != OWN:
                what = f"{outcome.name} / {OWN}, rtol {rtol:g}"
                claims.append(Claim(what, outcome.over_own, AIM))
    heads = (
        Column("simulation", Shown.TEXT),
        Column("rtol", Shown.DIFFERENCE),
        Column("atol", Shown.DIFFERENCE),
        Column("min ms", Shown.NUMBER),
        Column("median ms", Shown.NUMBER),
        Column("over kanegen", Shown.RATIO),
        Column("error at the end", Shown.DIFFERENCE),
    )
    return Contents(tuple(claims), (Table("10 s of feedback, stanford_arm", heads, tuple(rows)),))
