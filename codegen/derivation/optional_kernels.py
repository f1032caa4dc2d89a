"""Kernels of a tree that are generated only when asked for by name."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from kanegen.codegen.derivation.centroidal import center_of_mass, centroidal_momentum_matrix
from kanegen.codegen.derivation.coriolis import coriolis_matrix
from kanegen.codegen.derivation.frame_rates import frame_forces, frame_jacobian_rate
from kanegen.codegen.derivation.inverse_mass_matrix import inverse_mass_matrix
from kanegen.codegen.derivation.kinematics import frames_of
from kanegen.codegen.derivation.placement import PlacedTree
from kanegen.codegen.derivation.regressor import full_regressor, regressor
from kanegen.codegen.derivation.standard import Build

OPTIONAL: Mapping[str, Build] = {
    "coriolis_matrix": coriolis_matrix,
    "inverse_mass_matrix": inverse_mass_matrix,
    "center_of_mass": center_of_mass,
    "centroidal_momentum_matrix": centroidal_momentum_matrix,
    "regressor": regressor,
    "full_regressor": full_regressor,
}
"""Kernels that every mechanism can have."""

WITHOUT_INERTIA = ("regressor", "full_regressor")
"""Kernels of geometry alone: placement and inertial gauge do not change them, so only fine decisions are worth a search."""


def optional_frame_kernels(tree: PlacedTree, identifiers: Mapping[str, str]) -> dict[str, Build]:
    """Kernels of the frames: frame_jacobian_rate_<frame> and frame_forces_<frame>, with the frames' names as identifiers."""
    kernels: dict[str, Build] = {}
    for frame in frames_of(tree):
        rate, forces = (
            f"{what}_{identifiers[frame.name]}" for what in ("frame_jacobian_rate", "frame_forces")
        )
        kernels[rate] = partial(frame_jacobian_rate, frame=frame, kernel=rate)
        kernels[forces] = partial(frame_forces, frame=frame, kernel=forces)
    return kernels
