"""Kinematic and dynamic influence coefficients (R. A. Freeman & D. Tesar, "Dynamic Modeling of Serial and Parallel
Mechanisms/Robotic Systems: Part I - Methodology", Trends and Developments in Mechanisms, Machines, and Robotics, vol. 3,
ASME 1988, 7-17).

Symbols are those of the paper and numbers in parentheses are its equations: G and H are first- and second-order influence
coefficients, I*, P*, C* and K* effective inertia, inertia power, damping and spring rate.  All depend on position alone; the
time states enter as T = I* d2phi/dt2 + dphi/dt^T P* dphi/dt - loads, whatever the coordinates phi are.
"""

from kanegen.codegen.derivation.influence_coefficients.coefficients import (
    Influence,
    frame_influence,
    point_influence,
    rotation_influence,
)
from kanegen.codegen.derivation.influence_coefficients.equations import (
    augmented_model,
    dynamic_model,
    forces,
    motion_at,
)
from kanegen.codegen.derivation.influence_coefficients.hand import forces_at_hand, hand_influence, hand_model
from kanegen.codegen.derivation.influence_coefficients.kernels import kernels
from kanegen.codegen.derivation.influence_coefficients.model import Model
from kanegen.codegen.derivation.influence_coefficients.springs import Springs
from kanegen.codegen.derivation.influence_coefficients.transfer import (
    closed_loop,
    from_matrix,
    least_energy_inverse,
    reversed_influence,
    reversed_with_least_energy,
    side_by_side,
    stacked,
    transferred,
    transferred_damping,
    transferred_influence,
    transferred_stiffness,
    transferred_to,
)

__all__ = [
    "Influence",
    "Model",
    "Springs",
    "augmented_model",
    "closed_loop",
    "dynamic_model",
    "forces",
    "forces_at_hand",
    "frame_influence",
    "from_matrix",
    "hand_influence",
    "hand_model",
    "kernels",
    "least_energy_inverse",
    "motion_at",
    "point_influence",
    "reversed_influence",
    "reversed_with_least_energy",
    "rotation_influence",
    "side_by_side",
    "stacked",
    "transferred",
    "transferred_damping",
    "transferred_influence",
    "transferred_stiffness",
    "transferred_to",
]
