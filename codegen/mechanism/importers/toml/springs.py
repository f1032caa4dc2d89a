"""Springs, dampers and other force elements of a TOML file: where they act, and by which law."""

from __future__ import annotations

from collections.abc import Mapping

from kanegen.codegen.graph.late import sympy
from kanegen.codegen.mechanism import force_laws
from kanegen.codegen.mechanism.builder import MechanismBuilder
from kanegen.codegen.mechanism.force_elements import Displacement, ForceLaw, JointSum, PathLength
from kanegen.codegen.mechanism.importers.toml import schema
from kanegen.codegen.mechanism.importers.toml.expressions import expression
from kanegen.codegen.mechanism.importers.toml.table import Table

_PLACES: Mapping[str, tuple[str, ...]] = {
    "joint": ("joint",),
    "first": ("first", "second"),
    "second": ("first", "second"),
    "path": ("path",),
    "joints": ("joints", "coefficients"),
    "coefficients": ("joints", "coefficients"),
}
"""Keys that say where a spring acts, with those that belong to them."""

_LINEAR = ("name", "joint", "first", "second", "stiffness", "damping", "rest")
"""Keys of the springs and dampers that have no law of their own."""


def add_springs(builder: MechanismBuilder, root: Table) -> None:
    """All that resists displacements and deformations.  Raises ModelError."""
    for spring in root.tables("spring"):
        _add_spring(builder, spring)
    for bushing in root.tables("bushing"):
        bushing.check(schema.BUSHING)
        matrices = bushing.numbers("stiffness"), bushing.numbers("damping", (0,) * 6)
        with bushing.located():
            builder.bushing(bushing.text("name"), bushing.text("first"), bushing.text("second"), *matrices)


def _add_spring(builder: MechanismBuilder, spring: Table) -> None:
    """A spring or damper, on a joint or between two frames, or a force element by a law.  Raises ModelError."""
    spring.check(schema.SPRING)
    name, place = spring.text("name"), _place(spring)
    if all(key in _LINEAR for key in spring.content) and not _is_list(spring, "stiffness"):
        values = [spring.number(key) for key in ("stiffness", "damping", "rest")]
        with spring.located():
            if isinstance(place, JointSum):
                builder.torsional_spring(name, place.joints[0], *values)
            else:
                builder.translational_spring(name, *place.frames, *values)
        return
    if "stops" in spring:
        _add_stops(builder, spring, name, place)
        return
    with spring.located():
        law = _law(spring)
        builder.force_element(name, place, law)


def _place(spring: Table) -> Displacement:
    given = {_PLACES[key] for key in spring.content if key in _PLACES}
    if len(given) == 1 and all(key in spring or key == "coefficients" for key in next(iter(given))):
        if "joint" in spring:
            return JointSum((spring.text("joint"),))
        if "path" in spring:
            return PathLength(tuple(spring.names("path")))
        if "joints" in spring:
            return JointSum(tuple(spring.names("joints")), tuple(spring.numbers("coefficients", ())))
        return PathLength((spring.text("first"), spring.text("second")))
    raise spring.error(
        None,
        "does not say where it acts",
        "a joint; two frames 'first' and 'second'; the frames of a 'path'; or 'joints', perhaps with 'coefficients'",
        "Give one of these.",
    )


def _add_stops(builder: MechanismBuilder, spring: Table, name: str, place: Displacement) -> None:
    known = ("name", "joint", "stops", "stiffness", "dissipation")
    wrong = [key for key in spring.content if key not in known]
    if wrong or spring.content["stops"] is not True or "joint" not in spring:
        raise spring.error(
            wrong[0] if wrong else "stops",
            "is no part of stops at the limits of a joint",
            "stops = true with a joint, a stiffness and perhaps a dissipation",
            "Take it out, or write stops = true.",
        )
    assert isinstance(place, JointSum), "a joint"
    with spring.located():
        builder.joint_stop(
            place.joints[0], spring.number("stiffness"), spring.number("dissipation"), name=name
        )


def _law(spring: Table) -> ForceLaw:
    """The sum of all parts of a law.  Raises ModelError for keys that mean nothing beside the others."""
    law, used = ForceLaw(), set(_PLACES) | {"name"}

    def take(keys: str) -> bool:
        """Whether the first of these keys is there; the others belong to it."""
        first, *others = keys.split()
        if first in spring:
            used.update((first, *others))
        return first in spring

    stiffness = (spring.numbers if _is_list(spring, "stiffness") else spring.number)("stiffness")
    if "lower" in spring or "upper" in spring:
        used.update(("stiffness", "lower", "upper"))
        ends = [spring.number(key) if key in spring else None for key in ("lower", "upper")]
        law += force_laws.dead_band(stiffness, *ends)
    elif take("stiffness rest"):
        law += force_laws.spring(stiffness, spring.number("rest"))
    if take("points beyond"):
        law += force_laws.tabular(spring.numbers("points"), spring.text("beyond", "linear"))
    if take("force energy"):
        force, energy = (_expression(spring, key) for key in ("force", "energy"))
        assert force is not None, "the key is there"
        law += force_laws.elastic(force, _symbol("s"), energy)
    if take("resistance"):
        resistance = _expression(spring, "resistance")
        assert resistance is not None, "the key is there"
        law += force_laws.resisting(resistance, _symbol("rate"), _symbol("s"))
    dampers = [take(key) for key in ("damping", "quadratic_damping", "cubic_damping")]
    if any(dampers):
        law += force_laws.damper(
            *(spring.number(key) for key in ("damping", "quadratic_damping", "cubic_damping"))
        )
    if take("friction static_friction stribeck_speed slip_speed"):
        names = {
            "static_friction": "static",
            "stribeck_speed": "stribeck_speed",
            "slip_speed": "slip_speed",
        }
        given = {word: spring.number(key) for key, word in names.items() if key in spring}
        law += force_laws.friction(spring.number("friction"), **given)
    for key in spring.content:
        if key not in used:
            raise spring.error(key, "belongs to no part of the law", "keys that go together", "Remove it.")
    return law


def _symbol(name: str) -> sympy.Symbol:
    return sympy.Symbol(name, real=True)


def _expression(spring: Table, key: str) -> sympy.Expr | None:
    if key not in spring:
        return None
    names = (*spring.document.names, "s", *(("rate",) if key == "resistance" else ()))
    symbols = {name: _symbol(name) for name in names}
    meaning = "an expression in s, the displacement, its rate in a resistance, and parameters"
    found: sympy.Expr = sympy.sympify(expression(spring, key, spring.content[key], symbols, {}, meaning))
    return found


def _is_list(table: Table, key: str) -> bool:
    return isinstance(table.content.get(key), list)
