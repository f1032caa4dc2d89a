"""The outputs of the kernels of derivatives, and their names."""

from __future__ import annotations

from collections.abc import Sequence

from kanegen.codegen.graph import Argument, Program
from kanegen.codegen.mechanism.records import Parameter

INVERSE = "inverse_dynamics_derivatives"
FORWARD = "forward_dynamics_derivatives"
INVERSE_BY_PARAMETERS = "inverse_dynamics_parameter_derivatives"
FORWARD_BY_PARAMETERS = "forward_dynamics_parameter_derivatives"

INVERSE_SOURCE = "composite inertias and moments of velocity (after Carpentier & Mansard 2018)"

MEANINGS = {
    "dq": "the coordinates, along unit speeds",
    "dv": "the speeds",
    "da": "their derivatives a (the mass matrix)",
    "dtau": "the generalized forces (the inverse of the mass matrix)",
}
"""By what the outputs of these names are derivatives."""

NUMERATORS = {"tau": ("generalized forces", "N m, N"), "a": ("derivatives a of the speeds", "rad/s^2, m/s^2")}
"""Of what they are derivatives."""

_DENOMINATORS = {"dq": "rad, m", "dv": "rad/s, m/s", "da": "rad/s^2, m/s^2", "dtau": "N m, N"}


def square(name: str, of: str, n: int) -> Argument:
    """The output ``name`` ("dq", "dv", "da", "dtau") of derivatives of ``of`` ("tau", "a")."""
    meaning, unit = NUMERATORS[of]
    text = f"derivatives of the {meaning} (rows, one for each speed) by {MEANINGS[name]} (columns)"
    return Argument(name, (n, n), f"({unit}) / ({_DENOMINATORS[name]})", text)


def by_parameters(of: str, n: int, parameters: Sequence[Parameter]) -> Argument:
    """The output "dp": derivatives by live parameters."""
    meaning, unit = NUMERATORS[of]
    names = ", ".join(parameter.name for parameter in parameters)
    text = f"derivatives of the {meaning} (rows, one for each speed) by the parameters {names} (columns)"
    return Argument("dp", (n, len(parameters)), f"({unit}) / (unit of the parameter)", text)


def output(program: Program, name: str) -> tuple[int, ...]:
    """References of the entries of a program's output of that name.  Raises KeyError."""
    for argument, refs in zip(program.outputs, program.results, strict=True):
        if argument.name == name:
            return refs
    raise KeyError(name)
