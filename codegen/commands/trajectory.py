"""``kanegen trajectory``: the forces that a path needs, from a table of coordinates or of a frame's poses."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np

import kanegen
from kanegen.codegen.commands.model_simulation import (
    add_motion,
    check_files,
    files_of,
    loaded,
    start,
    write_files,
)
from kanegen.codegen.commands.option_flags import add_options, asked_options
from kanegen.codegen.commands.parser import Parser, finite
from kanegen.codegen.commands.simulation_words import assignments, table_file
from kanegen.errors import KanegenError
from kanegen.options import OF_MOTIONS, Options
from kanegen.simulation.request import DEFAULT_ROWS


def arguments(parser: Parser) -> None:
    """The flags of the command."""
    parser.add_model()
    parser.add_argument(
        "--path",
        type=Path,
        metavar="FILE",
        help="columns t and coordinates; with --frame t, x, y, z and roll, pitch, yaw, or some of these [s, m, rad]",
    )
    parser.add_argument("--frame", metavar="FRAME", help="the path is that of a frame in the base")
    parser.add_argument(
        "--time",
        type=finite,
        metavar="SECONDS",
        help="in place of a path: how long to follow a model whose equations decide all of its motion",
    )
    parser.add_json()
    add_motion(
        parser, "where to begin, and what is not in the path [rad, m]; p.NAME=VALUE for what is --live"
    )
    add_options(parser, OF_MOTIONS)


def run(given: argparse.Namespace) -> int:
    """Print what the path needs, and write the files that were named."""
    told = follow(
        given.model,
        given.path,
        given.frame,
        given.set,
        (given.time, given.t0),
        given.rows,
        asked_options(given, OF_MOTIONS),
        files_of(given),
        lambda line: print(line, file=sys.stderr if given.json else sys.stdout),
    )
    print(json.dumps(told, indent=2) if given.json else text(told))
    return 0


def follow(
    model: str,
    table: Path | None,
    frame: str | None,
    setting: list[str],
    span: tuple[float | None, float | None],
    rows: int | None,
    options: Options,
    files: dict[str, Path],
    report: Callable[[str], None],
) -> dict[str, Any]:
    """What a path needs, as a document; ``files`` are written, by "csv", "parquet", "plot", "animate".

    Without a ``table`` the model's own equations are the path, and ``span`` is how long they are followed, and from when on
    (0 by default).  ``setting`` has ``q.NAME=VALUE`` of the configuration to begin with, and ``p.NAME=VALUE`` of live
    parameters.  Raises KanegenError for what is wrong with model, table, words or files.
    """
    check_files(files)
    words = assignments(setting)
    if words.v:
        raise KanegenError("--set: a path has its own speeds; only q.NAME=VALUE and p.NAME=VALUE are taken")
    path = None if table is None else _joint_columns(table_file(table))
    robot = loaded(model, words, options)
    times = None
    if path is None:
        if robot.nv:
            raise KanegenError(f"{robot.name} has degrees of freedom: give its path, --path FILE")
        if span[0] is None:
            raise KanegenError("trajectory: how long? Give --time SECONDS")
        begin = span[1] or 0.0
        words = replace(words, t0=begin)
        times = np.linspace(begin, begin + span[0], rows or DEFAULT_ROWS)
    elif span != (None, None):
        raise KanegenError(
            "trajectory: --time and --t0 are for a model without a path: a path has times of its own"
        )
    elif rows is not None:
        clock = next(iter(path.values()))[0]
        times = np.linspace(clock[0], clock[-1], rows)
    try:
        found = kanegen.trajectory(robot, path, start(robot, words, report)[0], times, frame=frame)
    except (TypeError, ValueError) as error:
        raise KanegenError(f"{table or robot.name}: {error}") from None
    write_files(found, files, report)
    return document(robot, found)


def _joint_columns(path: dict[str, Any]) -> dict[str, Any]:
    """The columns; of a file that ``kanegen simulate`` wrote those of the coordinates, q.NAME."""
    joints = {name[2:]: table for name, table in path.items() if name.startswith("q.")}
    return joints or path


def document(robot: Any, found: Any) -> dict[str, Any]:
    """A trajectory as records for JSON: times [s], peak and root mean square of each drive [N m, N], limits passed."""
    skeleton = robot.skeleton
    names, forces = (
        (robot.speed_names, found.tau) if robot.nv else (robot.constraints.forces, found.constraint_forces)
    )
    units = skeleton.forces if skeleton is not None and robot.nv else ("",) * len(names)
    largest = np.abs(forces).argmax(axis=0)
    return {
        "model": robot.name,
        "t": [float(found.t[0]), float(found.t[-1])],
        "rows": len(found.t),
        "drives": [
            {
                "name": name,
                "unit": unit,
                "peak": float(peak),
                "t_peak": float(found.t[row]),
                "rms": float(rms),
            }
            for name, unit, peak, row, rms in zip(names, units, found.peak, largest, found.rms, strict=True)
        ],
        "limits": [asdict(limit) for limit in found.passed],
    }


def text(told: dict[str, Any]) -> str:
    """The document as lines; limits are told by the warning."""
    lines = [
        f"{told['model']}: {told['t'][0]:g} s to {told['t'][1]:.6g} s, {told['rows']} rows",
        "",
        f"{'':24}{'peak':>18}{'at t [s]':>18}{'RMS':>18}",
    ]
    for drive in told["drives"]:
        label = drive["name"] + f" [{drive['unit']}]" * bool(drive["unit"])
        lines.append(f"  {label:22}{drive['peak']:18.9g}{drive['t_peak']:18.6g}{drive['rms']:18.9g}")
    return "\n".join(lines)
