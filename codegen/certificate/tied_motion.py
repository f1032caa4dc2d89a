"""How coordinates move that constraints or chosen speeds tie together, and where the speeds do not determine how.

All of it is read from kernels in numbers: dq/dt = N v from coordinate_rates, equations of position from constraint_residual,
those of velocity and the speeds from constraint_jacobian and generalized_speeds.  How far a dead centre is, their rows say
together, and dead_centre_margin for each block of them that is solved.  Speeds of one's own on a tree have no rows: there it
is the size of N, usually over here, squared.

Batches of configurations are q (k, nq), and end with the time where the mechanism depends on it.  Steps, gaps and rows are
in the mechanism's own unit of length (mechanism/sizes.py).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from kanegen.codegen.certificate.arrays import Array
from kanegen.codegen.certificate.evaluation import slope, stepped, values
from kanegen.codegen.graph import Program
from kanegen.codegen.graph.evaluate import rounding_errors
from kanegen.codegen.mechanism.records import Mechanism
from kanegen.codegen.mechanism.sizes import unit_for, unit_of_length, units_of
from kanegen.codegen.passes.verify import parted

_CLOSING = 15
_RETURNING = 3
"""Steps of Newton's method towards closed loops, from anywhere and from beside them."""

_CLOSED = 1e-11
"""Equations of position hold within this."""

_LONGEST = 0.5
"""No step is longer [rad, units of length]: near dead centres they lead astray."""

_APPROACHES = 15
"""Steps of Newton's method towards a dead centre, which doubles the digits at the end."""

_THERE = 1e-14
"""A margin at a dead centre, found in doubles: a sine of 1e-7."""

_VANISHES = 1e-9
"""What no coordinate changes by more, in units of length or cosines, only rounding changes."""

_STILL = 1e-13
_FOUND = 1e-11
"""A margin from which no step is taken any more, for it may be rounding, and one that is taken for a dead centre's."""

_OF_EACH = 2
_MOST = 4
"""Dead centres that are looked at, for each margin and together."""

_WAYS = 10 ** -np.linspace(0.5, 7.5, 29)
"""Parts of the way from a dead centre that are looked at."""

_GROWN = 1e4
"""Growth of rounding errors beside dead centres: so much that formulas are tried, so little that digits are left."""

_LOST = 1e-6
"""Rounding errors of coefficients at a dead centre, over the largest, from which on equations are singular themselves."""

_APART = 1e-3
"""Those closer to one another are the same."""


class TiedMotion:
    """The motion of a mechanism; ``usual`` (k, nq) are as good as any configurations, ``units`` are those of coordinates."""

    def __init__(
        self,
        mechanism: Mechanism,
        programs: Mapping[str, Program],
        parameters: Mapping[str, float],
        usual: Array,
        independent: Sequence[int] = (),
    ) -> None:
        """``programs`` has coordinate_rates, and the others that the module tells of where they are.

        ``independent`` are the equations of velocity that do not follow from others.
        """
        self._programs, self._parameters, self.usual = programs, parameters, usual
        rates = programs["coordinate_rates"]
        self._nq = len(mechanism.coordinates)
        self._nv = sum(argument.size for argument in rates.inputs if argument.name == "v")
        rows = {"constraint_jacobian"} if self._nv == 0 else {"constraint_jacobian", "generalized_speeds"}
        self._tells_rows = rows <= programs.keys()
        self._quaternions = mechanism.quaternions
        self._independent, self._size = list(independent), 1.0
        self._unit = unit_of_length(mechanism)
        units = units_of(mechanism, mechanism.coordinates, self._unit)
        self.units = np.array([*units, *[1.0] * (usual.shape[1] - self._nq)])
        self._heights = self._heights_of_equations()
        if self._tells_rows:
            self._lengths = _middling(np.linalg.norm(self._rows(usual), axis=-1))[:, None]
        self._size = float(1 / _middling(self._of_rows(usual)))
        self._usual = 1 / _middling(self._sines(usual))

    def closed(self, q: Array, steps: int = _CLOSING) -> tuple[Array, Array]:
        """Configurations on the equations of position near the given ones, and whether they are (k,)."""
        q, residual, jacobian = self._with_unit_quaternions(q), "constraint_residual", "constraint_jacobian"
        if not self._has(residual, jacobian):
            return q, np.asarray(np.isfinite(q).all(axis=1))
        for _ in range(steps):
            phi, A = self._at(residual, q) / self._heights, self._at(jacobian, q)
            if not (abs(phi) > _CLOSED / 100).any():
                break
            A = _finite(A[:, : phi.shape[1]] / self._heights[:, None] * self.units[: self._nq])
            step = np.zeros(q.shape)
            step[:, : self._nq] = (np.linalg.pinv(A, rcond=1e-9) @ _finite(phi)[..., None])[..., 0]
            q = self._with_unit_quaternions(q - _shortened(step) * self.units)
        phi = self._at(residual, q) / self._heights
        return q, np.asarray((abs(phi) <= _CLOSED).all(axis=1) & np.isfinite(q).all(axis=1))

    def _heights_of_equations(self) -> Array:
        """One for each equation of position: the unit of length, or what it usually changes by."""
        if self._unit == 1.0 or not self._has("constraint_residual", "constraint_jacobian"):
            return np.ones(1)
        count = self._at("constraint_residual", self.usual).shape[-1]
        A = abs(self._at("constraint_jacobian", self.usual)[:, :count] * self.units[: self._nq])
        changes = np.median(_finite(A).max(axis=2, initial=0.0), axis=0)
        digits = changes > _VANISHES * min(1.0, self._unit)
        return np.array(
            [unit_for(x) if some else max(1.0, self._unit) for x, some in zip(changes, digits, strict=True)]
        )

    def directions(self, q: Array) -> Array:
        """Directions (k, nq, nv) in which coordinates may move, in units of which they are orthonormal."""
        N = self._columns(q) / self.units[:, None]
        return np.asarray(self.units[:, None] * np.linalg.svd(_finite(N), full_matrices=False)[0])

    def margins(self, q: Array) -> Array:
        """Squares of sines (k, m) that vanish at dead centres, real or complex: of all rows together, then of blocks."""
        found = [self._of_rows(q)[..., None]]
        if "dead_centre_margin" in self._programs:
            found.append(self._at("dead_centre_margin", q))
        joined = np.concatenate(found, axis=-1)
        return np.where(np.isfinite(joined), joined, 0.0)  # they may end as 0 / 0

    def growth(self, q: Array) -> Array:
        """How many times larger than usual rounding errors of what follows from the speeds are (k,), infinitely at centres.

        Each block of equations that is solved multiplies relative errors by one over its sine.
        """
        with np.errstate(all="ignore"):
            found = (1 / self._sines(q) / self._usual).max(axis=1)
        regular = np.isfinite(found) & (self.margins(q) > _THERE).all(axis=1)
        if self._tells_rows:
            # equations may be singular themselves, as those of a wheel that lies flat are
            longest = (np.linalg.norm(_finite(self._rows(q)), axis=-1) / self._lengths[:, 0]).max(axis=1)
            found = np.maximum(found, longest)
            regular &= longest < 1 / np.sqrt(_THERE)
        return np.where(regular, np.maximum(1.0, found), np.inf)

    def defined(self, q: Array, centre: Array) -> Array:
        """Whether equations and speeds have coefficients (k,), and at a ``centre`` (k,) digits of them.

        A root of one's own has no slope where it vanishes, and the lowest point of a wheel that lies flat is any of its rim.
        """
        found = np.ones(len(q), dtype=bool)
        with np.errstate(all="ignore"):
            for kernel, others in (
                ("constraint_jacobian", {}),
                ("generalized_speeds", {"qdot": np.ones(self._nq)}),
            ):
                if self._has(kernel):
                    given = {
                        "q": q,
                        **{name: np.broadcast_to(x, (len(q), len(x))) for name, x in others.items()},
                    }
                    given = parted(self._programs[kernel], given)
                    errors = rounding_errors(self._programs[kernel], given, self._parameters)
                    value, error = (
                        abs(next(iter(x.values())).reshape(len(q), -1))
                        for x in (values(self._programs[kernel], given, self._parameters), errors)
                    )
                    lost = error.max(axis=1, initial=0.0) > _LOST * value.max(axis=1, initial=0.0)
                    found &= np.isfinite(value).all(axis=1) & ~(centre & lost)
        return np.asarray(found)

    def _sines(self, q: Array) -> Array:
        """Sines (k, 2) of all rows together, and of the blocks, multiplied."""
        margins = np.clip(self.margins(q), 0.0, 1.0)
        return np.asarray(np.sqrt(np.stack([margins[:, 0], margins[:, 1:].prod(axis=1)], axis=1)))

    def dead_centres(self, starts: Array) -> tuple[Array, Array]:
        """Dead centres (c, nq) that Newton's method finds along the motion, for each margin, and their starts (c, nq).

        They are looked for from closed configurations.  A margin m is the square of what passes through zero, so that a
        step is 2 m over its slope.
        """
        count = self.margins(starts).shape[1]
        if not (starts.size and count and self._nv):
            return starts[:0], starts[:0]
        q, own = np.repeat(starts, count, axis=0), np.tile(np.arange(count), len(starts))
        rows = np.arange(len(q))
        with np.errstate(all="ignore"):
            for _ in range(_APPROACHES):
                T = self.directions(q)
                there = self.margins(stepped(q, np.moveaxis(T, -1, 0)))[:, rows, own]
                slopes, left = slope(there), there[0].real
                way = np.where(left > _STILL, 2 * left / (slopes**2).sum(axis=0), 0.0) * slopes
                step = _finite((T @ way.T[..., None])[..., 0]) / self.units
                q, _ = self.closed(q - _shortened(step) * self.units, _RETURNING)
            q, closed = self.closed(q)
            found = self.margins(q)[rows, own]
        chosen: list[int] = []
        taken = [0] * count
        for k in np.flatnonzero(closed & (found <= _FOUND)):
            apart = all(abs((q[k] - q[other]) / self.units).max() > _APART for other in chosen)
            if apart and taken[own[k]] < _OF_EACH and len(chosen) < _MOST:
                chosen.append(int(k))
                taken[own[k]] += 1
        begun = np.repeat(starts, count, axis=0)[chosen]
        regular = starts[np.isfinite(self.growth(starts))]
        if len(regular):  # a dead centre may have been a start itself
            same = abs((q[chosen] - begun) / self.units).max(axis=1) < _APART
            begun[same] = regular[-1]
        return q[chosen], begun

    def beside(self, centres: Array, starts: Array) -> Array:
        """Closed configurations (k, nq) on the way from dead centres to others, where rounding errors grow as is asked."""
        if not len(centres):
            return centres
        way = centres[:, None] + _WAYS[:, None] * (starts - centres)[:, None]
        q, closed = self.closed(way.reshape(-1, way.shape[-1]))
        growth = np.where(closed, self.growth(q), np.inf).reshape(way.shape[:-1])
        decades = abs(np.log10(growth / _GROWN))
        found = q.reshape(way.shape)[np.arange(len(centres)), decades.argmin(axis=1)]
        return np.asarray(found[decades.min(axis=1) < 1])

    def _of_rows(self, q: Array) -> Array:
        """det(R R^T) for rows R of equations and speeds, usually of length one; without them 1 / |N|^2; usually 1 (k,).

        Rows keep their scale: one that vanishes as a whole has no digits there.
        """
        with np.errstate(all="ignore"):
            if not self._tells_rows:
                N = self._columns(q)
                return np.asarray(self._size / (N * N).sum(axis=(-2, -1)))
            R = self._rows(q) / self._lengths
            if R.shape[-2] == R.shape[-1]:  # with twice the digits
                return np.asarray(self._size * np.linalg.det(R) ** 2)
            return np.asarray(self._size * np.linalg.det(R @ np.swapaxes(R, -1, -2)))

    def _rows(self, q: Array) -> Array:
        """The coefficients (k, m, nq) of equations of velocity and of speeds."""
        A = self._at("constraint_jacobian", q)[..., self._independent, :]
        A = np.asarray(A * self.units[: self._nq])
        if self._nv == 0:
            return A
        units = np.eye(self._nq).reshape(-1, *[1] * (q.ndim - 1), self._nq)
        Y = np.moveaxis(self._at("generalized_speeds", q, qdot=units), 0, -1)
        return np.concatenate([A, Y * self.units[: self._nq]], axis=-2)

    def _columns(self, q: Array) -> Array:
        """N (k, nq, nv), with a row of zeros for the time where q has it."""
        if self._nv == 0:
            return np.zeros((*q.shape, 0))
        speeds = np.eye(self._nv + 1, self._nv).reshape(self._nv + 1, *[1] * (q.ndim - 1), self._nv)
        rates = self._at("coordinate_rates", q, v=speeds)
        N = np.asarray(np.moveaxis(rates[:-1] - rates[-1], 0, -1))
        none = np.zeros((*N.shape[:-2], q.shape[-1] - self._nq, N.shape[-1]))
        return np.concatenate([N, none], axis=-2)

    def _has(self, *kernels: str) -> bool:
        return all(kernel in self._programs for kernel in kernels)

    def _at(self, kernel: str, q: Array, **others: Array) -> Array:
        return next(iter(values(self._programs[kernel], {"q": q, **others}, self._parameters).values()))

    def _with_unit_quaternions(self, q: Array) -> Array:
        q = _finite(q)
        for at in self._quaternions:
            q[:, at : at + 4] /= np.linalg.norm(q[:, at : at + 4], axis=1, keepdims=True)
        return q


def _finite(x: Array) -> Array:
    """Zeros in place of what is not finite, or so large that its square is not."""
    return np.asarray(np.where(abs(x) < 1e100, x, 0.0))


def _middling(x: Array) -> Array:
    """The median of the finite and positive numbers of columns (k, ...), 1 where there are none."""
    known = np.ma.masked_where(~(np.isfinite(x) & (x > 0)), x)
    return np.asarray(np.ma.filled(np.ma.median(known, axis=0), 1.0))  # type: ignore[no-untyped-call]


def _shortened(step: Array) -> Array:
    longest = abs(step).max(axis=1, initial=0.0, keepdims=True)
    return np.asarray(step * np.minimum(1.0, _LONGEST / np.maximum(longest, _LONGEST)))
