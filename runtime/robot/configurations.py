"""Configurations as points of a space in which rotations are no vectors."""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass

import numpy as np

from kanegen import quaternions
from kanegen.arrays import FloatArray, Values
from kanegen.errors import KanegenError
from kanegen.manifest import Manifest
from kanegen.robot.core import Core

WITHOUT_LIMITS = math.pi
"""Coordinates without limits [rad, m] are drawn from minus to plus this."""

AROUND = 1.0
"""Positions [m] of floating joints are drawn from minus to plus this."""


@dataclass(frozen=True, slots=True)
class Layout:
    """Where things are in q and v: pairs (place in q, place in v).

    ``plain``: one coordinate and its rate.  ``balls``: where a quaternion and its angular velocity begin.  ``floating``:
    where a position and its velocity begin, followed by those of a quaternion.
    """

    plain: tuple[tuple[int, int], ...]
    balls: tuple[tuple[int, int], ...]
    floating: tuple[tuple[int, int], ...]


def layout_of(manifest: Manifest) -> Layout:
    """The layout of a tree whose speeds are those of its joints.  Raises KanegenError for other numbers of speeds."""
    if manifest.constraints is not None or manifest.nq - manifest.nv != len(manifest.quaternions):
        raise _not_joints_alone(manifest)
    plain: list[tuple[int, int]] = []
    balls: list[tuple[int, int]] = []
    floating: list[tuple[int, int]] = []
    i = j = 0
    while i < manifest.nq:
        if i in manifest.quaternions:
            balls.append((i, j))
            i, j = i + 4, j + 3
        elif i + 3 in manifest.quaternions and _is_position(manifest, i, j):
            floating.append((i, j))
            i, j = i + 7, j + 6
        else:
            plain.append((i, j))
            i, j = i + 1, j + 1
    return Layout(tuple(plain), tuple(balls), tuple(floating))


def _not_joints_alone(manifest: Manifest) -> KanegenError:
    return KanegenError(
        f"{manifest.name!r} has constraints, or speeds that are not those of its joints: the way from one configuration to "
        "another does not follow from its joints alone. kanegen.simulate follows it"
    )


def _is_position(manifest: Manifest, i: int, j: int) -> bool:
    """Whether the three coordinates before a quaternion are the position of the same, floating joint."""
    joint = manifest.coordinate_names[i + 3].removesuffix("_qx")
    return manifest.coordinate_names[i] == f"{joint}_x" and manifest.speed_names[j] == f"{joint}_vx"


class Configurations(Core):
    """The part of a robot that knows the space of its configurations."""

    @property
    def home(self) -> FloatArray:
        """A configuration (nq,) in which the loops can be closed: ``neutral`` unless the mechanism says otherwise."""
        return np.array(self._manifest.home)

    @property
    def neutral(self) -> FloatArray:
        """The configuration (nq,) of zeros, quaternions being (0, 0, 0, 1), which turn nothing."""
        q = np.zeros(self._manifest.nq)
        for start in self._manifest.quaternions:
            q[start : start + 4] = quaternions.IDENTITY
        return q

    @property
    def quaternions(self) -> tuple[int, ...]:
        """The places in q at which unit quaternions (x, y, z, w) begin: those of spherical and floating joints."""
        return self._manifest.quaternions

    def random_configuration(self, rng: np.random.Generator | int | None = None) -> FloatArray:
        """A configuration (nq,), each coordinate drawn evenly from its limits [rad, m], all rotations equally likely.

        Its limits are ``coordinate_limits``, in which those of joints that follow it are as well.

        Deflections of flexible links are small: each mode turns the end of its link by up to a fifth of a radian.

        ``rng`` is a NumPy generator, or the seed of one.  A coordinate without limits is drawn from -pi to pi, with one
        limit from the 2 pi beside it; the position of a floating joint from -1 m to 1 m along each axis.  Constraints are
        not heeded: ``assemble`` closes loops.
        """
        generator = np.random.default_rng(rng)
        low, high = (ends.tolist() for ends in self.coordinate_limits)
        names = self._manifest.coordinate_names
        starts = self._manifest.quaternions
        positions = {i for places in self.coordinate_places.values() if len(places) == 7 for i in places[:3]}
        inside = {start + k for start in starts for k in range(4)}
        q = np.zeros(self._manifest.nq)
        for i, name in enumerate(names):
            if i in starts:
                q[i : i + 4] = quaternions.uniform(generator)
            elif i not in inside:
                around = AROUND if i in positions else self._manifest.modes.get(name, WITHOUT_LIMITS)
                q[i] = generator.uniform(*_range(low[i], high[i], around))
        return q

    def integrate(self, q: Values, dv: Values) -> FloatArray:
        """The configuration (..., nq) that is reached from q in unit time at the constant speeds ``dv`` (..., nv).

        Exact: where joints have one degree of freedom it is q + dv, rotations go around an axis that is fixed in the
        child, and floating bodies move along a screw.  Raises KanegenError for constrained mechanisms.
        """
        layout = self._layout
        start, speeds = self._pair(("q", q, self._manifest.nq), ("dv", dv, self._manifest.nv))
        end = quaternions.normalised(start, self._manifest.quaternions)
        for i, j in layout.plain:
            end[..., i] = start[..., i] + speeds[..., j]
        for i, j in layout.balls:
            turn = quaternions.exponential(speeds[..., j : j + 3])
            end[..., i : i + 4] = quaternions.product(end[..., i : i + 4], turn)
        for i, j in layout.floating:
            turn = speeds[..., j + 3 : j + 6]
            before = end[..., i + 3 : i + 7].copy()
            way = quaternions.travelled(turn, speeds[..., j : j + 3])
            end[..., i : i + 3] = start[..., i : i + 3] + quaternions.rotated(before, way)
            end[..., i + 3 : i + 7] = quaternions.product(before, quaternions.exponential(turn))
        return quaternions.normalised(end, self._manifest.quaternions)

    def difference(self, q0: Values, q1: Values) -> FloatArray:
        """The constant speeds (..., nv) that lead from q0 to q1 in unit time: the inverse of ``integrate``.

        Of all rotations that lead there it is the shortest.  Raises KanegenError for constrained mechanisms.
        """
        layout = self._layout
        nq = self._manifest.nq
        start, end = (
            quaternions.normalised(q, self._manifest.quaternions)
            for q in self._pair(("q0", q0, nq), ("q1", q1, nq))
        )
        speeds = np.empty((*start.shape[:-1], self._manifest.nv))
        for i, j in layout.plain:
            speeds[..., j] = end[..., i] - start[..., i]
        for i, j in layout.balls:
            back = quaternions.inverse(start[..., i : i + 4])
            speeds[..., j : j + 3] = quaternions.logarithm(quaternions.product(back, end[..., i : i + 4]))
        for i, j in layout.floating:
            back = quaternions.inverse(start[..., i + 3 : i + 7])
            turn = quaternions.logarithm(quaternions.product(back, end[..., i + 3 : i + 7]))
            way = quaternions.rotated(back, end[..., i : i + 3] - start[..., i : i + 3])
            speeds[..., j : j + 3] = quaternions.velocity_for(turn, way)
            speeds[..., j + 3 : j + 6] = turn
        return speeds

    @functools.cached_property
    def _layout(self) -> Layout:
        """The layout, held against coordinate_rates: dq/dt at some state must be what the joints say."""
        layout = layout_of(self._manifest)
        if "coordinate_rates" not in self._kernels:
            if self._manifest.speeds_chosen:
                raise _not_joints_alone(self._manifest)
            return layout
        generator = np.random.default_rng(0)
        q, v = self.random_configuration(generator), generator.uniform(-1.0, 1.0, self._manifest.nv)
        if not np.allclose(self._kernels["coordinate_rates"].call(q, v, None, 1), _rates(layout, q, v)):
            raise _not_joints_alone(self._manifest)
        return layout

    def _pair(self, *given: tuple[str, Values, int]) -> tuple[FloatArray, FloatArray]:
        """Two arguments (name, value, length) as arrays of the same batch.  Raises TypeError, ValueError."""
        first, second = (
            self._array(self._manifest.name, name, length, value) for name, value, length in given
        )
        try:
            batch = np.broadcast_shapes(first.shape[:-1], second.shape[:-1])
        except ValueError:
            arrays = zip(given, (first, second), strict=True)
            shapes = ", ".join(f"{name} {array.shape}" for (name, *_), array in arrays)
            raise ValueError(
                f"{self._manifest.name}: leading dimensions must broadcast, got {shapes}"
            ) from None
        return (
            np.broadcast_to(first, (*batch, first.shape[-1])),
            np.broadcast_to(second, (*batch, second.shape[-1])),
        )


def _range(low: float, high: float, around: float) -> tuple[float, float]:
    """From where to where to draw a coordinate."""
    if math.isinf(low) and math.isinf(high):
        return -around, around
    if math.isinf(low):
        return high - 2.0 * around, high
    return low, low + 2.0 * around if math.isinf(high) else high


def _rates(layout: Layout, q: FloatArray, v: FloatArray) -> FloatArray:
    """dq/dt (nq,) of joints at the configuration q (nq,) and the speeds v (nv,)."""
    rates = np.zeros_like(q)
    for i, j in layout.plain:
        rates[i] = v[j]
    for i, j in layout.floating:
        rates[i : i + 3] = quaternions.rotated(q[i + 3 : i + 7], v[j : j + 3])
    turning = (*layout.balls, *((i + 3, j + 3) for i, j in layout.floating))
    for i, j in turning:
        rates[i : i + 4] = quaternions.product(q[i : i + 4], np.append(0.5 * v[j : j + 3], 0.0))
    return rates
