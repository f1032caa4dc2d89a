"""The tree as described, in the form that the equations want: joints in order, with indices instead of names."""

from __future__ import annotations

from dataclasses import dataclass

from kanegen.codegen.derivation.euler_parameters.rotation import parameters_of
from kanegen.codegen.mechanism.folding import with_numbers
from kanegen.codegen.mechanism.records import (
    BASE,
    ZERO3,
    Inertia,
    JointKind,
    Matrix3,
    Mechanism,
    Value,
    Vector3,
)
from kanegen.codegen.mechanism.reduction import without_fixed_joints
from kanegen.codegen.mechanism.vectors import matrix_vector, subtract

Parameters = tuple[Value, Value, Value, Value]


@dataclass(frozen=True, slots=True)
class Link:
    """A body and the joint that carries it; ``parent`` is the index of the link inwards, -1 for the base.

    ``coordinate`` is the place in q, None for a joint that is no coordinate and stands at zero.  The joint frame is placed
    in the parent's frame by ``rotation`` and ``position``; ``parameters`` are the Euler parameters of ``rotation``.
    """

    name: str
    joint: str
    parent: int
    revolute: bool
    coordinate: int | None
    rotation: Matrix3
    position: Vector3
    parameters: Parameters
    axis: Vector3
    inertia: Inertia | None

    @property
    def center(self) -> Vector3:
        """Mass centre [m] in the body's frame; the origin of a body without inertia."""
        return ZERO3 if self.inertia is None else self.inertia.center


@dataclass(frozen=True, slots=True)
class Chain:
    """The moving bodies, every parent before its children, and the mechanism that they belong to."""

    mechanism: Mechanism
    links: tuple[Link, ...]

    def index(self, body: str) -> int:
        """The place of the body of that name; -1 for the base.  Raises KeyError."""
        if body == BASE:
            return -1
        for i, link in enumerate(self.links):
            if link.name == body:
                return i
        raise KeyError(body)

    def from_center(self, i: int, point: Vector3) -> Vector3:
        """A point of body i's frame, from the body's mass centre; of the base, from its origin."""
        return point if i < 0 else subtract(point, self.links[i].center)

    def children(self, i: int) -> list[int]:
        """The links that hang on link i."""
        return [k for k, link in enumerate(self.links) if link.parent == i]


def chain_of(mechanism: Mechanism, live_parameters: bool) -> Chain:
    """The tree of a mechanism without its fixed joints; parameters become numbers unless they stay live."""
    reduced = without_fixed_joints(mechanism)
    if not live_parameters:
        reduced = with_numbers(reduced)
    order = {BASE: -1} | {joint.child: i for i, joint in enumerate(reduced.joints)}
    coordinates = {name: k for k, name in enumerate(reduced.coordinates)}
    links = []
    for joint in reduced.joints:
        links.append(
            Link(
                name=joint.child,
                joint=joint.name,
                parent=order[joint.parent],
                revolute=joint.kind is JointKind.REVOLUTE,
                coordinate=coordinates.get(joint.name),
                rotation=joint.rotation,
                position=joint.position,
                parameters=parameters_of(joint.rotation, reduced),
                axis=joint.axis,
                inertia=reduced.body(joint.child).inertia,
            )
        )
    return Chain(reduced, tuple(links))


def axis_in_parent(link: Link) -> Vector3:
    """The joint's axis in the parent's frame."""
    return matrix_vector(link.rotation, link.axis)
