"""Coordinates and speeds by their names, in place of arrays: ``{"shoulder": 0.3, "ball": (0, 0, 0, 1)}``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from kanegen.arrays import FloatArray, real_array
from kanegen.followers import cure_of_name
from kanegen.manifest import Argument, Follower, KernelSpec, Manifest

Places = Mapping[str, tuple[int, ...]]
"""By name the entries of q or v."""

_COORDINATES, _RATES, _SPEEDS = ("q", "q0", "q1"), ("qdot",), ("v", "v0", "a", "tau", "dv", "forces")
"""What arguments are called: configurations, rates of the coordinates, and what there is one of for each speed."""


def places(manifest: Manifest) -> tuple[Places, Places]:
    """Where coordinates and speeds are in q and v; a joint with a quaternion has all of its own under its name."""
    names, speeds = manifest.coordinate_names, manifest.speed_names
    in_q = {name: (i,) for i, name in enumerate(names)}
    in_v = {name: (i,) for i, name in enumerate(speeds)}
    more_q: dict[str, tuple[int, ...]] = {}
    more_v: dict[str, tuple[int, ...]] = {}
    for start in manifest.quaternions:
        joint = names[start].removesuffix("_qx")
        floats = start >= 3 and names[start - 3] == f"{joint}_x" and f"{joint}_x" not in manifest.joint_names
        more_q[joint] = tuple(range(start - 3 if floats else start, start + 4))
        first = f"{joint}_vx" if floats else f"{joint}_wx"
        if first in speeds:
            begin = speeds.index(first)
            more_v[joint] = tuple(range(begin, begin + (6 if floats else 3)))
    return in_q | more_q, in_v | more_v


def array_of(manifest: Manifest, caller: str, argument: str, given: Any) -> Any:
    """The array (..., n) for what is given by name as an argument; what is given otherwise as it is.

    What is not named has its value at home, rates, speeds and forces 0.  Raises ValueError for names that there are not, and
    what ``real_array`` raises.
    """
    if not isinstance(given, Mapping) or argument not in (*_COORDINATES, *_RATES, *_SPEEDS):
        return given
    known = places(manifest)[argument in _SPEEDS]
    rest = np.zeros(manifest.nv if argument in _SPEEDS else manifest.nq)
    if argument in _COORDINATES:
        rest[:] = manifest.home
    return _filled(f"{caller}, {argument}", known, rest, given, manifest.followers)


def with_names(manifest: Manifest, spec: KernelSpec, values: Sequence[Any]) -> tuple[Any, ...]:
    """The inputs of a kernel, arrays for those that are given by name.  Raises what ``array_of`` raises."""
    return (
        *(array_of(manifest, spec.name, a.name, x) for a, x in zip(spec.inputs, values, strict=False)),
        *values[len(spec.inputs) :],
    )


def _filled(
    where: str,
    known: Places,
    rest: FloatArray,
    given: Mapping[Any, Any],
    followers: Mapping[str, Follower],
) -> FloatArray:
    values = {}
    for name, value in given.items():
        if name not in known:
            cure = cure_of_name(name, known, followers, f"There are {', '.join(known)}.")
            raise ValueError(f"{where}: there is no {name!r}. {cure}")
        own = known[name]
        row = real_array(where, Argument(repr(name), (len(own),) if len(own) > 1 else (), "", ""), value)
        values[own] = row if len(own) > 1 else row[..., None]
    try:
        batch = np.broadcast_shapes(*(row.shape[:-1] for row in values.values()))
    except ValueError:
        raise ValueError(f"{where}: the batches of {', '.join(map(str, given))} must broadcast") from None
    found = np.array(np.broadcast_to(rest, (*batch, rest.size)))
    for own, row in values.items():
        found[..., list(own)] = row
    return found
