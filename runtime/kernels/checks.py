"""Calls that look where they are made: at dead centres, and at loops that are open.

Dead centres are places where the chosen speeds of a constrained mechanism do not determine its motion.  Speeds are
v = Y dq/dt, and the constraints say A dq/dt = 0 (or a given right-hand side).  Together they determine dq/dt
where [Y; A] has full column rank nq (less one for each quaternion, whose length does not change).  Where it has not, but A
has its usual rank, the speeds are badly chosen for that place: the crank of a slider-crank follows from the slider except
where it is in line with the rod.  Where A itself loses rank, the mechanism can change its way of moving: a parallelogram
folded into a line.  A spring with a rest length, and a damper, have no direction where their ends meet.
The kernels have no branches.  They divide by zero there, and the calls of a robot look at what they return.

Open loops are configurations that violate the equations of position.  The kernels of a constrained mechanism hold where its
loops are closed; anywhere else they return a number that belongs to no configuration of the mechanism.  A call evaluates
the residual of the equations as well, one small kernel; trees have none.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from typing import Any, Literal, Self, get_args

import numpy as np

from kanegen.arrays import FloatArray, all_finite
from kanegen.by_name import with_names
from kanegen.errors import DeadCentreError, InconsistentStateError, ModelWarning, counted
from kanegen.kernels.kernel import Kernel
from kanegen.manifest import KernelSpec, Manifest

CUT_OFF = math.sqrt(float(np.finfo(np.float64).eps))
"""Ratio of singular values at which half of the digits are gone."""

_LEAST_MARGIN = float(np.finfo(np.float64).eps)
"""The square of it: margins are as squares of the determinants that are divided by."""

MARGIN = "dead_centre_margin"
"""The kernel that says how far a configuration is from a dead centre: numbers from 0, at one, to 1."""


def can_be_singular(manifest: Manifest) -> bool:
    """Whether there are configurations in which kernels mean nothing: with constraints, with speeds of one's own, and with
    springs whose ends meet.
    """
    return (
        manifest.constraints is not None
        or manifest.speed_names != manifest.joint_names
        or bool(manifest.meeting_ends)
    )


def checked(manifest: Manifest, kernel: Kernel, margin: Kernel | None) -> Kernel:
    """The kernel with a call that raises DeadCentreError instead of returning what means nothing.

    That is infinity or NaN for finite inputs, and anything computed from the speeds where ``margin`` says that half of the
    digits are gone.
    """
    call, spec = kernel.call, kernel.spec
    names = [argument.name for argument in spec.inputs]
    places = None if margin is None or not spec.through_speeds else _places(margin.spec, names)

    def checked_call(*given: Any) -> Any:
        *inputs, out, threads = given
        if out is not None:  # which may lie in the memory of an input
            inputs = [array.copy() if isinstance(array, np.ndarray) else array for array in inputs]
        result = call(*inputs, out, threads)
        if not all(all_finite(np.asarray(part)) for part in _parts(result)):
            _explain(manifest, spec, inputs, result)
        if margin is not None and places is not None:
            left = margin.call(*(inputs[place] for place in places), None, threads)
            if left.size and float(left.min()) < _LEAST_MARGIN:
                raise _at_dead_centre(
                    manifest, spec, "the result would be made of rounding errors", left.min(axis=-1)
                )
        return result

    return kernel._replace(call=checked_call)


def _places(spec: KernelSpec, names: Sequence[str]) -> list[int] | None:
    """Where the inputs of a kernel are among others by name; None where one is missing."""
    wanted = [argument.name for argument in spec.inputs]
    return [names.index(name) for name in wanted] if set(wanted) <= set(names) else None


def _at_dead_centre(manifest: Manifest, spec: KernelSpec, what: str, margins: Any) -> DeadCentreError:
    where = _first_row(np.asarray(margins) < _LEAST_MARGIN)
    return DeadCentreError(f"{manifest.name}, {spec.name}: {what}{where}. {_dead_centre(manifest)}")


def _dead_centre(manifest: Manifest) -> str:
    if not manifest.nv:
        return (
            "The mechanism stands in a singular configuration, where its equations do not determine its motion. Lead it "
            "beside that place"
        )
    return (
        f"The mechanism stands at a dead centre, where its speeds {_listed(manifest.speed_names)} do not determine its "
        "motion, or in a singular configuration. Move on to a configuration beside it, or describe the mechanism with "
        "other speeds. A simulation may pass through dead centres, but cannot begin there"
    )


def _first_row(lost: Any) -> str:
    """Where in a batch something is lost for the first time; nothing for a single state."""
    row = ", ".join(map(str, np.argwhere(lost)[0]))
    return f" (first in row {row} of the batch)" if np.ndim(lost) else ""


def _parts(result: Any) -> tuple[Any, ...]:
    return result if isinstance(result, tuple) else (result,)


def _explain(manifest: Manifest, spec: KernelSpec, inputs: Sequence[Any], result: Any) -> None:
    """Raise DeadCentreError if a state of finite numbers has a result that is none; ValueError for a zero quaternion."""
    inputs = with_names(manifest, spec, inputs)
    batch_wise = [
        _finite_states(array, len(argument.shape))
        for arguments, arrays in ((spec.inputs, inputs), (spec.outputs, _parts(result)))
        for argument, array in zip(arguments, arrays, strict=True)
    ]
    count = len(spec.inputs)
    given = np.logical_and.reduce(np.broadcast_arrays(*batch_wise[:count]))
    found = np.logical_and.reduce(batch_wise[count:])
    lost = np.asarray(given & ~found)
    if not lost.any():
        return
    where = _first_row(lost)
    _refuse_zero_quaternions(manifest, spec, inputs, lost, where)
    raise DeadCentreError(
        f"{manifest.name}, {spec.name}: the result is not finite although the arguments are{where}. "
        + " ".join(_reasons(manifest))
    )


def _refuse_zero_quaternions(
    manifest: Manifest, spec: KernelSpec, inputs: Sequence[Any], lost: Any, where: str
) -> None:
    """Raise ValueError where the first state lost has a quaternion of length zero, by which is divided."""
    for argument, array in zip(spec.inputs, inputs, strict=True):
        if argument.name != "q":
            continue
        q = np.broadcast_to(array, (*lost.shape, manifest.nq))[tuple(np.argwhere(lost)[0])]
        for start in manifest.quaternions:
            if not q[start : start + 4].any():
                names = ", ".join(manifest.coordinate_names[start : start + 4])
                raise ValueError(
                    f"{manifest.name}, {spec.name}: the quaternion {names} is zero{where}, which is no rotation; "
                    "(0, 0, 0, 1) turns nothing"
                )


def _reasons(manifest: Manifest) -> list[str]:
    """What may be the reason for a result that is not finite, and what to do."""
    found = []
    if manifest.meeting_ends:
        ends = "; ".join(f"{name!r} between {one!r} and {two!r}" for name, one, two in manifest.meeting_ends)
        found.append(
            f"A spring with a rest length, or a damper, has no direction where its ends meet ({ends}): begin beside that "
            "place, or give a spring without a damper the rest length 0."
        )
    if manifest.constraints is not None or manifest.speed_names != manifest.joint_names:
        found.append(f"{_dead_centre(manifest)}.")
    return [*found, "Or numbers are so large that they overflow"]


def _finite_states(array: Any, axes: int) -> Any:
    """For each state of a batch, whether all of its numbers are finite."""
    finite = np.isfinite(np.asarray(array, dtype=np.float64))
    return finite.all(axis=tuple(range(finite.ndim - axes, finite.ndim)))


def refuse_dead_centre(
    name: str,
    coordinates: Sequence[str],
    speeds: Sequence[str],
    rank: int,
    speed_rows: FloatArray,
    constraint_rows: FloatArray,
) -> None:
    """Raise DeadCentreError where [Y; A] or A is singular; Y (nv, nq) and A (m, nq), of which ``rank`` are independent.

    dq/dt has 1 / s of the errors of v, s the least of the singular values of [Y; A] over the largest.  Motions are as many
    as speeds and independent constraints; a quaternion has a fourth direction, its length, which is none.
    """
    motions = rank + len(speeds)
    rows = _unit_rows(constraint_rows)
    values = np.linalg.svd(rows, compute_uv=False)
    if rank and values[rank - 1] <= CUT_OFF * values[0]:
        raise DeadCentreError(
            f"{name}: the initial configuration is singular: there the constraints leave more freedom than the "
            f"{counted(len(speeds), 'speed')}, and the mechanism can go on in different ways. Begin beside it, with a "
            "configuration that assemble() returns"
        )
    _, values, directions = np.linalg.svd(np.concatenate([_unit_rows(speed_rows), rows]))
    if values[motions - 1] > CUT_OFF * values[0]:
        return
    free = directions[motions - 1]
    order = np.argsort(-np.abs(free), kind="stable")
    moving = [coordinates[i] for i in order if abs(free[i]) > CUT_OFF]
    raise DeadCentreError(
        f"{name}: the initial configuration is a dead centre of the speeds {_listed(speeds)}: {_listed(moving)} can move "
        f"while these are zero, so that they do not determine the motion. Begin beside it, or describe the mechanism "
        f"with other speeds, such as the rate of {moving[0]}"
    )


def _unit_rows(rows: FloatArray) -> FloatArray:
    """The rows scaled to length one, so that units do not matter; those that are as good as zero become zero."""
    length = np.linalg.norm(rows, axis=1, keepdims=True)
    scaled: FloatArray = np.divide(
        rows, length, out=np.zeros_like(rows), where=length > CUT_OFF * length.max()
    )
    return scaled


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names)


Told = Literal["warn", "error", "ignore"]
TELLING: tuple[str, ...] = get_args(Told)

OPEN = 1e-6
"""Residual over the lengths in the loop, or in radians, above which it is open: far more than assembly leaves."""

RESIDUAL = "constraint_residual"
JACOBIAN = "constraint_jacobian"

LOOKED_AT = (RESIDUAL, MARGIN)
"""Kernels that the calls of others look at."""

_MADE_FOR_OPEN = (RESIDUAL, JACOBIAN, "constraint_projection", MARGIN)
"""Kernels by which loops are closed."""


class OpenLoops:
    """Looks at the configurations that the kernels of a robot are called with; ``told``: what comes of an open one."""

    def __init__(self, manifest: Manifest, residual: Kernel, sizes: tuple[float, ...], told: Told) -> None:
        self.told = told
        self._manifest = manifest
        self._residual = residual
        self._allowed = OPEN * np.array(sizes)

    @classmethod
    def of(cls, manifest: Manifest, residual: Kernel, told: Told) -> Self | None:
        """For a mechanism with equations of position; None for any other."""
        constraints = manifest.constraints
        if constraints is None or not constraints.position:
            return None
        return cls(manifest, residual, constraints.sizes, told)

    def watch(self, kernel: Kernel) -> Kernel:
        """The kernel with a call that tells of open configurations."""
        call, spec = kernel.call, kernel.spec
        names = [argument.name for argument in spec.inputs]
        if "q" not in names or spec.name in _MADE_FOR_OPEN:
            return kernel
        places = _places(self._residual.spec, names)
        assert places is not None, "kernels that take q take t where any does"

        def watching_call(*arguments: Any) -> Any:
            given, (out, threads) = [arguments[place] for place in places], arguments[-2:]
            if out is not None:  # which may lie in the memory of q
                given = [x.copy() if isinstance(x, np.ndarray) else x for x in given]
            try:
                result = call(*arguments)
            except DeadCentreError:
                if self.told != "ignore":
                    self._look(spec, given, threads)  # open loops are likely to be the reason
                raise
            if self.told != "ignore":
                self._look(spec, given, threads)
            return result

        return kernel._replace(call=watching_call)

    def _cure(self) -> str:
        close = f"q = robot.assemble(q{', t=t' if self._manifest.depends_on_time else ''})"
        if JACOBIAN in (*self._manifest.kernels, *self._manifest.waiting):
            return f"Close it: {close}."
        return f"Close it: {close}, of a robot loaded with {JACOBIAN!r} among its kernels."

    def _look(self, spec: KernelSpec, given: Sequence[Any], threads: Any) -> None:
        phi = np.abs(self._residual.call(*given, None, threads))
        if (phi <= self._allowed).all():
            return
        excess = np.where(np.isfinite(phi), phi / self._allowed, 0.0)
        if excess.size == 0 or excess.max() <= 1.0:
            return  # what is not finite came with the arguments
        *row, equation = (int(i) for i in np.unravel_index(int(np.argmax(excess)), excess.shape))
        where = f" in row {', '.join(map(str, row))} of the batch, the worst," if row else ""
        constraints = self._manifest.constraints
        assert constraints is not None
        message = (
            f"{self._manifest.name}, {spec.name}: q{where} leaves {constraints.position[equation]} open by "
            f"{phi[(*row, equation)]:.2g}, so that the result belongs to no configuration of the mechanism. "
            f"{self._cure()} robot.with_open_loops('error') makes this an error"
        )
        if self.told == "error":
            raise InconsistentStateError(message)
        warnings.warn(message, ModelWarning, stacklevel=4)
