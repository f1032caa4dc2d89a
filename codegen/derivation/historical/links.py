"""What the historical methods know of a tree: links with constant inertias, and joints as matrices in one coordinate.

A link's frame is in its own joint, as in placement.py: on the axis of a hinge, along a coordinate axis.  The papers put it
at the far end, where a chain has its next joint; a tree may have several.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

from kanegen.codegen.derivation.open_chains import require_tree
from kanegen.codegen.derivation.placed_tree.central_inertia import central_inertias
from kanegen.codegen.derivation.placed_tree.choices import Choices
from kanegen.codegen.derivation.placed_tree.placement import PlacedBody, place
from kanegen.codegen.graph import Expression, Graph, constant
from kanegen.codegen.graph import linear as vec
from kanegen.codegen.graph.linear import Entries, Matrix, Rows, Vector
from kanegen.codegen.mechanism.records import Mechanism
from kanegen.codegen.mechanism.reduction import without_fixed_joints
from kanegen.codegen.mechanism.values import Lift

Scalar = Any
"""An Expression, or one whose operations are counted (as_written.py)."""


@dataclass(frozen=True, slots=True)
class Inertia:
    """Mass [kg], mass centre [m] and central tensor [kg m^2]; first and second moments about the origin of the link."""

    mass: Scalar
    center: Vector
    tensor: Matrix
    first: Vector
    second: Matrix


@dataclass(frozen=True, slots=True)
class Joint:
    """A joint in its coordinate q: ``turn`` carries components to the parent's axes, its derivatives by q are those of a
    hinge; ``position`` leads from the parent's origin, along the parent's axes, and ``along`` is the direction there that
    a slide has.  ``axis`` is that of the joint in the axes of the link.
    """

    turn: Matrix
    slope: Matrix
    curvature: Matrix
    position: Vector
    along: Vector
    axis: Vector
    rate: Scalar
    acceleration: Scalar


@dataclass(frozen=True, slots=True)
class Link:
    """A link, the link ``parent`` before it (-1: the base) and those after it.

    ``coordinate`` and ``sense`` say where the joint's force belongs and with which sign.
    """

    parent: int
    children: tuple[int, ...]
    hinge: bool
    coordinate: int
    sense: int
    joint: Joint
    inertia: Inertia


@dataclass(frozen=True, slots=True)
class Tree:
    """Links in an order in which parents come first; the acceleration of free fall [m/s^2] in the base; 0 and 1."""

    links: tuple[Link, ...]
    gravity: Vector
    zero: Scalar
    one: Scalar

    def outwards(self) -> Iterator[tuple[int, Link]]:
        """Links with their places, parents first."""
        return enumerate(self.links)

    def inwards(self) -> Iterator[tuple[int, Link]]:
        """Links with their places, parents last."""
        return reversed(list(enumerate(self.links)))

    def path(self, i: int) -> list[int]:
        """Links from link i to the base."""
        return [i, *self.path(self.links[i].parent)] if i >= 0 else []

    def in_order(self, forces: Sequence[Scalar]) -> list[Scalar]:
        """Forces of the joints of the links, in the order of the coordinates."""
        found = list(forces)
        for link, x in zip(self.links, forces, strict=True):
            found[link.coordinate] = x if link.sense > 0 else -x
        return found


def links_of(
    mechanism: Mechanism, graph: Graph, q: Entries, v: Entries | None = None, a: Entries | None = None
) -> Tree:
    """The links of a plain tree in a motion; values that are expressions stay live.  Raises ModelError for other things."""
    require_tree(mechanism, "methods of the literature")
    reduced = without_fixed_joints(mechanism)
    placed = place(reduced, Choices(), live_parameters=True)
    lift = Lift(graph, live=True)
    rest = vec.zeros(graph, len(placed.bodies))
    v, a = rest if v is None else v, rest if a is None else a
    links = []
    for i, (body, central) in enumerate(zip(placed.bodies, central_inertias(reduced, placed), strict=True)):
        inertia = Inertia(
            lift(body.mass),
            lift.vector(central.center),
            lift.matrix(central.tensor),
            lift.vector(body.first_moment),
            lift.matrix(body.second_moment),
        )
        given = [x[body.coordinate] if body.sense > 0 else -x[body.coordinate] for x in (q, v, a)]
        children, joint = tuple(placed.children(i)), _joint(body, lift, *given)
        own = (body.revolute, body.coordinate, body.sense)
        links.append(Link(body.parent, children, *own, joint, inertia))
    return Tree(tuple(links), lift.vector(placed.gravity), constant(graph, 0), constant(graph, 1))


def _joint(body: PlacedBody, lift: Lift, q: Expression, v: Expression, a: Expression) -> Joint:
    zero, one = (constant(lift.graph, x) for x in (0, 1))
    axis = tuple(one if k == body.axis else zero for k in range(3))
    fixed, position = lift.matrix(body.rotation), lift.vector(body.position)
    along = vec.apply(fixed, axis)
    if not body.revolute:
        none = ((zero,) * 3,) * 3
        return Joint(fixed, none, none, vec.add(position, vec.scale(q, along)), along, axis, v, a)
    s, c = q.sine(), q.cosine()
    turn = vec.multiply(fixed, vec.about(axis, c, s))
    across = vec.matrix_add(turn, vec.matrix_scale(-1, vec.multiply(fixed, vec.outer(axis, axis))))
    slope = vec.multiply(turn, vec.skew(axis))
    return Joint(turn, slope, vec.matrix_scale(-1, across), position, along, axis, v, a)


def mapped(tree: Tree, given: Callable[[Scalar], Scalar], moving: Callable[[Scalar], Scalar]) -> Tree:
    """The same tree with other scalars: those that are given once for all, and those that change as it moves.

    Matrices of joints, and what is around them, are full of numbers that change, whatever the joint.
    """

    def each(x: Any, f: Callable[[Scalar], Scalar]) -> Any:
        return tuple(each(y, f) for y in x) if isinstance(x, tuple) else f(x)

    def all_of(record: Any, constant: Collection[str]) -> Any:
        names = [field.name for field in fields(record)]
        return replace(
            record, **{x: each(getattr(record, x), given if x in constant else moving) for x in names}
        )

    links = []
    for link in tree.links:
        constant = ("along", "axis", *(("position",) if link.hinge else ()))
        inertia = all_of(link.inertia, [field.name for field in fields(link.inertia)])
        links.append(replace(link, joint=all_of(link.joint, constant), inertia=inertia))
    return Tree(tuple(links), each(tree.gravity, given), moving(tree.zero), moving(tree.one))


# -- what is not there, is not computed ----------------------------------------------------------------------------------

Some = Any
"""A vector or matrix, or None where it vanishes because the base does not move or nothing comes after the tip."""


def some(operation: Callable[..., Any], *operands: Some) -> Some:
    """The result of an operation; None where one of its operands is."""
    return None if any(x is None for x in operands) else operation(*operands)


def total(*terms: Some) -> Some:
    """The sum of the vectors that are there; None without any."""
    there = [x for x in terms if x is not None]
    return vec.add(*there) if there else None


def matrix_total(*terms: Some) -> Some:
    """The sum of the matrices that are there; None without any."""
    there = [x for x in terms if x is not None]
    return vec.matrix_add(*there) if there else None


def trace_of_product(m: Rows, n: Rows) -> Scalar:
    """tr(m n), with the whole product, as Waters, Hollerbach and those before them count it."""
    product = vec.multiply(m, n)
    found = product[0][0]
    for k in range(1, len(product)):
        found = found + product[k][k]
    return found
