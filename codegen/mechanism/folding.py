"""Fold parameters: the same mechanism with every value a number."""

from __future__ import annotations

from dataclasses import replace

import sympy

from kanegen.codegen.mechanism.records import Body, Frame, Inertia, Joint, Matrix3, Mechanism, Vector3
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
        )

    def frame(record: Frame) -> Frame:
        return replace(record, rotation=matrix(record.rotation), position=vector(record.position))

    numbers = {p.name: sympy.Rational(p.value.numerator, p.value.denominator) for p in mechanism.parameters}
    return replace(
        mechanism,
        bodies=tuple(Body(b.name, inertia(b.inertia)) for b in mechanism.bodies),
        joints=tuple(joint(j) for j in mechanism.joints),
        frames=tuple(frame(f) for f in mechanism.frames),
        gravity=vector(mechanism.gravity),
        parameters=(),
        laws=tuple(law.with_numbers(numbers) for law in mechanism.laws),
    )
