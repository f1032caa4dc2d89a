"""Limits of joints as files give them: numbers beyond any joint are none, and sizes are not negative."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from kanegen.codegen.mechanism.findings import Finding, Severity
from kanegen.codegen.mechanism.records import JointLimits
from kanegen.limits import UNLIMITED

_RANGE, _SIZES = ("lower", "upper"), ("velocity", "effort")
_NO_LIMIT_IN_SDF = -1


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
        shown = f"{float(value):.9g}"
        severity, what, cure = Severity.NOTE, "", "Nothing: such a joint has no limit."
        if abs(value) >= UNLIMITED.value or (name in _SIZES and value == _NO_LIMIT_IN_SDF):
            what = f"is {shown}, which is taken for no limit"
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
        found.append(Finding(severity, f"{where} {name}", what, expected, cure, file, line))
    return limits, tuple(found)
