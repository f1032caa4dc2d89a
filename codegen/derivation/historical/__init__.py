"""The methods that the papers argue against, as their authors write them, on any tree.

They differ in what they call the motion of a link: derivatives of 4 x 4 or 3 x 3 matrices, or angular velocities.  None
looks for shortcuts: that is left to the passes, as for all formulations, and ``as_written`` counts what there is without.
"""

from kanegen.codegen.derivation.historical.methods import FORCES, INERTIA, METHODS, WALKER_ORIN, as_written

__all__ = ["FORCES", "INERTIA", "METHODS", "WALKER_ORIN", "as_written"]
