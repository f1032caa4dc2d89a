"""The scenarios of arms with flexible links: seconds of motion in a second of computing."""

from __future__ import annotations

import statistics
from collections.abc import Iterator
from dataclasses import dataclass

import kanegen
from benchmarks.course import say
from benchmarks.peers.engines import PeerUnavailable
from kanegen.codegen.commands.scenario_run import run
from kanegen.codegen.mechanism import catalogue


@dataclass(frozen=True)
class MotionTime:
    """A scenario as ``kanegen simulate`` runs it.

    ``duration`` [s] of the motion; the smallest and the median time [ms] of the simulation over ``runs``; accepted steps.
    """

    arm: str
    scenario: str
    duration: float
    milliseconds: float
    median_milliseconds: float
    runs: int
    steps: int

    @property
    def over_real_time(self) -> float:
        """How many times faster than the motion the fastest simulation was."""
        return 1e3 * self.duration / self.milliseconds


def time_motions(arm: str, runs: int) -> Iterator[MotionTime]:
    """Every scenario of a built-in arm, compiled as kanegen compiles it for its user.

    Raises:
        PeerUnavailable: where there is no compiler, so that simulations are interpreted.
    """
    say(f"{arm}: compiling")
    robot, mechanism = kanegen.load(arm), catalogue.mechanism(arm)
    for scenario in catalogue.scenarios(arm):
        say(f"{arm}: timing {scenario.name}")
        results = [run(robot, mechanism, scenario) for _ in range(runs)]
        done = results[0].statistics
        if done is None or not done.compiled:
            raise PeerUnavailable(
                f"{arm}, {scenario.name}: its simulation is not compiled, which is not timed"
            )
        times = [1e3 * result.seconds for result in results]
        yield MotionTime(
            arm=arm,
            scenario=scenario.name,
            duration=scenario.duration,
            milliseconds=min(times),
            median_milliseconds=statistics.median(times),
            runs=runs,
            steps=done.accepted,
        )
