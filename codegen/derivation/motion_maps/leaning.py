"""How the axes of ball joints lean as they turn, and the drives that do not feel it.

The joints of a ball begin anew at every instant: along them the child's velocity is v itself, but a turn about one axis
leans the ones before (see joints.py).
"""

from __future__ import annotations

from collections.abc import Sequence

from kanegen.codegen.graph import Expression
from kanegen.codegen.mechanism.records import Mechanism, Value
from kanegen.codegen.mechanism.values import Lift

Vector = Sequence[Expression]


def turning(mechanism: Mechanism, v: Vector) -> dict[int, Expression]:
    """What speeds v that do not change add to the accelerations of the joints of balls, by index of the joint."""
    found: dict[int, Expression] = {}
    for ball in mechanism.balls:
        first = mechanism.rates.index(ball.joints[0])
        n = len(ball.joints)
        w = v[first + n - 3 : first + n]
        found |= {
            first + n - 3: -(w[1] * w[2]),
            first + n - 2: w[0] * w[2],
            first + n - 1: -(w[0] * w[1]),
        }
        if ball.free:
            u = v[first : first + 3]
            for m in range(3):
                b, c = (m + 1) % 3, (m + 2) % 3
                found[first + m] = w[b] * u[c] - w[c] * u[b]
    return found


def leaning(mechanism: Mechanism, v: Vector) -> dict[tuple[int, int], Expression]:
    """The matrix D(v), by entries, with turning(v) = -D v: the rate at which the axes of balls lean."""
    found: dict[tuple[int, int], Expression] = {}
    for ball in mechanism.balls:
        first = mechanism.rates.index(ball.joints[0])
        n = len(ball.joints)
        at = first + n - 3
        w = v[at : at + 3]
        found |= {(at + 1, at): -w[2], (at + 2, at): w[1], (at, at + 1): w[2]}
        if ball.free:
            # -(w x) on the linear part
            for m in range(3):
                b, c = (m + 1) % 3, (m + 2) % 3
                found[first + m, first + c] = -w[b]
                found[first + m, first + b] = w[c]
    return found


def level_rotors(mechanism: Mechanism) -> dict[str, Value]:
    """Rotor inertias by joint that resist the derivative of the joint's speed alone; those of leaning drives are left out.

    Drives that turn a ball resist dw/dt, whatever way its axes lean.  Those that shift a free body are equal (see
    ``BallJoint``) and resist the acceleration of its origin, dv/dt + w x v along its axes: what the joints of the chain do.
    """
    shifting = {name for ball in mechanism.balls if ball.free for name in ball.joints[:3]}
    return {
        joint.name: joint.rotor_inertia
        for joint in mechanism.joints
        if joint.rotor_inertia != 0 and joint.name not in shifting
    }


def rotors_do_not_lean(mechanism: Mechanism, v: Vector, lift: Lift) -> dict[int, Expression]:
    """What to add to forces on joints of balls that the tree gives, by index: drives that turn resist dw/dt alone.

    To the tree they resist accelerations of its joints, those that speeds which do not change need included.
    """
    rotors, names = level_rotors(mechanism), mechanism.rates
    return {j: -(lift(rotors[names[j]]) * x) for j, x in turning(mechanism, v).items() if names[j] in rotors}
