"""Unrolled, structurally sparse L D L^T solution of a symmetric positive definite system.

Zeros of the matrix are known when the program is derived, so they cost nothing, and the order of elimination decides how
many new entries appear.  Pivots that are numbers need no division.  The order is a choice (see ``elimination_orders``).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache

from kanegen.codegen.derivation.meanings import mean
from kanegen.codegen.derivation.placed_tree.choices import Choices
from kanegen.codegen.graph import Expression, total

_EXHAUSTIVE = 7

_Pattern = tuple[tuple[bool, ...], ...]

Blocks = Sequence[Sequence[int]]
"""Unknowns in the order of elimination, one or two at a time."""


def solve(
    matrix: Sequence[Sequence[Expression]], right: Sequence[Expression], blocks: Blocks
) -> list[Expression]:
    """Solve matrix x = right, eliminating blocks of unknowns in the given order.

    The matrix is symmetric positive definite, so every pivot block is.  A block of two costs one division where two
    single pivots cost two in a row.
    """
    reduced = list(right)
    return Factors(matrix, blocks, reduced).substituted(reduced)


class Factors:
    """L D L^T of a symmetric positive definite matrix, for any number of right-hand sides.

    One of them, ``along``, may become L^-1 of itself on the way: passes find what they find by the order of nodes, and so
    one solution counts what it always did.
    """

    def __init__(
        self,
        matrix: Sequence[Sequence[Expression]],
        blocks: Blocks,
        along: list[Expression] | None = None,
    ) -> None:
        m = [list(row) for row in matrix]
        remaining = [i for block in blocks for i in block]
        self.graph = m[0][0].graph
        self._eliminated: list[tuple[Sequence[int], _Pivot, dict[int, list[Expression]]]] = []
        for block in blocks:
            remaining = [i for i in remaining if i not in block]
            pivot = _Pivot([[m[i][j] for j in block] for i in block])
            coupled = [i for i in remaining if any(not m[i][k].is_zero for k in block)]
            factors = {i: pivot.solve([m[i][k] for k in block]) for i in coupled}
            mean(pivot.reciprocal, "pivot", (), _named(block))
            for i, row in factors.items():
                for f, k in zip(row, block, strict=True):
                    mean(f, "factor", (), str(i + 1), str(k + 1))
            for position, i in enumerate(coupled):
                if along is not None:
                    self._reduce(along, i, block, factors[i])
                for j in coupled[position:]:
                    terms = [-f * m[j][k] for f, k in zip(factors[i], block, strict=True)]
                    m[i][j] = m[j][i] = total(self.graph, [m[i][j], *terms])
            self._eliminated.append((block, pivot, factors))

    def _reduce(self, b: list[Expression], i: int, block: Sequence[int], row: Sequence[Expression]) -> None:
        b[i] = total(self.graph, [b[i], *(-f * b[k] for f, k in zip(row, block, strict=True))])
        mean(b[i], "reduced", (), str(i + 1), _named(block))

    def forward(self, right: Sequence[Expression]) -> list[Expression]:
        """L^-1 right."""
        b = list(right)
        for block, _, factors in self._eliminated:
            for i, row in factors.items():
                self._reduce(b, i, block, row)
        return b

    def scaled(self, reduced: Sequence[Expression]) -> list[Expression]:
        """D^-1 of L^-1 right."""
        found = list(reduced)
        for block, pivot, _ in self._eliminated:
            for k, x in zip(block, pivot.solve([reduced[k] for k in block]), strict=True):
                found[k] = x
        return found

    def substituted(self, reduced: Sequence[Expression]) -> list[Expression]:
        """L^-T D^-1 of L^-1 right: the solution."""
        x = list(reduced)
        for block, pivot, factors in reversed(self._eliminated):
            values = pivot.solve([reduced[k] for k in block])
            for place, k in enumerate(block):
                x[k] = total(self.graph, [values[place], *(-factors[i][place] * x[i] for i in factors)])
        return x


def _named(block: Sequence[int]) -> str:
    return " and ".join(str(k + 1) for k in block)


class _Pivot:
    """A pivot of one or two unknowns, inverted with one division."""

    def __init__(self, block: Sequence[Sequence[Expression]]) -> None:
        self.block = block
        determinant = (
            block[0][0] if len(block) == 1 else block[0][0] * block[1][1] - block[0][1] * block[0][1]
        )
        self.reciprocal = 1 / determinant

    def solve(self, right: Sequence[Expression]) -> list[Expression]:
        """The pivot's inverse times a vector."""
        if len(self.block) == 1:
            return [right[0] * self.reciprocal]
        (a, b), (_, c) = self.block
        return [
            (c * right[0] - b * right[1]) * self.reciprocal,
            (a * right[1] - b * right[0]) * self.reciprocal,
        ]


def blockings(order: Sequence[int], matrix: Sequence[Sequence[Expression]]) -> list[list[list[int]]]:
    """Ways to take an order of elimination: one by one, the last two together, or all that need a division in pairs."""
    single = [[i] for i in order]
    if len(order) < 2:
        return [single]
    last = [*single[:-2], [order[-2], order[-1]]]
    free = [i for i in order if matrix[i][i].is_number]
    varying = [i for i in order if i not in free]
    head = [[i] for i in free] + ([[varying[0]]] if len(varying) % 2 else [])
    rest = varying[len(varying) % 2 :]
    pairs = head + [list(rest[i : i + 2]) for i in range(0, len(rest), 2)]
    return [single, last, pairs]


def pattern_cost(
    nonzero: Sequence[Sequence[bool]], constant: Sequence[Sequence[bool]], order: Sequence[int]
) -> int:
    """Operations of ``solve`` for a matrix with the given structural zeros and constant entries, divisions as twelve."""
    state, operations = _unsolved(nonzero, constant), 0
    for k in order:
        more, state = _eliminated(state, k)
        operations += more
    return operations


_State = tuple[tuple[int, ...], tuple[int, ...]]
"""Rows of a symmetric matrix as sets of bits: entries that are not zero, and those that vary; none of what is eliminated."""


def _unsolved(nonzero: Sequence[Sequence[bool]], constant: Sequence[Sequence[bool]]) -> _State:
    def bits(row: Iterable[bool]) -> int:
        return sum(1 << j for j, entry in enumerate(row) if entry)

    return tuple(map(bits, nonzero)), tuple(
        bits(x and not y for x, y in zip(*rows, strict=True)) for rows in zip(nonzero, constant, strict=True)
    )


def _eliminated(state: _State, k: int) -> tuple[int, _State]:
    """Operations that the elimination of unknown k takes, and what is left."""
    others = ~(1 << k)
    filled, varying = ([row & others for row in rows] for rows in state)
    changes = state[1][k] >> k & 1  # whether the pivot varies
    later = [i for i in range(len(filled)) if filled[k] >> i & 1]
    operations = (12 if changes else 0) + 1 + 4 * len(later)
    for x, i in enumerate(later):
        factor = changes | state[1][k] >> i & 1
        operations += factor
        for j in later[x:]:
            if factor | state[1][k] >> j & 1:
                operations += 1 + (filled[i] >> j & 1)
                varying[i] |= 1 << j
                varying[j] |= 1 << i
            filled[i] |= 1 << j
            filled[j] |= 1 << i
    filled[k] = varying[k] = 0
    return operations, (tuple(filled), tuple(varying))


def one_by_one(matrix: Sequence[Sequence[Expression]]) -> Blocks:
    """The unknowns singly, in the cheapest order."""
    return [(i,) for i in _orders(matrix)[0]]


def chosen_blocks(
    matrix: Sequence[Sequence[Expression]], choices: Choices, of: str = "elimination"
) -> Blocks:
    """Unknowns in an order of elimination: a decision point, like what is taken together."""
    orders = _orders(matrix)
    order = orders[choices.pick(_POINTS[of], len(orders))]
    ways = blockings(order, matrix)
    return ways[choices.pick(f"pivots of {of}", len(ways))]


_POINTS = {
    "elimination": "elimination order",
    "the inverse": "elimination order of the inverse",
    "the rows": "elimination order of the rows",
}


def _orders(matrix: Sequence[Sequence[Expression]]) -> tuple[tuple[int, ...], ...]:
    return elimination_orders(
        [[not x.is_zero for x in row] for row in matrix], [[x.is_number for x in row] for row in matrix]
    )


def elimination_orders(
    nonzero: Sequence[Sequence[bool]], constant: Sequence[Sequence[bool]], alternatives: int = 4
) -> tuple[tuple[int, ...], ...]:
    """The cheapest orders by ``pattern_cost``, best first, equal ones in lexical sequence.

    Up to seven unknowns all orders are tried; beyond that one order by minimum degree is returned.
    """
    return _ranked(tuple(map(tuple, nonzero)), tuple(map(tuple, constant)), alternatives)


@cache
def _ranked(nonzero: _Pattern, constant: _Pattern, alternatives: int) -> tuple[tuple[int, ...], ...]:
    """The orders of a pattern, remembered: a search meets few patterns and thousands of orders in each."""
    n = len(nonzero)
    if n > _EXHAUSTIVE:
        return (_minimum_degree(nonzero, constant),)
    eliminated = cache(_eliminated)  # what is left hangs on what was eliminated, hardly on the order
    ranked: list[tuple[int, tuple[int, ...]]] = []

    def extend(order: tuple[int, ...], operations: int, state: _State) -> None:
        if len(order) == n:
            ranked.append((operations, order))
        for k in range(n):
            if k not in order:
                more, rest = eliminated(state, k)
                extend((*order, k), operations + more, rest)

    extend((), 0, _unsolved(nonzero, constant))
    return tuple(order for _, order in sorted(ranked)[:alternatives])


def _minimum_degree(nonzero: Sequence[Sequence[bool]], constant: Sequence[Sequence[bool]]) -> tuple[int, ...]:
    """Eliminate what touches fewest others first; numbers before expressions, last unknowns before first."""
    n = len(nonzero)
    filled = [list(row) for row in nonzero]
    order: list[int] = []
    remaining = list(range(n))
    while remaining:
        k = min(remaining, key=lambda i: (sum(filled[i][j] for j in remaining), not constant[i][i], -i))
        remaining.remove(k)
        order.append(k)
        later = [i for i in remaining if filled[i][k]]
        for i in later:
            for j in later:
                filled[i][j] = True
    return tuple(order)
