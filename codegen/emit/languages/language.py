"""A language of C's family: all in which one differs from another where the statements of kernels are written."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction

from kanegen.codegen.emit.expressions import Entry
from kanegen.codegen.emit.precision import Precision


@dataclass(frozen=True, slots=True)
class Operators:
    """What stands between operands, and before one."""

    plus: str = " + "
    minus: str = " - "
    times: str = " * "
    over: str = " / "
    negative: str = "-"


@dataclass(frozen=True)
class Language:
    """How a listing is written.

    ``number``: the type of the numbers in a body, ``literal``: a constant that is not negative.  ``function``: what the
    mathematical library calls one of its functions.  ``load``: the value of an entry of an argument, ``store``: the
    statement that gives it a value.  ``sincos``: the call of a routine by its name, the number of angles, and the arrays of
    angles, sines and cosines.
    """

    number: Callable[[Precision], str]
    literal: Callable[[Fraction, Precision], str]
    function: Callable[[str, Precision], str]
    load: Callable[[Entry], str]
    store: Callable[[Entry, str], str]
    sincos: Callable[[str, int, str, str, str], str]
    operators: Operators = field(default=Operators())
