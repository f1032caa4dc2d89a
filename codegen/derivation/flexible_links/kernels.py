"""The kernels of a mechanism with flexible links."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from kanegen.codegen.derivation.choices import Choices
from kanegen.codegen.derivation.deriver import Build
from kanegen.codegen.derivation.flexible_links import dynamics_kernels as dynamics
from kanegen.codegen.derivation.flexible_links import frame_kernels as frames
from kanegen.codegen.derivation.flexible_links import state_kernels as state
from kanegen.codegen.derivation.flexible_links.book import BookArm
from kanegen.codegen.derivation.flexible_links.setting import Basis, Setting, basis_of
from kanegen.codegen.derivation.placement import PlacedTree
from kanegen.codegen.graph import Program
from kanegen.codegen.mechanism.records import Mechanism

Make = Callable[[Setting], Program]


def flexible_kernels(mechanism: Mechanism, live: bool, identifiers: Mapping[str, str]) -> dict[str, Build]:
    """Kernels by name; ``identifiers`` are the frames' names in C."""
    made: dict[str, Make] = {
        "inverse_dynamics": dynamics.inverse_dynamics,
        "forward_dynamics": dynamics.forward_dynamics,
        "mass_matrix": dynamics.mass_matrix,
        "bias_forces": dynamics.bias_forces,
        "gravity_forces": dynamics.gravity_forces,
        "equations_of_motion": dynamics.equations_of_motion,
        "prescribed_motion_forces": dynamics.prescribed_motion_forces,
        "kinetic_energy": state.kinetic,
        "potential_energy": state.potential,
        "elastic_energy": state.elastic,
        "gravity_energy": state.gravity,
        "momentum": state.momentum,
        "coordinate_rates": state.coordinate_rates,
    }
    if set(mechanism.coordinates) == set(mechanism.modes):
        del made["prescribed_motion_forces"]  # no joint moves
    for frame, identifier in identifiers.items():
        for what, make in (("frame_pose", frames.frame_pose), ("frame_jacobian", frames.frame_jacobian)):
            made[f"{what}_{identifier}"] = partial(make, frame=frame, kernel=f"{what}_{identifier}")
    return _built(mechanism, live, made)


def optional_flexible_kernels(
    mechanism: Mechanism, live: bool, identifiers: Mapping[str, str]
) -> dict[str, Build]:
    """Kernels that are generated only when asked for, but for derivatives."""
    made: dict[str, Make] = {
        "inverse_mass_matrix": dynamics.inverse_mass_matrix,
        "center_of_mass": state.center_of_mass,
    }
    for frame, identifier in identifiers.items():
        kernel = f"frame_forces_{identifier}"
        made[kernel] = partial(frames.frame_forces, frame=frame, kernel=kernel)
    return _built(mechanism, live, made)


def book_kernels(mechanism: Mechanism, live: bool, truncated: bool) -> dict[str, Build]:
    """Kernels from Book's own equations; ``truncated`` leaves out what he leaves out."""
    book = partial(BookArm, truncated=truncated)
    made: dict[str, Make] = {
        "inverse_dynamics": partial(dynamics.inverse_dynamics, of=book),
        "forward_dynamics": partial(dynamics.forward_dynamics, of=book),
        "mass_matrix": partial(dynamics.mass_matrix, of=book),
        "bias_forces": partial(dynamics.bias_forces, of=book),
        "gravity_forces": partial(dynamics.gravity_forces, of=book),
        "equations_of_motion": partial(dynamics.equations_of_motion, of=book),
    }
    return _built(mechanism, live, made)


def _built(mechanism: Mechanism, live: bool, made: Mapping[str, Make]) -> dict[str, Build]:
    basis = basis_of(mechanism, live)
    return {name: partial(_build, basis=basis, make=make) for name, make in made.items()}


def _build(tree: PlacedTree, mechanism: Mechanism, choices: Choices, basis: Basis, make: Make) -> Program:
    """``tree`` is that of the rigid arm, which has no part in it."""
    del tree, mechanism
    return make(Setting(basis, choices))
