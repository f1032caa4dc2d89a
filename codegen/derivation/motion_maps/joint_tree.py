"""The tree of simple joints behind a mechanism with ball joints, mimics and flexible links, which are rigid in it.

The chain that stands for a ball joint hangs on a placement that its quaternion (and position) give.  The derivations of a
tree know nothing of it: to them its entries are parameters, whatever they are; composing the finished program with the
expressions in q replaces them (see setting.py).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from fractions import Fraction
from typing import Any

from kanegen.codegen.graph import Expression, Graph
from kanegen.codegen.graph import linear as vec
from kanegen.codegen.mechanism.folding import with_numbers
from kanegen.codegen.mechanism.records import (
    IDENTITY3,
    ZERO3,
    BallJoint,
    Joint,
    Matrix3,
    Mechanism,
    Parameter,
    Value,
    Vector3,
)
from kanegen.codegen.mechanism.validation.exact import values_of


def tree_of_joints(mechanism: Mechanism, live: bool) -> Mechanism:
    """The plain tree with all movable joints as coordinates: those of the speeds first, then the mimics.

    Its parameters are folded unless ``live``; the placements of ball joints are parameters of it in any case, so it is to
    be derived with live parameters where there are any (``keeps_parameters``).
    """
    folded = mechanism if live else with_numbers(mechanism)
    tree = replace(
        folded,
        coordinates=(
            *(name for name in mechanism.rates if name not in mechanism.modes),
            *(mimic.joint for mimic in mechanism.mimics),
        ),
        springs=(),
        laws=(),
        actuators=(),
        home=(),
        balls=(),
        mimics=(),
        flexible=(),
        joints=tuple(replace(joint, damping=Fraction(0), friction=Fraction(0)) for joint in folded.joints),
    )
    graph = graph_of(folded)
    for ball in mechanism.balls:
        tree = on_placement(tree, ball, graph)
    return replace(tree, joints=still_in_balls(tree.joints, mechanism.balls))


def keeps_parameters(mechanism: Mechanism, live: bool) -> bool:
    """Whether the tree must be derived with live parameters."""
    return live or bool(mechanism.balls)


def orientation_name(ball: BallJoint, r: int, c: int) -> str:
    """The parameter that stands for an entry of the rotation of a ball joint's child."""
    return f"rotation of {ball.name}, entry {r}, {c}"


def position_name(ball: BallJoint, m: int) -> str:
    """The parameter that stands for a component of the position of a floating joint's child."""
    return f"position of {ball.name}, component {m}"


def on_placement(
    tree: Mechanism,
    ball: BallJoint,
    graph: Graph,
    rotation_there: Matrix3 = IDENTITY3,
    position_there: Vector3 = ZERO3,
) -> Mechanism:
    """The mechanism with the chain of a ball joint on a placement whose entries are parameters, with these numbers."""
    parameters: list[Parameter] = []

    def parameter(name: str, value: Value, unit: str) -> Expression:
        assert isinstance(value, Fraction), "numbers of the placement"
        parameters.append(Parameter(name, value, unit, f"placement of {ball.name}"))
        return Expression(graph, graph.parameter(name))

    rotation = [
        [parameter(orientation_name(ball, r, c), rotation_there[r][c], "1") for c in range(3)]
        for r in range(3)
    ]
    position = (
        [parameter(position_name(ball, m), position_there[m], "m") for m in range(3)]
        if ball.free
        else [Fraction(0)] * 3
    )

    def carried(joint: Joint) -> Joint:
        if joint.name != ball.joints[0]:
            return joint
        x, y, z = (tuple(row) for row in vec.multiply(joint.rotation, rotation))
        at = vec.add(joint.position, vec.apply(joint.rotation, position))
        return replace(joint, rotation=(_three(x), _three(y), _three(z)), position=_three(tuple(at)))

    return replace(
        tree,
        joints=tuple(carried(joint) for joint in tree.joints),
        parameters=(*tree.parameters, *parameters),
    )


def placement_names(balls: Iterable[BallJoint]) -> frozenset[str]:
    """The parameters that stand for placements of ball joints."""
    return frozenset(
        name
        for ball in balls
        for name in (
            *(orientation_name(ball, r, c) for r in range(3) for c in range(3)),
            *(position_name(ball, m) for m in range(3)),
        )
    )


def graph_of(mechanism: Mechanism) -> Graph:
    """The graph of the mechanism's own parameters, a new one where no value depends on them."""
    return next(_graphs(mechanism), None) or Graph()


def still_in_balls(joints: Iterable[Joint], balls: Iterable[BallJoint]) -> tuple[Joint, ...]:
    """The joints, those of ball joints with coordinates that stay at zero."""
    inner = {name for ball in balls for name in ball.joints}
    return tuple(replace(joint, still=True) if joint.name in inner else joint for joint in joints)


def _three(v: tuple[object, ...]) -> tuple[Any, Any, Any]:
    x, y, z = v
    return x, y, z


def _graphs(mechanism: Mechanism) -> Iterator[Graph]:
    """The graph of the mechanism's own parameters, once for every value that uses them."""
    for _, value in values_of(mechanism):
        if isinstance(value, Expression):
            yield value.graph
