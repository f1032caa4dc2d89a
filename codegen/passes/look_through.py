"""Look through: sums are expanded across definitions, what cancels vanishes, and common factors are taken out again.

Where flatten and factor only join what nothing else uses, this pass also looks at values with several uses:

    refactor    opens the brackets of a sum and factors it anew
    relate      adds a multiple of an equation that holds anyway (the definition of another value, c^2 + s^2 = 1, a
                rotation's inverse): xy - a with a = b - zy, x + z at hand, becomes (x + z) y - b; a partial sum that exists
                already takes the place of its terms
    eliminate   puts the definition of a value in the place of all its uses, so that it is needed no more
    share       gives two terms that several sums have in common a node of their own
    dissolve    factors all sums that use a product anew, so that it is needed no more: what is common to both sums of a
                turned pair comes to stand before them; in a pass of its own

Every change is priced exactly, in operations brought to life less operations no longer needed, and kept only when the
program becomes cheaper.  The pass knows nothing of mechanics.  Its work is proportional to the number of sums: what is
tried for a sum is bounded, and a change makes only its neighbours be looked at again.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations
from typing import Final

from kanegen.codegen.graph import Kind, Program, Ref, count
from kanegen.codegen.graph.exact import Ratio
from kanegen.codegen.passes.identities import identities
from kanegen.codegen.passes.prices import ADDITION, cost
from kanegen.codegen.passes.terms import MAXIMUM_TERMS, Monomial, Terms, TermTable, without

_MOST_SUMS: Final = 12
"""A monomial that more sums than this contain relates none of them."""
_MOST_COPIES: Final = 3
"""Eliminating a value may copy so many additions at most."""
_MOST_TOGETHER: Final = 4
"""Sums that are factored anew together."""
_LARGEST_GROWTH: Final = 16
"""Multiples of equations may have coefficients so many times those of the sum; four binary digits are lost at most."""
_LEAST: Final = ADDITION // 2
"""Savings up to this are none: a multiplication is not traded for an addition."""
_VISITS: Final = 6
"""Looks at sums, on the average over all sums."""

_ROUNDS: Final = 3
"""Times that a program is gone through, with equations and neighbours found anew, while that helps."""
_LARGE: Final = 2000
"""Programs of more nodes than this are gone through once."""

Plan = tuple[int, Callable[[], Terms | None]]
"""A sum and its new terms; None: not possible."""


def dissolve(program: Program) -> Program:
    """Look through once more, and dissolve products: what was found without that is where this begins, and is not lost."""
    return look_through(program, dissolving=True)


def look_through(program: Program, dissolving: bool = False) -> Program:
    """Expand across definitions, cancel, and factor again where that saves operations."""
    rounds = _ROUNDS if len(program.graph.reachable(program.roots)) <= _LARGE else 1
    price = cost(count(program))
    for _ in range(rounds):
        better = _LookThrough(program, dissolving).run()
        found = cost(count(better))
        if found >= price:
            break
        program, price = better, found
    return program


class _LookThrough:
    def __init__(self, program: Program, dissolving: bool) -> None:
        self.table = TermTable(program)
        self.dissolving = dissolving
        self.identities = identities(self.table, components=dissolving)
        self.identities_with: dict[Monomial, list[int]] = {}
        for number, identity in enumerate(self.identities):
            for monomial in identity:
                if monomial:
                    self.identities_with.setdefault(monomial, []).append(number)
        self.splittings: dict[Monomial, tuple[tuple[Monomial, Monomial], ...]] = {}
        self.queue = deque(i for i in range(len(self.table.kinds)) if self.table.is_open(i))
        self.waiting = set(self.queue)

    def run(self) -> Program:
        """Look at sums until nothing helps."""
        visits = _VISITS * len(self.queue)
        while self.queue and visits > 0:
            visits -= 1
            index = self.queue.popleft()
            self.waiting.discard(index)
            if self.table.is_open(index) and (
                self._refactor_or_relate(index)
                or self._eliminate(index)
                or self._share(index)
                or (self.dissolving and self._dissolve(index))
            ):
                self._look_again(index)
        return self.table.export()

    def _look_again(self, *indices: int) -> None:
        for index in indices:
            if index not in self.waiting and self.table.is_open(index):
                self.waiting.add(index)
                self.queue.append(index)

    # -- changes -------------------------------------------------------------------------------------------------

    def _make(
        self, plans: Sequence[Plan], keep: bool
    ) -> tuple[int, list[tuple[int, tuple[Ref, ...]]]] | None:
        """Carry the plans out; the price, and the sums with their former definitions.  None where not possible."""
        table = self.table
        before = table.paid
        done: list[tuple[int, tuple[Ref, ...]]] = []
        for index, new in plans:
            if not table.uses[index]:
                continue  # a change before this one has left it without a use
            terms = new()
            if terms is None:
                self._undo(done)
                return None
            old = table.detach(index)
            operands = table.equal_sum(index, table.written(terms, keep))
            if table.reaches(operands, index):
                table.attach(index, old)
                self._undo(done)
                return None
            table.attach(index, operands)
            done.append((index, old))
        return table.paid - before, done

    def _tried(self, plans: Sequence[Plan], keep: bool, below: int) -> int:
        """The price of the plans where it is less than this, else this; all stays as it is."""
        table = self.table
        before = table.paid
        made = self._make(plans[:-1], keep) if len(plans) > 1 else (0, [])
        if made is None:
            return below
        index, new = plans[-1]
        if not table.uses[index]:
            below = min(below, made[0])
        elif (terms := new()) is not None:
            table.detach(index)
            below = self._written(index, terms, keep, before, below)
            table.put_back(index)
        self._undo(made[1])
        return below

    def _written(self, index: int, terms: Terms, keep: bool, before: int, below: int) -> int:
        """The price of new terms of a detached sum, where that is possible and less than this, else this.

        Most are dearer, and need not be attached to find out.
        """
        table = self.table
        operands = table.equal_sum(index, table.written(terms, keep))
        price = table.paid + table.cost_to_attach(index, operands) - before
        return below if price >= below or table.reaches(operands, index) else price

    def _undo(self, done: list[tuple[int, tuple[Ref, ...]]]) -> None:
        for index, old in reversed(done):
            self.table.detach(index)
            self.table.attach(index, old)

    def _change(self, plans: Sequence[Plan]) -> bool:
        """Carry the plans out in the cheaper of two ways of factoring, if that saves operations."""
        best, keep, table = -_LEAST, True, self.table
        # after a trial of several sums their users are known in another order, which is not the same after two of them
        table.kept, table.alone = False, len(plans) == 1
        for way in (True, False):
            if not way and not table.kept:
                break  # the two ways are the same
            price = self._tried(plans, way, best)
            if price < best:
                best, keep = price, way
        table.alone = False
        if best == -_LEAST:
            return False
        made = self._make(plans, keep)
        if made is None:
            return False
        if made[0] >= 0:  # nodes that the trials left behind can change what is found
            self._undo(made[1])
            return False
        for index, old in made[1]:
            table.settle(index, old)
        for index, _ in made[1]:
            self._look_again(index, *self._neighbours(index))
        return True

    def _neighbours(self, index: int) -> list[int]:
        table = self.table
        near: set[int] = set(table.users[index])
        for user in table.users[index]:
            if table.kinds[user] is Kind.PRODUCT:
                near.update(table.users[user])
        for ref in table.payloads[index]:
            operand = abs(ref)
            near.update((operand, *table.users[operand]))
            if table.kinds[operand] >= Kind.SUM:
                near.update(abs(r) for r in table.payloads[operand])
        return sorted(near)

    # -- ways to save --------------------------------------------------------------------------------------------

    def _refactor_or_relate(self, index: int) -> bool:
        expanded = self.table.expanded(index)
        return self._change([(index, _given(expanded))]) or self._relate(index, expanded)

    def _relate(self, index: int, expanded: Terms | None) -> bool:
        table = self.table
        seen: list[Terms] = []
        for terms in (table.terms(index), expanded):
            if terms is None or terms in seen:
                continue
            seen.append(terms)
            hits = self._equations_that_share(index, terms)
            if not hits:
                continue
            best, chosen, before, detached = -_LEAST, None, table.paid, False
            largest = table.largest(terms.values())
            for (number, factor), shared in hits.items():
                equation = self._equation(number) if shared > 1 else None
                if equation is None:
                    continue
                shifted = {tuple(sorted(m + factor)): x for m, x in equation.items()} if factor else equation
                for multiple in self._multiples(terms, shifted, largest):
                    candidate = dict(terms)
                    for monomial, x in shifted.items():
                        table.accumulate(candidate, table.times(multiple, x), monomial)
                    if len(candidate) > min(len(terms), MAXIMUM_TERMS):
                        continue
                    if not detached:  # equations are looked for while the sum is one of them
                        table.detach(index)
                        detached = True
                    price = self._written(index, candidate, True, before, best)
                    if price < best:
                        best, chosen = price, candidate
            if detached:
                table.put_back(index)
            if chosen is not None:
                return self._change([(index, _given(chosen))])
        return False

    def _eliminate(self, index: int) -> bool:
        table = self.table
        copies = (table.uses[index] - 1) * (len(table.payloads[index]) - 1)
        if not 0 < copies <= _MOST_COPIES:
            return False
        sums: set[int] = set()
        for user in table.users[index]:
            into = table.users[user] if user and table.kinds[user] is Kind.PRODUCT else {user: 1}
            if not all(u and table.is_open(u) for u in into):
                return False
            sums.update(into)

        def opened(user: int) -> Callable[[], Terms | None]:
            return lambda: table.expanded(user, index)

        return index not in sums and self._change([(user, opened(user)) for user in sorted(sums)])

    def _share(self, index: int) -> bool:
        table = self.table
        terms = table.terms(index)
        if terms is None or len(terms) < 3:
            return False
        having = {m: set(self._sums_with(m)) - {index} for m in terms if m}
        for a, b in combinations(having, 2):
            members = [(index, terms)]
            for other in sorted(having[a] & having[b]):
                theirs = table.terms(other) or {}
                if len(theirs) < 3 or a not in theirs or b not in theirs:
                    continue
                if table.over(theirs[a], theirs[b]) == table.over(terms[a], terms[b]):
                    members.append((other, theirs))
            if len(members) > 1 and self._change(self._with_common_pair(members, a, b)):
                return True
        return False

    def _dissolve(self, index: int) -> bool:
        table = self.table
        shared: dict[int, None] = {}
        for ref in table.payloads[index]:
            product = abs(ref)
            if table.kinds[product] is Kind.PRODUCT and not table.parametric[product]:
                for value in (product, *map(abs, table.payloads[product])):
                    if table.kinds[value] is Kind.PRODUCT and table.uses[value] > 1:
                        shared[value] = None
        for value in shared:
            sums = self._sums_that_use(value)
            if 1 < len(sums) <= _MOST_TOGETHER and self._change([(s, self._refactored(s)) for s in sums]):
                return True
        return False

    def _refactored(self, index: int) -> Callable[[], Terms | None]:
        return lambda: self.table.expanded(index)

    def _sums_that_use(self, value: int) -> list[int]:
        """The sums that use a value, or a product of it; none where anything else does."""
        table = self.table
        sums: set[int] = set()
        for user in table.users[value]:
            sums.update(table.users[user] if user and table.kinds[user] is Kind.PRODUCT else (user,))
        return sorted(sums) if all(user and table.is_open(user) for user in sums) else []

    def _with_common_pair(self, members: list[tuple[int, Terms]], a: Monomial, b: Monomial) -> list[Plan]:
        """Plans for sums in which the coefficients of two monomials have the same ratio."""
        table = self.table
        alike = len({abs(terms[a]) for _, terms in members}) == 1
        first = members[0][1]
        x, y = (first[a], first[b]) if alike else (table.one, table.over(first[b], first[a]))
        pair = table.find_sum([table.product(x, a), table.product(y, b)])

        def changed(terms: Terms) -> Callable[[], Terms | None]:
            new = {monomial: number for monomial, number in terms.items() if monomial not in (a, b)}
            factor = table.over(terms[a], x)
            table.accumulate(new, factor if pair > 0 else -factor, (abs(pair),))
            return _given(new)

        return [(index, changed(terms)) for index, terms in members]

    # -- equations -----------------------------------------------------------------------------------------------

    def _sums_with(self, monomial: Monomial) -> list[int]:
        """Sums that have a multiple of the monomial as a term; none where they are many."""
        table = self.table
        holders = table.living_products(monomial)
        if len(monomial) == 1:
            holders = [*holders, monomial[0]]
        found: dict[int, None] = {}
        for holder in holders:
            for user in table.users[holder]:
                if table.is_open(user):
                    found[user] = None
                    if len(found) > _MOST_SUMS:
                        return []
        return list(found)

    def _equation(self, number: int) -> Terms | None:
        """Terms that vanish together: identity number -1 - n, or the definition of a node."""
        if number < 0:
            return self.identities[-1 - number]
        terms = self.table.terms(number)
        if terms is not None:
            self.table.accumulate(terms, -self.table.one, (number,))
        return terms

    def _equations_with(self, monomial: Monomial) -> list[int]:
        """Numbers of the equations that have a multiple of the monomial as a term."""
        equations = [-1 - identity for identity in self.identities_with.get(monomial, ())]
        equations += self._sums_with(monomial)
        if len(monomial) == 1 and self.table.is_open(monomial[0]):
            equations.append(monomial[0])
        return equations

    def _equations_that_share(self, index: int, terms: Terms) -> dict[tuple[int, Monomial], int]:
        """Equations, each with what it is to be multiplied by, and how many of its monomials are then among the terms."""
        hits: dict[tuple[int, Monomial], int] = {}
        having: dict[Monomial, list[int]] = {}
        for monomial in terms:
            splittings = self.splittings.get(monomial)
            if splittings is None:
                splittings = self.splittings[monomial] = tuple(_splittings(monomial))
            for factor, rest in splittings:
                if rest not in having:
                    having[rest] = self._equations_with(rest)
                for number in having[rest]:
                    if number != index:
                        hits[number, factor] = hits.get((number, factor), 0) + 1
        return hits

    def _multiples(self, terms: Terms, equation: Terms, largest: Ratio) -> list[Ref]:
        """Numbers times which an equation makes terms vanish, but those at which all cancels in exact arithmetic only."""
        table = self.table
        most, parts = largest
        top, bottom = table.largest(equation.values())
        found = []
        for multiple in dict.fromkeys(table.over(-terms[m], x) for m, x in equation.items() if m in terms):
            numerator, denominator = table.magnitude(multiple)
            if numerator * top * parts <= _LARGEST_GROWTH * most * denominator * bottom:
                found.append(multiple)
        return found


def _given(terms: Terms | None) -> Callable[[], Terms | None]:
    return lambda: terms


def _splittings(monomial: Monomial) -> Iterator[tuple[Monomial, Monomial]]:
    """Ways to write a monomial as factor times rest; the rest is all of it, one factor, or all but one."""
    if monomial:
        yield (), monomial
    if len(monomial) > 1:
        for factor in dict.fromkeys(monomial):
            rest = without(monomial, factor)
            yield rest, (factor,)
            if len(rest) > 1:
                yield (factor,), rest
