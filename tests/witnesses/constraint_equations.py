"""The equations that a mechanism's loops and constraints stand for, written down from their definitions alone.

They need not be the equations that kanegen chose, nor come in its order: any equations of the same motions do for a
witness.  Each is a scalar jet that vanishes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache

import numpy as np
import sympy

from kanegen.codegen.mechanism import (
    AngularVelocityComponent,
    DistanceRate,
    GeneralizedSpeed,
    JointRate,
    KnifeEdge,
    Loop,
    LoopKind,
    PositionConstraint,
    RollingContact,
    VelocityConstraint,
)

from .jets import Jet
from .tree_motion import Pose, TreeNumbers

X, Y, Z = range(3)


def column(pose: Pose, axis: int) -> Jet:
    """An axis of a frame, along the base axes."""
    return Jet(tuple(term[:, :, axis] for term in pose.rotation.terms))


def loop_equations(tree: TreeNumbers, loop: Loop, poses: Mapping[str, Pose]) -> list[Jet]:
    """What the joint that closes the loop forbids."""
    first, second = tree.frame(loop.first, poses), tree.frame(loop.second, poses)
    gap = second.position - first.position
    origins = [gap.component(i) for i in range(3)]
    parallel = [column(first, i).dot(column(second, Z)) for i in (X, Y)]
    on_axis = [column(first, i).dot(gap) for i in (X, Y)]
    no_turn = column(first, X).dot(column(second, Y))
    return {
        LoopKind.SPHERICAL: origins,
        LoopKind.REVOLUTE: [*origins, *parallel],
        LoopKind.UNIVERSAL: [*origins, column(first, Z).dot(column(second, Z))],
        LoopKind.CYLINDRICAL: [*on_axis, *parallel],
        LoopKind.PRISMATIC: [*on_axis, *parallel, no_turn],
        LoopKind.PLANAR: [*parallel, column(first, Z).dot(gap)],
        LoopKind.FIXED: [*origins, *parallel, no_turn],
    }[loop.kind]


def position_equations(tree: TreeNumbers, poses: Mapping[str, Pose], q: Jet) -> list[Jet]:
    """All equations of position."""
    rows = [row for loop in tree.mechanism.loops for row in loop_equations(tree, loop, poses)]
    for constraint in tree.mechanism.constraints:
        if isinstance(constraint, RollingContact) and constraint.contact is None:
            centre, contact = _wheel(tree, constraint, poses)
            rows.append((centre.position + contact).component(Z))
        elif isinstance(constraint, PositionConstraint):
            rows.append(_written(tree, constraint, q))
    return rows


def velocity_equations(tree: TreeNumbers, poses: Mapping[str, Pose], q: Jet) -> list[Jet]:
    """All equations of velocity, one order shorter than the motion."""
    rows = []
    for constraint in tree.mechanism.constraints:
        if isinstance(constraint, RollingContact):
            wheel, arm = _wheel(tree, constraint, poses)
            spin = wheel.rotation.rate() @ wheel.rotation.transposed()
            slip = wheel.position.rate() + spin.apply(arm)
            rows += [slip.component(X), slip.component(Y)]
        elif isinstance(constraint, KnifeEdge):
            edge = tree.frame(constraint.edge, poses).seen_from(tree.frame(constraint.ground, poses))
            rows.append(column(edge, Y).dot(edge.position.rate()))
        elif isinstance(constraint, VelocityConstraint):
            rows.append(_written(tree, constraint, q))
    return rows


def _wheel(tree: TreeNumbers, contact: RollingContact, poses: Mapping[str, Pose]) -> tuple[Pose, Jet]:
    """The wheel's frame seen from the ground, and the arm from its centre to the point of contact."""
    ground = tree.frame(contact.ground, poses)
    wheel = tree.frame(contact.wheel, poses).seen_from(ground)
    if contact.contact is not None:
        return wheel, tree.frame(contact.contact, poses).seen_from(ground).position - wheel.position
    motions, order = len(wheel.position.terms[0]), len(wheel.position.terms) - 1
    up = Jet.constant(np.array([0.0, 0.0, 1.0]), motions, order)
    axle = column(wheel, Z)
    in_plane = up - axle.scaled(axle.component(Z))  # the upward normal, projected on the wheel's plane
    scale = in_plane.dot(in_plane).power(-0.5)
    radius = Jet.constant(np.array(-tree.number(contact.radius)), motions, order)
    return wheel, in_plane.scaled(scale * radius)


def speed_rows(tree: TreeNumbers, poses: Mapping[str, Pose], q: Jet) -> list[Jet]:
    """The generalized speeds v."""
    speeds = tree.mechanism.speeds or tuple(JointRate(name) for name in tree.mechanism.coordinates)
    return [_speed(tree, speed, poses, q) for speed in speeds]


def _speed(tree: TreeNumbers, speed: GeneralizedSpeed, poses: Mapping[str, Pose], q: Jet) -> Jet:
    if isinstance(speed, JointRate):
        return q.component(tree.joints.index(speed.joint)).rate()
    if isinstance(speed, DistanceRate):
        gap = tree.frame(speed.second, poses).position - tree.frame(speed.first, poses).position
        return gap.dot(gap).power(0.5).rate()
    motions, order = len(q.terms[0]), len(q.terms) - 1
    direction = Jet.constant(tree.vector(speed.direction), motions, order)
    if isinstance(speed, AngularVelocityComponent):
        body = poses[speed.body]
        return body.rotation.apply(direction).dot(body.angular_velocity())
    at = tree.frame(speed.frame, poses).seen_from(poses[tree.mechanism.frame(speed.relative_to).body])
    return at.rotation.apply(direction).dot(at.position.rate())


def _written(tree: TreeNumbers, constraint: PositionConstraint | VelocityConstraint, q: Jet) -> Jet:
    """An equation given as text: its derivatives by SymPy."""
    parameters = tuple((p.name, float(p.value)) for p in tree.mechanism.parameters)
    values = [q.terms[n][:, i] for n in range(3) for i in range(len(constraint.q))]
    motions = q.terms[0].shape[:1]
    functions = _derivatives(constraint, parameters)
    return Jet(tuple(np.broadcast_to(np.asarray(f(*values), dtype=float), motions) for f in functions))


@cache
def _derivatives(
    constraint: PositionConstraint | VelocityConstraint, parameters: tuple[tuple[str, float], ...]
) -> list[Callable[..., object]]:
    """The expression and its derivatives with respect to time, as functions of all q, then all q', then all q''."""
    time = sympy.Symbol("time")
    moving = [sympy.Function(f"q{i}")(time) for i in range(len(constraint.q))]
    meaning = dict(zip(constraint.q, moving, strict=True))
    if isinstance(constraint, VelocityConstraint):
        meaning |= {rate: x.diff(time) for rate, x in zip(constraint.qdot, moving, strict=True)}
    meaning |= {sympy.Symbol(name): sympy.Float(value, 17) for name, value in parameters}
    expression = constraint.expression.subs(meaning)
    symbols = [[sympy.Symbol(f"x{i}_{n}") for i in range(len(moving))] for n in range(3)]
    functions = []
    for n in range(3 if isinstance(constraint, PositionConstraint) else 2):
        derivative = expression.diff(time, n)
        for m in (2, 1, 0):  # the highest derivatives first: they contain the lower ones
            derivative = derivative.subs(
                {x.diff(time, m): s for x, s in zip(moving, symbols[m], strict=True)}
            )
        functions.append(sympy.lambdify([s for row in symbols for s in row], derivative, "numpy"))
    return functions
