"""Verification: two programs for the same quantity, compared at random inputs."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kanegen.codegen.graph import Program, evaluate
from kanegen.codegen.graph.evaluate import UNIT_ROUNDOFF, rounding_errors

_ROUNDINGS = 1e-13
"""Relative differences up to this, some hundred roundings, need no explanation."""


def random_arguments(program: Program, states: int, seed: int = 0) -> dict[str, NDArray[np.float64]]:
    """Inputs between -pi and pi, the same for every program with inputs of these names and shapes."""
    return {
        argument.name: random_values(argument.name, argument.shape, states, seed)
        for argument in program.inputs
    }


def random_values(name: str, shape: tuple[int, ...], states: int, seed: int = 0) -> NDArray[np.float64]:
    """Values (states, *shape) of the input of that name in ``random_arguments``."""
    return np.random.default_rng([seed, *name.encode()]).uniform(-np.pi, np.pi, (states, *shape))


def arguments_of(
    program: Program,
    states: int,
    seed: int = 0,
    states_given: Mapping[str, NDArray[np.float64]] | None = None,
) -> dict[str, NDArray[np.float64]]:
    """Random inputs where ``states_given`` does not give them, (states, *shape) by name."""
    told = parted(program, states_given or {})
    given = {a.name: told[a.name] for a in program.inputs if a.name in told}
    return random_arguments(program, states, seed) | given


def parted(program: Program, given: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
    """Inputs (..., *shape) by name, where configurations may end with the time.

    Where q has one entry more than the program takes, the last is t, unless that is given.  What belongs to q entry by
    entry, as its rates do, is left without its last one, too.
    """
    sizes = {a.name: a.size for a in program.inputs}
    longer = [
        name for name in ("q", "qdot") if name in given and given[name].shape[-1] == sizes.get(name, 0) + 1
    ]
    if not longer:
        return dict(given)
    time = {"t": given["q"][..., -1]} if "q" in longer else {}
    return {**time, **given, **{name: given[name][..., :-1] for name in longer}}


def residual(
    program: Program,
    reference: Program,
    states: int = 100,
    parameters: Mapping[str, float] | None = None,
    seed: int = 0,
    states_given: Mapping[str, NDArray[np.float64]] | None = None,
    spread: NDArray[np.float64] | None = None,
    written: bool = False,
) -> float:
    """Largest ``relative_difference`` of the outputs.

    An output that is zero in every state but for rounding (of the terms that cancel in it) agrees with one that is zero.
    What is ``written`` in the model, as a control law is, may be a difference of nearly equal terms: it has the rounding
    errors of these terms, however few digits that leaves it, and agrees where its differences are not larger.  In states
    in which rounding errors are larger than usual, what the reference adds up from is what its rounding errors are of.
    Inputs are random where ``states_given`` does not give them, (states, *shape) by name.  ``spread``: see there.
    """
    arguments = arguments_of(program, states, seed, states_given)
    growth = np.ones(states) if spread is None else spread
    looked_at = np.isfinite(growth)
    if not looked_at.all():
        arguments, growth = {name: x[looked_at] for name, x in arguments.items()}, growth[looked_at]
    states = len(growth)
    found = evaluate(program, arguments, parameters)
    expected = evaluate(reference, arguments, parameters)
    differences = {
        o.name: relative_difference(found[o.name], expected[o.name], states, growth) for o in program.outputs
    }
    suspect = [name for name, x in differences.items() if x > _ROUNDINGS]
    errors = [rounding_errors(x, arguments, parameters) for x in (program, reference) if suspect]
    for name in suspect:
        own, other = errors[0][name], errors[1][name]
        if (np.abs(found[name]) <= own).all() and (np.abs(expected[name]) <= other).all():
            differences[name] = 0.0
            continue
        kept = beyond(found[name], expected[name], own + other) if written else found[name]
        terms = np.where(growth > 1.0, _largest(other, states) / UNIT_ROUNDOFF, 0.0)
        differences[name] = relative_difference(kept, expected[name], states, growth, terms)
    # NaN anywhere must come through, which Python's max does not promise
    return float(np.max(list(differences.values())))


def _largest(x: NDArray[np.float64], states: int) -> NDArray[np.float64]:
    """The largest entries (states,); nothing where these are not finite."""
    found: NDArray[np.float64] = np.abs(x.reshape(states, -1)).max(axis=1)
    return np.where(np.isfinite(found), found, 0.0)


def beyond(
    found: NDArray[np.float64], expected: NDArray[np.float64], errors: NDArray[np.float64]
) -> NDArray[np.float64]:
    """What is found, but as expected wherever it is not farther from that than rounding errors may be."""
    return np.where(np.abs(found - expected) <= errors, expected, found)


def relative_difference(
    found: NDArray[np.float64],
    expected: NDArray[np.float64],
    states: int,
    spread: NDArray[np.float64] | None = None,
    terms: NDArray[np.float64] | float = 0.0,
) -> float:
    """Error of the largest component over the largest component, of the state or of a middling one; the worst of all states.

    The largest component of a single state may be near zero by chance, above all where there is only one; rounding errors
    are not smaller there.  States where ``expected`` is not finite say nothing and are left out: a control law need not be
    defined everywhere, as a square root of a coordinate is not.  NaN where no state is left, and where ``found`` alone is
    not finite.  ``spread`` (states,) says how many times larger than usual rounding errors are in a state; where it is
    infinite they are larger than what there is to compare.  ``terms`` (states,) are what results add up from, in which these
    larger errors are counted already: beside a dead centre, large terms may cancel in what stays small.
    """
    found, expected = found.reshape(states, -1), expected.reshape(states, -1)
    defined = np.isfinite(expected).all(axis=1)
    if spread is not None:
        defined &= np.isfinite(spread)
    if not defined.any():
        return math.nan
    error = np.abs(found[defined] - expected[defined]).max(axis=1)
    scale = np.abs(expected[defined]).max(axis=1)
    scale = np.maximum(scale, np.median(scale))
    scale[scale == 0] = 1.0
    scale = np.maximum(
        scale if spread is None else scale * spread[defined], np.broadcast_to(terms, defined.shape)[defined]
    )
    return float((error / scale).max())
