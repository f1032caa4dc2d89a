"""Small machines that several cases share."""

from __future__ import annotations

import sympy

from kanegen.codegen.mechanism import Mechanism, MechanismBuilder


def pendulum(name: str = "pendulum", law: sympy.Expr | None = None, **parameters: float) -> Mechanism:
    """A bob of 2 kg at 0.5 m below a hinge about y; with a control law ``law`` in q and v where one is given."""
    builder = MechanismBuilder(name)
    builder.body("bob", mass=2, center=(0, 0, "-0.5"))
    builder.revolute("hinge", "base", "bob", axis=(0, 1, 0))
    for parameter, value in parameters.items():
        builder.parameter(parameter, value, "1")
    if law is not None:
        q, v = sympy.symbols("q v")
        builder.law("law", [law], time=sympy.Symbol("t"), q=[q], v=[v])
    return builder.build()
