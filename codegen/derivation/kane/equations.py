"""Kane's dynamical equations for a tree of revolute and prismatic joints (Kane & Levinson 1983).

For every generalized speed u_r, generalized inertia force and generalized active force balance (eq 117):

    K*_r + K_r = 0,   K*_r = sum_s X_rs u'_s + (what the velocities leave)     (eq 88)

tau_r is what the actuators contribute to K_r.  When the torque or force that the joint of coordinate s passes on, along
its axis, is Q_s,

    tau_r = sum_s W_sr Q_s,     Q_s = sum_r Y_rs tau_r,                        (eqs 104 - 116, 126)

since power is tau . u = Q . q' with q' = W u and u = Y q'.  For plain joint rates both are the unit matrix.  Forces and
torques in the joints that do no work drop out by themselves.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from kanegen.codegen.derivation.choices import Choices
from kanegen.codegen.derivation.generalized_speeds import joint_rates
from kanegen.codegen.derivation.kane.generalized_forces import (
    generalized_force,
    inertia_coefficient,
)
from kanegen.codegen.derivation.kane.motion import KaneMotion
from kanegen.codegen.derivation.kane.rotation import turns_of
from kanegen.codegen.derivation.kane.speeds import ChosenSpeeds
from kanegen.codegen.derivation.placement import PlacedTree, place
from kanegen.codegen.graph import Expression, Graph, Kind, Ref, constant, inputs
from kanegen.codegen.graph import linear as vec
from kanegen.codegen.mechanism.folding import with_numbers
from kanegen.codegen.mechanism.records import Mechanism
from kanegen.codegen.mechanism.reduction import without_fixed_joints
from kanegen.codegen.mechanism.speeds import GeneralizedSpeed


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
        return vec.matrix_scale(-1, self.X)

    def right_hand_side(self, tau: Sequence[Expression]) -> list[Expression]:
        """tau + Z: the right-hand side of M u' = ... for generalized forces tau on the speeds."""
        return list(vec.add(tau, self.Z))

    def forces_on_speeds(self, joint_forces: Sequence[Expression]) -> list[Expression]:
        """tau_r = sum_s W_sr Q_s for joint forces Q in coordinate order."""
        return forces_on_speeds(self.rates_from_speeds, joint_forces)

    def labels(self, roots: Iterable[Ref]) -> dict[int, str]:
        """Names Z1, Z2, ... of the intermediate quantities that the roots need."""
        return {node: name for name, (node, _) in intermediate_quantities(self.motion, roots).items()}


def forces_on_speeds(
    W: Sequence[Sequence[Expression]], joint_forces: Sequence[Expression]
) -> list[Expression]:
    """W^T Q: generalized forces conjugate to the speeds from those conjugate to the rates."""
    return list(vec.apply_total(joint_forces[0].graph, vec.transpose(W), joint_forces))


def forces_on_rates(Y: Sequence[Sequence[Expression]], tau: Sequence[Expression]) -> list[Expression]:
    """Y^T tau: generalized forces conjugate to the rates from those conjugate to the speeds (eq 126)."""
    return list(vec.apply_total(tau[0].graph, vec.transpose(Y), tau))


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
    turns = turns_of(tree, graph, q)
    chosen = ChosenSpeeds(turns, speeds, q, u, (constant(graph, 0),) * n)
    motion = KaneMotion(described(mechanism, live_parameters), turns, chosen)
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
        rates=tuple(chosen.rates),
        rates_from_speeds=chosen.equations.rates_from_speeds,
        speeds_from_rates=chosen.equations.speeds_from_rates,
        motion=motion,
    )


def described(mechanism: Mechanism, live_parameters: bool) -> Mechanism:
    """The mechanism whose inertias are read: fixed joints lumped, parameters folded unless they stay live."""
    reduced = without_fixed_joints(mechanism)
    return reduced if live_parameters else with_numbers(reduced)


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
