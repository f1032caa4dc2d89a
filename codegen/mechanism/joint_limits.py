"""Limits of joints as files and people give them: numbers beyond any joint are none, and sizes are not negative."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from typing import Any

from kanegen.codegen.graph import Expression
from kanegen.codegen.mechanism.findings import Finding, Severity
from kanegen.codegen.mechanism.readers import read_value
from kanegen.codegen.mechanism.records import JointLimits
from kanegen.errors import ModelError, shown
from kanegen.limits import LARGEST_NUMBER, UNLIMITED

_RANGE, _SIZES = ("lower", "upper"), ("velocity", "effort")
_NO_LIMIT_IN_SDF = -1
INFINITE = LARGEST_NUMBER.value
"""What stands for an infinite number where limits are read: no finite one is as large."""


def read_limits(
    where: str, limits: JointLimits, file: str | None = None, line: int | None = None
) -> tuple[JointLimits, tuple[Finding, ...]]:
    """The limits that a joint can reach, and what was left out of those that the element ``where`` gives.

    Programs that know no infinity write the largest number that they have; -1 for a speed or a force is SDF's way.
    """
    found = []
    for name in (*_RANGE, *_SIZES):
        value: Fraction | None = getattr(limits, name)
        if value is None:
            continue
        shown = "infinite" if abs(value) >= INFINITE else f"{float(value):.9g}"
        severity, what, cure = Severity.NOTE, "", "Nothing: such a joint has no limit."
        if _beyond_all(name, value):
            severity, what, cure = (
                Severity.WARNING,
                f"is {shown}, which no joint can keep, and was left out",
                "Mend its sign.",
            )
        elif abs(value) >= UNLIMITED.value or (name in _SIZES and value == _NO_LIMIT_IN_SDF):
            what = "" if shown == "infinite" else f"is {shown}, which is taken for no limit"
        elif name in _SIZES and value < 0:
            severity, what, cure = (
                Severity.WARNING,
                f"is negative, {shown}, and was left out",
                "Give its size.",
            )
        else:
            continue
        limits = replace(limits, **{name: None})
        expected = f"a size of less than {UNLIMITED.value:.0e}, or none"
        if what:
            found.append(Finding(severity, f"{where} {name}", what, expected, cure, file, line))
    return limits, tuple(found)


def exact_limits(where: str, limits: JointLimits | None) -> JointLimits | None:
    """Limits of any numbers, as people give them, in exact ones; infinite ones are none.

    Raises ModelError for what is no number, depends on parameters, or is a negative speed or force.
    """
    if limits is None:
        return None
    if not isinstance(limits, JointLimits):
        raise ModelError(
            f"{where}, limits",
            f"is {shown(limits)}",
            "JointLimits(lower, upper, velocity, effort)",
            "Give one of these.",
        )
    values = {name: _exact(f"{where}, limits, {name}", getattr(limits, name)) for name in (*_RANGE, *_SIZES)}
    for name, value in values.items():
        if value is not None and (_beyond_all(name, value) or (name in _SIZES and value == -INFINITE)):
            raise ModelError(
                f"{where}, limits, {name}",
                f"is {shown(getattr(limits, name))}, which no joint can keep",
                "a lower limit that a joint can be above, an upper one below, and sizes of speed and force",
                "Mend its sign, or give None for no limit.",
            )
    exact = JointLimits(**values)
    check_limits(where, exact)
    return read_limits(where, exact)[0]


def check_limits(where: str, limits: JointLimits) -> None:
    """Raise ModelError for limits that are no exact numbers, contradict each other, or are negative speeds or forces."""
    for name in (*_RANGE, *_SIZES):
        value = getattr(limits, name)
        if value is not None and not isinstance(value, Fraction):
            raise ModelError(
                f"{where}, limits, {name}",
                f"{shown(value)} is not an exact number",
                "a Fraction, or None for no limit",
                "Use values.to_value, or MechanismBuilder, which takes any numbers.",
            )
        if name in _SIZES and value is not None and value < 0:
            raise ModelError(
                f"{where}, limits, {name}",
                f"is negative, {float(value)!r}",
                "a size, or None for no limit",
                "Mend its sign: it holds in both directions.",
            )
    if limits.lower is not None and limits.upper is not None and limits.lower > limits.upper:
        raise ModelError(
            f"{where}, limits",
            f"the lower one, {float(limits.lower)!r}, is above the upper one, {float(limits.upper)!r}",
            "lower <= upper",
            "Exchange them.",
        )


def _beyond_all(name: str, value: Fraction) -> bool:
    """Whether no joint could be anywhere: a lower limit as large as none, or an upper one as small."""
    return (name == "lower" and value >= UNLIMITED.value) or (name == "upper" and value <= -UNLIMITED.value)


def _exact(where: str, value: Any) -> Fraction | None:
    if value is None:
        return None
    if isinstance(value, float) and math.isinf(value):
        return Fraction(INFINITE if value > 0 else -INFINITE)
    exact = read_value(where, value)
    if isinstance(exact, Expression):
        raise ModelError(where, "depends on parameters", "a number", "Give the number.")
    return exact
