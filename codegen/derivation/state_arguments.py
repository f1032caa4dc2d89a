"""The coordinates, speeds and generalized forces of any kind of mechanism, as arguments of kernels."""

from __future__ import annotations

from kanegen.codegen.derivation.constraints.arguments import Arguments as ConstrainedArguments
from kanegen.codegen.derivation.constraints.chart import folded_chart, on_chart
from kanegen.codegen.derivation.control_law import State, state_of_tree
from kanegen.codegen.derivation.flexible_links.arguments import Arguments as FlexibleArguments
from kanegen.codegen.derivation.joint_motion.arguments import Arguments as JointArguments
from kanegen.codegen.mechanism.records import Mechanism


def state_of(mechanism: Mechanism) -> State:
    """q, v and tau of a mechanism on its own speeds, as its other kernels have them."""
    if mechanism.flexible:
        flexible = FlexibleArguments(mechanism)
        return flexible.q(), flexible.v(), flexible.tau()
    if mechanism.constrained:
        on_balls = on_chart(mechanism)
        speeds = ConstrainedArguments(folded_chart(mechanism, False) if on_balls else mechanism)
        q = JointArguments(mechanism).q() if on_balls else speeds.q()
        return q, speeds.v(), speeds.tau()
    if mechanism.plain_tree:
        return state_of_tree(mechanism)
    joints = JointArguments(mechanism)
    return joints.q(), joints.v(), joints.tau()
