"""A model in hand coordinates: the dynamics as the hand feels them, transferred from the joints."""

from __future__ import annotations

from collections.abc import Sequence

from kanegen.codegen.derivation.influence_coefficients.arrays import Matrix, Vector, quadratic
from kanegen.codegen.derivation.influence_coefficients.coefficients import Influence, frame_influence
from kanegen.codegen.derivation.influence_coefficients.equations import augmented_model, motion_at
from kanegen.codegen.derivation.influence_coefficients.inverses import inverse
from kanegen.codegen.derivation.influence_coefficients.model import Model
from kanegen.codegen.derivation.influence_coefficients.transfer import least_energy_inverse, transferred_to
from kanegen.codegen.derivation.placed_tree.placement import PlacedTree
from kanegen.codegen.derivation.recursive.kinematics import Kinematics
from kanegen.codegen.graph import Expression, Graph
from kanegen.codegen.graph import linear as vec
from kanegen.codegen.mechanism.records import Frame
from kanegen.errors import ModelError, counted

ROWS = ("vx", "vy", "vz", "wx", "wy", "wz")
"""The controlled rows of a hand: velocity of its origin and angular velocity, in the base frame."""


def hand_model(
    tree: PlacedTree, graph: Graph, q: Sequence[Expression], frame: Frame, rows: Sequence[int]
) -> Model:
    """I*, P* and weights of an arm on the chosen ``rows`` of its hand's twist, by place in ``ROWS``.

    With as many rows as coordinates the transfer is an isomorphism, and its forces are those that, applied at the hand,
    replace the joints' own.  With fewer rows the arm follows the hand with the least kinetic energy.  Either exists where
    the rows of the hand's Jacobian are independent.

    Raises ModelError where they never are.
    """
    model, hand, N = _reversed(tree, graph, q, frame, rows)
    return transferred_to(graph, model, hand, N)


def forces_at_hand(
    tree: PlacedTree,
    graph: Graph,
    q: Sequence[Expression],
    frame: Frame,
    rows: Sequence[int],
    rates: Vector,
    accelerations: Vector,
) -> Vector:
    """The forces T_e = I* d2e/dt2 + de/dt^T P* de/dt - weights of ``hand_model``, for given time states of the hand.

    These are transferred instead of the arrays, at a fraction of the operations:
    du/dt = N de/dt, d2u/dt2 = N (d2e/dt2 - du/dt^T H^e_uu du/dt), T_e = N^T T_u.  Redundant arms have a further part of
    d2u/dt2, within their internal motion, on which N^T I* does no work.
    """
    model, hand, N = _reversed(tree, graph, q, frame, rows)
    joint_rates = vec.apply_total(graph, N, rates)
    bend = quadratic(graph, hand.H, joint_rates)
    joint_accelerations = vec.apply_total(graph, N, vec.subtract(accelerations, bend))
    return vec.apply_total(graph, vec.transpose(N), model.forces(graph, joint_rates, joint_accelerations))


def _reversed(
    tree: PlacedTree, graph: Graph, q: Sequence[Expression], frame: Frame, rows: Sequence[int]
) -> tuple[Model, Influence, Matrix]:
    """The model in the joints, the influence of the joints on the hand, and the way back."""
    model = augmented_model(tree, graph, q)
    hand = hand_influence(Kinematics(tree, motion_at(tree, graph, q)), frame, rows)
    try:
        if len(rows) == len(q):
            return model, hand, inverse(graph, hand.G)
        return model, hand, least_energy_inverse(graph, hand.G, model.inertia)
    except ZeroDivisionError:
        raise _dependent(frame, rows) from None


def hand_influence(kinematics: Kinematics, frame: Frame, rows: Sequence[int]) -> Influence:
    """G and H of the chosen rows of a frame.  Raises ModelError for rows that no motion can satisfy."""
    n = len(kinematics.tree.bodies)
    if not rows or len(set(rows)) != len(rows) or not set(rows) <= set(range(len(ROWS))):
        raise ModelError(
            f"hand {frame.name!r}",
            f"has the controlled rows {tuple(rows)}",
            "different places in " + ", ".join(ROWS) + ", counted from 0",
            "Name each controlled component once.",
        )
    if len(rows) > n:
        raise ModelError(
            f"hand {frame.name!r}",
            f"has {counted(len(rows), 'controlled row')} but {counted(n, 'coordinate')} to move it",
            f"at most {counted(n, 'row')}",
            "Choose the rows of the task.",
        )
    full = frame_influence(kinematics, frame)
    chosen = Influence([full.G[r] for r in rows], [full.H[r] for r in rows])
    if any(all(x.is_zero for x in row) for row in chosen.G):
        raise _dependent(frame, rows)
    return chosen


def _dependent(frame: Frame, rows: Sequence[int]) -> ModelError:
    return ModelError(
        f"hand {frame.name!r}",
        f"cannot follow {', '.join(ROWS[r] for r in rows)} in any configuration",
        "rows that the joints before it can move independently",
        "Choose other rows, or a frame further out.",
    )
