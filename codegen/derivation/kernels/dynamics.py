"""Forces, accelerations, energies and matrices of any mechanism on its speeds, written once over a system.

With x the coordinates of the tree's joints and dx/dt = T v + (what prescribed motions add),

    tau = T^T (tau_tree + resistance),  M = T^T M_tree T,  C = T^T (C_tree T + M_tree dT/dt),  A = A_tree T,  Y = T^T Y_tree,

and dM/dt - 2 C stays skew-symmetric.  Base parameters are those of the tree, though constraints may make some columns of Y
dependent.
"""

from __future__ import annotations

from collections.abc import Callable

from kanegen.codegen.derivation.kernels.catalogue import (
    ACTUATOR_FORCES,
    BIAS_FORCES,
    CENTER_OF_MASS,
    CENTROIDAL_MOMENTUM_MATRIX,
    COORDINATE_RATES,
    CORIOLIS_MATRIX,
    FORWARD_DYNAMICS,
    FULL_REGRESSOR,
    GRAVITY_FORCES,
    INVERSE_DYNAMICS,
    INVERSE_MASS_MATRIX,
    KINETIC_ENERGY,
    MASS_MATRIX,
    MOMENTUM,
    POTENTIAL_ENERGY,
    REGRESSOR,
)
from kanegen.codegen.derivation.kernels.contract import Contract
from kanegen.codegen.derivation.linear.inverse import inverse
from kanegen.codegen.derivation.linear.solve import chosen_blocks, solve
from kanegen.codegen.derivation.motion_maps.chosen_speeds import ChosenSpeeds
from kanegen.codegen.derivation.motion_maps.leaning import level_rotors
from kanegen.codegen.derivation.motion_maps.motion_map import Rows, Vector
from kanegen.codegen.derivation.parameters.inertial_parameters import PARTS
from kanegen.codegen.derivation.recursive.tree_dynamics import TreeDynamics
from kanegen.codegen.derivation.system import System
from kanegen.codegen.graph import Expression, Program
from kanegen.codegen.graph import linear as vec


def inverse_dynamics(s: System) -> Program:
    """tau for derivatives a of the speeds."""
    tau = s.driving(s.input("v"), s.input("a"))
    return s.program(INVERSE_DYNAMICS, [tau])


def bias_forces(s: System) -> Program:
    """h with tau = M a + h."""
    h = s.driving(s.input("v"), s.rest)
    return s.program(BIAS_FORCES, [h])


def gravity_forces(s: System) -> Program:
    """g that holds the mechanism at rest."""
    return s.program(GRAVITY_FORCES, [s.driving()])


def actuator_forces(s: System) -> Program:
    """Torques and forces of the actuators, with their own signs, that produce given derivatives of the speeds.

    For a joint without an actuator it is the generalized force on the joint's rate (Kane & Levinson 1983, eqs 118 - 126).
    """
    assert isinstance(s.map, ChosenSpeeds), "forces on chosen speeds are those of joints in other words"
    signs = {actuator.joint: actuator.sign for actuator in s.mechanism.actuators}
    on_rates = s.map.on_coordinates(s.driving(s.input("v"), s.input("a")))
    forces = [x * signs.get(joint, 1) for joint, x in zip(s.mechanism.coordinates, on_rates, strict=True)]
    return s.program(ACTUATOR_FORCES, [forces])


def mass_matrix(s: System) -> Program:
    """M = T^T M_tree T."""
    return s.program(MASS_MATRIX, [s.inertia()])


def forward_dynamics(s: System) -> Program:
    """a for generalized forces tau: by the tree's own forward dynamics, or by eliminating the free rates.

    Raises NoInertiaError where no inertia resists a motion.
    """
    v, tau = s.input("v"), s.input("tau")
    a = _by_the_tree(s, v, tau) if s.map.one_to_one else _by_elimination(s, v, tau)
    return s.program(FORWARD_DYNAMICS, [a])


def _by_the_tree(s: System, v: Vector, tau: Vector) -> list[Expression]:
    motion, drift = s.map.drifting(v)
    driving = [t - r for t, r in zip(tau, s.resisting(motion), strict=True)]
    found = s.of_tree(lambda tree, tau: tree.accelerations(tau), motion, tau=driving)
    leaning = motion.a or drift
    return [x if extra.is_zero else x - extra for x, extra in zip(found, leaning, strict=True)]


def _by_elimination(s: System, v: Vector, tau: Vector) -> list[Expression]:
    right, drift = s.balance(v, tau)
    inertia = s.resisted_inertia()
    free = solve(inertia, right, chosen_blocks(inertia, s.choices)) if right else []
    return s.map.accelerations_of(free, drift)


def inverse_mass_matrix(s: System) -> Program:
    """M^-1: the tree's own, or from the inverse on the free rates.  Raises NoInertiaError."""
    if s.map.one_to_one:
        rows: Rows = s.of_tree(lambda tree: tree.inverse_mass_matrix(), s.map.motion())
    else:
        inertia = s.resisted_inertia()
        rows = s.map.from_free(inverse(inertia, chosen_blocks(inertia, s.choices, "the inverse")))
    return s.program(INVERSE_MASS_MATRIX, [rows])


def kinetic_energy(s: System) -> Program:
    """T of the tree, and of what its joints' drives turn."""
    found = s.of_tree(lambda tree: tree.kinetic_energy(), s.map.motion(s.input("v")))
    return s.program(KINETIC_ENERGY, [found])


def potential_energy(s: System) -> Program:
    """U of gravity and springs."""
    energy = s.of_tree(lambda tree: tree.potential_energy(), s.map.motion()) + s.spring_energy()
    return s.program(POTENTIAL_ENERGY, [energy])


def momentum(s: System) -> Program:
    """Momentum of the tree."""
    found = s.of_tree(lambda tree: tree.momentum(), s.map.motion(s.input("v")))
    return s.program(MOMENTUM, [found])


def coordinate_rates(s: System) -> Program:
    """dq/dt = N(q) v + (what prescribed motions add)."""
    return s.program(COORDINATE_RATES, [s.map.coordinate_rates(s.input("v"))], source=s.map.rates_from)


def coriolis_matrix(s: System) -> Program:
    """T^T (C_tree T + M_tree dT/dt)."""
    v = s.input("v")
    c = s.of_tree(lambda tree: tree.coriolis_matrix(), s.map.motion(v))
    rows = s.map.coriolis(c, s.tree_inertia, v, level_rotors(s.mechanism))
    return s.program(CORIOLIS_MATRIX, [rows])


def center_of_mass(s: System) -> Program:
    """That of the tree."""
    found = s.of_tree(lambda tree: tree.center_of_mass(), s.map.motion())
    return s.program(CENTER_OF_MASS, [found])


def centroidal_momentum_matrix(s: System) -> Program:
    """A_tree T: the momenta are A v, and what prescribed motions add."""
    rows = s.of_tree(lambda tree: tree.centroidal_momentum_matrix(), s.map.motion())
    return s.program(CENTROIDAL_MOMENTUM_MATRIX, [[s.map.on_speeds(row) for row in rows]])


def regressor(s: System) -> Program:
    """T^T Y_tree for the base parameters."""
    return _regressor(s, REGRESSOR, lambda tree: tree.regressor())


def full_regressor(s: System) -> Program:
    """T^T Y_tree for all inertial parameters."""
    return _regressor(s, FULL_REGRESSOR, lambda tree: tree.full_regressor())


def _regressor(s: System, contract: Contract, of_tree: Callable[[TreeDynamics], Rows]) -> Program:
    """Column by column."""
    rows = s.of_tree(of_tree, s.map.motion(s.input("v"), s.input("a")))
    columns = [s.map.on_speeds(column) for column in vec.transpose(rows)]
    return s.program(contract, [vec.transpose(columns)], parts=", ".join(PARTS))


DYNAMICS = {
    INVERSE_DYNAMICS.name: inverse_dynamics,
    FORWARD_DYNAMICS.name: forward_dynamics,
    MASS_MATRIX.name: mass_matrix,
    BIAS_FORCES.name: bias_forces,
    GRAVITY_FORCES.name: gravity_forces,
    KINETIC_ENERGY.name: kinetic_energy,
    POTENTIAL_ENERGY.name: potential_energy,
    MOMENTUM.name: momentum,
    COORDINATE_RATES.name: coordinate_rates,
}
"""Kernels that every mechanism has."""

ON_DEMAND = {
    CORIOLIS_MATRIX.name: coriolis_matrix,
    INVERSE_MASS_MATRIX.name: inverse_mass_matrix,
    CENTER_OF_MASS.name: center_of_mass,
    CENTROIDAL_MOMENTUM_MATRIX.name: centroidal_momentum_matrix,
    REGRESSOR.name: regressor,
    FULL_REGRESSOR.name: full_regressor,
}
"""Kernels that are derived only when they are asked for."""
