"""The tree of a constrained mechanism: all its movable joints as coordinates, and nothing that ties them together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from kanegen.codegen.derivation.constraints.chart import charted
from kanegen.codegen.derivation.motion_maps.joint_tree import still_in_balls
from kanegen.codegen.graph import Expression, Graph, constant
from kanegen.codegen.mechanism.records import Mechanism
from kanegen.codegen.mechanism.values import Lift


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


def tree_positions(mechanism: Mechanism, graph: Graph, q: Sequence[Expression]) -> list[Expression]:
    """Coordinates of the tree: q, and zero for prescribed joints."""
    return [*q, *[constant(graph, 0)] * len(mechanism.prescribed)]


def tree_rates(mechanism: Mechanism, lift: Lift, qdot: Sequence[Expression]) -> list[Expression]:
    """Rates of the tree's joints: dq/dt, and the given rates of prescribed joints."""
    return [*qdot, *(lift(p.rate) for p in mechanism.prescribed)]


def tree_accelerations(mechanism: Mechanism, graph: Graph, qddot: Sequence[Expression]) -> list[Expression]:
    """Accelerations of the tree's joints: those of q, and none of prescribed joints."""
    return [*qddot, *[constant(graph, 0)] * len(mechanism.prescribed)]
