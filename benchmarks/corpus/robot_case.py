"""One model file: read, generate, compile, compare with Pinocchio over random states.

    python -m benchmarks.corpus.robot_case FILE DERIVATIONS

prints a JSON object; what goes wrong is part of it.  DERIVATIONS bounds the search for each kernel.
"""

from __future__ import annotations

import dataclasses
import json
import logging
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

import kanegen
from kanegen.codegen import pipeline
from kanegen.codegen.commands.against import random_states
from kanegen.codegen.commands.peers import State, open_peer
from kanegen.codegen.mechanism.errors import ModelError
from kanegen.codegen.mechanism.importers.formats import format_of
from kanegen.codegen.mechanism.importers.xacro import urdf_text
from kanegen.codegen.mechanism.names import c_names
from kanegen.codegen.mechanism.records import Mechanism
from kanegen.codegen.model_files import read_model

KERNELS = ("inverse_dynamics", "mass_matrix", "forward_dynamics")
STATES = 100


@dataclass
class Case:
    """What became of a file.  Differences are relative to the largest component of the state; seconds are wall time."""

    outcome: str
    reason: str = ""
    dof: int = 0
    operations: dict[str, str] = field(default_factory=dict)
    read_seconds: float = 0.0
    generation_seconds: float = 0.0
    compile_seconds: float = 0.0
    differences: dict[str, float] = field(default_factory=dict)
    without: str = ""
    unphysical: str = ""


def examine(path: Path, derivations: int) -> Case:
    """Everything about one file."""
    started = time.perf_counter()
    unphysical = ""
    try:
        mechanism = _read(path, False)
    except ModelError as error:
        unphysical = _told(error, path)
        try:
            mechanism = _read(path, True)
        except ModelError:
            return Case(_outcome(unphysical), unphysical)
    case = Case(
        "loaded", dof=mechanism.dof, read_seconds=time.perf_counter() - started, unphysical=unphysical
    )
    if unphysical:
        case.outcome = "refused unless unphysical inertias are allowed"
    with tempfile.TemporaryDirectory() as folder:
        robot = _compiled(mechanism, Path(folder) / "c", case, derivations)
        if robot is not None:
            _compare(mechanism, path, Path(folder), robot, case)
    return case


def _read(path: Path, allow_unphysical: bool) -> Mechanism:
    return read_model(path, floating_base=False, allow_unphysical=allow_unphysical, angle_tolerance=None)


def _outcome(reason: str) -> str:
    return "fragment" if "without a robot" in reason or "fragment" in reason else "refused"


def _told(error: ModelError, path: Path) -> str:
    return str(error).replace(str(path), path.name)


def _compiled(mechanism: Mechanism, folder: Path, case: Case, derivations: int) -> kanegen.Robot | None:
    kernels = KERNELS
    wanted = pipeline.Options(kernels=kernels, search_budget=derivations)
    started = time.perf_counter()
    try:
        pipeline.generate(mechanism, folder, wanted)
    except ModelError as error:
        # no inertia resists some joint: inverse dynamics and the mass matrix are there all the same
        case.without = str(error)
        kernels = KERNELS[:2]
        pipeline.generate(mechanism, folder, dataclasses.replace(wanted, kernels=kernels))
    case.generation_seconds = time.perf_counter() - started
    started = time.perf_counter()
    robot = kanegen.load(folder)
    case.compile_seconds = time.perf_counter() - started
    for kernel in kernels:
        counts = robot.operation_counts[kernel]
        rest = f" / {counts.divisions}" if counts.divisions else ""
        case.operations[kernel] = f"{counts.multiplications} / {counts.additions}{rest}"
    return robot


def _compare(mechanism: Mechanism, path: Path, folder: Path, robot: kanegen.Robot, case: Case) -> None:
    file = path
    if format_of(path) == "xacro":
        file = folder / "expanded.urdf"
        file.write_text(urdf_text(path), encoding="utf-8")
    try:
        peer = open_peer("pinocchio", mechanism, file)
    except ModelError as error:
        case.without = _told(error, file)
        return
    arguments = random_states(mechanism, robot, STATES, seed=1983)
    states = [State(**{name: array[i] for name, array in arguments.items()}) for i in range(STATES)]
    theirs = peer.kernels(c_names(robot.frame_names))
    for kernel, names in zip(KERNELS, ("qva", "q", ("q", "v", "tau")), strict=True):
        if kernel not in case.operations:
            continue
        results = robot.call(kernel, *(arguments[name] for name in names))
        case.differences[kernel] = _worst(results, theirs[kernel], states)


def _worst(results: np.ndarray, expected_of: Callable[[State], np.ndarray], states: list[State]) -> float:
    worst = 0.0
    for result, state in zip(results, states, strict=True):
        expected = expected_of(state)
        scale = float(np.abs(expected).max()) or 1.0
        worst = max(worst, float(np.abs(result - expected).max()) / scale)
    return worst


def main() -> None:
    """Examine the file of the command line."""
    logging.disable(logging.WARNING)
    print(json.dumps(dataclasses.asdict(examine(Path(sys.argv[1]), int(sys.argv[2])))))


if __name__ == "__main__":
    main()
