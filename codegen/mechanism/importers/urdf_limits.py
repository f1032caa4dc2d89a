"""``<limit>`` of a URDF joint: data that no kernel uses."""

from __future__ import annotations

from fractions import Fraction

from kanegen.codegen.mechanism import joint_limits
from kanegen.codegen.mechanism.importers.numbers_in_text import Misread, is_infinite, read_numbers
from kanegen.codegen.mechanism.importers.reporting import Report
from kanegen.codegen.mechanism.importers.xml_tree import Element
from kanegen.codegen.mechanism.records import JointLimits

ATTRIBUTES = ("lower", "upper", "velocity", "effort")


def read_limits(element: Element, where: str, kind: str, report: Report) -> JointLimits | None:
    """The limits of a joint of one coordinate; ``lower`` and ``upper`` are 0 by default where the other is given.

    Infinite limits are none; a range that is empty is left out with a warning.
    """
    if kind not in ("revolute", "continuous", "prismatic"):
        return None
    given = {name: _number(element, name, where, report) for name in ATTRIBUTES}
    lower, upper = given["lower"], given["upper"]  # without limit is not the same as not given
    if (lower is None) != (upper is None):
        lower, upper = lower or Fraction(0), upper or Fraction(0)
    if lower is not None and upper is not None and lower > upper:
        report.warning(
            element,
            f"{where}, <limit>",
            f"its lower limit {float(lower)!r} is above the upper one, {float(upper)!r}; both were left out",
            "lower <= upper",
            "Exchange them, or give both (0 is the default).",
        )
        lower = upper = None
    if kind == "continuous" and (lower is not None or upper is not None):
        report.note(
            element,
            f"{where}, <limit>",
            "lower and upper of a continuous joint are left out",
            "velocity and effort alone: it turns without end",
            'Use the type "revolute" for a joint that ends somewhere.',
        )
        lower = upper = None
    given_limits = JointLimits(lower, upper, given["velocity"], given["effort"])
    limits, found = joint_limits.read_limits(f"{where}, <limit>", given_limits, element.file, element.line)
    report.add(found)
    return limits


def _number(element: Element, attribute: str, where: str, report: Report) -> Fraction | None:
    text = element.attributes.get(attribute)
    if text is None:
        return None
    if is_infinite(text):
        return Fraction(joint_limits.INFINITE * (-1 if text.strip().startswith("-") else 1))
    numbers = read_numbers(text, 1)
    if isinstance(numbers, Misread):
        report.error(element, f"{where}, <limit> {attribute}", numbers.what, numbers.expected, numbers.cure)
        return None
    return numbers[0]
