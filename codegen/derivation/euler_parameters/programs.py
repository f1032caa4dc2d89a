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
from kanegen.codegen.derivation.euler_parameters.model import BodyModel
from kanegen.codegen.derivation.euler_parameters.reactions import (
    actuator_forces,
    joint_reactions,
    strut_forces,
)
from kanegen.codegen.derivation.euler_parameters.rows import Row, dense
from kanegen.codegen.derivation.euler_parameters.setting import (
    Setting,
    coordinates_argument,
    on_struts,
    rates_argument,
)
from kanegen.codegen.derivation.euler_parameters.springs import needs_coordinates, spring_forces
from kanegen.codegen.derivation.euler_parameters.states import SIZE, States
from kanegen.codegen.derivation.euler_parameters.tree_motion import TreeMotion
from kanegen.codegen.graph import Argument, Expression, Program, total


def body_coordinates(model: BodyModel) -> Program:
    """q -> x."""
    setting = Setting(model)
    motion = TreeMotion(model.chain, setting.lift, setting.joint_vector("q"))
    values = [x for i in model.kept for x in (*motion.center(i), *motion.parameters(i))]
    output = coordinates_argument(model)
    return setting.program("body_coordinates", "body coordinates of the tree", output, values)


def body_rates(model: BodyModel) -> Program:
    """q, v -> xdot."""
    setting = Setting(model)
    q, v = (setting.joint_vector(name) for name in "qv")
    motion = TreeMotion(model.chain, setting.lift, q, v)
    values = [x for i in model.kept for x in (*motion.velocity(i), *motion.parameter_rates(i))]
    output = rates_argument(model)
    return setting.program("body_rates", "rates of the body coordinates of the tree", output, values)


def body_accelerations(model: BodyModel) -> Program:
    """q, v, a -> xddot."""
    setting = Setting(model)
    q, v, a = (setting.joint_vector(name) for name in "qva")
    motion = TreeMotion(model.chain, setting.lift, q, v, a)
    values = [x for i in model.kept for x in (*motion.acceleration(i), *motion.parameter_accelerations(i))]
    output = Argument("xddot", (SIZE * setting.count,), "m/s^2, 1/s^2", "second derivatives of x")
    title = "second derivatives of the body coordinates of the tree"
    return setting.program("body_accelerations", title, output, values)


def joint_constraints(model: BodyModel) -> Program:
    """x -> phi."""
    setting = Setting(model)
    states = setting.states()
    rows = _rows(setting)
    output = Argument(
        "phi", (len(rows),), "m, 1", f"zero where joints are closed and |p| = 1: {_names(setting)}"
    )
    values = [row.value(states) for row in rows]
    return setting.program("joint_constraints", "constraints of joints and normalisation", output, values)


def joint_constraint_jacobian(model: BodyModel) -> Program:
    """x -> Phi_x."""
    setting = Setting(model)
    title = "derivatives of joint_constraints with respect to x (7)"
    return _jacobian(setting, "joint_constraint_jacobian", title, setting.states(), _rows(setting))


def joint_constraint_gamma(model: BodyModel) -> Program:
    """x, xdot -> gamma."""
    setting = Setting(model)
    title = "right-hand side of the joints' accelerations (10)"
    return _gamma(setting, "joint_constraint_gamma", title, setting.states(moving=True), _rows(setting))


def driving_constraints(model: BodyModel) -> Program:
    """x, q -> phi."""
    setting = Setting(model)
    states, q = setting.states(), setting.joint_vector("q")
    output = Argument("phi", (setting.nq,), "1, m", "zero where the bodies are where q drives them")
    values = [row.value(states) for row in setting.driving_rows(q)]
    return setting.program("driving_constraints", "constraints of the drives", output, values)


def driving_constraint_jacobian(model: BodyModel) -> Program:
    """x, q -> Phi_x."""
    setting = Setting(model)
    states, q = setting.states(), setting.joint_vector("q")
    title = "derivatives of driving_constraints with respect to x (7); times xdot they are the rates of q"
    return _jacobian(setting, "driving_constraint_jacobian", title, states, setting.driving_rows(q))


def driving_constraint_gamma(model: BodyModel) -> Program:
    """x, xdot, q, v, a -> gamma."""
    setting = Setting(model)
    states = setting.states(moving=True)
    q, v, a = (setting.joint_vector(name) for name in "qva")
    title = "right-hand side of the drives' accelerations (10)"
    return _gamma(setting, "driving_constraint_gamma", title, states, setting.driving_rows(q, v, a))


def strut_constraints(model: BodyModel) -> Program:
    """x, l -> phi."""
    setting = Setting(model)
    states, lengths = setting.states(), setting.strut_vector("l")
    output = on_struts(model, "phi", "m^2", "squares of the struts' lengths less those of l")
    values = [row.value(states) for row in setting.strut_rows(lengths)]
    return setting.program("strut_constraints", "constraints of the struts (35)", output, values)


def strut_constraint_jacobian(model: BodyModel) -> Program:
    """x -> Phi_x."""
    setting = Setting(model)
    title = "derivatives of strut_constraints with respect to x; times xdot they are 2 l dl/dt of each strut's length l"
    return _jacobian(setting, "strut_constraint_jacobian", title, setting.states(), setting.strut_rows(()))


def strut_constraint_gamma(model: BodyModel) -> Program:
    """x, xdot, l, v, a -> gamma."""
    setting = Setting(model)
    states = setting.states(moving=True)
    l, v, a = (setting.strut_vector(name) for name in "lva")
    title = "right-hand side of the struts' accelerations (10)"
    return _gamma(setting, "strut_constraint_gamma", title, states, setting.strut_rows(l, v, a))


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
    output = Argument(
        "M", (n, n), "kg, kg m^2", "mass matrix of all bodies, a block of 7 for each; singular along p"
    )
    values = [x for row in rows for x in row]
    return setting.program("body_mass_matrix", "mass matrix in body coordinates (20)", output, values)


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
    output = Argument(
        "g", (len(values),), "N, N m", "generalized forces on x, with the terms quadratic in xdot"
    )
    title = "gravity, springs, dampers and velocity-dependent terms in body coordinates (21)"
    return setting.program("body_forces", title, output, values)


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


def _jacobian(setting: Setting, name: str, title: str, states: States, rows: Sequence[Row]) -> Program:
    output = Argument(
        "J", (len(rows), len(states.x)), "1, m", "a row for each constraint, a column for each of x"
    )
    return setting.program(name, title, output, [x for row in rows for x in dense(row, states)])


def _gamma(setting: Setting, name: str, title: str, states: States, rows: Sequence[Row]) -> Program:
    unit = "m^2/s^2" if name.startswith("strut") else "m/s^2, 1/s^2"
    output = Argument("gamma", (len(rows),), unit, "what the Jacobian times d2x/dt2 must be")
    return setting.program(name, title, output, [row.gamma(states) for row in rows])
