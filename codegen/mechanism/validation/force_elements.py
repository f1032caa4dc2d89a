"""What can be wrong with a force element by itself: its displacement, and the expressions of its law."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import numpy as np

from kanegen.codegen.graph.late import sympy
from kanegen.codegen.graph.sympy_bridge import UnsupportedExpressionError, exact_constant
from kanegen.codegen.mechanism.force_elements import (
    Bushing,
    ForceElement,
    ForceLaw,
    JointSum,
    unknown_symbols,
)
from kanegen.codegen.mechanism.poses import doubles
from kanegen.codegen.mechanism.records import Mechanism
from kanegen.errors import ModelError, counted

_TRIED = 16
"""Displacements and rates at which a law is looked at."""

_DIFFERENCE = 1e-6
"""Of displacements, for the slope of an energy: its error is of the order 1e-10 of the energy, or of its curvature."""

_NEARLY = 1e-5
"""Slopes of an energy differ by less from the forces that they must be, beside those of the largest energy and force."""

_ROUNDING = 1e-12
"""Of the largest entry of a matrix: smaller differences are those of its numbers."""


def check_element(where: str, element: ForceElement, mechanism: Mechanism) -> None:
    """Raise ModelError for a displacement of nothing, or a law that cannot be, or is none."""
    displacement = element.displacement
    if isinstance(displacement, JointSum):
        count = len(displacement.joints)
        if not count or len(displacement.coefficients) not in (0, count):
            raise ModelError(
                where,
                f"has {counted(count, 'joint')} and {counted(len(displacement.coefficients), 'coefficient')}",
                "one joint or more, and a coefficient for each, or none",
                "Give as many.",
            )
    elif len(displacement.frames) < 2:
        raise ModelError(
            where, f"runs through {counted(len(displacement.frames), 'frame')}", "two or more", "Add frames."
        )
    _check_law(where, element.law, mechanism)


def _check_law(where: str, law: ForceLaw, mechanism: Mechanism) -> None:
    parameters = [p.name for p in mechanism.parameters]
    if unknown := unknown_symbols(law, parameters):
        raise ModelError(
            where,
            f"its law depends on the symbol {unknown[0]!r}",
            f"s, its rate, and parameters of the mechanism: {', '.join(parameters) or '(there are none)'}",
            "Give it a number, or declare it as a parameter of the mechanism.",
        )
    try:
        law.program()
    except UnsupportedExpressionError as error:
        raise ModelError(
            where, str(error), "an expression that can be compiled", "Rewrite the law."
        ) from None
    numbers = {p.name: float(p.value) for p in mechanism.parameters}
    s = np.cos(np.arange(_TRIED) ** 2.0) * np.geomspace(1e-2, 2.0, _TRIED)
    at, above, below = (law.numbers(s + by, 0.0, numbers) for by in (0.0, _DIFFERENCE, -_DIFFERENCE))
    slope = (above["energy"] - below["energy"]) / (2 * _DIFFERENCE)
    size = 1 + np.abs(at["energy"]) + np.abs(at["force"]) + np.abs(at["by_s"])
    wrong = np.abs(slope - at["force"]) > _NEARLY * size
    kinked = np.abs(above["force"] - below["force"]) > _NEARLY * size  # a force may jump or kink there
    if np.any(wrong & ~kinked):
        k = int(np.argmax(wrong & ~kinked))
        raise ModelError(
            where,
            f"its energy has the slope {slope[k]:.6g} at s = {s[k]:.4g}, and its force is {at['force'][k]:.6g}",
            "a force that is the derivative of the energy",
            "Mend the one or the other.",
        )
    if np.any(np.abs(at["resistance"]) > 0):
        raise ModelError(
            where,
            "resists at rest",
            "a resistance that vanishes at rate 0",
            "Make that part an elastic force.",
        )


def sizes_of(element: ForceElement, mechanism: Mechanism) -> Iterator[tuple[str, Fraction]]:
    """What of a law may not be negative, at the numbers of parameters; symbols that mean nothing are left to others."""
    numbers = {p.name: sympy.Rational(p.value.numerator, p.value.denominator) for p in mechanism.parameters}
    for what, size in element.law.with_numbers(numbers).sizes:
        if not size.free_symbols:
            yield what, exact_constant(size)


def stiffnesses(bushing: Bushing, mechanism: Mechanism) -> Iterator[tuple[str, Fraction]]:
    """The least principal stiffness and damping of a bushing, which may not be negative.

    Roundings of the largest entry count as zero.  Raises ModelError for a matrix that is not symmetric.
    """
    for what, matrix in (("stiffness", bushing.stiffness), ("damping", bushing.damping)):
        numbers = doubles(matrix, mechanism)
        size = np.abs(numbers).max()
        if (np.abs(numbers - numbers.T) > _ROUNDING * size).any():
            raise ModelError(
                f"spring {bushing.name!r}",
                f"its {what} is not symmetric",
                "a symmetric 6 x 6 matrix, by which work does not depend on the way",
                "Mend its entries.",
            )
        least = float(np.linalg.eigvalsh(numbers)[0])
        yield f"least principal {what}", Fraction(0 if least > -_ROUNDING * size else least)
