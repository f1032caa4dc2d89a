"""Kernels of rows of a frame's twist, against what the records say of the frame, the mass matrix and the forces.

With e rows of the twist, G of the Jacobian, and A = G M^-1 G^T, forces F on the rows accelerate them by A F.  The error of A
is that of M^-1, so of a relative size cond(M); one of its inverse, or of N = M^-1 G^T A^-1, grows by cond(A) besides.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from kanegen.codegen.certificate.arrays import Array
from kanegen.codegen.certificate.body_motion import bodies
from kanegen.codegen.certificate.evaluation import slope, stepped
from kanegen.codegen.certificate.identities import applied
from kanegen.codegen.certificate.measure import Checks, Measured, largest, residual
from kanegen.codegen.certificate.newton_euler import INERTIA, Acting
from kanegen.codegen.certificate.reference import Reference
from kanegen.codegen.certificate.sample import Sample
from kanegen.codegen.mechanism.constraints import PrescribedRate

FEW_STATES = 8
"""As many random states show which rows depend on others in all of them: in one by chance, in eight never."""

_DEPENDENT = 1e-7
"""Of the largest speeds: loops are closed to nine digits, and rows that depend on others add that much to them."""

SINGULAR = 1e11
"""Where the condition number of A is larger, its inverse has hardly a digit for sure."""

_RESISTING = Acting(gravity=False, rotors=False)
_BARE = Acting(gravity=False, resistance=False, rotors=False)


def dependent_rows(sample: Sample, frame: str, rows: Sequence[str], places: Sequence[int]) -> tuple[str, ...]:
    """The rows, at these places of the twist of a frame, that those before them determine in all states."""
    J = sample.reference.jacobian(sample.q, frame)
    known = np.isfinite(J.value).all(axis=(1, 2)) & np.isfinite(J.scale)
    rows_of_J, least = J.value[known][:, places], _DEPENDENT * np.broadcast_to(J.scale, known.shape)[known]
    dependent, before = [], 0
    for k, row in enumerate(rows, 1):
        sizes = np.linalg.svd(rows_of_J[:, :k], compute_uv=False)
        rank = int((sizes > least[:, None]).sum(axis=1).max(initial=0))
        if rank == before:
            dependent.append(row)
        before = rank
    return tuple(dependent)


def at_frames(sample: Sample) -> Checks:
    """A check for each kernel of rows of a frame's twist."""
    for kernel, (own, frame, rows) in sample.kernel_set.of_rows.items():
        if sample.has(kernel):
            sentence, check = _CHECKS[own]
            yield Measured(sentence, (kernel,), check(_Rows(sample, frame, rows), sample.at(kernel)))


def condition(sample: Sample, frame: str, rows: Sequence[int]) -> Array:
    """The condition number (states,) of A, infinite where it has none."""
    with np.errstate(all="ignore"):  # at dead centres
        return _Rows(sample, frame, rows).condition


class _Rows:
    """Rows of the twist of a frame in the states of a sample."""

    def __init__(self, sample: Sample, frame: str, rows: Sequence[int]) -> None:
        self.sample, self.frame, self.rows = sample, frame, list(rows)
        self.r, self.q = sample.reference, sample.q
        self.J, self.M = self.r.jacobian(self.q, frame), self.r.mass_matrix(self.q)
        self.G = self.J.value[:, self.rows]
        self.through = _solved(self.M.value, np.swapaxes(self.G, -1, -2))
        self.mobility = self.G @ self.through

    @cached_property
    def condition(self) -> Array:
        """That of A."""
        regular = np.isfinite(self.mobility).all(axis=(1, 2))
        found = np.linalg.cond(np.where(regular[:, None, None], self.mobility, 0.0))
        return np.where(regular & np.isfinite(found), found, np.inf)

    @cached_property
    def inertia(self) -> Array:
        """A^-1."""
        return _solved(self.mobility, np.broadcast_to(np.eye(len(self.rows)), self.mobility.shape))

    @cached_property
    def N(self) -> Array:
        """M^-1 G^T A^-1 (states, nv, rows)."""
        return self.through @ self.inertia

    @cached_property
    def error(self) -> Array:
        """What errors of M^-1 are measured by (states,), infinite where A^-1 has no digits."""
        error = self.sample.inverse_norm**2 * self.M.scale
        return np.where(self.condition < SINGULAR, error, np.inf)

    def transferred(self, found: Array, expected: Array, part: Array) -> float:
        """The residual of what N transfers, a sum with this part: errors of N are cond(A) times those of A."""
        growth = self.condition * self.error * self.M.scale
        return residual(found, expected, growth * (largest(expected) + largest(part)))

    def accelerated(self, forces: Array) -> Array:
        """G M^-1 forces."""
        return applied(np.swapaxes(self.through, -1, -2), forces)

    def drift(self, v: Array) -> Array:
        """Accelerations of the rows at unchanging speeds."""
        if not isinstance(self.r, Reference):
            return applied(self.r.jacobian_rate(self.q, v, self.frame).value[:, self.rows], v)
        moving = bodies(self.r.records, self.r.speeds.motion(self.q, v, np.zeros_like(v)))
        body, _, _ = self.r.records.frames[self.frame]
        _, _, a = self.r.point(moving, self.frame)
        found: Array = np.concatenate(np.broadcast_arrays(a, moving[body].alpha), axis=-1)[..., self.rows]
        return found

    def left(self, F: Array, forces: Any, drift: Array | float = 0.0) -> float:
        """Accelerations of the rows under F, forces on the speeds, and their drift: there are none."""
        on_speeds = applied(np.swapaxes(self.G, -1, -2), F)
        found = self.accelerated(on_speeds - forces.value) + drift
        moving = self.J.scale * (1 + abs(self.sample.v).sum(axis=-1)) ** 2
        scale = self.J.scale * self.error * (forces.scale + largest(on_speeds)) + moving
        return residual(found, np.zeros_like(found), scale)


def _solved(matrix: Array, right: Array) -> Array:
    """Solutions, also of complex matrices; there are none for what is singular."""
    defined = np.isfinite(matrix).all(axis=(-1, -2)) & (np.linalg.det(matrix) != 0)
    found = np.linalg.solve(np.where(defined[..., None, None], matrix, np.eye(matrix.shape[-1])), right)
    return np.where(defined[..., None, None], found, np.nan)


def _inertia(at: _Rows, found: Array) -> float:
    product = found @ at.mobility
    scale = largest(found) * at.J.scale**2 * at.error
    return residual(product, np.broadcast_to(np.eye(len(at.rows)), product.shape), scale)


def _bias(at: _Rows, found: Array) -> float:
    v = at.sample.v
    return at.left(found, at.r.inverse_dynamics(at.q, v, np.zeros_like(v)), at.drift(v))


def _gravity(at: _Rows, found: Array) -> float:
    return at.left(found, at.r.gravity_forces(at.q))


def _power(at: _Rows, found: Array) -> float:
    e = at.sample.input("e", (len(at.rows),))
    v, still = applied(at.N, e), np.zeros_like(at.sample.v)

    def even(of: Callable[[Array], Array]) -> Array:
        return np.asarray((of(v) + of(-v)) / 2 - of(still))

    forces = even(lambda v: at.r.inverse_dynamics(at.q, v, still, INERTIA).value)
    part = applied(at.inertia, at.accelerated(forces))
    expected = part - applied(at.inertia, even(at.drift))
    given = np.einsum("si,skij,sj->sk", e, found, e)
    return max(at.transferred(given, expected, part), residual(found, np.swapaxes(found, -1, -2), 0.0))


def _damping(at: _Rows, found: Array) -> float:
    expected = np.swapaxes(at.N, -1, -2) @ damping(at.sample) @ at.N
    return at.transferred(found, expected, expected)


def _stiffness(at: _Rows, found: Array) -> float:
    r, sample = without_friction(at.sample), at.sample
    steps = np.einsum("jsq,sjm->msq", sample.columns, at.N)
    q = stepped(at.q, steps)
    G = r.jacobian(q, at.frame).value[..., at.rows, :]
    through = _solved(r.mass_matrix(q).value, np.swapaxes(G, -1, -2))
    pull = loads(r, q).value
    on_rows = _solved(G @ through, np.swapaxes(through, -1, -2) @ pull[..., None])[..., 0]
    expected, part = np.moveaxis(slope(on_rows), 0, -1), np.moveaxis(slope(pull), 0, -1)
    return at.transferred(found, expected, np.swapaxes(at.N, -1, -2) @ part)


def without_friction(sample: Sample, *, resting: bool = True) -> Any:
    """The records without Coulomb friction, which is neither a spring nor a damper; prescribed joints may rest, too."""
    m = sample.kernel_set.mechanism
    joints = tuple(replace(joint, friction=Fraction(0)) for joint in m.joints)
    still = tuple(
        replace(one, rate=Fraction(0)) if isinstance(one, PrescribedRate) else one for one in m.prescribed
    )
    smooth = replace(m, joints=joints, prescribed=still if resting else m.prescribed)
    return Sample(replace(sample.kernel_set, mechanism=smooth), 0, sample.q, sample.evaluate).reference


def loads(r: Any, q: Array) -> Any:
    """What springs oppose at rest."""
    if isinstance(r, Reference):
        return r.drives(q, r.speeds.at_rest(q), _RESISTING)
    still = np.zeros(r.nv)
    return r.inverse_dynamics(q, still, still, _RESISTING)


def damping(sample: Sample) -> Array:
    """Slopes (states, nv, nv) of what dampers oppose, by the speeds at rest."""
    r, still = without_friction(sample), np.zeros_like(sample.v)
    moving = stepped(still, sample.units)
    slopes = [
        slope(r.inverse_dynamics(sample.q, moving, still, acting).value) for acting in (_RESISTING, _BARE)
    ]
    return np.moveaxis(slopes[0] - slopes[1], 0, -1)


_INERTIA = ("Lambda J M^-1 J^T = 1", _inertia)
_CHECKS: dict[str, tuple[str, Callable[[_Rows, Array], float]]] = {
    "operational_inertia": _INERTIA,
    "operational_bias": ("forces at the frame leave its rows unaccelerated", _bias),
    "operational_gravity": ("forces at the frame leave its rows at rest", _gravity),
    "hand_inertia": _INERTIA,
    "hand_power": ("e^T P e are the forces of inertia at constant rates e", _power),
    "hand_damping": ("C is the slope of what dampers oppose", _damping),
    "hand_stiffness": ("K is the slope of what springs oppose", _stiffness),
}
"""What is checked of each kernel, by its own name."""
