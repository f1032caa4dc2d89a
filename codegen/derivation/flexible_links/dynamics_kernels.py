"""Forces, accelerations and the mass matrix of a mechanism with flexible links."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from kanegen.codegen.derivation.flexible_links.book import BookArm
from kanegen.codegen.derivation.flexible_links.setting import Setting
from kanegen.codegen.derivation.kernels.catalogue import (
    BIAS_FORCES,
    EQUATIONS_OF_MOTION,
    FORWARD_DYNAMICS,
    GRAVITY_FORCES,
    INVERSE_DYNAMICS,
    INVERSE_MASS_MATRIX,
    MASS_MATRIX,
    PRESCRIBED_MOTION_FORCES,
)
from kanegen.codegen.derivation.linear_inverse import inverse
from kanegen.codegen.derivation.linear_solve import solve
from kanegen.codegen.graph import Expression, Program

SOURCE = "kinematics of Book (1983), virtual work of affine segments, composite moments"


class Equations:
    """M, and h with tau = M a + h, of a setting."""

    source = SOURCE

    def __init__(self, s: Setting) -> None:
        self.s = s

    def matrix(self) -> list[list[Any]]:
        """Rows of M."""
        return self.s.mass_matrix()

    def bias(self, v: Sequence[Expression] | None) -> list[Any]:
        """h; ``v`` None stands for rest."""
        return self.s.forces(v)

    def forces(self, v: Sequence[Expression], a: Sequence[Expression]) -> list[Any]:
        """M a + h."""
        return self.s.forces(v, a)


Of = Callable[[Setting], Equations | BookArm]


def inverse_dynamics(s: Setting, of: Of = Equations) -> Program:
    """tau for accelerations a."""
    equations = of(s)
    tau = equations.forces(s.input("v"), s.input("a"))
    return s.program(INVERSE_DYNAMICS, tau, source=equations.source)


def bias_forces(s: Setting, of: Of = Equations) -> Program:
    """h with tau = M a + h."""
    equations = of(s)
    return s.program(BIAS_FORCES, equations.bias(s.input("v")), source=equations.source)


def gravity_forces(s: Setting, of: Of = Equations) -> Program:
    """g that holds the mechanism at rest."""
    equations = of(s)
    return s.program(GRAVITY_FORCES, equations.bias(None), source=equations.source)


def mass_matrix(s: Setting, of: Of = Equations) -> Program:
    """M."""
    equations = of(s)
    return s.program(MASS_MATRIX, equations.matrix(), source=equations.source)


def equations_of_motion(s: Setting, of: Of = Equations) -> Program:
    """M and R with M a = R (Book 1983, eq. 82)."""
    equations, tau = of(s), s.input("tau")
    right = [t - x for t, x in zip(tau, equations.bias(s.input("v")), strict=True)]
    return s.program(EQUATIONS_OF_MOTION, equations.matrix(), right, source=equations.source)


def forward_dynamics(s: Setting, of: Of = Equations) -> Program:
    """a for generalized forces tau."""
    equations = of(s)
    a = _accelerations(s, equations, s.input("tau"))
    return s.program(FORWARD_DYNAMICS, a, source=f"{equations.source}; L D L^T from the tips")


def _accelerations(s: Setting, equations: Equations | BookArm, tau: Sequence[Any]) -> list[Expression]:
    matrix = [s.expressions(row) for row in equations.matrix()]
    right = s.expressions([t - x for t, x in zip(tau, equations.bias(s.input("v")), strict=True)])
    return solve(matrix, right, _tips_first(s))


def _tips_first(s: Setting) -> list[list[int]]:
    """Unknowns from the tips to the base: entries that are zero stay zero."""
    order: list[int] = []
    for segment in reversed(s.basis.arm.segments):
        order += reversed(segment.modes)
        if segment.coordinate is not None:
            order.append(segment.coordinate)
    return [[k] for k in order]


def prescribed_motion_forces(s: Setting) -> Program:
    """Inverse dynamics for joints that move as they are told while the links swing as they must."""
    names = s.basis.mechanism.coordinates
    joints = [k for k, name in enumerate(names) if name in s.joints]
    modes = [k for k in range(s.n) if k not in joints]
    given = dict(zip(joints, s.input("a_joints", len(joints)), strict=True))
    v = s.input("v")
    a = [given.get(k, 0) for k in range(s.n)]
    matrix = [s.expressions(row) for row in s.mass_matrix()]
    forces = s.expressions(s.forces(v, s.expressions(a)))
    places = {k: n for n, k in enumerate(modes)}
    order = [[places[k]] for (k,) in _tips_first(s) if k in places]
    swinging = solve([[matrix[r][c] for c in modes] for r in modes], [-forces[r] for r in modes], order)
    driving = [
        sum(
            [
                forces[r],
                *(matrix[r][c] * x for c, x in zip(modes, swinging, strict=True) if not matrix[r][c].is_zero),
            ]
        )
        for r in joints
    ]
    return s.program(
        PRESCRIBED_MOTION_FORCES,
        driving,
        swinging,
        source=f"{SOURCE}; modes eliminated",
        of_joints="in the order " + ", ".join(s.joints),
        of_modes="in the order " + ", ".join(names[k] for k in modes),
    )


def inverse_mass_matrix(s: Setting) -> Program:
    """M^-1."""
    found = inverse([s.expressions(row) for row in s.mass_matrix()], _tips_first(s))
    return s.program(INVERSE_MASS_MATRIX, found, source=f"{SOURCE}; L D L^T")
