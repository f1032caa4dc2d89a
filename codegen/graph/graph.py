"""The expression graph: hash-consed nodes and signed references to them.

Node kinds (closed set)

    CONSTANT     a positive exact number (a Fraction), or zero
    INPUT        one entry of a named input that changes from call to call (q[2], v[0], t)
    PARAMETER    one named model parameter that stays live in the generated C
    SUM          n-ary sum of signed references, n >= 2
    PRODUCT      n-ary product of references, n >= 2; a constant factor, if any, comes first
    QUOTIENT     numerator / denominator
    SQUARE_ROOT, SINE, COSINE
    WHOLE        a sum that is to be computed as it is: its own value, at no cost
    FUNCTION     a function by its name (functions.py): exp, tanh, atan2, the absolute value, ...
    COMPARISON   1 where it holds, 0 where it does not
    SELECTION    the second operand where the first is 1, the third where it is 0

What is *not* supported: control flow, powers other than products, arrays, integers.  A derivation that needs one of these is
a reason to extend this list deliberately.

A reference is a non-zero int: +i is node i, -i its negative.  Negation therefore costs nothing and is never a node.
Sharing happens here, at construction: building the same expression twice returns the same reference.  The order of
operands is the order of node creation, so a graph is a pure function of the calls that built it.

A quotient is built in lowest terms as far as its factors show: (a b) / (b c) is a / c.  Where a factor that went vanishes,
the value before would have been 0 / 0; the one after is its limit.  A factor that is left below the line still divides by
zero where it vanishes.  A product with what one of its factors divides by, x (1 / x) or x (y / x), stays, since terms over a
common denominator may yet be brought together; the last pass cancels it (``cancelled``).

A sum made WHOLE is a difference whose smallness matters, because something is divided by it or by its length.  Passes look
into it as little as into a sine, so what is built from it is never expanded into large terms that cancel.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from enum import IntEnum
from fractions import Fraction
from itertools import compress
from typing import Any, Final

from kanegen.codegen.graph.exact import (
    exact_cosine,
    exact_sine,
    exact_square_root,
    magnitude,
    negative,
    plus,
    tidy,
    times,
)
from kanegen.codegen.graph.functions import COMPARISONS, FUNCTIONS, SELECT, Parity
from kanegen.codegen.graph.meaning import Meaning


class Kind(IntEnum):
    """The closed set of node kinds."""

    CONSTANT = 0
    INPUT = 1
    PARAMETER = 2
    SUM = 3
    PRODUCT = 4
    QUOTIENT = 5
    SQUARE_ROOT = 6
    SINE = 7
    COSINE = 8
    WHOLE = 9
    FUNCTION = 10
    COMPARISON = 11
    SELECTION = 12


Ref = int
_ONE: Final = Fraction(1)

# The innermost loops compare kinds; an attribute of an enumeration costs several times a global name.
_CONSTANT: Final = Kind.CONSTANT
_SUM: Final = Kind.SUM
_PRODUCT: Final = Kind.PRODUCT
_QUOTIENT: Final = Kind.QUOTIENT


class Graph:
    """Nodes in creation order; every operand precedes the nodes that use it."""

    def __init__(self) -> None:
        self.kinds: list[Kind] = [Kind.CONSTANT]  # index 0 is unused, so that every reference has a sign
        self.payloads: list[tuple[Any, ...]] = [()]
        self.parametric: list[bool] = [
            True
        ]  # depends on constants and parameters alone: costs nothing at run time
        self.names: dict[int, str] = {}  # of functions, comparisons and selections
        self.meanings: dict[Ref, Meaning] = {}  # by signed references: see ``mean``
        self._tables: tuple[dict[tuple[Any, ...], int], ...] = tuple({} for _ in Kind)
        self._splits: dict[int, tuple[Fraction, int]] = {}
        self._constants: dict[tuple[int, int], Ref] = {}
        self._with_numbers: dict[tuple[Ref, Ref], Ref] = {}
        self.zero = self.constant(0)
        self.one = self.constant(1)

    def __len__(self) -> int:
        return len(self.kinds)

    # -- construction ------------------------------------------------------------------------------------------------

    def _node(self, kind: Kind, payload: tuple[Any, ...], parametric: bool) -> Ref:
        table = self._tables[kind]
        index = table.get(payload)
        if index is None:
            index = table[payload] = len(self.kinds)
            self.kinds.append(kind)
            self.payloads.append(payload)
            self.parametric.append(parametric)
        return index

    def constant(self, value: Fraction | int) -> Ref:
        """Reference to an exact number; negative numbers are negative references."""
        given = value.as_integer_ratio()  # two integers are hashed far more quickly than a Fraction
        ref = self._constants.get(given)
        if ref is None:
            exact = tidy(Fraction(value) if isinstance(value, int) else value)
            ratio = exact.as_integer_ratio()
            ref = self._constants.get(ratio)
            if ref is None:
                ref = self._new_constant(exact)
                self._constants[ratio] = ref
            self._constants[given] = ref
        return ref

    def _new_constant(self, exact: Fraction) -> Ref:
        """A constant whose value has not been met; its negative has the same node."""
        numerator, denominator = exact.as_integer_ratio()
        opposite = self._constants.get((-numerator, denominator))
        if opposite is not None:
            return -opposite
        index = len(self.kinds)
        self.kinds.append(_CONSTANT)
        self.payloads.append((magnitude(exact),))
        self.parametric.append(True)
        return -index if numerator < 0 else index

    def input(self, name: str, entry: int = 0) -> Ref:
        """Entry ``entry`` of the input called ``name``."""
        return self._node(Kind.INPUT, (name, entry), False)

    def parameter(self, name: str) -> Ref:
        """The live model parameter called ``name``."""
        return self._node(Kind.PARAMETER, (name, 0), True)

    def sum(self, terms: Iterable[Ref]) -> Ref:
        """Sum; like terms are collected, constants folded, the first term made positive."""
        kinds, payloads = self.kinds, self.payloads
        constant: Fraction | None = None
        refs: list[Ref] = []
        seen: dict[int, int] = {}  # base of each term -> its place in refs
        for term in terms:
            index = term if term > 0 else -term
            base = index
            if kinds[index] is _CONSTANT:
                value = payloads[index][0] if term > 0 else negative(payloads[index][0])
                constant = value if constant is None else plus(constant, value)
                continue
            if kinds[index] is _PRODUCT:
                base = self._split(index)[1]
            place = seen.get(base)
            if place is None:
                seen[base] = len(refs)
                refs.append(term)
            elif refs[place] == 0:
                refs[place] = term
            else:
                coefficient = plus(self.split_coefficient(refs[place])[0], self.split_coefficient(term)[0])
                scaled = self.scale(coefficient, base)
                refs[place] = 0 if scaled == self.zero else scaled  # 0: the term has cancelled
        if 0 in refs:
            refs = [ref for ref in refs if ref]
        if constant:
            number = self.constant(constant)
            if number != self.zero:
                refs.append(number)
        if len(refs) < 2:
            return refs[0] if refs else self.zero
        refs.sort(key=abs)
        if refs[0] < 0:
            return -self._composite(_SUM, tuple([-r for r in refs]))
        return self._composite(_SUM, tuple(refs))

    def _composite(self, kind: Kind, payload: tuple[Ref, ...]) -> Ref:
        """A sum or a product of these operands."""
        table = self._tables[kind]
        index = table.get(payload)
        if index is None:
            index = table[payload] = len(self.kinds)
            parametric = self.parametric
            varying = False
            for ref in payload:
                if not parametric[ref if ref > 0 else -ref]:
                    varying = True
                    break
            self.kinds.append(kind)
            self.payloads.append(payload)
            parametric.append(not varying)
        return index

    def plus(self, a: Ref, b: Ref) -> Ref:
        """What ``sum((a, b))`` gives, without its detours where a and b are different values, or one of them is zero."""
        i, j = (a if a > 0 else -a), (b if b > 0 else -b)
        kinds = self.kinds
        if kinds[i] is _CONSTANT or kinds[j] is _CONSTANT:
            if i == self.zero and kinds[j] is not _CONSTANT:
                return b
            if j == self.zero and kinds[i] is not _CONSTANT:
                return a
            return self.sum((a, b))
        one = self._split(i)[1] if kinds[i] is _PRODUCT else i
        other = self._split(j)[1] if kinds[j] is _PRODUCT else j
        if one == other:
            return self.sum((a, b))
        if i > j:
            a, b = b, a
        return self._composite(_SUM, (a, b)) if a > 0 else -self._composite(_SUM, (-a, -b))

    def times(self, a: Ref, b: Ref) -> Ref:
        """What ``product((a, b))`` gives, without its detours where both factors vary, or one is 1 or -1."""
        i, j = (a if a > 0 else -a), (b if b > 0 else -b)
        kinds = self.kinds
        if kinds[i] is _CONSTANT or kinds[j] is _CONSTANT:
            if i == self.one and kinds[j] is not _CONSTANT:
                index = j
            elif j == self.one and kinds[i] is not _CONSTANT:
                index = i
            else:
                return self._with_number(a, b)
        else:
            index = self._composite(_PRODUCT, (i, j) if i <= j else (j, i))
        return index if (a > 0) == (b > 0) else -index

    def _with_number(self, a: Ref, b: Ref) -> Ref:
        """The product of two factors of which one is a number: derivations ask for the same ones again and again."""
        found = self._with_numbers.get((a, b))
        if found is None:
            found = self._with_numbers[a, b] = self.product((a, b))
        return found

    def product(self, factors: Iterable[Ref]) -> Ref:
        """Product; signs are pulled out and constants folded (also through a factor that is constant x something)."""
        kinds = self.kinds
        sign = 1
        numbers: list[Ref] = []
        refs: list[Ref] = []
        for factor in factors:
            if factor < 0:
                sign, factor = -sign, -factor
            (numbers if kinds[factor] is _CONSTANT else refs).append(factor)
        number = self.one
        if numbers:
            if self.zero in numbers:
                return self.zero
            numbers = [n for n in numbers if n != self.one]
            if numbers and len(refs) == 1:
                coefficient, base = self._split(refs[0])
                if base != refs[0]:
                    refs = [base]
                    number = self.constant(self._multiplied(numbers, coefficient))
                else:
                    number = self._folded(numbers)
            elif numbers:
                number = self._folded(numbers)
        if number == self.zero:  # what two residues of 60-digit numbers leave
            return self.zero
        if not refs:
            return sign * number
        refs.sort()
        if number != self.one:
            refs.insert(0, number)
        if len(refs) == 1:
            return sign * refs[0]
        return sign * self._composite(_PRODUCT, tuple(refs))

    def cancelled(self, factors: Sequence[Ref]) -> Ref:
        """The product, without what some factors divide by where others have all of it: x (1 / x) is 1, x (y / x) is y.

        A quotient of which something would be left stays whole: others may use it.
        """
        for place, ref in enumerate(factors):
            if self.kinds[abs(ref)] is not _QUOTIENT:
                continue
            top, bottom = self.payloads[abs(ref)]
            others = [*factors[:place], *factors[place + 1 :]]
            above = [part for other in others for part in self._factors(abs(other))]
            below = self._factors(bottom)
            common = self._common(above, below)
            rest = self.product(self._left(below, common))
            if common and self.kinds[rest] is _CONSTANT:
                sign = -1 if sum(factor < 0 for factor in factors) % 2 else 1
                return sign * self.quotient(self.cancelled([top, *self._left(above, common)]), rest)
        return self.product(factors)

    def _factors(self, index: int) -> tuple[int, ...]:
        """The factors of a node: those of a product, its number first, or the node itself."""
        coefficient, base = self._split(index)
        factors = self.payloads[base] if self.kinds[base] is _PRODUCT else (base,)
        return factors if coefficient == 1 else (self.constant(coefficient), *factors)

    def _common(self, above: Iterable[int], below: Sequence[int]) -> list[int]:
        """Factors that vary in value and that both have, each as often as both have it."""
        left = list(below)
        common = []
        for factor in above:
            if factor in left and self.kinds[factor] is not _CONSTANT:
                left.remove(factor)
                common.append(factor)
        return common

    @staticmethod
    def _left(factors: Iterable[int], taken: Sequence[int]) -> list[int]:
        """The factors without those taken."""
        left = list(factors)
        for factor in taken:
            left.remove(factor)
        return left

    def _folded(self, numbers: Sequence[Ref]) -> Ref:
        """The product of constants."""
        return numbers[0] if len(numbers) == 1 else self.constant(self._multiplied(numbers))

    def _multiplied(self, numbers: Iterable[Ref], start: Fraction = _ONE) -> Fraction:
        """The exact product of constants, not yet rounded to 60 digits."""
        for number in numbers:
            value = self.payloads[number][0]
            start = value if start is _ONE else times(start, value)
        return start

    def quotient(self, numerator: Ref, denominator: Ref) -> Ref:
        """Quotient; common factors are cancelled, division by a number is multiplication by its exact reciprocal.

        Raises ZeroDivisionError when the denominator is the constant zero.
        """
        if denominator == self.zero:
            raise ZeroDivisionError("division by an expression that is identically zero")
        if self.kinds[abs(denominator)] is Kind.CONSTANT:
            value = 1 / self.payloads[abs(denominator)][0]
            return self.scale(value if denominator > 0 else -value, numerator)
        if numerator == self.zero:
            return self.zero
        if abs(numerator) == abs(denominator):
            return self.one if numerator == denominator else -self.one
        sign = 1 if (numerator > 0) == (denominator > 0) else -1
        pair = (abs(numerator), abs(denominator))
        above, below = self._factors(pair[0]), self._factors(pair[1])
        if common := self._common(above, below):
            upper, lower = (self.product(self._left(factors, common)) for factors in (above, below))
            return sign * self.quotient(upper, lower)
        return sign * self._node(Kind.QUOTIENT, pair, self.parametric[pair[0]] and self.parametric[pair[1]])

    def square_root(self, argument: Ref) -> Ref:
        """Square root.  Raises ValueError for a negative constant."""
        if self.kinds[abs(argument)] is Kind.CONSTANT:
            return self.constant(exact_square_root(self.value(argument)))
        return self._node(Kind.SQUARE_ROOT, (argument,), self.parametric[abs(argument)])

    def sine(self, argument: Ref) -> Ref:
        """Sine of an angle in radians; odd, so the sign moves outside."""
        if self.kinds[abs(argument)] is Kind.CONSTANT:
            return self.constant(exact_sine(self.value(argument)))
        sign = 1 if argument > 0 else -1
        return sign * self._node(Kind.SINE, (abs(argument),), self.parametric[abs(argument)])

    def cosine(self, argument: Ref) -> Ref:
        """Cosine of an angle in radians; even, so the sign vanishes."""
        if self.kinds[abs(argument)] is Kind.CONSTANT:
            return self.constant(exact_cosine(self.value(argument)))
        return self._node(Kind.COSINE, (abs(argument),), self.parametric[abs(argument)])

    def whole(self, argument: Ref) -> Ref:
        """The same value, which passes do not look into where it is a sum."""
        index = abs(argument)
        if self.kinds[index] is not _SUM:
            return argument
        kept = self._node(Kind.WHOLE, (index,), self.parametric[index])
        return kept if argument > 0 else -kept

    def function(self, name: str, operands: Sequence[Ref]) -> Ref:
        """A function of functions.FUNCTIONS; numbers are folded, signs moved outside where they can.

        Raises ValueError for numbers at which it has no value.
        """
        row = FUNCTIONS[name]
        if all(self.kinds[abs(ref)] is _CONSTANT for ref in operands):
            return self.constant(row.exact(*map(self.value, operands)))
        if row.parity is not Parity.NONE and operands[0] < 0:
            ref = self.function(name, (-operands[0],))
            return -ref if row.parity is Parity.ODD else ref
        if name in ("minimum", "maximum"):
            if operands[0] == operands[1]:
                return operands[0]
            if self.parametric[abs(operands[0])]:  # numbers come last: see functions.py on kinks
                operands = operands[::-1]
        return self._named(Kind.FUNCTION, name, operands)

    def comparison(self, relation: str, a: Ref, b: Ref) -> Ref:
        """1 where ``a < b``, ``a <= b`` or ``a == b``, else 0."""
        if self.kinds[abs(a)] is _CONSTANT and self.kinds[abs(b)] is _CONSTANT:
            return self.constant(COMPARISONS[relation].exact(self.value(a), self.value(b)))
        return self._named(Kind.COMPARISON, relation, (a, b))

    def selection(self, condition: Ref, a: Ref, b: Ref) -> Ref:
        """``a`` where the condition is 1, ``b`` where it is 0."""
        if self.kinds[abs(condition)] is _CONSTANT:
            return a if condition == self.one else b
        return a if a == b else self._named(Kind.SELECTION, SELECT, (condition, a, b))

    def _named(self, kind: Kind, name: str, operands: Sequence[Ref]) -> Ref:
        table, key = self._tables[kind], (name, *operands)
        index = table.get(key)
        if index is None:
            index = table[key] = len(self.kinds)
            self.kinds.append(kind)
            self.payloads.append(tuple(operands))
            self.parametric.append(all(self.parametric[abs(ref)] for ref in operands))
            self.names[index] = name
        return index

    # -- meanings ----------------------------------------------------------------------------------------------------

    def mean(self, ref: Ref, meaning: Meaning) -> None:
        """Say what the value of a reference is; what was said of it or its negative first stays.

        Numbers, inputs and parameters mean themselves.  No program is another one for it.
        """
        composite = self.kinds[ref if ref > 0 else -ref] >= _SUM
        if composite and ref not in self.meanings and -ref not in self.meanings:
            self.meanings[ref] = meaning

    def carry_meanings(self, source: Graph, new: Mapping[int, Ref]) -> None:
        """Take over what nodes of another graph mean, ``new`` being where they are here."""
        if source is self:  # another value of what was there
            return
        for ref, meaning in source.meanings.items():
            here = new.get(ref if ref > 0 else -ref)
            if here is not None:
                self.mean(here if ref > 0 else -here, meaning)

    # -- inspection --------------------------------------------------------------------------------------------------

    def kind(self, ref: Ref) -> Kind:
        """Kind of the node referred to."""
        return self.kinds[abs(ref)]

    def operands(self, ref: Ref) -> tuple[Ref, ...]:
        """Operands of a composite node; empty for constants, inputs and parameters."""
        index = abs(ref)
        return self.payloads[index] if self.kinds[index] >= _SUM else ()

    def value(self, ref: Ref) -> Fraction:
        """Exact value of a constant reference."""
        value: Fraction = self.payloads[abs(ref)][0]
        return value if ref > 0 else negative(value)

    def is_constant(self, ref: Ref) -> bool:
        """Whether the reference is a number."""
        return self.kinds[abs(ref)] is Kind.CONSTANT

    def split_coefficient(self, ref: Ref) -> tuple[Fraction, Ref]:
        """Write a reference as number x positive reference without a numeric factor."""
        coefficient, base = self._split(abs(ref))
        return (coefficient, base) if ref > 0 else (negative(coefficient), base)

    def _split(self, index: int) -> tuple[Fraction, int]:
        """Numeric factor and the rest of a node."""
        if self.kinds[index] is not _PRODUCT:
            return _ONE, index
        payload = self.payloads[index]
        if self.kinds[payload[0]] is not _CONSTANT:
            return _ONE, index
        found = self._splits.get(index)
        if found is None:
            rest = payload[1:]
            base = rest[0] if len(rest) == 1 else self._composite(_PRODUCT, rest)
            found = self._splits[index] = (self.payloads[payload[0]][0], base)
        return found

    def scale(self, coefficient: Fraction | int, ref: Ref) -> Ref:
        """Number x reference."""
        return self.product((self.constant(coefficient), ref))

    def reachable(self, roots: Iterable[Ref]) -> list[int]:
        """Indices of all nodes that the roots need, operands first, in creation order."""
        needed = [abs(root) for root in roots]
        top = max(needed, default=0)
        kinds, payloads = self.kinds, self.payloads
        marked = bytearray(top + 1)
        for index in needed:
            marked[index] = 1
        for index in range(top, 0, -1):  # operands come before the nodes that use them
            if marked[index] and kinds[index] >= _SUM:
                for ref in payloads[index]:
                    marked[ref if ref > 0 else -ref] = 1
        return list(compress(range(top + 1), marked))
