"""Effective damping and spring rate of a mechanism's springs and dampers, equations (18) to (25).

Loads are counted as in the paper: those that the springs and dampers oppose to a motion, which the drives must supply.
Springs whose ends may meet are taken as elsewhere (resistance/elastic.py), since H of a length grows as its inverse, and so
are force elements with laws of their own; their effective damping is that at rest.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from kanegen.codegen.derivation.influence_coefficients.arrays import (
    Matrix,
    Vector,
    generalized_dot,
    zero_array,
)
from kanegen.codegen.derivation.influence_coefficients.coefficients import Influence, point_influence
from kanegen.codegen.derivation.recursive.kinematics import Kinematics, frames_of
from kanegen.codegen.derivation.resistance.elastic import Elastic
from kanegen.codegen.derivation.resistance.separation import by_direction
from kanegen.codegen.graph import Expression, constant, inputs
from kanegen.codegen.graph import linear as vec
from kanegen.codegen.mechanism.constraints import TorsionalSpringDamper, TranslationalSpringDamper
from kanegen.codegen.mechanism.force_elements import Bushing, ForceElement
from kanegen.codegen.mechanism.records import BASE, Frame, Mechanism
from kanegen.codegen.mechanism.values import Lift


@dataclass(frozen=True, slots=True)
class Element:
    """A spring or damper: its rate, its deformation parameters u and their influence coefficients."""

    rate: Expression
    deformation: Vector
    influence: Influence


class Springs:
    """The springs and dampers of a tree; ``live`` keeps their parameters symbols of the program."""

    def __init__(self, kinematics: Kinematics, mechanism: Mechanism, live: bool) -> None:
        self.kinematics = kinematics
        self.graph = kinematics.motion.graph
        self.size = len(kinematics.tree.bodies)
        self._lift = Lift(self.graph, mechanism.parameters, live=live)
        self.mechanism, undirected = _as_in_the_paper(mechanism, live)
        q = inputs(self.graph, "q", self.size)
        self._undirected = Elastic(undirected, q, self._lift) if undirected.springs else None

    def effective_damping(self) -> Matrix:
        """C* of (18), n x n."""
        terms = [self._directed_damping()]
        if self._undirected is not None:
            terms.append(self._undirected.derivatives(vec.zeros(self.graph, self.size))[1])
        return vec.matrix_add_total(self.graph, *terms)

    def _directed_damping(self) -> Matrix:
        terms: list[Matrix] = [vec.zero_matrix(self.graph, self.size, self.size)]
        for damper in self._dampers():
            G = damper.influence.G
            terms.append(vec.matrix_scale(damper.rate, vec.multiply_total(self.graph, vec.transpose(G), G)))
        return vec.matrix_add_total(self.graph, *terms)

    def effective_stiffness(self) -> Matrix:
        """K* of (25), n x n: the derivative of the springs' generalized forces (22)."""
        graph = self.graph
        terms: list[Matrix] = [vec.zero_matrix(graph, self.size, self.size)]
        for spring in self._springs():
            G, H = spring.influence.G, spring.influence.H
            terms.append(vec.matrix_scale(spring.rate, vec.multiply_total(graph, vec.transpose(G), G)))
            (bent,) = generalized_dot(graph, [vec.scale(spring.rate, spring.deformation)], H)
            terms.append(bent)
        if self._undirected is not None:
            terms.append(self._undirected.derivatives(vec.zeros(self.graph, self.size))[0])
        return vec.matrix_add_total(graph, *terms)

    def loads(self, rates: Vector) -> list[Expression]:
        """The sum of (19), for the rates of the coordinates, and (23)."""
        found = list(vec.apply_total(self.graph, self._directed_damping(), rates))
        for spring in self._springs():
            local = vec.scale(spring.rate, spring.deformation)  # (24)
            joint = vec.apply_total(self.graph, vec.transpose(spring.influence.G), local)
            found = [x + y for x, y in zip(found, joint, strict=True)]
        if self._undirected is not None:
            found = [x + y for x, y in zip(found, self._undirected.forces(rates), strict=True)]
        return found

    def _springs(self) -> list[Element]:
        found = []
        for record in self.mechanism.springs:
            assert not isinstance(record, ForceElement | Bushing), "laws are taken as elsewhere"
            rate, rest = self._lift(record.stiffness), self._lift(record.rest)
            if rate.is_zero:
                continue
            if isinstance(record, TorsionalSpringDamper):
                angle, influence = self._joint(record)
                found.append(Element(rate, [angle - rest], influence))
            elif rest.is_zero:
                # a pull along the line of length l with k l is a pull of k along each coordinate: regular where l vanishes
                found.append(Element(rate, *self._separation(record)))
            else:
                length, influence = self._length(record)
                found.append(Element(rate, [length - rest], influence))
        return found

    def _dampers(self) -> list[Element]:
        found = []
        for record in self.mechanism.springs:
            assert not isinstance(record, ForceElement | Bushing), "laws are taken as elsewhere"
            rate = self._lift(record.damping)
            if not rate.is_zero:
                if isinstance(record, TorsionalSpringDamper):
                    value, influence = self._joint(record)
                else:
                    value, influence = self._length(record)
                found.append(Element(rate, [value], influence))
        return found

    def _joint(self, record: TorsionalSpringDamper) -> tuple[Expression, Influence]:
        """The coordinate of a joint."""
        motion, bodies = self.kinematics.motion, self.kinematics.tree.bodies
        i = next(i for i, body in enumerate(bodies) if body.joint == record.joint)
        G = vec.zero_matrix(self.graph, 1, self.size)
        G[0][bodies[i].coordinate] = constant(self.graph, 1)
        return motion.q[i] * (1 / motion.to_unit(i)), Influence(G, zero_array(self.graph, 1, self.size))

    def _separation(self, record: TranslationalSpringDamper) -> tuple[Vector, Influence]:
        """Components in the base of the way from the first origin to the second."""
        ends = [self._point(name) for name in (record.first, record.second)]
        (first, first_influence), (second, second_influence) = ends
        H = [
            [list(vec.subtract(s, r)) for r, s in zip(one, other, strict=True)]
            for one, other in zip(first_influence.H, second_influence.H, strict=True)
        ]
        G = [list(vec.subtract(s, r)) for r, s in zip(first_influence.G, second_influence.G, strict=True)]
        return vec.subtract(second, first), Influence(G, H)

    def _length(self, record: TranslationalSpringDamper) -> tuple[Expression, Influence]:
        """The distance l of the two origins, where it does not vanish: l^2 = d . d, differentiated twice."""
        graph = self.graph
        d, separation = self._separation(record)
        length = vec.dot_total(graph, d, d).square_root()
        unit = [x / length for x in d]
        G = vec.multiply_total(graph, [unit], separation.G)
        turning = vec.multiply_total(graph, vec.transpose(separation.G), separation.G)
        own = vec.multiply_total(graph, vec.transpose(G), G)
        swing = [
            [(x - y) / length for x, y in zip(r, s, strict=True)] for r, s in zip(turning, own, strict=True)
        ]
        (bend,) = generalized_dot(graph, [unit], separation.H)
        return length, Influence(G, [vec.matrix_add_total(graph, bend, swing)])

    def _point(self, name: str) -> tuple[Vector, Influence]:
        frame = Frame(BASE, BASE) if name == BASE else self._frame(name)
        body, _, _ = self.kinematics.frame(frame)
        origin = [self.kinematics.frame_origin(frame, m) for m in range(3)]
        return origin, point_influence(self.kinematics, body, origin)

    def _frame(self, name: str) -> Frame:
        return next(frame for frame in frames_of(self.kinematics.tree) if frame.name == name)


def _as_in_the_paper(mechanism: Mechanism, live: bool) -> tuple[Mechanism, Mechanism]:
    """The mechanism with the springs and dampers that the paper's formulas suit, and with the others."""
    directed, undirected = by_direction(mechanism, live)
    own = tuple(s for s in directed.springs if not isinstance(s, ForceElement | Bushing))
    others = (*undirected.springs, *(s for s in directed.springs if isinstance(s, ForceElement | Bushing)))
    return replace(directed, springs=own), replace(undirected, springs=others)
