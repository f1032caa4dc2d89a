"""The names of all kernels that kanegen can derive, asked of the formulations themselves.

Small mechanisms of every kind are put to every formulation, which costs a tenth of a second and derives nothing.  So a
name is known here as soon as a formulation has a kernel of that name.
"""

from __future__ import annotations

from functools import cache

import sympy

from kanegen.codegen.derivation.control_law import CLOSED_LOOP
from kanegen.codegen.derivation.formulations import FLEXIBLE, RIGID, formulation, optional_kernels
from kanegen.codegen.mechanism import DistanceRate, Mechanism, MechanismBuilder
from kanegen.codegen.mechanism.flexible import Beam, Mode
from kanegen.errors import ModelError

_FRAME = "any"
"""The frame whose kernels stand for those of all frames."""

_DERIVATIVES = "_derivatives"
"""How the names of kernels end that are taken for derivatives of others."""


def check_names_of_laws(mechanism: Mechanism) -> None:
    """Raise ModelError for a control law that is named like a kernel, of this mechanism or of any other."""
    laws = {CLOSED_LOOP + law.name.lower() for law in mechanism.laws}
    for law in mechanism.laws:
        name = law.name.lower()
        names, beginnings = reserved() if mechanism.laws else ((), ())
        if name in names or name in laws or name.startswith(beginnings) or name.endswith(_DERIVATIVES):
            raise ModelError(
                f"control law {law.name!r}",
                "a kernel has this name, or its names begin or end like this",
                "another name",
                "Rename it, say, to feedback_law.",
            )


@cache
def reserved() -> tuple[frozenset[str], tuple[str, ...]]:
    """Names of kernels in lower case, and how the names of those begin of which there is one for each frame or law."""
    names: set[str] = set()
    for mechanism, formulations in ((_free(), RIGID), (_tied(), RIGID), (_flexible(), FLEXIBLE)):
        identifiers = {frame.name: _FRAME for frame in mechanism.frames} | {_FRAME: _FRAME}
        for name in formulations:
            names.update(formulation(name, mechanism, None, True, identifiers))
        names.update(optional_kernels(mechanism, True, identifiers))
    ending = f"_{_FRAME}"
    beginnings = {name.removesuffix(_FRAME) for name in names if name.endswith(ending)}
    whole = {name.lower() for name in names if not name.endswith(ending)}
    return frozenset(whole), (CLOSED_LOOP, *sorted(beginning.lower() for beginning in beginnings))


def _free() -> Mechanism:
    """A pendulum."""
    builder = MechanismBuilder("free")
    _add_pendulum(builder)
    return builder.build()


def _tied() -> Mechanism:
    """Two pendulums geared together, a prescribed joint, and a speed that has dead centres."""
    builder = MechanismBuilder("tied")
    _add_pendulum(builder)
    for name, joint in (("second", "k"), ("held", "l")):
        builder.body(name, 1, (1, 0, 0), (1, 1, 1))
        builder.revolute(joint, "first", name, (0, 1, 0))
    builder.prescribe("l")
    builder.frame("pin", "base", (0, 0, 1))
    j, k = sympy.symbols("j k")
    builder.position_constraint("gear", j - 2 * k, (j, k))
    builder.speeds([DistanceRate("tip", "pin")])
    return builder.build()


def _flexible() -> Mechanism:
    """A beam on a hinge."""
    builder = MechanismBuilder("flexible")
    builder.parameter("p", 1, "kg")
    builder.flexible("link", Beam(1, 1, [Mode("bend", y=(0, 0, 1))], EI_z=1))
    builder.revolute("j", "base", "link", (0, 0, 1))
    return builder.build()


def _add_pendulum(builder: MechanismBuilder) -> None:
    builder.parameter("p", 1, "kg")
    builder.body("first", 1, (1, 0, 0), (1, 1, 1))
    builder.revolute("j", "base", "first", (0, 1, 0))
    builder.frame("tip", "first", (1, 0, 0))
