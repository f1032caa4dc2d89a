"""Derivatives of inverse dynamics, carried from the tree to the speeds of any mechanism."""

from __future__ import annotations

from kanegen.codegen.derivation.derivatives_through import (
    inverse_dynamics_through,
    standing_for_inverse_dynamics,
    tree_forces,
)
from kanegen.codegen.derivation.differentiate import along_speeds
from kanegen.codegen.derivation.kernels.dynamics import inverse_dynamics, mass_matrix
from kanegen.codegen.derivation.standard import Build
from kanegen.codegen.derivation.system import System
from kanegen.codegen.graph import Program


def inverse_dynamics_derivatives(s: System, build: Build, source: str) -> Program:
    """Derivatives of tau along the speeds, by these, and by a; ``build`` makes the tree's own by q, v and a."""
    real, derivatives = s.tree_program("inverse_dynamics"), s.tree_program(build)
    directed, undirected = s.resistance.by_direction()
    s = s.standing_in(directed, inverse_dynamics=standing_for_inverse_dynamics)
    motion = s.map.motion(s.input("v"), s.input("a"))
    forces = tree_forces(s.of_tree(real, motion)[0], motion, derivatives, s.of_tree(derivatives, motion))
    forces = undirected.with_springs(forces, motion, s.graph, s.map.placements())
    steps, coordinates = along_speeds(s.map.unit_rates(), s.q)
    return inverse_dynamics_through(
        inverse_dynamics(s),
        mass_matrix(s),
        steps,
        coordinates,
        forces,
        f"{source}{s.map.carried}",
        s.map.changes(forces, steps),
    )
