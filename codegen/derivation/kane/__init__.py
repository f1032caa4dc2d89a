"""Kane's method: partial velocities, generalized inertia forces and generalized active forces (Kane & Levinson 1983).

``forces`` and ``nonholonomic_forces`` take the motion of a tree as it is given, for plain trees and constrained
mechanisms; ``kernels.KaneFormulation`` derives the kernels of a tree for generalized speeds of one's choice.
"""

from kanegen.codegen.derivation.kane.constrained import forces, nonholonomic_forces

__all__ = ["forces", "nonholonomic_forces"]
