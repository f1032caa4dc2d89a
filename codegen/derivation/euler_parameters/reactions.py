"""From multipliers to forces: actuators (29) to (36), and what joints exert."""

from __future__ import annotations

from collections.abc import Sequence

from kanegen.codegen.derivation.euler_parameters.body_equations import torque_of
from kanegen.codegen.derivation.euler_parameters.body_model import DriveKind
from kanegen.codegen.derivation.euler_parameters.body_system import BodySystem
from kanegen.codegen.derivation.euler_parameters.library import Place
from kanegen.codegen.derivation.euler_parameters.rows import Row
from kanegen.codegen.derivation.euler_parameters.states import States, apart
from kanegen.codegen.derivation.kernels.catalogue import (
    BODY_ACTUATOR_FORCES,
    JOINT_REACTIONS,
    STRUT_FORCES,
)
from kanegen.codegen.graph import Expression, Program
from kanegen.codegen.graph import linear as vec
from kanegen.codegen.graph.linear import Expressions


def actuator_forces(s: BodySystem) -> Program:
    """x, q, lambda -> tau: torques and forces on the coordinates from the multipliers of the driving constraints.

    The actuator exerts g = -Phi_x^T lambda (29) on the second body of its joint.  (30) turns that into a force in the base's
    axes and a torque h' in the body's.  A torsional actuator supplies u . h' (34), a translational one the force along its
    axis (36), which has its sign.  Springs and dampers are forces of their own here (see body_forces).
    """
    states, q = s.states(), s.joint_vector("q")
    multipliers = s.input("lambda", "nq")
    values = []
    rows = s.driving_rows(q)
    for k, (connection, drive) in enumerate(s.model.driven()):
        body = s.model.places[connection.second.body]
        force, torque = _exerted(states, rows[k], multipliers[k], body)
        direction = s.library.drive_axis(connection, drive)
        if drive.kind is DriveKind.SLIDE:
            values.append(vec.dot_total(s.graph, direction.value(states), force))
            continue
        u = direction.components
        if direction.body != body:
            u = states.turned_back(body, direction.value(states))
        values.append(vec.dot_total(s.graph, u, torque))
    return s.program(BODY_ACTUATOR_FORCES, values)


def strut_forces(s: BodySystem) -> Program:
    """x, lambda -> f: the force of each strut from the multiplier of its constraint, positive where it pushes.

    The strut exerts g = -Phi_x^T lambda (29) on the two bodies.  With Phi = l . l - L^2 (35) that is the force -2 lambda l
    at the second point and its opposite at the first (30).  (36) takes its magnitude, and its sign from its component
    along l: together -2 lambda |l|, which has a value also where the points coincide.  Springs and dampers beside the
    strut are forces of their own here (see body_forces).
    """
    states = s.states()
    multipliers = s.input("lambda", "struts")
    values = []
    for row, multiplier in zip(s.strut_rows(), multipliers, strict=True):
        between = apart(states, row.first, row.second)
        length = vec.dot_total(s.graph, between, between).square_root()
        values.append(length * multiplier * -2)
    return s.program(STRUT_FORCES, values)


def joint_reactions(s: BodySystem) -> Program:
    """x, lambda -> R: force, then moment, that each joint exerts on its second body, in the base's axes.

    The second body is the child of a joint of the tree, or carries the second frame of a loop; the moment is about the
    joint's point on it.  What drives exert is not included.
    """
    states = s.states()
    rows = s.joint_rows()
    s.arguments = s.arguments.more({"joint_rows": len(rows)})
    multipliers = s.input("lambda", "joint_rows")
    values: list[Expression] = []
    at = 0
    for connection in s.model.connections:
        count = len(s.library.joint_rows(connection))
        own = [row for _, _, row in rows[at : at + count]]
        first, second = (s.library.place(m) for m in (connection.first, connection.second))
        values += _reaction(states, own, multipliers[at : at + count], first, second)
        at += count
    return s.program(JOINT_REACTIONS, values)


def _exerted(states: States, row: Row, multiplier: Expression, body: int) -> tuple[Expressions, Expressions]:
    """Force in the base's axes and torque about the mass centre in the body's axes (30)."""
    gradient = row.gradient(states).get(body)
    if gradient is None:
        return vec.zeros(states.graph, 3), vec.zeros(states.graph, 3)
    generalized = vec.scale(-multiplier, gradient)
    return generalized[:3], torque_of(states, body, generalized[3:])


def _reaction(
    states: States, rows: Sequence[Row], multipliers: Sequence[Expression], first: Place, second: Place
) -> Expressions:
    """Force and moment about the joint's point on the second body; what acts on the first body is opposite."""
    body, sign = (second.point.body, 1) if second.point.body >= 0 else (first.point.body, -1)
    parts = [_exerted(states, row, x, body) for row, x in zip(rows, multipliers, strict=True)]
    force = vec.add_total(states.graph, *(part[0] for part in parts))
    torque = states.turned(body, vec.add_total(states.graph, *(part[1] for part in parts)))
    arm = vec.subtract(second.point.value(states), states.center(body))
    moment = vec.subtract(torque, vec.cross(arm, force))
    return [*force, *moment] if sign == 1 else [*vec.scale(-1, force), *vec.scale(-1, moment)]
