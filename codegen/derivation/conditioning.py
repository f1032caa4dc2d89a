"""Whether the mass matrix may be formed and solved with, or loses too many digits.

Where the axes of three joints nearly meet and a heavy body follows light ones, as at shoulders and necks of humanoids,
combinations of joint rates next to a singular posture move next to no inertia.  The mass matrix has them as small
differences of large entries, so its rounding errors alone, whatever solves with it afterwards, are magnified by its
condition number.  The articulated-body recursion never forms those entries and keeps the digits (Ascher, Pai & Cloutier,
Forward dynamics, elimination methods, and formulation stiffness in robot simulation, 1997).
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from kanegen.codegen.derivation.choices import Choices
from kanegen.codegen.derivation.composite_inertia import mass_matrix
from kanegen.codegen.derivation.placement import place
from kanegen.codegen.graph import evaluate
from kanegen.codegen.mechanism.records import Mechanism

_STATES = 400
"""Nearly singular postures are rare: as many as one in a hundred should be met a few times."""

_LARGEST = 1e5
"""Times the rounding unit 1.1e-16 that is 1.1e-11: a tenth of the 1e-10 that accelerations are to be right to, left for
postures nearer to a singular one than those looked at.  Arms and legs have 10 to 1e3, necks of three axes 1e6 and more."""


@lru_cache(maxsize=8)
def is_well_conditioned(mechanism: Mechanism) -> bool:
    """Whether the mass matrix of a tree, at the parameters' numbers, can be solved with in double precision.

    Judged at random postures by the condition number with the diagonal scaled to ones: units and the sizes of bodies do
    not matter.  Where inertias are of no real body and some diagonal entry is not positive, it says nothing: True.
    """
    program = mass_matrix(place(mechanism, Choices()), mechanism, Choices())
    n = mechanism.dof
    q = np.random.default_rng(0).uniform(-np.pi, np.pi, (_STATES, n))
    matrices = evaluate(program, {"q": q})["M"]
    diagonal = np.diagonal(matrices, axis1=1, axis2=2)
    if not (diagonal > 0).all():
        return True
    roots = np.sqrt(diagonal)
    found = np.linalg.eigvalsh(matrices / (roots[:, :, None] * roots[:, None, :]))
    return bool((found[:, -1] <= _LARGEST * found[:, 0]).all())
