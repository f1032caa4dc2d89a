"""Generalized speeds of one's choice for a plain tree, as a map to its joints (Kane & Levinson 1983, eqs 1 - 12).

Every generalized speed is a combination of the joint rates, u_r = sum_s Y_rs(q) q'_s (eq 1, with Y for the
paper's A and no B_r), and a set of speeds is admissible when this can be solved for the rates, q' = W(q) u.
The solution is found with SymPy, exactly, in the sines and cosines of the joint angles as symbols with s^2 +
c^2 = 1, and every quotient is brought to lowest terms modulo these circles.  For the Stanford Arm and the
speeds of eqs 2 and 3 it is eqs 8 - 11: singular where s2 = 0, where the speeds themselves are, and nowhere
else.

Speeds that are joint rates give their rates outright.  Of the others, a rate that stands in one equation
alone, with a number as coefficient, is taken from it after the rest (q'_3 = u_2 - q'_1 c_2, eqs 6 and 10);
what then remains is solved by determinants.

Forces Q on the joints are tau = W^T Q on the speeds, since power is tau . u = Q . q' (eqs 104 - 116, 126).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from kanegen.codegen.derivation.motion_maps.motion_map import (
    FreeSpeeds,
    Rows,
    TreeForces,
    TreeMotion,
    Vector,
    rates_through,
)
from kanegen.codegen.derivation.motion_maps.resolved_speeds import resolve
from kanegen.codegen.derivation.motion_maps.trigonometric import Polynomial, TrigonometricAlgebra
from kanegen.codegen.derivation.placed_tree.placement import PlacedBody
from kanegen.codegen.derivation.recursive.motion import Motion
from kanegen.codegen.graph import Expression, Tangents, constant
from kanegen.codegen.graph import linear as vec
from kanegen.codegen.mechanism.records import Value
from kanegen.codegen.mechanism.speeds import GeneralizedSpeed
from kanegen.errors import ModelError


@dataclass(frozen=True, slots=True)
class _Step:
    """x_coordinate = sum over quotients of (sum of numerator * side_r) * reciprocal - sum of factor * x_y.

    ``quotients`` holds (reciprocal of a denominator, ((r, numerator), ...)); ``others`` holds (y, factor).
    """

    coordinate: int
    quotients: tuple[tuple[Expression, tuple[tuple[int, Expression], ...]], ...]
    others: tuple[tuple[int, Expression], ...]


class ChosenSpeeds(FreeSpeeds):
    """u = Y(q) q' and q' = W(q) u of a placed tree, in the graph and with the sines and cosines of ``turns``, at rest.

    ``speeds_from_rates`` is Y, ``rates_from_speeds`` is W: rows of Expressions, rates in coordinate order; ``q`` are the
    coordinates, in metres and radians.  Raises ModelError when the speeds are not as many as the coordinates, name unknown
    joints or bodies, or do not determine the rates in any configuration.
    """

    one_to_one = False

    def __init__(self, turns: Motion, speeds: Sequence[GeneralizedSpeed], q: Vector) -> None:
        self.turns, self.graph, self.zero, self.q = turns, turns.graph, turns.zero, tuple(q)
        self.speeds = resolve(turns.tree, speeds)
        n = len(self.speeds)
        self._algebra = TrigonometricAlgebra(turns.graph, turns.sine, turns.cosine, self._values())
        rows = [self._row(r) for r in range(n)]
        self.speeds_from_rates = tuple(
            tuple(self._algebra.expression(entry) for entry in row) for row in rows
        )
        self._plain = {s.coordinate: r for r, s in enumerate(self.speeds) if s.coordinate is not None}
        self._sides = [r for r, s in enumerate(self.speeds) if s.coordinate is None]
        self._steps = self._solution(rows)
        columns = [self.solve([constant(turns.graph, int(r == s)) for r in range(n)]) for s in range(n)]
        self.rates_from_speeds: tuple[tuple[Expression, ...], ...] = vec.transpose(columns)

    def solve(
        self, right: Sequence[Expression], offset: Mapping[int, Expression] | None = None
    ) -> list[Expression]:
        """The x with Y x = right - offset, in coordinate order; ``offset`` goes by speed, zero where absent.

        With right = u it is q' (eq 12); with right = u' and offset = Y' q' it is q''.
        """
        x: dict[int, Expression] = {c: right[r] for c, r in self._plain.items()}
        side = {}
        for r in self._sides:
            terms = [right[r], *(-self.speeds_from_rates[r][c] * x[c] for c in self._plain)]
            if offset is not None and r in offset:
                terms.append(-offset[r])
            side[r] = self.turns.sum(terms)
        for step in self._steps:
            terms = [
                self.turns.sum([numerator * side[r] for r, numerator in parts]) * reciprocal
                for reciprocal, parts in step.quotients
            ]
            terms += [-factor * x[y] for y, factor in step.others]
            x[step.coordinate] = self.turns.sum(terms)
        return [x[c] for c in range(len(self.speeds))]

    def defined(self, body: int, k: int) -> tuple[int, Expression] | None:
        """r and f, where component k of the body's angular velocity is f u_r by definition (eq 18), or None."""
        for r, speed in enumerate(self.speeds):
            angular = speed.coordinate is None and speed.point is None
            if angular and speed.body == body and speed.axis() == k:
                return r, 1 / self.turns.number(speed.direction[k])
        return None

    # -- what kernels ask of any map (motion_map.py) -----------------------------------------------------------------

    @property
    def carried(self) -> str:
        """What to say of a kernel's source: nothing where the speeds are the rates of the joints."""
        return ", carried to the speeds" if self._sides else ""

    @property
    def rates_from(self) -> str:
        """What rates of the coordinates are derived from."""
        return "equations of velocity" if self._sides else "definition of the joint rates"

    def placements(self) -> Mapping[str, Expression]:
        """None: there are no ball joints."""
        return {}

    def motion(self, v: Vector | None = None, a: Vector | None = None) -> TreeMotion:
        """The motion of the tree for speeds and their derivatives."""
        if v is None:
            return TreeMotion(self.q)
        return TreeMotion(self.q, self.solve(v), None if a is None else self.accelerations(v, a))

    def accelerations(
        self, v: Vector, a: Vector, turning: Callable[[int, int], Expression] | None = None
    ) -> list[Expression]:
        """q'' from Y q'' = u' - Y' q'.

        For a speed w . d, with d fixed in the body, the component of Y' q' is the angular acceleration along d that the
        body would have with all q'' zero: ``turning`` may give its components in the body's axes, by body and axis.  Other
        rows of Y, and all without it, are differentiated.
        """
        offset = {}
        for r in self._sides:
            speed = self.speeds[r]
            if speed.point is not None or turning is None:
                offset[r] = self._changing(r, v)
            else:
                along = [(k, self.turns.number(d)) for k, d in enumerate(speed.direction) if d != 0]
                offset[r] = self.turns.sum([d * turning(speed.body, k) for k, d in along])
        return self.solve(a, offset)

    def _changing(self, r: int, v: Vector) -> Expression:
        """Component r of Y' q'."""
        rates = self.solve(v)
        along = Tangents(self.graph, dict(zip(self.q, rates, strict=True)))
        row = self.speeds_from_rates[r]
        return self.turns.sum([along.first(y) * rate for y, rate in zip(row, rates, strict=True)])

    def coordinate_rates(self, v: Vector) -> list[Expression]:
        """q' = W u (eqs 8 - 12)."""
        return self.solve(v)

    def columns(self) -> Rows:
        """W."""
        return self.rates_from_speeds

    def unit_rates(self) -> Rows:
        """The columns of W."""
        return vec.transpose(self.rates_from_speeds)

    def on_speeds(self, forces: Vector) -> list[Expression]:
        """tau = W^T Q."""
        return list(vec.apply_total(self.graph, vec.transpose(self.rates_from_speeds), forces))

    def on_coordinates(self, tau: Vector) -> list[Expression]:
        """Q = Y^T tau (eq 126)."""
        return list(vec.apply_total(self.graph, vec.transpose(self.speeds_from_rates), tau))

    def on_both_sides(self, matrix: Sequence[Vector]) -> Rows:
        """W^T M W of a symmetric matrix M."""
        columns = vec.transpose(self.rates_from_speeds)
        half = [vec.apply_total(self.graph, matrix, column) for column in columns]
        return vec.multiply_symmetric_total(self.graph, columns, half)

    def rate_of_rows(self, rates: Rows, rows: Callable[[], Rows], v: Vector) -> Rows:
        """dA/dt W + A dW/dt."""
        qdot = dict(zip(self.q, self.solve(v), strict=True))
        return rates_through(self.graph, self.rates_from_speeds, qdot, rates, rows())

    def coriolis(
        self, c: Rows, mass_matrix: Callable[[], Rows], v: Vector, rotors: Mapping[str, Value]
    ) -> Rows:
        """W^T (C W + M dW/dt)."""
        columns = vec.transpose(self.rate_of_rows(c, mass_matrix, v))
        return vec.transpose([self.on_speeds(column) for column in columns])

    def changes(self, forces: TreeForces, steps: Vector) -> Mapping[Expression, Vector]:
        """Nothing."""
        return {}

    # -- the equations and their solution --------------------------------------------------------------------

    def _values(self) -> list[Expression]:
        """Everything that the equations are made of beside the sines and cosines: what is fixed, and slides."""
        turns, number = self.turns, self.turns.number
        values = [x for i in range(len(turns.tree.bodies)) for row in turns.rotation(i) for x in row]
        values += [number(x) for speed in self.speeds for x in speed.direction]
        if points := [speed.point for speed in self.speeds if speed.point is not None]:
            values += [number(x) for point in points for x in point]
            values += [number(x) for body in turns.tree.bodies for x in body.position]
            values += [x for x, body in zip(turns.q, turns.tree.bodies, strict=True) if not body.revolute]
        return values

    def _row(self, r: int) -> list[Polynomial]:
        """Y_r1 ... Y_rn: the direction of u_r carried inwards and dotted with each joint axis it meets."""
        speed, algebra, turns = self.speeds[r], self._algebra, self.turns
        row = [algebra.zero] * len(self.speeds)
        if speed.coordinate is not None:
            row[speed.coordinate] = algebra.one
            return row
        d = self._constant(speed.direction)
        p = None if speed.point is None else self._constant(speed.point)
        i = speed.body
        while i != speed.reference:
            body = turns.tree.bodies[i]
            row[body.coordinate] = algebra.normal(self._along(body, d, p) * body.sense)
            rotation = [[algebra.value(x) for x in components] for components in turns.rotation(i)]
            d = [algebra.normal(vec.dot(components, self._moved(i, d))) for components in rotation]
            if p is not None:
                p = self._moved(i, p)
                if not body.revolute:
                    p[body.axis] += algebra.value(turns.q[i])
                fixed = self._constant(body.position)
                p = [algebra.normal(x + vec.dot(c, p)) for x, c in zip(fixed, rotation, strict=True)]
            i = body.parent
        return row

    def _along(self, body: PlacedBody, d: Sequence[Polynomial], p: Sequence[Polynomial] | None) -> Polynomial:
        """What a unit rate about or along the axis e of a body's joint makes along d: of the angular velocity, or of the
        velocity of the point p, where it is d . (e x p) = e . (p x d) for a turn.
        """
        k, a, b = body.axis, (body.axis + 1) % 3, (body.axis + 2) % 3
        if p is None:
            return d[k] if body.revolute else self._algebra.zero
        return p[a] * d[b] - p[b] * d[a] if body.revolute else d[k]

    def _moved(self, i: int, vector: Sequence[Polynomial]) -> list[Polynomial]:
        """A vector given in body i's axes, in those of its joint frame."""
        body, turned = self.turns.tree.bodies[i], list(vector)
        if body.revolute:
            a, b = (body.axis + 1) % 3, (body.axis + 2) % 3
            s, c = self._algebra.sines[i], self._algebra.cosines[i]
            turned[a], turned[b] = c * vector[a] - s * vector[b], s * vector[a] + c * vector[b]
        return turned

    def _constant(self, vector: Sequence[Value]) -> list[Polynomial]:
        return [self._algebra.value(self.turns.number(x)) for x in vector]

    def _solution(self, rows: Sequence[Sequence[Polynomial]]) -> list[_Step]:
        """Steps that give the rates which are not speeds; each uses only rates of earlier steps."""
        sides = list(self._sides)
        unknowns = [c for c in range(len(rows)) if c not in self._plain]
        last: list[_Step] = []
        while (found := self._lone(rows, sides, unknowns)) is not None:
            r, x = found
            sides.remove(r)
            unknowns.remove(x)
            pivot = rows[r][x].LC
            expression = self._algebra.expression
            others = tuple((y, expression(rows[r][y].quo_ground(pivot))) for y in unknowns if rows[r][y] != 0)
            own = ((r, expression(self._algebra.one.quo_ground(pivot))),)
            last.insert(0, _Step(x, ((constant(self.turns.graph, 1), own),), others))
        return self._by_determinants(rows, sides, unknowns) + last

    @staticmethod
    def _lone(
        rows: Sequence[Sequence[Polynomial]], sides: Sequence[int], unknowns: Sequence[int]
    ) -> tuple[int, int] | None:
        """An equation and an unknown that stands in it alone, with a number as coefficient."""
        for x in unknowns:
            where = [r for r in sides if rows[r][x] != 0]
            if len(where) == 1 and rows[where[0]][x].is_ground:
                return where[0], x
        return None

    def _by_determinants(
        self, rows: Sequence[Sequence[Polynomial]], sides: Sequence[int], unknowns: Sequence[int]
    ) -> list[_Step]:
        """Cramer's rule for the unknowns in the equations ``sides``."""
        if not unknowns:
            return []
        matrix = [[rows[r][x] for x in unknowns] for r in sides]
        determinant = self._algebra.determinant(matrix)
        if determinant == 0:
            raise ModelError(
                "generalized speeds",
                "do not determine the joint rates in any configuration",
                "speeds that can be solved for the rates",
                "Take other components of angular velocity, or the rates of the joints themselves.",
            )
        steps = []
        for x, unknown in enumerate(unknowns):
            parts: dict[Polynomial, list[tuple[int, Expression]]] = {}
            for y, r in enumerate(sides):
                minor = [[*row[:x], *row[x + 1 :]] for row in (*matrix[:y], *matrix[y + 1 :])]
                cofactor = self._algebra.determinant(minor) * (-1) ** (x + y)
                numerator, denominator = self._algebra.quotient(cofactor, determinant)
                if numerator != 0:
                    parts.setdefault(denominator, []).append((r, self._algebra.expression(numerator)))
            quotients = [(1 / self._algebra.expression(bottom), tuple(top)) for bottom, top in parts.items()]
            steps.append(_Step(unknown, tuple(quotients), ()))
        return steps
