"""What do many simulations in lanes gain over the same ones after one another?

    python -m benchmarks.many [--states N] [--duration S] [--threads N] [--passes N] [--output NAME.json] [--rounds N]

Feedback simulations of the Stanford Arm with gains of their own, "rk4" at 1 ms and "dopri5", final states alone; beside them
``simulate`` with the same gains, for as many of them as there are passes.  Right-hand sides a second and core, by the
process's CPU time; memory is the most that the process had, before and after.
"""

from __future__ import annotations

import resource
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import sympy

import kanegen
from benchmarks.drivers.build import FLAGS, compiler_command
from benchmarks.environment import environment
from benchmarks.protocol import command_line
from benchmarks.report import number, table, write_json
from kanegen.codegen.mechanism import MechanismBuilder, catalogue

JOINTS = ("q1", "q2", "q3", "q4", "q5", "q6")
GAINS = {"k": (3.0, 1.0, 0.3, 0.3, 0.25, 30.0), "d": (5.0, 3.0, 0.6, 0.6, 0.25, 41.0)}
"""Of Kane & Levinson, IJRR 2(3), 1983, eqs 128-133."""

TARGETS = (*(round(np.pi / 3, 6),) * 5, 0.1)

NEEDED_RATE, NEEDED_GAIN, NEEDED_MEMORY = 20e6, 3.0, 200.0
"""Right-hand sides a second and core of "rk4" with AVX2, times the same one after another, and MB."""


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
        begin = time.process_time()
        found = call()
        least = min(least, time.process_time() - begin)
    return least, found


def measure(robot: Any, method: str, options: Any, **given: float) -> dict[str, float]:
    """What the simulations take by a method, in lanes, and some of them after one another."""
    numbers, count, duration = np.random.default_rng(7), options.states, options.duration
    gains = {name: value * numbers.uniform(0.5, 2, count) for name, value in robot.parameters.items()}
    q0 = np.array([0, 1.5, 0, 0, 0, 0]) + 0.2 * numbers.standard_normal((count, 6))
    v0, end = np.zeros(6), [duration]

    def many() -> Any:
        more = {"parameters": gains, "threads": options.threads, **given}
        return kanegen.simulate_many(robot, q0, v0, duration, "reach", method, **more)

    own = [{name: x[i] for name, x in gains.items()} for i in range(options.passes)]
    robots = [robot.with_parameters(values, allow_unphysical=True) for values in own]

    def alone() -> None:
        for one, q in zip(robots, q0, strict=False):
            kanegen.simulate(one, q, v0, duration, "reach", method, times=end, **given)

    seconds, motions = cpu(many, options.rounds)
    single, _ = cpu(alone, options.rounds)
    steps = int((motions.accepted + motions.rejected).sum())
    sides = steps * (4 if method == "rk4" else 6)
    gain = single / options.passes * count / seconds
    return {"seconds": seconds, "right_hand_sides": sides, "rate": sides / seconds, "gain": gain}


def main() -> int:
    """The command line.  1 where "rk4" is slower, or takes more memory, than it may."""
    parser = command_line(__doc__, "many.json", states=4096, passes=64)
    parser.add_argument("--duration", type=float, default=0.5, help="default: %(default)s")
    parser.add_argument("--threads", type=int, default=1, help="default: %(default)s")
    options = parser.parse_args()
    robot, count = arm(), options.states
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    found = {
        "rk4": measure(robot, "rk4", options, step=1e-3),
        "dopri5": measure(robot, "dopri5", options, rtol=1e-6, atol=1e-9),
    }
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    rows = [
        [name, number(one["seconds"]), number(one["rate"] / 1e6), number(one["gain"])]
        for name, one in found.items()
    ]
    heads = [f"{count} simulations, {robot.target}", "CPU s", "million right-hand sides a second", "gain"]
    print(table(heads, rows))
    print(f"memory: {before:.0f} MB before, {peak:.0f} MB at most")
    where = environment(compiler_command("CC", "cc"), compiler_command("CXX", "c++"), FLAGS)
    document = {
        "benchmark": "many",
        "simulations": count,
        "threads": options.threads,
        "target": robot.target,
        "environment": where.as_json(),
        "methods": found,
        "memory_MB": {"before": before, "most": peak},
    }
    print(f"written: {write_json(options.output, document).name}")
    slow = found["rk4"]["rate"] < NEEDED_RATE or found["rk4"]["gain"] < NEEDED_GAIN
    return 1 if slow or peak > NEEDED_MEMORY else 0


if __name__ == "__main__":
    raise SystemExit(main())
