"""What the dual formulation knows of a tree: bodies joined by dual displacements, with central inertias.

The frames are those of placement.py: every joint axis is a coordinate axis of its body and passes through its origin.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from kanegen.codegen.derivation.dual_vectors.cylindrical import Slide, with_cylindrical_joints
from kanegen.codegen.derivation.dual_vectors.dual_number import DualNumber
from kanegen.codegen.derivation.dual_vectors.dual_rotation import DualRotation, Rows
from kanegen.codegen.derivation.dual_vectors.dual_vector import Triple
from kanegen.codegen.derivation.placed_tree.central_inertia import central_inertias
from kanegen.codegen.derivation.placed_tree.choices import Choices
from kanegen.codegen.derivation.placed_tree.placement import place
from kanegen.codegen.graph import Expression, Graph, constant
from kanegen.codegen.mechanism.records import Frame, Matrix3, Mechanism
from kanegen.codegen.mechanism.reduction import without_fixed_joints
from kanegen.codegen.mechanism.values import Lift


@dataclass(frozen=True, slots=True)
class DualBody:
    """A body, its joint to the body ``parent`` (-1: the base) and its inertia.

    The joint is the fixed displacement ``place`` and then a dual displacement about coordinate axis ``axis``.
    ``turn`` and ``slide`` are the places of its two coordinates in q, None where the joint has no such freedom; the
    angle about the axis is ``sense`` q[turn], the way along it ``slide_sense`` q[slide].  ``center`` [m] leads to the mass
    centre, where ``tensor`` [kg m^2] belongs.  ``described`` is the displacement from the frame of the body's description to
    the one used here; for the link of a cylindrical joint it starts on the joint's line.
    """

    name: str
    parent: int
    axis: int
    turn: int | None
    slide: int | None
    sense: int
    slide_sense: int
    place: DualRotation
    mass: Expression
    center: Triple
    tensor: Rows
    described: DualRotation

    def dual_angle(self, values: Sequence[Expression]) -> DualNumber:
        """The dual number theta + epsilon l of this joint in coordinates, rates or accelerations given in their order."""
        zero = constant(self.mass.graph, 0)
        return DualNumber(
            zero if self.turn is None else values[self.turn] * self.sense,
            zero if self.slide is None else values[self.slide] * self.slide_sense,
        )

    @property
    def to_center(self) -> DualRotation:
        """The displacement from the body's origin to its mass centre, the axes parallel."""
        graph = self.mass.graph
        one, zero = constant(graph, 1), constant(graph, 0)
        return DualRotation(((one, zero, zero), (zero, one, zero), (zero, zero, one)), self.center)


@dataclass(frozen=True, slots=True)
class DualChain:
    """Bodies in an order in which parents precede children, and the acceleration of free fall [m/s^2] in the base."""

    bodies: tuple[DualBody, ...]
    gravity: Triple


def dual_chain(tree: Mechanism, graph: Graph, cylindrical: bool = True) -> DualChain:
    """The bodies of a plain tree, its values copied into ``graph``; what is an expression stays live.

    With ``cylindrical`` hinges and slides on the same line become one joint.
    """
    reduced = without_fixed_joints(tree)
    place_in_q = {name: i for i, name in enumerate(tree.coordinates)}
    slides: Mapping[str, Slide] = {}
    if cylindrical:
        merged = with_cylindrical_joints(reduced)
        reduced, slides = merged.tree, merged.slides
    placed = place(reduced, Choices(), live_parameters=True)
    lift = Lift(graph, live=True)
    bodies = []
    for body, inertia in zip(placed.bodies, central_inertias(reduced, placed), strict=True):
        slide = slides.get(body.joint)
        own = place_in_q[body.joint]
        along = (None if body.revolute else own) if slide is None else place_in_q[slide.joint]
        bodies.append(
            DualBody(
                name=body.name,
                parent=body.parent,
                axis=body.axis,
                turn=own if body.revolute else None,
                slide=along,
                sense=body.sense,
                slide_sense=body.sense if slide is None else body.sense * slide.sense,
                place=DualRotation(_rows(lift, body.rotation), lift.vector(body.position)),
                mass=lift(inertia.mass),
                center=lift.vector(inertia.center),
                tensor=_rows(lift, inertia.tensor),
                described=DualRotation(_rows(lift, body.frame_rotation), lift.vector(body.frame_position)),
            )
        )
    return DualChain(tuple(bodies), lift.vector(placed.gravity))


def frame_displacement(frame: Frame, graph: Graph) -> DualRotation:
    """The displacement from the described frame of a body to a frame that is fixed in it."""
    lift = Lift(graph, live=True)
    return DualRotation(_rows(lift, frame.rotation), lift.vector(frame.position))


def _rows(lift: Lift, matrix: Matrix3) -> Rows:
    return lift.vector(matrix[0]), lift.vector(matrix[1]), lift.vector(matrix[2])
