"""Two planar three-joint arms that hold one object; three degrees of freedom, six drives.

Frames and chain
    The arms move in the vertical plane xy; y points up, and all axes are along z.  Each link's frame stands at the joint
    that carries it, x along the link.  Arm 1 turns by q1, q2, q3 at (0, 0), arm 2 by q4, q5, q6 at (ground, 0); each angle
    but the first of an arm is relative to the link before.  The object is part of arm 1: it is fixed in the last link's
    tip, its frame at that grip, x along it to the other grip, frame "far_grip".

The loop
    Arm 2 grips the object as firmly: a FIXED joint between "far_grip" and "grip2", the tip of arm 2 turned so that the two
    arms reach for the object from either side.  Three of its six equations keep the plane and are redundant.  (A hinge
    instead, LoopKind.REVOLUTE, would leave a fourth degree of freedom.)

Speeds
    v are the rates of arm 1's joints, which carry the object anywhere in the plane at any angle.  Six drives move three
    degrees of freedom: tau is what they do together, tau = N^T (torques of q1, ..., q6) with dq/dt = N v, and how they
    share it is free.

Inertia
    Rods of 1 kg/m with central moments m l^2 / 12 across the rod, none about it; the object a heavier rod.

Home
    Symmetric: object and last links level at the height 0.6, over the middle of the ground, elbows outwards.  Angles follow
    from the parameters' own values by the cosine law.
"""

from __future__ import annotations

import math

from kanegen.codegen.graph import Expression
from kanegen.codegen.mechanism.builder import MechanismBuilder
from kanegen.codegen.mechanism.constraints import LoopKind
from kanegen.codegen.mechanism.records import BASE, Mechanism
from kanegen.codegen.mechanism.speeds import JointRate

_Z = (0, 0, 1)

_GROUND, _UPPER, _FORE, _HAND, _OBJECT = "1", "0.5", "0.4", "0.15", "0.3"
_HEIGHT = 0.6
_HALF_TURN = ((-1, 0, 0), (0, -1, 0), (0, 0, 1))


def cooperating_arms() -> Mechanism:
    """Two arms and their load with lengths, masses and g as parameters; q = (q1, ..., q6), v = rates of q1, q2, q3."""
    arms = MechanismBuilder("cooperating_arms")
    g = arms.parameter("g", "9.81", "m/s^2", "acceleration of free fall, along -y")
    arms.gravity((0, -g, 0))
    density = arms.parameter("rho", "1", "kg/m", "mass of the rods per length")
    ground = arms.parameter("ground", _GROUND, "m", "distance of the arms")
    lengths = (
        ("upper", arms.parameter("upper", _UPPER, "m", "length of the first links")),
        ("fore", arms.parameter("fore", _FORE, "m", "length of the second links")),
        ("hand", arms.parameter("hand", _HAND, "m", "length of the last links")),
    )
    load = arms.parameter("object", _OBJECT, "m", "distance of the grips on the object")
    mass = arms.parameter("m_object", "2", "kg", "mass of the object")
    for arm, start in ((1, (0, 0, 0)), (2, (ground, 0, 0))):
        parent, position = BASE, start
        for number, (name, length) in enumerate(lengths, 3 * arm - 2):
            link = f"{name}{arm}"
            _rod(arms, link, length, density * length)
            arms.revolute(f"q{number}", parent, link, _Z, position=position)
            parent, position = link, (length, 0, 0)
    hand = lengths[2][1]
    _rod(arms, "object", load, mass)
    arms.fixed("grasp", "hand1", "object", position=(hand, 0, 0))
    arms.frame("far_grip", "object", position=(load, 0, 0))
    arms.frame("grip2", "hand2", position=(hand, 0, 0), rotation=_HALF_TURN)
    arms.loop("grasp2", LoopKind.FIXED, "far_grip", "grip2")
    arms.speeds([JointRate(f"q{number}") for number in (1, 2, 3)])
    arms.home(_home())
    return arms.build()


def _rod(arms: MechanismBuilder, name: str, length: Expression, mass: Expression) -> None:
    """A thin uniform rod along x from the origin of its frame."""
    moment = mass * length * length / 12
    arms.body(name, mass=mass, center=(length / 2, 0, 0), inertia=(0, moment, moment))


def _home() -> tuple[float, ...]:
    """q1, ..., q6 [rad]: each arm is a triangle of its first two links over the line from its base to its wrist."""
    ground, upper, fore, hand, load = (float(x) for x in (_GROUND, _UPPER, _FORE, _HAND, _OBJECT))
    across = (ground - load) / 2 - hand
    reach = math.hypot(across, _HEIGHT)
    base_angle = math.acos((upper**2 + reach**2 - fore**2) / (2 * upper * reach))
    elbow = math.acos((upper**2 + fore**2 - reach**2) / (2 * upper * fore))
    q1 = math.atan2(_HEIGHT, across) + base_angle
    q2 = elbow - math.pi
    q3 = -q1 - q2
    return q1, q2, q3, math.pi - q1, -q2, -q3
