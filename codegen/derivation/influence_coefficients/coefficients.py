"""First- and second-order kinematic influence coefficients of open chains, appendix B, in the base frame.

With s_n the direction of joint n, R_n a point of its axis, and e a point or a body beyond the joint,

    translation   g_n = s_n x (e - R_n) for a turn, s_n for a slide     H_mn = s_m x g_n, m before or equal to n,
    rotation      g_n = s_n for a turn, 0 for a slide                   H_mn = s_m x s_n, m before n,

where s_m counts as zero if joint m slides.  Everywhere H_mn = d g_n / d phi_m: for translations H is symmetric, so a later
joint's row holds the same expressions again, and for rotations, which are no derivatives of coordinates, the half of the
later joint's row vanishes.  Joints that are not on the way from the base to e have no influence.  Then, equations (1), (5),

    v = G dphi/dt,    a = G d2phi/dt2 + dphi/dt^T H dphi/dt.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kanegen.codegen.derivation.influence_coefficients.arrays import Array, Matrix, Vector, zero_array
from kanegen.codegen.derivation.meanings import mean
from kanegen.codegen.derivation.recursive.kinematics import Kinematics
from kanegen.codegen.graph import linear as vec
from kanegen.codegen.mechanism.records import Frame


@dataclass(frozen=True, slots=True)
class Influence:
    """Coefficients of P motion parameters on n coordinates: ``G`` is P x n, equation (2), ``H`` is P x n x n, (7)."""

    G: Matrix
    H: Array


def point_influence(kinematics: Kinematics, body: int, point: Vector) -> Influence:
    """Translational coefficients of the point of a body (-1: the base) that is at ``point`` [m] in the base frame.

    Entries of G are in m for turns, 1 for slides; those of H in m for two turns, 1 for a turn and a slide.
    """
    motion = kinematics.motion
    n = len(kinematics.tree.bodies)
    G, H = vec.zero_matrix(motion.graph, 3, n), zero_array(motion.graph, 3, n)
    path = _path(kinematics, body)
    for place, i in enumerate(path):
        joint = kinematics.tree.bodies[i]
        g = _direction(kinematics, i)
        if joint.revolute:
            g = vec.cross(g, [point[m] - kinematics.origin(i, m) for m in range(3)])
        for m in range(3):
            G[m][joint.coordinate] = mean(g[m], "g", (m,), _of(kinematics, body), joint.joint)
        for earlier in path[: place + 1]:
            other = kinematics.tree.bodies[earlier]
            if other.revolute:
                h = vec.cross(_direction(kinematics, earlier), g)
                for m in range(3):
                    mean(h[m], "hh", (m,), _of(kinematics, body), other.joint, joint.joint)
                    H[m][other.coordinate][joint.coordinate] = h[m]
                    H[m][joint.coordinate][other.coordinate] = h[m]
    return Influence(G, H)


def rotation_influence(kinematics: Kinematics, body: int) -> Influence:
    """Rotational coefficients of a body (-1: the base), 1 for turns and 0 for slides."""
    motion = kinematics.motion
    n = len(kinematics.tree.bodies)
    G, H = vec.zero_matrix(motion.graph, 3, n), zero_array(motion.graph, 3, n)
    path = [i for i in _path(kinematics, body) if kinematics.tree.bodies[i].revolute]
    for place, i in enumerate(path):
        column = kinematics.tree.bodies[i].coordinate
        s = _direction(kinematics, i)
        for m in range(3):
            G[m][column] = s[m]
        for earlier in path[:place]:
            row = kinematics.tree.bodies[earlier].coordinate
            h = vec.cross(_direction(kinematics, earlier), s)
            for m in range(3):
                H[m][row][column] = h[m]
    return Influence(G, H)


def frame_influence(kinematics: Kinematics, frame: Frame) -> Influence:
    """G (6 x n) and H (6 x n x n) of a frame: three planes for its origin, then three for its rotation."""
    body, _, _ = kinematics.frame(frame)
    point = point_influence(kinematics, body, [kinematics.frame_origin(frame, m) for m in range(3)])
    rotation = rotation_influence(kinematics, body)
    return Influence([*point.G, *rotation.G], [*point.H, *rotation.H])


def _of(kinematics: Kinematics, body: int) -> str:
    """The body, whose point is meant."""
    return kinematics.tree.bodies[body].name


def _path(kinematics: Kinematics, body: int) -> Sequence[int]:
    """The bodies whose joints move ``body``, from the base outwards."""
    path: list[int] = []
    while body >= 0:
        path.append(body)
        body = kinematics.tree.bodies[body].parent
    return path[::-1]


def _direction(kinematics: Kinematics, i: int) -> vec.Vector:
    """s_i, pointing with the coordinate, in the base frame."""
    return tuple(kinematics.axis(i, m) for m in range(3))
