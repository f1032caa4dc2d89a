"""How soon is there a first torque, and what does the generation of all kernels take?

CPU seconds of processes of their own with empty caches, with those of the compiler and of all other children.
"""

from __future__ import annotations

import importlib
import json
import logging
import resource
import sys
import tempfile
import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path

import numpy as np

from benchmarks.course import Course, columns, in_a_process, say
from benchmarks.machines import Machine, machine
from benchmarks.protocol import DriverFailed
from benchmarks.robot_files import RobotMissing
from benchmarks.states import SEED
from kanegen.codegen.commands.benchmark_records import Cell, Claim, Contents, Table

TORQUE, GENERATION = 3.0, 4.0
"""CPU seconds that a Panda's first torque and its default kernels may take, these with the generator's compiled core."""

TURN, SHIFT = 2e-3, 1e-3
"""Errors of a calibration: standard deviations of the angles [rad] and places [m] of a robot's joints."""

CALIBRATED = "ur5 with calibration errors"


def section(course: Course) -> Contents:
    """First torques, then generations: after one that is not counted, for which Python compiles the sources."""
    in_a_process("benchmarks.starts", "torque" if course.quick else "generation", "stanford_arm")
    rows: list[tuple[Cell, ...]] = []
    totals: dict[tuple[str, str], float] = {}
    for name in course.machines if course.quick else (*course.machines, CALIBRATED):
        for what in ("torque",) if course.quick else ("torque", "generation"):
            try:
                timed = machine("ur5" if name == CALIBRATED else name)
                model = _calibrated(timed, course.folder) if name == CALIBRATED else timed.model
                say(f"{name}: {what} in a process of its own")
                found = in_a_process("benchmarks.starts", what, str(model))
            except (RobotMissing, DriverFailed) as reason:
                course.missing(reason)
                continue
            totals[name, what] = found["import"] + found["made"]
            rows.append((f"{name}, {SAYS[what]}", found["import"], found["made"], totals[name, what]))
    needs = {("panda", "torque"): TORQUE, ("panda", "generation"): GENERATION}
    claims = [
        Claim(f"{name}: CPU s, {SAYS[what]}", totals[name, what], need, at_most=True)
        for (name, what), need in needs.items()
        if (name, what) in totals
    ]
    heads = columns("robot", "CPU s, imports", "CPU s after them", "CPU s in all")
    return Contents(tuple(claims), (Table("from a cold start", heads, tuple(rows)),))


SAYS = {"torque": "first torque, compiled", "generation": "default kernels, generated in one process"}


def _calibrated(robot: Machine, folder: Path) -> Path:
    """The robot's file with errors at the origin of every joint, the same in every run."""
    random, root = np.random.default_rng(SEED), ET.fromstring(robot.urdf)
    for origin in root.iterfind("joint/origin"):
        for name, deviation in (("xyz", SHIFT), ("rpy", TURN)):
            exact = [float(x) for x in origin.get(name, "0 0 0").split()]
            origin.set(name, " ".join(repr(float(x)) for x in exact + deviation * random.standard_normal(3)))
    path = folder / f"{robot.name}_calibrated.urdf"
    path.write_text(ET.tostring(root, encoding="unicode"), encoding="utf-8")
    return path


def _cpu() -> float:
    """CPU seconds of this process and of its children that have ended."""
    who = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    return sum(used.ru_utime + used.ru_stime for used in map(resource.getrusage, who))


def _torque(model: str) -> None:
    robot = importlib.import_module("kanegen").load(model)
    state = np.full(robot.nv, 0.3)
    robot.inverse_dynamics(state, state, state)


def _generation(model: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        importlib.import_module("kanegen").generate(model, folder, jobs=1)


def main() -> None:
    """One measurement, as JSON: CPU seconds until all is imported, and after that."""
    what, model = sys.argv[1:]
    logging.disable(logging.WARNING)  # the files' mended flaws are the corpus's business
    calls: dict[str, Callable[[str], None]] = {"torque": _torque, "generation": _generation}
    imported = _cpu()
    calls[what](model)
    print(json.dumps({"import": imported, "made": _cpu() - imported}))


if __name__ == "__main__":
    main()
