"""Isomorphic transfer of generalized coordinates: a model in coordinates u, expressed in others phi.

The coordinates are tied to each other by an ``Influence`` of phi on u, that is by

    du/dt = G dphi/dt,    d2u/dt2 = G d2phi/dt2 + dphi/dt^T H dphi/dt        G = G^u_phi, H = H^u_phiphi.

Put into what depends on u, equations (1), (5) and (14) keep their form with

    G^e_phi = G^e_u G,       H^e_phiphi = G^e_u . H + G^T [H^e_uu] G,
    I*_phi  = G^T I*_u G,    P*_phi = (G^T I*_u) . H + G^T [G^T . P*_u] G,    T_phi = G^T T_u.

Where the influence is known the other way round, of u on some e that are to be the new coordinates, differentiating
G^e_u du/dt = de/dt once more gives H^u_ee from G^u_ee.
"""

from __future__ import annotations

from collections.abc import Sequence

from kanegen.codegen.derivation.influence_coefficients.arrays import (
    Array,
    Matrix,
    Vector,
    array_sum,
    block_array,
    block_diagonal,
    congruence,
    generalized_dot,
    minus,
    plane_by_plane,
    zero_array,
)
from kanegen.codegen.derivation.influence_coefficients.coefficients import Influence
from kanegen.codegen.derivation.influence_coefficients.inverses import generalized_inverse, inverse, solved
from kanegen.codegen.derivation.influence_coefficients.model import Model
from kanegen.codegen.graph import Expression, Graph, Tangents, constant
from kanegen.codegen.graph import linear as vec


def transferred(graph: Graph, model: Model, u: Influence) -> Model:
    """A model in the coordinates u as one in the coordinates phi that determine them."""
    back = vec.transpose(u.G)
    return Model(
        congruence(graph, u.G, model.inertia),
        array_sum(
            graph,
            [
                generalized_dot(graph, vec.multiply_total(graph, back, model.inertia), u.H),
                plane_by_plane(graph, u.G, generalized_dot(graph, back, model.power)),
            ],
        ),
        vec.apply_total(graph, back, model.loads),
    )


def transferred_to(graph: Graph, model: Model, e: Influence, N: Matrix) -> Model:
    """A model in the coordinates u as one in e, on which u has the influence ``e``, for du/dt = N de/dt with G N = 1.

    N is the inverse of G, or ``least_energy_inverse``.  ``transferred`` with H^u_ee written out, which need not be formed:
    (N^T I*_u) . H^u_ee = -N^T [I*_e . H^e_uu] N.
    """
    back = vec.transpose(N)
    inertia = congruence(graph, N, model.inertia)
    bent = minus(generalized_dot(graph, inertia, e.H))
    power = array_sum(graph, [generalized_dot(graph, back, model.power), bent])
    return Model(inertia, plane_by_plane(graph, N, power), vec.apply_total(graph, back, model.loads))


def transferred_influence(graph: Graph, e: Influence, u: Influence) -> Influence:
    """The influence of u on e as one of the coordinates phi that determine u."""
    return Influence(
        vec.multiply_total(graph, e.G, u.G),
        array_sum(graph, [generalized_dot(graph, e.G, u.H), plane_by_plane(graph, u.G, e.H)]),
    )


def transferred_damping(graph: Graph, damping: Matrix, u: Influence) -> Matrix:
    """C* of (18) in the coordinates phi."""
    return congruence(graph, u.G, damping)


def transferred_stiffness(graph: Graph, stiffness: Matrix, loads: Vector, u: Influence) -> Matrix:
    """K* of (25) in the coordinates phi; ``loads`` are the springs' generalized forces (23) on u."""
    (bent,) = generalized_dot(graph, [loads], u.H)
    return vec.matrix_add_total(graph, congruence(graph, u.G, stiffness), bent)


def side_by_side(graph: Graph, models: Sequence[Model]) -> Model:
    """Separate models as one in all their coordinates: cooperating arms before they share a load."""
    return Model(
        block_diagonal(graph, [model.inertia for model in models]),
        block_array(graph, [model.power for model in models]),
        [load for model in models for load in model.loads],
    )


def stacked(influences: Sequence[Influence]) -> Influence:
    """Influences of the same coordinates on several sets of parameters, as one on all of them in that order."""
    return Influence(
        [row for influence in influences for row in influence.G],
        [plane for influence in influences for plane in influence.H],
    )


def from_matrix(graph: Graph, q: Sequence[Expression], matrix: Matrix) -> Influence:
    """The influence du/dt = N(u) dphi/dt of a given matrix N, by differentiating it.

    ``q`` are the inputs that stand for u: H_p,mn = sum over i of dN_pn/du_i N_im.
    """
    planes = zero_array(graph, len(matrix), len(matrix[0]))
    for m in range(len(matrix[0])):
        along = Tangents(graph, {x: row[m] for x, row in zip(q, matrix, strict=True)})
        for p, row in enumerate(matrix):
            for n, entry in enumerate(row):
                planes[p][m][n] = along.first(entry)
    return Influence(matrix, planes)


def reversed_influence(graph: Graph, e: Influence) -> Influence:
    """From joints to the hand: the influence of e on u for as many e as u.

    G^u_e = (G^e_u)^-1 and H^u_ee = -G^u_e . (G^u_e^T [H^e_uu] G^u_e).  It is singular where the arm is.
    """
    return _with_second_order(graph, e, inverse(graph, e.G))


def least_energy_inverse(graph: Graph, G: Matrix, inertia: Matrix) -> Matrix:
    """N = W^-1 G^T (G W^-1 G^T)^-1 with W = I*: of all du/dt with G du/dt = de/dt, N de/dt has the least kinetic energy."""
    return generalized_inverse(graph, G, solved(inertia, vec.transpose(G)))


def reversed_with_least_energy(graph: Graph, e: Influence, model: Model) -> Influence:
    """Redundant arms: the influence of e on u for fewer e than u, that moves u with the least kinetic energy.

    G^u_e is the N of ``least_energy_inverse``.  With A = (G W^-1 G^T)^-1, W N = G^T A and G N = 1, differentiated along u,
    give

        dN = (1 - N G) W^-1 (dG^T A - dW N) - N dG N,    dI*_mn/du_i = P*_m,ni + P*_n,mi,

    the last for the symmetric P* of ``model``.  Since N^T W (1 - N G) = 0, only -N dG N enters a transferred P*.
    """
    N = least_energy_inverse(graph, e.G, model.inertia)
    A = vec.multiply_total(graph, vec.transpose(N), vec.multiply_total(graph, model.inertia, N))
    free = _projection(graph, N, e.G)
    n, k = len(N), len(N[0])
    slip = zero_array(graph, n, k)
    for m in range(k):
        along = [row[m] for row in N]
        bend = vec.transpose(_derivative_along(graph, e.H, along))
        weight = _inertia_along(graph, model.power, along)
        resisting = vec.multiply_total(graph, bend, A)
        pulling = vec.matrix_scale(-1, vec.multiply_total(graph, weight, N))
        inside = vec.matrix_add_total(graph, resisting, pulling)
        for p, row in enumerate(vec.multiply_total(graph, free, solved(model.inertia, inside))):
            slip[p][m] = list(row)
    direct = _with_second_order(graph, e, N)
    return Influence(N, array_sum(graph, [direct.H, slip]))


def closed_loop(graph: Graph, equations: Influence, independent: Sequence[int]) -> Influence:
    """From a closed loop to its inputs: the influence of the ``independent`` coordinates on all of u.

    ``equations`` is the influence of u on what the loop keeps constant, as many as the dependent coordinates and not
    redundant.  G_d du_d/dt = -G_i du_i/dt, and once more differentiated G d2u/dt2 + du/dt^T H du/dt = 0.
    """
    count = len(equations.H[0])
    dependent = [i for i in range(count) if i not in independent]
    G_d = [[row[i] for i in dependent] for row in equations.G]
    G_i = [[row[i] for i in independent] for row in equations.G]
    back = [[-x for x in row] for row in inverse(graph, G_d)]
    N = vec.zero_matrix(graph, count, len(independent))
    for column, i in enumerate(independent):
        N[i][column] = constant(graph, 1)
    for i, row in zip(dependent, vec.multiply_total(graph, back, G_i), strict=True):
        N[i] = list(row)
    planes: list[Matrix] = list(zero_array(graph, count, len(independent)))
    bend = generalized_dot(graph, back, plane_by_plane(graph, N, equations.H))
    for i, plane in zip(dependent, bend, strict=True):
        planes[i] = plane
    return Influence(N, planes)


def _with_second_order(graph: Graph, e: Influence, N: Matrix) -> Influence:
    """N and -N . (N^T [H^e_uu] N)."""
    return Influence(N, minus(generalized_dot(graph, N, plane_by_plane(graph, N, e.H))))


def _projection(graph: Graph, N: Matrix, G: Matrix) -> Matrix:
    """1 - N G."""
    product = vec.multiply_total(graph, N, G)
    return [[int(r == c) - x for c, x in enumerate(row)] for r, row in enumerate(product)]


def _derivative_along(graph: Graph, H: Array, direction: Vector) -> Matrix:
    """dG = sum over i of H_in direction_i, for du = direction: H_in = dg_n/du_i."""
    return [vec.apply_total(graph, vec.transpose(plane), direction) for plane in H]


def _inertia_along(graph: Graph, power: Array, direction: Vector) -> Matrix:
    """dI*, for du = direction."""
    rows = [vec.apply_total(graph, plane, direction) for plane in power]
    return [[rows[m][n] + rows[n][m] for n in range(len(rows))] for m in range(len(rows))]
