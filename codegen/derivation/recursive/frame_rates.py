"""How Jacobians of frames change, and what forces at frames are on the joints.

With J_i the velocity of a frame's origin P for a unit rate of joint i along s_i, w_i the angular velocity of the body that
carries joint i, and u_i what joint i and the joints beyond it (on the way to P) add to the velocity of P,

    revolute   dJ_i/dt = w_i x J_i + s_i x u_i,   ds_i/dt = w_i x s_i          prismatic   dJ_i/dt = w_i x J_i

(the angular part is ds_i/dt for revolute joints and zero for prismatic ones).  Or the formulas of the Jacobian are
differentiated as they stand: it is a decision point.  Added up over the rates, with W_i the angular velocity of the body
that joint i moves, what accelerates P beside J dv/dt is the sum of (w_i + W_i) x J_i v_i, and the body turns faster by the
sum of w_i x s_i v_i over revolute joints.

A force f at P and a moment n are s_i . (n + r x f) on joint i, with r from the joint to P.  Force and moment are carried
outwards and the arm inwards in the axes of the bodies, where s_i is a coordinate axis; no Jacobian is formed.
"""

from __future__ import annotations

from collections.abc import Sequence

from kanegen.codegen.derivation.placed_tree.placement import PlacedTree
from kanegen.codegen.derivation.recursive.kinematics import Kinematics, frame_jacobian
from kanegen.codegen.derivation.recursive.motion import Motion
from kanegen.codegen.graph import Expression, Tangents, constant, total
from kanegen.codegen.graph import linear as vec
from kanegen.codegen.mechanism.records import Frame

Rows = list[list[Expression]]
Vector = Sequence[Expression]


def frame_jacobian_rate(
    kinematics: Kinematics, frame: Frame, q: Vector, v: Vector, by_velocities: bool
) -> Rows:
    """Time derivative of a frame's Jacobian, in the base frame: its accelerations are J a + (dJ/dt) v.

    The tree is at rest; ``v`` are the rates of its coordinates ``q``.
    """
    rows = frame_jacobian(kinematics, frame)
    if by_velocities:
        return jacobian_rates(kinematics.tree, frame, rows, v)
    tangents = Tangents(kinematics.motion.graph, dict(zip(q, v, strict=True)))
    return [[tangents.first(x) for x in row] for row in rows]


def jacobian_rates(tree: PlacedTree, frame: Frame, jacobian: Rows, v: Vector) -> Rows:
    """The derivative of a Jacobian (6, n), in coordinate order, from its own columns."""
    graph = v[0].graph
    zero = constant(graph, 0)
    path = _path(tree, frame)
    columns = {i: [row[tree.bodies[i].coordinate] for row in jacobian] for i in path}
    turning: dict[int, Vector] = {}
    w: Vector = [zero] * 3
    for i in path:
        turning[i] = w
        if tree.bodies[i].revolute:
            rate = v[tree.bodies[i].coordinate]
            w = [x + s * rate for x, s in zip(w, columns[i][3:], strict=True)]
    rates = [[zero] * len(tree.bodies) for _ in range(6)]
    u: Vector = [zero] * 3
    for i in reversed(path):
        c = tree.bodies[i].coordinate
        linear, axis = columns[i][:3], columns[i][3:]
        u = [x + j * v[c] for x, j in zip(u, linear, strict=True)]
        for m in range(3):
            terms = [*vec.cross_terms(turning[i], linear, m)]
            if tree.bodies[i].revolute:
                terms += vec.cross_terms(axis, u, m)
                rates[3 + m][c] = total(graph, vec.cross_terms(turning[i], axis, m))
            rates[m][c] = total(graph, terms)
    return rates


def frame_acceleration(kinematics: Kinematics, frame: Frame, v: Vector, a: Vector) -> list[Expression]:
    """Acceleration of a frame's origin, then its angular acceleration, in the base frame: J a + (dJ/dt) v.

    The tree is at rest; ``v`` and ``a`` are the rates and accelerations of its coordinates.
    """
    tree, graph = kinematics.tree, kinematics.motion.graph
    rows = frame_jacobian(kinematics, frame)
    terms = [vec.products(row, a) for row in rows]
    before: Vector = [kinematics.motion.zero] * 3
    for i in _path(tree, frame):
        c = tree.bodies[i].coordinate
        moved = [row[c] * v[c] for row in rows]
        after = vec.add(before, moved[3:])
        for m in range(3):
            terms[m] += vec.cross_terms(vec.add(before, after), moved[:3], m)
            terms[3 + m] += vec.cross_terms(before, moved[3:], m)
        before = after
    return [total(graph, x) for x in terms]


def frame_forces(kinematics: Kinematics, frame: Frame, wrench: Vector) -> list[Expression]:
    """J^T wrench in coordinate order, for a force and a moment at a frame's origin along the base axes."""
    motion, tree = kinematics.motion, kinematics.tree
    tau = [motion.zero] * len(tree.bodies)
    path = _path(tree, frame)
    arms: dict[int, Vector] = {}
    _, _, arm = kinematics.frame(frame)
    for i in reversed(path):
        arms[i] = arm
        arm = vec.add(motion.position(i), _to_parent(motion, i, arm))
    force, moment = wrench[:3], wrench[3:]
    for i in path:
        body = tree.bodies[i]
        k = body.axis
        force, moment = _from_parent(motion, i, force), _from_parent(motion, i, moment)
        along = force[k]
        if body.revolute:
            along = motion.sum([moment[k], *vec.cross_terms(arms[i], force, k)])
        tau[body.coordinate] = along * motion.to_unit(i)
    return tau


def _to_parent(motion: Motion, i: int, v: Vector) -> tuple[Expression, ...]:
    """A vector given in body i's frame along the axes of its parent."""
    return tuple(
        motion.out_of_joint_frame(i, lambda r: motion.out_of_body(i, v.__getitem__, r), m) for m in range(3)
    )


def _from_parent(motion: Motion, i: int, v: Vector) -> tuple[Expression, ...]:
    """A vector given along the axes of body i's parent in body i's frame."""
    return tuple(
        motion.into_body(i, lambda c: motion.into_joint_frame(i, v.__getitem__, c), r) for r in range(3)
    )


def _path(tree: PlacedTree, frame: Frame) -> list[int]:
    """The bodies from the base to the one that carries a frame."""
    path: list[int] = []
    i = tree.index(frame.body)
    while i >= 0:
        path.insert(0, i)
        i = tree.bodies[i].parent
    return path
