"""Kernels that are generated only when asked for by name, carried from the tree to q and v.

With x' = T v for the tree's joints and D(v) the rate at which the axes of balls lean (``JointCoordinates.leaning``),

    C = T^T (C_tree - (M_tree - level rotors) D) T,    dJ/dt = (dJ_tree/dt - J_tree D) T,    A = A_tree T,    Y = T^T Y_tree,

and dM/dt - 2 C stays skew-symmetric.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from kanegen.codegen.derivation.centroidal import CENTER, centroidal_output
from kanegen.codegen.derivation.coriolis import coriolis_output
from kanegen.codegen.derivation.frame_rates import jacobian_rate_output
from kanegen.codegen.derivation.inverse_mass_matrix import inverse_output
from kanegen.codegen.derivation.joint_motion.coordinates import level_rotors
from kanegen.codegen.derivation.joint_motion.kernels import Make, carried, mass_matrix_entries
from kanegen.codegen.derivation.joint_motion.setting import Setting
from kanegen.codegen.derivation.linear_inverse import inverse
from kanegen.codegen.derivation.linear_solve import blockings, elimination_orders
from kanegen.codegen.derivation.standard import Build
from kanegen.codegen.graph import Expression, Program, total
from kanegen.codegen.mechanism.records import Mechanism

_SPEED = "speed"


def optional_joint_kernels(
    mechanism: Mechanism,
    programs: Mapping[str, Build],
    frames: Mapping[str, Build],
    jacobians: Mapping[str, Build],
    live: bool,
) -> dict[str, Build]:
    """By name: carried from the tree's ``programs``, its optional ``frames`` kernels and the frames' ``jacobians``."""
    made: dict[str, Make] = {
        "coriolis_matrix": coriolis_matrix,
        "inverse_mass_matrix": inverse_mass_matrix,
        "center_of_mass": center_of_mass,
        "centroidal_momentum_matrix": centroidal_momentum_matrix,
        "regressor": partial(regressor, kernel="regressor"),
        "full_regressor": partial(regressor, kernel="full_regressor"),
    }
    for name, build in frames.items():
        if name.startswith("frame_forces_"):
            made[name] = partial(frame_forces, build=build)
        else:
            jacobian = jacobians[name.replace("frame_jacobian_rate_", "frame_jacobian_", 1)]
            made[name] = partial(frame_jacobian_rate, build=build, jacobian=jacobian)
    return carried(mechanism, programs, live, made)


def coriolis_matrix(s: Setting) -> Program:
    """T^T (C_tree - (M_tree - level rotors) D) T."""
    v, n = s.input("v", s.nv), len(s.basis.joints)
    c = _rows(s.of_tree("coriolis_matrix", v)[0], n)
    if s.mechanism.balls:
        m = _rows(s.of_tree("mass_matrix")[0], n)
        rotors = level_rotors(s.mechanism)
        for j, joint in enumerate(s.basis.joints):  # these do not lean with the axes
            if joint.name in rotors:
                m[j][j] = m[j][j] - s.lift(rotors[joint.name])
        c = _less_leaning(s, c, m, v)
    half = [s.coordinates.on_speeds(row) for row in c]
    columns = [s.coordinates.on_speeds([row[r] for row in half]) for r in range(s.nv)]
    return s.program(
        "coriolis_matrix",
        "Coriolis matrix",
        (s.arguments.q(), s.arguments.v()),
        {coriolis_output(s.nv, "speeds"): [columns[c][r] for r in range(s.nv) for c in range(s.nv)]},
        "composite inertias and their rates (Echeandia & Wensing 2021), carried to the speeds",
    )


def inverse_mass_matrix(s: Setting) -> Program:
    """The tree's own inverse, or that of T^T M_tree T where joints follow others."""
    if s.mechanism.mimics:
        matrix = mass_matrix_entries(s)
        orders = elimination_orders(
            [[not x.is_zero for x in row] for row in matrix], [[x.is_number for x in row] for row in matrix]
        )
        order = orders[s.choices.pick("elimination order of the inverse", len(orders))]
        ways = blockings(order, matrix)
        found = inverse(matrix, ways[s.choices.pick("pivots of the inverse", len(ways))])
        entries = [x for row in found for x in row]
    else:
        entries = s.of_tree("inverse_mass_matrix")[0]
    return s.program(
        "inverse_mass_matrix",
        "inverse of the mass matrix",
        (s.arguments.q(),),
        {inverse_output(s.nv, "speeds"): entries},
        "composite inertias and the inverse of a sparse L D L^T",
    )


def center_of_mass(s: Setting) -> Program:
    """That of the tree."""
    return s.program(
        "center_of_mass",
        "mass centre of the moving bodies",
        (s.arguments.q(),),
        {CENTER: s.of_tree("center_of_mass")[0]},
        "composite first moment over the mass",
    )


def centroidal_momentum_matrix(s: Setting) -> Program:
    """A_tree T."""
    rows = _rows(s.of_tree("centroidal_momentum_matrix")[0], len(s.basis.joints))
    return s.program(
        "centroidal_momentum_matrix",
        "centroidal momentum matrix",
        (s.arguments.q(),),
        {centroidal_output(s.nv, _SPEED): [x for row in rows for x in s.coordinates.on_speeds(row)]},
        "composite inertias about the mass centre (Orin, Goswami & Lee 2013), carried to the speeds",
    )


def regressor(s: Setting, kernel: str) -> Program:
    """T^T Y_tree, column by column."""
    v, a = s.input("v", s.nv), s.input("a", s.nv)
    build = s.basis.programs[kernel]
    program = build(s.tree, s.tree_mechanism, s.choices)
    output = program.outputs[0]
    rows = _rows(s.of_tree(build, v, a)[0], output.shape[1])
    columns = [s.coordinates.on_speeds([row[c] for row in rows]) for c in range(output.shape[1])]
    shaped = type(output)(output.name, (s.nv, len(columns)), output.unit, output.description)
    return s.program(
        kernel,
        program.title,
        (s.arguments.q(), s.arguments.v(), s.arguments.a()),
        {shaped: [column[r] for r in range(s.nv) for column in columns]},
        program.source,
    )


def frame_forces(s: Setting, build: Build) -> Program:
    """T^T of the forces on the tree's joints."""
    program = build(s.tree, s.tree_mechanism, s.choices)
    tau = s.coordinates.on_speeds(s.of_tree(build)[0])
    meaning = "generalized forces that the force and the moment are equal to"
    return s.program(
        program.name,
        program.title,
        (s.arguments.q(), program.inputs[1]),
        {s.arguments.tau("tau", meaning): tau},
        program.source,
    )


def frame_jacobian_rate(s: Setting, build: Build, jacobian: Build) -> Program:
    """(dJ_tree/dt - J_tree D) T."""
    v, n = s.input("v", s.nv), len(s.basis.joints)
    program = build(s.tree, s.tree_mechanism, s.choices)
    rows = _rows(s.of_tree(build, v)[0], n)
    if s.mechanism.balls:
        rows = _less_leaning(s, rows, _rows(s.of_tree(jacobian)[0], n), v)
    frame = program.title.rpartition(" ")[2]
    return s.program(
        program.name,
        program.title,
        (s.arguments.q(), s.arguments.v()),
        {
            jacobian_rate_output(frame, s.nv, _SPEED): [
                x for row in rows for x in s.coordinates.on_speeds(row)
            ]
        },
        program.source,
    )


Rows = list[list[Expression]]


def _rows(flat: Sequence[Expression], columns: int) -> Rows:
    return [list(flat[i : i + columns]) for i in range(0, len(flat), columns)]


def _less_leaning(s: Setting, rows: Rows, factors: Rows, v: Sequence[Expression]) -> Rows:
    """rows - factors D(v)."""
    leaning = s.coordinates.leaning(v)
    found = []
    for row, factor in zip(rows, factors, strict=True):
        terms: list[list[Expression]] = [[x] for x in row]
        for (i, j), d in leaning.items():
            terms[j].append(-factor[i] * d)
        found.append([total(s.graph, t) for t in terms])
    return found
