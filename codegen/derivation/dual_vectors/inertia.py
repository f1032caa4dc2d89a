"""Dual momentum and dual inertia force of a body at its mass centre, equations (8) and (9)."""

from __future__ import annotations

from kanegen.codegen.derivation.dual_vectors.chain import DualBody
from kanegen.codegen.derivation.dual_vectors.dual_rotation import Rows
from kanegen.codegen.derivation.dual_vectors.dual_vector import DualVector, Triple, triple, zeros
from kanegen.codegen.graph import linear as vec
from kanegen.codegen.graph import total


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
