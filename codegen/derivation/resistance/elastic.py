"""Springs and dampers: the generalized forces with which they resist, and the energy that they store.

Between two points, d the vector from one to the other and l its length, a spring of stiffness k and rest length r needs
the generalized forces (k - k r / l) d . dd/dq, and a damper c (d . dd/dt / l^2) d . dd/dq.  So a spring of rest length zero
has neither root nor division: its force is that of k / 2 d . d, also where the points meet.  The others have no direction
there, with one exception: on a fixed line d = x e the damper is one on x.

Derivatives of forces of springs with a direction u = d / l are not those of their formulas where l may vanish: these
are differences of terms that grow as 1 / l.  With J_i = dd/dq_i and H_ij = dJ_i/dq_j,

    du/dq_j . J_i = (J_i . J_j - (u . J_i) (u . J_j)) / l = (u x J_i) . (u x J_j) / l,

and what is across the line is small where the points part along it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from kanegen.codegen.derivation.motion_maps.chains import Chains, dot
from kanegen.codegen.derivation.resistance.displacements import needs_all_digits, separation
from kanegen.codegen.derivation.resistance.separation import on_fixed_line
from kanegen.codegen.graph import Expression, compose, constant, partial, total
from kanegen.codegen.graph import linear as vec
from kanegen.codegen.mechanism.constraints import TorsionalSpringDamper, TranslationalSpringDamper
from kanegen.codegen.mechanism.force_elements import (
    Bushing,
    ForceElement,
    coordinates_of,
    lines_of,
    slack_where_ends_meet,
)
from kanegen.codegen.mechanism.records import Mechanism, Value
from kanegen.codegen.mechanism.values import Lift

Rows = list[list[Expression]]


@dataclass(frozen=True)
class _Stretch:
    """A displacement, and its derivative by each coordinate."""

    value: Expression
    slopes: list[Expression]


class Elastic:
    """The springs and dampers of a mechanism with coordinates ``q``, inputs of the graph of ``lift``."""

    def __init__(self, mechanism: Mechanism, q: Sequence[Expression], lift: Lift) -> None:
        self.mechanism, self.q, self.lift, self.graph = mechanism, tuple(q), lift, lift.graph
        self._zero = zero = constant(self.graph, 0)
        known = dict(zip(mechanism.coordinates, q, strict=True))
        known |= dict.fromkeys(mechanism.prescribed_joints, zero)
        self._known, self._chains = known, Chains(mechanism, known, lift)
        self._slopes = [partial(self.graph, x) for x in self.q]
        self._numbers = {p.name: float(p.value) for p in mechanism.parameters}

    def forces(self, qdot: Sequence[Expression] | None) -> list[Expression]:
        """What the drives must supply on each coordinate to overcome springs and, where rates are given, dampers."""
        terms: list[list[Expression]] = [[] for _ in self.q]
        for spring in self.mechanism.springs:
            if isinstance(spring, Bushing):
                acting = self._by_deformation(spring, qdot)
            elif isinstance(spring, ForceElement):
                acting = self._by_law(spring, qdot)
            elif isinstance(spring, TorsionalSpringDamper):
                acting = self._on_joint(spring, qdot)
            else:
                acting = self._between_points(spring, qdot)
            for at, force in zip(terms, acting, strict=True):
                if not force.is_zero:
                    at.append(force)
        return [total(self.graph, t) for t in terms]

    def energy(self) -> Expression:
        """Energy stored in the springs."""
        terms = []
        for spring in self.mechanism.springs:
            if isinstance(spring, Bushing):
                u = self._deformation(spring)
                pull = vec.apply_total(self.graph, self._lifted(spring.stiffness), u)
                terms.append(vec.dot_total(self.graph, pull, u) * Fraction(1, 2))
                continue
            if isinstance(spring, ForceElement):
                stored, _, _ = self._law(spring, self._stretch(spring).value, self._zero)
                terms.append(stored)
                continue
            terms.append(self.lift(spring.stiffness) * self._stretch_squared(spring) * Fraction(1, 2))
        return total(self.graph, terms)

    def derivatives(self, qdot: Sequence[Expression]) -> tuple[Rows, Rows]:
        """Derivatives of ``forces`` by q and by dq/dt for force elements, and springs between points with a direction."""
        by_q, by_rates = (vec.zero_matrix(self.graph, len(self.q), len(self.q)) for _ in range(2))
        for spring in self.mechanism.springs:
            if isinstance(spring, Bushing):
                found = self._derivatives_by_deformation(spring, qdot)
            elif isinstance(spring, ForceElement):
                found = self._derivatives_by_law(spring, qdot)
            else:
                assert isinstance(spring, TranslationalSpringDamper), "those on joints have a direction"
                found = self._derivatives_between(spring, qdot)
            for (i, j), (k, c) in found.items():
                by_q[i][j], by_rates[i][j] = by_q[i][j] + k, by_rates[i][j] + c
        return by_q, by_rates

    def _derivatives_between(
        self, spring: TranslationalSpringDamper, qdot: Sequence[Expression]
    ) -> dict[tuple[int, int], tuple[Expression, Expression]]:
        """Derivatives of the force on coordinate i by q_j and its rate, by i and j."""
        graph = self.graph
        stiffness, rest, damping = map(self.lift, (spring.stiffness, spring.rest, spring.damping))
        way = separation(self._chains, spring.first, spring.second)
        still = (self._zero,) * 3
        line = None if damping.is_zero else on_fixed_line(way.vector)
        shift = {j: self._zero if line is None else self._slopes[j].first(line[0]) for j in way.first}
        beside = self._zero if line is None else damping * line[1]
        if line is not None:
            damping = self._zero
        share = 1 / way.square.square_root()
        unit = vec.scale(share, way.vector)
        pulled = stiffness * rest
        pull = stiffness - pulled * share
        along = {j: share * x for j, x in way.along.items()}
        across = {j: vec.cross(unit, column) for j, column in way.first.items()}
        rates = {j: qdot[j] for j in way.first}
        moving = total(graph, [along[j] * rate for j, rate in rates.items()])
        turning = vec.add_total(graph, *(vec.scale(rate, across[j]) for j, rate in rates.items()))
        spread = total(graph, [shift[j] * rate for j, rate in rates.items()])

        def bend(i: int, j: int) -> vec.Vector:
            return way.second.get((i, j), still)

        # derivatives of u . dd/dt
        speeding = {
            j: total(graph, [dot(unit, bend(k, j)) * rate for k, rate in rates.items()])
            + dot(turning, across[j]) * share
            for j in way.first
        }
        found = {}
        for i, one in way.first.items():
            for j, other in way.first.items():
                turned = dot(across[i], across[j]) * share
                curved = self._slopes[j].first(shift[i])
                swing = [self._slopes[j].first(shift[k]) * rate for k, rate in rates.items()]
                by_q = [
                    stiffness * dot(one, other),
                    pull * dot(way.vector, bend(i, j)),
                    -pulled * turned,
                    damping * (speeding[j] * along[i] + moving * (dot(unit, bend(i, j)) + turned)),
                    beside * (total(graph, swing) * shift[i] + spread * curved),
                ]
                by_rate = damping * along[i] * along[j] + beside * shift[i] * shift[j]
                found[i, j] = total(graph, by_q), by_rate
        return found

    def _stretch_squared(self, spring: TorsionalSpringDamper | TranslationalSpringDamper) -> Expression:
        rest = self.lift(spring.rest)
        if isinstance(spring, TorsionalSpringDamper):
            stretch = self._known[spring.joint] - rest
        else:
            _, square, _ = self._way(spring.first, spring.second, divides=not rest.is_zero)
            if rest.is_zero:
                return square
            stretch = square.square_root() - rest
        return stretch * stretch

    def _on_joint(self, spring: TorsionalSpringDamper, qdot: Sequence[Expression] | None) -> list[Expression]:
        angle = self._known[spring.joint]
        pull = self.lift(spring.stiffness) * (angle - self.lift(spring.rest))
        slope = [s.first(angle) for s in self._slopes]
        if qdot is not None:
            pull = pull + self.lift(spring.damping) * self._rate(slope, qdot)
        return [pull * s for s in slope]

    def _between_points(
        self, spring: TranslationalSpringDamper, qdot: Sequence[Expression] | None
    ) -> list[Expression]:
        stiffness, rest = self.lift(spring.stiffness), self.lift(spring.rest)
        damping = self._zero if qdot is None else self.lift(spring.damping)
        resting = rest.is_zero or stiffness.is_zero
        divides = not (resting and damping.is_zero)
        apart, whole, along = self._way(spring.first, spring.second, divides)
        pull, beside = stiffness, self._zero  # on d . dd/dq, and on dx/dq along a fixed line
        line = on_fixed_line(apart)
        shift = [self._zero] * len(self.q)
        if line is not None and not damping.is_zero:
            x, square = line
            shift = [slope.first(x) for slope in self._slopes]
            assert qdot is not None, "there is a damper"
            beside = damping * self._rate(shift, qdot) * square
            damping = self._zero
        if not (resting and damping.is_zero):
            if resting:
                assert qdot is not None, "there is a damper"
                pull = pull + damping * self._rate(along, qdot) / whole
            else:
                share = 1 / whole.square_root()
                pulled = stiffness * rest
                if not damping.is_zero:
                    assert qdot is not None, "there is a damper"
                    pulled = pulled - damping * self._rate(along, qdot) * share
                pull = pull - pulled * share
        return [pull * a + beside * s for a, s in zip(along, shift, strict=True)]

    def _deformation(self, bushing: Bushing) -> vec.Vector:
        """u = (d, theta): with the axial vector x of R - R^T and the trace of R, theta is x (9 - trace) / 12."""
        pose = self._chains.relative(bushing.second, bushing.first)
        R = pose.rotation
        share = (9 - total(self.graph, [R[k][k] for k in range(3)])) / 12
        turned = [(R[k - 1][k - 2] - R[k - 2][k - 1]) * share for k in range(3)]
        return (*pose.position, *turned)

    def _lifted(self, matrix: Sequence[Sequence[Value]]) -> Rows:
        return [[self.lift(x) for x in row] for row in matrix]

    def _by_deformation(self, bushing: Bushing, qdot: Sequence[Expression] | None) -> list[Expression]:
        u = self._deformation(bushing)
        slopes = [[slope.first(x) for slope in self._slopes] for x in u]
        pull = vec.apply_total(self.graph, self._lifted(bushing.stiffness), u)
        if qdot is not None:
            rates = [self._rate(row, qdot) for row in slopes]
            pull = vec.add(pull, vec.apply_total(self.graph, self._lifted(bushing.damping), rates))
        return list(vec.apply_total(self.graph, vec.transpose(slopes), pull))

    def _derivatives_by_deformation(
        self, bushing: Bushing, qdot: Sequence[Expression]
    ) -> dict[tuple[int, int], tuple[Expression, Expression]]:
        forces = self._by_deformation(bushing, qdot)
        slopes = [[slope.first(x) for slope in self._slopes] for x in self._deformation(bushing)]
        damping = vec.multiply_total(self.graph, self._lifted(bushing.damping), slopes)
        damping = vec.multiply_total(self.graph, vec.transpose(slopes), damping)
        return {
            (i, j): (slope.first(force), damping[i][j])
            for i, force in enumerate(forces)
            for j, slope in enumerate(self._slopes)
        }

    def _by_law(self, element: ForceElement, qdot: Sequence[Expression] | None) -> list[Expression]:
        stretch = self._stretch(element)
        rate = self._zero if qdot is None else self._rate(stretch.slopes, qdot)
        _, force, resistance = self._law(element, stretch.value, rate)
        pull = force if qdot is None else force + resistance
        return [pull * slope for slope in stretch.slopes]

    def _law(self, element: ForceElement, s: Expression, rate: Expression) -> tuple[Expression, ...]:
        """Energy, force and resistance of an element."""
        known = {symbol.name: self.lift.parameter(symbol.name) for symbol in element.law.parameters}
        return element.law.expressions(s, rate, known)

    def _stretch(self, element: ForceElement) -> _Stretch:
        """The displacement of an element, and its derivatives by all coordinates."""
        on_joints = [self._known[joint] * self.lift(c) for joint, c in coordinates_of(element)]
        if on_joints:
            value = total(self.graph, on_joints)
            return _Stretch(value, [slope.first(value) for slope in self._slopes])
        lengths = []
        slopes: list[list[Expression]] = [[] for _ in self.q]
        for first, second in lines_of(element):
            _, square, along = self._way(first, second, divides=True)
            lengths.append(square.square_root())
            if all(x.is_zero for x in along):  # both ends on one body
                continue
            share_of = self._share(element, square)
            for terms, x in zip(slopes, along, strict=True):
                terms.append(share_of * x)
        return _Stretch(total(self.graph, lengths), [total(self.graph, terms) for terms in slopes])

    def _share(self, element: ForceElement, square: Expression) -> Expression:
        """1 / l of a line; none where its ends meet and the element is slack then."""
        share = 1 / square.square_root()
        if slack_where_ends_meet(element, self._numbers):
            return square.compared("<=", 0).selected(0, share)
        return share

    def _derivatives_by_law(
        self, element: ForceElement, qdot: Sequence[Expression]
    ) -> dict[tuple[int, int], tuple[Expression, Expression]]:
        """As ``_derivatives_between``: with s_i = ds/dq_i they are (f_s s_j + f_r dr/dq_j) s_i + f s_ij and f_r s_i s_j."""
        graph, stretch = self.graph, self._stretch(element)
        rate = self._rate(stretch.slopes, qdot)
        given = {"s": [stretch.value], "rate": [rate]}
        known = {symbol.name: self.lift.parameter(symbol.name) for symbol in element.law.parameters}
        _, (force,), (resistance,), (by_s,), (by_rate,) = compose(
            element.law.program(), graph, given, None, known
        )
        pull, bent = force + resistance, self._curvature(element)
        turning = {
            j: total(graph, [bent[i, j] * qdot[i] for i in range(len(self.q)) if (i, j) in bent])
            for j in range(len(self.q))
        }
        found = {}
        for i, one in enumerate(stretch.slopes):
            for j, other in enumerate(stretch.slopes):
                by_q = (by_s * other + by_rate * turning[j]) * one + pull * bent.get((i, j), self._zero)
                found[i, j] = by_q, by_rate * one * other
        return found

    def _curvature(self, element: ForceElement) -> dict[tuple[int, int], Expression]:
        """Second derivatives of the displacement, where they are not zero: sums of u . H_ij + (u x J_i) . (u x J_j) / l."""
        found: dict[tuple[int, int], Expression] = {}
        still = (self._zero,) * 3
        for pair in lines_of(element):
            way = separation(self._chains, *pair)
            share = self._share(element, way.square)
            unit = vec.scale(share, way.vector)
            across = {j: vec.cross(unit, column) for j, column in way.first.items()}
            for i in way.first:
                for j in way.first:
                    own = dot(unit, way.second.get((i, j), still)) + dot(across[i], across[j]) * share
                    found[i, j] = found.get((i, j), self._zero) + own
        return found

    def _way(self, first: str, second: str, divides: bool) -> tuple[vec.Vector, Expression, list[Expression]]:
        """d, d . d, and d . dd/dq for each coordinate."""
        if divides and needs_all_digits(self._chains, first, second):
            way = separation(self._chains, first, second)
            return way.vector, way.square, [way.along.get(j, self._zero) for j in range(len(self.q))]
        apart = self._chains.apart(first, second, divides)
        along = [dot(apart, tuple(slope.first(x) for x in apart)) for slope in self._slopes]
        return apart, dot(apart, apart), along

    def _rate(self, slope: Sequence[Expression], qdot: Sequence[Expression]) -> Expression:
        return vec.dot_total(self.graph, slope, qdot)
