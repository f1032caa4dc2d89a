"""Derivatives of inverse dynamics: those of the tree, carried to the speeds of any mechanism."""

from __future__ import annotations

from typing import Any

from kanegen.codegen.derivation.derivatives.differentiate import along_speeds
from kanegen.codegen.derivation.derivatives.through_the_tree import inverse_dynamics_through, stand_ins
from kanegen.codegen.derivation.kernels.catalogue import INVERSE_DYNAMICS_DERIVATIVES
from kanegen.codegen.derivation.kernels.dynamics import inverse_dynamics, mass_matrix
from kanegen.codegen.derivation.motion_maps.motion_map import TreeForces
from kanegen.codegen.derivation.recursive.force_derivatives import SOURCE
from kanegen.codegen.derivation.recursive.tree_dynamics import TreeDynamics, Vector
from kanegen.codegen.derivation.system import System
from kanegen.codegen.graph import Program


class _StandIns(TreeDynamics):
    """The dynamics of a tree whose forces are inputs that stand for them."""

    def forces(self) -> Vector:
        """The stand-ins."""
        return stand_ins(self.graph, len(self.tree.bodies))


def inverse_dynamics_derivatives(s: System) -> Program:
    """Derivatives of tau along the speeds, by these, and by a."""
    motion = s.map.motion(s.input("v"), s.input("a"))
    assert motion.v is not None and motion.a is not None, "derivatives are by a whole motion"

    def derivatives(tree: TreeDynamics) -> list[Any]:
        found = tree.force_derivatives()
        return [found.dq, found.dv, found.da]

    if not (
        s.map.carried or s.mechanism.resisted
    ):  # the tree moves as its speeds do, and nothing else acts on it
        return s.program(INVERSE_DYNAMICS_DERIVATIVES, s.of_tree(derivatives, motion))
    values, dq, dv, da = s.of_tree(lambda tree: [tree.forces(), *derivatives(tree)], motion)
    forces = TreeForces(values, {"q": motion.q, "v": motion.v, "a": motion.a}, {"q": dq, "v": dv, "a": da})
    s.resistance, undirected = s.resistance.by_direction()
    forces = undirected.with_springs(forces, motion, s.graph, s.map.placements())
    steps, coordinates = along_speeds(s.map.unit_rates(), s.q)
    s.dynamics = _StandIns
    return inverse_dynamics_through(
        inverse_dynamics(s),
        mass_matrix(s),
        steps,
        coordinates,
        forces,
        f"{SOURCE}{s.map.carried}",
        s.map.changes(forces, steps),
    )
