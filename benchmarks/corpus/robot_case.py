"""One model file: read, generate, compile, compare with Pinocchio over random states.

    python -m benchmarks.corpus.robot_case FILE DERIVATIONS

prints a JSON object; what goes wrong is part of it.  DERIVATIONS bounds the search for each kernel.

Neither side has all digits of an acceleration where the mass matrix is nearly singular.  Where accelerations differ by more
than 1e-10 although mass matrix and inverse dynamics agree, so that both speak of the same robot, each side is held against
40 digits, and kanegen's error is what counts (``of_kanegen``).
"""

from __future__ import annotations

import dataclasses
import json
import logging
import sys
import tempfile
import time
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import kanegen
from benchmarks.corpus.exact import apart, errors_of_both
from kanegen.codegen import pipeline
from kanegen.codegen.commands.against import random_states
from kanegen.codegen.commands.against_report import BOUND
from kanegen.codegen.commands.frames_in_use import turns_frames
from kanegen.codegen.deriving import derive_all
from kanegen.codegen.graph import OperationCounts, count
from kanegen.codegen.kernel_sources import KernelSources
from kanegen.codegen.mechanism.importers import read_file
from kanegen.codegen.mechanism.importers.model_file import Imported, format_of
from kanegen.codegen.mechanism.importers.xacro import urdf_text
from kanegen.codegen.mechanism.names import c_names
from kanegen.codegen.mechanism.records import Mechanism
from kanegen.codegen.peers import State, TreePeer, open_peer
from kanegen.errors import ModelError

ACCELERATIONS = "forward_dynamics"
KERNELS = {"inverse_dynamics": ("q", "v", "a"), "mass_matrix": ("q",), ACCELERATIONS: ("q", "v", "tau")}
"""What is examined, with its arguments."""

STATES = 100

Array = NDArray[np.float64]


@dataclass
class Case:
    """What became of a file.  Differences are relative to the largest component of the state; seconds are wall time.

    ``operations`` are those of the frames that kanegen chooses, ``in_own_frames`` those of a search as long in the frames of
    the file: none is turned about its axis, and no relation of axes is recognised.

    ``errors`` has those of accelerations from the values to 40 digits, by engine, in the states in which they differ by more
    than 1e-10; ``of_kanegen`` is what of each difference is kanegen's.
    """

    outcome: str
    reason: str = ""
    dof: int = 0
    operations: dict[str, str] = field(default_factory=dict)
    in_own_frames: dict[str, str] = field(default_factory=dict)
    read_seconds: float = 0.0
    generation_seconds: float = 0.0
    compile_seconds: float = 0.0
    differences: dict[str, float] = field(default_factory=dict)
    errors: dict[str, float] = field(default_factory=dict)
    of_kanegen: dict[str, float] = field(default_factory=dict)
    without: str = ""
    unphysical: str = ""


def examine(path: Path, derivations: int) -> Case:
    """Everything about one file."""
    started = time.perf_counter()
    unphysical = ""
    try:
        imported = read_file(path)
    except ModelError as error:
        unphysical = _told(error, path)
        try:
            imported = read_file(path, allow_unphysical=True)
        except ModelError:
            return Case(_outcome(unphysical), unphysical)
    mechanism = imported.mechanism
    case = Case(
        "loaded", dof=mechanism.dof, read_seconds=time.perf_counter() - started, unphysical=unphysical
    )
    if unphysical:
        case.outcome = "refused unless unphysical inertias are allowed"
    with tempfile.TemporaryDirectory() as folder:
        robot = _compiled(mechanism, Path(folder) / "c", case, derivations)
        if robot is not None:
            _compare(mechanism, path, Path(folder), robot, case)
    case.in_own_frames = _in_own_frames(imported, case.operations, derivations)
    return case


def _outcome(reason: str) -> str:
    return "fragment" if "without a robot" in reason or "fragment" in reason else "refused"


def _told(error: ModelError, path: Path) -> str:
    return str(error).replace(str(path), path.name)


def _compiled(mechanism: Mechanism, folder: Path, case: Case, derivations: int) -> kanegen.Robot | None:
    kernels = tuple(KERNELS)
    wanted = pipeline.Options(kernels=kernels, search=derivations)
    started = time.perf_counter()
    try:
        pipeline.generate(mechanism, folder, wanted)
    except ModelError as error:
        # no inertia resists some joint: inverse dynamics and the mass matrix are there all the same
        case.without = str(error)
        kernels = tuple(kernel for kernel in KERNELS if kernel != ACCELERATIONS)
        pipeline.generate(mechanism, folder, dataclasses.replace(wanted, kernels=kernels))
    case.generation_seconds = time.perf_counter() - started
    started = time.perf_counter()
    robot = kanegen.load(folder)
    case.compile_seconds = time.perf_counter() - started
    case.operations = {kernel: _shown(robot.operation_counts[kernel]) for kernel in kernels}
    return robot


def _in_own_frames(imported: Imported, chosen: Mapping[str, str], derivations: int) -> dict[str, str]:
    """Operations of the kernels in the frames of the file; as in those that were chosen where these are the same."""
    wanted = pipeline.Options(kernels=tuple(chosen), search=derivations)
    mechanism, described = (pipeline.read(m, wanted) for m in (imported.mechanism, imported.described))
    sources = KernelSources(mechanism, wanted)
    if mechanism == described and not any(turns_frames(sources, kernel) for kernel in chosen):
        return dict(chosen)
    derived = derive_all(KernelSources(described, wanted, turned=False))
    return {kernel: _shown(count(found.program)) for kernel, found in derived.kernels.items()}


def _shown(counts: OperationCounts) -> str:
    rest = f" / {counts.divisions}" if counts.divisions else ""
    return f"{counts.multiplications} / {counts.additions}{rest}"


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
    theirs = _answers(peer, robot, arguments, case.operations)
    ours = _results(robot, arguments, theirs)
    case.differences = {kernel: float(apart(ours[kernel], theirs[kernel]).max()) for kernel in theirs}
    case.of_kanegen = dict(case.differences)
    if [kernel for kernel, x in case.differences.items() if not x <= BOUND] == [ACCELERATIONS]:
        case.errors = errors_of_both(mechanism, ours[ACCELERATIONS], theirs[ACCELERATIONS], arguments)
        case.of_kanegen[ACCELERATIONS] = case.errors["kanegen"]


def _answers(
    peer: TreePeer, robot: kanegen.Robot, arguments: Mapping[str, Array], kernels: Collection[str]
) -> dict[str, Array]:
    """Pinocchio's answers in all states, (states, ...), by kernel."""
    known = peer.kernels(c_names(robot.frame_names))
    states = [State(**{name: array[i] for name, array in arguments.items()}) for i in range(STATES)]
    return {kernel: np.array([known[kernel](s) for s in states]) for kernel in KERNELS if kernel in kernels}


def _results(
    robot: kanegen.Robot, arguments: Mapping[str, Array], kernels: Iterable[str]
) -> dict[str, Array]:
    return {
        kernel: np.asarray(robot.call(kernel, *(arguments[name] for name in KERNELS[kernel])))
        for kernel in kernels
    }


def main() -> None:
    """Examine the file of the command line."""
    logging.disable(logging.WARNING)
    print(json.dumps(dataclasses.asdict(examine(Path(sys.argv[1]), int(sys.argv[2])))))


if __name__ == "__main__":
    main()
