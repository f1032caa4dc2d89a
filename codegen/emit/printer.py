"""Listings in a language of C's family: expressions with no more parentheses than they need, and statements as lines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import IntEnum

from kanegen.codegen.emit.expressions import (
    Call,
    Entry,
    Member,
    Number,
    Place,
    Product,
    Quotient,
    Signed,
    Sum,
    Value,
    Variable,
)
from kanegen.codegen.emit.language import Language
from kanegen.codegen.emit.layout import statement
from kanegen.codegen.emit.listing import Angles, Item, Load, Part
from kanegen.codegen.emit.precision import Precision

_WHY_LOADS = "/* inputs that are read after the first output is written: it may be the same array */"


class Binding(IntEnum):
    """How tightly the outermost operator of a text binds."""

    SUM = 1
    PRODUCT = 2
    ATOM = 3


class Printer:
    """Writes values and statements in one precision."""

    def __init__(
        self,
        language: Language,
        precision: Precision,
        functions: Mapping[str, str],
        sincos: Mapping[int, str],
    ) -> None:
        """``functions``: what functions are called; ``sincos``: the routines, by number of angles."""
        self._language, self._precision = language, precision
        self._functions, self._sincos = functions, sincos
        self._number = language.number(precision)

    def part(self, part: Part, given: Angles | None = None) -> list[str]:
        """The lines of a part; the sines and cosines of ``given``, with which it begins, are in their arrays already."""
        why = [] if self._language.loads_first else statement(_WHY_LOADS)
        lines = [*why, *self._loads(part.loads), ""] if part.loads else []
        for item in part.items:
            lines += self._named(given) if item is given and given is not None else self._lines(item)
        return lines

    def angles(self, item: Angles) -> list[str]:
        """All angles in one array, and one call for their sines and cosines, in arrays that there are."""
        return [*self._array(item), *self._call(item)]

    def value(self, signed: Signed) -> str:
        """The text of a value with its sign."""
        if signed.sign > 0:
            return self._text(signed.value)
        return f"{self._language.operators.negative}{self._within(signed.value, Binding.PRODUCT)}"

    def _own(self, signed: Signed) -> str:
        """The text of a value, of the type of numbers where what is alike in all lanes has another one."""
        text, alike = self.value(signed), self._language.alike
        return alike(text, self._precision) if alike is not None and _is_alike(signed.value) else text

    def _lines(self, item: Item) -> list[str]:
        if isinstance(item, Angles):
            return self._angles(item)
        value = self._own(item.value)
        if isinstance(item.target, Entry):
            return statement(self._language.store(item.target, value))
        return self._defined([(item.target, value)])

    def _loads(self, loads: Sequence[Load]) -> list[str]:
        return self._defined([(load.target, self._language.load(load.source)) for load in loads])

    def _defined(self, values: Sequence[tuple[Variable | Member, str]]) -> list[str]:
        """One declaration of all variables, and an assignment for each field of a struct."""
        new = ", ".join(f"{place.name} = {text}" for place, text in values if isinstance(place, Variable))
        lines = statement(f"const {self._number} {new};") if new else []
        for place, text in values:
            if isinstance(place, Member):
                lines += statement(f"{_place(place)} = {text};")
        return lines

    def _angles(self, item: Angles) -> list[str]:
        """All angles in one array, one call, and a name for each sine and cosine that is used."""
        size = len(item.values)
        arrays = f"{self._number} {item.arrays.sines}[{size}], {item.arrays.cosines}[{size}];"
        return [*self._array(item), *statement(arrays), *self._call(item), *self._named(item)]

    def _array(self, item: Angles) -> list[str]:
        values = ", ".join(map(self._own, item.values))
        return statement(f"const {self._number} {item.arrays.angles}[{len(item.values)}] = {{{values}}};")

    def _call(self, item: Angles) -> list[str]:
        size, arrays = len(item.values), item.arrays
        calls = self._language.sincos(self._sincos[size], size, arrays.angles, arrays.sines, arrays.cosines)
        return [line for call in calls for line in statement(call)]

    def _named(self, item: Angles) -> list[str]:
        """A name for each sine and cosine that is used."""
        lines: list[str] = []
        for index, places in enumerate(zip(item.sines, item.cosines, strict=True)):
            found = zip(places, (item.arrays.sines, item.arrays.cosines), strict=True)
            lines += self._defined(
                [(place, f"{array}[{index}]") for place, array in found if place is not None]
            )
        return [*lines, ""]

    def _within(self, value: Value, binding: Binding) -> str:
        """The text of a value, in parentheses where it would come apart."""
        text = self._text(value)
        return text if _BINDING.get(type(value), Binding.ATOM) >= binding else f"({text})"

    def _text(self, value: Value) -> str:
        operators = self._language.operators
        match value:
            case Variable() | Member():
                return _place(value)
            case Entry():
                return self._language.load(value)
            case Number():
                return self._language.literal(value.value, self._precision)
            case Sum():
                first, *others = value.terms
                text = self._text(first.value)
                for term in others:
                    operator = operators.plus if term.sign > 0 else operators.minus
                    text += f"{operator}{self._within(term.value, Binding.PRODUCT)}"
                return text
            case Product():
                factor, *factors = value.factors
                text = self._within(factor, Binding.PRODUCT)
                return text + "".join(f"{operators.times}{self._within(f, Binding.ATOM)}" for f in factors)
            case Quotient():
                numerator = self._within(value.numerator, Binding.PRODUCT)
                return f"{numerator}{operators.over}{self._within(value.denominator, Binding.ATOM)}"
            case Call():
                return f"{self._functions[value.function]}({', '.join(map(self._own, value.operands))})"


_BINDING = {Sum: Binding.SUM, Product: Binding.PRODUCT, Quotient: Binding.PRODUCT}


def _is_alike(value: Value) -> bool:
    """Whether a value is made of numbers alone."""
    match value:
        case Sum():
            return all(_is_alike(term.value) for term in value.terms)
        case Product():
            return all(map(_is_alike, value.factors))
        case Quotient():
            return _is_alike(value.numerator) and _is_alike(value.denominator)
    return isinstance(value, Number)


def _place(place: Place) -> str:
    if isinstance(place, Member):
        return f"{place.struct}->{place.field}"
    assert isinstance(place, Variable)
    return place.name
