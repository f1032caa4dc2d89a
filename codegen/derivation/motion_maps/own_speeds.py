"""The motion of a mechanism on the speeds that it has."""

from __future__ import annotations

from kanegen.codegen.derivation.motion_maps.constrained import ConstrainedMap
from kanegen.codegen.derivation.motion_maps.joints import JointMap
from kanegen.codegen.derivation.motion_maps.motion_map import MotionMap, Vector
from kanegen.codegen.derivation.motion_maps.plan import make_plan
from kanegen.codegen.mechanism.records import Mechanism
from kanegen.codegen.mechanism.values import Lift


def own_speeds(mechanism: Mechanism, q: Vector, lift: Lift) -> MotionMap:
    """The map from the speeds of a mechanism to the joints of its tree, at coordinates ``q``.

    Raises ModelError for constraints that cannot be solved.
    """
    if mechanism.constrained:
        return ConstrainedMap(mechanism, q, lift, make_plan(mechanism))
    return JointMap(mechanism, q, lift)
