"""The standard kernels of a mechanism, by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial

from kanegen.codegen.derivation.choices import Choices
from kanegen.codegen.derivation.composite_inertia import mass_matrix
from kanegen.codegen.derivation.energy import kinetic_energy, momentum, potential_energy
from kanegen.codegen.derivation.forward_dynamics import forward_dynamics
from kanegen.codegen.derivation.kernels.catalogue import FRAME_JACOBIAN, FRAME_POSE
from kanegen.codegen.derivation.kernels.contract import Contract
from kanegen.codegen.derivation.kinematics import coordinate_rates, frame_jacobian, frame_pose, frames_of
from kanegen.codegen.derivation.newton_euler import bias_forces, gravity_forces, inverse_dynamics
from kanegen.codegen.derivation.placement import PlacedTree
from kanegen.codegen.graph import Program
from kanegen.codegen.mechanism.records import Mechanism
from kanegen.codegen.mechanism.speeds import GeneralizedSpeed

Build = Callable[[PlacedTree, Mechanism, Choices], Program]

DYNAMICS: Mapping[str, Build] = {
    "inverse_dynamics": inverse_dynamics,
    "forward_dynamics": forward_dynamics,
    "mass_matrix": mass_matrix,
    "bias_forces": bias_forces,
    "gravity_forces": gravity_forces,
    "kinetic_energy": kinetic_energy,
    "potential_energy": potential_energy,
    "momentum": momentum,
    "coordinate_rates": coordinate_rates,
}
"""Kernels that every mechanism has."""


def of_frames(
    tree: PlacedTree, identifiers: Mapping[str, str], builds: Mapping[Contract, Callable[..., Program]]
) -> dict[str, Build]:
    """The kernels of all frames, frame by frame, with the frames' names as identifiers."""
    found: dict[str, Build] = {}
    for frame in frames_of(tree):
        for contract, build in builds.items():
            name = contract.named(identifiers[frame.name])
            found[name] = partial(build, frame=frame, kernel=name)
    return found


def frame_kernels(
    tree: PlacedTree, identifiers: Mapping[str, str], speeds: Sequence[GeneralizedSpeed] | None = None
) -> dict[str, Build]:
    """Kernels of the frames: frame_pose_<frame> and frame_jacobian_<frame>, with the frames' names as identifiers.

    Jacobians map joint rates, or the generalized speeds if these are given.
    """
    return of_frames(
        tree, identifiers, {FRAME_POSE: frame_pose, FRAME_JACOBIAN: partial(frame_jacobian, speeds=speeds)}
    )
