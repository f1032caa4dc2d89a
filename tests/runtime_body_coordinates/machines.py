"""A small machine with a slide, hinges and springs, and its energy."""

from __future__ import annotations

import numpy as np

from kanegen.body_coordinates import BodySystem
from kanegen.codegen.mechanism import BASE, Mechanism, MechanismBuilder

STIFFNESS, REST = 40.0, 0.2
TORSION = 0.01
MASSES = (1.0, 0.5, 0.3)


def swing() -> Mechanism:
    """A sledge on a spring along x, a rod below it that swings about y, on its end a propeller with a torsion spring."""
    machine = MechanismBuilder("swing", gravity=(0, 0, -9.81))
    machine.body("sledge", mass=MASSES[0], center=(0.1, 0, 0), inertia=(0.01, 0.01, 0.01))
    machine.body("rod", mass=MASSES[1], center=(0, 0, -0.3), inertia=(0.02, 0.02, 0.005))
    machine.body("propeller", mass=MASSES[2], center=(0.05, 0, 0), inertia=(0.003, 0.002, 0.004))
    machine.prismatic("slide", BASE, "sledge", (1, 0, 0))
    machine.revolute("hang", "sledge", "rod", (0, 1, 0))
    machine.revolute("spin", "rod", "propeller", (0, 0, 1), position=(0, 0, -0.6))
    machine.torsional_spring("spring", "slide", stiffness=STIFFNESS, rest=REST)
    machine.torsional_spring("twist", "spin", stiffness=TORSION)
    return machine.build()


def energy(system: BodySystem, x: np.ndarray, xdot: np.ndarray, q: np.ndarray) -> float:
    """Kinetic energy of the bodies, their weight, and the springs."""
    kinetic = 0.5 * xdot @ system.kernels.mass_matrix(x) @ xdot
    weight = 9.81 * np.array(MASSES) @ x.reshape(-1, 7)[:, 2]
    return float(kinetic + weight + 0.5 * STIFFNESS * (q[0] - REST) ** 2 + 0.5 * TORSION * q[2] ** 2)
