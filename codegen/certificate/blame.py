"""Whose fault it is that a kernel fails a check: the model's, which may have no value or no digits, or kanegen's.

A program evaluated with many digits tells: where that shows that rounding errors alone are what was found, the derivation is
right and the model's numbers are beyond doubles; where no state has a finite value, the model asks for none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import mpmath
import numpy as np

from kanegen.codegen.certificate.arrays import Array
from kanegen.codegen.certificate.evaluation import double
from kanegen.codegen.graph import Program, evaluate
from kanegen.codegen.graph.evaluate import evaluate_entries, multiprecision
from kanegen.codegen.mechanism.records import Mechanism
from kanegen.codegen.mechanism.validation.exact import values_of
from kanegen.codegen.mechanism.values import numeric
from kanegen.codegen.passes.verify import parted
from kanegen.errors import ModelError

_DIGITS = 60
"""Constants have as many."""

_LOOKED_AT = 12
"""States that a kernel is evaluated in with many digits: the last ones, the special ones among them."""

_SHARE = 0.1
"""Rounding errors of more than this part of a bound explain why it is exceeded."""

Blame = Callable[
    [Mapping[str, Program], Mapping[str, Array], Mapping[str, float], float, Array | float],
    str,
]
"""``blame`` for a mechanism."""

OURS = "This is an error of kanegen, not of the model"


def blame(
    mechanism: Mechanism,
    programs: Mapping[str, Program],
    arguments: Mapping[str, Array],
    parameters: Mapping[str, float],
    bound: float,
    growth: Array | float = 1.0,
) -> str:
    """One sentence on what is at fault where one of these kernels exceeds a bound of a check.

    ``arguments`` (states, *shape) by name are what they were evaluated at, and ``growth`` (states,) is how many times larger
    than usual rounding errors are there, infinitely where nothing is compared.
    """
    for name, program in programs.items():
        arguments = parted(program, arguments)
        found = _stacked(evaluate(program, arguments, parameters))
        if not np.isfinite(found).all(axis=1).any():
            return (
                f"{name} has no value in any of the {len(found)} states that it was looked at: everywhere something "
                f"divides by zero, is the root of a negative number or exceeds what a double holds. {_asked(mechanism)}"
            )
        compared = np.isfinite(found).all(axis=1) & np.isfinite(growth)
        states = np.flatnonzero(compared)[-_LOOKED_AT:]
        lost = error_in_doubles(program, program, arguments, parameters, growth, states)
        if lost > _SHARE * bound:
            return (
                f"Rounding errors of {name} reach {lost:.0e} of its largest component in doubles: "
                f"{_sizes(mechanism)} Check the units, or leave out what is too small to matter"
            )
    return OURS


def _stacked(outputs: Mapping[str, Array]) -> Array:
    return np.concatenate([x.reshape(len(x), -1) for x in outputs.values()], axis=1)


def error_in_doubles(
    program: Program,
    exact: Program,
    arguments: Mapping[str, Array],
    parameters: Mapping[str, float],
    growth: Array | float = 1.0,
    states: Iterable[int] | None = None,
) -> float:
    """The largest error of a program in doubles: from what ``exact`` gives with many digits, in these ``states``, or in all.

    It is relative to the largest component in that state or a middling one, and to the ``growth`` (states,) of rounding
    errors there, and infinite where the program alone has no finite value.  States in which there is none to have say
    nothing, nor do those in which errors grow infinitely.
    """
    context = mpmath.mp.clone()
    context.dps = _DIGITS
    arithmetic = multiprecision(context)
    numbers = {name: context.mpf(value) for name, value in parameters.items()}
    found = _stacked(evaluate(program, arguments, parameters))
    growth = np.broadcast_to(growth, len(found))
    compared = np.isfinite(growth)
    finite = np.asarray(np.isfinite(found).all(axis=1)) & compared
    if not finite.any():
        return float("nan")
    middling = float(np.median(np.abs(found[finite]).max(axis=1)))
    worst = 0.0
    for state in np.flatnonzero(compared) if states is None else states:
        entries: dict[tuple[str, int], Any] = {
            (argument.name, k): context.mpf(float(x))
            for argument in exact.inputs
            for k, x in enumerate(np.ravel(arguments[argument.name][state]))
        }
        try:
            results = evaluate_entries(exact, entries, arithmetic, numbers)
        except ZeroDivisionError:
            continue
        values = np.array([double(x) for row in results for x in row])
        if not np.isfinite(values).all():
            continue
        if not finite[state]:
            return float("inf")
        scale = max(float(np.abs(values).max()), middling) or 1.0
        worst = max(worst, float(np.abs(found[state] - values).max()) / scale / float(growth[state]))
    return worst


def _asked(mechanism: Mechanism) -> str:
    """What of the model may have no value."""
    named = [f"law {law.name!r}" for law in mechanism.laws]
    named += [f"equation {constraint.name!r}" for constraint in mechanism.constraints]
    named += [f"spring {spring.name!r}" for spring in mechanism.springs]
    what = f"Look at {', '.join(named)}, and at" if named else "Look at"
    return f"{what} the units of its numbers: {_sizes(mechanism)}"


def _sizes(mechanism: Mechanism) -> str:
    """The largest and the smallest number of the model, and where they stand."""
    sizes: list[tuple[float, str]] = []
    for where, value in values_of(mechanism):
        try:
            size = abs(float(numeric(value, mechanism)))
        except (ModelError, OverflowError):
            continue
        if size:
            sizes.append((size, where))
    if not sizes:
        return "the model has no numbers."
    (least, at), (most, there) = min(sizes), max(sizes)
    return f"the model's numbers reach from {least:.2g} ({at}) to {most:.2g} ({there})."
