"""Numbers of records: exact (Fraction), or Expressions in the parameters of the mechanism's own graph."""

from __future__ import annotations

from fractions import Fraction

from kanegen.codegen.graph import Expression

Value = Fraction | Expression
Vector3 = tuple[Value, Value, Value]
Matrix3 = tuple[Vector3, Vector3, Vector3]

SLIP_SPEED = Fraction(1, 100)
"""[rad/s] or [m/s]: around rest Coulomb friction is smooth by so much."""
