"""The bodies of a mechanism as MuJoCo has them: joints on carriers are several joints of one body.

MuJoCo gives the axes and anchors of a body's joints in its frame, where all coordinates have their reference values, the
first joint outermost.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from kanegen.codegen.mechanism.importers.mjcf.placing import Placement
from kanegen.codegen.mechanism.records import (
    BASE,
    IDENTITY3,
    ZERO3,
    BallJoint,
    Body,
    Joint,
    JointKind,
    Matrix3,
    Mechanism,
    Value,
    Vector3,
)
from kanegen.codegen.mechanism.rotations import turned
from kanegen.codegen.mechanism.vectors import matrix_vector, scale, subtract, transpose

Quaternion = tuple[Value, Value, Value, Value]


@dataclass(frozen=True, slots=True)
class Motion:
    """A joint, or a ball with the first of its joints, with its anchor and axis in the frame of the body that it moves.

    ``placed`` is the joint's frame in the body's parent, where the joints before it have their reference values.
    """

    joint: Joint
    ball: BallJoint | None
    placed: Placement
    anchor: Vector3
    axis: Vector3

    @property
    def name(self) -> str:
        """What it is called."""
        return self.ball.name if self.ball else self.joint.name


@dataclass
class Node:
    """A body on its parent, placed where all coordinates have their reference values; ``motions`` from the parent outwards.

    ``pose`` is its placement in the base, None where something moves it against that.
    """

    body: Body
    placed: Placement
    motions: tuple[Motion, ...]
    pose: Placement | None
    children: list[Node] = field(default_factory=list)


def tree_of(m: Mechanism, reference: Mapping[str, Fraction]) -> Node:
    """The base with everything on it; ``reference`` has the values [rad, m] of joints that are not at zero."""
    world = Node(Body(BASE, None), Placement(), (), Placement())
    nodes = {BASE: world}
    reached: dict[str, tuple[str, tuple[tuple[Joint, BallJoint | None], ...]]] = {BASE: (BASE, ())}
    bodies = {body.name: body for body in m.bodies}
    below = Counter(joint.parent for joint in m.joints)
    balls = {name: ball for ball in m.balls for name in ball.joints}
    for joint in m.joints:
        start, chain = reached[joint.parent]
        ball = balls.get(joint.name)
        if ball is None or joint.name == ball.joints[0]:
            chain = (*chain, (joint, ball))
        body = bodies[joint.child]
        inside = ball is not None and joint.name != ball.joints[-1]
        if inside or (body.carrier and body.inertia is None and below[body.name] == 1):
            reached[joint.child] = start, chain
            continue
        reached[joint.child] = joint.child, ()
        parent = nodes[start]
        placed, motions = _placed(chain, reference)
        pose = None
        if parent.pose is not None and not motions:
            pose = parent.pose.then(placed.rotation, placed.position)
        nodes[joint.child] = Node(body, placed, motions, pose)
        parent.children.append(nodes[joint.child])
    return world


def _placed(
    chain: tuple[tuple[Joint, BallJoint | None], ...], reference: Mapping[str, Fraction]
) -> tuple[Placement, tuple[Motion, ...]]:
    at, passed = Placement(), list[tuple[Joint, BallJoint | None, Placement]]()
    for joint, ball in chain:
        at = at.then(joint.rotation, joint.position)
        if joint.kind is not JointKind.FIXED:
            passed.append((joint, ball, at))
        value = reference.get(joint.name, Fraction(0))
        if joint.kind is JointKind.REVOLUTE:
            at = at.then(turned(joint.axis, value), ZERO3)
        elif joint.kind is JointKind.PRISMATIC:
            at = at.then(IDENTITY3, scale(value, joint.axis))
    back = transpose(at.rotation)
    return at, tuple(
        Motion(
            joint,
            ball,
            frame,
            matrix_vector(back, subtract(frame.position, at.position)),
            matrix_vector(back, matrix_vector(frame.rotation, joint.axis)),
        )
        for joint, ball, frame in passed
    )


def quaternion_of(r: Matrix3) -> Quaternion:
    """(w, x, y, z) of a rotation, its largest component 1: quarter turns have whole numbers."""
    (a, b, c), (d, e, f), (g, h, i) = r
    candidates = (
        (1 + a + e + i, h - f, c - g, d - b),
        (h - f, 1 + a - e - i, b + d, c + g),
        (c - g, b + d, 1 - a + e - i, f + h),
        (d - b, c + g, f + h, 1 - a - e + i),
    )
    place = max(range(4), key=lambda k: float_of(candidates[k][k]))
    w, x, y, z = (entry / candidates[place][place] for entry in candidates[place])
    return w, x, y, z


def float_of(value: Value) -> float:
    """A number as a double; parameters are folded before."""
    assert isinstance(value, Fraction)
    return float(value)
