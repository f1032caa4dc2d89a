"""``kanegen trajectory``: the forces that a path needs, from a table of coordinates or of a frame's poses."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

import kanegen
from kanegen.codegen.commands.model_simulation import check_files, loaded, start, write_files
from kanegen.codegen.commands.simulation_words import assignments, table_file
from kanegen.errors import KanegenError
from kanegen.options import Options


def follow(
    model: str,
    table: Path,
    frame: str | None,
    setting: list[str],
    rows: int | None,
    options: Options,
    files: dict[str, Path],
    report: Callable[[str], None],
) -> dict[str, Any]:
    """What a path needs, as a document; ``files`` are written, by "csv", "parquet", "plot", "animate".

    ``setting`` has ``q.NAME=VALUE`` of the configuration to begin with, and ``p.NAME=VALUE`` of live parameters.  Raises
    KanegenError for what is wrong with model, table, words or files.
    """
    check_files(files)
    words = assignments(setting)
    if words.v:
        raise KanegenError("--set: a path has its own speeds; only q.NAME=VALUE and p.NAME=VALUE are taken")
    path = _joint_columns(table_file(table))
    robot = loaded(model, words, options)
    try:
        q0 = start(robot, words, report)[0]
        times = None
        if rows is not None:
            clock = next(iter(path.values()))[0]
            times = np.linspace(clock[0], clock[-1], rows)
        found = kanegen.trajectory(robot, path, q0, times, frame=frame)
    except (TypeError, ValueError) as error:
        raise KanegenError(f"{table}: {error}") from None
    write_files(found, files, report)
    return document(robot, found)


def _joint_columns(path: dict[str, Any]) -> dict[str, Any]:
    """The columns; of a file that ``kanegen simulate`` wrote those of the coordinates, q.NAME."""
    joints = {name[2:]: table for name, table in path.items() if name.startswith("q.")}
    return joints or path


def document(robot: Any, found: Any) -> dict[str, Any]:
    """A trajectory as records for JSON: times [s], peak and root mean square of each drive [N m, N], limits passed."""
    skeleton = robot.skeleton
    units = ("",) * robot.nv if skeleton is None else skeleton.forces
    largest = np.abs(found.tau).argmax(axis=0)
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
            for name, unit, peak, row, rms in zip(
                robot.speed_names, units, found.peak, largest, found.rms, strict=True
            )
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
    lines += [
        f"  {drive['name'] + ' [' + drive['unit'] + ']':22}{drive['peak']:18.9g}{drive['t_peak']:18.6g}{drive['rms']:18.9g}"
        for drive in told["drives"]
    ]
    return "\n".join(lines)
