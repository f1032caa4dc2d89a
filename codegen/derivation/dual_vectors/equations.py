"""Equations of motion by d'Alembert's principle with dual vectors: momenta (8), inertia forces (9), and equation (10)."""

from __future__ import annotations

from collections.abc import Sequence

from kanegen.codegen.derivation.dual_vectors.chain import DualBody, dual_chain
from kanegen.codegen.derivation.dual_vectors.dual_rotation import Rows
from kanegen.codegen.derivation.dual_vectors.dual_vector import DualVector, Triple, triple, zeros
from kanegen.codegen.derivation.dual_vectors.motion import DualMotion
from kanegen.codegen.derivation.meanings import mean
from kanegen.codegen.derivation.open_chains import require_tree
from kanegen.codegen.graph import Expression, Graph, constant, total
from kanegen.codegen.graph import linear as vec
from kanegen.codegen.mechanism.records import Mechanism


def forces(
    tree: Mechanism,
    graph: Graph,
    q: Sequence[Expression],
    v: Sequence[Expression],
    a: Sequence[Expression],
    *,
    cylindrical: bool = True,
) -> list[Expression]:
    """Generalized forces [N m, N] that move a plain tree so, in the order of its coordinates, gravity included.

    ``q``, ``v`` and ``a`` are expressions of ``graph``, one for each coordinate.  Values of the tree that are expressions
    stay live.  ``cylindrical`` False keeps a hinge and a slide along the same line two joints.  Raises ModelError for what
    is no plain tree.

    (10) asks for the dual part of the sum of v_i . F* over all bodies.  The dual product is the same number in all axes,
    so every F* is carried to the joint, added, and multiplied there, where the partial velocity is the unit vector z_i
    of a turn and epsilon z_i of a slide.  Since dual(epsilon x) = real(x), one product z_i . F* has both equations of a
    cylindrical joint: the turn's in its dual part, the slide's in its real part.
    """
    require_tree(tree, "dual vectors")
    chain = dual_chain(tree, graph, cylindrical)
    motion = DualMotion(chain, graph, q)
    carried = inertia_forces(motion, v, a)
    tau = [constant(graph, 0) for _ in tree.coordinates]
    for i in reversed(range(len(chain.bodies))):
        body = chain.bodies[i]
        equation = motion.axes[i].dot(carried[i])
        if body.turn is not None:
            tau[body.turn] = equation.dual * body.sense
        if body.slide is not None:
            tau[body.slide] = equation.real * body.slide_sense
        if body.parent >= 0:
            together = carried[body.parent] + motion.outward(i, carried[i])
            carried[body.parent] = _said(chain.bodies[body.parent], together, "force", "moment")
    return tau


def forces_on_speeds(
    tree: Mechanism,
    graph: Graph,
    q: Sequence[Expression],
    v: Sequence[Expression],
    a: Sequence[Expression],
    rates_from_speeds: Sequence[Sequence[Expression]],
) -> list[Expression]:
    """Generalized forces on independent speeds u, where dq/dt = N u + what does not depend on u.

    ``rates_from_speeds`` is N, a row for each coordinate; ``v`` and ``a`` are dq/dt and d2q/dt2 as they then are.  (10) as
    it stands: nonholonomic partial velocities of every body (7) times its inertia force.  The result is N^T ``forces``.
    Raises ModelError for what is no plain tree.
    """
    require_tree(tree, "dual vectors")
    motion = DualMotion(dual_chain(tree, graph), graph, q)
    inertia = inertia_forces(motion, v, a)
    result = []
    for column in zip(*rates_from_speeds, strict=True):
        partials = motion.velocities(column)
        products = [partial.dot(force) for partial, force in zip(partials, inertia, strict=True)]
        result.append(sum((product.dual for product in products), constant(graph, 0)))
    return result


def inertia_forces(motion: DualMotion, v: Sequence[Expression], a: Sequence[Expression]) -> list[DualVector]:
    """F* of every body (9) less its weight, seen at its origin."""
    velocities = motion.velocities(v)
    rates = motion.rates_of_change(velocities, v, a)
    found = []
    for body, velocity, rate in zip(motion.chain.bodies, velocities, rates, strict=True):
        center = body.to_center
        force = dual_inertia_force(body, center.inward(velocity), center.inward(rate))
        found.append(_said(body, center.outward(force), "own force", "own moment"))
        _said(body, velocity, "w", "v")
        _said(body, rate, "alpha", "vdot")
    return found


def _said(body: DualBody, vector: DualVector, real: str, dual: str) -> DualVector:
    """The vector, having said what the components of its parts are."""
    for quantity, part in ((real, vector.real), (dual, vector.dual)):
        for r, x in enumerate(part):
            mean(x, quantity, (r,), body.name)
    return vector


def dual_momentum(body: DualBody, velocity: DualVector) -> DualVector:
    """(8): H = P + epsilon H*, from the velocity for the mass centre; P = m v*, H* = I w."""
    return DualVector(
        triple(vec.scale(body.mass, velocity.dual)), triple(vec.apply(body.tensor, velocity.real))
    )


def dual_inertia_force(body: DualBody, velocity: DualVector, rate: DualVector) -> DualVector:
    """(9): F* = dH/dt + V x H, from the velocity for the mass centre and its rate of change.

    It is m a* + epsilon (I alpha + w x I w), since v* x m v* vanishes: the momentum that alpha + epsilon a* would be as a
    velocity, and the gyroscopic moment.
    """
    acceleration = vec.add(rate.dual, vec.cross(velocity.real, velocity.dual))  # a* = dv*/dt + w x v*
    as_if_velocity = DualVector(rate.real, triple(acceleration))
    gyroscopic = DualVector(zeros(body.mass.graph), _gyroscopic_moment(body.tensor, velocity.real))
    return dual_momentum(body, as_if_velocity) + gyroscopic


def _gyroscopic_moment(tensor: Rows, w: Triple) -> Triple:
    """w x I w with the differences of moments of inertia taken first, as in (28).

    For (t, r, c) cyclic, (I_cc - I_rr) w_r w_c + I_rc (w_r^2 - w_c^2) + I_ct w_r w_t - I_rt w_c w_t.
    """
    components = []
    for t in range(3):
        r, c = (t + 1) % 3, (t + 2) % 3
        components.append(
            total(
                w[0].graph,
                [
                    (tensor[c][c] - tensor[r][r]) * (w[r] * w[c]),
                    tensor[r][c] * (w[r] * w[r] - w[c] * w[c]),
                    tensor[c][t] * (w[r] * w[t]),
                    -tensor[r][t] * (w[c] * w[t]),
                ],
            )
        )
    return triple(components)
