"""The tree from which the kernels of a mechanism are derived."""

from __future__ import annotations

from dataclasses import dataclass

from kanegen.codegen.derivation.motion_maps.chart import folded_chart, on_chart
from kanegen.codegen.derivation.motion_maps.joint_tree import keeps_parameters, tree_of_joints
from kanegen.codegen.derivation.motion_maps.spanning_tree import spanning_tree
from kanegen.codegen.mechanism.records import Mechanism


@dataclass(frozen=True, slots=True)
class DerivationTree:
    """A plain tree, and whether it is to be derived with live parameters."""

    mechanism: Mechanism
    live: bool


def derivation_tree(mechanism: Mechanism, live: bool) -> DerivationTree:
    """The mechanism itself where it is a plain tree; otherwise the tree of its joints, without what ties or resists them."""
    if on_chart(mechanism):
        return DerivationTree(spanning_tree(folded_chart(mechanism, live)), True)
    if mechanism.plain_tree or mechanism.constrained:
        return DerivationTree(spanning_tree(mechanism), live)
    return DerivationTree(tree_of_joints(mechanism, live), keeps_parameters(mechanism, live))
