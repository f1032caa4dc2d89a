"""Euler parameters and Lagrange multipliers (J. S. Sim, Y. M. Yoo & C. W. Lee, "Inverse Dynamic Analysis of Spatial
Mechanical Systems with Euler Parameters", KSME spring conference, 1985).

Symbols are those of the paper and numbers in parentheses are its equations, but for the coordinates of all bodies, which
are x here, since q are those of the joints.  Errata: in (2) the entry (2, 3) is e2 e3 - e0 e1; the quadratic term of (19)
is -8 (dB/dt)^T I B dp/dt; the multiplier of the normalisation is not zero, but drops out of h' since B p = 0; (33) is
singular at 0 and pi unless its reference is shifted; (34) needs the torque on the body in whose axes u is written.
"""

from kanegen.codegen.derivation.euler_parameters.equations import forces
from kanegen.codegen.derivation.euler_parameters.kernels import (
    kernels,
    names_of_bodies,
    names_of_constraints,
    names_of_joints,
    names_of_struts,
    programs,
)

__all__ = [
    "forces",
    "kernels",
    "names_of_bodies",
    "names_of_constraints",
    "names_of_joints",
    "names_of_struts",
    "programs",
]
