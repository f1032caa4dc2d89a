"""The tree from which the kernels of a mechanism are derived: its movable joints, without what ties or resists them."""

from __future__ import annotations

from dataclasses import dataclass, replace

from kanegen.codegen.derivation.motion_maps.chart import charted, folded_chart, on_chart
from kanegen.codegen.derivation.motion_maps.joint_tree import keeps_parameters, still_in_balls, tree_of_joints
from kanegen.codegen.mechanism.records import Mechanism


def spanning_tree(mechanism: Mechanism) -> Mechanism:
    """The plain tree: coordinates first, then the prescribed joints; the mechanism itself where it is a plain tree.

    That of a mechanism with ball joints is the tree of its chart (chart.py), where the coordinates of these are zero.
    """
    if mechanism.plain_tree:
        return mechanism
    mechanism = charted(mechanism)
    return replace(
        mechanism,
        joints=still_in_balls(mechanism.joints, mechanism.balls),
        coordinates=mechanism.coordinates + mechanism.prescribed_joints,
        loops=(),
        constraints=(),
        prescribed=(),
        speeds=(),
        springs=(),
        laws=(),
        actuators=(),
        home=(),
        balls=(),
    )


@dataclass(frozen=True, slots=True)
class DerivationTree:
    """A plain tree, whether it is derived with live parameters, and whether equations have tied its coordinates."""

    mechanism: Mechanism
    live: bool
    tied: bool


def derivation_tree(mechanism: Mechanism, live: bool) -> DerivationTree:
    """The mechanism itself where it is a plain tree; otherwise the tree of its joints, without what ties or resists them."""
    if on_chart(mechanism):
        return DerivationTree(spanning_tree(folded_chart(mechanism, live)), True, mechanism.constrained)
    if mechanism.plain_tree or mechanism.constrained:
        return DerivationTree(spanning_tree(mechanism), live, mechanism.constrained)
    return DerivationTree(
        tree_of_joints(mechanism, live), keeps_parameters(mechanism, live), mechanism.constrained
    )
