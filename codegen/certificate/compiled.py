"""Compiled kernels against the programs from which they were printed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from kanegen.codegen.certificate.arrays import Array
from kanegen.codegen.graph import Program, evaluate
from kanegen.codegen.graph.evaluate import rounding_errors
from kanegen.codegen.passes.verify import beyond, random_arguments, relative_difference
from kanegen.errors import CertificateError

Call = Callable[[str, Sequence[Array]], Sequence[Array]]
"""The compiled kernel of a name: outputs (states, *shape) for inputs (states, *shape), in their order."""

SHARE = 0.1
"""What is allowed between C and program, of what is allowed between the program and its plain derivation.

Both take the same steps and differ where the compiler contracts a product and a sum, and by sines and cosines: some units in
the last place, where a different derivation may differ by thousands.  Where terms cancel these are units of the terms.
"""

_ROUNDINGS = 1e-13
"""Relative differences up to this, some hundred roundings, need no explanation."""


def compiled_residuals(
    programs: Mapping[str, Program],
    parameters: Mapping[str, float],
    call: Call,
    states: int,
    configurations: Array | None = None,
) -> dict[str, float]:
    """Largest relative difference of each kernel over random states, or the ``configurations`` (states, nq) given for q.

    Differences that rounding errors of the same steps may make are none: those of C and program together.
    """
    given = {} if configurations is None else {"q": configurations}
    found = {}
    for name, program in programs.items():
        arguments = random_arguments(program, states)
        arguments |= {key: value for key, value in given.items() if key in arguments}
        expected = evaluate(program, arguments, parameters)
        results = call(name, [arguments[argument.name] for argument in program.inputs])
        values = {x.name: np.asarray(value) for value, x in zip(results, program.outputs, strict=True)}
        worst = {x: relative_difference(value, expected[x], states) for x, value in values.items()}
        suspect = [x for x, difference in worst.items() if difference > _ROUNDINGS]
        errors = rounding_errors(program, arguments, parameters) if suspect else {}
        for x in suspect:
            kept = beyond(values[x].reshape(expected[x].shape), expected[x], 2 * errors[x])
            worst[x] = relative_difference(kept, expected[x], states)
        found[name] = float(np.max(list(worst.values())))
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
