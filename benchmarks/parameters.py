"""What do parameters cost that differ: a robot for each set, and rows of sets in one call?"""

from __future__ import annotations

import json
import sys
import time
from functools import partial
from typing import Any

import numpy as np

import kanegen
from benchmarks.course import Course, columns, in_a_process, say
from benchmarks.machines import machine
from benchmarks.protocol import measure, python_contestant
from benchmarks.robot_files import RobotMissing
from kanegen.codegen.commands.benchmark_records import Claim, Contents, Table

COUNT = 4096
MOST = 3.0
"""Times one payload's: what as many payloads as states may take."""

NO_MORE = 1.5
"""Times the first ones': what robots kept by the thousand may cost each; all but noise would be 1."""

KERNELS = ("inverse_dynamics", "forward_dynamics")
LINK, PAYLOAD = "panda_link7", 1.5
"""What carries it, and kg."""


def section(course: Course) -> Contents:
    """A Panda with a payload, and the Stanford Arm by the thousand."""
    count = 256 if course.quick else COUNT
    claim, table = _robots(count)
    claims, tables = [claim], [table]
    try:
        say("rows of parameters")
        found, table = _rows(course, count)
        claims += found
        tables.append(table)
    except RobotMissing as reason:
        course.missing(reason)
    return Contents(tuple(claims), tuple(tables))


def _robots(count: int) -> tuple[Claim, Table]:
    """What a robot of its own costs, the first and the last of many that are kept."""
    found = in_a_process("benchmarks.parameters", str(count))
    rows = list(found.items())
    claim = Claim(
        "stanford_arm, with_parameters: the last of many / the first", rows[-1][1] / rows[0][1], NO_MORE, True
    )
    return claim, Table("stanford_arm, with_parameters, all kept", columns("", "µs each"), tuple(rows))


def _bodies(count: int) -> dict[str, Any]:
    """Mass centres [m] and central moments [kg m^2] of random boxes, turned, by the ends of the parameters' names."""
    numbers = np.random.default_rng(11)
    sides = numbers.uniform(0.05, 0.2, (count, 3)) ** 2
    moments = (sides.sum(axis=1)[:, None] - sides) / 12.0
    turned, _ = np.linalg.qr(numbers.standard_normal((count, 3, 3)))
    inertia = np.einsum("nij,nj,nkj->nik", turned, moments, turned)
    centre = numbers.uniform(-0.05, 0.05, (3, count))
    axes = "xyz"
    entries = {f"I{axes[i]}{axes[j]}": inertia[:, i, j] for i in range(3) for j in range(i, 3)}
    return entries | dict(zip(axes, centre, strict=True))


def _rows(course: Course, count: int) -> tuple[list[Claim], Table]:
    """One payload for all states, masses of their own, all ten numbers of their own.  Raises RobotMissing."""
    panda = machine("panda")
    robot = kanegen.load(panda.model, payload={LINK: PAYLOAD}, live=["payload"], kernels=list(KERNELS))
    states, numbers = panda.states(count), np.random.default_rng(7)
    mass = next(name for name in robot.parameters if name.endswith("_mass"))
    one = {mass: numbers.uniform(0.1, 3.0, count)}
    every = one | {
        name: value + _bodies(count)[name.removeprefix(mass.removesuffix("mass"))]
        for name, value in robot.parameters.items()
        if name != mass
    }
    claims, rows = [], []
    for kernel in KERNELS:
        inputs = (states.q, states.v, states.a if kernel == "inverse_dynamics" else states.tau)
        call, out = getattr(robot, kernel), np.empty_like(states.q)
        given = {"one payload": {}, "masses of their own": one, "all numbers of their own": every}
        ways = {
            name: partial(call, *inputs, out=out, **({"parameters": p} if p else {}))
            for name, p in given.items()
        }
        timings = measure(
            [python_contestant(name, run, count, 3) for name, run in ways.items()], course.rounds
        ).timings
        first = timings["one payload"].minimum
        for name, timing in timings.items():
            rows.append((f"{kernel}, {name}", timing.minimum, timing.median, timing.minimum / first))
        for name in list(ways)[1:]:
            what = f"panda, {kernel}, {count:,} states, {name} / one payload"
            claims.append(Claim(what, timings[name].minimum / first, MOST, at_most=True))
    heads = columns("panda with a payload", "min ns a state", "median ns a state", "over one payload x")
    return claims, Table(f"rows of parameters, {count:,} states in one call", heads, tuple(rows))


def main() -> None:
    """Robots that are kept, in a process that holds nothing else: prints microseconds each, of the first and of the last."""
    count = int(sys.argv[1])
    arm = kanegen.load("stanford_arm", live=["masses"], kernels=list(KERNELS))
    name, value = next(iter(arm.parameters.items()))
    kept, each = [], {}
    begun, start = 0, time.thread_time_ns()
    for number in range(1, count + 1):
        kept.append(arm.with_parameters({name: value * (1 + 1e-5 * number)}, allow_unphysical=True))
        if number in (64, count // 4, count):
            each[f"robots {begun + 1:,} to {number:,}"] = (
                (time.thread_time_ns() - start) / (number - begun) / 1e3
            )
            begun, start = number, time.thread_time_ns()
    print(json.dumps(each))


if __name__ == "__main__":
    main()
