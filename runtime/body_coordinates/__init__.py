"""Mechanisms in the coordinates of their bodies: seven a body, joints and drives as constraints, multipliers as forces.

    from kanegen.body_coordinates import BodySystem, simulate_bodies

    bodies = BodySystem(kanegen.load("sim_yoo_lee_robot", formulation="euler_parameters"))
    forces = bodies.inverse_dynamics(q, v, a)
    motion = simulate_bodies(bodies.robot, q0, v0, 1.0, controller)

x = (r_1, p_1, r_2, p_2, ...) are mass centres [m] in the base frame and Euler parameters e0 ... e3.  Equations in
parentheses are those of J. S. Sim, Y. M. Yoo & C. W. Lee, "Inverse Dynamic Analysis of Spatial Mechanical Systems with
Euler Parameters", 1985.
"""

from __future__ import annotations

from kanegen.body_coordinates.kernels import KERNELS, STRUT_KERNELS, BodyRobot
from kanegen.body_coordinates.rank import RankReport
from kanegen.body_coordinates.simulation import BodyMotion, simulate_bodies
from kanegen.body_coordinates.system import BodySystem, DrivenForces

__all__ = [
    "KERNELS",
    "STRUT_KERNELS",
    "BodyMotion",
    "BodyRobot",
    "BodySystem",
    "DrivenForces",
    "RankReport",
    "simulate_bodies",
]
