"""Friction of joints: damping in proportion to the rate, and Coulomb friction made smooth.

Coulomb friction f opposes the rate v with f v / sqrt(v^2 + s^2), s = ``SLIP_SPEED``: half a per cent below f at ten
times s, and a damper of f / s where the joint nearly rests, so that integrators do not stall and inverse and forward
dynamics stay each other's inverse.  A joint at rest under a load creeps at a rate below s instead of sticking.
"""

from __future__ import annotations

from collections.abc import Sequence

from kanegen.codegen.graph import Expression, constant
from kanegen.codegen.mechanism.quantities import SLIP_SPEED as SLIP_SPEED
from kanegen.codegen.mechanism.records import Joint
from kanegen.codegen.mechanism.values import Lift


def friction_forces(
    joints: Sequence[Joint | None], rates: Sequence[Expression], lift: Lift
) -> list[Expression]:
    """What drives must supply on each joint to overcome its friction at these rates; nothing where there is no joint."""
    found = []
    for joint, rate in zip(joints, rates, strict=True):
        force = constant(lift.graph, 0)
        if joint is not None and joint.damping != 0:
            force = force + lift(joint.damping) * rate
        if joint is not None and joint.friction != 0:
            speed = (rate * rate + SLIP_SPEED * SLIP_SPEED).square_root()
            force = force + lift(joint.friction) * rate / speed
        found.append(force)
    return found
