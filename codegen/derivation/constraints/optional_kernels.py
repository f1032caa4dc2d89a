"""Kernels of a constrained mechanism that are generated only when asked for by name, carried from its tree to the speeds.

With dq/dt = N v + (what prescribed motions add) for the coordinates q of the tree,

    C = N^T (C_tree N + M_tree dN/dt),    dJ/dt = dJ_tree/dt N + J_tree dN/dt,    A = A_tree N,    Y = N^T Y_tree,

and dM/dt - 2 C stays skew-symmetric, as M = N^T M_tree N.  Rates are those of the whole motion, prescribed motions
included.  Base parameters are those of the tree: tau = Y p, though constraints may make some columns of Y dependent.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from kanegen.codegen.derivation.centroidal import (
    CENTER,
    center_of_mass,
    centroidal_momentum_matrix,
    centroidal_output,
)
from kanegen.codegen.derivation.constraints.regularity import require_resisted
from kanegen.codegen.derivation.constraints.setting import Make, Setting, congruence
from kanegen.codegen.derivation.coriolis import coriolis_matrix, coriolis_output
from kanegen.codegen.derivation.frame_rates import jacobian_rate_output
from kanegen.codegen.derivation.inverse_mass_matrix import inverse_output
from kanegen.codegen.derivation.joint_motion.coordinates import leaning, level_rotors
from kanegen.codegen.derivation.linear_inverse import inverse
from kanegen.codegen.derivation.linear_solve import elimination_orders
from kanegen.codegen.derivation.regressor import full_regressor, regressor
from kanegen.codegen.derivation.standard import Build
from kanegen.codegen.graph import Argument, Expression, Program, Tangents
from kanegen.codegen.graph import linear as vec

Rows = list[list[Expression]]

_ORDER = "speeds"
_SPEED = "generalized speed"
_CARRIED = ", carried to the speeds"


def optional_makes(frames: Mapping[str, Build], jacobians: Mapping[str, Build]) -> dict[str, Make]:
    """By name, for ``ConstrainedFormulation.carried``: from the tree's optional kernels of frames and their Jacobians."""
    made: dict[str, Make] = {
        "coriolis_matrix": coriolis,
        "inverse_mass_matrix": inverse_mass_matrix,
        "center_of_mass": mass_centre,
        "centroidal_momentum_matrix": centroidal,
        "regressor": partial(carried_regressor, build=regressor),
        "full_regressor": partial(carried_regressor, build=full_regressor),
    }
    for name, build in frames.items():
        if name.startswith("frame_forces_"):
            made[name] = partial(frame_forces, build=build)
        else:
            jacobian = jacobians[name.replace("frame_jacobian_rate_", "frame_jacobian_", 1)]
            made[name] = partial(frame_jacobian_rate, build=build, jacobian=jacobian)
    return made


def coriolis(s: Setting) -> Program:
    """N^T (C_tree N + M_tree dN/dt)."""
    qdot = s.motion.rates(s.input("v", s.nv))
    n = len(s.tree_mechanism.coordinates)
    c = [row[: s.nq] for row in _rows(s.of_tree(coriolis_matrix, qdot)[0], n)[: s.nq]]
    rotors = level_rotors(s.mechanism)
    for (i, j), d in leaning(s.mechanism, qdot).items():  # these do not lean with the axes of balls
        if (name := s.mechanism.coordinates[i]) in rotors:
            c[i][j] = c[i][j] + s.lift(rotors[name]) * d
    columns = _carried_rate(s, c, s.tree_inertia(), qdot)
    entries = [s.motion.on_speeds([row[r] for row in columns]) for r in range(s.nv)]
    return s.program(
        "coriolis_matrix",
        "Coriolis matrix on the generalized speeds",
        (s.arguments.q(), s.arguments.v()),
        {coriolis_output(s.nv, _ORDER): [entries[c][r] for r in range(s.nv) for c in range(s.nv)]},
        "composite inertias and their rates (Echeandia & Wensing 2021)" + _CARRIED,
    )


def inverse_mass_matrix(s: Setting) -> Program:
    """J (P^T M_tree P)^-1 J^T, with dq/dt = P w and v = J w for the free rates w."""
    inertia = s.free_inertia()
    require_resisted(s.mechanism, s.graph, inertia, s.basis.plan)
    orders = elimination_orders(
        [[not x.is_zero for x in row] for row in inertia], [[x.is_number for x in row] for row in inertia]
    )
    found = congruence(s.graph, inverse(inertia, [(i,) for i in orders[0]]), s.motion.J)
    return s.program(
        "inverse_mass_matrix",
        "inverse of the mass matrix on the generalized speeds",
        (s.arguments.q(),),
        {inverse_output(s.nv, _ORDER): [x for row in found for x in row]},
        "composite inertias and the inverse of a sparse L D L^T" + _CARRIED,
    )


def mass_centre(s: Setting) -> Program:
    """That of the tree."""
    return s.program(
        "center_of_mass",
        "mass centre of the moving bodies",
        (s.arguments.q(),),
        {CENTER: s.of_tree(center_of_mass)[0]},
        "composite first moment over the mass",
    )


def centroidal(s: Setting) -> Program:
    """A_tree N: the momenta are A v, and what prescribed motions add."""
    rows = _rows(s.of_tree(centroidal_momentum_matrix)[0], len(s.tree_mechanism.coordinates))
    return s.program(
        "centroidal_momentum_matrix",
        "centroidal momentum matrix on the generalized speeds",
        (s.arguments.q(),),
        {centroidal_output(s.nv, _SPEED): [x for row in rows for x in s.motion.on_speeds(row[: s.nq])]},
        "composite inertias about the mass centre (Orin, Goswami & Lee 2013)" + _CARRIED,
    )


def carried_regressor(s: Setting, build: Build) -> Program:
    """N^T Y_tree, in the motion that the speeds allow."""
    qdot = s.motion.rates(s.input("v", s.nv))
    program = s.tree_program(build)
    output = program.outputs[0]
    rows = _rows(s.of_tree(build, qdot, s.motion.accelerations(qdot, s.input("a", s.nv)))[0], output.shape[1])
    columns = [s.motion.on_speeds([row[c] for row in rows[: s.nq]]) for c in range(output.shape[1])]
    shaped = Argument(output.name, (s.nv, len(columns)), output.unit, output.description)
    return s.program(
        program.name,
        program.title,
        (s.arguments.q(), s.arguments.v(), s.arguments.a()),
        {shaped: [column[r] for r in range(s.nv) for column in columns]},
        program.source + _CARRIED,
    )


def frame_forces(s: Setting, build: Build) -> Program:
    """N^T of the forces on the tree's joints."""
    program = s.tree_program(build)
    tau = s.motion.on_speeds(s.of_tree(build)[0][: s.nq])
    meaning = "generalized forces that the force and the moment are equal to, on v ="
    return s.program(
        program.name,
        program.title,
        (s.arguments.q(), program.inputs[1]),
        {s.arguments.tau("tau", meaning): tau},
        program.source + _CARRIED,
    )


def frame_jacobian_rate(s: Setting, build: Build, jacobian: Build) -> Program:
    """dJ_tree/dt N + J_tree dN/dt."""
    qdot = s.motion.rates(s.input("v", s.nv))
    n = len(s.tree_mechanism.coordinates)
    program = s.tree_program(build)
    rates, columns = (
        [row[: s.nq] for row in _rows(flat, n)]
        for flat in (s.of_tree(build, qdot)[0], s.of_tree(jacobian)[0])
    )
    entries = [x for row in _carried_rate(s, rates, columns, qdot) for x in row]
    return s.program(
        program.name,
        program.title,
        (s.arguments.q(), s.arguments.v()),
        {jacobian_rate_output(program.title.rpartition(" ")[2], s.nv, _SPEED): entries},
        program.source + _CARRIED,
    )


def _carried_rate(s: Setting, rates: Rows, matrix: Rows, qdot: Sequence[Expression]) -> Rows:
    """rates N + matrix dN/dt, with rates those of the matrix or the like."""
    tangents = Tangents(s.graph, dict(zip(s.q, qdot, strict=True)))
    turning = [[tangents.first(x) for x in row] for row in s.motion.N]
    return [
        [vec.dot_total(s.graph, [*rate, *row], column) for column in vec.transpose([*s.motion.N, *turning])]
        for rate, row in zip(rates, matrix, strict=True)
    ]


def _rows(flat: Sequence[Expression], columns: int) -> Rows:
    return [list(flat[i : i + columns]) for i in range(0, len(flat), columns)]
