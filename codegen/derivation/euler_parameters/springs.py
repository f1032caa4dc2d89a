"""Springs and dampers as forces on the bodies (section 4)."""

from __future__ import annotations

from collections.abc import Sequence

from kanegen.codegen.derivation.euler_parameters.body_equations import applied
from kanegen.codegen.derivation.euler_parameters.body_system import BodySystem
from kanegen.codegen.derivation.euler_parameters.rows import dense
from kanegen.codegen.derivation.euler_parameters.states import SIZE, States, apart
from kanegen.codegen.graph import Expression
from kanegen.codegen.graph import linear as vec
from kanegen.codegen.graph.linear import Expressions
from kanegen.codegen.mechanism.constraints import TorsionalSpringDamper, TranslationalSpringDamper


def needs_coordinates(s: BodySystem) -> bool:
    """Whether a spring acts on a joint: body coordinates do not tell how often a hinge has turned."""
    return any(isinstance(spring, TorsionalSpringDamper) for spring in s.mechanism.springs)


def spring_forces(s: BodySystem, states: States, q: Sequence[Expression]) -> list[Expressions]:
    """Generalized forces on all bodies, (7n,) for each spring and damper; ``q`` is used by those on joints."""
    drives = s.driving_rows(q) if q else []
    found = []
    for spring in s.mechanism.springs:
        if isinstance(spring, TranslationalSpringDamper):
            found.append(_between_points(s, states, spring))
            continue
        if spring.joint not in s.mechanism.coordinates:
            continue  # on a joint held at zero: what holds it takes the spring's force
        k = s.mechanism.coordinates.index(spring.joint)
        # in a driven position the gradient of a drive is that of the coordinate, and times dx/dt the coordinate's rate
        gradient = dense(drives[k], states)
        rate = vec.dot_total(s.graph, gradient, states.rates)
        lift = s.lift
        pull = lift(spring.stiffness) * (q[k] - lift(spring.rest)) + lift(spring.damping) * rate
        found.append(vec.scale(-pull, gradient))
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
    force = vec.scale(pull, line)
    found = [s.zero] * len(states.x)
    for point, share in ((first, force), (second, vec.scale(-1, force))):
        if point.body >= 0:
            at = SIZE * point.body
            part = applied(states, point.body, share, point.arm)
            found[at : at + SIZE] = [x + y for x, y in zip(found[at : at + SIZE], part, strict=True)]
    return found
