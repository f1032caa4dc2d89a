"""Compiled kernels against the programs from which they were printed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from kanegen.codegen.certificate.arrays import Array
from kanegen.codegen.graph import Program, evaluate
from kanegen.codegen.graph.evaluate import rounding_errors
from kanegen.codegen.passes.verify import arguments_of, beyond, relative_difference
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
    configurations: Array,
    spread: Callable[[str], Array],
) -> dict[str, float]:
    """Largest relative difference of each kernel at ``configurations`` (states, nq), all else random.

    ``spread`` says for a kernel how many times larger than usual rounding errors are in each of them (states,).  States
    in which the program has no value are left out: calls of a robot may refuse them.  Differences that rounding errors of
    the same steps may make are none: those of C and program together.
    """
    found = {}
    for name, program in programs.items():
        arguments = arguments_of(program, len(configurations), states_given={"q": configurations})
        growth = spread(name)
        defined = np.isfinite(growth) & _finite(evaluate(program, arguments, parameters))
        if not defined.any():
            defined[:] = True  # and the difference will be no number
        arguments, growth = {key: x[defined] for key, x in arguments.items()}, growth[defined]
        expected = evaluate(program, arguments, parameters)
        results = call(name, [arguments[argument.name] for argument in program.inputs])
        values = {x.name: np.asarray(value) for value, x in zip(results, program.outputs, strict=True)}
        states = len(growth)
        worst = {x: relative_difference(value, expected[x], states, growth) for x, value in values.items()}
        suspect = [x for x, difference in worst.items() if difference > _ROUNDINGS]
        errors = rounding_errors(program, arguments, parameters) if suspect else {}
        for x in suspect:
            kept = beyond(values[x].reshape(expected[x].shape), expected[x], 2 * errors[x])
            worst[x] = relative_difference(kept, expected[x], states, growth)
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


def _finite(outputs: Mapping[str, Array]) -> Array:
    """Whether all numbers of a state are finite, for each (states,)."""
    found = [np.isfinite(x.reshape(len(x), -1)).all(axis=1) for x in outputs.values()]
    return np.asarray(np.logical_and.reduce(found))
