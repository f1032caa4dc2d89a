"""Whether two points of a mechanism can come close, and their difference written so that it keeps its digits there.

Near q = 0 the square of a distance 2 r sin(q / 2) may be had from 2 r^2 - 2 r^2 cos q, which loses all its digits, or as a
sum of squares of differences, which loses none.  The first is cheaper and right where the points stay apart.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kanegen.codegen.graph import Expression, Graph, Kind, Ref
from kanegen.codegen.mechanism.constraints import SpringDamper, TranslationalSpringDamper
from kanegen.codegen.mechanism.force_elements import ForceElement, lines_of, slack_where_ends_meet
from kanegen.codegen.mechanism.records import BASE, Joint, JointKind, Mechanism, Value, Vector3
from kanegen.codegen.mechanism.values import Lift

FloatArray = NDArray[Any]

GROWTH = 256
"""How many times the square of the least distance the terms may be that a square of the distance is expanded into.

So many units in the last place an expanded square may lose: eight binary digits, a hundredth of what certificates allow.
"""


def collected(x: Expression) -> Expression:
    """The same value as one sum: numbers in it are added up exactly, and equal terms meet."""
    graph = x.graph
    terms: list[Ref] = []
    stack = [(Fraction(1), x.ref)]
    while stack:
        factor, ref = stack.pop()
        coefficient, base = graph.split_coefficient(ref)
        if graph.kind(base) is Kind.SUM:
            stack.extend((factor * coefficient, operand) for operand in reversed(graph.operands(base)))
        else:
            terms.append(graph.scale(factor, ref))
    return Expression(graph, graph.sum(terms))


def on_fixed_line(apart: Sequence[Expression]) -> tuple[Expression, Fraction] | None:
    """x and e . e where a vector is x e with numbers e; None where it is not, as far as its terms show.

    A whole sum counts as its terms.
    """
    graph, found = apart[0].graph, [_linear(x) for x in apart]
    first = next((k for k, terms in enumerate(found) if terms), None)
    if first is None:
        return None
    base = next(iter(found[first]))
    shares = [terms.get(base, Fraction(0)) / found[first][base] for terms in found]
    for share, terms in zip(shares, found, strict=True):
        wanted = {key: share * number for key, number in found[first].items()} if share else {}
        if terms != wanted:
            return None
    return Expression(graph, apart[first].ref), sum((share * share for share in shares), Fraction(0))


def _linear(x: Expression) -> dict[Ref, Fraction]:
    """Numbers by the terms that they multiply; the graph's 1 stands for a number alone."""
    graph = x.graph
    ref = x.ref
    if graph.kind(ref) is Kind.WHOLE:
        ref = graph.operands(ref)[0] if ref > 0 else -graph.operands(ref)[0]
    terms = graph.operands(ref) if graph.kind(ref) is Kind.SUM else (ref,)
    sign = -1 if ref < 0 and graph.kind(ref) is Kind.SUM else 1
    found: dict[Ref, Fraction] = {}
    for term in terms:
        if graph.is_constant(term):
            if term != graph.zero:
                found[graph.one] = graph.value(term) * sign
        else:
            coefficient, base = graph.split_coefficient(term)
            found[base] = coefficient * sign
    return found


def may_meet(mechanism: Mechanism, first: str, second: str, lift: Lift) -> bool:
    """Whether the origins of two named frames can come so close that an expanded square of their distance loses digits.

    Joints between the two make them the ends of a polygon; where none slides its sides have fixed lengths, and the ends
    stay at least as far apart as the longest side exceeds all others together.  One hinge alone turns one end on a circle,
    which is exact.  Where a length is not known, because a joint slides or parameters are live, the two may meet.
    """
    try:
        nearest, sides = _Walk(mechanism, lift.into(Graph())).between(first, second)
    except _UnknownError:
        return True
    return sum(x * x for x in sides) > GROWTH * nearest * nearest


def undirected_springs(mechanism: Mechanism, live: bool) -> list[SpringDamper]:
    """Springs and elements between points, with a rest length or a damper, whose ends may meet: no direction there."""
    return list(dict.fromkeys(spring for spring, _, _ in _that_may_meet(mechanism, live)))


def meeting_ends(mechanism: Mechanism, live: bool) -> list[tuple[str, str, str]]:
    """The names of ``undirected_springs``, and two frames that may meet, where that leaves them without a force."""
    numbers = {p.name: float(p.value) for p in mechanism.parameters}
    return [
        (spring.name, first, second)
        for spring, first, second in _that_may_meet(mechanism, live)
        if not (isinstance(spring, ForceElement) and slack_where_ends_meet(spring, numbers))
    ]


def _that_may_meet(mechanism: Mechanism, live: bool) -> Iterator[tuple[SpringDamper, str, str]]:
    lift = Lift(Graph(), mechanism.parameters, live=live)
    for spring in mechanism.springs:
        if isinstance(spring, TranslationalSpringDamper) and (
            lift(spring.damping).is_zero and (lift(spring.rest).is_zero or lift(spring.stiffness).is_zero)
        ):
            continue
        for first, second in lines_of(spring):
            if may_meet(mechanism, first, second, lift):
                yield spring, first, second


def by_direction(mechanism: Mechanism, live: bool) -> tuple[Mechanism, Mechanism]:
    """The mechanism with the springs whose forces have a direction everywhere, and with the others."""
    undirected = undirected_springs(mechanism, live)
    directed = tuple(spring for spring in mechanism.springs if spring not in undirected)
    return replace(mechanism, springs=directed), replace(mechanism, springs=tuple(undirected))


class _UnknownError(Exception):
    """A length that is not a number."""


@dataclass(frozen=True)
class _Stop:
    """A point on the way to the base, in the child frame of a joint, and the axes of the child frame of the stop before.

    ``joint`` is None at the base.
    """

    joint: Joint | None
    point: FloatArray
    axes: FloatArray


class _Walk:
    """Ways between points, along the joints, in doubles."""

    def __init__(self, mechanism: Mechanism, lift: Lift) -> None:
        self.mechanism, self.lift = mechanism, lift
        self.above = {joint.child: joint for joint in mechanism.joints}
        self.held = mechanism.steady_joints

    def between(self, first: str, second: str) -> tuple[float, list[float]]:
        """The least distance of two frames' origins [m], or a lower bound, and the lengths of which it is a difference."""
        one, two = self._stops(first), self._stops(second)
        while len(one) > 1 and len(two) > 1 and one[-2].joint is two[-2].joint:
            one.pop()  # what both hang on
            two.pop()
        passed = [*one[:-1], *two[:-1]]
        if any(stop.joint is None or stop.joint.kind is not JointKind.REVOLUTE for stop in passed):
            raise _UnknownError
        if len(passed) == 1:
            turned, still = (one, two) if len(one) > 1 else (two, one)
            return self._about_one_hinge(turned[0], turned[1], still[0].point)
        sides = [_length(stop.point) for stop in passed]
        sides.append(_length(one[-1].point - two[-1].point))
        return max(0.0, 2 * max(sides) - sum(sides)), sides

    def _about_one_hinge(self, carried: _Stop, hinge: _Stop, still: FloatArray) -> tuple[float, list[float]]:
        """From how far the two points are from the axis, and how far apart along it."""
        assert carried.joint is not None, "a stop at a hinge"
        axis = np.array([self._number(x) for x in carried.joint.axis])
        ends = (carried.point, hinge.axes.T @ (still - hinge.point))
        along = [float(axis @ end) for end in ends]
        radii = [_length(end - x * axis) for end, x in zip(ends, along, strict=True)]
        return float(np.hypot(radii[0] - radii[1], along[0] - along[1])), radii

    def _stops(self, name: str) -> list[_Stop]:
        """From a frame's origin to the base: a stop at every joint that moves, and one at the base."""
        frame = self.mechanism.frame(name)
        body, point, axes = frame.body, self._vector(frame.position), np.eye(3)
        found = []
        while body != BASE:
            joint = self.above[body]
            turn, shift = (
                np.array([self._vector(row) for row in joint.rotation]),
                self._vector(joint.position),
            )
            if joint.kind is JointKind.FIXED or joint.name in self.held:
                point, axes = turn @ point + shift, turn @ axes
            else:
                found.append(_Stop(joint, point, axes))
                point, axes = shift, turn
            body = joint.parent
        return [*found, _Stop(None, point, axes)]

    def _vector(self, values: Vector3) -> FloatArray:
        return np.array([self._number(x) for x in values])

    def _number(self, value: Value) -> float:
        found = self.lift(value)
        if not found.is_number:
            raise _UnknownError
        return float(found.value)


def _length(v: FloatArray) -> float:
    return float(np.sqrt(v @ v))
