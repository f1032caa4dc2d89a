"""Poses of frames, and their Jacobians on the generalized speeds."""

from __future__ import annotations

from kanegen.codegen.derivation.constraints.setting import Setting
from kanegen.codegen.derivation.standard import Build
from kanegen.codegen.graph import Argument, Expression, Program


def frame_pose(s: Setting, build: Build) -> Program:
    """The tree's pose of a frame."""
    program = s.tree_program(build)
    return s.program(
        program.name,
        program.title,
        (s.arguments.q(),),
        {program.outputs[0]: s.of_tree(build)[0]},
        program.source,
    )


def frame_jacobian(s: Setting, build: Build) -> Program:
    """The tree's Jacobian of a frame on the speeds: J_tree N."""
    program = s.tree_program(build)
    n = len(s.tree_mechanism.coordinates)
    flat = s.of_tree(build)[0]
    entries: list[Expression] = []
    for m in range(6):
        entries += s.motion.on_speeds(flat[n * m : n * m + s.nq])
    jacobian = Argument(
        "J",
        (6, s.nv),
        "m, 1",
        "velocity of the frame's origin, then its angular velocity, in the base frame, for each generalized speed = 1",
    )
    return s.program(program.name, program.title, (s.arguments.q(),), {jacobian: entries}, program.source)
