"""Kernels of a constrained mechanism that are generated only when asked for by name, carried from its tree to the speeds.

With dq/dt = N v + (what prescribed motions add) for the coordinates q of the tree,

    C = N^T (C_tree N + M_tree dN/dt),    dJ/dt = dJ_tree/dt N + J_tree dN/dt,    A = A_tree N,    Y = N^T Y_tree,

and dM/dt - 2 C stays skew-symmetric, as M = N^T M_tree N.  Rates are those of the whole motion, prescribed motions
included.  Base parameters are those of the tree: tau = Y p, though constraints may make some columns of Y dependent.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from kanegen.codegen.derivation.centroidal import center_of_mass, centroidal_momentum_matrix
from kanegen.codegen.derivation.constraints.regularity import require_resisted
from kanegen.codegen.derivation.constraints.setting import Make, Setting, congruence
from kanegen.codegen.derivation.coriolis import coriolis_matrix
from kanegen.codegen.derivation.inertial_parameters import PARTS
from kanegen.codegen.derivation.joint_motion.coordinates import leaning, level_rotors
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
from kanegen.codegen.derivation.linear_solve import elimination_orders
from kanegen.codegen.derivation.regressor import full_regressor, regressor
from kanegen.codegen.derivation.standard import Build, FrameBuild, FrameBuilds
from kanegen.codegen.graph import Expression, Program, Tangents
from kanegen.codegen.graph import linear as vec

Rows = list[list[Expression]]

_CARRIED = ", carried to the speeds"


def optional_makes(frames: FrameBuilds, jacobians: FrameBuilds) -> dict[str, Make]:
    """By name, for ``ConstrainedFormulation.carried``: from the tree's optional kernels of frames and their Jacobians."""
    made: dict[str, Make] = {
        "coriolis_matrix": coriolis,
        "inverse_mass_matrix": inverse_mass_matrix,
        "center_of_mass": mass_centre,
        "centroidal_momentum_matrix": centroidal,
        "regressor": partial(carried_regressor, contract=REGRESSOR, build=regressor),
        "full_regressor": partial(carried_regressor, contract=FULL_REGRESSOR, build=full_regressor),
    }
    of_frame = {build.frame: build for build in jacobians.values() if build.contract is FRAME_JACOBIAN}
    for name, build in frames.items():
        if build.contract is FRAME_FORCES:
            made[name] = partial(frame_forces, build=build)
        else:
            made[name] = partial(frame_jacobian_rate, build=build, jacobian=of_frame[build.frame])
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
    source = "composite inertias and their rates (Echeandia & Wensing 2021)" + _CARRIED
    return s.program(CORIOLIS_MATRIX, vec.transpose(entries), source=source)


def inverse_mass_matrix(s: Setting) -> Program:
    """J (P^T M_tree P)^-1 J^T, with dq/dt = P w and v = J w for the free rates w."""
    inertia = s.free_inertia()
    require_resisted(s.mechanism, s.graph, inertia, s.basis.plan)
    orders = elimination_orders(
        [[not x.is_zero for x in row] for row in inertia], [[x.is_number for x in row] for row in inertia]
    )
    found = congruence(s.graph, inverse(inertia, [(i,) for i in orders[0]]), s.motion.J)
    source = "composite inertias and the inverse of a sparse L D L^T" + _CARRIED
    return s.program(INVERSE_MASS_MATRIX, found, source=source)


def mass_centre(s: Setting) -> Program:
    """That of the tree."""
    return s.program(
        CENTER_OF_MASS, s.of_tree(center_of_mass)[0], source="composite first moment over the mass"
    )


def centroidal(s: Setting) -> Program:
    """A_tree N: the momenta are A v, and what prescribed motions add."""
    rows = _rows(s.of_tree(centroidal_momentum_matrix)[0], len(s.tree_mechanism.coordinates))
    entries = [s.motion.on_speeds(row[: s.nq]) for row in rows]
    source = "composite inertias about the mass centre (Orin, Goswami & Lee 2013)" + _CARRIED
    return s.program(CENTROIDAL_MOMENTUM_MATRIX, entries, source=source)


def carried_regressor(s: Setting, contract: Contract, build: Build) -> Program:
    """N^T Y_tree, in the motion that the speeds allow."""
    qdot = s.motion.rates(s.input("v", s.nv))
    program = s.tree_program(build)
    width = program.outputs[0].shape[1]
    rows = _rows(s.of_tree(build, qdot, s.motion.accelerations(qdot, s.input("a", s.nv)))[0], width)
    columns = [s.motion.on_speeds([row[c] for row in rows[: s.nq]]) for c in range(width)]
    entries = vec.transpose(columns)
    return s.program(contract, entries, source=program.source + _CARRIED, parts=", ".join(PARTS))


def frame_forces(s: Setting, build: FrameBuild) -> Program:
    """N^T of the forces on the tree's joints."""
    tau = s.motion.on_speeds(s.of_tree(build)[0][: s.nq])
    return s.of_frame(build, tau, "force and moment carried outwards to each joint" + _CARRIED)


def frame_jacobian_rate(s: Setting, build: FrameBuild, jacobian: FrameBuild) -> Program:
    """dJ_tree/dt N + J_tree dN/dt."""
    qdot = s.motion.rates(s.input("v", s.nv))
    n = len(s.tree_mechanism.coordinates)
    rates, columns = (
        [row[: s.nq] for row in _rows(flat, n)]
        for flat in (s.of_tree(build, qdot)[0], s.of_tree(jacobian)[0])
    )
    entries = _carried_rate(s, rates, columns, qdot)
    return s.of_frame(build, entries, s.tree_program(build).source + _CARRIED)


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
