"""Forward dynamics by articulated-body inertias (Featherstone 1983), unrolled and sparse.

For the articulated body that hangs on joint i, f = I a + p relates the spatial acceleration of its root (angular first,
about its origin, gravity taken as an acceleration of the base) to the spatial force on it.  With the joint's motion
direction s and its generalized force tau,

    U = I s,   D = s . U,   u = tau - s . p            (D + the rotor's inertia where a drive has one)
    I' = I - U U^T / D,   p' = p + I' c + U u / D

go to the parent (c is the velocity-dependent acceleration across the joint), and outwards

    a' = a_parent + c,   qdd = (u - U . a') / D,   a = a' + s qdd.

Signs here: p collects the forces that the velocities need, so f = I a + p is the force that must be applied.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from kanegen.codegen.derivation.recursive.motion import Motion
from kanegen.codegen.graph import Expression
from kanegen.codegen.graph import linear as vec

Row = list[Expression]


def forward_dynamics(motion: Motion, tau: Sequence[Expression]) -> list[Expression]:
    """Joint accelerations in coordinate order for a motion whose joint accelerations are zero (``motion.rate`` in use)."""
    bodies = motion.tree.bodies
    n = len(bodies)
    inertia = [_rigid_inertia(motion, i) for i in range(n)]
    bias = [_rigid_bias(motion, i) for i in range(n)]
    gain: list[tuple[Row, Expression, Expression]] = [([], motion.zero, motion.zero)] * n
    for i in reversed(range(n)):
        body = bodies[i]
        s = body.axis if body.revolute else 3 + body.axis
        for r in range(6):
            motion.mean(bias[i][r], "articulated bias", i, r)
            for c in range(r, 6):
                motion.mean(inertia[i][r][c], "articulated inertia", i, r, c)
        reaction = [inertia[i][r][s] for r in range(6)]
        pivot = 1 / (reaction[s] + motion.rotor(i))
        force = tau[body.coordinate] * (1 / motion.to_unit(i)) - bias[i][s]
        motion.mean(pivot, "articulated pivot", i)
        motion.mean(force, "articulated drive", i)
        gain[i] = (reaction, pivot, force)
        if body.parent < 0:
            continue
        scaled = [x * pivot for x in reaction]
        across = _velocity_product(motion, i)
        rest = [
            [inertia[i][r][c] - reaction[r] * scaled[c] if r <= c else motion.zero for c in range(6)]
            for r in range(6)
        ]
        for r in range(6):
            for c in range(r):
                rest[r][c] = rest[c][r]
            if body.rotor_inertia == 0:
                rest[r][s] = rest[s][r] = motion.zero
        left = [motion.sum([bias[i][r], *vec.products(rest[r], across), scaled[r] * force]) for r in range(6)]
        _add_to_parent(motion, i, rest, left, inertia[body.parent], bias[body.parent])
    accelerations: list[Row] = []
    result = [motion.zero] * n
    for i, body in enumerate(bodies):
        s = body.axis if body.revolute else 3 + body.axis
        before = _carried_acceleration(motion, i, accelerations[body.parent] if body.parent >= 0 else None)
        reaction, pivot, force = gain[i]
        qdd = (force - vec.dot_total(motion.graph, reaction, before)) * pivot
        motion.mean(qdd, "articulated acceleration", i)
        result[body.coordinate] = qdd * (1 / motion.to_unit(i))
        accelerations.append([before[r] + qdd if r == s else before[r] for r in range(6)])
    return result


def _rigid_inertia(motion: Motion, i: int) -> list[Row]:
    """Spatial inertia of body i about its origin: ((J, skew h), (-skew h, m))."""
    body = motion.tree.bodies[i]
    second, h = body.second_moment, body.first_moment
    trace = second[0][0] + second[1][1] + second[2][2]
    j = [[(trace if r == c else 0) - second[r][c] for c in range(3)] for r in range(3)]
    hx = vec.skew(h)
    rows: list[list[Any]] = [[*j[r], *hx[r]] for r in range(3)]
    rows += [[*(-x for x in hx[r]), *(body.mass if r == c else 0 for c in range(3))] for r in range(3)]
    return [[motion.zero if x == 0 else motion.number(x) for x in row] for row in rows]


def _rigid_bias(motion: Motion, i: int) -> Row:
    """Force and moment about the origin that body i needs for its velocity alone: W = skew(w)^2 in place of U."""
    body = motion.tree.bodies[i]
    s, h = body.second_moment, body.first_moment

    def w2(r: int, c: int) -> Expression:
        if r == c:
            return -motion.sum([motion.square(i, x) for x in range(3) if x != r])
        return motion.w(i, r) * motion.w(i, c)

    moments = []
    for t in range(3):
        r, c = (t + 1) % 3, (t + 2) % 3
        terms = []
        if s[r][r] != s[c][c]:
            terms.append(motion.number(s[r][r] - s[c][c]) * w2(r, c))
        if s[r][t] != 0:
            terms.append(motion.number(s[r][t]) * w2(c, t))
        if s[c][t] != 0:
            terms.append(-motion.number(s[c][t]) * w2(r, t))
        if s[r][c] != 0:
            terms.append(motion.number(s[r][c]) * (motion.square(i, c) - motion.square(i, r)))
        moments.append(motion.sum(terms))
    forces = [motion.sum([motion.number(h[c]) * w2(r, c) for c in range(3) if h[c] != 0]) for r in range(3)]
    return moments + forces


def _velocity_product(motion: Motion, i: int) -> Row:
    """Acceleration across the joint of body i that its own rate and its parent's velocity cause, in its frame.

    The centripetal acceleration of its origin belongs to it.
    """
    body = motion.tree.bodies[i]
    parent = body.parent
    k = body.axis
    a, b = (k + 1) % 3, (k + 2) % 3
    angular = [motion.zero] * 3
    if body.revolute:
        angular[a] = motion.w(i, b) * motion.rate[i]
        angular[b] = -motion.w(i, a) * motion.rate[i]
    position = motion.position(i)

    def centripetal(m: int) -> Expression:
        n, o = (m + 1) % 3, (m + 2) % 3
        terms = []
        for c in range(3):
            if position[c].is_zero or parent < 0:
                continue
            if c == m:
                terms.append(-(motion.square(parent, n) + motion.square(parent, o)) * position[c])
            else:
                terms.append(motion.w(parent, m) * motion.w(parent, c) * position[c])
        if not body.revolute and parent >= 0:
            rotation = motion.rotation(i)
            sweep = motion.w(parent, n) * rotation[o][k] - motion.w(parent, o) * rotation[n][k]
            terms.append(sweep * (motion.rate[i] * 2))
        return motion.sum(terms)

    linear = [motion.into_body(i, lambda c: motion.into_joint_frame(i, centripetal, c), r) for r in range(3)]
    return angular + linear


def _carried_acceleration(motion: Motion, i: int, parent: Row | None) -> Row:
    """a_parent + c in body i's frame and about its origin."""
    position = motion.position(i)
    if parent is None:
        angular: Row = [motion.zero] * 3
        linear = [-g for g in motion.gravity]
    else:
        angular = parent[:3]
        linear = []
        for m in range(3):
            linear.append(motion.sum([parent[3 + m], *vec.cross_terms(angular, position, m)]))
    across = _velocity_product(motion, i)

    def turned(v: Row, r: int) -> Expression:
        return motion.into_body(i, lambda c: motion.into_joint_frame(i, lambda m: v[m], c), r)

    return [turned(angular, r) + across[r] for r in range(3)] + [
        turned(linear, r) + across[3 + r] for r in range(3)
    ]


def _add_to_parent(motion: Motion, i: int, rest: list[Row], left: Row, inertia: list[Row], bias: Row) -> None:
    """Express an articulated inertia and bias in the parent's frame about its origin, and add them there."""
    position = motion.position(i)

    def turned_vector(v: Row) -> Row:
        return [
            motion.out_of_joint_frame(i, lambda r: motion.out_of_body(i, lambda c: v[c], r), m)
            for m in range(3)
        ]

    def turned_tensor(t: list[Row]) -> list[Row]:
        columns = [turned_vector([t[r][c] for r in range(3)]) for c in range(3)]  # columns[c][m]: R t
        return [turned_vector([columns[c][m] for c in range(3)]) for m in range(3)]

    def turned_symmetric(t: list[Row]) -> list[Row]:
        joint = _turn_symmetric(motion, i, t, keep=_passed_on(motion, i))
        rotation = motion.rotation(i)
        out = [[motion.zero] * 3 for _ in range(3)]
        for m in range(3):
            for n in range(m, 3):
                out[m][n] = out[n][m] = motion.sum(
                    [
                        rotation[m][r] * rotation[n][c] * joint[r][c]
                        for r in range(3)
                        for c in range(3)
                        if not rotation[m][r].is_zero and not rotation[n][c].is_zero
                    ]
                )
        return out

    jj = turned_symmetric([row[:3] for row in rest[:3]])
    jl = turned_tensor([row[3:] for row in rest[:3]])
    ll = turned_symmetric([row[3:] for row in rest[3:]])
    shift = [[motion.zero if x == 0 else x for x in row] for row in vec.skew(position)]
    # about the parent's origin: H' = H + P L, J' = J + P H^T + H' P^T with P = skew(position)
    pl = vec.multiply_total(motion.graph, shift, ll)
    h = [[jl[r][c] + pl[r][c] for c in range(3)] for r in range(3)]
    pht = vec.multiply_total(motion.graph, shift, [[jl[c][r] for c in range(3)] for r in range(3)])
    hpt = vec.multiply_total(motion.graph, h, [[-x for x in row] for row in shift])
    for r in range(3):
        for c in range(3):
            if c >= r:
                value = motion.sum([inertia[r][c], jj[r][c], pht[r][c], hpt[r][c]])
                inertia[r][c] = inertia[c][r] = value
                inertia[3 + r][3 + c] = inertia[3 + c][3 + r] = inertia[3 + r][3 + c] + ll[r][c]
            inertia[r][3 + c] = inertia[3 + c][r] = inertia[r][3 + c] + h[r][c]
    moment, force = turned_vector(left[:3]), turned_vector(left[3:])
    for m in range(3):
        bias[m] = motion.sum([bias[m], moment[m], *vec.cross_terms(position, force, m)])
        bias[3 + m] = bias[3 + m] + force[m]


def _passed_on(motion: Motion, i: int) -> bool:
    """Whether what body i resists next to nothing about the parent's axis where it has turned by a right angle.

    About the axis of a joint beyond it, a body shows only its own, maybe small, inertia.  A quarter of a turn puts that axis
    on the parent's if both are perpendicular to the joint's axis and to each other at the angle zero.
    """
    bodies = motion.tree.bodies
    body = bodies[i]
    if body.parent < 0:
        return False
    outer = {_only(row[bodies[j].axis] for row in bodies[j].rotation) for j in motion.tree.children(i)}
    inner = _only(body.rotation[bodies[body.parent].axis])
    return inner is not None and outer - {None, body.axis} == {3 - body.axis - inner}


def _only(components: Iterable[Any]) -> int | None:
    """The place of the only component that is not zero; None where there are several."""
    places = [place for place, x in enumerate(components) if x != 0]
    return places[0] if len(places) == 1 else None


def _turn_symmetric(motion: Motion, i: int, t: list[Row], keep: bool) -> list[Row]:
    """A symmetric tensor of body i in its joint frame; five products turn it by the joint's angle.

    Its diagonal entries are t_aa - s x and t_bb + s x: at a right angle the first is a difference of t_aa, which
    leaves of a small t_bb no digits.  ``keep``: they are t_bb + c y and t_aa - c y, which are such differences at the angle
    zero instead.
    """
    body = motion.tree.bodies[i]
    if not body.revolute:
        return t
    k = body.axis
    a, b = (k + 1) % 3, (k + 2) % 3
    c, s = motion.cosine[i], motion.sine[i]
    out = [list(row) for row in t]
    if keep:
        y = c * (t[a][a] - t[b][b]) - s * (t[a][b] * 2)
        out[a][a] = t[b][b] + c * y
        out[b][b] = t[a][a] - c * y
        out[a][b] = out[b][a] = s * y + t[a][b]
    else:
        x = s * (t[a][a] - t[b][b]) + c * (t[a][b] * 2)
        out[a][a] = t[a][a] - s * x
        out[b][b] = t[b][b] + s * x
        out[a][b] = out[b][a] = c * x - t[a][b]
    out[a][k] = out[k][a] = c * t[a][k] - s * t[b][k]
    out[b][k] = out[k][b] = c * t[b][k] + s * t[a][k]
    return out
