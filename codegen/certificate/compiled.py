"""Compiled kernels against the programs from which they were printed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from kanegen.codegen.certificate.arrays import Array
from kanegen.codegen.graph import Program, evaluate
from kanegen.codegen.passes.verify import random_arguments, relative_difference
from kanegen.errors import CertificateError

Call = Callable[[str, Sequence[Array]], Sequence[Array]]
"""The compiled kernel of a name: outputs (states, *shape) for inputs (states, *shape), in their order."""

SHARE = 0.1
"""What is allowed between C and program, of what is allowed between the program and its plain derivation.

Both take the same steps and differ where the compiler contracts a product and a sum, and by sines and cosines: some units in
the last place, where a different derivation may differ by thousands.
"""


def compiled_residuals(
    programs: Mapping[str, Program],
    parameters: Mapping[str, float],
    call: Call,
    states: int,
    configurations: Array | None = None,
) -> dict[str, float]:
    """Largest relative difference of each kernel over random states, or the ``configurations`` (states, nq) given for q."""
    given = {} if configurations is None else {"q": configurations}
    found = {}
    for name, program in programs.items():
        arguments = random_arguments(program, states)
        arguments |= {key: value for key, value in given.items() if key in arguments}
        expected = evaluate(program, arguments, parameters)
        results = call(name, [arguments[argument.name] for argument in program.inputs])
        worst = [
            relative_difference(np.asarray(value), expected[argument.name], states)
            for value, argument in zip(results, program.outputs, strict=True)
        ]
        found[name] = float(np.max(worst))
    return found


def require_compiled(
    residuals: Mapping[str, float], bounds: Mapping[str, float], fault: Callable[[str], str | None]
) -> None:
    """Raise CertificateError where compiled kernels are farther from their programs than ``SHARE`` of their ``bounds``.

    ``fault`` says what in the model is to blame for a kernel, None where it is not the model.
    """
    for name, residual in residuals.items():
        if not residual <= SHARE * bounds[name]:
            raise CertificateError(
                f"{name}: the compiled kernel differs from its program by {residual:.1e} of the largest component; "
                f"expected at most {SHARE * bounds[name]:.0e}. "
                + (fault(name) or "The compiler or its flags are at fault, or kanegen")
            )
