"""Loops, constraints, prescribed joints and generalized speeds of a TOML file."""

from __future__ import annotations

import re
from collections.abc import Mapping

from kanegen.arithmetic import NotArithmetic
from kanegen.codegen.graph.late import sympy
from kanegen.codegen.mechanism.builder import MechanismBuilder
from kanegen.codegen.mechanism.constraints import LoopKind, VelocityConstraint
from kanegen.codegen.mechanism.expression_text import AnyName
from kanegen.codegen.mechanism.importers.toml import schema
from kanegen.codegen.mechanism.importers.toml.expressions import expression
from kanegen.codegen.mechanism.importers.toml.table import Table
from kanegen.codegen.mechanism.readers import read_vector
from kanegen.codegen.mechanism.records import BASE
from kanegen.codegen.mechanism.speeds import (
    AngularVelocityComponent,
    CombinedSpeed,
    DistanceRate,
    GeneralizedSpeed,
    JointRate,
    PointVelocityComponent,
)


def add_constraints(builder: MechanismBuilder, root: Table) -> None:
    """Everything that restricts or drives the motion.  Raises ModelError."""
    for loop in root.tables("loop"):
        loop.check(schema.LOOP)
        kind = LoopKind(loop.choice("type", tuple(k.value for k in LoopKind)))
        with loop.located():
            builder.loop(loop.text("name"), kind, loop.text("first"), loop.text("second"))
    for wheel in root.tables("rolling"):
        wheel.check(schema.ROLLING)
        contact = wheel.text("contact") or None
        radius, ground = wheel.number("radius"), wheel.text("ground", BASE)
        with wheel.located():
            builder.rolling(wheel.text("name"), wheel.text("wheel"), radius, ground, contact)
    for edge in root.tables("knife_edge"):
        edge.check(schema.KNIFE_EDGE)
        with edge.located():
            builder.knife_edge(edge.text("name"), edge.text("edge"), edge.text("ground", BASE))
    for equation in root.tables("equation"):
        _add_equation(builder, root, equation)
    for given in root.tables("prescribed"):
        given.check(schema.PRESCRIBED)
        motion = None
        if "motion" in given:
            expected = "a function of t [s] and parameters"
            motion = expression(given, "motion", given.content["motion"], AnyName(pi=sympy.pi), {}, expected)
        rate = given.number("rate") if "rate" in given else None
        table = given.numbers("table") if "table" in given else None
        with given.located():
            builder.prescribe(given.text("joint"), rate, motion, table)
    speeds: list[GeneralizedSpeed] = [JointRate(name) for name in root.names("speeds")]
    speeds += [_speed(root, table) for table in root.tables("speed")]
    if speeds:
        builder.speeds(speeds)


def _speed(root: Table, table: Table) -> GeneralizedSpeed:
    table.check(schema.SPEED)
    kinds = [key for key in ("joint", "body", "frame", "first", "velocity") if key in table]
    beside = {
        "joint": (),
        "body": ("direction",),
        "frame": ("direction", "relative_to"),
        "first": ("second",),
        "velocity": ("name",),
    }
    if len(kinds) == 1 and all(key in (*kinds, *beside[kinds[0]]) for key in table.content):
        kind = kinds[0]
        if kind == "joint":
            return JointRate(table.text("joint"))
        if kind == "velocity" and "name" in table:
            found, q, qdot = _written(root, table, "velocity", "a speed")
            return CombinedSpeed(VelocityConstraint(table.text("name"), q, qdot, found))
        if kind == "first" and "second" in table:
            return DistanceRate(table.text("first"), table.text("second"))
        if "direction" in table:
            with table.located():
                direction = read_vector(f"{table.title}, direction", table.numbers("direction"))
            if kind == "body":
                return AngularVelocityComponent(table.text("body"), direction)
            return PointVelocityComponent(table.text("frame"), direction, table.text("relative_to", BASE))
    raise table.error(
        None,
        f"has the keys {', '.join(table.content) or '(none)'}",
        "a joint; a body and a direction (angular velocity); a frame and a direction (velocity of its origin, perhaps "
        "relative_to another frame); the frames first and second (rate of their distance); or a name and a velocity "
        "(an expression in rates)",
        "Give one of these.",
    )


def _add_equation(builder: MechanismBuilder, root: Table, table: Table) -> None:
    table.check(schema.EQUATION)
    keys = [key for key in ("position", "velocity") if key in table]
    if len(keys) != 1:
        raise table.error(
            None, "is no single equation", "either 'position' or 'velocity'", "Give one of them."
        )
    found, q, qdot = _written(root, table, keys[0], "an equation, or an expression that is zero")
    with table.located():
        if keys == ["position"]:
            builder.position_constraint(table.text("name"), found, q)
        else:
            builder.velocity_constraint(table.text("name"), found, q, qdot)


def _written(
    root: Table, table: Table, key: str, what: str
) -> tuple[sympy.Expr, tuple[sympy.Symbol, ...], tuple[sympy.Symbol, ...]]:
    """An expression with symbols for the coordinates and their rates, none where the file does not list coordinates."""
    names = root.names("coordinates")
    q = [sympy.Symbol(name, real=True) for name in names]
    qdot = [sympy.Symbol(f"rate({name})", real=True) for name in names]
    rates = dict(zip(names, qdot, strict=True))
    symbols: Mapping[str, sympy.Symbol] = AnyName(pi=sympy.pi)
    if names:
        others = (*root.document.names, "t", *(given.text("joint") for given in root.tables("prescribed")))
        frames = re.findall(r"[^\W\d]\w*(?:\.\w+)+", table.text(key))
        symbols = dict(zip(names, q, strict=True)) | {
            name: AnyName()[name] for name in (*others, *frames) if name not in names
        }

    def rate(name: str) -> sympy.Symbol:
        if key == "position" or (names and name not in {*rates, *symbols}):
            raise NotArithmetic(f"there is no rate of {name!r} here")
        return rates.get(name) or sympy.Symbol(f"rate({name})", real=True)

    named = {"rate": rate} if key == "velocity" or not names else {}
    expected = (
        f"{what}, in coordinates, rate(coordinate), coordinates of frames such as hand.x, and parameters"
    )
    found = expression(table, key, table.text(key), symbols, named, expected)
    return found, tuple(q), tuple(qdot)
