"""A mechanism with other numbers for its parameters."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from kanegen.codegen.graph.exact import from_number
from kanegen.codegen.mechanism.records import Mechanism
from kanegen.codegen.mechanism.validation import validated
from kanegen.errors import ModelError

_LISTED = 4
"""So many of the new values are named in an error."""


def with_parameter_values(mechanism: Mechanism, values: Mapping[str, float]) -> Mechanism:
    """The mechanism with these finite numbers for some of its parameters, checked as a model file with them would be.

    Raises ModelError: for masses and inertias that no body has (where the mechanism does not allow them), for rotations
    that are none, springs that push, and the like.
    """
    changed = {p.name for p in mechanism.parameters if values.get(p.name, float(p.value)) != float(p.value)}
    parameters = tuple(
        replace(p, value=from_number(values[p.name])) if p.name in changed else p
        for p in mechanism.parameters
    )
    try:
        return validated(replace(mechanism, parameters=parameters))
    except ModelError as error:
        listed = [f"{p.name} = {values[p.name]!r}" for p in parameters if p.name in changed]
        more = ", ..." * (len(listed) > _LISTED)
        where = f"with {', '.join(listed[:_LISTED])}{more}: {error.where}"
        cure = f"{error.cure} with_parameters(..., allow_unphysical=True) checks nothing."
        raise ModelError(where, error.what, error.expected, cure) from None
