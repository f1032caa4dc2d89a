"""Motion of a constrained mechanism from its generalized speeds, and generalized forces on them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from kanegen.codegen.derivation.constraints.elimination import Elimination, Square
from kanegen.codegen.derivation.constraints.equations import Row, equations
from kanegen.codegen.derivation.constraints.plan import Plan
from kanegen.codegen.graph import Expression, Graph, Tangents, constant, total
from kanegen.codegen.graph import linear as vec
from kanegen.codegen.mechanism.records import Mechanism
from kanegen.codegen.mechanism.values import Lift

Vector = Sequence[Expression]


class ConstrainedMotion:
    """dq/dt = N v + drift and its derivative, and tau = N^T Q (Kane's nonholonomic partial velocities), in formulas.

    The plan's free rates w give all rates, dq/dt = P w; the speeds are v = J w.  So N = P J^-1.
    """

    def __init__(self, mechanism: Mechanism, q: Vector, lift: Lift, plan: Plan) -> None:
        self.mechanism, self.q, self.plan, self.graph = mechanism, tuple(q), plan, lift.graph
        self.zero, self.one = constant(self.graph, 0), constant(self.graph, 1)
        self.system = equations(mechanism, q, lift)
        self.rows = [self.system.rows[i] for i in plan.independent]

    @cached_property
    def elimination(self) -> Elimination:
        """The independent equations, factored."""
        return Elimination(self.graph, [row.coefficients for row in self.rows], self.plan)

    @cached_property
    def P(self) -> list[list[Expression]]:
        """Columns of dq/dt for unit free rates: P[c][j] of coordinate j."""
        none = [self.zero] * len(self.rows)
        count = len(self.plan.free)
        return [
            self.elimination.complete([self.one if k == c else self.zero for k in range(count)], none)
            for c in range(count)
        ]

    @cached_property
    def J(self) -> list[list[Expression]]:
        """Speeds for unit free rates: v = J w."""
        return [[self._dot(row.coefficients, column) for column in self.P] for row in self.system.speeds]

    @cached_property
    def speeds(self) -> Square:
        """The system v = J w, ready to be solved."""
        return Square(self.graph, self.J, self.plan.unit)

    @cached_property
    def N(self) -> list[list[Expression]]:
        """Rates for unit speeds: N[j][r] of coordinate j, without the drift that the equations may have."""
        none = [self.zero] * len(self.rows)
        count = len(self.system.speeds)
        columns = [
            self.elimination.complete(
                self.speeds.solve([self.one if k == r else self.zero for k in range(count)]), none
            )
            for r in range(count)
        ]
        return [[column[j] for column in columns] for j in range(len(self.q))]

    # -- rates and accelerations -------------------------------------------------------------------------------------

    def rates(self, v: Vector) -> list[Expression]:
        """dq/dt for speeds v."""
        drift = self.elimination.complete([self.zero] * len(self.plan.free), [-row.rest for row in self.rows])
        w = self.speeds.solve(
            [
                x - row.rest - self._dot(row.coefficients, drift)
                for x, row in zip(v, self.system.speeds, strict=True)
            ]
        )
        return self.elimination.complete(w, [-row.rest for row in self.rows])

    def generalized_speeds(self, qdot: Vector) -> list[Expression]:
        """v for rates dq/dt."""
        return [
            total(self.graph, [self._dot(row.coefficients, qdot), row.rest]) for row in self.system.speeds
        ]

    def required(self, qdot: Vector) -> list[Expression]:
        """gamma(q, dq/dt) of the independent equations: A d2q/dt2 = gamma."""
        tangents = self._tangents(qdot)
        k = len(self.system.positions)
        return [
            -tangents.second(self.system.positions[i].value) if i < k else -self._turning(tangents, row, qdot)
            for i, row in zip(self.plan.independent, self.rows, strict=True)
        ]

    def bias_acceleration(self, qdot: Vector) -> tuple[list[Expression], list[Expression]]:
        """d2q/dt2 at zero free accelerations, and the derivatives of the speeds that belong to it."""
        still = self.elimination.complete([self.zero] * len(self.plan.free), self.required(qdot))
        tangents = self._tangents(qdot)
        a = [
            total(self.graph, [self._dot(row.coefficients, still), self._turning(tangents, row, qdot)])
            for row in self.system.speeds
        ]
        return still, a

    def accelerations(self, qdot: Vector, a: Vector) -> list[Expression]:
        """d2q/dt2 for derivatives a of the speeds."""
        _, bias = self.bias_acceleration(qdot)
        w = self.speeds.solve([x - y for x, y in zip(a, bias, strict=True)])
        return self.elimination.complete(w, self.required(qdot))

    # -- forces ------------------------------------------------------------------------------------------------------

    def on_speeds(self, forces: Vector) -> list[Expression]:
        """tau for generalized forces Q on the coordinates."""
        return self.speeds.solve_transposed(self.elimination.reduce(forces))

    def on_coordinates(self, tau: Vector) -> list[Expression]:
        """Generalized forces on the coordinates that forces on the speeds stand for: Y^T tau."""
        return [
            self._dot([row.coefficients[j] for row in self.system.speeds], tau) for j in range(len(self.q))
        ]

    def multipliers(self, forces: Vector, tau: Vector) -> list[Expression]:
        """lambda of all rows, zero for redundant ones: Q = Y^T tau + A^T lambda."""
        driven = self.on_coordinates(tau)
        found = self.elimination.multipliers([q - d for q, d in zip(forces, driven, strict=True)])
        return self.spread(found)

    def spread(self, values: Vector) -> list[Expression]:
        """Values of the independent rows among zeros for redundant ones."""
        by_row = dict(zip(self.plan.independent, values, strict=True))
        return [by_row.get(i, self.zero) for i in range(len(self.system.rows))]

    # -- helpers -----------------------------------------------------------------------------------------------------

    def _tangents(self, qdot: Vector) -> Tangents:
        return Tangents(self.graph, dict(zip(self.q, qdot, strict=True)))

    def _turning(self, tangents: Tangents, row: Row, qdot: Vector) -> Expression:
        """What the changing coefficients of a row add to its derivative."""
        terms = [
            tangents.first(c) * rate
            for c, rate in zip(row.coefficients, qdot, strict=True)
            if not c.is_number
        ]
        return total(self.graph, [*terms, tangents.first(row.rest)])

    def _dot(self, u: Vector, v: Vector) -> Expression:
        return vec.dot_total(self.graph, u, v)


def new_motion(mechanism: Mechanism, graph: Graph, q: Vector, plan: Plan, live: bool) -> ConstrainedMotion:
    """The motion of a mechanism with coordinates ``q``, with parameters live or as numbers."""
    return ConstrainedMotion(mechanism, q, Lift(graph, mechanism.parameters, live=live), plan)
