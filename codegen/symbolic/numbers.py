"""Constants of the graph as SymPy numbers: what a person would write for them."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache

import mpmath
import sympy

from kanegen.codegen.graph.exact import DIGITS, to_mpf

_WRITTEN = 10**24
"""Denominators beyond this belong to irrational numbers of 60 digits, or to what was computed with such."""

_SIMPLE = 1000
"""Of multiples of pi, and of what roots are drawn of: numerator and denominator."""

_ALIKE = mpmath.mpf(10) ** (5 - DIGITS)


@lru_cache(maxsize=4096)
def symbolic_number(value: Fraction) -> sympy.Expr:
    """A rational, a multiple of pi, a rational times a root; any other irrational number as a Float of 20 digits."""
    if value.denominator <= _WRITTEN:
        return sympy.Rational(value.numerator, value.denominator)
    with mpmath.workdps(DIGITS):
        number = to_mpf(value)
        turns = _simple(number / mpmath.pi)
        if turns is not None:
            return turns * sympy.pi
        square = _simple(number * number)
        if square is not None:
            root = sympy.sqrt(square)
            return root if value > 0 else -root
    return sympy.Float(str(mpmath.nstr(number, 20)), 20)


def _simple(number: mpmath.mpf) -> sympy.Rational | None:
    """The ratio of small numbers that this is to its last digits, if it is one."""
    ratio = Fraction(mpmath.nstr(number, DIGITS)).limit_denominator(_SIMPLE)
    if ratio.numerator == 0 or abs(ratio.numerator) > _SIMPLE:
        return None
    difference = abs(number - mpmath.mpf(ratio.numerator) / ratio.denominator)
    return sympy.Rational(ratio.numerator, ratio.denominator) if difference < _ALIKE * abs(number) else None
