"""Where a mechanism's kernels are compared with their plain derivations, and how far they may be from them."""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from kanegen.codegen.certificate import at_frames, certify
from kanegen.codegen.certificate.sample import KernelSet, Sample
from kanegen.codegen.certificate.special_states import Place, SpecialStates, special_states
from kanegen.codegen.certificate.tied_motion import TiedMotion
from kanegen.codegen.mechanism.values import home_numbers
from kanegen.codegen.passes.verify import random_values

CERTIFIED_STATES = 100
"""Random states over which everything is compared."""

CERTIFIED_BOUND = 1e-11
"""Largest relative difference allowed between an optimized program and the plain textbook derivation.

What solves with the mass matrix may differ by more where that is ill-conditioned: see ``bounds``.
"""

USUAL_CONDITION = 1e3
"""Up to this condition number, what solves with a mass matrix is held to the bound of everything else."""

_LARGEST_BOUND = 1e-3


def bounds(kernel_set: KernelSet, kernels: Collection[str]) -> dict[str, float]:
    """For each of these kernels the largest difference allowed from its plain derivation.

    The condition number of the mass matrix, which takes a while, is found only where it matters.
    """
    solving = {name for name in kernels if kernel_set.solves(name)}
    of_solutions = bound_of_solutions(certify.condition(kernel_set, CERTIFIED_STATES)) if solving else 0.0
    return {name: of_solutions if name in solving else CERTIFIED_BOUND for name in kernels}


def bound_of_solutions(condition: float | None) -> float:
    """The largest difference allowed for what solves with a mass matrix, relative to the largest component.

    A relative error e of the forces is one of up to condition * e of the accelerations.  The bound grows in steps of
    ten, so that it is the same wherever it is computed, whatever the last digits of the condition number are.
    """
    if condition is None:
        return CERTIFIED_BOUND
    decades = max(0, math.ceil(math.log10(condition / USUAL_CONDITION)))
    exponent = round(math.log10(CERTIFIED_BOUND)) + decades
    return min(float(f"1e{exponent}"), _LARGEST_BOUND)


TELLING = ("dead_centre_margin", "constraint_residual", "constraint_jacobian", "generalized_speeds")
"""Kernels that tell, beside coordinate_rates, how coordinates move that are tied together, where they are."""

_OF_PLACES = (
    "constraint_residual",
    "constraint_jacobian",
    "potential_energy",
    "generalized_speeds",
    "center_of_mass",
    "frame_pose_",
)
"""How the names of kernels begin that do not ask what the speeds determine: they have values at dead centres, too.

dead_centre_margin has none where a block is singular, but for the first of those: later ones end as 0 / 0.
"""

_RATES = ("coriolis_matrix", "frame_jacobian_rate_", "influence_H_", "inertia_power")
"""How the names of kernels begin that are made of derivatives alone: of what has cancelled, much may be left there."""

REGULAR = 1e8
"""Where the condition number of the mass matrix is larger, accelerations have lost half of their digits."""


@dataclass(frozen=True, eq=False)
class Configurations:
    """Configurations ``q`` (states, nq) that kernels are compared at: random ones, then special ones.

    Rounding errors in them are larger than usual by ``spread`` (states,), in their derivatives by its square, by ``growth``
    (states,) in what follows from the speeds, and by ``solving`` (states,) in what solves with the mass matrix, infinitely
    where there is nothing to compare.  The special ones are those of ``special``.
    """

    q: NDArray[np.float64]
    spread: NDArray[np.float64]
    growth: NDArray[np.float64]
    solving: NDArray[np.float64]
    kernel_set: KernelSet
    special: SpecialStates | None = None

    def spread_of(self, kernel: str) -> NDArray[np.float64]:
        """How many times larger than usual rounding errors of a kernel are in each state."""
        own = self.spread if kernel.startswith(_OF_PLACES) else self.spread * self.growth
        own = own**2 if kernel.startswith(_RATES) or kernel.endswith("_derivatives") else own
        own = own * self.solving if self.kernel_set.solves(kernel) else own
        of_rows = self.kernel_set.of_rows.get(kernel)
        return own if of_rows is None else own * self._inverting(*of_rows)

    def _inverting(self, own: str, frame: str, rows: tuple[int, ...]) -> NDArray[np.float64]:
        """How many times larger errors become by inverting the mobility of rows of a frame, once for each factor N."""
        conditions = at_frames.condition(Sample(self.kernel_set, 0, self.q), frame, rows)
        growth = np.maximum(1.0, conditions / USUAL_CONDITION)
        return np.where(conditions < at_frames.SINGULAR, growth ** (3 if own == "hand_power" else 1), np.inf)


def random_configurations(kernel_set: KernelSet) -> Configurations:
    """Random configurations alone."""
    q = kernel_set.configurations
    if q is None:
        q = random_values("q", (len(kernel_set.mechanism.coordinates),), CERTIFIED_STATES)
    ones = np.ones(len(q))
    return Configurations(q, ones, ones, ones, kernel_set)


def all_configurations(kernel_set: KernelSet) -> Configurations:
    """Where the kernels of a set are compared with their plain derivations: random configurations, and special ones.

    Its ``programs`` and ``helpers`` are plain derivations, those that are ``TELLING`` among them.  Where constraints or
    chosen speeds project the motion and the mass matrix is not regular, a special state is looked at as those beside dead
    centres are.
    """
    mechanism, tied, usual = kernel_set.mechanism, None, random_configurations(kernel_set)
    if kernel_set.projected:
        programs = {**kernel_set.helpers, **kernel_set.programs}
        numbers = {p.name: float(p.value) for p in mechanism.parameters}
        tied = TiedMotion(mechanism, programs, numbers, usual.q, kernel_set.independent)
    home = [*home_numbers(mechanism), *[0.0] * mechanism.depends_on_time]
    special = special_states(mechanism, np.array(home, dtype=np.float64), tied)
    q, ones = usual.q if special.usual is None else special.usual, usual.spread
    if not len(special.q):
        return replace(usual, q=q, special=special)
    conditions = certify.conditions_of(Sample(kernel_set, 0, special.q))
    regular = conditions < REGULAR
    if tied is not None:
        place = np.where((special.place == Place.ORDINARY) & ~regular, Place.BESIDE, special.place)
        special = replace(special, place=place)
    solving = np.where(regular, np.maximum(1.0, conditions / USUAL_CONDITION), np.inf)
    return replace(
        usual,
        q=np.concatenate([q, special.q]),
        spread=np.concatenate([ones, special.spread]),
        growth=np.concatenate([ones, special.growth]),
        solving=np.concatenate([ones, solving]),
        special=special,
    )


def difference_of_forces(found: KernelSet, expected: KernelSet) -> float:
    """Largest difference of the forces of two sets with the same coordinates, relative to the largest force of a state.

    Over the random states of the certificate, by Newton's and Euler's equations of the records in doubles.
    """
    forces = [Sample(kernel_set, CERTIFIED_STATES).forces for kernel_set in (found, expected)]
    scale = np.abs(forces[1]).max(axis=1)
    apart = np.abs(forces[0] - forces[1]).max(axis=1)
    known = scale > 0
    return float((apart[known] / scale[known]).max(initial=0.0))
