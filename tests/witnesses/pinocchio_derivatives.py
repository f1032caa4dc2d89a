"""Pinocchio's derivatives of inverse and forward dynamics, in the order of a mechanism's coordinates."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .pinocchio_trees import PinocchioTree, pinocchio

Array = NDArray[np.float64]


def inverse_dynamics_derivatives(tree: PinocchioTree, q: Array, v: Array, a: Array) -> dict[str, Array]:
    """dq, dv and da of tau, (n, n) each; da is the mass matrix."""
    order, place = tree._order, tree._place
    pinocchio().computeRNEADerivatives(tree.model, tree.data, q[order], v[order], a[order])
    grid = np.ix_(place, place)
    return {
        "dq": np.array(tree.data.dtau_dq)[grid],
        "dv": np.array(tree.data.dtau_dv)[grid],
        "da": tree.mass_matrix(q),
    }


def forward_dynamics_derivatives(tree: PinocchioTree, q: Array, v: Array, tau: Array) -> dict[str, Array]:
    """dq, dv and dtau of a, (n, n) each."""
    order, place = tree._order, tree._place
    pinocchio().computeABADerivatives(tree.model, tree.data, q[order], v[order], tau[order])
    grid = np.ix_(place, place)
    upper = np.triu(np.array(tree.data.Minv))
    full = upper + np.triu(upper, 1).T
    return {
        "dq": np.array(tree.data.ddq_dq)[grid],
        "dv": np.array(tree.data.ddq_dv)[grid],
        "dtau": full[grid],
    }
