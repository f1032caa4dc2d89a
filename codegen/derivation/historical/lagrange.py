"""Lagrange's equations with transformation matrices as the motion: Uicker (1965), Hollerbach (1980).

A point of link j is r = W_j rho, with rho constant, and J_j the integral of rho rho^T dm.  In 4 x 4 matrices W_j is the
pose and rho = (x, y, z, 1); in 3 x 3 matrices W_j is the rotation and r = p_j + W_j rho.
"""

from __future__ import annotations

from typing import Any

from kanegen.codegen.derivation.historical.links import (
    Link,
    Scalar,
    Some,
    Tree,
    matrix_total,
    some,
    total,
    trace_of_product,
)
from kanegen.codegen.graph import linear as vec
from kanegen.codegen.graph.linear import Matrix, Vector


def _bordered(turn: Matrix, position: Vector, zero: Scalar, last: Scalar) -> Matrix:
    """The 4 x 4 matrix of a rotation and a displacement, or of their derivatives, whose last entry is then zero."""
    return (*[(*row, x) for row, x in zip(turn, position, strict=True)], (zero, zero, zero, last))


def _derivatives(tree: Tree, link: Link) -> tuple[Matrix, Matrix, Matrix]:
    """A_i, dA_i/dq_i and d2A_i/dq_i^2."""
    joint, zero = link.joint, tree.zero
    none = (zero,) * 3
    return (
        _bordered(joint.turn, joint.position, zero, tree.one),
        _bordered(joint.slope, none if link.hinge else joint.along, zero, zero),
        _bordered(joint.curvature, none, zero, zero),
    )


def _inertia(link: Link) -> tuple[Matrix, Vector]:
    """J_i and m_i r_i; the latter is the last row of the former."""
    own = link.inertia
    moment = (*own.first, own.mass)
    return (*[(*row, x) for row, x in zip(own.second, own.first, strict=True)], moment), moment


def uicker(tree: Tree) -> list[Scalar]:
    """Generalized forces of the links, by sums over all pairs and triples of coordinates (Uicker 1965, Kahn 1969).

    tau_i = sum_j sum_k tr(dW_j/dq_i J_j dW_j^T/dq_k) q''_k
          + sum_j sum_k sum_l tr(dW_j/dq_i J_j d2W_j^T/dq_k dq_l) q'_k q'_l - sum_j m_j g^T dW_j/dq_i r_j
    """
    gravity = (*tree.gravity, tree.zero)
    pose: list[Matrix] = []
    first: list[dict[int, Matrix]] = []
    second: list[dict[tuple[int, int], Matrix]] = []
    terms: list[list[Scalar]] = [[] for _ in tree.links]
    for j, link in tree.outwards():
        _differentiate(tree, link, j, pose, first, second)
        (inertia, moment), path = _inertia(link), tree.path(j)
        for i in path:
            slope = first[j][i]
            for k in path:
                product = vec.multiply(slope, inertia)
                trace = trace_of_product(product, vec.transpose(first[j][k]))
                terms[i].append(trace * tree.links[k].joint.acceleration)
                for m in path:
                    rates = tree.links[k].joint.rate * tree.links[m].joint.rate
                    if vec.is_zero(rates):
                        continue
                    product = vec.multiply(slope, inertia)
                    curved = vec.transpose(second[j][max(k, m), min(k, m)])
                    terms[i].append(trace_of_product(product, curved) * rates)
            terms[i].append(-vec.dot(gravity, vec.apply(slope, moment)))
    return tree.in_order([_sum(x) for x in terms])


def _differentiate(
    tree: Tree,
    link: Link,
    j: int,
    pose: list[Matrix],
    first: list[dict[int, Matrix]],
    second: list[dict[tuple[int, int], Matrix]],
) -> None:
    """Append the pose of link j and its derivatives by the coordinates before it, each from that of its parent."""
    own, slope, curvature = _derivatives(tree, link)
    if link.parent < 0:
        pose.append(own)
        first.append({j: slope})
        second.append({(j, j): curvature})
        return
    before, by_one, by_two = pose[link.parent], first[link.parent], second[link.parent]
    pose.append(vec.multiply(before, own))
    first.append({k: vec.multiply(x, own) for k, x in by_one.items()} | {j: vec.multiply(before, slope)})
    second.append(
        {pair: vec.multiply(x, own) for pair, x in by_two.items()}
        | {(j, k): vec.multiply(x, slope) for k, x in by_one.items()}
        | {(j, j): vec.multiply(before, curvature)}
    )


def _sum(terms: list[Scalar]) -> Scalar:
    return vec.add(*[(x,) for x in terms])[0]


def hollerbach_4x4(tree: Tree) -> list[Scalar]:
    """Generalized forces of the links, by recursion over 4 x 4 matrices (Hollerbach 1980).

    W'_i and W''_i outwards; D_i = J_i W''_i^T + A_c D_c and c_i = m_i r_i + A_c c_c, over the links c after link i, inwards;
    tau_i = tr(dW_i/dq_i D_i) - g^T dW_i/dq_i c_i.
    """
    gravity = (*tree.gravity, tree.zero)
    own: list[Matrix] = []
    W: list[Matrix] = []
    W_dot: list[Matrix] = []
    W_ddot: list[Matrix] = []
    slopes: list[Matrix] = []
    for _, link in tree.outwards():
        A = _derivatives(tree, link)
        own.append(A[0])
        slopes.append(A[1] if link.parent < 0 else vec.multiply(W[link.parent], A[1]))
        for found, x in zip((W, W_dot, W_ddot), _turned(link, A, W, W_dot, W_ddot), strict=True):
            found.append(x)
    D: dict[int, Matrix] = {}
    c: dict[int, Vector] = {}
    forces = [tree.zero] * len(tree.links)
    for i, link in tree.inwards():
        inertia, moment = _inertia(link)
        D[i] = matrix_total(
            vec.multiply(inertia, vec.transpose(W_ddot[i])),
            *(vec.multiply(own[k], D[k]) for k in link.children),
        )
        c[i] = total(moment, *(vec.apply(own[k], c[k]) for k in link.children))
        weight = vec.dot(gravity, vec.apply(slopes[i], c[i]))
        forces[i] = trace_of_product(slopes[i], D[i]) - weight
    return tree.in_order(forces)


def hollerbach_3x3(tree: Tree) -> list[Scalar]:
    """Generalized forces of the links, by recursion over 3 x 3 matrices and origins (Hollerbach 1980).

    p''_i = p''_p + W''_p d_i, and for a slide what d_i does; with n_i = m_i r_i and the links c after link i,
    e_i = m_i p''_i + W''_i n_i + e_c,  D_i = J_i W''_i^T + n_i p''_i^T + A_c D_c + d_c e_c^T,
    c_i = n_i + A_c c_c + m_c d_c with m_c all mass from c on;
    tau_i = tr(dW_i/dq_i D_i) - g^T dW_i/dq_i c_i, or, along the slide's direction, e_i less the weight.
    """
    W: list[Matrix] = []
    W_dot: list[Some] = []
    W_ddot: list[Some] = []
    p_ddot: list[Some] = []
    directions: list[Any] = []
    for _, link in tree.outwards():
        joint, p = link.joint, link.parent
        moved = joint.slope if link.hinge else joint.along
        apply = vec.multiply if link.hinge else vec.apply
        directions.append(moved if p < 0 else apply(W[p], moved))
        p_ddot.append(_origin(link, *((None,) * 4 if p < 0 else (W[p], W_dot[p], W_ddot[p], p_ddot[p]))))
        A = (joint.turn, joint.slope, joint.curvature)
        for found, x in zip((W, W_dot, W_ddot), _turned(link, A, W, W_dot, W_ddot), strict=True):
            found.append(x)
    D: dict[int, Some] = {}
    e: dict[int, Some] = {}
    c: dict[int, Vector] = {}
    mass: dict[int, Scalar] = {}
    forces = [tree.zero] * len(tree.links)
    for i, link in tree.inwards():
        own, after = link.inertia, [(k, tree.links[k].joint) for k in link.children]
        e[i] = total(
            some(vec.scale, own.mass, p_ddot[i]),
            some(vec.apply, W_ddot[i], own.first),
            *(e[k] for k, _ in after),
        )
        D[i] = matrix_total(
            some(vec.multiply, own.second, some(vec.transpose, W_ddot[i])),
            some(vec.outer, own.first, p_ddot[i]),
            *(some(vec.multiply, joint.turn, D[k]) for k, joint in after),
            *(some(vec.outer, joint.position, e[k]) for k, joint in after),
        )
        mass[i] = vec.add((own.mass,), *((mass[k],) for k, _ in after))[0]
        c[i] = total(
            own.first,
            *(vec.apply(joint.turn, c[k]) for k, joint in after),
            *(vec.scale(mass[k], joint.position) for k, joint in after),
        )
        if link.hinge:
            weight = vec.dot(tree.gravity, vec.apply(directions[i], c[i]))
            forces[i] = trace_of_product(directions[i], D[i]) - weight
        else:
            weight = mass[i] * vec.dot(tree.gravity, directions[i])
            forces[i] = vec.dot(directions[i], e[i]) - weight
    return tree.in_order(forces)


def _origin(link: Link, W: Some, W_dot: Some, W_ddot: Some, p_ddot: Some) -> Some:
    """p''_i, from the motion of the parent; what comes before the first link does not move."""
    joint = link.joint
    found = total(p_ddot, some(vec.apply, W_ddot, joint.position))
    if link.hinge:
        return found
    twice = vec.scale(2 * joint.rate, joint.along)
    onwards = vec.scale(joint.acceleration, joint.along)
    return total(found, some(vec.apply, W_dot, twice), onwards if W is None else vec.apply(W, onwards))


def _turned(
    link: Link, A: tuple[Matrix, Matrix, Matrix], W: list[Matrix], W_dot: list[Some], W_ddot: list[Some]
) -> tuple[Matrix, Some, Some]:
    """The matrix of a link from that of its parent p, and its two derivatives by time.

    W_i = W_p A_i,  W'_i = W'_p A_i + W_p dA_i q',
    W''_i = W''_p A_i + 2 W'_p dA_i q' + W_p d2A_i q'^2 + W_p dA_i q''.
    """
    (own, slope, curvature), p = A, link.parent
    v, a = link.joint.rate, link.joint.acceleration
    flat = len(own) == 3 and not link.hinge  # a slide does not turn
    if p < 0:
        rate = None if flat else vec.matrix_scale(v, slope)
        curved = vec.matrix_add(vec.matrix_scale(v * v, curvature), vec.matrix_scale(a, slope))
        return own, rate, None if flat else curved
    carried = vec.multiply(W[p], own), some(vec.multiply, W_dot[p], own), some(vec.multiply, W_ddot[p], own)
    if flat:
        return carried
    return (
        carried[0],
        matrix_total(carried[1], vec.matrix_scale(v, vec.multiply(W[p], slope))),
        matrix_total(
            carried[2],
            some(vec.matrix_scale, 2 * v, some(vec.multiply, W_dot[p], slope)),
            vec.matrix_scale(v * v, vec.multiply(W[p], curvature)),
            vec.matrix_scale(a, vec.multiply(W[p], slope)),
        ),
    )
