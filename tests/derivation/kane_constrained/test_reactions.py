"""Auxiliary speeds: any component of what a joint passes on, against sums over the free bodies beyond it.

Between a joint and its parent stands a body without inertia on a further joint that is held at zero.  Its generalized
force is the force, or the moment about the joint frame's origin, with which the parent acts on what hangs on it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
import pytest

from kanegen.codegen.derivation.kane import forces
from kanegen.codegen.graph import Graph, constant, evaluate, inputs
from kanegen.codegen.mechanism import BASE, Body, Joint, JointKind, Mechanism, numeric
from kanegen.codegen.mechanism.records import IDENTITY3, ZERO3, Matrix3, Vector3
from tests.derivation.comparison import ROUNDING, Array
from tests.derivation.trees import random_states, random_tree

from .support import program_of

DIRECTIONS: tuple[Vector3, ...] = (
    (Fraction(1), Fraction(0), Fraction(0)),
    (Fraction(0), Fraction(3, 5), Fraction(-4, 5)),
)


def with_auxiliary_joint(tree: Mechanism, name: str, kind: JointKind, direction: Vector3) -> Mechanism:
    """The tree with a joint "auxiliary" in front of the joint of that name, its coordinate the last."""
    joint = tree.joint(name)
    auxiliary = Joint("auxiliary", kind, joint.parent, "carrier", joint.rotation, joint.position, direction)
    moved = replace(joint, parent="carrier", rotation=IDENTITY3, position=ZERO3)
    place = tree.joints.index(joint)
    return replace(
        tree,
        bodies=(*tree.bodies, Body("carrier", None)),
        joints=(*tree.joints[:place], auxiliary, moved, *tree.joints[place + 1 :]),
        coordinates=(*tree.coordinates, "auxiliary"),
    )


def held(tree: Mechanism, q: Array, v: Array, a: Array) -> Array:
    """The force on the joint "auxiliary", which is held at zero, in each of the states."""
    n = len(tree.coordinates) - 1
    graph = Graph()
    zero = constant(graph, 0)
    tau = forces(tree, graph, *((*inputs(graph, name, n), zero) for name in "qva"))
    program = program_of(graph, dict.fromkeys("qva", n), [tau[-1]])
    found: Array = evaluate(program, {"q": q, "v": v, "a": a})["tau"][:, 0]
    return found


# -- the witness: bodies one by one in the base frame --------------------------------------------------------


@dataclass(frozen=True)
class Moving:
    """A body's frame in the base: rotation, origin, angular velocity and acceleration, acceleration of the origin."""

    turn: Array
    origin: Array
    w: Array
    alpha: Array
    acceleration: Array

    def acceleration_at(self, point: Array) -> Array:
        """Acceleration of a point of the body."""
        r = point - self.origin
        result: Array = self.acceleration + np.cross(self.alpha, r) + np.cross(self.w, np.cross(self.w, r))
        return result


AT_REST = Moving(np.eye(3), np.zeros(3), np.zeros(3), np.zeros(3), np.zeros(3))


def array(values: Vector3 | Matrix3, tree: Mechanism) -> Array:
    """Values of a record as numbers."""
    return np.array([array(x, tree) if isinstance(x, tuple) else float(numeric(x, tree)) for x in values])


def moved(tree: Mechanism, q: Array, v: Array, a: Array) -> dict[str, Moving]:
    """Every body, joint by joint."""
    found = {BASE: AT_REST}
    for joint in tree.joints:
        parent = found[joint.parent]
        start = parent.origin + parent.turn @ array(joint.position, tree)
        turn = parent.turn @ array(joint.rotation, tree)
        e = turn @ array(joint.axis, tree)
        x, rate, change = (
            (0.0, 0.0, 0.0)
            if joint.kind is JointKind.FIXED
            else (values[tree.coordinates.index(joint.name)] for values in (q, v, a))
        )
        if joint.kind is JointKind.PRISMATIC:
            origin = start + e * x
            carried = parent.acceleration_at(origin) + 2 * rate * np.cross(parent.w, e) + change * e
            found[joint.child] = Moving(turn, origin, parent.w, parent.alpha, carried)
        else:
            k = array(joint.axis, tree)
            skew = np.cross(k, np.eye(3)).T  # columns k x e_i
            rotation = np.eye(3) + np.sin(x) * skew + (1 - np.cos(x)) * (skew @ skew)
            w = parent.w + rate * e
            alpha = parent.alpha + change * e + rate * np.cross(parent.w, e)
            found[joint.child] = Moving(turn @ rotation, start, w, alpha, parent.acceleration_at(start))
    return found


def beyond(tree: Mechanism, body: str) -> list[str]:
    """The bodies that hang on a body, itself included."""
    names = [body]
    for joint in tree.joints:
        if joint.parent in names:
            names.append(joint.child)
    return names


def passed_on(tree: Mechanism, name: str, q: Array, v: Array, a: Array) -> tuple[Array, Array, Array]:
    """Force and moment about the joint frame's origin on what hangs on a joint, base frame; the frame's rotation."""
    bodies = moved(tree, q, v, a)
    joint = tree.joint(name)
    parent = bodies[joint.parent]
    point = parent.origin + parent.turn @ array(joint.position, tree)
    force, moment = np.zeros(3), np.zeros(3)
    for part in beyond(tree, joint.child):
        inertia, body = tree.body(part).inertia, bodies[part]
        if inertia is None:
            continue
        center = body.origin + body.turn @ array(inertia.center, tree)
        tensor = body.turn @ array(inertia.tensor, tree) @ body.turn.T
        push = float(numeric(inertia.mass, tree)) * (body.acceleration_at(center) - array(tree.gravity, tree))
        force += push
        moment += np.cross(center - point, push)
        moment += tensor @ body.alpha + np.cross(body.w, tensor @ body.w)
    return force, moment, parent.turn @ array(joint.rotation, tree)


@pytest.mark.parametrize("direction", DIRECTIONS, ids=["axis", "skew"])
@pytest.mark.parametrize("kind", [JointKind.PRISMATIC, JointKind.REVOLUTE], ids=["force", "moment"])
@pytest.mark.parametrize("seed", range(3))
def test_reactions_of_random_arms(seed: int, kind: JointKind, direction: Vector3) -> None:
    tree = random_tree(seed, 5)
    states: Mapping[str, Array] = dict(zip("qva", random_states(seed, 10, 5)[:3], strict=True))
    d = np.array(direction, dtype=float)
    for name in ("joint1", "joint3", "joint4"):
        found = held(with_auxiliary_joint(tree, name, kind, direction), **states)
        for state, value in enumerate(found):
            force, moment, turn = passed_on(tree, name, *(values[state] for values in states.values()))
            whole = force if kind is JointKind.PRISMATIC else moment
            # the component is measured by the whole of force and moment: it may be small by itself
            size = np.linalg.norm(force) + np.linalg.norm(moment)
            assert abs(value - turn @ d @ whole) < 10 * ROUNDING * size


def test_what_an_actuator_does_is_part_of_what_a_joint_passes_on() -> None:
    """Along its own axis a joint passes on its generalized force."""
    tree = random_tree(3, 5)
    states = dict(zip("qva", random_states(9, 10, 5)[:3], strict=True))
    joint = tree.joint("joint2")
    beside = held(with_auxiliary_joint(tree, "joint2", joint.kind, joint.axis), **states)
    graph = Graph()
    tau = forces(tree, graph, *(inputs(graph, name, 5) for name in "qva"))
    own = [tau[tree.coordinates.index("joint2")]]
    expected = evaluate(program_of(graph, dict.fromkeys("qva", 5), own), states)["tau"][:, 0]
    assert np.abs(beside - expected).max() < 10 * ROUNDING * np.abs(expected).max()
