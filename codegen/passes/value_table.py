"""A program as a table of values whose definitions can be exchanged.

A node stands for a value; kind and operands define it.  A sum may get another definition of equal value, and the nodes
that use it never notice.  Uses are counted, so the price of such a change (the nodes that it brings to life less
those that it lets die) is exact, and finding it takes no longer than the change itself.  Changes can be taken back.

References are signed as in Graph.  Dead nodes stay in the table and come to life when they are used again.  A sum
with a single operand is another name of that operand.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any, Final

from kanegen.codegen.graph import Graph, Kind, Program, Ref
from kanegen.codegen.graph.compose import signed
from kanegen.codegen.graph.exact import Ratio, magnitude, tidy
from kanegen.codegen.graph.operations import copy_node
from kanegen.codegen.passes.prices import PRICES

# The innermost loops compare kinds; an attribute of an enumeration costs several times a global name.
_SUM: Final = Kind.SUM
_PRODUCT: Final = Kind.PRODUCT

_OUTPUT: Final = 0
"""The user of results; no node has this index."""
_SEARCHED: Final = 400
"""Nodes looked at when a definition is checked for using what it defines; beyond that it counts as if it did."""


class ValueTable:
    """The values of a program: ``kinds``, ``payloads``, ``uses`` and ``users`` by index.

    ``paid`` sums up prices; ``aliases`` are the sums of a single operand.
    """

    def __init__(self, program: Program) -> None:
        self.program = program
        self.kinds: list[Kind] = [Kind.CONSTANT]  # index 0 is unused, so that every reference has a sign
        self.payloads: list[tuple[Any, ...]] = [()]
        self.names: dict[int, str] = {}
        self.parametric: list[bool] = [True]
        self.uses: list[int] = [0]
        self.users: list[dict[int, int]] = [{}]
        self.paid = 0
        self.aliases: set[int] = set()
        self._prices: list[int] = [0]
        self._level: list[int] = [0]
        self._table: dict[tuple[Kind, tuple[Any, ...], str], int] = {}
        self._sums: dict[tuple[Ref, ...], Ref] = {}
        self._constants: dict[tuple[int, int], Ref] = {}
        self._whole: set[int] = set()
        self.zero, self.one = self.constant(Fraction(0)), self.constant(Fraction(1))
        self._index: dict[int, int] = {}
        source = program.graph
        for old in source.reachable(program.roots):
            payload = source.payloads[old]
            if source.kinds[old] is Kind.CONSTANT:
                self._index[old] = self.constant(payload[0])
                continue
            if source.kinds[old] >= _SUM:
                payload = tuple(self._index[r] if r > 0 else -self._index[-r] for r in payload)
            summed = source.kinds[old] is _SUM
            self._index[old] = (
                self.find_sum(payload)
                if summed
                else self.node(source.kinds[old], payload, source.names.get(old, ""))
            )
        self._roots = [self._index[r] if r > 0 else -self._index[-r] for r in program.roots]
        for ref in self._roots:
            self._acquire(abs(ref), _OUTPUT)

    # -- nodes ---------------------------------------------------------------------------------------------------

    def constant(self, value: Fraction) -> Ref:
        """Reference to an exact number."""
        given = value.as_integer_ratio()  # hashed far more quickly than a Fraction
        ref = self._constants.get(given)
        if ref is None:
            exact = tidy(value)
            ref = self._constants[given] = self._tidy_constant(exact)
        return ref

    def _tidy_constant(self, exact: Fraction) -> Ref:
        """Reference to a number that is tidy."""
        numerator, denominator = exact.as_integer_ratio()
        positive = abs(numerator), denominator
        index = self._constants.get(positive)
        if index is None:
            index = self._constants[positive] = self._new(Kind.CONSTANT, (magnitude(exact),), "")
        return -index if numerator < 0 else index

    def magnitude(self, ref: Ref) -> Ratio:
        """Magnitude of a reference to a constant."""
        value: Fraction = self.payloads[ref if ref > 0 else -ref][0]
        return value.as_integer_ratio()

    def largest(self, refs: Iterable[Ref]) -> Ratio:
        """The largest magnitude of references to constants."""
        top, bottom = 0, 1
        for ref in {abs(ref) for ref in refs}:
            numerator, denominator = self.magnitude(ref)
            if numerator * bottom > top * denominator:
                top, bottom = numerator, denominator
        return top, bottom

    def node(self, kind: Kind, operands: tuple[Any, ...], name: str = "") -> int:
        """The node of that kind, and name, with these operands, those of products in order; made where there is none.

        Sums are known to ``find_sum`` alone, since their definitions change, and constants to ``constant``.
        """
        found = self._table.get((kind, operands, name))
        if found is None:
            found = self._new(kind, operands, name)
            if kind is not _SUM:
                self._table[kind, operands, name] = found
        return found

    def _new(self, kind: Kind, operands: tuple[Any, ...], name: str) -> int:
        """A node that there was not."""
        index = len(self.kinds)
        self.kinds.append(kind)
        self.payloads.append(operands)
        if kind >= _SUM:
            parametric, varying = self.parametric, False
            for ref in operands:
                if not parametric[ref if ref > 0 else -ref]:
                    varying = True
                    break
            parametric.append(not varying)
        else:
            self.parametric.append(kind is not Kind.INPUT)
        if name:
            self.names[index] = name
        self.uses.append(0)
        self.users.append({})
        self._prices.append(self._price(index, operands))
        self._level.append(0)
        if kind is Kind.WHOLE:
            self._whole.add(abs(operands[0]))
        return index

    def find_sum(self, operands: Sequence[Ref]) -> Ref:
        """Reference to the sum of these operands; made where there is none."""
        if len(operands) == 1:
            return operands[0]
        ordered, sign = _normal(operands)
        known = self._sums.get(ordered)
        if known is None:
            known = self._sums[ordered] = self._new(_SUM, ordered, "")
        return sign * known

    def resolve(self, ref: Ref) -> Ref:
        """What a reference is another name of, or itself."""
        while abs(ref) in self.aliases:
            operand = self.payloads[abs(ref)][0]
            ref = operand if ref > 0 else -operand
        return ref

    def is_open(self, index: int) -> bool:
        """Whether a node is a sum with a definition to work on: alive, varying, of two operands at least, not whole."""
        return (
            self.kinds[index] is _SUM
            and index not in self._whole
            and not self.parametric[index]
            and self.uses[index] > 0
            and len(self.payloads[index]) > 1
        )

    # -- life and prices -----------------------------------------------------------------------------------------

    def _price(self, index: int, operands: tuple[Any, ...]) -> int:
        kind = self.kinds[index]
        price = PRICES.get(kind, 0)
        if not price or self.parametric[index]:
            return 0
        if kind is not _SUM and kind is not _PRODUCT:
            return price
        parametric = self.parametric
        varying = 0
        for ref in operands:
            if not parametric[abs(ref)]:
                varying += 1
        return price * (varying - 1 + (varying < len(operands)))

    def _acquire(self, index: int, user: int, rising: bool = True) -> None:
        """Note a use.  Levels are ``rising`` but where nothing has changed since the value was in use."""
        uses, users_of, kinds = self.uses, self.users, self.kinds
        if uses[index]:
            uses[index] += 1
            users = users_of[index]
            users[user] = users.get(user, 0) + 1
            return
        payloads = self.payloads
        stack = [index]
        by = [user]
        revived = []
        while stack:
            i, user = stack.pop(), by.pop()
            users = users_of[i]
            users[user] = users.get(user, 0) + 1
            uses[i] += 1
            if uses[i] == 1 and kinds[i] >= _SUM:
                self.paid += self._prices[i]
                revived.append(i)
                for ref in payloads[i]:
                    stack.append(ref if ref > 0 else -ref)
                    by.append(i)
        if revived and rising:
            self._raise_levels(revived)

    def _release(self, index: int, user: int) -> None:
        uses, users_of, kinds = self.uses, self.users, self.kinds
        if uses[index] > 1 and users_of[index][user] == 1:
            uses[index] -= 1
            del users_of[index][user]
            return
        payloads = self.payloads
        stack = [index]
        by = [user]
        while stack:
            i, user = stack.pop(), by.pop()
            users = users_of[i]
            if users[user] == 1:
                del users[user]
            else:
                users[user] -= 1
            uses[i] -= 1
            if uses[i] == 0 and kinds[i] >= _SUM:
                self.paid -= self._prices[i]
                for ref in payloads[i]:
                    stack.append(ref if ref > 0 else -ref)
                    by.append(i)

    def _raise_levels(self, stack: list[int]) -> None:
        """Restore what levels promise: a node that is alive is above its operands."""
        level, payloads = self._level, self.payloads
        while stack:
            i = stack.pop()
            top = 0
            for ref in payloads[i]:
                below = level[ref if ref > 0 else -ref]
                if below > top:
                    top = below
            if top >= level[i]:
                level[i] = top + 1
                stack.extend([user for user in self.users[i] if user])

    # -- changes -------------------------------------------------------------------------------------------------

    def detach(self, index: int) -> tuple[Ref, ...]:
        """Take the definition of a sum away and return it; one must be attached before anything else happens."""
        operands = self.payloads[index]
        self.paid -= self._prices[index]
        uses, users_of = self.uses, self.users
        for ref in operands:
            i = ref if ref > 0 else -ref
            users = users_of[i]
            if uses[i] > 1 and users[index] == 1:
                uses[i] -= 1
                del users[index]
            else:
                self._release(i, index)
        return operands

    def put_back(self, index: int) -> None:
        """Give a detached sum the definition that it had, where no other one has been attached since."""
        self.paid += self._prices[index]
        for ref in self.payloads[index]:
            self._acquire(ref if ref > 0 else -ref, index, False)

    def attach(self, index: int, operands: tuple[Ref, ...]) -> None:
        """Give a detached sum a definition of equal value."""
        self.payloads[index] = operands
        if len(operands) == 1:
            self.aliases.add(index)
        else:
            self.aliases.discard(index)
        self._prices[index] = self._price(index, operands)
        self.paid += self._prices[index]
        for ref in operands:
            self._acquire(ref if ref > 0 else -ref, index)
        self._raise_levels([index])

    def cost_to_attach(self, index: int, operands: tuple[Ref, ...]) -> int:
        """What ``attach`` would add to what is paid: the price of the sum, and of the values that come to life with it."""
        uses, payloads, kinds = self.uses, self.payloads, self.kinds
        cost = self._price(index, operands)
        seen: set[int] = set()
        stack = list(operands)
        while stack:
            ref = stack.pop()
            i = ref if ref > 0 else -ref
            if not uses[i] and kinds[i] >= _SUM and i not in seen:
                seen.add(i)
                cost += self._prices[i]
                stack.extend(payloads[i])
        return cost

    def hold(self, ref: Ref) -> None:
        """Keep a value alive, whether anything uses it or not."""
        self._acquire(abs(ref), _OUTPUT)

    def let_go(self, ref: Ref) -> None:
        """The opposite of ``hold``."""
        self._release(abs(ref), _OUTPUT)

    def settle(self, index: int, before: tuple[Ref, ...]) -> None:
        """Make a change of definition known to the table, when it is to stay."""
        former = _normal(before)[0]
        if abs(self._sums.get(former, 0)) == index:
            del self._sums[former]
        ordered, sign = _normal(self.payloads[index])
        if len(ordered) > 1:
            self._sums.setdefault(ordered, sign * index)

    def equal_sum(self, index: int, operands: Sequence[Ref]) -> tuple[Ref, ...]:
        """Operands for the definition of a sum: these, or another node that is their sum already."""
        ordered, sign = _normal(operands)
        found = self._sums.get(ordered)
        if found is None or abs(found) == index or len(ordered) == 1:
            return tuple(operands)
        return (sign * found,)

    def reaches(self, refs: Iterable[Ref], index: int) -> bool:
        """Whether any of the references needs the node; True as well where that takes too long to find out."""
        level, uses, kinds, payloads = self._level, self.uses, self.kinds, self.payloads
        floor = level[index]
        seen: set[int] = set()
        stack = [abs(ref) for ref in refs]
        while stack:
            i = stack.pop()
            if i == index:
                return True
            if (uses[i] and level[i] <= floor) or kinds[i] < _SUM or i in seen:
                continue
            seen.add(i)
            if len(seen) > _SEARCHED:
                return True
            stack.extend([ref if ref > 0 else -ref for ref in payloads[i]])
        return False

    # -- back to a program ---------------------------------------------------------------------------------------

    def export(self) -> Program:
        """The program with the definitions as they are now."""
        graph = Graph()
        # inputs first and in order, so that signs, which hang on the order of nodes, change little
        leaves = [i for i, kind in enumerate(self.kinds) if kind < _SUM and self.uses[i]]
        made: dict[int, Ref] = {i: copy_node(graph, self, i, ()) for i in leaves}
        stack = [(abs(ref), False) for ref in reversed(self._roots)]
        while stack:
            i, ready = stack.pop()
            if i in made:
                continue
            composite = self.kinds[i] >= _SUM
            if composite and not ready:
                stack.append((i, True))
                stack.extend((abs(ref), False) for ref in self.payloads[i][::-1])
                continue
            operands = (
                tuple(signed(graph, made[abs(ref)], ref).ref for ref in self.payloads[i]) if composite else ()
            )
            made[i] = copy_node(graph, self, i, operands)
        labels: dict[int, str] = {}
        for old, label in self.program.labels.items():
            ref = made.get(self._index.get(old, 0))
            if ref is not None and graph.kinds[abs(ref)] > Kind.PARAMETER:
                negative = label[1:] if label.startswith("-") else "-" + label
                labels.setdefault(abs(ref), label if ref > 0 else negative)
        graph.carry_meanings(
            self.program.graph, {old: made[i] for old, i in self._index.items() if i in made}
        )
        refs = iter(self._roots)
        results = tuple(
            tuple(signed(graph, made[abs(ref)], ref).ref for ref in (next(refs) for _ in entries))
            for entries in self.program.results
        )
        return replace(self.program, graph=graph, results=results, labels=labels)


def _normal(operands: Sequence[Ref]) -> tuple[tuple[Ref, ...], int]:
    """Operands in order with the first one positive, and the sign that was taken out."""
    ordered = sorted(operands, key=abs)
    if ordered and ordered[0] < 0:
        return tuple([-ref for ref in ordered]), -1
    return tuple(ordered), 1
