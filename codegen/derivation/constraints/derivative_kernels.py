"""Derivatives of the inverse dynamics of a constrained mechanism: along its speeds, by these, and by their derivatives."""

from __future__ import annotations

from dataclasses import replace

from kanegen.codegen.derivation.constraints.dynamics_kernels import inverse_dynamics, mass_matrix
from kanegen.codegen.derivation.constraints.setting import Setting
from kanegen.codegen.derivation.constraints.spanning_tree import (
    tree_accelerations,
    tree_positions,
    tree_rates,
)
from kanegen.codegen.derivation.derivatives_through import (
    TreeForces,
    inverse_dynamics_through,
    standing_for_inverse_dynamics,
)
from kanegen.codegen.derivation.differentiate import along_speeds
from kanegen.codegen.derivation.force_derivatives import SOURCE
from kanegen.codegen.derivation.standard import Build
from kanegen.codegen.graph import Program


def inverse_dynamics_derivatives(s: Setting, build: Build) -> Program:
    """Derivatives of tau; ``build`` makes the tree's own derivatives by q, v and a.

    Coordinates move along dq = N e_j, N being the part of dq/dt that is linear in the speeds.
    """
    real = s.basis.programs["inverse_dynamics"]
    programs = {**s.basis.programs, "inverse_dynamics": standing_for_inverse_dynamics}
    s = Setting(replace(s.basis, programs=programs), s.tree, s.tree_mechanism, s.choices)
    qdot = s.motion.rates(s.input("v", s.nv))
    qddot = s.motion.accelerations(qdot, s.input("a", s.nv))
    forces = TreeForces.of(
        s.of_tree(real, qdot, qddot)[0],
        {
            "q": tree_positions(s.mechanism, s.graph, s.q),
            "v": tree_rates(s.mechanism, s.lift, qdot),
            "a": tree_accelerations(s.mechanism, s.graph, qddot),
        },
        s.tree_program(build),
        s.of_tree(build, qdot, qddot),
    )
    columns = [[row[r] for row in s.motion.N] for r in range(s.nv)]
    steps, coordinates = along_speeds(columns, s.q)
    return inverse_dynamics_through(
        inverse_dynamics(s),
        mass_matrix(s),
        steps,
        coordinates,
        forces,
        f"{SOURCE}, carried to the speeds",
    )
