"""C99."""

from __future__ import annotations

from kanegen.codegen.emit.expressions import Entry
from kanegen.codegen.emit.languages.language import Language
from kanegen.codegen.emit.precision import Precision, literal


def element(entry: Entry) -> str:
    """An entry of an array."""
    return f"{entry.argument}[{entry.entry}]"


def number(precision: Precision) -> str:
    """The type of numbers."""
    return precision.c_type


def function(name: str, precision: Precision) -> str:
    """A function of math.h."""
    return f"{name}{precision.math_ending}"


C99 = Language(
    number=number,
    literal=literal,
    function=function,
    load=element,
    store=lambda entry, value: f"{element(entry)} = {value};",
    sincos=lambda routine, count, *arrays: f"{routine}({', '.join(arrays)});",
)
