"""A body evaluated in its parent's frame: its second moments turned by the double angle of its own joint.

For a revolute joint with axis e_k and a second-moment tensor S that has nothing along e_k, the moment
vee(S, U) about the origin can be taken in the joint frame, where the body turns: S is turned instead of the motion, and

    U~ = U_parent + (what the joint's rate and acceleration add),
    U~_ka = U_ka + 2 q' w_a,  U~_kb = U_kb + 2 q' w_b,  U~_ba = U_ba + q'',  U~_ab = U_ab - q''

(a, b follow k cyclically; all on the right in the joint frame).  A body whose tensor is alike about its axis needs no
trigonometry at all.
"""

from __future__ import annotations

from kanegen.codegen.derivation.placed_tree.choices import Choices
from kanegen.codegen.derivation.placed_tree.placement import PlacedTree
from kanegen.codegen.derivation.recursive.motion import Motion
from kanegen.codegen.graph import Expression


def chosen_in_joint_frame(tree: PlacedTree, choices: Choices, i: int) -> bool:
    """Whether body i can be evaluated so, and its decision point says so."""
    body = tree.bodies[i]
    k = body.axis
    if not body.revolute or body.parent < 0:
        return False
    s = body.second_moment
    if any(s[k][r] != 0 for r in range(3)) or all(x == 0 for row in s for x in row):
        return False
    return choices.pick(f"frame of {body.name}", 2, body.name) == 1


def moment_in_joint_frame(motion: Motion, i: int, t: int) -> Expression:
    """Component t, in the joint frame, of the moment of the second moments of body i."""
    body = motion.tree.bodies[i]
    k = body.axis
    a, b = (k + 1) % 3, (k + 2) % 3
    saa, sbb, sab = _turned_second_moments(motion, i)
    rotation = motion.rotation(i)

    def entry(r: int, c: int) -> Expression:
        """U of the parent, entry (r, c) in the joint frame."""
        return motion.sum(
            [
                rotation[m][r] * rotation[n][c] * motion.U(body.parent, m, n)
                for m in range(3)
                for n in range(3)
                if not rotation[m][r].is_zero and not rotation[n][c].is_zero
            ]
        )

    if t != k:
        twice = motion.rate[i] * 2
        uka = entry(k, a) + twice * motion.w_joint(i, a)
        ukb = entry(k, b) + twice * motion.w_joint(i, b)
        return uka * sab + ukb * sbb if t == a else -(uka * saa + ukb * sab)
    uba = entry(b, a) + motion.rate_dot[i]
    uab = entry(a, b) - motion.rate_dot[i]
    return uba * saa - uab * sbb + (entry(b, b) - entry(a, a)) * sab


def _turned_second_moments(motion: Motion, i: int) -> tuple[Expression, Expression, Expression]:
    """S_aa, S_bb, S_ab of body i in its joint frame."""
    body = motion.tree.bodies[i]
    k = body.axis
    a, b = (k + 1) % 3, (k + 2) % 3
    x, y, z = (
        motion.number(value)
        for value in (body.second_moment[a][a], body.second_moment[b][b], body.second_moment[a][b])
    )
    c, s = motion.cosine[i], motion.sine[i]
    # R S R^T with c^2 = 1 - s^2:  S_aa = x - d s^2 - 2 z s c,  S_ab = d s c + z (1 - 2 s^2),  d = x - y
    d = x - y
    sc, ss = (d * s) * c, (d * s) * s
    if z.is_zero:
        return x - ss, y + ss, sc
    zs = z * 2 * s
    return x - ss - zs * c, y + ss + zs * c, sc + z - zs * s
