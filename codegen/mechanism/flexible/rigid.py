"""A flexible link as a rigid body: undeflected."""

from __future__ import annotations

from fractions import Fraction

from kanegen.codegen.mechanism.flexible.appendages import symmetric
from kanegen.codegen.mechanism.flexible_records import ModalIntegrals
from kanegen.codegen.mechanism.records import Inertia
from kanegen.codegen.mechanism.values import plain
from kanegen.codegen.mechanism.vectors import scale


def rigid_inertia(link: ModalIntegrals) -> Inertia:
    """Mass, mass centre and central tensor: trace(P) 1 - P of the second moments P about the mass centre."""
    center = scale(1 / link.mass, link.first)
    second = [
        [plain(link.second[i][j] - link.mass * center[i] * center[j]) for j in range(3)] for i in range(3)
    ]
    trace = second[0][0] + second[1][1] + second[2][2]
    zero = Fraction(0)
    tensor = symmetric([[(trace if i == j else zero) - second[i][j] for j in range(3)] for i in range(3)])
    return Inertia(link.mass, center, tensor)
