"""Poses of frames, and their Jacobians on the generalized speeds."""

from __future__ import annotations

from kanegen.codegen.derivation.constraints.setting import Setting
from kanegen.codegen.derivation.standard import FrameBuild
from kanegen.codegen.graph import Expression, Program


def frame_pose(s: Setting, build: FrameBuild) -> Program:
    """The tree's pose of a frame."""
    return s.of_frame(build, s.of_tree(build)[0], "chain of joint rotations")


def frame_jacobian(s: Setting, build: FrameBuild) -> Program:
    """The tree's Jacobian of a frame on the speeds: J_tree N."""
    return s.of_frame(build, jacobian_entries(s, build), "joint axes crossed with lever arms")


def jacobian_entries(s: Setting, build: FrameBuild) -> list[list[Expression]]:
    """J_tree N by rows."""
    n, flat = len(s.tree_mechanism.coordinates), s.of_tree(build)[0]
    return [s.motion.on_speeds(flat[n * m : n * m + s.nq]) for m in range(6)]
