"""The kernels of a plain tree as functions of a placed tree, its mechanism and answers to decision points."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from kanegen.codegen.derivation.derivatives.through_the_tree import (
    inverse_dynamics_derivatives as of_inverse_dynamics,
)
from kanegen.codegen.derivation.foundations import on_joints
from kanegen.codegen.derivation.kernels import dynamics, frames
from kanegen.codegen.derivation.placed_tree.choices import Choices
from kanegen.codegen.derivation.placed_tree.deriver import Build
from kanegen.codegen.derivation.placed_tree.placement import PlacedTree
from kanegen.codegen.derivation.recursive.kinematics import frames_by_name
from kanegen.codegen.derivation.recursive.tree_dynamics import TreeDynamics
from kanegen.codegen.derivation.system import Make, kernels_of
from kanegen.codegen.graph import Program
from kanegen.codegen.mechanism import Mechanism


def _built(tree: PlacedTree, mechanism: Mechanism, choices: Choices, make: Make) -> Program:
    return kernels_of(on_joints(mechanism, TreeDynamics, True), {"": make})[""](tree, mechanism, choices)


def _of_frame(
    tree: PlacedTree, mechanism: Mechanism, choices: Choices, frame: frames.Frame, kernel: str, *, make: Make
) -> Program:
    return _built(tree, mechanism, choices, partial(make, frame=frame, kernel=kernel))


def derivatives_among(builds: Mapping[str, Build]) -> dict[str, Build]:
    """The kernels of derivatives, of these."""
    return {name: build for name, build in builds.items() if name.endswith("_derivatives")}


def _each(made: Mapping[str, Make]) -> dict[str, Build]:
    return {name: partial(_built, make=make) for name, make in made.items()}


DYNAMICS = _each(dynamics.DYNAMICS)
OPTIONAL = _each(dynamics.ON_DEMAND)

inverse_dynamics, forward_dynamics = DYNAMICS["inverse_dynamics"], DYNAMICS["forward_dynamics"]
mass_matrix, bias_forces = DYNAMICS["mass_matrix"], DYNAMICS["bias_forces"]
gravity_forces, momentum = DYNAMICS["gravity_forces"], DYNAMICS["momentum"]
coordinate_rates = DYNAMICS["coordinate_rates"]
coriolis_matrix, inverse_mass_matrix = OPTIONAL["coriolis_matrix"], OPTIONAL["inverse_mass_matrix"]
center_of_mass = OPTIONAL["center_of_mass"]
centroidal_momentum_matrix = OPTIONAL["centroidal_momentum_matrix"]
regressor, full_regressor = OPTIONAL["regressor"], OPTIONAL["full_regressor"]
inverse_dynamics_derivatives = partial(_built, make=of_inverse_dynamics)

frame_pose: Callable[..., Program] = partial(_of_frame, make=frames.frame_pose)
frame_jacobian: Callable[..., Program] = partial(_of_frame, make=frames.frame_jacobian)
frame_jacobian_rate: Callable[..., Program] = partial(_of_frame, make=frames.frame_jacobian_rate)
frame_forces: Callable[..., Program] = partial(_of_frame, make=frames.frame_forces)


def frame_kernels(tree: PlacedTree, identifiers: Mapping[str, str]) -> dict[str, Build]:
    """Poses and Jacobians of all frames, with the frames' names as identifiers."""
    return _each(frames.frame_kernels(frames_by_name(tree, identifiers)))


def optional_frame_kernels(tree: PlacedTree, identifiers: Mapping[str, str]) -> dict[str, Build]:
    """Rates of Jacobians and forces at all frames."""
    return _each(frames.frame_kernels_on_demand(frames_by_name(tree, identifiers)))
