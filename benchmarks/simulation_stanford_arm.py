"""How fast is the 10 s feedback motion of Kane & Levinson's Fig. 3, beside SciPy over Pinocchio?

    python -m benchmarks.simulation_stanford_arm [--output NAME.json] [--rounds N]

``kanegen.simulate`` with the compiled feedback law (eqs 128-133) against ``scipy.integrate.solve_ivp`` (RK45, the same
pair of formulas of order 5(4), and DOP853) calling Pinocchio's ``aba`` from Python, at the same tolerances, in one run,
taking turns.  The ends of all motions are compared with the independently integrated one of ``tests/oracles``.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass

import numpy as np

from benchmarks.drivers.build import FLAGS, compiler_command
from benchmarks.environment import environment
from benchmarks.peers.engines import Array, PeerUnavailable
from benchmarks.peers.feedback_law import DURATION, START
from benchmarks.peers.scipy_simulation import feedback_motion
from benchmarks.peers.verification import ORACLES
from benchmarks.protocol import Timing, measure, python_contestant
from benchmarks.report import number, table, write_json

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
    contestants = [python_contestant(entry.name, entry.end, calls=1, passes=1) for entry in entries]
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


def outcome_table(found: Sequence[Outcome]) -> str:
    """The outcomes of one tolerance as a table."""
    rows = [
        [
            outcome.name,
            number(outcome.milliseconds),
            number(outcome.median_milliseconds),
            "-" if outcome.over_own is None else f"{number(outcome.over_own)} x",
            f"{outcome.error:.1e}",
        ]
        for outcome in found
    ]
    heading = f"10 s of feedback, rtol {found[0].rtol:g}, atol {found[0].atol:g}"
    return table([heading, "min ms", "median ms", "over kanegen", "error at the end"], rows)


def run(rounds: int, output: str) -> None:
    """The whole benchmark: measure, print, write."""
    found: list[Outcome] = []
    left_out: list[str] = []
    for rtol, atol in TOLERANCES:
        entries, notes = simulations(rtol, atol)
        left_out += [note for note in notes if note not in left_out]
        if entries:
            found += outcomes(entries, rtol, atol, rounds)
            print(outcome_table(found[-len(entries) :]), end="\n\n")
    ratios = [outcome.over_own for outcome in found if outcome.over_own is not None and outcome.name != OWN]
    if ratios:
        reached = "reached" if min(ratios) >= AIM else "NOT reached"
        print(f"smallest ratio to SciPy over Pinocchio: {number(min(ratios))} (aim {AIM:g}: {reached})")
    for note in left_out:
        print(f"left out: {note}")
    where = environment(compiler_command("CC", "cc"), compiler_command("CXX", "c++"), FLAGS)
    document: dict[str, object] = {
        "benchmark": "simulation_stanford_arm",
        "environment": where.as_json(),
        "protocol": {"rounds": rounds, "duration_s": DURATION},
        "aim": AIM,
        "left_out": left_out,
        "outcomes": [asdict(outcome) for outcome in found],
    }
    print(f"written: {write_json(output, document).name}")


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument(
        "--output", default="simulation_stanford_arm.json", help="file name under benchmarks/results"
    )
    parser.add_argument("--rounds", type=int, default=3, help="turns of every simulation (default 3)")
    options = parser.parse_args()
    run(options.rounds, options.output)


if __name__ == "__main__":
    main()
