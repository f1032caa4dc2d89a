"""Poses of frames, their Jacobians on the speeds, and forces at them, written once over a system."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from kanegen.codegen.derivation import frame_rates, kinematics
from kanegen.codegen.derivation.kernels.catalogue import (
    FRAME_FORCES,
    FRAME_JACOBIAN,
    FRAME_JACOBIAN_RATE,
    FRAME_POSE,
)
from kanegen.codegen.derivation.kernels.contract import Contract
from kanegen.codegen.derivation.system import Make, System
from kanegen.codegen.graph import Program
from kanegen.codegen.mechanism.records import Frame


def frame_pose(s: System, frame: Frame, kernel: str) -> Program:
    """The tree's pose of a frame."""
    program = s.tree_program(partial(kinematics.frame_pose, frame=frame, kernel=kernel))
    pose = s.of_tree(program, s.map.motion())
    return s.program(FRAME_POSE, pose, name=kernel, frame=frame.name)


def frame_jacobian(s: System, frame: Frame, kernel: str) -> Program:
    """J_tree T."""
    program = s.tree_program(partial(kinematics.frame_jacobian, frame=frame, kernel=kernel))
    rows = [s.map.on_speeds(row) for row in s.rows_of_tree(program, s.map.motion())]
    return s.program(FRAME_JACOBIAN, [rows], name=kernel, frame=frame.name)


def frame_jacobian_rate(s: System, frame: Frame, kernel: str) -> Program:
    """dJ_tree/dt T + J_tree dT/dt."""
    v = s.input("v")
    program = s.tree_program(partial(frame_rates.frame_jacobian_rate, frame=frame, kernel=kernel))
    jacobian = partial(kinematics.frame_jacobian, frame=frame, kernel=kernel)
    rates = s.rows_of_tree(program, s.map.motion(v))
    rows = s.map.rate_of_rows(rates, lambda: s.rows_of_tree(jacobian, s.map.motion()), v)
    return s.program(FRAME_JACOBIAN_RATE, [rows], name=kernel, frame=frame.name)


def frame_forces(s: System, frame: Frame, kernel: str) -> Program:
    """T^T of the forces on the tree's joints."""
    program = s.tree_program(partial(frame_rates.frame_forces, frame=frame, kernel=kernel))
    tau = s.map.on_speeds(s.of_tree(program, s.map.motion())[0])
    return s.program(FRAME_FORCES, [tau], name=kernel, frame=frame.name)


def frame_kernels(frames: Mapping[str, Frame]) -> dict[str, Make]:
    """frame_pose_<frame> and frame_jacobian_<frame> of ``frames``, by their names as identifiers."""
    return _each(frames, {FRAME_POSE: frame_pose, FRAME_JACOBIAN: frame_jacobian})


def frame_kernels_on_demand(frames: Mapping[str, Frame]) -> dict[str, Make]:
    """frame_jacobian_rate_<frame> and frame_forces_<frame>."""
    return _each(frames, {FRAME_JACOBIAN_RATE: frame_jacobian_rate, FRAME_FORCES: frame_forces})


def _each(frames: Mapping[str, Frame], makes: Mapping[Contract, Callable[..., Program]]) -> dict[str, Make]:
    return {
        contract.named(identifier): partial(make, frame=frame, kernel=contract.named(identifier))
        for identifier, frame in frames.items()
        for contract, make in makes.items()
    }
