"""Derivatives of inverse dynamics: the tree's own, and these carried to the speeds of any mechanism."""

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
from kanegen.codegen.graph import Expression, Program


class _StandIns(TreeDynamics):
    """The dynamics of a tree whose forces are inputs that stand for them."""

    def forces(self) -> Vector:
        """The stand-ins."""
        return stand_ins(self.graph, len(self.tree.bodies))


def tree_derivatives(s: System) -> Program:
    """Derivatives of tau by q, v and a where the tree's joints move by these, and nothing resists them."""

    def matrices(tree: TreeDynamics) -> list[list[list[Expression]]]:
        found = tree.force_derivatives()
        return [found.dq, found.dv, found.da]

    found = s.of_tree(matrices, s.map.motion(s.input("v"), s.input("a")))
    return s.program(INVERSE_DYNAMICS_DERIVATIVES, found)


def carried_derivatives(s: System) -> Program:
    """Derivatives of tau along the speeds, by these, and by a."""
    motion = s.map.motion(s.input("v"), s.input("a"))
    assert motion.v is not None and motion.a is not None, "derivatives are by a whole motion"

    def forces_and_derivatives(tree: TreeDynamics) -> list[Any]:
        values, found = tree.forces(), tree.force_derivatives()
        return [values, found.dq, found.dv, found.da]

    values, dq, dv, da = s.of_tree(forces_and_derivatives, motion)
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
