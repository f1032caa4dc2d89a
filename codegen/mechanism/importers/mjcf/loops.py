"""Which speeds stay independent where connect and weld close loops, and which of these add nothing."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kanegen.codegen.mechanism.importers.loop_speeds import dependent_columns
from kanegen.codegen.mechanism.importers.mjcf.bodies import Tree
from kanegen.codegen.mechanism.importers.mjcf.kinds import equality_kind, joint_actuators, joint_kind
from kanegen.codegen.mechanism.importers.mjcf.source import warnings_of
from kanegen.codegen.mechanism.importers.mjcf.ties import active_equalities, bodies_of
from kanegen.errors import ModelError

Array = NDArray[np.float64]


def independent_speeds(tree: Tree) -> list[str]:
    """Joints whose rates are independent where loops are closed, those of actuators preferred.

    The rank of the equalities' Jacobian in the reference configuration decides, as MuJoCo computes it.  Raises ModelError
    where nothing can move.
    """
    mujoco, model = tree.mujoco, tree.model
    rows, equalities = _jacobian(mujoco, model)
    jacobian = _reduced(tree, rows)
    _warn_of_repetitions(tree, np.array([jacobian[d] for d in sorted(jacobian)]).T, equalities)
    driven_dofs = {int(model.jnt_dofadr[j]) for j in joint_actuators(mujoco, model).values()}
    floating = {d for d in jacobian if joint_kind(mujoco, model, int(model.dof_jntid[d])) == "FREE"}
    # last come those that should rather stay independent
    order = sorted(jacobian, key=lambda d: (d in floating, d in driven_dofs, -d))
    dependent = dependent_columns(order, lambda dofs: _rank(np.array([jacobian[d] for d in dofs]).T))
    independent = [tree.speeds[d] for d in sorted(jacobian) if d not in dependent]
    if not independent:
        raise ModelError(
            "equalities",
            "leave no freedom: nothing can move in the reference configuration",
            "at least one degree of freedom",
            "Remove one of them, or set its active to false; look for bodies that are tied twice.",
        )
    return independent


def _rank(rows: Array) -> int:
    if not rows.size:
        return 0
    return int(np.linalg.matrix_rank(rows, tol=1e-9 * max(1.0, float(np.abs(rows).max()))))


def _warn_of_repetitions(tree: Tree, rows: Array, equalities: Array) -> None:
    """A warning for each connect and weld that adds nothing to the ones before it."""
    for e in active_equalities(tree.mujoco, tree.model):
        if equality_kind(tree.mujoco, tree.model, e) == "JOINT" or tree.rigid(
            *bodies_of(tree.mujoco, tree.model, e)
        ):
            continue
        if _rank(rows[equalities <= e]) == _rank(rows[equalities < e]):
            tree.warn(
                tree.names.described("equality", e),
                "is idle in the reference configuration: what it ties moves together without it",
                "an equality that takes a freedom",
                "Remove it if it repeats another one.",
            )


def _jacobian(mujoco: Any, model: Any) -> tuple[Array, Array]:
    """Rows of connect and weld in the reference configuration (m, nv), and the numbers (m,) of their equalities."""
    data = mujoco.MjData(model)
    with warnings_of(mujoco):
        mujoco.mj_forward(model, data)
    if mujoco.mj_isSparse(model):
        rows = np.zeros((data.nefc, model.nv))
        mujoco.mju_sparse2dense(rows, data.efc_J, data.efc_J_rownnz, data.efc_J_rowadr, data.efc_J_colind)
    else:
        rows = data.efc_J.reshape(-1, model.nv)[: data.nefc]
    equality = int(mujoco.mjtConstraint.mjCNSTR_EQUALITY)
    wanted = [
        r
        for r in range(data.nefc)
        if int(data.efc_type[r]) == equality
        and equality_kind(mujoco, model, int(data.efc_id[r])) in ("CONNECT", "WELD")
    ]
    return np.asarray(rows[wanted], dtype=np.float64), np.array([int(data.efc_id[r]) for r in wanted])


def _reduced(tree: Tree, rows: Array) -> dict[int, Array]:
    """Columns by degree of freedom, without held joints and with those of mimics counted on their leaders."""
    model = tree.model
    columns = {d: rows[:, d].copy() for d in tree.speeds}
    follows = {
        int(model.jnt_dofadr[joint]): (int(model.jnt_dofadr[tie.leader]), float(tie.factor))
        for joint, tie in tree.ties.follows.items()
    }
    for follower in follows:
        target, factor = follower, 1.0
        while target in follows:
            target, step = follows[target]
            factor *= step
        columns[target] += factor * columns[follower]
    return {d: column for d, column in columns.items() if d not in follows}
