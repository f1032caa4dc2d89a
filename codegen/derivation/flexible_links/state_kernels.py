"""Energies, momentum and mass centre of a mechanism with flexible links."""

from __future__ import annotations

from typing import Any

from kanegen.codegen.derivation.flexible_links.dynamics_kernels import SOURCE
from kanegen.codegen.derivation.flexible_links.energy import elastic_energy, first_moment, kinetic_energy
from kanegen.codegen.derivation.flexible_links.loads import Loads
from kanegen.codegen.derivation.flexible_links.setting import Setting
from kanegen.codegen.derivation.kernels.catalogue import (
    CENTER_OF_MASS,
    COORDINATE_RATES,
    ELASTIC_ENERGY,
    GRAVITY_ENERGY,
    KINETIC_ENERGY,
    MOMENTUM,
    POTENTIAL_ENERGY,
)
from kanegen.codegen.graph import Program
from kanegen.codegen.graph import linear as vec


def kinetic(s: Setting) -> Program:
    """T."""
    value = kinetic_energy(s.motion(s.input("v"), weight=False))
    return s.program(KINETIC_ENERGY, value, source=SOURCE)


def _weight(s: Setting) -> Any:
    motion = s.motion(described=True)
    _, moment = first_moment(motion)
    return vec.dot(vec.scale(-1, motion.lifted(s.basis.described.gravity)), moment)


def gravity(s: Setting) -> Program:
    """U of weight."""
    return s.program(GRAVITY_ENERGY, _weight(s), source=SOURCE)


def potential(s: Setting) -> Program:
    """U of weight, links and springs."""
    value = sum([_weight(s), elastic_energy(s.motion()), s.spring_energy()])
    return s.program(POTENTIAL_ENERGY, value, source=SOURCE)


def elastic(s: Setting) -> Program:
    """U of the links."""
    return s.program(ELASTIC_ENERGY, elastic_energy(s.motion()), source=SOURCE)


def momentum(s: Setting) -> Program:
    """p and l about the base's origin."""
    linear, angular = Loads(s.motion(s.input("v"), weight=False, described=True)).momentum()
    return s.program(MOMENTUM, [*linear, *angular], source=SOURCE)


def center_of_mass(s: Setting) -> Program:
    """Of everything that moves."""
    mass, moment = first_moment(s.motion(described=True))
    center = [0 if vec.is_zero(x) else x / mass for x in moment]
    return s.program(CENTER_OF_MASS, center, source=SOURCE)


def coordinate_rates(s: Setting) -> Program:
    """dq/dt = v."""
    return s.program(COORDINATE_RATES, s.input("v"), source="definition of the rates")
