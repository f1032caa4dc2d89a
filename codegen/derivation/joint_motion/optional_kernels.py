"""Kernels that are generated only when asked for by name, carried from the tree to q and v.

With x' = T v for the tree's joints and D(v) the rate at which the axes of balls lean (``JointCoordinates.leaning``),

    C = T^T (C_tree - (M_tree - level rotors) D) T,    dJ/dt = (dJ_tree/dt - J_tree D) T,    A = A_tree T,    Y = T^T Y_tree,

and dM/dt - 2 C stays skew-symmetric.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from kanegen.codegen.derivation.inertial_parameters import PARTS
from kanegen.codegen.derivation.joint_motion.coordinates import level_rotors
from kanegen.codegen.derivation.joint_motion.kernels import Make, carried, mass_matrix_entries
from kanegen.codegen.derivation.joint_motion.setting import Setting
from kanegen.codegen.derivation.kernels.catalogue import (
    CENTER_OF_MASS,
    CENTROIDAL_MOMENTUM_MATRIX,
    CORIOLIS_MATRIX,
    FRAME_FORCES,
    FRAME_JACOBIAN,
    FULL_REGRESSOR,
    INVERSE_MASS_MATRIX,
    REGRESSOR,
)
from kanegen.codegen.derivation.kernels.contract import Contract
from kanegen.codegen.derivation.linear_inverse import inverse
from kanegen.codegen.derivation.linear_solve import blockings, elimination_orders
from kanegen.codegen.derivation.standard import Build, FrameBuild, FrameBuilds
from kanegen.codegen.graph import Expression, Program, total
from kanegen.codegen.mechanism.records import Mechanism


def optional_joint_kernels(
    mechanism: Mechanism,
    programs: Mapping[str, Build],
    frames: FrameBuilds,
    jacobians: FrameBuilds,
    live: bool,
) -> dict[str, Build]:
    """By name: carried from the tree's ``programs``, its optional ``frames`` kernels and the frames' ``jacobians``."""
    made: dict[str, Make] = {
        "coriolis_matrix": coriolis_matrix,
        "inverse_mass_matrix": inverse_mass_matrix,
        "center_of_mass": center_of_mass,
        "centroidal_momentum_matrix": centroidal_momentum_matrix,
        "regressor": partial(regressor, contract=REGRESSOR),
        "full_regressor": partial(regressor, contract=FULL_REGRESSOR),
    }
    of_frame = {build.frame: build for build in jacobians.values() if build.contract is FRAME_JACOBIAN}
    for name, build in frames.items():
        if build.contract is FRAME_FORCES:
            made[name] = partial(frame_forces, build=build)
        else:
            made[name] = partial(frame_jacobian_rate, build=build, jacobian=of_frame[build.frame])
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
    entries = [columns[c][r] for r in range(s.nv) for c in range(s.nv)]
    source = "composite inertias and their rates (Echeandia & Wensing 2021), carried to the speeds"
    return s.program(CORIOLIS_MATRIX, entries, source)


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
    return s.program(INVERSE_MASS_MATRIX, entries, "composite inertias and the inverse of a sparse L D L^T")


def center_of_mass(s: Setting) -> Program:
    """That of the tree."""
    return s.program(CENTER_OF_MASS, s.of_tree("center_of_mass")[0], "composite first moment over the mass")


def centroidal_momentum_matrix(s: Setting) -> Program:
    """A_tree T."""
    rows = _rows(s.of_tree("centroidal_momentum_matrix")[0], len(s.basis.joints))
    source = "composite inertias about the mass centre (Orin, Goswami & Lee 2013), carried to the speeds"
    return s.program(CENTROIDAL_MOMENTUM_MATRIX, [s.coordinates.on_speeds(row) for row in rows], source)


def regressor(s: Setting, contract: Contract) -> Program:
    """T^T Y_tree, column by column."""
    program = s.basis.programs[contract.name](s.tree, s.tree_mechanism, s.choices)
    v, a = s.input("v", s.nv), s.input("a", s.nv)
    width = program.outputs[0].shape[1]
    rows = _rows(s.of_tree(contract.name, v, a)[0], width)
    columns = [s.coordinates.on_speeds([row[c] for row in rows]) for c in range(width)]
    entries = [column[r] for r in range(s.nv) for column in columns]
    return s.program(contract, entries, program.source, parts=", ".join(PARTS))


def frame_forces(s: Setting, build: FrameBuild) -> Program:
    """T^T of the forces on the tree's joints."""
    tau = s.coordinates.on_speeds(s.of_tree(build)[0])
    return s.of_frame(build, tau, "force and moment carried outwards to each joint")


def frame_jacobian_rate(s: Setting, build: FrameBuild, jacobian: FrameBuild) -> Program:
    """(dJ_tree/dt - J_tree D) T."""
    v, n = s.input("v", s.nv), len(s.basis.joints)
    rows = _rows(s.of_tree(build, v)[0], n)
    if s.mechanism.balls:
        rows = _less_leaning(s, rows, _rows(s.of_tree(jacobian)[0], n), v)
    entries = [s.coordinates.on_speeds(row) for row in rows]
    return s.of_frame(build, entries, build(s.tree, s.tree_mechanism, s.choices).source)


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
