"""The expression graph: hash-consed nodes and signed references to them.

Node kinds (closed set)

    CONSTANT     a positive exact number (a Fraction), or zero
    INPUT        one entry of a named input that changes from call to call (q[2], v[0], t)
    PARAMETER    one named model parameter that stays live in the generated C
    SUM          n-ary sum of signed references, n >= 2
    PRODUCT      n-ary product of references, n >= 2; a constant factor, if any, comes first
    QUOTIENT     numerator / denominator
    SQUARE_ROOT, SINE, COSINE

What is *not* supported: conditionals, comparisons, powers other than products, inverse trigonometric functions,
exponentials, arrays, integers.  A derivation that needs one of these is a reason to extend this list deliberately.

A reference is a non-zero int: +i is node i, -i its negative.  Negation therefore costs nothing and is never a node.
Sharing happens here, at construction: building the same expression twice returns the same reference.  The order of
operands is the order of node creation, so a graph is a pure function of the calls that built it.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum
from fractions import Fraction
from typing import Any

from kanegen.codegen.graph.exact import exact_cosine, exact_sine, exact_square_root, tidy


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


Ref = int
_ONE = Fraction(1)


class Graph:
    """Nodes in creation order; every operand precedes the nodes that use it."""

    def __init__(self) -> None:
        self.kinds: list[Kind] = [Kind.CONSTANT]  # index 0 is unused, so that every reference has a sign
        self.payloads: list[tuple[Any, ...]] = [()]
        self.parametric: list[bool] = [
            True
        ]  # depends on constants and parameters alone: costs nothing at run time
        self._table: dict[tuple[Kind, tuple[Any, ...]], int] = {}
        self._splits: dict[int, tuple[Fraction, int]] = {}
        self._constants: dict[Fraction | int, Ref] = {}
        self.zero = self.constant(0)
        self.one = self.constant(1)

    def __len__(self) -> int:
        return len(self.kinds)

    # -- construction ------------------------------------------------------------------------------------------------

    def _node(self, kind: Kind, payload: tuple[Any, ...], parametric: bool) -> Ref:
        key = (kind, payload)
        index = self._table.get(key)
        if index is None:
            index = len(self.kinds)
            self._table[key] = index
            self.kinds.append(kind)
            self.payloads.append(payload)
            self.parametric.append(parametric)
        return index

    def constant(self, value: Fraction | int) -> Ref:
        """Reference to an exact number; negative numbers are negative references."""
        ref = self._constants.get(value)
        if ref is None:
            exact = tidy(Fraction(value))
            index = self._node(Kind.CONSTANT, (abs(exact),), True)
            ref = self._constants[value] = -index if exact < 0 else index
        return ref

    def input(self, name: str, entry: int = 0) -> Ref:
        """Entry ``entry`` of the input called ``name``."""
        return self._node(Kind.INPUT, (name, entry), False)

    def parameter(self, name: str) -> Ref:
        """The live model parameter called ``name``."""
        return self._node(Kind.PARAMETER, (name, 0), True)

    def sum(self, terms: Iterable[Ref]) -> Ref:
        """Sum; like terms are collected, constants folded, the first term made positive."""
        kinds = self.kinds
        constant = 0
        refs: list[Ref] = []
        seen: dict[int, int] = {}  # base of each term -> its place in refs
        for term in terms:
            index = abs(term)
            if kinds[index] is Kind.CONSTANT:
                value = self.payloads[index][0]
                constant = constant + value if term > 0 else constant - value
                continue
            base = self._split(index)[1]
            place = seen.get(base)
            if place is None:
                seen[base] = len(refs)
                refs.append(term)
            elif refs[place] == 0:
                refs[place] = term
            else:
                coefficient = self.split_coefficient(refs[place])[0] + self.split_coefficient(term)[0]
                scaled = self.scale(coefficient, base)
                refs[place] = 0 if scaled == self.zero else scaled  # 0: the term has cancelled
        if 0 in refs:
            refs = [ref for ref in refs if ref]
        number = self.constant(constant)
        if number != self.zero:
            refs.append(number)
        if not refs:
            return self.zero
        if len(refs) == 1:
            return refs[0]
        refs.sort(key=abs)
        if refs[0] < 0:
            payload = tuple(-r for r in refs)
            return -self._node(Kind.SUM, payload, self._all_parametric(payload))
        payload = tuple(refs)
        return self._node(Kind.SUM, payload, self._all_parametric(payload))

    def _all_parametric(self, refs: Iterable[Ref]) -> bool:
        parametric = self.parametric
        return all(parametric[abs(r)] for r in refs)

    def product(self, factors: Iterable[Ref]) -> Ref:
        """Product; signs are pulled out and constants folded (also through a factor that is constant x something)."""
        constant: Fraction | int = 1
        sign = 1
        refs: list[Ref] = []
        for factor in factors:
            if factor < 0:
                sign, factor = -sign, -factor
            if self.kinds[factor] is Kind.CONSTANT:
                constant *= self.payloads[factor][0]
            else:
                refs.append(factor)
        if constant == 0:
            return self.zero
        if len(refs) == 1 and constant != 1:
            coefficient, base = self.split_coefficient(refs[0])
            if coefficient != 1:
                constant *= coefficient
                refs = [base]
        if constant < 0:
            sign, constant = -sign, -constant
        number = self.constant(constant)
        if number == self.zero:  # what two residues of 60-digit numbers leave
            return self.zero
        if not refs:
            return sign * number
        refs.sort()
        if number != self.one:
            refs.insert(0, number)
        if len(refs) == 1:
            return sign * refs[0]
        return sign * self._node(Kind.PRODUCT, tuple(refs), self._all_parametric(refs))

    def quotient(self, numerator: Ref, denominator: Ref) -> Ref:
        """Quotient; division by a number becomes multiplication by its exact reciprocal.

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

    # -- inspection --------------------------------------------------------------------------------------------------

    def kind(self, ref: Ref) -> Kind:
        """Kind of the node referred to."""
        return self.kinds[abs(ref)]

    def operands(self, ref: Ref) -> tuple[Ref, ...]:
        """Operands of a composite node; empty for constants, inputs and parameters."""
        index = abs(ref)
        return self.payloads[index] if self.kinds[index] >= Kind.SUM else ()

    def value(self, ref: Ref) -> Fraction:
        """Exact value of a constant reference."""
        value: Fraction = self.payloads[abs(ref)][0]
        return value if ref > 0 else -value

    def is_constant(self, ref: Ref) -> bool:
        """Whether the reference is a number."""
        return self.kinds[abs(ref)] is Kind.CONSTANT

    def split_coefficient(self, ref: Ref) -> tuple[Fraction, Ref]:
        """Write a reference as number x positive reference without a numeric factor."""
        coefficient, base = self._split(abs(ref))
        return (coefficient, base) if ref > 0 else (-coefficient, base)

    def _split(self, index: int) -> tuple[Fraction, int]:
        """Numeric factor and the rest of a node."""
        if self.kinds[index] is not Kind.PRODUCT:
            return _ONE, index
        payload = self.payloads[index]
        if self.kinds[payload[0]] is not Kind.CONSTANT:
            return _ONE, index
        found = self._splits.get(index)
        if found is None:
            rest = payload[1:]
            base = rest[0] if len(rest) == 1 else self._node(Kind.PRODUCT, rest, self._all_parametric(rest))
            found = self._splits[index] = (self.payloads[payload[0]][0], base)
        return found

    def scale(self, coefficient: Fraction | int, ref: Ref) -> Ref:
        """Number x reference."""
        return self.product((self.constant(coefficient), ref))

    def reachable(self, roots: Iterable[Ref]) -> list[int]:
        """Indices of all nodes that the roots need, operands first, in creation order."""
        seen: set[int] = set()
        stack = [abs(r) for r in roots]
        while stack:
            index = stack.pop()
            if index not in seen:
                seen.add(index)
                if self.kinds[index] >= Kind.SUM:
                    stack.extend(abs(r) for r in self.payloads[index])
        return sorted(seen)
