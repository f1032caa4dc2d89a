"""Springs and dampers: the generalized forces with which they resist, and the energy that they store.

Between two points, d the vector from one to the other and l its length, a spring of stiffness k and rest length r needs
the generalized forces (k - k r / l) d . dd/dq, and a damper c (d . dd/dt / l^2) d . dd/dq.  So a spring of rest length zero
has neither root nor division: its force is that of k / 2 d . d, also where the points meet.  The others have no direction
there, with one exception: on a fixed line d = x e the damper is one on x.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from kanegen.codegen.derivation.constraints.chains import Chains, dot
from kanegen.codegen.derivation.constraints.separation import on_fixed_line
from kanegen.codegen.graph import Expression, constant, partial, total
from kanegen.codegen.graph import linear as vec
from kanegen.codegen.mechanism.constraints import (
    SpringDamper,
    TorsionalSpringDamper,
    TranslationalSpringDamper,
)
from kanegen.codegen.mechanism.records import Mechanism
from kanegen.codegen.mechanism.values import Lift


class Elastic:
    """The springs and dampers of a mechanism with coordinates ``q``, inputs of the graph of ``lift``."""

    def __init__(self, mechanism: Mechanism, q: Sequence[Expression], lift: Lift) -> None:
        self.mechanism, self.q, self.lift, self.graph = mechanism, tuple(q), lift, lift.graph
        self._zero = zero = constant(self.graph, 0)
        known = dict(zip(mechanism.coordinates, q, strict=True)) | {
            p.joint: zero for p in mechanism.prescribed
        }
        self._known, self._chains = known, Chains(mechanism, known, lift)
        self._slopes = [partial(self.graph, x) for x in self.q]

    def forces(self, qdot: Sequence[Expression] | None) -> list[Expression]:
        """What the drives must supply on each coordinate to overcome springs and, where rates are given, dampers."""
        terms: list[list[Expression]] = [[] for _ in self.q]
        for spring in self.mechanism.springs:
            acting = (
                self._on_joint(spring, qdot)
                if isinstance(spring, TorsionalSpringDamper)
                else self._between_points(spring, qdot)
            )
            for at, force in zip(terms, acting, strict=True):
                if not force.is_zero:
                    at.append(force)
        return [total(self.graph, t) for t in terms]

    def energy(self) -> Expression:
        """Energy stored in the springs."""
        terms = []
        for spring in self.mechanism.springs:
            terms.append(self.lift(spring.stiffness) * self._stretch_squared(spring) * Fraction(1, 2))
        return total(self.graph, terms)

    def _stretch_squared(self, spring: SpringDamper) -> Expression:
        rest = self.lift(spring.rest)
        if isinstance(spring, TorsionalSpringDamper):
            stretch = self._known[spring.joint] - rest
        else:
            apart = self._chains.apart(spring.first, spring.second, divides=not rest.is_zero)
            if rest.is_zero:
                return dot(apart, apart)
            stretch = dot(apart, apart).square_root() - rest
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
        apart = self._chains.apart(spring.first, spring.second, divides)
        along = [dot(apart, tuple(slope.first(x) for x in apart)) for slope in self._slopes]
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
            whole = dot(apart, apart)
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

    def _rate(self, slope: Sequence[Expression], qdot: Sequence[Expression]) -> Expression:
        return vec.dot_total(self.graph, slope, qdot)
