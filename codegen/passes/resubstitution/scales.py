"""The scales that the values of a web are kept in: which multiple of each is computed, and which copies that takes.

A sum adds what is kept in its own scale, and a product has that of its factors; where scales do not fit, a copy of a value
takes another one, by a multiplication with a number.  To take another unit for some quantities changes several values at
once, which no change of one definition does: so scales are walked through by themselves.
"""

from __future__ import annotations

import math
from bisect import bisect_left, insort
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from random import Random

from kanegen.codegen.graph.exact import Ratio, over, times
from kanegen.codegen.passes.resubstitution.web import (
    OPAQUE,
    PRODUCT,
    SCALED,
    SHIFTED,
    SUM,
    Made,
    Web,
    renumbered,
)

_ONE = Fraction(1)
_HOT, _COLD = 0.5, 0.05
"""In multiplications."""


class _Numbers:
    """Numbers, each known by an index, that of 1 being 0: the same few are multiplied over and over."""

    def __init__(self) -> None:
        self.values: list[Fraction] = []
        self._indices: dict[Ratio, int] = {}
        self._products: dict[tuple[int, int], int] = {}
        self._inverses: dict[int, int] = {}
        self.index(_ONE)

    def index(self, value: Fraction) -> int:
        """Which one it is."""
        found = self._indices.setdefault(value.as_integer_ratio(), len(self.values))
        if found == len(self.values):
            self.values.append(value)
        return found

    def times(self, a: int, b: int) -> int:
        """Which one a b is."""
        found = self._products.get((a, b))
        if found is None:
            found = self.index(times(self.values[a], self.values[b]))
            self._products[a, b] = self._products[b, a] = found
        return found

    def inverse(self, a: int) -> int:
        """Which one 1 / a is."""
        found = self._inverses.get(a)
        if found is None:
            found = self._inverses[a] = self.index(over(_ONE, self.values[a]))
            self._products[a, found] = self._products[found, a] = 0
        return found

    def power(self, a: int, exponent: int) -> int:
        """Which one a to this power is."""
        if exponent < 0:
            return self.power(self.inverse(a), -exponent)
        return self.times(a, self.power(a, exponent - 1)) if exponent else 0


@dataclass(frozen=True, slots=True)
class _Use:
    """Where values are used: ``owner`` is a number times a value, or times the product of two.

    No ``owner``: a result, or what a division or a root is taken of, whose scale is given.
    """

    owner: int | None
    values: tuple[int, ...]


@dataclass
class _Scales:
    """What stands in a web, and the multiple of each value that is kept."""

    web: Web
    terms: list[tuple[int, Fraction]] = field(init=False)
    """Each value as a number times one that is no multiple of another."""
    numbers: _Numbers = field(init=False, default_factory=_Numbers)
    """What all the indices of numbers below mean."""
    uses: list[_Use] = field(init=False, default_factory=list)
    ratios: list[int] = field(init=False, default_factory=list)
    """For each use the number that is wanting, without its sign: 1, whose index is 0, where scales fit."""
    wanting: list[int] = field(init=False)
    """The uses where scales do not fit, in their order."""
    alike: dict[int, list[int]] = field(init=False)
    """Those among them for each number that is wanting."""
    changed: set[int] = field(init=False)
    """The numbers whose uses are others than when their copies were last counted."""

    def __post_init__(self) -> None:
        self.terms = []
        for index, made in enumerate(self.web.values):
            self.terms.append((index, _ONE))
            if made.form == SCALED:
                assert made.number is not None  # which what is scaled has
                base, factor = self.term(made.operands[0])
                self.terms[index] = base, factor * made.number
        for index, made in enumerate(self.web.values):
            if made.form == PRODUCT:
                self._use(index, made.operands)
            elif made.form in (SUM, SHIFTED):
                for reference in made.operands:
                    self._use(index, (reference,))
            elif made.form == OPAQUE:
                for reference in made.operands:
                    self._use(None, (reference,))
        for reference in self.web.results:
            self._use(None, (reference,))
        values = self.web.values
        self.free = [made.form in (SUM, PRODUCT, SHIFTED) for made in values]
        self.scale = [0] * len(values)
        self.touching: list[list[int]] = [[] for _ in values]
        for k, use in enumerate(self.uses):
            for index in {i for i in (use.owner, *use.values) if i is not None}:
                self.touching[index].append(k)
        self.wanting, self.alike = [], {}
        for k, ratio in enumerate(self.ratios):
            self._want(k, ratio)
        self.changed = set(self.alike)
        self.counted: dict[int, int] = {}
        self.before: dict[int, int] = {}

    def term(self, reference: int) -> tuple[int, Fraction]:
        """The value that a reference is a multiple of, and the number."""
        base, factor = self.terms[abs(reference) - 1]
        return base, factor if reference > 0 else -factor

    def _use(self, owner: int | None, references: Sequence[int]) -> None:
        terms = [self.term(reference) for reference in references]
        self.uses.append(_Use(owner, tuple(base for base, _ in terms)))
        ratio = abs(math.prod((factor for _, factor in terms), start=_ONE))
        self.ratios.append(self.numbers.index(ratio))

    def multiply(self, index: int, factor: int) -> None:
        """Keep another multiple of a value."""
        numbers = self.numbers
        self.scale[index] = numbers.times(self.scale[index], factor)
        for k in self.touching[index]:
            use, ratio = self.uses[k], self.ratios[k]
            power = (use.owner == index) - use.values.count(index)
            if power:
                self.ratios[k] = numbers.times(ratio, numbers.power(factor, power))
                if ratio:
                    _drop(self.wanting, k)
                    _drop(self.alike[ratio], k)
                    self.changed.add(ratio)
                self._want(k, self.ratios[k])
                self.changed.add(self.ratios[k])

    def _want(self, k: int, ratio: int) -> None:
        if ratio:
            insort(self.wanting, k)
            insort(self.alike.setdefault(ratio, []), k)

    def copies(self, ratio: int) -> dict[int, int]:
        """For each use that wants this multiple the value whose copy serves it; as few of them as a greedy choice finds."""
        wanting = self.alike.get(ratio, [])
        found = {k: self.uses[k].values[0] for k in wanting if len(self.uses[k].values) == 1}
        there = set(found.values())
        left = [k for k in wanting if k not in found]
        for value in sorted(there & {v for k in left for v in self.uses[k].values}):
            found |= {k: value for k in left if value in self.uses[k].values}
        left = [k for k in left if k not in found]
        often = Counter(v for k in left for v in set(self.uses[k].values))
        while left:
            most = max(often.values())
            value = min(v for v, number in often.items() if number == most)
            served = [k for k in left if value in self.uses[k].values]
            found |= dict.fromkeys(served, value)
            often.subtract(v for k in served for v in set(self.uses[k].values))
            left = [k for k in left if k not in found]
        return found

    def cost(self) -> int:
        """Multiplications with numbers."""
        changed = self.changed - {0}
        self.before = {ratio: self.counted.get(ratio, 0) for ratio in changed}
        for ratio in changed:
            self.counted[ratio] = len(set(self.copies(ratio).values()))
        self.changed.clear()
        return sum(self.counted.values())

    def take_back(self, index: int, factor: int) -> None:
        """Keep a value as it was before it was multiplied, and what was counted then."""
        self.multiply(index, self.numbers.inverse(factor))
        self.counted |= self.before
        self.changed.clear()

    def rebuilt(self) -> Web:
        """The web in these scales."""
        chosen = {k: (v, ratio) for ratio in self.alike for k, v in self.copies(ratio).items()}
        values = list(self.web.values)
        known: dict[tuple[int, int], int] = {}
        uses = iter(range(len(self.uses)))

        def multiple(base: int, ratio: int) -> int:
            if not ratio:
                return base + 1
            if (base, ratio) not in known:
                values.append(Made(SCALED, (base + 1,), self.numbers.values[ratio]))
                known[base, ratio] = len(values)
            return known[base, ratio]

        def alone(reference: int) -> int:
            (base, factor), k = self.term(reference), next(uses)
            found = multiple(base, self.ratios[k])
            return found if factor > 0 else -found

        for index, made in enumerate(self.web.values):
            if made.form == PRODUCT:
                k = next(uses)
                (a, x), (b, y) = map(self.term, made.operands)
                served, ratio = chosen.get(k, (a, 0))
                first, second = (multiple(a, ratio), b + 1) if served == a else (a + 1, multiple(b, ratio))
                values[index] = Made(PRODUCT, (first if x * y > 0 else -first, second))
            elif made.form in (SUM, OPAQUE):
                values[index] = replace(made, operands=tuple(map(alone, made.operands)))
            elif made.form == SHIFTED:
                assert made.number is not None  # which what is shifted has
                values[index] = Made(
                    SHIFTED, (alone(made.operands[0]),), made.number * self.numbers.values[self.scale[index]]
                )
        results = tuple(map(alone, self.web.results))
        return renumbered(Web(tuple(values), self.web.leaves, results))


def _multiplications(web: Web) -> int:
    return sum(made.form in (PRODUCT, SCALED) for made in web.values)


def _drop(ordered: list[int], item: int) -> None:
    del ordered[bisect_left(ordered, item)]


def rescaled(web: Web, steps: int, random: Random, above: int = 0) -> Web:
    """The web in the last scales of a walk, that took at most ``above`` more multiplications than the best on the way.

    It is left as it is where that takes more than ``above`` more than it did: a product of two copies, which both serve
    elsewhere, is counted as if it took one of its own.

    A step fits the scales of one use, by keeping another multiple of the value or of what is made of it; what costs more
    is taken more rarely, and the more so the later.
    """
    scales = _Scales(web)
    cost = least = scales.cost()
    changes: list[tuple[int, int]] = []
    kept = 0
    wanting, numbers = scales.wanting, scales.numbers
    for step in range(steps):
        if not wanting:
            break
        k = wanting[int(random.random() * len(wanting))]
        use, ratio = scales.uses[k], scales.ratios[k]
        ends = [(v, ratio if use.values.count(v) == 1 else 0) for v in use.values if scales.free[v]]
        if use.owner is not None and scales.free[use.owner] and use.owner not in use.values:
            ends.append((use.owner, numbers.inverse(ratio)))
        if not ends:
            continue
        value, factor = ends[int(random.random() * len(ends))]
        scales.multiply(value, factor)
        now = scales.cost()
        temperature = _HOT + (_COLD - _HOT) * step / steps
        if now <= cost or random.random() < math.exp((cost - now) / temperature):
            cost = now
            changes.append((value, factor))
            if cost <= least + above:
                least, kept = min(cost, least), len(changes)
        else:
            scales.take_back(value, factor)
    for value, factor in reversed(changes[kept:]):
        scales.multiply(value, numbers.inverse(factor))
    found = scales.rebuilt()
    return found if _multiplications(found) <= _multiplications(web) + above else web
