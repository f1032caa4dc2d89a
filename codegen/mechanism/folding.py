"""Fold parameters: the same mechanism with every value a number."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import sympy

from kanegen.codegen.mechanism.constraints import Constraint, KnifeEdge, RollingContact, SpringDamper
from kanegen.codegen.mechanism.flexible_records import FlexibleLink, Station
from kanegen.codegen.mechanism.records import Body, Frame, Inertia, Joint, Matrix3, Mechanism, Value, Vector3
from kanegen.codegen.mechanism.speeds import DirectedSpeed, GeneralizedSpeed
from kanegen.codegen.mechanism.values import numeric


def with_numbers(mechanism: Mechanism) -> Mechanism:
    """The mechanism with its parameters replaced by their values."""

    def vector(v: Vector3) -> Vector3:
        return numeric(v[0], mechanism), numeric(v[1], mechanism), numeric(v[2], mechanism)

    def matrix(m: Matrix3) -> Matrix3:
        return vector(m[0]), vector(m[1]), vector(m[2])

    def inertia(record: Inertia | None) -> Inertia | None:
        if record is None:
            return None
        return Inertia(numeric(record.mass, mechanism), vector(record.center), matrix(record.tensor))

    def joint(record: Joint) -> Joint:
        return replace(
            record,
            rotation=matrix(record.rotation),
            position=vector(record.position),
            axis=vector(record.axis),
            rotor_inertia=number(record.rotor_inertia),
            damping=number(record.damping),
            friction=number(record.friction),
        )

    def frame(record: Frame) -> Frame:
        return replace(record, rotation=matrix(record.rotation), position=vector(record.position))

    def number(value: Value) -> Value:
        return numeric(value, mechanism)

    def spring(record: SpringDamper) -> SpringDamper:
        return replace(
            record,
            stiffness=number(record.stiffness),
            damping=number(record.damping),
            rest=number(record.rest),
        )

    def constraint(record: Constraint) -> Constraint:
        if isinstance(record, RollingContact):
            return replace(record, radius=number(record.radius))
        if isinstance(record, KnifeEdge):
            return record
        known = {s: numbers[s.name] for s in record.expression.free_symbols if s.name in numbers}
        return replace(record, expression=record.expression.xreplace(known))

    def speed(record: GeneralizedSpeed) -> GeneralizedSpeed:
        if isinstance(record, DirectedSpeed):
            return replace(record, direction=vector(record.direction))
        return record

    numbers = {p.name: sympy.Rational(p.value.numerator, p.value.denominator) for p in mechanism.parameters}
    return replace(
        mechanism,
        bodies=tuple(Body(b.name, inertia(b.inertia), b.carrier) for b in mechanism.bodies),
        joints=tuple(joint(j) for j in mechanism.joints),
        frames=tuple(frame(f) for f in mechanism.frames),
        gravity=vector(mechanism.gravity),
        parameters=(),
        laws=tuple(law.with_numbers(numbers) for law in mechanism.laws),
        constraints=tuple(constraint(c) for c in mechanism.constraints),
        prescribed=tuple(replace(p, rate=number(p.rate)) for p in mechanism.prescribed),
        speeds=tuple(speed(s) for s in mechanism.speeds),
        springs=tuple(spring(s) for s in mechanism.springs),
        home=tuple(number(x) for x in mechanism.home),
        flexible=tuple(folded_link(link, number) for link in mechanism.flexible),
        mimics=tuple(
            replace(m, multiplier=number(m.multiplier), offset=number(m.offset)) for m in mechanism.mimics
        ),
    )


def folded_link(link: FlexibleLink, number: Callable[[Value], Value]) -> FlexibleLink:
    """A flexible link with every value put through a function."""

    def each(values: Any) -> Any:
        return tuple(each(x) for x in values) if isinstance(values, tuple) else number(values)

    def station(record: Station) -> Station:
        return Station(each(record.position), each(record.displacements), each(record.rotations))

    m = link.integrals
    return replace(
        link,
        integrals=replace(
            m,
            mass=number(m.mass),
            first=each(m.first),
            second=each(m.second),
            mode_first=each(m.mode_first),
            mode_mixed=each(m.mode_mixed),
            mode_products=each(m.mode_products),
        ),
        stiffness=each(link.stiffness),
        damping=each(link.damping),
        end=station(link.end),
        stations=tuple((name, station(record)) for name, record in link.stations),
    )
