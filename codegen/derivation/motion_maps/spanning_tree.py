"""The tree of a constrained mechanism: all its movable joints as coordinates, and nothing that ties them together."""

from __future__ import annotations

from dataclasses import replace

from kanegen.codegen.derivation.motion_maps.chart import charted
from kanegen.codegen.derivation.motion_maps.joint_tree import still_in_balls
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
        coordinates=mechanism.coordinates + tuple(p.joint for p in mechanism.prescribed),
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
