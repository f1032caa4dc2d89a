"""Poses, Jacobians and forces of the frames of a mechanism with flexible links."""

from __future__ import annotations

from kanegen.codegen.derivation.flexible_links.poses import Poses
from kanegen.codegen.derivation.flexible_links.setting import Setting
from kanegen.codegen.derivation.kernels.catalogue import FRAME_FORCES, FRAME_JACOBIAN, FRAME_POSE
from kanegen.codegen.graph import Program
from kanegen.codegen.graph import linear as vec


def frame_pose(s: Setting, frame: str, kernel: str) -> Program:
    """X of a frame."""
    pose = Poses(s.motion()).placed(s.basis.described.frames[frame])
    rows = [*([*pose.axes[m], pose.origin[m]] for m in range(3)), [0, 0, 0, 1]]
    source = "joints and links in turn (Book 1983, eqs 3 to 7)"
    return s.program(FRAME_POSE, rows, source=source, name=kernel, frame=frame)


def frame_jacobian(s: Setting, frame: str, kernel: str) -> Program:
    """J of a frame."""
    rows = Poses(s.motion()).jacobian(s.basis.described.frames[frame])
    source = "joint axes and mode shapes, carried by what is before them"
    return s.program(FRAME_JACOBIAN, rows, source=source, name=kernel, frame=frame)


def frame_forces(s: Setting, frame: str, kernel: str) -> Program:
    """J^T wrench."""
    rows = Poses(s.motion()).jacobian(s.basis.described.frames[frame])
    wrench = s.input("wrench", 6)
    tau = [vec.dot([row[k] for row in rows], wrench) for k in range(s.n)]
    return s.program(FRAME_FORCES, tau, source="transposed Jacobian", name=kernel, frame=frame)
