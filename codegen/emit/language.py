"""A language of C's family: all in which one differs from another where the statements of kernels are written."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction

from kanegen.codegen.emit.expressions import Entry
from kanegen.codegen.emit.model import Model
from kanegen.codegen.emit.precision import Precision
from kanegen.codegen.emit.routines import Routines
from kanegen.codegen.emit.specification import Specification


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
    """How a listing is written, and into which files.

    ``files``: the content of each by the ending of its name.  ``manifest``: whether one goes with them, for the runtime to
    load.  ``routines``: what kernels call.  ``loads_first``: every entry of an input is loaded where a part begins; else it
    is read where it is needed, unless something is written before.

    ``number``: the type of the numbers in a body, ``literal``: a constant that is not negative.  ``function``: what the
    mathematical library calls one of its functions.  ``load``: the value of an entry of an argument, ``store``: the
    statement that gives it a value.  ``sincos``: the calls of a routine, from its name, the number of angles, and the arrays
    of angles, sines and cosines.  ``alike``: a value of the type of numbers from one that is alike in all lanes,
    where that has another type.
    """

    files: Callable[[Model], Mapping[str, str]]
    routines: Callable[[Specification], Routines]
    number: Callable[[Precision], str]
    literal: Callable[[Fraction, Precision], str]
    function: Callable[[str, Precision], str]
    load: Callable[[Entry], str]
    store: Callable[[Entry, str], str]
    sincos: Callable[[str, int, str, str, str], list[str]]
    alike: Callable[[str, Precision], str] | None = None
    operators: Operators = Operators()
    loads_first: bool = False
    manifest: bool = True
