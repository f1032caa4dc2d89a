"""Solving the equations of velocity for dependent rates, block by block, in formulas.

With rows A dq/dt = r and the plan's blocks, every block gives the rates of its columns from those of the columns not yet
solved for.  The same factors, used from the left, reduce generalized forces to the free coordinates and give multipliers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from kanegen.codegen.derivation.linear.solve import one_by_one, solve
from kanegen.codegen.derivation.motion_maps.plan import Block, Plan
from kanegen.codegen.graph import Expression, Graph, constant, total
from kanegen.codegen.graph import linear as vec

Matrix = Sequence[Sequence[Expression]]


@dataclass(frozen=True)
class _Eliminated:
    """A block: its inverse, its coefficients of the columns solved later, and its share in later rows."""

    block: Block
    inverse: list[list[Expression]]
    rest: Mapping[int, list[Expression]]
    factors: Mapping[int, list[Expression]]


class Elimination:
    """The independent rows of a mechanism's equations, factored.

    ``determinants`` are those of the blocks where they are not +1 or -1: where one vanishes, the block has no inverse.
    """

    def __init__(self, graph: Graph, rows: Matrix, plan: Plan) -> None:
        self.graph, self.plan = graph, plan
        self.n = len(plan.free) + len(plan.independent)
        self._zero = constant(graph, 0)
        self._eliminated: list[_Eliminated] = []
        self.determinants: list[Expression] = []
        left = [list(row) for row in rows]
        solved: set[int] = set()
        done: set[int] = set()
        for block in plan.blocks:
            done.update(block.rows)
            solved.update(block.columns)
            square = [[left[i][j] for j in block.columns] for i in block.rows]
            if block.unit is None:
                self.determinants.append(determinant(graph, square))
            inverse = inverted(graph, square, block.unit)
            columns = [j for j in range(self.n) if j not in solved]
            rest = {
                j: [left[i][j] for i in block.rows]
                for j in columns
                if any(not left[i][j].is_zero for i in block.rows)
            }
            factors: dict[int, list[Expression]] = {}
            for i in range(len(rows)):
                coupled = [left[i][j] for j in block.columns]
                if i in done or all(x.is_zero for x in coupled):
                    continue
                factors[i] = list(vec.apply_total(graph, vec.transpose(inverse), coupled))
                for j, entries in rest.items():
                    left[i][j] = self._sum(
                        [left[i][j], *(-f * e for f, e in zip(factors[i], entries, strict=True))]
                    )
            self._eliminated.append(_Eliminated(block, inverse, rest, factors))

    @property
    def inverses(self) -> list[tuple[Block, list[list[Expression]]]]:
        """The blocks in their order, each with its inverse."""
        return [(step.block, step.inverse) for step in self._eliminated]

    def complete(self, free: Sequence[Expression], right: Sequence[Expression]) -> list[Expression]:
        """All rates (or accelerations) from the free ones: A x = right."""
        r = list(right)
        for step in self._eliminated:
            for i, factors in step.factors.items():
                r[i] = self._sum([r[i], *(-f * r[b] for f, b in zip(factors, step.block.rows, strict=True))])
        x = dict(zip(self.plan.free, free, strict=True))
        for step in reversed(self._eliminated):
            sides = [
                self._sum([r[i], *(-entries[b] * x[j] for j, entries in step.rest.items())])
                for b, i in enumerate(step.block.rows)
            ]
            for k, j in enumerate(step.block.columns):
                x[j] = vec.dot_total(self.graph, step.inverse[k], sides)
        return [x[j] for j in range(self.n)]

    def reduce(self, forces: Sequence[Expression]) -> list[Expression]:
        """Generalized forces on the free coordinates alone: P^T Q."""
        return self._reduced(forces)[0]

    def multipliers(self, forces: Sequence[Expression]) -> list[Expression]:
        """lambda with A^T lambda = forces, for forces that do no work in any motion allowed."""
        share = self._reduced(forces)[1]
        for step in reversed(self._eliminated):
            for b, i in enumerate(step.block.rows):
                share[i] = self._sum([share[i], *(-f[b] * share[k] for k, f in step.factors.items())])
        return [share[i] for i in range(len(self.plan.independent))]

    def _reduced(self, forces: Sequence[Expression]) -> tuple[list[Expression], dict[int, Expression]]:
        q = list(forces)
        share: dict[int, Expression] = {}
        for step in self._eliminated:
            for b, i in enumerate(step.block.rows):
                share[i] = self._sum([step.inverse[k][b] * q[j] for k, j in enumerate(step.block.columns)])
            for j, entries in step.rest.items():
                q[j] = self._sum(
                    [q[j], *(-e * share[i] for e, i in zip(entries, step.block.rows, strict=True))]
                )
        return [q[j] for j in self.plan.free], share

    def _sum(self, terms: Sequence[Expression]) -> Expression:
        return total(self.graph, terms)


class Square:
    """A square system J x = b and its transpose, regular wherever J is.

    Rows with a single entry are solved first.  What remains is inverted by its adjugate up to order three; beyond that
    x = J^T (J J^T)^-1 b, whose elimination needs no pivoting.
    """

    def __init__(self, graph: Graph, matrix: Matrix, unit: int | None) -> None:
        self.graph, self.matrix = graph, matrix
        n = len(matrix)
        self.direct: list[tuple[int, int]] = []
        for i, row in enumerate(matrix):
            places = [j for j in range(n) if not row[j].is_zero]
            if len(places) == 1 and row[places[0]].is_number:
                self.direct.append((i, places[0]))
        self.rows = [i for i in range(n) if i not in {i for i, _ in self.direct}]
        self.columns = [j for j in range(n) if j not in {j for _, j in self.direct}]
        self.core = [[matrix[i][j] for j in self.columns] for i in self.rows]
        known = unit if not self.direct else None
        self._inverse = inverted(graph, self.core, known) if len(self.core) <= 3 else None

    def solve(self, right: Sequence[Expression]) -> list[Expression]:
        """x with J x = right."""
        x: dict[int, Expression] = {j: right[i] / self.matrix[i][j] for i, j in self.direct}
        sides = [
            total(self.graph, [right[i], *(-self.matrix[i][j] * x[j] for _, j in self.direct)])
            for i in self.rows
        ]
        for j, value in zip(self.columns, self._solve_core(sides), strict=True):
            x[j] = value
        return [x[j] for j in range(len(self.matrix))]

    def solve_transposed(self, right: Sequence[Expression]) -> list[Expression]:
        """y with J^T y = right."""
        y: dict[int, Expression] = dict(
            zip(self.rows, self._solve_core_transposed([right[j] for j in self.columns]), strict=True)
        )
        for i, j in self.direct:
            rest = [right[j], *(-self.matrix[k][j] * y[k] for k in self.rows)]
            y[i] = total(self.graph, rest) / self.matrix[i][j]
        return [y[i] for i in range(len(self.matrix))]

    def _solve_core(self, b: Sequence[Expression]) -> Sequence[Expression]:
        if self._inverse is not None:
            return vec.apply_total(self.graph, self._inverse, b)
        return vec.apply_total(self.graph, vec.transpose(self.core), self._gram(b))

    def _solve_core_transposed(self, b: Sequence[Expression]) -> Sequence[Expression]:
        if self._inverse is not None:
            return vec.apply_total(self.graph, vec.transpose(self._inverse), b)
        return self._gram(vec.apply_total(self.graph, self.core, b))

    def _gram(self, b: Sequence[Expression]) -> list[Expression]:
        return solve_positive(gram(self.graph, self.core), b)


def gram(graph: Graph, rows: Matrix) -> list[list[Expression]]:
    """rows rows^T."""
    return vec.multiply_symmetric_total(graph, rows, rows)


def solve_positive(matrix: Matrix, right: Sequence[Expression]) -> list[Expression]:
    """Solve a symmetric positive definite system, the unknowns one by one in an order with little fill-in."""
    if not right:
        return []
    return solve(matrix, right, one_by_one(matrix))


def inverted(graph: Graph, m: Matrix, unit: int | None) -> list[list[Expression]]:
    """Inverse of a matrix of order up to three by its adjugate; ``unit`` is its determinant where that is +1 or -1."""
    n = len(m)
    if n == 0:
        return []
    if n == 1:
        return [[constant(graph, 1) / m[0][0] if unit is None else constant(graph, unit)]]
    if n == 2:
        adjugate = [[m[1][1], -m[0][1]], [-m[1][0], m[0][0]]]
    else:
        adjugate = [
            [
                m[(j + 1) % 3][(i + 1) % 3] * m[(j + 2) % 3][(i + 2) % 3]
                - m[(j + 1) % 3][(i + 2) % 3] * m[(j + 2) % 3][(i + 1) % 3]
                for j in range(3)
            ]
            for i in range(3)
        ]
    if unit is None:
        share = constant(graph, 1) / total(graph, [m[0][k] * adjugate[k][0] for k in range(n)])
    else:
        share = constant(graph, unit)
    return [[share * x for x in row] for row in adjugate]


def determinant(graph: Graph, m: Matrix) -> Expression:
    """Determinant of a matrix of order up to three."""
    if len(m) == 1:
        return m[0][0]
    if len(m) == 2:
        return m[0][0] * m[1][1] - m[0][1] * m[1][0]
    minors = [m[1][(k + 1) % 3] * m[2][(k + 2) % 3] - m[1][(k + 2) % 3] * m[2][(k + 1) % 3] for k in range(3)]
    return vec.dot_total(graph, m[0], minors)


def pivots(m: Matrix) -> list[Expression]:
    """Pivots of the elimination of a symmetric positive definite matrix, from the first row to the last.

    Those of rows rows^T are the squares of the distances of each row from the span of those before it.
    """
    left = [list(row) for row in m]
    n = len(left)
    for k in range(n):
        for i in range(k + 1, n):
            factor = left[i][k] / left[k][k]
            for j in range(i, n):
                left[i][j] = left[j][i] = left[i][j] - factor * left[j][k]
    return [left[k][k] for k in range(n)]
