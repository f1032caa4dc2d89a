"""Springs and dampers as forces on the bodies (section 4)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kanegen.codegen.derivation.euler_parameters.body_equations import applied
from kanegen.codegen.derivation.euler_parameters.body_system import BodySystem
from kanegen.codegen.derivation.euler_parameters.rows import dense
from kanegen.codegen.derivation.euler_parameters.states import SIZE, Point, States, apart
from kanegen.codegen.graph import Expression, total
from kanegen.codegen.graph import linear as vec
from kanegen.codegen.graph.linear import Expressions
from kanegen.codegen.mechanism.constraints import TorsionalSpringDamper, TranslationalSpringDamper
from kanegen.codegen.mechanism.force_elements import (
    Bushing,
    ForceElement,
    PathLength,
    coordinates_of,
    slack_where_ends_meet,
)


def needs_coordinates(s: BodySystem) -> bool:
    """Whether a spring acts on a joint: body coordinates do not tell how often a hinge has turned."""
    return any(coordinates_of(spring) for spring in s.mechanism.springs)


def spring_forces(s: BodySystem, states: States, q: Sequence[Expression]) -> list[Expressions]:
    """Generalized forces on all bodies, (7n,) for each spring and damper; ``q`` is used by those on joints."""
    drives = s.driving_rows(q) if q else []
    found = []
    for spring in s.mechanism.springs:
        assert not isinstance(spring, Bushing), "mechanisms with bushings have no body coordinates"
        if isinstance(spring, TranslationalSpringDamper):
            found.append(_between_points(s, states, spring))
        elif isinstance(spring, ForceElement) and isinstance(spring.displacement, PathLength):
            found.append(_along_path(s, states, spring, spring.displacement))
        elif stretch := _on_joints(s, states, spring, q, drives):
            value, gradient = stretch
            rate = vec.dot_total(s.graph, gradient, states.rates)
            lift = s.lift
            if isinstance(spring, ForceElement):
                pull = _pull(s, spring, value, rate)
            else:
                pull = lift(spring.stiffness) * (value - lift(spring.rest)) + lift(spring.damping) * rate
            found.append(vec.scale(-pull, gradient))
    return found


def _on_joints(
    s: BodySystem,
    states: States,
    spring: TorsionalSpringDamper | ForceElement,
    q: Sequence[Expression],
    drives: Sequence[Any],
) -> tuple[Expression, Expressions] | None:
    """The displacement of a spring on joints, and its gradient; None where all of them are held at zero.

    What holds a joint takes the spring's force there.
    """
    parts = []
    for joint, c in coordinates_of(spring):
        if joint in s.mechanism.coordinates:
            k = s.mechanism.coordinates.index(joint)
            # in a driven position the gradient of a drive is that of the coordinate, and times dx/dt the coordinate's rate
            parts.append((s.lift(c) * q[k], vec.scale(s.lift(c), dense(drives[k], states))))
    if not parts:
        return None
    return total(s.graph, [x for x, _ in parts]), list(vec.add_total(s.graph, *(g for _, g in parts)))


def _pull(s: BodySystem, element: ForceElement, value: Expression, rate: Expression) -> Expression:
    known = {symbol.name: s.lift.parameter(symbol.name) for symbol in element.law.parameters}
    _, force, resistance = element.law.expressions(value, rate, known)
    return force + resistance


def _along_path(s: BodySystem, states: States, element: ForceElement, path: PathLength) -> Expressions:
    """A pull along each line of a path; none where its ends meet and the element is slack then."""
    graph = s.graph
    numbers = {p.name: float(p.value) for p in s.mechanism.parameters}
    slack = slack_where_ends_meet(element, numbers)
    lines, lengths, rates = [], [], []
    for pair in path.pairs:
        first, second = (s.point(name) for name in pair)
        line = apart(states, first, second)
        square = vec.dot_total(graph, line, line)
        length = square.square_root()
        share = square.compared("<=", 0).selected(0, 1 / length) if slack else 1 / length
        spreading = vec.dot_total(graph, line, vec.subtract(second.velocity(states), first.velocity(states)))
        lines.append((first, second, vec.scale(share, line)))
        lengths.append(length)
        rates.append(spreading * share)
    pull = _pull(s, element, total(graph, lengths), total(graph, rates))
    found = [s.zero] * len(states.x)
    for first, second, direction in lines:
        _add_pull(s, states, found, first, second, vec.scale(pull, direction))
    return found


def _between_points(s: BodySystem, states: States, spring: TranslationalSpringDamper) -> Expressions:
    """A pull along the line between two points.

    A damper, or a spring with a length at rest, has no direction where the points coincide.
    """
    lift, graph = s.lift, s.graph
    first, second = (s.point(name) for name in (spring.first, spring.second))
    line = apart(states, first, second)
    stiffness, damping, rest = lift(spring.stiffness), lift(spring.damping), lift(spring.rest)
    pull = stiffness
    if not (damping.is_zero and (rest.is_zero or stiffness.is_zero)):
        square = vec.dot_total(graph, line, line)
        length = square.square_root()
        spreading = vec.dot_total(graph, line, vec.subtract(second.velocity(states), first.velocity(states)))
        pull = stiffness - stiffness * rest / length + damping * spreading / square
    found = [s.zero] * len(states.x)
    _add_pull(s, states, found, first, second, vec.scale(pull, line))
    return found


def _add_pull(
    s: BodySystem, states: States, found: list[Expression], first: Point, second: Point, force: vec.Vector
) -> None:
    """A force on the first point, and its opposite on the second."""
    for point, share in ((first, force), (second, vec.scale(-1, force))):
        if point.body >= 0:
            at = SIZE * point.body
            part = applied(states, point.body, share, point.arm)
            found[at : at + SIZE] = [x + y for x, y in zip(found[at : at + SIZE], part, strict=True)]
