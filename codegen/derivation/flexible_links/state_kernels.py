"""Energies, momentum and mass centre of a mechanism with flexible links."""

from __future__ import annotations

from typing import Any

from kanegen.codegen.derivation.centroidal import CENTER
from kanegen.codegen.derivation.flexible_links.dynamics_kernels import SOURCE
from kanegen.codegen.derivation.flexible_links.energy import elastic_energy, first_moment, kinetic_energy
from kanegen.codegen.derivation.flexible_links.loads import Loads
from kanegen.codegen.derivation.flexible_links.setting import Setting
from kanegen.codegen.graph import Argument, Program
from kanegen.codegen.graph import linear as vec


def _scalar(s: Setting, name: str, symbol: str, title: str, what: str, value: Any, moving: bool) -> Program:
    given = (s.arguments.q(), s.arguments.v()) if moving else (s.arguments.q(),)
    return s.program(name, title, given, {Argument(symbol, (), "J", what): [value]}, SOURCE)


def kinetic(s: Setting) -> Program:
    """T."""
    value = kinetic_energy(s.motion(s.input("v"), weight=False))
    return _scalar(s, "kinetic_energy", "T", "kinetic energy", "kinetic energy", value, True)


def _weight(s: Setting) -> Any:
    motion = s.motion(described=True)
    _, moment = first_moment(motion)
    return vec.dot(vec.scale(-1, motion.lifted(s.basis.described.gravity)), moment)


def gravity(s: Setting) -> Program:
    """U of weight."""
    what = "energy of weight, zero at the origin of the base"
    return _scalar(s, "gravity_energy", "U_g", "energy of weight", what, _weight(s), False)


def potential(s: Setting) -> Program:
    """U of weight, links and springs."""
    value = sum([_weight(s), elastic_energy(s.motion()), s.spring_energy()])
    what = "energy of weight, zero at the origin of the base, of bent links and of springs"
    return _scalar(s, "potential_energy", "U", "potential energy", what, value, False)


def elastic(s: Setting) -> Program:
    """U of the links."""
    value = elastic_energy(s.motion())
    return _scalar(
        s, "elastic_energy", "U_e", "elastic energy of the links", "energy stored in bent links", value, False
    )


def momentum(s: Setting) -> Program:
    """p and l about the base's origin."""
    linear, angular = Loads(s.motion(s.input("v"), weight=False, described=True)).momentum()
    return s.program(
        "momentum",
        "linear and angular momentum",
        (s.arguments.q(), s.arguments.v()),
        {
            Argument(
                "momentum",
                (6,),
                "kg m/s, kg m^2/s",
                "linear momentum, then angular momentum about the origin of the base, in the base frame",
            ): [*linear, *angular]
        },
        SOURCE,
    )


def center_of_mass(s: Setting) -> Program:
    """Of everything that moves."""
    mass, moment = first_moment(s.motion(described=True))
    return s.program(
        "center_of_mass",
        "mass centre of the moving bodies",
        (s.arguments.q(),),
        {CENTER: [0 if vec.is_zero(x) else x / mass for x in moment]},
        SOURCE,
    )


def coordinate_rates(s: Setting) -> Program:
    """dq/dt = v."""
    return s.program(
        "coordinate_rates",
        "rates of the coordinates",
        (s.arguments.q(), s.arguments.v()),
        {s.arguments.qdot(): s.input("v")},
        "definition of the rates",
    )
