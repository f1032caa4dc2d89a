"""The kernels of a mechanism in body coordinates, by name, and the names of their entries.

x are the coordinates of the bodies that have inertia, or could not be done without, seven each.  The multipliers lambda
are those of (22): M d2x/dt2 = g - Phi_x^T lambda.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import groupby

from kanegen.codegen.derivation.euler_parameters.body_equations import (
    quadratic_term,
    rotational_mass,
)
from kanegen.codegen.derivation.euler_parameters.body_model import BodyModel, body_model
from kanegen.codegen.derivation.euler_parameters.body_system import BodySystem
from kanegen.codegen.derivation.euler_parameters.reactions import (
    actuator_forces,
    joint_reactions,
    strut_forces,
)
from kanegen.codegen.derivation.euler_parameters.rows import Row, dense
from kanegen.codegen.derivation.euler_parameters.springs import needs_coordinates, spring_forces
from kanegen.codegen.derivation.euler_parameters.states import SIZE
from kanegen.codegen.derivation.euler_parameters.tree_motion import TreeMotion
from kanegen.codegen.derivation.kernels.catalogue import (
    BODY_ACCELERATIONS,
    BODY_ACTUATOR_FORCES,
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
    JOINT_REACTIONS,
    STRUT_CONSTRAINT_GAMMA,
    STRUT_CONSTRAINT_JACOBIAN,
    STRUT_CONSTRAINTS,
    STRUT_FORCES,
)
from kanegen.codegen.derivation.kernels.contract import Contract
from kanegen.codegen.derivation.placed_tree.choices import Choices
from kanegen.codegen.derivation.placed_tree.deriver import Build
from kanegen.codegen.derivation.placed_tree.placement import PlacedTree
from kanegen.codegen.graph import Expression, Program, total
from kanegen.codegen.mechanism.records import Mechanism
from kanegen.codegen.mechanism.speeds import described_speed


def body_coordinates(s: BodySystem) -> Program:
    """q -> x."""
    motion = TreeMotion(s.model.chain, s.lift, s.joint_vector("q"))
    values = [x for i in s.model.kept for x in (*motion.center(i), *motion.parameters(i))]
    return s.program(BODY_COORDINATES, values)


def body_rates(s: BodySystem) -> Program:
    """q, v -> xdot."""
    q, v = (s.joint_vector(name) for name in "qv")
    motion = TreeMotion(s.model.chain, s.lift, q, v)
    values = [x for i in s.model.kept for x in (*motion.velocity(i), *motion.parameter_rates(i))]
    return s.program(BODY_RATES, values)


def body_accelerations(s: BodySystem) -> Program:
    """q, v, a -> xddot."""
    q, v, a = (s.joint_vector(name) for name in "qva")
    motion = TreeMotion(s.model.chain, s.lift, q, v, a)
    values = [x for i in s.model.kept for x in (*motion.acceleration(i), *motion.parameter_accelerations(i))]
    return s.program(BODY_ACCELERATIONS, values)


def body_mass_matrix(s: BodySystem) -> Program:
    """x -> M."""
    states = s.states()
    n = SIZE * s.count
    rows = [[s.zero] * n for _ in range(n)]
    for body, link in enumerate(s.model.bodies):
        if link.inertia is None:
            continue
        at = SIZE * body
        for m in range(3):
            rows[at + m][at + m] = s.lift(link.inertia.mass)
        for r, row in enumerate(rotational_mass(states, body, link.inertia, s.lift)):
            rows[at + 3 + r][at + 3 : at + SIZE] = row
    return s.program(BODY_MASS_MATRIX, rows)


def body_forces(s: BodySystem) -> Program:
    """x, xdot -> g; also q where a spring or damper acts on a joint."""
    states = s.states(moving=True)
    q: Sequence[Expression] = s.joint_vector("q") if needs_coordinates(s) else ()
    gravity = s.lift.vector(s.mechanism.gravity)
    own: list[Expression] = []
    for body, link in enumerate(s.model.bodies):
        if link.inertia is None:
            own += [s.zero] * SIZE
            continue
        own += [s.lift(link.inertia.mass) * x for x in gravity]
        own += quadratic_term(states, body, link.inertia, s.lift)
    terms = [own, *spring_forces(s, states, q)]
    values = [total(s.graph, entries) for entries in zip(*terms, strict=True)]
    return s.program(BODY_FORCES, values)


Make = Callable[[BodySystem], Program]
Rows = Callable[[BodySystem, str], Sequence[Row]]
"""Constraints of one kind, from inputs by the letters of their names."""


def _of_constraints(
    value: Contract, jacobian: Contract, gamma: Contract, rows: Rows, *given: str
) -> dict[str, Make]:
    """phi, Phi_x and gamma of constraints; ``given`` has the letters of what each takes beside x, and xdot for gamma."""

    def values(s: BodySystem) -> Program:
        states = s.states()
        return s.program(value, [row.value(states) for row in rows(s, given[0])], rows=_runs(s))

    def gradients(s: BodySystem) -> Program:
        states = s.states()
        return s.program(jacobian, [dense(row, states) for row in rows(s, given[1])])

    def accelerations(s: BodySystem) -> Program:
        states = s.states(moving=True)
        return s.program(gamma, [row.gamma(states) for row in rows(s, given[2])])

    return {value.name: values, jacobian.name: gradients, gamma.name: accelerations}


def _joint_rows(s: BodySystem, names: str) -> Sequence[Row]:
    return [row for _, _, row in s.joint_rows()]


def _driving_rows(s: BodySystem, names: str) -> Sequence[Row]:
    return s.driving_rows(*(s.joint_vector(name) for name in names))


def _strut_rows(s: BodySystem, names: str) -> Sequence[Row]:
    return s.strut_rows(*(s.strut_vector(name) for name in names))


def _runs(s: BodySystem) -> str:
    """The rows of joints in words: one entry for every run of rows with the same name."""
    words = (f"{kind} {name}" for name, kind, _ in s.joint_rows())
    return ", ".join(word for word, _ in groupby(words))


KERNELS: Mapping[str, Make] = {
    BODY_COORDINATES.name: body_coordinates,
    BODY_RATES.name: body_rates,
    BODY_ACCELERATIONS.name: body_accelerations,
    **_of_constraints(
        JOINT_CONSTRAINTS, JOINT_CONSTRAINT_JACOBIAN, JOINT_CONSTRAINT_GAMMA, _joint_rows, "", "", ""
    ),
    **_of_constraints(
        DRIVING_CONSTRAINTS,
        DRIVING_CONSTRAINT_JACOBIAN,
        DRIVING_CONSTRAINT_GAMMA,
        _driving_rows,
        "q",
        "q",
        "qva",
    ),
    BODY_MASS_MATRIX.name: body_mass_matrix,
    BODY_FORCES.name: body_forces,
    BODY_ACTUATOR_FORCES.name: actuator_forces,
    JOINT_REACTIONS.name: joint_reactions,
}
"""All kernels of body coordinates."""

STRUT_KERNELS: Mapping[str, Make] = {
    **_of_constraints(
        STRUT_CONSTRAINTS, STRUT_CONSTRAINT_JACOBIAN, STRUT_CONSTRAINT_GAMMA, _strut_rows, "l", "", "lva"
    ),
    STRUT_FORCES.name: strut_forces,
}
"""Further kernels where struts drive the mechanism."""


def kernels(mechanism: Mechanism, live_parameters: bool = False) -> dict[str, Build]:
    """All kernels by name.  Loops and springs are those of ``mechanism``, whatever tree they are built with.

    Raises ModelError where the mechanism has constraints that are no joints.
    """
    model = body_model(mechanism, live_parameters)
    return {name: partial(_build, model, make) for name, make in _offered(model).items()}


def programs(mechanism: Mechanism, live_parameters: bool = False) -> dict[str, Program]:
    """The programs of all kernels by name.  Raises ModelError as ``kernels`` does."""
    model = body_model(mechanism, live_parameters)
    return {name: make(BodySystem(model)) for name, make in _offered(model).items()}


def names_of_constraints(mechanism: Mechanism) -> list[tuple[str, str]]:
    """Joint or body, and kind, of every row of joint_constraints.

    Joints that share a body without inertia are one, called "first+second".  Kinds are those of ``LoopKind``, "held" for
    the row that holds a prescribed joint at zero, and "normalisation", where the name is a body's.
    """
    return [(name, kind) for name, kind, _ in BodySystem(body_model(mechanism)).joint_rows()]


def names_of_joints(mechanism: Mechanism) -> list[str]:
    """The rows of joint_reactions: joints of the tree, then loops."""
    return [connection.name for connection in body_model(mechanism).connections]


def names_of_bodies(mechanism: Mechanism) -> list[str]:
    """The bodies that have coordinates, in the order of x."""
    return [link.name for link in body_model(mechanism).bodies]


def names_of_struts(mechanism: Mechanism) -> list[str]:
    """The translational actuators between two points, by the names that their rates have among the speeds."""
    return [described_speed(strut) for strut in body_model(mechanism).struts]


def _offered(model: BodyModel) -> dict[str, Make]:
    """The kernels that a mechanism has."""
    return {**KERNELS, **(STRUT_KERNELS if model.struts else {})}


def _build(model: BodyModel, make: Make, tree: PlacedTree, mechanism: Mechanism, choices: Choices) -> Program:
    del tree, mechanism, choices
    return make(BodySystem(model))
