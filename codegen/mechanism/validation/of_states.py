"""Values of parameters for many states at once: the checks of a mechanism, over arrays.

Masses, moments of inertia, losses, stiffness, places and gains, which are what differs from state to state, are looked at
for all states together.  Where one of them may be wrong, and where a parameter stands in anything else, the mechanism is
checked as a whole with the values of that state, which says what is wrong.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kanegen.codegen.graph import Argument, Expression, Kind, Program
from kanegen.codegen.graph.evaluate import DOUBLE, evaluate_entries
from kanegen.codegen.graph.late import sympy
from kanegen.codegen.mechanism.constraints import TorsionalSpringDamper
from kanegen.codegen.mechanism.records import Body, Frame, Joint, Mechanism, Value
from kanegen.codegen.mechanism.validation import with_parameter_values
from kanegen.codegen.mechanism.validation.inertias import POINT, TOLERANCE
from kanegen.codegen.mechanism.validation.laws import values_at_home
from kanegen.errors import ModelError
from kanegen.limits import LARGEST_NUMBER

Values = Mapping[str, float | NDArray[Any]]
Doubt = Callable[[Values], Any]
"""For which states something may be wrong: a truth value, or one for each of them."""
Glance = Callable[..., bool]
"""Whether masses are above 0 and tensors definite for all states, as seen at a glance: mass, Ixx, Iyy, Izz, Ixy, Ixz, Iyz,
numbers or arrays of one shape.
"""

_LESS = 0.999
"""Of the tolerance of inertias: what rounding could move across its bound is looked at exactly."""


class ParameterCheck:
    """Checks values of the parameters of a mechanism: of one set, or of many states."""

    def __init__(self, mechanism: Mechanism, all_seen_possible: Glance = lambda *_: False) -> None:
        """``all_seen_possible``: a faster look at inertias than this file's."""
        self._mechanism = mechanism
        self._all_seen_possible = all_seen_possible
        self._doubts: dict[frozenset[str], list[Doubt] | None] = {}

    def __call__(
        self,
        values: Mapping[str, float],
        own: Mapping[str, NDArray[Any]] | None = None,
        squares: float = math.inf,
    ) -> None:
        """Raise ModelError for values that the mechanism cannot have.

        ``own``: those of states, arrays that broadcast; ``squares``: not less than the sum of all their squares.
        """
        single = {name: float(array) for name, array in (own or {}).items() if not array.ndim}
        arrays = {name: array for name, array in (own or {}).items() if array.ndim}
        values = {**values, **single}
        if not arrays:
            with_parameter_values(self._mechanism, values)
            return
        shapes = {array.shape for array in arrays.values()}
        shape = shapes.pop() if len(shapes) == 1 else np.broadcast_shapes(*shapes)
        for row in self._doubtful(values, arrays, shape, squares):
            place = np.unravel_index(row, shape)
            of_row = {name: float(np.broadcast_to(array, shape)[place]) for name, array in arrays.items()}
            try:
                with_parameter_values(self._mechanism, {**values, **of_row})
            except ModelError as error:
                where = f"row {', '.join(map(str, place))}, {error.where}"
                raise ModelError(where, error.what, error.expected, error.cure) from None

    def _doubtful(
        self,
        values: Mapping[str, float],
        arrays: Mapping[str, NDArray[Any]],
        shape: tuple[int, ...],
        squares: float,
    ) -> NDArray[np.intp]:
        """The places of the states to look at; of those with the same values the first alone."""
        names = frozenset(arrays)
        if names not in self._doubts:
            found = [*_doubts(self._mechanism, names, self._all_seen_possible)]
            self._doubts[names] = None if None in found else [doubt for doubt in found if doubt is not None]
        doubts = self._doubts[names]
        doubtful = np.full(shape, doubts is None)
        if not squares <= LARGEST_NUMBER.value:
            for array in arrays.values():
                doubtful |= np.abs(array) > LARGEST_NUMBER.value
        with np.errstate(all="ignore"):
            for doubt in doubts or []:
                if (found := doubt({**values, **arrays})) is not False:
                    doubtful |= found
        found_rows: NDArray[np.intp] = doubtful.ravel().nonzero()[0]
        if found_rows.size:
            rows = np.stack([np.broadcast_to(array, shape).ravel()[found_rows] for array in arrays.values()])
            _, first = np.unique(rows, axis=1, return_index=True)
            found_rows = found_rows[first]
        return found_rows


def _doubts(mechanism: Mechanism, names: frozenset[str], glance: Glance) -> Iterator[Doubt | None]:
    """What may be wrong with values of these parameters; None where only a whole check can tell."""
    if mechanism.unphysical and any(_has(body, names) for body in mechanism.bodies):
        yield None
    places = [x.position for x in mechanism.joints] + [x.position for x in mechanism.frames]
    fitted = (mechanism.loops, mechanism.constraints, mechanism.prescribed, mechanism.flexible)
    if _has(places, names) and (
        any(fitted) or not all(isinstance(s, TorsionalSpringDamper) for s in mechanism.springs)
    ):
        yield None
    for field in fields(mechanism):
        record = getattr(mechanism, field.name)
        if field.name not in ("parameters", "gravity", "rounded") and _has(record, names):
            for part in record:
                yield from _doubts_of(part, mechanism, names, glance) if _has(part, names) else ()
    for value in _values((mechanism.gravity, mechanism.bodies, mechanism.joints, mechanism.frames)):
        if isinstance(value, Expression) and _has(value, names) and not _is_parameter(value):
            yield _not_finite(value)


def _doubts_of(
    part: Any, mechanism: Mechanism, names: frozenset[str], glance: Glance
) -> Iterator[Doubt | None]:
    if isinstance(part, Body) and part.inertia is not None:
        yield _inertia(part, names, glance)
    elif isinstance(part, Joint) and not _has((part.rotation, part.axis), names):
        yield from (_negative(x) for x in (part.rotor_inertia, part.damping, part.friction) if _has(x, names))
    elif isinstance(part, TorsionalSpringDamper):
        yield from (_negative(x) for x in (part.stiffness, part.damping) if _has(x, names))
    elif part in mechanism.laws:
        yield lambda values: ~np.isfinite(values_at_home(part, mechanism, values)).all(axis=-1).any(axis=0)
    elif not isinstance(part, Frame) or _has(part.rotation, names):
        yield None


def _not_finite(value: Value) -> Doubt:
    of = _number(value)
    return lambda values: ~np.isfinite(of(values))


def _negative(value: Value) -> Doubt:
    of = _number(value)
    return lambda values: ~(of(values) >= 0)


def _inertia(body: Body, names: frozenset[str], glance: Glance) -> Doubt:
    """Whether a mass is not above 0, or moments are close to what no body has."""
    assert body.inertia is not None  # asked before
    mass, entries = _number(body.inertia.mass), [_number(x) for row in body.inertia.tensor for x in row]
    if not _has(body.inertia.tensor, names):
        moments_of = functools.lru_cache(maxsize=1)(_moments)

        def with_masses(values: Values) -> Any:
            masses = mass(values)
            moments, possible = moments_of(*(float(entry(values)) for entry in entries))
            light = ~(masses > 0)
            return light if possible else light | ~_possible(masses, moments)

        return with_masses

    def doubt(values: Values) -> Any:
        masses = mass(values)
        tensor = [entries[place](values) for place in (0, 4, 8, 1, 2, 5)]
        if glance(masses, *tensor):
            return False
        definite = _definite(*tensor)
        if not definite.all():
            definite, of, *rows = np.broadcast_arrays(definite, masses, *(entry(values) for entry in entries))
            doubtful = ~definite
            tensors = np.stack([row[doubtful] for row in rows], axis=-1).reshape(-1, 3, 3)
            doubtful[doubtful] = ~_possible(of[doubtful], np.linalg.eigvalsh(tensors))
            definite = ~doubtful
        return ~(definite & (masses > 0))

    return doubt


def _moments(*entries: float) -> tuple[NDArray[Any], bool]:
    """Principal moments of a tensor, and whether a body can have them whatever its mass."""
    moments = np.linalg.eigvalsh(np.array(entries).reshape(3, 3))
    return moments, bool(_possible(np.float64(0), moments))


def _definite(xx: Any, yy: Any, zz: Any, xy: Any, xz: Any, yz: Any) -> Any:
    """For which tensors tr(I)/2 - I is positive definite: there moments are positive, and the triangle inequality holds.

    By the signs of what elimination without division leaves.  Those that are computed are the signs for a matrix that
    differs by a few roundings of the largest entry, so that a moment that is wrong is so by less than its tolerance.
    """
    half = (xx + yy + zz) * 0.5
    first = half - xx
    second = first * (half - yy) - xy * xy
    third = first * (half - zz) - xz * xz
    corner = first * yz + xy * xz
    return (np.minimum(first, second) > 0) & (second * third > corner * corner)  # nor NaN


def _possible(mass: Any, moments: NDArray[Any]) -> Any:
    """Whether a body of this mass can have these principal moments (..., 3), ascending, with room for rounding."""
    low, middle, high = np.moveaxis(moments, -1, 0)
    slack = _LESS * np.maximum(TOLERANCE * np.maximum(np.abs(low), np.abs(high)), mass * POINT**2)
    return (low >= -slack) & (low + middle >= high - slack)


def _is_parameter(value: Expression) -> bool:
    return [value.graph.kinds[i] for i in value.graph.reachable([value.ref])] == [Kind.PARAMETER]


def _number(value: Value) -> Callable[[Values], Any]:
    """What gives a value for values of the parameters."""
    if isinstance(value, Fraction):
        number = np.float64(value)
        return lambda values: number
    roots = Program("value", "", "", (), (Argument("value", (), "", ""),), value.graph, ((value.ref,),))
    if _is_parameter(value):
        (index,) = value.graph.reachable([value.ref])
        name = value.graph.payloads[index][0]
        sign = np.float64(evaluate_entries(roots, {}, DOUBLE, {name: 1.0})[0][0])
        if sign == 1:
            return lambda values: np.asarray(values[name])
        return lambda values: sign * values[name]
    return lambda values: np.asarray(evaluate_entries(roots, {}, DOUBLE, values)[0][0], dtype=np.float64)


def _values(part: Any) -> Iterator[Any]:
    """What stands in records, at any depth."""
    if is_dataclass(part):
        part = [getattr(part, field.name) for field in fields(part)]
    if isinstance(part, Mapping):
        part = [*part.values()]
    if isinstance(part, Sequence) and not isinstance(part, str):
        for entry in part:
            yield from _values(entry)
    else:
        yield part


def _has(part: Any, names: frozenset[str]) -> bool:
    """Whether one of these parameters stands in it."""
    for value in _values(part):
        if isinstance(value, Expression):
            graph = value.graph
            reached = graph.reachable([value.ref])
            if any(graph.kinds[i] is Kind.PARAMETER and graph.payloads[i][0] in names for i in reached):
                return True
        elif isinstance(value, sympy.Basic) and names & {symbol.name for symbol in value.free_symbols}:
            return True
    return False
