"""Kernels of a tree that are generated only when asked for by name."""

from __future__ import annotations

from collections.abc import Mapping

from kanegen.codegen.derivation.centroidal import center_of_mass, centroidal_momentum_matrix
from kanegen.codegen.derivation.coriolis import coriolis_matrix
from kanegen.codegen.derivation.frame_rates import frame_forces, frame_jacobian_rate
from kanegen.codegen.derivation.inverse_mass_matrix import inverse_mass_matrix
from kanegen.codegen.derivation.kernels.catalogue import FRAME_FORCES, FRAME_JACOBIAN_RATE
from kanegen.codegen.derivation.placement import PlacedTree
from kanegen.codegen.derivation.regressor import full_regressor, regressor
from kanegen.codegen.derivation.standard import Build, of_frames

OPTIONAL: Mapping[str, Build] = {
    "coriolis_matrix": coriolis_matrix,
    "inverse_mass_matrix": inverse_mass_matrix,
    "center_of_mass": center_of_mass,
    "centroidal_momentum_matrix": centroidal_momentum_matrix,
    "regressor": regressor,
    "full_regressor": full_regressor,
}
"""Kernels that every mechanism can have."""


def optional_frame_kernels(tree: PlacedTree, identifiers: Mapping[str, str]) -> dict[str, Build]:
    """Kernels of the frames: frame_jacobian_rate_<frame> and frame_forces_<frame>, with the frames' names as identifiers."""
    return of_frames(
        tree, identifiers, {FRAME_JACOBIAN_RATE: frame_jacobian_rate, FRAME_FORCES: frame_forces}
    )
