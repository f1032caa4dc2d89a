"""The kernels of body coordinates, by name.

x are the coordinates of the bodies that have inertia, or could not be done without, seven each.  The multipliers lambda
are those of (22): M d2x/dt2 = g - Phi_x^T lambda.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from kanegen.codegen.derivation.euler_parameters.body_equations import (
    quadratic_term,
    rotational_mass,
)
from kanegen.codegen.derivation.euler_parameters.body_model import BodyModel
from kanegen.codegen.derivation.euler_parameters.reactions import (
    actuator_forces,
    joint_reactions,
    strut_forces,
)
from kanegen.codegen.derivation.euler_parameters.rows import Row, dense
from kanegen.codegen.derivation.euler_parameters.setting import Setting
from kanegen.codegen.derivation.euler_parameters.springs import needs_coordinates, spring_forces
from kanegen.codegen.derivation.euler_parameters.states import SIZE, States
from kanegen.codegen.derivation.euler_parameters.tree_motion import TreeMotion
from kanegen.codegen.derivation.kernels.catalogue import (
    BODY_ACCELERATIONS,
    BODY_COORDINATES,
    BODY_FORCES,
    BODY_MASS_MATRIX,
    BODY_RATES,
    DRIVING_CONSTRAINT_GAMMA,
    DRIVING_CONSTRAINT_JACOBIAN,
    DRIVING_CONSTRAINTS,
    JOINT_CONSTRAINT_GAMMA,
    JOINT_CONSTRAINT_JACOBIAN,
    JOINT_CONSTRAINTS,
    STRUT_CONSTRAINT_GAMMA,
    STRUT_CONSTRAINT_JACOBIAN,
    STRUT_CONSTRAINTS,
)
from kanegen.codegen.derivation.kernels.contract import Contract
from kanegen.codegen.graph import Expression, Program, total


def body_coordinates(model: BodyModel) -> Program:
    """q -> x."""
    setting = Setting(model)
    motion = TreeMotion(model.chain, setting.lift, setting.joint_vector("q"))
    values = [x for i in model.kept for x in (*motion.center(i), *motion.parameters(i))]
    return setting.program(BODY_COORDINATES, values)


def body_rates(model: BodyModel) -> Program:
    """q, v -> xdot."""
    setting = Setting(model)
    q, v = (setting.joint_vector(name) for name in "qv")
    motion = TreeMotion(model.chain, setting.lift, q, v)
    values = [x for i in model.kept for x in (*motion.velocity(i), *motion.parameter_rates(i))]
    return setting.program(BODY_RATES, values)


def body_accelerations(model: BodyModel) -> Program:
    """q, v, a -> xddot."""
    setting = Setting(model)
    q, v, a = (setting.joint_vector(name) for name in "qva")
    motion = TreeMotion(model.chain, setting.lift, q, v, a)
    values = [x for i in model.kept for x in (*motion.acceleration(i), *motion.parameter_accelerations(i))]
    return setting.program(BODY_ACCELERATIONS, values)


def joint_constraints(model: BodyModel) -> Program:
    """x -> phi."""
    setting = Setting(model)
    states = setting.states()
    values = [row.value(states) for row in _rows(setting)]
    return setting.program(JOINT_CONSTRAINTS, values, rows=_names(setting))


def joint_constraint_jacobian(model: BodyModel) -> Program:
    """x -> Phi_x."""
    setting = Setting(model)
    return _jacobian(setting, JOINT_CONSTRAINT_JACOBIAN, setting.states(), _rows(setting))


def joint_constraint_gamma(model: BodyModel) -> Program:
    """x, xdot -> gamma."""
    setting = Setting(model)
    return _gamma(setting, JOINT_CONSTRAINT_GAMMA, setting.states(moving=True), _rows(setting))


def driving_constraints(model: BodyModel) -> Program:
    """x, q -> phi."""
    setting = Setting(model)
    states, q = setting.states(), setting.joint_vector("q")
    values = [row.value(states) for row in setting.driving_rows(q)]
    return setting.program(DRIVING_CONSTRAINTS, values)


def driving_constraint_jacobian(model: BodyModel) -> Program:
    """x, q -> Phi_x."""
    setting = Setting(model)
    states, q = setting.states(), setting.joint_vector("q")
    return _jacobian(setting, DRIVING_CONSTRAINT_JACOBIAN, states, setting.driving_rows(q))


def driving_constraint_gamma(model: BodyModel) -> Program:
    """x, xdot, q, v, a -> gamma."""
    setting = Setting(model)
    states = setting.states(moving=True)
    q, v, a = (setting.joint_vector(name) for name in "qva")
    return _gamma(setting, DRIVING_CONSTRAINT_GAMMA, states, setting.driving_rows(q, v, a))


def strut_constraints(model: BodyModel) -> Program:
    """x, l -> phi."""
    setting = Setting(model)
    states, lengths = setting.states(), setting.strut_vector("l")
    values = [row.value(states) for row in setting.strut_rows(lengths)]
    return setting.program(STRUT_CONSTRAINTS, values)


def strut_constraint_jacobian(model: BodyModel) -> Program:
    """x -> Phi_x."""
    setting = Setting(model)
    return _jacobian(setting, STRUT_CONSTRAINT_JACOBIAN, setting.states(), setting.strut_rows(()))


def strut_constraint_gamma(model: BodyModel) -> Program:
    """x, xdot, l, v, a -> gamma."""
    setting = Setting(model)
    states = setting.states(moving=True)
    l, v, a = (setting.strut_vector(name) for name in "lva")
    return _gamma(setting, STRUT_CONSTRAINT_GAMMA, states, setting.strut_rows(l, v, a))


def body_mass_matrix(model: BodyModel) -> Program:
    """x -> M."""
    setting = Setting(model)
    states = setting.states()
    n = SIZE * setting.count
    rows = [[setting.zero] * n for _ in range(n)]
    for body, link in enumerate(model.bodies):
        if link.inertia is None:
            continue
        at = SIZE * body
        for m in range(3):
            rows[at + m][at + m] = setting.lift(link.inertia.mass)
        for r, row in enumerate(rotational_mass(states, body, link.inertia, setting.lift)):
            rows[at + 3 + r][at + 3 : at + SIZE] = row
    return setting.program(BODY_MASS_MATRIX, rows)


def body_forces(model: BodyModel) -> Program:
    """x, xdot -> g; also q where a spring or damper acts on a joint."""
    setting = Setting(model)
    states = setting.states(moving=True)
    q: Sequence[Expression] = setting.joint_vector("q") if needs_coordinates(setting) else ()
    gravity = setting.lift.vector(setting.mechanism.gravity)
    own: list[Expression] = []
    for body, link in enumerate(model.bodies):
        if link.inertia is None:
            own += [setting.zero] * SIZE
            continue
        own += [setting.lift(link.inertia.mass) * x for x in gravity]
        own += quadratic_term(states, body, link.inertia, setting.lift)
    terms = [own, *spring_forces(setting, states, q)]
    values = [total(setting.graph, entries) for entries in zip(*terms, strict=True)]
    return setting.program(BODY_FORCES, values)


KERNELS: Mapping[str, Callable[[BodyModel], Program]] = {
    "body_coordinates": body_coordinates,
    "body_rates": body_rates,
    "body_accelerations": body_accelerations,
    "joint_constraints": joint_constraints,
    "joint_constraint_jacobian": joint_constraint_jacobian,
    "joint_constraint_gamma": joint_constraint_gamma,
    "driving_constraints": driving_constraints,
    "driving_constraint_jacobian": driving_constraint_jacobian,
    "driving_constraint_gamma": driving_constraint_gamma,
    "body_mass_matrix": body_mass_matrix,
    "body_forces": body_forces,
    "actuator_forces": actuator_forces,
    "joint_reactions": joint_reactions,
}
"""All kernels of body coordinates."""


STRUT_KERNELS: Mapping[str, Callable[[BodyModel], Program]] = {
    "strut_constraints": strut_constraints,
    "strut_constraint_jacobian": strut_constraint_jacobian,
    "strut_constraint_gamma": strut_constraint_gamma,
    "strut_forces": strut_forces,
}
"""Further kernels where struts drive the mechanism."""


def kernels_of(model: BodyModel) -> dict[str, Callable[[BodyModel], Program]]:
    """The kernels that a mechanism has."""
    return {**KERNELS, **(STRUT_KERNELS if model.struts else {})}


def _rows(setting: Setting) -> list[Row]:
    return [row for _, _, row in setting.joint_rows()]


def _names(setting: Setting) -> str:
    """The rows in words: one entry for every run of rows with the same name."""
    words: list[str] = []
    for name, kind, _ in setting.joint_rows():
        word = f"{kind} {name}"
        if not words or words[-1] != word:
            words.append(word)
    return ", ".join(words)


def _jacobian(setting: Setting, contract: Contract, states: States, rows: Sequence[Row]) -> Program:
    return setting.program(contract, [dense(row, states) for row in rows])


def _gamma(setting: Setting, contract: Contract, states: States, rows: Sequence[Row]) -> Program:
    return setting.program(contract, [row.gamma(states) for row in rows])
