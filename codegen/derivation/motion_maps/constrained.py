"""Motion of a constrained mechanism from its generalized speeds, and generalized forces on them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property

from kanegen.codegen.derivation.meanings import mean, mean_each
from kanegen.codegen.derivation.motion_maps.elimination import Elimination, Square
from kanegen.codegen.derivation.motion_maps.equations import Row, equations
from kanegen.codegen.derivation.motion_maps.leaning import leaning
from kanegen.codegen.derivation.motion_maps.motion_map import (
    Rows,
    TreeForces,
    TreeMotion,
    Vector,
    rates_through,
)
from kanegen.codegen.derivation.motion_maps.plan import Plan
from kanegen.codegen.graph import Expression, Graph, Tangents, constant, total
from kanegen.codegen.graph import linear as vec
from kanegen.codegen.mechanism.records import Mechanism, Value
from kanegen.codegen.mechanism.values import Lift


class ConstrainedMap:
    """dq/dt = N v + drift and its derivative, and tau = N^T Q (Kane's nonholonomic partial velocities), in formulas.

    The plan's free rates w give all rates, dq/dt = P w; the speeds are v = J w.  So N = P J^-1.
    """

    def __init__(self, mechanism: Mechanism, q: Vector, lift: Lift, plan: Plan) -> None:
        self.mechanism, self.q, self.plan = mechanism, tuple(q), plan
        self.lift, self.graph = lift, lift.graph
        self.zero, self.one = constant(self.graph, 0), constant(self.graph, 1)
        self.system = equations(mechanism, q, lift)
        self.rows = [self.system.rows[i] for i in plan.independent]

    @cached_property
    def elimination(self) -> Elimination:
        """The independent equations, factored."""
        for row in self.rows:
            mean_each(row.coefficients, "equation", self.mechanism.coordinates, row.name)
        found = Elimination(self.graph, [row.coefficients for row in self.rows], self.plan)
        for block, inverse in found.inverses:
            for j, entries in zip(block.columns, inverse, strict=True):
                for i, x in zip(block.rows, entries, strict=True):
                    mean(x, "block inverse", (), self.mechanism.coordinates[j], self.rows[i].name)
        return found

    @cached_property
    def P(self) -> list[list[Expression]]:
        """Columns of dq/dt for unit free rates: P[c][j] of coordinate j."""
        none = [self.zero] * len(self.rows)
        count = len(self.plan.free)
        return [
            mean_each(
                self.elimination.complete([self.one if k == c else self.zero for k in range(count)], none),
                "by free rate",
                self.mechanism.coordinates,
                self.mechanism.coordinates[j],
            )
            for c, j in enumerate(self.plan.free)
        ]

    @cached_property
    def J(self) -> list[list[Expression]]:
        """Speeds for unit free rates: v = J w."""
        free = [self.mechanism.coordinates[j] for j in self.plan.free]
        return [
            [
                mean(self.dot(row.coefficients, column), "speed by free rate", (), str(r + 1), name)
                for column, name in zip(self.P, free, strict=True)
            ]
            for r, row in enumerate(self.system.speeds)
        ]

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
            mean_each(
                self.elimination.complete(
                    self.speeds.solve([self.one if k == r else self.zero for k in range(count)]), none
                ),
                "by speed",
                self.mechanism.coordinates,
                str(r + 1),
            )
            for r in range(count)
        ]
        return [[column[j] for column in columns] for j in range(len(self.q))]

    def violating(self) -> dict[int, list[Expression]]:
        """By the index of each independent equation: rates that violate it by 1 and no other, and have no speeds."""
        none, count = [self.zero] * len(self.plan.free), range(len(self.rows))
        found = {}
        for k, i in enumerate(self.plan.independent):
            by_one = [self.one if x == k else self.zero for x in count]
            drift = self.elimination.complete(none, by_one)
            w = self.speeds.solve([-self.dot(row.coefficients, drift) for row in self.system.speeds])
            found[i] = self.elimination.complete(w, by_one)
        return found

    # -- rates and accelerations -------------------------------------------------------------------------------------

    def rates(self, v: Vector) -> list[Expression]:
        """dq/dt for speeds v."""
        drift = self.elimination.complete([self.zero] * len(self.plan.free), [-row.rest for row in self.rows])
        w = self.speeds.solve(
            [
                x - row.rest - self.dot(row.coefficients, drift)
                for x, row in zip(v, self.system.speeds, strict=True)
            ]
        )
        qdot = self.elimination.complete(w, [-row.rest for row in self.rows])
        return mean_each(qdot, "rate", self.mechanism.coordinates)

    def generalized_speeds(self, qdot: Vector) -> list[Expression]:
        """v for rates dq/dt."""
        return [total(self.graph, [self.dot(row.coefficients, qdot), row.rest]) for row in self.system.speeds]

    def required(self, qdot: Vector) -> list[Expression]:
        """gamma(q, dq/dt) of the independent equations: A d2q/dt2 = gamma."""
        tangents = self._tangents(qdot)
        k = len(self.system.positions)
        gamma = [
            -tangents.second(self.system.positions[i].value) if i < k else -self._turning(tangents, row, qdot)
            for i, row in zip(self.plan.independent, self.rows, strict=True)
        ]
        return mean_each(gamma, "required", [row.name for row in self.rows])

    def bias_acceleration(self, qdot: Vector) -> tuple[list[Expression], list[Expression]]:
        """d2q/dt2 at zero free accelerations, and the derivatives of the speeds that belong to it."""
        still = self.elimination.complete([self.zero] * len(self.plan.free), self.required(qdot))
        mean_each(still, "drift", self.mechanism.coordinates)
        tangents = self._tangents(qdot)
        a = [
            total(self.graph, [self.dot(row.coefficients, still), self._turning(tangents, row, qdot)])
            for row in self.system.speeds
        ]
        return still, a

    def accelerations(self, qdot: Vector, a: Vector) -> list[Expression]:
        """d2q/dt2 for derivatives a of the speeds."""
        _, bias = self.bias_acceleration(qdot)
        w = self.speeds.solve([x - y for x, y in zip(a, bias, strict=True)])
        qddot = self.elimination.complete(w, self.required(qdot))
        return mean_each(qddot, "acceleration", self.mechanism.coordinates)

    # -- forces ------------------------------------------------------------------------------------------------------

    def on_speeds(self, forces: Vector) -> list[Expression]:
        """tau for generalized forces Q on the coordinates; those on prescribed joints do not count."""
        return self.speeds.solve_transposed(self.elimination.reduce(forces[: len(self.q)]))

    def on_coordinates(self, tau: Vector) -> list[Expression]:
        """Generalized forces on the coordinates that forces on the speeds stand for: Y^T tau."""
        return [
            self.dot([row.coefficients[j] for row in self.system.speeds], tau) for j in range(len(self.q))
        ]

    def multipliers(self, forces: Vector, tau: Vector) -> list[Expression]:
        """lambda of all rows, zero for redundant ones: Q = Y^T tau + A^T lambda."""
        driven = self.on_coordinates(tau)
        found = self.elimination.multipliers([q - d for q, d in zip(forces, driven, strict=True)])
        mean_each(found, "multiplier", [row.name for row in self.rows])
        return self.spread(found)

    def spread(self, values: Vector) -> list[Expression]:
        """Values of the independent rows among zeros for redundant ones."""
        by_row = dict(zip(self.plan.independent, values, strict=True))
        return [by_row.get(i, self.zero) for i in range(len(self.system.rows))]

    # -- what kernels ask of any map (motion_maps/motion_map.py) ---------------------------------------------------------

    one_to_one = False
    carried = ", carried to the speeds"
    rates_from = "equations of velocity"

    def placements(self) -> Mapping[str, Expression]:
        """None: those of a chart stay parameters (chart.py)."""
        return {}

    def motion(self, v: Vector | None = None, a: Vector | None = None) -> TreeMotion:
        """The motion of the tree for speeds and their derivatives; prescribed joints stand still at rest alone."""
        if v is None:
            return self.of_coordinates()
        qdot = self.rates(v)
        return self.of_coordinates(qdot, None if a is None else self.accelerations(qdot, a))

    def coordinate_rates(self, v: Vector) -> list[Expression]:
        """dq/dt for speeds v."""
        return self.rates(v)

    def columns(self) -> Rows:
        """N, and nothing for prescribed joints."""
        return [*self.N, *[[self.zero] * len(self.system.speeds)] * len(self.mechanism.prescribed)]

    def unit_rates(self) -> Rows:
        """The columns of N."""
        return vec.transpose(self.N)

    def on_both_sides(self, matrix: Sequence[Vector]) -> Rows:
        """The mass matrix on the speeds, J^-T (P^T M P) J^-1."""
        count = len(self.system.speeds)
        half = [self.speeds.solve_transposed(row) for row in self.free_inertia(matrix)]
        columns = [self.speeds.solve_transposed([row[r] for row in half]) for r in range(count)]
        return [[columns[max(r, c)][min(r, c)] for c in range(count)] for r in range(count)]

    def rate_of_rows(self, rates: Rows, rows: Callable[[], Rows], v: Vector) -> Rows:
        """dA/dt N + A dN/dt."""
        nq, qdot = len(self.q), self._in_time(self.rates(v))
        moving, still = ([row[:nq] for row in part] for part in (rates, rows()))
        return rates_through(self.graph, self.N, qdot, moving, still)

    def coriolis(
        self, c: Rows, mass_matrix: Callable[[], Rows], v: Vector, rotors: Mapping[str, Value]
    ) -> Rows:
        """N^T (C N + M dN/dt)."""
        nq, names = len(self.q), self.mechanism.coordinates
        bodies = [list(row) for row in c[:nq]]
        for (i, j), d in leaning(self.mechanism, self.rates(v)).items():
            if names[i] in rotors:
                bodies[i][j] = bodies[i][j] + self.lift(rotors[names[i]]) * d
        columns = self.rate_of_rows(bodies, lambda: mass_matrix()[:nq], v)
        entries = [self.on_speeds([row[r] for row in columns]) for r in range(len(columns[0]))]
        return vec.transpose(entries)

    def changes(self, forces: TreeForces, steps: Vector) -> Mapping[Expression, Vector]:
        """Nothing."""
        return {}

    def free_inertia(self, matrix: Sequence[Vector]) -> Rows:
        """P^T M P."""
        nq = len(self.q)
        return congruence(self.graph, [row[:nq] for row in matrix[:nq]], self.P)

    def drifting(self, v: Vector) -> tuple[TreeMotion, Vector]:
        """The motion in which free rates do not change, and the derivatives of the speeds that belong to it."""
        qdot = self.rates(v)
        still, bias = self.bias_acceleration(qdot)
        return self.of_coordinates(qdot, still), bias

    def unbalanced(self, tau: Vector, forces: Vector) -> list[Expression]:
        """J^T tau - P^T Q."""
        reduced = self.elimination.reduce(forces[: len(self.q)])
        return [
            total(self.graph, [*(row[c] * t for row, t in zip(self.J, tau, strict=True)), -reduced[c]])
            for c in range(len(reduced))
        ]

    def accelerations_of(self, free: Vector, drift: Vector) -> list[Expression]:
        """J dw/dt and the drift."""
        return [
            total(self.graph, [*(x * w for x, w in zip(row, free, strict=True)), bias])
            for row, bias in zip(self.J, drift, strict=True)
        ]

    def from_free(self, inverse: Rows) -> Rows:
        """J Z J^T."""
        return congruence(self.graph, inverse, self.J)

    def of_coordinates(self, qdot: Vector | None = None, qddot: Vector | None = None) -> TreeMotion:
        """The motion of the tree for rates and accelerations of the coordinates, which are zero where they are not given.

        Prescribed joints move as they must, or rest like the others.
        """
        given = self.system.prescribed.values()
        if qdot is not None and qddot is None and not all(x.acceleration.is_zero for x in given):
            qddot = [self.zero] * len(self.q)
        return TreeMotion(
            [*self.q, *(x.position for x in given)],
            None if qdot is None else [*qdot, *(x.rate for x in given)],
            None if qddot is None else [*qddot, *(x.acceleration for x in given)],
        )

    # -- helpers -----------------------------------------------------------------------------------------------------

    def _tangents(self, qdot: Vector) -> Tangents:
        return Tangents(self.graph, self._in_time(qdot))

    def _in_time(self, qdot: Vector) -> dict[Expression, Expression]:
        """What changes in time, and at which rates: coordinates, and where anything depends on it time itself."""
        time = {} if self.system.time is None else {self.system.time: self.one}
        return {**dict(zip(self.q, qdot, strict=True)), **time}

    def _turning(self, tangents: Tangents, row: Row, qdot: Vector) -> Expression:
        """What the changing coefficients of a row add to its derivative."""
        terms = [
            tangents.first(c) * rate
            for c, rate in zip(row.coefficients, qdot, strict=True)
            if not c.is_number
        ]
        return total(self.graph, [*terms, tangents.first(row.rest)])

    def dot(self, u: Vector, v: Vector) -> Expression:
        """u . v as one n-ary sum."""
        return vec.dot_total(self.graph, u, v)


def congruence(graph: Graph, m: Sequence[Vector], columns: Sequence[Vector]) -> Rows:
    """P^T M P for the columns of P; symmetric."""
    return vec.multiply_symmetric_total(graph, columns, [vec.apply_total(graph, m, x) for x in columns])
