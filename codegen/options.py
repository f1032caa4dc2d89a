"""What a user may ask of a generation."""

from __future__ import annotations

from dataclasses import dataclass

from kanegen.limits import DERIVATIONS


@dataclass(frozen=True)
class Options:
    """What a user may ask of a generation.

    ``kernels`` None stands for all.  ``formulation`` is one of derivation.formulations.FORMULATIONS.  ``speeds`` names
    generalized speeds of the mechanism, None the joint rates.  ``gravity`` [m/s^2] replaces the mechanism's own.
    ``search_budget`` bounds the derivations tried for each kernel.  ``friction`` puts damping and friction of joints into
    inverse and forward dynamics alike.  For model files: ``floating_base`` lets the root link move freely,
    ``allow_unphysical`` lets inertias through that no body has, angles within ``angle_tolerance`` [rad] of multiples of
    pi/2 count as these (None: only rounding errors), ``arguments`` are pairs of names and values for xacro.
    ``with_residual`` adds the residual of the equations of position, if there are any, to the kernels that are named.
    """

    kernels: tuple[str, ...] | None = None
    formulation: str = "recursive"
    speeds: str | None = None
    gravity: tuple[float, float, float] | None = None
    live_parameters: bool = False
    single_precision: bool = False
    sincos: str = "vector"
    search_budget: int = DERIVATIONS.value
    friction: bool = False
    floating_base: bool = False
    allow_unphysical: bool = False
    angle_tolerance: float | None = None
    arguments: tuple[tuple[str, str], ...] = ()
    with_residual: bool = False

    @property
    def recursive(self) -> bool:
        """Whether the recursions on joint rates are asked for.

        Everything else reads inertias as described: no gauge, and little to search for.
        """
        return self.speeds is None and self.formulation == "recursive"
