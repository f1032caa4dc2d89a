"""What a scenario came to: as lines for a reader, and as comma-separated values."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator

import numpy as np

from kanegen.codegen.commands.scenario_run import Result
from kanegen.codegen.mechanism.records import JointKind, Mechanism
from kanegen.codegen.mechanism.scenarios import ControlledMotion


def csv_text(result: Result) -> str:
    """The result as comma-separated values, 12 significant digits.

    Columns: t; the coordinates by name; rate_, force_ (generalized) and actuator_ (by the actuators' own names and
    signs) for each of them; energy; angular_momentum_x, _y, _z about the base origin.
    """
    coordinates = result.mechanism.coordinates
    groups = (
        (("t",), result.t[:, None]),
        (coordinates, result.q),
        ([f"rate_{name}" for name in coordinates], result.v),
        ([f"force_{name}" for name in coordinates], result.tau),
        ([f"actuator_{name}" for name in result.actuator_names], result.forces),
        (("energy",), result.energy[:, None]),
        ([f"angular_momentum_{axis}" for axis in "xyz"], result.momentum[:, 3:]),
    )
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([name for names, _ in groups for name in names])
    for row in np.hstack([columns for _, columns in groups]):
        # "#" keeps trailing zeros: 0.1 is written as 0.100000000000; "z" drops the sign of zero.
        writer.writerow([format(float(value), "z#.12g") for value in row])
    return text.getvalue()


def summary(result: Result) -> Iterator[str]:
    """Lines that say what happened."""
    scenario = result.scenario
    yield f"{result.mechanism.name}, {scenario.name}: {scenario.title}"
    yield f"  {scenario.source}"
    yield ""
    if isinstance(scenario, ControlledMotion):
        yield from _end(result, scenario)
        yield ""
    yield from _extremes(result)
    yield ""
    if isinstance(scenario, ControlledMotion):
        yield f"energy {result.energy[0]:z.12g} J at the start, {result.energy[-1]:z.12g} J at the end"
        yield from _conserved(result, scenario)
        yield from _effort(result, scenario)
    else:
        yield (
            f"{result.t.size} states in {_duration(result.seconds)} of inverse dynamics, "
            f"{_duration(result.seconds / result.t.size)} each"
        )


def headline(result: Result) -> str:
    """What happened, in one line: the largest forces, or how near the targets and a conserved momentum came out."""
    scenario = result.scenario
    if not isinstance(scenario, ControlledMotion):
        return f"actuators over {scenario.duration:g} s, the largest {' and '.join(_largest_forces(result))}"
    if scenario.conserved is not None and result.conserved is not None:
        change = float(np.abs(result.conserved - result.conserved[0]).max())
        return (
            f"{scenario.conserved.title}, changes by at most {change:.1e} {scenario.conserved.unit} "
            f"(asked for: {scenario.conserved.bound:.0e})"
        )
    missed = [abs(q - aim) for q, aim in zip(result.q[-1], scenario.targets, strict=True) if aim is not None]
    end = f"within {max(missed):.1e} of all targets" if missed else "done"
    return f"{end} at t = {scenario.duration:g} s, simulated in {_duration(result.seconds)}"


def _largest_forces(result: Result) -> Iterator[str]:
    """Of each unit."""
    units = force_units(result.mechanism)
    for unit in dict.fromkeys(units):
        columns = [k for k, other in enumerate(units) if other == unit]
        row, place = np.unravel_index(
            int(np.argmax(np.abs(result.forces[:, columns]))), (result.t.size, len(columns))
        )
        k = columns[place]
        yield f"{result.actuator_names[k]} = {result.forces[row, k]:z.6g} {unit}"


def coordinate_units(mechanism: Mechanism) -> tuple[str, ...]:
    """rad or m for each coordinate; amplitudes of modes are in m."""
    return tuple("m" if _slides(mechanism, name) else "rad" for name in mechanism.coordinates)


def force_units(mechanism: Mechanism) -> tuple[str, ...]:
    """N m or N for each generalized force."""
    return tuple("N" if _slides(mechanism, name) else "N m" for name in mechanism.coordinates)


def _slides(mechanism: Mechanism, coordinate: str) -> bool:
    return coordinate in mechanism.modes or mechanism.joint(coordinate).kind is JointKind.PRISMATIC


def _end(result: Result, scenario: ControlledMotion) -> Iterator[str]:
    yield f"{f'at t = {result.t[-1]:g} s':12}{'coordinate':>20}{'rate':>20}{'target':>16}{'difference':>14}"
    columns = zip(
        result.mechanism.coordinates,
        coordinate_units(result.mechanism),
        result.q[-1],
        result.v[-1],
        scenario.targets,
        strict=True,
    )
    for name, unit, q, v, target in columns:
        aim = f"{'free':>16}" if target is None else f"{target:z16.9f}{q - target:14.2e}"
        yield f"  {name:6}{unit:>4}{q:z20.12f}{v:z20.12f}{aim}"


def _extremes(result: Result) -> Iterator[str]:
    yield f"{'actuator':12}{'smallest':>18}{'at t':>8}{'largest':>20}{'at t':>8}{'at the end':>20}"
    for name, unit, values in zip(
        result.actuator_names, force_units(result.mechanism), result.forces.T, strict=True
    ):
        low, high = int(np.argmin(values)), int(np.argmax(values))
        yield (
            f"  {name:6}{unit:>4}{values[low]:z18.12f}{result.t[low]:8.2f}"
            f"{values[high]:z20.12f}{result.t[high]:8.2f}{values[-1]:z20.12f}"
        )


def _conserved(result: Result, scenario: ControlledMotion) -> Iterator[str]:
    if scenario.conserved is None or result.conserved is None:
        return
    change = float(np.abs(result.conserved - result.conserved[0]).max())
    verdict = "within" if change <= scenario.conserved.bound else "NOT within"
    yield (
        f"{scenario.conserved.name}, {scenario.conserved.title}, changes by at most {change:.2e} {scenario.conserved.unit}, "
        f"{verdict} {scenario.conserved.bound:.0e}"
    )


def _effort(result: Result, scenario: ControlledMotion) -> Iterator[str]:
    statistics = result.statistics
    if statistics is None:
        return
    yield (
        f"{scenario.duration:g} s simulated in {_duration(result.seconds)}, "
        f"{scenario.duration / result.seconds:.3g} times faster than real time "
        f"({'compiled' if statistics.compiled else 'NumPy'}; Dormand-Prince 5(4), rtol {scenario.rtol:.0e}, "
        f"atol {scenario.atol:.0e})"
    )
    yield (
        f"{statistics.accepted} steps, {statistics.rejected} rejected, "
        f"{statistics.evaluations} evaluations of the forward dynamics"
    )


def _duration(seconds: float) -> str:
    """Three digits and a unit."""
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds / 1e-9:.3g} ns"
