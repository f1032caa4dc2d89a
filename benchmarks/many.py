"""What do many simulations in lanes gain over the same ones after one another?

Feedback simulations of the Stanford Arm with gains of their own, "rk4" at 1 ms and "dopri5", final states alone; beside
them ``simulate`` with the same gains, for some of them.  Right-hand sides a second and core, by the thread's CPU time;
memory is the most that a process of its own had, before and after.
"""

from __future__ import annotations

import json
import resource
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import sympy

import kanegen
from benchmarks.course import Course, columns, in_a_process, say
from benchmarks.protocol import DriverFailed
from kanegen.codegen.commands.benchmark_records import Claim, Contents, Table
from kanegen.codegen.mechanism import MechanismBuilder, catalogue

JOINTS = ("q1", "q2", "q3", "q4", "q5", "q6")
GAINS = {"k": (3.0, 1.0, 0.3, 0.3, 0.25, 30.0), "d": (5.0, 3.0, 0.6, 0.6, 0.25, 41.0)}
"""Of Kane & Levinson, IJRR 2(3), 1983, eqs 128-133."""

TARGETS = (*(round(np.pi / 3, 6),) * 5, 0.1)

COUNT, DURATION = 4096, 0.5
"""Simulations, and seconds of each."""

RATE, GAIN, MEMORY = 20.0, 3.0, 200.0
"""Millions of right-hand sides a second and core of "rk4" with AVX2, times the same one after another, and MB."""

METHODS: dict[str, dict[str, float]] = {"rk4": {"step": 1e-3}, "dopri5": {"rtol": 1e-6, "atol": 1e-9}}
SIDES = {"rk4": 4, "dopri5": 6}
"""Right-hand sides of a step."""


def section(course: Course) -> Contents:
    """Both methods, in a process of its own, whose memory is measured."""
    count, alone = (64, 2) if course.quick else (COUNT, 32)
    say("many simulations")
    try:
        found = in_a_process("benchmarks.many", str(count), str(alone), str(1 if course.quick else 3))
    except DriverFailed as reason:
        course.missing(reason)
        return Contents((), ())
    rows = tuple(
        (method, found[f"{method} seconds"], found[f"{method} rate"], found[f"{method} gain"])
        for method in METHODS
    )
    what = f"stanford_arm, {count:,} simulations"
    claims = (
        Claim(f"{what}, rk4: million right-hand sides / s", found["rk4 rate"], RATE),
        Claim(f"{what}, rk4: one after another / in lanes", found["rk4 gain"], GAIN),
        Claim(f"{what}: MB at most", found["memory"], MEMORY, at_most=True),
    )
    heads = columns("method", "CPU s", "million right-hand sides / s", "one after another / in lanes x")
    memory = Table(
        "memory of the process", columns("", "MB"), (("before", found["before"]), ("most", found["memory"]))
    )
    return Contents(claims, (Table(f"{what} of {DURATION} s", heads, rows), memory))


def arm() -> Any:
    """The Stanford Arm with a law whose gains are live parameters."""
    builder = MechanismBuilder.from_mechanism(catalogue.mechanism("stanford_arm"))
    forces = {}
    for place, (joint, target) in enumerate(zip(JOINTS, TARGETS, strict=True)):
        for word, values in GAINS.items():
            builder.parameter(f"{word}{place + 1}", values[place], "N m/rad" if word == "k" else "N m s/rad")
        stiffness, damping, q, rate = sympy.symbols(f"k{place + 1} d{place + 1} {joint} d{joint}")
        forces[joint] = stiffness * (target - q) - damping * rate
    builder.law("reach", forces)
    names = [f"{word}{k + 1}" for word in GAINS for k in range(6)]
    kernels = ["forward_dynamics", "reach", "closed_loop_reach"]
    return kanegen.load(builder.build(), live=names, kernels=kernels)


def cpu(call: Callable[[], Any], rounds: int) -> tuple[float, Any]:
    """The least CPU time [s] of some calls, and what the last gave."""
    least = float("inf")
    for _ in range(rounds):
        begin = time.thread_time()
        found = call()
        least = min(least, time.thread_time() - begin)
    return least, found


def measure(robot: Any, method: str, count: int, alone: int, rounds: int) -> dict[str, float]:
    """What the simulations take by a method, in lanes, and some of them after one another."""
    numbers, given = np.random.default_rng(7), METHODS[method]
    gains = {name: value * numbers.uniform(0.5, 2, count) for name, value in robot.parameters.items()}
    q0 = np.array([0, 1.5, 0, 0, 0, 0]) + 0.2 * numbers.standard_normal((count, 6))
    v0 = np.zeros(6)

    def many() -> Any:
        return kanegen.simulate_many(robot, q0, v0, DURATION, "reach", method, parameters=gains, **given)

    own = [{name: x[i] for name, x in gains.items()} for i in range(alone)]
    robots = [robot.with_parameters(values, allow_unphysical=True) for values in own]

    def one_after_another() -> None:
        for one, q in zip(robots, q0, strict=False):
            kanegen.simulate(one, q, v0, DURATION, "reach", method, times=[DURATION], **given)

    seconds, motions = cpu(many, rounds)
    single, _ = cpu(one_after_another, rounds)
    steps = int((motions.accepted + motions.rejected).sum())
    return {
        f"{method} seconds": seconds,
        f"{method} rate": steps * SIDES[method] / seconds / 1e6,
        f"{method} gain": single / alone * count / seconds,
    }


def main() -> None:
    """All as JSON, for so many simulations, so many of them alone, the least of so many rounds."""
    count, alone, rounds = map(int, sys.argv[1:])
    robot, found = arm(), {"before": _most()}
    for method in METHODS:
        found |= measure(robot, method, count, alone, rounds)
    print(json.dumps(found | {"memory": _most()}))


def _most() -> float:
    """The most memory [MB] that this process has had.

    Where Linux tells it: ``ru_maxrss`` keeps what the parent had when it started this process.
    """
    status = Path("/proc/self/status")
    if status.exists():
        line = next(line for line in status.read_text().splitlines() if line.startswith("VmHWM"))
        return float(line.split()[1]) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    main()
