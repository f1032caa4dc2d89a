"""Loops, constraints, prescribed joints and generalized speeds of a TOML file."""

from __future__ import annotations

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
        _add_equation(builder, equation)
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
    speeds += [_speed(table) for table in root.tables("speed")]
    if speeds:
        builder.speeds(speeds)


def _speed(table: Table) -> GeneralizedSpeed:
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
            found = _written(table, "velocity", "a speed")
            return CombinedSpeed(VelocityConstraint(table.text("name"), (), (), found))
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


def _add_equation(builder: MechanismBuilder, table: Table) -> None:
    table.check(schema.EQUATION)
    keys = [key for key in ("position", "velocity") if key in table]
    if len(keys) != 1:
        raise table.error(
            None, "is no single equation", "either 'position' or 'velocity'", "Give one of them."
        )
    found = _written(table, keys[0], "an equation, or an expression that is zero")
    with table.located():
        if keys == ["position"]:
            builder.position_constraint(table.text("name"), found)
        else:
            builder.velocity_constraint(table.text("name"), found)


def _written(table: Table, key: str, what: str) -> sympy.Expr:
    """An expression in symbols that are called like coordinates, their rates, coordinates of frames, and parameters."""

    def rate(name: str) -> sympy.Symbol:
        if key == "position":
            raise NotArithmetic(f"there is no rate of {name!r} here")
        return sympy.Symbol(f"rate({name})", real=True)

    expected = (
        f"{what}, in coordinates, rate(coordinate), coordinates of frames such as hand.x, and parameters"
    )
    return expression(table, key, table.text(key), AnyName(pi=sympy.pi), {"rate": rate}, expected)
