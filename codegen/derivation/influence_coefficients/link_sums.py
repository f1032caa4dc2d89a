"""Effective inertia and inertia power array as sums over the links, equations (9) to (16) as they are printed.

P* so found is not symmetric, since the rotational H are not; only its symmetric half enters dphi/dt^T P* dphi/dt.
"""

from __future__ import annotations

from dataclasses import dataclass

from kanegen.codegen.derivation.influence_coefficients.arrays import (
    Array,
    Matrix,
    Vector,
    array_sum,
    congruence,
    generalized_dot,
    plane_by_plane,
    zero_array,
)
from kanegen.codegen.derivation.influence_coefficients.coefficients import (
    Influence,
    point_influence,
    rotation_influence,
)
from kanegen.codegen.derivation.placed_tree.central_inertia import CentralInertia
from kanegen.codegen.derivation.recursive.kinematics import Kinematics
from kanegen.codegen.graph import Expression, Graph
from kanegen.codegen.graph import linear as vec


@dataclass(frozen=True, slots=True)
class Link:
    """A link: mass M [kg], inertia Pi [kg m^2] along the base axes (11), coefficients of its centre and its rotation."""

    mass: Expression
    inertia: Matrix
    center: Influence
    rotation: Influence


def links(kinematics: Kinematics, inertias: tuple[CentralInertia, ...]) -> list[Link]:
    """The links of a placed tree; ``inertias`` are those of its bodies, in their order."""
    number = kinematics.motion.number
    found = []
    for i, inertia in enumerate(inertias):
        turn = tuple(tuple(kinematics.rotation(i, m, r) for r in range(3)) for m in range(3))
        arm = [number(x) for x in inertia.center]
        center = [kinematics.origin(i, m) + kinematics.direction(i, arm, m) for m in range(3)]
        local = tuple(tuple(number(x) for x in row) for row in inertia.tensor)
        found.append(
            Link(
                number(inertia.mass),
                vec.congruence(turn, local),
                point_influence(kinematics, i, center),
                rotation_influence(kinematics, i),
            )
        )
    return found


def inertia_moments(inertia: Matrix) -> Array:
    """P of a link, (12): omega x Pi omega = omega^T P omega; its columns are those of the inertia, ``I_x`` and so on."""
    I_x, I_y, I_z = vec.transpose(inertia)
    nothing = tuple(x - x for x in I_x)
    planes = (
        (nothing, I_z, vec.scale(-1, I_y)),
        (vec.scale(-1, I_z), nothing, I_x),
        (I_y, vec.scale(-1, I_x), nothing),
    )
    return [vec.transpose(columns) for columns in planes]


def effective_inertia(graph: Graph, chain: list[Link], n: int) -> Matrix:
    """I* of (15), n x n."""
    terms: list[Matrix] = [vec.zero_matrix(graph, n, n)]
    for link in chain:
        translation = vec.multiply_total(graph, vec.transpose(link.center.G), link.center.G)
        terms.append(vec.matrix_scale(link.mass, translation))
        terms.append(congruence(graph, link.rotation.G, link.inertia))
    return vec.matrix_add_total(graph, *terms)


def inertia_power(graph: Graph, chain: list[Link], n: int) -> Array:
    """P* of (16), n x n x n."""
    terms: list[Array] = [zero_array(graph, n, n)]
    for link in chain:
        Gc, Gr = vec.transpose(link.center.G), vec.transpose(link.rotation.G)
        terms.append(generalized_dot(graph, vec.matrix_scale(link.mass, Gc), link.center.H))
        terms.append(generalized_dot(graph, vec.multiply_total(graph, Gr, link.inertia), link.rotation.H))
        moments = generalized_dot(graph, Gr, inertia_moments(link.inertia))
        terms.append(plane_by_plane(graph, link.rotation.G, moments))
    return array_sum(graph, terms)


def applied_loads(graph: Graph, chain: list[Link], gravity: Vector, n: int) -> Vector:
    """The sum in (17) for the links' weights: generalized forces that gravity [m/s^2] exerts."""
    terms: list[Matrix] = [vec.zero_matrix(graph, n, 1)]
    for link in chain:
        weight = [[link.mass * g] for g in gravity]
        terms.append(vec.multiply_total(graph, vec.transpose(link.center.G), weight))
    return [row[0] for row in vec.matrix_add_total(graph, *terms)]
