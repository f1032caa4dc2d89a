"""Kane's dynamical equations for a tree of revolute and prismatic joints (Kane & Levinson 1983).

For every generalized speed u_r, generalized inertia force and generalized active force balance (eq 117):

    K*_r + K_r = 0

    K*_r = sum over bodies of  w_r . T* + v_r . R*                             (eqs 78, 87)
           T* = -alpha . I - w x I . w,   R* = -m a                            (eq 79)
         = sum_s X_rs u'_s + (what the velocities leave)                       (eq 88)
    K_r  = sum over bodies of  v_r . m g  +  tau_r                             (eqs 89 - 116)

with the partial angular velocities w_r and the partial velocities v_r of the mass centres.  Forces and
torques in the joints that do no work drop out by themselves.  tau_r is what the actuators contribute.  When
the torque or force that the joint of coordinate s passes on, along its axis, is Q_s,

    tau_r = sum_s W_sr Q_s,     Q_s = sum_r Y_rs tau_r,                        (eqs 104 - 116, 126)

since power is tau . u = Q . q' with q' = W u and u = Y q'.  For plain joint rates both are the unit matrix.

Terms with the same partial velocity component are collected before they are multiplied by it, as in the
paper's Z6 (Z146 + Z155).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial

from kanegen.codegen.derivation.choices import Choices
from kanegen.codegen.derivation.generalized_speeds import joint_rates
from kanegen.codegen.derivation.kane_motion import KaneMotion
from kanegen.codegen.derivation.placement import PlacedTree, place
from kanegen.codegen.graph import Expression, Graph, Kind, Ref, constant, inputs, total
from kanegen.codegen.mechanism.folding import with_numbers
from kanegen.codegen.mechanism.records import Mechanism
from kanegen.codegen.mechanism.reduction import without_fixed_joints
from kanegen.codegen.mechanism.speeds import GeneralizedSpeed

Component = Callable[[int, int], Expression]
"""Component k of a vector of body i."""


@dataclass(frozen=True)
class KaneEquations:
    """Kane's equations with the u' in evidence: sum_s X_rs u'_s + Z_r + tau_r = 0 (eqs 88, 118 - 123).

    ``graph`` has the inputs q (n) and v = u (n).  ``X`` is the n x n matrix of eq 88, symmetric and negative
    definite; ``Z`` (n) joins what velocities and gravity contribute to K*_r and K_r (the paper's Z_{181+r}
    and Z_{191+r}). ``rates`` is q' in coordinate order; ``rates_from_speeds`` is W, ``speeds_from_rates`` is
    Y.
    """

    speeds: tuple[GeneralizedSpeed, ...]
    graph: Graph
    q: tuple[Expression, ...]
    u: tuple[Expression, ...]
    X: tuple[tuple[Expression, ...], ...]
    Z: tuple[Expression, ...]
    rates: tuple[Expression, ...]
    rates_from_speeds: tuple[tuple[Expression, ...], ...]
    speeds_from_rates: tuple[tuple[Expression, ...], ...]
    motion: KaneMotion = field(repr=False)

    @property
    def mass_matrix(self) -> tuple[tuple[Expression, ...], ...]:
        """M = -X, with M u' = tau + Z."""
        return tuple(tuple(negative(x) for x in row) for row in self.X)

    def right_hand_side(self, tau: Sequence[Expression]) -> list[Expression]:
        """tau + Z: the right-hand side of M u' = ... for generalized forces tau on the speeds."""
        return [t + z for t, z in zip(tau, self.Z, strict=True)]

    def forces_on_speeds(self, joint_forces: Sequence[Expression]) -> list[Expression]:
        """tau_r = sum_s W_sr Q_s for joint forces Q in coordinate order."""
        return forces_on_speeds(self.rates_from_speeds, joint_forces)

    def labels(self, roots: Iterable[Ref]) -> dict[int, str]:
        """Names Z1, Z2, ... of the intermediate quantities that the roots need."""
        return {node: name for name, (node, _) in intermediate_quantities(self.motion, roots).items()}


def negative(x: Expression) -> Expression:
    """-x, where zero has no sign."""
    return x if x.is_zero else -x


def forces_on_speeds(
    W: Sequence[Sequence[Expression]], joint_forces: Sequence[Expression]
) -> list[Expression]:
    """W^T Q: generalized forces conjugate to the speeds from those conjugate to the rates."""
    return _transposed_product(W, joint_forces)


def forces_on_rates(Y: Sequence[Sequence[Expression]], tau: Sequence[Expression]) -> list[Expression]:
    """Y^T tau: generalized forces conjugate to the rates from those conjugate to the speeds (eq 126)."""
    return _transposed_product(Y, tau)


def equations(
    mechanism: Mechanism, speeds: Sequence[GeneralizedSpeed] | None = None, *, live_parameters: bool = False
) -> KaneEquations:
    """Kane's equations of a mechanism; the speeds are the joint rates unless others are given.

    Raises ModelError for speeds that do not determine the rates.
    """
    tree = place(mechanism, Choices(), live_parameters)
    return equations_of_tree(
        tree, mechanism, joint_rates(mechanism) if speeds is None else speeds, live_parameters
    )


def equations_of_tree(
    tree: PlacedTree, mechanism: Mechanism, speeds: Sequence[GeneralizedSpeed], live_parameters: bool
) -> KaneEquations:
    """Kane's equations of a mechanism and its placed form."""
    graph = Graph()
    n = mechanism.dof
    q, u = inputs(graph, "q", n), inputs(graph, "v", n)
    motion = KaneMotion(
        described(mechanism, live_parameters), tree, graph, speeds, q, u, (constant(graph, 0),) * n
    )
    X = [[motion.zero] * n for _ in range(n)]
    for r in range(n):
        for s in range(r, n):
            X[r][s] = X[s][r] = motion.note(inertia_coefficient(motion, r, s), f"X{r + 1}{s + 1}")
    return KaneEquations(
        speeds=tuple(speeds),
        graph=graph,
        q=q,
        u=u,
        X=tuple(tuple(row) for row in X),
        Z=tuple(generalized_force(motion, r) for r in range(n)),
        rates=tuple(motion.rate),
        rates_from_speeds=motion.equations.rates_from_speeds,
        speeds_from_rates=motion.equations.speeds_from_rates,
        motion=motion,
    )


def described(mechanism: Mechanism, live_parameters: bool) -> Mechanism:
    """The mechanism whose inertias are read: fixed joints lumped, parameters folded unless they stay live."""
    reduced = without_fixed_joints(mechanism)
    return reduced if live_parameters else with_numbers(reduced)


# -- generalized forces --------------------------------------------------------------------------------------


def inertia_torque(motion: KaneMotion, i: int, k: int) -> Expression:
    """T* of body i, component k in its basis (eq 79)."""
    tensor = motion.inertias[i].tensor
    a, b = (k + 1) % 3, (k + 2) % 3
    w, number = motion.angular_velocity, motion.turns.number
    terms = [number(tensor[k][c]) * motion.angular_acceleration(i, c) for c in range(3) if tensor[k][c] != 0]
    if tensor[b][b] != tensor[a][a]:
        terms.append(number(tensor[b][b] - tensor[a][a]) * (w(i, a) * w(i, b)))
    if tensor[b][k] != 0:
        terms.append(number(tensor[b][k]) * (w(i, a) * w(i, k)))
    if tensor[a][k] != 0:
        terms.append(-number(tensor[a][k]) * (w(i, b) * w(i, k)))
    if tensor[a][b] != 0:
        terms.append(number(tensor[a][b]) * (w(i, a) * w(i, a) - w(i, b) * w(i, b)))
    value = -motion.turns.sum(terms)
    return motion.note(value, f"inertia torque of {motion.tree.bodies[i].name}, {k + 1}")


def inertia_force(motion: KaneMotion, i: int, k: int) -> Expression:
    """R* of body i and its weight, m (g - a), component k in the basis of the carrier (eqs 79, 91)."""
    value = -motion.turns.number(motion.inertias[i].mass) * motion.acceleration(i, k)
    return motion.note(value, f"inertia force and weight of {motion.tree.bodies[i].name}, {k + 1}")


def generalized_force(motion: KaneMotion, r: int) -> Expression:
    """K*_r and the part of K_r that gravity makes (eqs 78, 90, 93 - 95)."""
    velocity = partial(_partial_velocity, motion, r)
    value = _dotted(motion, r, velocity, partial(inertia_torque, motion), partial(inertia_force, motion))
    return motion.note(value, f"generalized inertia and gravitational force {r + 1}")


def inertia_coefficient(motion: KaneMotion, r: int, s: int) -> Expression:
    """X_rs = -sum over bodies of (w_r . I . w_s + m v_r . v_s) (eqs 78, 79, 88)."""
    torque, force = partial(_torque_coefficient, motion, s), partial(_force_coefficient, motion, r, s)
    return _dotted(motion, r, partial(_paired_velocity, motion, r, s), torque, force)


def _partial_velocity(motion: KaneMotion, r: int, i: int, k: int) -> Expression:
    return motion.partial_velocity(i, r, k)


def _paired_velocity(motion: KaneMotion, r: int, s: int, i: int, k: int) -> Expression:
    return motion.paired_partial_velocity(i, r, s, k)


def _torque_coefficient(motion: KaneMotion, s: int, i: int, k: int) -> Expression:
    """What u'_s is multiplied by in T* of body i, component k."""
    row = motion.inertias[i].tensor[k]
    number, w_s = motion.turns.number, partial(motion.partial_angular_velocity, i, s)
    value = -motion.turns.sum([number(row[c]) * w_s(c) for c in range(3) if row[c] != 0])
    return motion.note(value, f"inertia torque of {motion.tree.bodies[i].name} for u{s + 1}' = 1, {k + 1}")


def _force_coefficient(motion: KaneMotion, r: int, s: int, i: int, k: int) -> Expression:
    """What u'_s is multiplied by in R* of body i, component k, in the basis that suits v_r."""
    value = -motion.turns.number(motion.inertias[i].mass) * motion.paired_partial_velocity(i, s, r, k)
    return motion.note(value, f"inertia force of {motion.tree.bodies[i].name} for u{s + 1}' = 1, {k + 1}")


def _dotted(
    motion: KaneMotion, r: int, velocity: Component, torque: Component, force: Component
) -> Expression:
    """Sum over bodies of w_r . torque + velocity . force; factors of the same partial are added up first."""
    factors: dict[Ref, list[Expression]] = {}

    def collect(partial_velocity: Expression, factor: Component, i: int, k: int) -> None:
        if not partial_velocity.is_zero:
            ref, value = partial_velocity.ref, factor(i, k)
            factors.setdefault(abs(ref), []).append(value if ref > 0 else -value)

    for i in range(len(motion.tree.bodies)):
        for k in range(3):
            collect(motion.partial_angular_velocity(i, r, k), torque, i, k)
            if motion.inertias[i].mass != 0:
                collect(velocity(i, k), force, i, k)
    return motion.turns.sum(
        [Expression(motion.graph, ref) * motion.turns.sum(values) for ref, values in factors.items()]
    )


def _transposed_product(
    matrix: Sequence[Sequence[Expression]], vector: Sequence[Expression]
) -> list[Expression]:
    graph = vector[0].graph
    columns = zip(*matrix, strict=True)
    return [
        total(graph, [x * y for x, y in zip(column, vector, strict=True) if not (x.is_zero or y.is_zero)])
        for column in columns
    ]


def intermediate_quantities(motion: KaneMotion, roots: Iterable[Ref]) -> dict[str, tuple[int, str]]:
    """Z1, Z2, ... as introduced: the node and the meaning of every quantity that the roots need."""
    graph = motion.graph
    needed = set(graph.reachable(roots))
    found: dict[str, tuple[int, str]] = {}
    for node, meaning in motion.quantities.items():
        free = graph.parametric[node] or graph.kinds[node] in (Kind.SINE, Kind.COSINE)
        if node in needed and not free:
            found[f"Z{len(found) + 1}"] = (node, meaning)
    return found
