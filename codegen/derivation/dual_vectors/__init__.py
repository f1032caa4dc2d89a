"""d'Alembert's principle with dual vectors (S. K. Agrawal, "Multi-Rigid-Body Dynamics: A d'Alembert's Method Using Dual
Vectors", Trends and Developments in Mechanisms, Machines, and Robotics, vol. 3, ASME 1988, 1-6).

Symbols are those of the paper, epsilon included, and numbers in parentheses are its equations.  A motion is w + epsilon v,
a force F + epsilon M, a joint a dual angle theta + epsilon l.  Errata: in equation (18) and Table 1 the slide's rate is
ds3'/dt; in (44) u3 is dq3/dt, not dq1/dt; in (53) the term in omega^2 has the sign -.
"""

from kanegen.codegen.derivation.dual_vectors.dual_number import DualNumber
from kanegen.codegen.derivation.dual_vectors.dual_rotation import DualRotation, about_axis, displacement
from kanegen.codegen.derivation.dual_vectors.dual_vector import DualVector
from kanegen.codegen.derivation.dual_vectors.equations import forces, forces_on_speeds
from kanegen.codegen.derivation.dual_vectors.partial_velocities import dual_partial_velocities
from kanegen.codegen.derivation.dual_vectors.quantities import DualQuantities, dual_quantities

__all__ = [
    "DualNumber",
    "DualQuantities",
    "DualRotation",
    "DualVector",
    "about_axis",
    "displacement",
    "dual_partial_velocities",
    "dual_quantities",
    "forces",
    "forces_on_speeds",
]
