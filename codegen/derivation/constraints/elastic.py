"""Springs and dampers: the generalized forces with which they resist, and the energy that they store."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from kanegen.codegen.derivation.constraints.chains import Chains
from kanegen.codegen.graph import Expression, constant, partial, total
from kanegen.codegen.mechanism.constraints import SpringDamper, TorsionalSpringDamper
from kanegen.codegen.mechanism.records import Mechanism
from kanegen.codegen.mechanism.values import Lift


class Elastic:
    """The springs and dampers of a mechanism with coordinates ``q``, inputs of the graph of ``lift``."""

    def __init__(self, mechanism: Mechanism, q: Sequence[Expression], lift: Lift) -> None:
        self.mechanism, self.q, self.lift, self.graph = mechanism, tuple(q), lift, lift.graph
        zero = constant(self.graph, 0)
        known = dict(zip(mechanism.coordinates, q, strict=True)) | {
            p.joint: zero for p in mechanism.prescribed
        }
        self._known, self._chains = known, Chains(mechanism, known, lift)
        self._slopes = [partial(self.graph, x) for x in self.q]

    def forces(self, qdot: Sequence[Expression] | None) -> list[Expression]:
        """What the drives must supply on each coordinate to overcome springs and, where rates are given, dampers."""
        terms: list[list[Expression]] = [[] for _ in self.q]
        for spring in self.mechanism.springs:
            length, slope = self._length(spring)
            pull = self.lift(spring.stiffness) * (length - self.lift(spring.rest))
            if qdot is not None:
                rate = total(self.graph, [s * r for s, r in zip(slope, qdot, strict=True)])
                pull = pull + self.lift(spring.damping) * rate
            for j, s in enumerate(slope):
                if not s.is_zero:
                    terms[j].append(pull * s)
        return [total(self.graph, t) for t in terms]

    def energy(self) -> Expression:
        """Energy stored in the springs."""
        terms = []
        for spring in self.mechanism.springs:
            stretch = self._length(spring)[0] - self.lift(spring.rest)
            terms.append(self.lift(spring.stiffness) * stretch * stretch * Fraction(1, 2))
        return total(self.graph, terms)

    def _length(self, spring: SpringDamper) -> tuple[Expression, list[Expression]]:
        """Length or angle of a spring, and its derivatives with respect to the coordinates."""
        if isinstance(spring, TorsionalSpringDamper):
            length = self._known[spring.joint]
        else:
            length = self._chains.distance(spring.first, spring.second)
        return length, [slope.first(length) for slope in self._slopes]
