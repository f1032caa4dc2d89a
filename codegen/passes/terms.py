"""Sums as linear combinations of monomials: reading them from a table of values, and building them with common factors out.

A monomial is a sorted tuple of nodes, none of which is a number or an open product; a coefficient is a reference to a
constant.  Constants are compared and combined as references, which is quicker than as fractions.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Any, Final

from kanegen.codegen.graph import Kind, Program, Ref
from kanegen.codegen.graph.exact import Ratio, tidy_product, tidy_quotient, tidy_sum
from kanegen.codegen.passes.value_table import ValueTable

Monomial = tuple[int, ...]
Terms = dict[Monomial, Ref]
"""Coefficients by monomial; none is zero."""

_CONSTANT: Final = Kind.CONSTANT  # an attribute of an enumeration costs several times a global name
_SUM: Final = Kind.SUM
_PRODUCT: Final = Kind.PRODUCT

MAXIMUM_TERMS: Final = 20
"""Longer sums are left as they are."""


class TermTable(ValueTable):
    """A table whose sums can be read and written as terms; ``kept`` is set and ``alone`` read by ``written``."""

    def __init__(self, program: Program) -> None:
        self._monomials: dict[int, tuple[Ref, Monomial]] = {}
        self._products: dict[Monomial, list[int]] = {}
        self._plus: dict[tuple[Ref, Ref], Ref] = {}
        self._times: dict[tuple[Ref, Ref], Ref] = {}
        self._over: dict[tuple[Ref, Ref], Ref] = {}
        self.kept = self.alone = False
        super().__init__(program)

    def _new(self, kind: Kind, operands: tuple[Any, ...], name: str) -> int:
        """As in ValueTable; products are known by their monomials as well."""
        index = super()._new(kind, operands, name)
        if kind is _PRODUCT and not self.parametric[index]:
            coefficient, factors = self._multiplied(self.one, operands)
            monomial = tuple(sorted(factors))
            self._monomials[index] = (coefficient, monomial)
            self._products.setdefault(monomial, []).append(index)
        return index

    # -- numbers -------------------------------------------------------------------------------------------------

    def ratio(self, ref: Ref) -> Ratio:
        """Numerator and denominator of a reference to a constant."""
        value: Fraction = self.payloads[ref if ref > 0 else -ref][0]
        ratio = value.as_integer_ratio()
        return ratio if ref > 0 else (-ratio[0], ratio[1])

    def plus(self, a: Ref, b: Ref) -> Ref:
        """a + b."""
        found = self._plus.get((a, b))
        if found is None:
            found = self._plus[a, b] = self._tidy_constant(tidy_sum(self.ratio(a), self.ratio(b)))
        return found

    def times(self, a: Ref, b: Ref) -> Ref:
        """a b."""
        if abs(a) == self.one:
            return b if a > 0 else -b
        if abs(b) == self.one:
            return a if b > 0 else -a
        found = self._times.get((a, b))
        if found is None:
            found = self._times[a, b] = self._tidy_constant(tidy_product(self.ratio(a), self.ratio(b)))
        return found

    def over(self, a: Ref, b: Ref) -> Ref:
        """a / b."""
        if abs(b) == self.one:
            return a if b > 0 else -a
        if abs(a) == abs(b):
            return self.one if a == b else -self.one
        found = self._over.get((a, b))
        if found is None:
            found = self._over[a, b] = self._tidy_constant(tidy_quotient(self.ratio(a), self.ratio(b)))
        return found

    def accumulate(self, terms: Terms, coefficient: Ref, monomial: Monomial) -> None:
        """Add a term."""
        before = terms.get(monomial)
        if before is not None:
            coefficient = self.plus(before, coefficient)
        if abs(coefficient) == self.zero:  # a sign in front of it changes nothing
            terms.pop(monomial, None)
        else:
            terms[monomial] = coefficient

    # -- reading -------------------------------------------------------------------------------------------------

    def term(self, ref: Ref) -> tuple[Ref, Monomial]:
        """A reference as coefficient and monomial."""
        index = ref if ref > 0 else -ref
        if index in self.aliases:
            ref = self.resolve(ref)
            index = abs(ref)
        found = self._monomials.get(index)
        if found is None:
            if self.kinds[index] is _CONSTANT:
                return ref, ()
            return (self.one if ref > 0 else -self.one), (index,)
        coefficient, monomial = found
        if not self.aliases.isdisjoint(monomial):
            coefficient, factors = self._multiplied(coefficient, monomial)
            monomial = tuple(sorted(factors))
        return (coefficient if ref > 0 else -coefficient), monomial

    def _multiplied(self, coefficient: Ref, factors: Iterable[Ref]) -> tuple[Ref, list[int]]:
        result: list[int] = []
        for factor in factors:
            number, monomial = self.term(factor)
            coefficient = self.times(coefficient, number)
            result += monomial
        return coefficient, result

    def terms(self, index: int) -> Terms | None:
        """The terms of a sum as they are; None where they are too many."""
        if len(self.payloads[index]) > MAXIMUM_TERMS:
            return None
        result: Terms = {}
        for ref in self.payloads[index]:
            coefficient, monomial = self.term(ref)
            self.accumulate(result, coefficient, monomial)
        return result

    def expanded(self, index: int, inner: int = 0) -> Terms | None:
        """The terms of a sum with brackets opened that nothing else uses, and with the node ``inner`` opened.

        None where they are too many.
        """
        result: Terms = {}
        stack: list[tuple[Ref, Monomial, bool]] = []
        uses, kinds = self.uses, self.kinds
        for ref in self.payloads[index][::-1]:
            coefficient, monomial = self.term(ref)
            shared = len(monomial) > 1 and inner not in monomial and uses[abs(self.resolve(ref))] > 1
            stack.append((coefficient, monomial, shared))
        while stack:
            coefficient, monomial, closed = stack.pop()
            bracket = 0
            if not closed:
                for factor in monomial:
                    if (
                        kinds[factor] is _SUM
                        and (factor == inner or uses[factor] == 1)
                        and self.is_open(factor)
                    ):
                        bracket = factor
                        break
            if not bracket:
                self.accumulate(result, coefficient, monomial)
                if len(result) > MAXIMUM_TERMS:
                    return None
                continue
            rest = without(monomial, bracket)
            for ref in self.payloads[bracket][::-1]:
                number, factors = self.term(ref)
                stack.append((self.times(coefficient, number), tuple(sorted(rest + factors)), False))
        return result

    def living_products(self, monomial: Monomial) -> list[int]:
        """Products in use that are a number times the monomial."""
        products = self._products.get(monomial)
        if products is None:
            return []
        uses = self.uses
        return [index for index in products if uses[index]]

    def _is_had(self, coefficient: Ref, monomial: Monomial) -> bool:
        """Whether a term, up to its sign, is a value in use."""
        coefficient = abs(coefficient)
        if len(monomial) == 1 and coefficient == self.one:
            return True
        for index in self._products.get(monomial, ()):
            if self.uses[index] and self._monomials[index][0] == coefficient:
                return True
        return False

    # -- writing -------------------------------------------------------------------------------------------------

    def product(self, coefficient: Ref, monomial: Monomial) -> Ref:
        """Coefficient times monomial, made of products in use as far as there are such."""
        sign = 1 if coefficient > 0 else -1
        coefficient = abs(coefficient)
        if not monomial:
            return sign * coefficient
        plain = coefficient == self.one
        if plain and len(monomial) == 1:
            return sign * monomial[0]
        numbers = () if plain else (coefficient,)
        uses, monomials = self.uses, self._monomials
        same = self._products.get(monomial)
        if same is not None:
            plain_one = 0
            for index in same:
                if uses[index]:
                    number = monomials[index][0]
                    if number == coefficient:
                        return sign * index
                    if number == self.one and not plain_one:
                        plain_one = index
            if plain_one:
                return sign * self.node(_PRODUCT, tuple(sorted((*numbers, plain_one))))
        if len(monomial) == 2 and not plain:
            for one, other in (monomial, monomial[::-1]):
                for index in self.living_products((one,)):
                    if self._monomials[index][0] == coefficient:
                        return sign * self.node(_PRODUCT, tuple(sorted((index, other))))
        elif len(monomial) > 2:
            for factor in dict.fromkeys(monomial):
                for index in self._products.get(without(monomial, factor), ()):
                    if not uses[index]:
                        continue
                    number = monomials[index][0]
                    if number == coefficient:
                        return sign * self.node(_PRODUCT, tuple(sorted((index, factor))))
                    if number == self.one:
                        return sign * self.node(_PRODUCT, tuple(sorted((*numbers, index, factor))))
        return sign * self.node(_PRODUCT, tuple(sorted((*numbers, *monomial))))

    def written(self, terms: Mapping[Monomial, Ref], keep: bool) -> list[Ref]:
        """Operands of a sum of terms with common factors taken out.

        ``keep`` leaves terms alone that are values in use anyway; ``kept`` says afterwards whether there were such, and,
        where a sum is written ``alone``, whether one of them could have stood in a bracket with others.
        """
        done: list[Ref] = []
        left: list[tuple[Ref, Monomial]] = []
        kept = False
        for monomial, coefficient in terms.items():
            if not monomial:
                done.append(self.product(coefficient, monomial))
            elif keep and self._is_had(coefficient, monomial):
                kept = True
                done.append(self.product(coefficient, monomial))
            else:
                left.append((coefficient, monomial))
        if kept and not self.kept:
            self.kept = not self.alone or bool(self._most_common([(x, m) for m, x in terms.items() if m])[1])
        while len(left) > 1:
            factor, places = self._most_common(left)
            if not places:
                break
            taken = set(places)
            inner: Terms = {}
            number = self.kinds[factor] is Kind.CONSTANT
            for place in places:
                coefficient, monomial = left[place]
                if number:
                    coefficient = self.over(coefficient, factor)
                else:
                    monomial = without(monomial, factor)
                self.accumulate(inner, coefficient, monomial)
            left = [term for place, term in enumerate(left) if place not in taken]
            coefficient, monomial = self.term(self.find_sum(self.written(inner, keep)))
            if number:
                done.append(self.product(self.times(coefficient, factor), monomial))
            else:
                done.append(self.product(coefficient, tuple(sorted((*monomial, factor)))))
        one = self.one
        for coefficient, monomial in left:
            if len(monomial) == 1 and (coefficient == one or coefficient == -one):
                done.append(monomial[0] if coefficient > 0 else -monomial[0])
            else:
                done.append(self.product(coefficient, monomial))
        return done or [self.zero]

    def _most_common(self, terms: list[tuple[Ref, Monomial]]) -> tuple[int, list[int]]:
        """The factor, a number or a node, that most terms have, two at least, and the places of these terms; else 0."""
        one = self.one
        if len(terms) == 2:  # mostly
            (a, ours), (b, theirs) = terms
            for factor in ours:
                if factor in theirs:
                    return factor, [0, 1]
            alike = a != one and a != -one and (a == b or a == -b)
            return (abs(a), [0, 1]) if alike else (0, [])
        times: dict[int, int] = {}
        for coefficient, monomial in terms:
            before = 0
            for factor in monomial:  # equal ones are neighbours
                if factor != before:
                    before = factor
                    times[factor] = times.get(factor, 0) + 1
            if coefficient != one and coefficient != -one:
                factor = coefficient if coefficient > 0 else -coefficient
                times[factor] = times.get(factor, 0) + 1
        best, most = 0, 1
        for factor, many in times.items():
            if many > most:
                best, most = factor, many
        if not best:
            return 0, []
        return best, [
            place for place, (x, monomial) in enumerate(terms) if best in monomial or best == x or best == -x
        ]


def without(monomial: Monomial, factor: int) -> Monomial:
    """The monomial with one occurrence of a factor less."""
    place = monomial.index(factor)
    return monomial[:place] + monomial[place + 1 :]
