"""Poses, Jacobians and forces of the frames of a mechanism with flexible links."""

from __future__ import annotations

from kanegen.codegen.derivation.flexible_links.poses import Poses
from kanegen.codegen.derivation.flexible_links.setting import Setting
from kanegen.codegen.derivation.frame_rates import wrench_argument
from kanegen.codegen.graph import Argument, Program
from kanegen.codegen.graph import linear as vec

_SMALL = "exact where nothing bends, to first order in the deflections elsewhere"


def frame_pose(s: Setting, frame: str, kernel: str) -> Program:
    """X of a frame."""
    pose = Poses(s.motion()).placed(s.basis.described.frames[frame])
    rows = [[*pose.axes[m], pose.origin[m]] for m in range(3)]
    what = f"p_base = X p, p in the frame {frame}; axes behind bent links are 1 + vec.skew(theta), not made orthogonal"
    return s.program(
        kernel,
        f"pose of the frame {frame} in the base frame",
        (s.arguments.q(),),
        {Argument("X", (4, 4), "1, m", what): [x for row in (*rows, [0, 0, 0, 1]) for x in row]},
        "joints and links in turn (Book 1983, eqs 3 to 7)",
    )


def frame_jacobian(s: Setting, frame: str, kernel: str) -> Program:
    """J of a frame."""
    rows = Poses(s.motion()).jacobian(s.basis.described.frames[frame])
    what = (
        f"velocity of the origin of {frame}, then its angular velocity ({_SMALL}), in the base frame, for a unit rate of"
        " each coordinate"
    )
    return s.program(
        kernel,
        f"Jacobian of the frame {frame}",
        (s.arguments.q(),),
        {Argument("J", (6, s.n), "m, 1", what): [x for row in rows for x in row]},
        "joint axes and mode shapes, carried by what is before them",
    )


def frame_forces(s: Setting, frame: str, kernel: str) -> Program:
    """J^T wrench."""
    rows = Poses(s.motion()).jacobian(s.basis.described.frames[frame])
    wrench = s.input("wrench", 6)
    tau = [vec.dot([row[k] for row in rows], wrench) for k in range(s.n)]
    return s.program(
        kernel,
        f"generalized forces of a force and a moment at the frame {frame}",
        (s.arguments.q(), wrench_argument(frame)),
        {s.arguments.tau("tau", "generalized forces that the force and the moment are equal to"): tau},
        "transposed Jacobian",
    )
