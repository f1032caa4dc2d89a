"""The catalogue's constrained mechanisms, states of them, and what their kernels' errors may be."""

from __future__ import annotations

import numpy as np

from tests.witnesses.constrained_witness import ConstrainedWitness, State

ROUNDING = 2e-13
"""Some 2,000 roundings of 1.1e-16 in a kernel or in the witness, were all of them to add up."""

CONDITION = 60.0
"""States whose equations for q' have a larger condition are near a singular configuration and are left out."""

SPREADS = {
    "two_link_space_arm": 3.0,
    "plate_disk": 2.0,
    "rolling_disc": 1.0,
    "four_bar": 0.3,
    "four_bar_tilted": 0.3,
    "five_bar": 0.3,
    "whipple_bicycle": 0.3,
    "stewart_platform": 0.1,
}
"""How far the coordinates are disturbed from home [rad, m] before the loops are closed."""


def force_error(witness: ConstrainedWitness, state: State) -> float:
    """The largest error of tau = N^T (M q'' + h) by the sizes of its terms, not of their sum.

    q'' and N carry an error of kappa roundings each, on either side; that of N counts kappa |N|.
    """
    n, still = witness.nq, np.zeros(witness.nq)
    rest = witness.tree_forces(state.q, still, still)[:n]
    moving = witness.tree_forces(state.q, state.qdot, still)[:n]
    terms = (
        np.abs(witness.tree_mass_matrix(state.q)) @ np.abs(state.qddot) + np.abs(moving - rest) + np.abs(rest)
    )
    N = np.abs(witness.directions(state.q))
    kappa = witness.condition(state.q)
    return ROUNDING * kappa * float((1.0 + N.max()) * terms.sum())
