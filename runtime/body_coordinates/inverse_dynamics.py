"""Inverse dynamics of driven systems: all multipliers from the motion of the bodies (28), and the forces they stand for."""

from __future__ import annotations

from dataclasses import dataclass

from kanegen.arrays import FloatArray


@dataclass(frozen=True, eq=False)
class DrivenForces:
    """What a driven motion takes.

    ``x``, ``xdot``, ``xddot`` (7n,): the motion of the bodies.  ``tau`` (driven,) [N m, N]: forces of the actuators on
    their coordinates.  ``reactions`` (joints, 6): force [N], then moment [N m] about the joint's point, that each joint
    exerts on its second body, in the base frame.  ``joint_multipliers`` (k,) and ``drive_multipliers`` (driven,): lambda
    of M xddot = g - Phi_x^T lambda, the shortest vector where it is not unique.

    ``indeterminate`` names the joints whose reactions are not unique, because constraints depend on each other: theirs
    are then one possibility out of many, while ``tau`` and the motion are unique all the same.
    """

    x: FloatArray
    xdot: FloatArray
    xddot: FloatArray
    tau: FloatArray
    reactions: FloatArray
    joint_multipliers: FloatArray
    drive_multipliers: FloatArray
    indeterminate: tuple[str, ...]
