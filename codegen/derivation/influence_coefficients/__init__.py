"""Kinematic and dynamic influence coefficients (R. A. Freeman & D. Tesar, "Dynamic Modeling of Serial and Parallel
Mechanisms/Robotic Systems: Part I - Methodology", Trends and Developments in Mechanisms, Machines, and Robotics, vol. 3,
ASME 1988, 7-17).

Symbols are those of the paper and numbers in parentheses are its equations: G and H are first- and second-order influence
coefficients, I*, P*, C* and K* effective inertia, inertia power, damping and spring rate.  All depend on position alone; the
time states enter as T = I* d2phi/dt2 + dphi/dt^T P* dphi/dt - loads, whatever the coordinates phi are.
"""

from kanegen.codegen.derivation.influence_coefficients.equations import forces

__all__ = ["forces"]
