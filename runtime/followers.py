"""Joints that follow others: where they stand, and how fast they move, at the values of live parameters."""

from __future__ import annotations

import math
import operator
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from kanegen.arithmetic import Arithmetic
from kanegen.arrays import FloatArray
from kanegen.errors import did_you_mean
from kanegen.manifest import Follower, JointLimits, Manifest, number_text

_RELATIONS: Mapping[str, Callable[[Any, Any], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
}
_NAMED = ("sqrt", "sin", "cos", "exp", "log", "tanh", "atan2", "asin", "acos")
_FUNCTIONS: Mapping[str, Callable[..., float]] = {
    **{name: getattr(math, name) for name in _NAMED},
    "abs": abs,
    "min": min,
    "max": max,
    "sign": lambda x: float(x > 0) - float(x < 0),
}


def cure_of_name(
    name: object, known: Iterable[str], following: Mapping[str, Follower | Coupling], otherwise: str
) -> str:
    """What to do about a name that is none of a coordinate or a speed: give the leader of a joint that follows."""
    one = following.get(str(name))
    if one is None:
        return did_you_mean(str(name), known, otherwise)
    return f"It follows {one.leader!r}: {name} = {one}. Give {one.leader!r} alone."


_ROUNDED = 3 * sys.float_info.epsilon
"""What six roundings may change: of an end, of where it is moved, and of the position there."""


class Coupling(NamedTuple):
    """A joint's coordinate is ``multiplier`` * that of ``leader`` + ``offset`` [rad, m]."""

    leader: str
    multiplier: float
    offset: float

    def __str__(self) -> str:
        return str(Follower(self.leader, number_text(self.multiplier), number_text(self.offset)))

    def range_of_leader(self, low: float, high: float) -> tuple[float, float]:
        """Where the leader may be for the joint to be from ``low`` to ``high``; anywhere if it does not move it.

        An end that rounding would put outside is moved inwards by as much.
        """
        factor, offset = self.multiplier, self.offset
        if not factor or math.isnan(factor + offset):
            return -math.inf, math.inf
        ends = []
        for end, inwards in zip(sorted((end - offset) / factor for end in (low, high)), (1, -1), strict=True):
            within = low <= factor * end + offset <= high
            ends.append(end if within else end + inwards * _ROUNDED * (abs(end) + abs(offset / factor)))
        return ends[0], ends[1]


def ends_of(limits: JointLimits) -> tuple[float, float]:
    """The ends of a joint's range, infinite where there are none."""
    return (
        -math.inf if limits.lower is None else limits.lower,
        math.inf if limits.upper is None else limits.upper,
    )


def followers(manifest: Manifest, parameters: Mapping[str, float]) -> dict[str, Coupling]:
    """The joints that follow others, by name; not a number where these parameters give none."""
    names = {"pi": math.pi, "deg": math.pi / 180, **parameters}
    return {
        joint: Coupling(one.leader, _number(one.multiplier, names), _number(one.offset, names))
        for joint, one in manifest.followers.items()
    }


def _number(text: str, names: Mapping[str, float]) -> float:
    """What arithmetic gives, not a number where it divides by zero or has no value."""
    try:
        return float(Arithmetic(float, names, _FUNCTIONS, _chosen).value(text))
    except (ArithmeticError, ValueError):
        return math.nan


def _chosen(left: Any, relation: str, right: Any, a: Any, b: Any) -> Any:
    return a if _RELATIONS[relation](left, right) else b


def with_followers(
    names: Sequence[str], values: FloatArray, following: Mapping[str, Coupling], *, rates: bool = False
) -> dict[str, FloatArray]:
    """Columns (k,) of values (k, n), by their names and by those of joints that follow them; ``rates`` are d/dt of these."""
    columns = {name: values[:, i] for i, name in enumerate(names)}
    for joint, (leader, multiplier, offset) in following.items():
        columns[joint] = multiplier * columns[leader] + (0.0 if rates else offset)
    return columns
