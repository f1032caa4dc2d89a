"""Kane's method: partial velocities, generalized inertia forces and generalized active forces (Kane & Levinson 1983).

``forces`` and ``nonholonomic_forces`` take the motion of a tree as it is given.  Two kinds of system (systems.py) put
their sums where other formulations have forces on joints: on speeds of one's choice, and on those of constrained mechanisms.
What these sums may be besides, and those of dual vectors and influence coefficients with them, is in shared_velocities.py.
"""

from kanegen.codegen.derivation.kane.forces import forces, nonholonomic_forces

__all__ = ["forces", "nonholonomic_forces"]
