"""The tree of simple joints behind a mechanism with ball joints, mimics and flexible links, which are rigid in it.

The chain that stands for a ball joint hangs on a placement that its quaternion (and position) give.  The derivations of a
tree know nothing of it: to them its entries are parameters, whatever they are; composing the finished program with the
expressions in q replaces them (see setting.py).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from typing import Any

from kanegen.codegen.graph import Expression, Graph
from kanegen.codegen.graph import vectors as vec
from kanegen.codegen.mechanism.folding import with_numbers
from kanegen.codegen.mechanism.records import BallJoint, Joint, Mechanism, Parameter
from kanegen.codegen.mechanism.validation import values_of


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
    graph = next(_graphs(folded), None) or Graph()
    for ball in mechanism.balls:
        tree = _placed(tree, ball, graph)
    return tree


def keeps_parameters(mechanism: Mechanism, live: bool) -> bool:
    """Whether the tree must be derived with live parameters."""
    return live or bool(mechanism.balls)


def orientation_name(ball: BallJoint, r: int, c: int) -> str:
    """The parameter that stands for an entry of the rotation of a ball joint's child."""
    return f"rotation of {ball.name}, entry {r}, {c}"


def position_name(ball: BallJoint, m: int) -> str:
    """The parameter that stands for a component of the position of a floating joint's child."""
    return f"position of {ball.name}, component {m}"


def _placed(tree: Mechanism, ball: BallJoint, graph: Graph) -> Mechanism:
    parameters: list[Parameter] = []

    def parameter(name: str, value: int, unit: str) -> Expression:
        parameters.append(Parameter(name, Fraction(value), unit, f"placement of {ball.name}"))
        return Expression(graph, graph.parameter(name))

    rotation = [
        [parameter(orientation_name(ball, r, c), int(r == c), "1") for c in range(3)] for r in range(3)
    ]
    position = (
        [parameter(position_name(ball, m), 0, "m") for m in range(3)] if ball.free else [Fraction(0)] * 3
    )

    def carried(joint: Joint) -> Joint:
        if joint.name not in ball.joints:
            return joint
        if joint.name != ball.joints[0]:
            return replace(joint, still=True)
        x, y, z = (tuple(row) for row in vec.multiply(joint.rotation, rotation))
        at = vec.add(joint.position, vec.apply(joint.rotation, position))
        return replace(
            joint, still=True, rotation=(_three(x), _three(y), _three(z)), position=_three(tuple(at))
        )

    return replace(
        tree,
        joints=tuple(carried(joint) for joint in tree.joints),
        parameters=(*tree.parameters, *parameters),
    )


def _three(v: tuple[object, ...]) -> tuple[Any, Any, Any]:
    x, y, z = v
    return x, y, z


def _graphs(mechanism: Mechanism) -> Iterator[Graph]:
    """The graph of the mechanism's own parameters, once for every value that uses them."""
    for _, values, _ in values_of(mechanism):
        for value in values:
            if isinstance(value, Expression):
                yield value.graph
