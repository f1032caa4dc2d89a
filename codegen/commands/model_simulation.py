"""``kanegen simulate`` for any model: from words to a motion, a report and files."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

import kanegen
from kanegen.codegen.commands.constants_of_motion import Quantity, quantities
from kanegen.codegen.commands.parser import Parser, finite, positive_count
from kanegen.codegen.commands.simulation_words import Words
from kanegen.codegen.mechanism.folding import with_numbers
from kanegen.codegen.mechanism.records import Mechanism
from kanegen.codegen.mechanism.validation import with_parameter_values
from kanegen.codegen.reading import read
from kanegen.errors import AssemblyError, KanegenError
from kanegen.extras import install_command
from kanegen.figures.canvas import check_plot, matplotlib
from kanegen.files import in_folders, write_file
from kanegen.model_warnings import warn
from kanegen.options import Options
from kanegen.robot.assembly import led_to
from kanegen.simulation import Motion, Status

KINDS = ("csv", "parquet", "plot", "animate")
"""What can be written."""

Report = Callable[[str], None]

MOVED = 1e-9
"""Coordinates [rad, m] that closing loops moved by more are told of."""


def add_motion(parser: Parser, setting: str) -> None:
    """The flags of every motion: where and when it begins, its times, and the files that it is written into."""
    parser.add_argument("--set", nargs="+", action="extend", default=[], metavar="q.NAME=VALUE", help=setting)
    parser.add_argument("--t0", type=finite, metavar="SECONDS", help="when it begins (default 0)")
    parser.add_argument(
        "--rows", type=positive_count, metavar="N", help="equally spaced times (default 1001)"
    )
    parser.add_argument("--plot", type=Path, metavar="FILE", help="draw it (needs matplotlib)")
    parser.add_argument("--animate", type=Path, metavar="FILE", help="a moving picture, .gif or .mp4")
    parser.add_argument("--csv", type=Path, metavar="FILE", help="write the numbers, 12 digits")
    parser.add_argument("--parquet", type=Path, metavar="FILE", help="the same (needs pandas and pyarrow)")


def files_of(given: argparse.Namespace) -> dict[str, Path]:
    """Those that were asked for, by kind."""
    return {kind: path for kind in KINDS if (path := getattr(given, kind)) is not None}


def simulate_model(
    model: str,
    words: Words,
    options: Options,
    files: dict[str, Path],
    report: Report,
    with_constants: bool = False,
) -> bool:
    """Simulate and report; ``files`` are to be written, by "csv", "parquet", "plot", "animate".  Whether it reached its end.

    Raises KanegenError for what is wrong with model, words or files.
    """
    if words.time is None:
        raise KanegenError("simulate: how long? Give --time SECONDS, or time = SECONDS in the file")
    check_files(files)
    robot = loaded(model, words, options)
    q0, v0 = start(robot, words, report)
    times = (
        None
        if words.rows is None
        else np.linspace(words.t0 or 0.0, (words.t0 or 0.0) + words.time, words.rows)
    )
    try:
        motion = kanegen.simulate(
            robot,
            q0,
            v0,
            words.time,
            controller=words.law,
            references=words.references or None,
            wrenches=words.wrenches,
            times=times,
            **words.settings,
        )
    except ValueError as error:
        raise KanegenError(str(error)) from None
    for line in _summary(robot, motion):
        report(line)
    if with_constants:
        report("")
        mechanism = with_numbers(with_parameter_values(read(model, options), robot.parameters))
        for line in _constants(robot, mechanism, motion):
            report(line)
    write_files(motion, files, report)
    return motion.statistics.status is Status.DONE


def loaded(model: str, words: Words, options: Options) -> Any:
    """The robot of a model, its live parameters as set."""
    robot = kanegen.load(model, **{**options.asked(), "arguments": dict(options.arguments)})
    return robot.with_parameters(words.p) if words.p else robot


def start(robot: Any, words: Words, report: Report) -> tuple[Any, Any]:
    """q0 and v0 as set, loops closed: what was set stays, if the loops can be closed so."""
    try:
        q, v = robot.configuration(words.q), robot.speeds(words.v)
    except ValueError as error:
        raise KanegenError(str(error)) from None
    if q.ndim > 1 or v.ndim > 1:
        lists = [name for name, value in {**words.q, **words.v}.items() if isinstance(value, list)]
        raise KanegenError(
            f"what is set of {', '.join(lists)}: expected one number for what has one, not a list"
        )
    if robot.constraints is None or not robot.constraints.position:
        return q, v
    held = [place for name in words.q for place in robot.coordinate_places[name]]
    closed = _closed(robot.at(words.t0 or 0.0), q, held)
    astray = [i for i in held if abs(closed[i] - q[i]) > MOVED and i not in _in_quaternions(robot)]
    if astray:
        i = astray[0]
        warn(
            f"the loops of {robot.name} cannot be closed with q.{robot.coordinate_names[i]} = {q[i]:.6g}: it is "
            f"{closed[i]:.6g} in the nearest configuration in which they are. Set other values, or fewer of them"
        )
    moved = [
        f"{name} from {before:.6g} to {after:.6g}"
        for name, before, after in zip(robot.coordinate_names, q, closed, strict=True)
        if abs(after - before) > MOVED
    ]
    if moved:
        report(f"closing the loops moved {', '.join(moved)}")
    return closed, v


def _in_quaternions(robot: Any) -> set[int]:
    """Whose length loops need to be one, whatever is set."""
    return {start + k for start in robot.quaternions for k in range(4)}


def _closed(robot: Any, q: Any, held: list[int]) -> Any:
    """The closed configuration that is reached from home with what was set, or else the nearest one."""
    found = led_to(robot, robot.assemble(), q, held)
    if found is not None:
        return found
    try:
        return robot.assemble(q)
    except AssemblyError as error:
        raise KanegenError(f"what is set leaves the loops open: {error}") from None


def _summary(robot: Any, motion: Motion) -> Iterator[str]:
    done = motion.statistics
    how = "compiled" if done.compiled else "NumPy"
    yield (
        f"{robot.name}: {motion.t[0]:g} s to {done.t:.6g} s, {done.accepted} steps, {done.rejected} rejected, "
        f"{done.evaluations} evaluations ({how})"
    )
    reached = np.isfinite(motion.q).all(axis=1) & np.isfinite(motion.v).all(axis=1)
    skeleton = robot.skeleton
    none = ("",) * robot.nq
    units = (none, none, none) if skeleton is None else (skeleton.units, skeleton.rates, skeleton.forces)
    yield ""
    yield f"{'':24}{'at the start':>18}{'at the end':>18}{'smallest':>18}{'largest':>18}"
    for symbol, names, rows, of_each in (
        ("q", robot.coordinate_names, motion.q, units[0]),
        ("v", robot.speed_names, motion.v, units[1]),
        ("tau", robot.speed_names, motion.tau, units[2]),
    ):
        if symbol == "tau" and not motion.tau[reached].any():
            continue
        for name, unit, values in zip(names, of_each, rows[reached].T, strict=False):
            numbers = (values[0], values[-1], values.min(), values.max())
            label = f"{symbol}.{name} [{unit}]"
            yield f"  {label:22}{''.join(f'{x:z18.9g}' for x in numbers)}"


def _constants(robot: Any, mechanism: Mechanism, motion: Motion) -> Iterator[str]:
    """Energies, momenta, what should stay constant and how well it does, works of drives, drift from the constraints."""
    reached = np.isfinite(motion.q).all(axis=1) & np.isfinite(motion.v).all(axis=1)
    q, v = motion.q[reached], motion.v[reached]
    rows = motion.within(reached)
    frames = () if rows.of is None else rows.of.wrenches
    now = robot.at(rows.t)
    found = quantities(mechanism, rows, now.kinetic_energy(q, v), now.potential_energy(q), now.momentum(q, v))
    yield f"{'quantity':58}{'at the start':>18}{'at the end':>18}{'largest change':>16}"
    for quantity in found:
        yield _line(quantity)
    works = [*(f"drive on {name}" for name in robot.speed_names), *(f"wrench on {name}" for name in frames)]
    for name, work in zip(works, rows.work[-1], strict=True):
        if name.startswith("wrench") or rows.tau.any():
            yield f"  {f'work of the {name} [J]':56}{0.0:18.9g}{work:z18.9g}"
    if motion.drift is not None:
        yield f"  {'distance from the constraints, at most':56}{motion.drift:>52.1e}"
    constant = [quantity for quantity in found if quantity.constant]
    yield ""
    for quantity in constant:
        largest = float(np.abs(quantity.values).max())
        share = f", {quantity.change / largest:.1e} of its size" if largest > 10 * quantity.change else ""
        yield f"constant: {quantity.name}, to {quantity.change:.1e} {quantity.unit}{share}"
    if not constant:
        yield "nothing has to stay constant: forces from outside act, or energy is lost"


def _line(quantity: Quantity) -> str:
    label = f"{quantity.name} [{quantity.unit}]"
    numbers = f"{quantity.values[0]:z18.9g}{quantity.values[-1]:z18.9g}{quantity.change:16.1e}"
    return f"  {label:56}{numbers}" + ("  constant" if quantity.constant else "")


def check_files(files: dict[str, Path]) -> None:
    """Raise KanegenError for what cannot be written, before the work is done."""
    if "plot" in files:
        check_plot(files["plot"].suffix)
    if "animate" in files:
        matplotlib()
        if files["animate"].suffix.lower() not in (".gif", ".mp4"):
            raise KanegenError(
                f"--animate: expected a file that ends in .gif or .mp4, got {files['animate'].name!r}"
            )
    if "parquet" in files:
        try:
            import pandas  # noqa: F401, ICN001  (whether it is there)
            import pyarrow  # noqa: F401, ICN001
        except ImportError:
            raise KanegenError(
                f"--parquet needs pandas and pyarrow. Install them: {install_command('tables')}"
            ) from None


def write_files(motion: Motion, files: dict[str, Path], report: Report) -> None:
    """Write a motion into files by kind, as ``check_files`` allows."""
    for kind, path in files.items():
        if kind == "csv":
            write_file(path, _csv(motion).encode("utf-8"))
        elif kind == "parquet":
            write_file(path, motion.to_pandas().to_parquet())
        else:
            with in_folders(path.parent):
                (motion.plot if kind == "plot" else motion.animate)(path)
        report(f"wrote {path}")


def _csv(motion: Motion) -> str:
    """Comma-separated values, 12 significant digits: t, then the columns of ``Motion.columns``."""
    named = [("t", motion.t), *motion.columns()]
    lines = [",".join(name for name, _ in named)]
    # "#" keeps trailing zeros; "z" drops the sign of zero.
    lines += [
        ",".join(format(float(x), "z#.12g") for x in row) for row in np.column_stack([c for _, c in named])
    ]
    return "\n".join(lines) + "\n"
