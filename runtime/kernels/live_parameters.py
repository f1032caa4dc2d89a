"""Values of live parameters: one for all states, or one for each."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Self

import numpy as np

from kanegen.arrays import FloatArray, common_shape, finite_number, real_array, sum_of_squares
from kanegen.errors import KanegenError, did_you_mean
from kanegen.manifest import Argument


class StateValues(dict[str, FloatArray]):
    """Values of some live parameters for each state of a batch by name: (...), or numbers for all of them.

    ``shape`` is what they broadcast to, (...).
    """

    __slots__ = ("shape",)
    shape: tuple[int, ...]

    @classmethod
    def of(cls, values: Mapping[str, FloatArray]) -> Self:
        """Arrays that broadcast.  Raises ValueError where they do not."""
        found = cls(values)
        found.shape = common_shape(values.values())
        return found

    def of_those(self, names: Mapping[str, float]) -> Self:
        """Those that are among some names."""
        if self.keys() <= names.keys():
            return self
        return self.of({name: array for name, array in self.items() if name in names})


def varied_parameters(
    name: str, present: Mapping[str, float], given: Mapping[str, Any]
) -> tuple[StateValues, float]:
    """Values of live parameters by state, real and finite, and the sum of all their squares.

    Raises KanegenError for a parameter that is not there, TypeError for what is no mapping, TypeError and ValueError
    for values, naming the row.
    """
    _refuse_unknown(name, present, given)
    arrays, squares = {}, 0.0
    for key, value in given.items():
        if type(value) is not np.ndarray or value.dtype != np.float64:
            value = np.asarray(real_array("parameters", Argument(key, (), "", ""), value), dtype=np.float64)
        arrays[key] = array = value
        squares += (of_array := sum_of_squares(array))
        if not math.isfinite(of_array) and (wrong := ~np.isfinite(array)).any():
            where = ", ".join(map(str, np.argwhere(wrong)[0]))
            raise ValueError(
                f"parameters, {key!r} must be finite, got {float(array[wrong][0])!r}"
                + f" in row {where}" * bool(where)
            )
    try:
        return StateValues.of(arrays), squares
    except ValueError:
        shapes = ", ".join(f"{key} {array.shape}" for key, array in arrays.items())
        raise ValueError(f"parameters: expected arrays of one shape, or numbers, got {shapes}") from None


def merged_parameters(
    name: str, present: Mapping[str, float], values: Mapping[str, float]
) -> dict[str, float]:
    """The live parameters of a robot with new values for some of them.

    Raises KanegenError for a parameter that is not there, TypeError for what is no mapping, ValueError for a value that
    is no finite number.
    """
    _refuse_unknown(name, present, values)
    given = {key: finite_number(f"parameter {key!r}", value) for key, value in values.items()}
    return {**present, **given}


def refuse_no_names(values: object) -> None:
    """Raise TypeError for what are no names with values."""
    if not isinstance(values, Mapping):
        raise TypeError(
            f"parameters: expected names with values, as in {{'payload_flange_mass': 1.5}}, got {type(values).__name__}"
        )


def _refuse_unknown(name: str, present: Mapping[str, float], values: Mapping[str, Any]) -> None:
    refuse_no_names(values)
    unknown = [parameter for parameter in values if parameter not in present]
    if unknown:
        known = (
            ", ".join(present)
            or "none. Load it with live=[...] (--live on the command line), such as live=['masses'], or 'all declared' for "
            "those that it declares"
        )
        near = did_you_mean(
            str(unknown[0]), present, "Parameters that none of its kernels depends on are left out"
        )
        raise KanegenError(f"{name!r} has no live parameter {unknown[0]!r}. It has: {known}. {near}")
