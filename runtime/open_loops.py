"""Open loops: configurations that violate the equations of position, which only a call that looks can tell.

The kernels of a constrained mechanism hold where its loops are closed; anywhere else they return a number that belongs to no
configuration of the mechanism.  A call evaluates the residual of the equations as well, one small kernel; trees have none.
"""

from __future__ import annotations

import warnings
from typing import Any, Literal, Self, get_args

import numpy as np

from kanegen.errors import InconsistentStateError, ModelWarning
from kanegen.kernels import Call, Kernel
from kanegen.manifest import KernelSpec, Manifest

Told = Literal["warn", "error", "ignore"]
TELLING: tuple[str, ...] = get_args(Told)

OPEN = 1e-6
"""Residual over the lengths in the loop, or in radians, above which it is open: far more than assembly leaves."""

RESIDUAL = "constraint_residual"
JACOBIAN = "constraint_jacobian"

_MADE_FOR_OPEN = (RESIDUAL, JACOBIAN, "constraint_projection", "dead_centre_margin")
"""Kernels by which loops are closed."""


class OpenLoops:
    """Looks at the configurations that the kernels of a robot are called with; ``told``: what comes of an open one."""

    def __init__(self, manifest: Manifest, residual: Call, sizes: tuple[float, ...]) -> None:
        self.told: str = "warn"
        self._manifest = manifest
        self._residual = residual
        self._allowed = OPEN * np.array(sizes)

    @classmethod
    def of(cls, manifest: Manifest, residual: Kernel) -> Self | None:
        """For a mechanism with equations of position; None for any other."""
        constraints = manifest.constraints
        if constraints is None or not constraints.position:
            return None
        return cls(manifest, residual.call, constraints.sizes)

    def watch(self, kernel: Kernel) -> Kernel:
        """The kernel with a call that tells of open configurations."""
        call, spec = kernel.call, kernel.spec
        names = [argument.name for argument in spec.inputs]
        if "q" not in names or spec.name in _MADE_FOR_OPEN:
            return kernel
        place = names.index("q")

        def watching_call(*inputs_and_out: Any) -> Any:
            q, out = inputs_and_out[place], inputs_and_out[-1]
            if out is not None and isinstance(q, np.ndarray):
                q = q.copy()  # out may lie in its memory
            result = call(*inputs_and_out)
            if self.told != "ignore":
                self._look(spec, q)
            return result

        return kernel._replace(call=watching_call)

    def _cure(self) -> str:
        if JACOBIAN in self._manifest.kernels:
            return "Close it: q = robot.assemble(q)."
        return f"Close it: q = robot.assemble(q), of a robot loaded with {JACOBIAN!r} among its kernels."

    def _look(self, spec: KernelSpec, q: Any) -> None:
        phi = np.abs(self._residual(q, None))
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
