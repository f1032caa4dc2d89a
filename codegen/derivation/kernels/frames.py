"""Poses of frames, their Jacobians on the speeds, and forces at them, written once over a system."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from kanegen.codegen.derivation.kernels.catalogue import (
    FRAME_FORCES,
    FRAME_JACOBIAN,
    FRAME_JACOBIAN_RATE,
    FRAME_POSE,
)
from kanegen.codegen.derivation.kernels.contract import Contract
from kanegen.codegen.derivation.motion_maps.motion_map import Rows, TreeMotion
from kanegen.codegen.derivation.system import Make, System
from kanegen.codegen.graph import Program
from kanegen.codegen.mechanism.records import Frame


def frame_pose(s: System, frame: Frame, kernel: str) -> Program:
    """The tree's pose of a frame."""
    pose = s.of_tree(lambda tree: tree.frame_pose(frame), s.map.motion())
    return s.program(FRAME_POSE, [pose], name=kernel, frame=frame.name)


def frame_jacobian(s: System, frame: Frame, kernel: str) -> Program:
    """J_tree T."""
    rows = [s.map.on_speeds(row) for row in jacobian_of_tree(s, frame, s.map.motion())]
    return s.program(FRAME_JACOBIAN, [rows], name=kernel, frame=frame.name)


def frame_jacobian_rate(s: System, frame: Frame, kernel: str) -> Program:
    """dJ_tree/dt T + J_tree dT/dt."""
    jacobian = jacobian_of_tree(s, frame, s.map.motion())
    v = s.input("v")
    rates = s.of_tree(lambda tree: tree.frame_jacobian_rate(frame, kernel), s.map.motion(v))
    rows = s.map.rate_of_rows(rates, lambda: jacobian, v)
    return s.program(FRAME_JACOBIAN_RATE, [rows], name=kernel, frame=frame.name)


def frame_forces(s: System, frame: Frame, kernel: str) -> Program:
    """T^T of the forces on the tree's joints."""
    wrench = s.input("wrench", 6)
    found = s.of_tree(lambda tree, wrench: tree.frame_forces(frame, wrench), s.map.motion(), wrench=wrench)
    return s.program(FRAME_FORCES, [s.map.on_speeds(found)], name=kernel, frame=frame.name)


def jacobian_of_tree(s: System, frame: Frame, motion: TreeMotion) -> Rows:
    """J of a frame on the joints of the tree."""
    rows: Rows = s.of_tree(lambda tree: tree.frame_jacobian(frame), motion)
    return rows


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
