"""Kernels that only mechanisms with flexible links have."""

from __future__ import annotations

from collections.abc import Mapping

from kanegen.codegen.derivation.kernels.catalogue import (
    ELASTIC_ENERGY,
    EQUATIONS_OF_MOTION,
    GRAVITY_ENERGY,
    PRESCRIBED_MOTION_FORCES,
)
from kanegen.codegen.derivation.linear.solve import solve
from kanegen.codegen.derivation.system import Make, System
from kanegen.codegen.graph import Program
from kanegen.codegen.graph import linear as vec
from kanegen.codegen.mechanism.records import Mechanism


def equations_of_motion(s: System) -> Program:
    """M and R with M a = R (Book 1983, eq. 82)."""
    right = [t - h for t, h in zip(s.input("tau"), s.driving(s.input("v"), s.rest), strict=True)]
    return s.program(EQUATIONS_OF_MOTION, [s.inertia(), right])


def prescribed_motion_forces(s: System) -> Program:
    """Inverse dynamics for joints that move as they are told while the links swing as they must."""
    names, bending = s.mechanism.coordinates, s.mechanism.modes
    joints = [k for k, name in enumerate(names) if name not in bending]
    modes = [k for k, name in enumerate(names) if name in bending]
    given = dict(zip(joints, s.input("a_joints", len(joints)), strict=True))
    matrix = s.inertia()
    forces = s.driving(s.input("v"), [given.get(k, s.zero) for k in range(s.nv)])
    places = {k: n for n, k in enumerate(modes)}
    order = s.of_tree(lambda arm: arm.tips_first(), s.map.motion())
    swinging = solve(
        [[matrix[r][c] for c in modes] for r in modes],
        [-forces[r] for r in modes],
        [[places[k]] for k in order if k in places],
    )
    driving = [sum(vec.products([matrix[r][c] for c in modes], swinging), forces[r]) for r in joints]
    return s.program(
        PRESCRIBED_MOTION_FORCES,
        [driving, swinging],
        of_joints="in the order " + ", ".join(names[k] for k in joints),
        of_modes="in the order " + ", ".join(names[k] for k in modes),
    )


def elastic_energy(s: System) -> Program:
    """U of the links."""
    return s.program(ELASTIC_ENERGY, [s.of_tree(lambda arm: arm.elastic_energy(), s.map.motion())])


def gravity_energy(s: System) -> Program:
    """U of weight."""
    return s.program(GRAVITY_ENERGY, [s.of_tree(lambda arm: arm.gravity_energy(), s.map.motion())])


def flexible_kernels(mechanism: Mechanism) -> Mapping[str, Make]:
    """Those of a mechanism; motions of joints are prescribed only where it has any."""
    made: dict[str, Make] = {
        EQUATIONS_OF_MOTION.name: equations_of_motion,
        PRESCRIBED_MOTION_FORCES.name: prescribed_motion_forces,
        ELASTIC_ENERGY.name: elastic_energy,
        GRAVITY_ENERGY.name: gravity_energy,
    }
    if set(mechanism.coordinates) == set(mechanism.modes):
        del made[PRESCRIBED_MOTION_FORCES.name]
    return made
