"""What a mechanism's kernel set is checked with, and how far kernels may be from their plain derivations."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from kanegen.codegen import facts
from kanegen.codegen.certificate import certify
from kanegen.codegen.certificate.sample import KernelSet, Sample
from kanegen.codegen.certificate.special_states import Place, SpecialStates, special_states
from kanegen.codegen.certificate.tied_motion import TiedMotion
from kanegen.codegen.derivation.flexible_links.states import deflected_states
from kanegen.codegen.derivation.kernels.catalogue import contract_of
from kanegen.codegen.derivation.motion_maps import chart
from kanegen.codegen.derivation.motion_maps.plan import make_plan
from kanegen.codegen.derivation.resistance.friction import SLIP_SPEED
from kanegen.codegen.graph import Program
from kanegen.codegen.mechanism.names import c_names
from kanegen.codegen.mechanism.records import Mechanism
from kanegen.codegen.mechanism.values import home_numbers
from kanegen.codegen.passes.verify import random_values

CERTIFIED_STATES = 100
"""Random states over which everything is compared."""

CERTIFIED_BOUND = 1e-11
"""Largest relative difference allowed between an optimized program and the plain textbook derivation.

What solves with the mass matrix may differ by more where that is ill-conditioned: see ``bound_of``.
"""

USUAL_CONDITION = 1e3
"""Up to this condition number, what solves with a mass matrix is held to the bound of everything else."""

_LARGEST_BOUND = 1e-3


def solves(kernel: str) -> bool:
    """Whether rounding errors of a kernel grow with the condition number of the mass matrix."""
    contract = contract_of(kernel)
    return contract is not None and contract.solves


def bound_of(kernel: str, bound: float, condition: float | None) -> float:
    """The largest difference allowed between a kernel and its plain derivation, relative to the largest component.

    A relative error e of the forces is one of up to condition * e of the accelerations.  The bound grows in steps of
    ten, so that it is the same wherever it is computed, whatever the last digits of the condition number are.
    """
    if condition is None or not solves(kernel):
        return bound
    decades = max(0, math.ceil(math.log10(condition / USUAL_CONDITION)))
    exponent = round(math.log10(bound)) + decades
    return min(float(f"1e{exponent}"), _LARGEST_BOUND)


def bounds(kernels: Collection[str], condition: Callable[[], float | None]) -> dict[str, float]:
    """For each kernel the largest difference allowed from its plain derivation.

    ``condition`` finds the condition number of the mass matrix, which takes a while; it is asked only where it matters.
    """
    found = condition() if any(solves(name) for name in kernels) else None
    return {name: bound_of(name, CERTIFIED_BOUND, found) for name in kernels}


def condition(kernel_set: KernelSet) -> float | None:
    """The largest condition number of the mass matrix, None where it is not regular."""
    return certify.condition(kernel_set, CERTIFIED_STATES)


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
    where there is nothing to compare.
    """

    q: NDArray[np.float64]
    spread: NDArray[np.float64]
    growth: NDArray[np.float64]
    solving: NDArray[np.float64]

    def spread_of(self, kernel: str) -> NDArray[np.float64]:
        """How many times larger than usual rounding errors of a kernel are in each state."""
        own = self.spread if kernel.startswith(_OF_PLACES) else self.spread * self.growth
        own = own**2 if kernel.startswith(_RATES) or kernel.endswith("_derivatives") else own
        return own * self.solving if solves(kernel) else own


def special_states_of(kernel_set: KernelSet) -> SpecialStates:
    """The special states of a kernel_set, to look at beside the random ones.

    Where constraints or chosen speeds project the motion and the mass matrix is not regular, a state is one of those that
    are looked at as those beside dead centres are.
    """
    mechanism, tied = kernel_set.mechanism, None
    if kernel_set.projected and not mechanism.flexible:
        programs = {**kernel_set.helpers, **kernel_set.programs}
        numbers = {p.name: float(p.value) for p in mechanism.parameters}
        tied = TiedMotion(
            mechanism, programs, numbers, random_configurations(mechanism).q, kernel_set.independent
        )
    special = special_states(mechanism, np.array(home_numbers(mechanism), dtype=np.float64), tied)
    if tied is None or not len(special.q):
        return special
    regular = certify.conditions_of(Sample(kernel_set, 0, special.q)) < REGULAR
    place = np.where((special.place == Place.ORDINARY) & ~regular, Place.BESIDE, special.place)
    return replace(special, place=place)


def random_configurations(mechanism: Mechanism) -> Configurations:
    """Random configurations alone."""
    given = configurations(mechanism)
    if given is None:
        given = random_values("q", (len(mechanism.coordinates),), CERTIFIED_STATES)
    ones = np.ones(len(given))
    return Configurations(given, ones, ones, ones)


def configurations_of(kernel_set: KernelSet) -> Configurations:
    """Where the kernels of a kernel_set are compared with their plain derivations."""
    special, usual = kernel_set.special, random_configurations(kernel_set.mechanism)
    if special is None:
        return usual
    q, ones = usual.q if special.usual is None else special.usual, usual.spread
    if not len(special.q):
        return replace(usual, q=q)
    conditions = certify.conditions_of(Sample(kernel_set, 0, special.q))
    solving = np.where(conditions < REGULAR, np.maximum(1.0, conditions / USUAL_CONDITION), np.inf)
    return Configurations(
        np.concatenate([q, special.q]),
        np.concatenate([ones, special.spread]),
        np.concatenate([ones, special.growth]),
        np.concatenate([ones, solving]),
    )


def checked(kernel_set: KernelSet) -> certify.Record:
    """The record of a kernel set that passed all checks.  Raises CertificateError."""
    return certify.certify(kernel_set, CERTIFIED_STATES)


def change_by_angles(mechanism: Mechanism, written: Mechanism) -> float:
    """Largest difference of the forces of two mechanisms that angles alone tell apart, relative to the largest force.

    Over the random states of the certificate, by Newton's and Euler's equations of the records in doubles; of the tree,
    where loops and constraints tie it together.
    """
    forces = [
        Sample(kernel_set(tree, {}, False, _nothing), CERTIFIED_STATES).forces
        for tree in (_open_tree(mechanism), _open_tree(replace(written, gravity=mechanism.gravity)))
    ]
    scale = np.abs(forces[1]).max(axis=1)
    apart = np.abs(forces[0] - forces[1]).max(axis=1)
    known = scale > 0
    return float((apart[known] / scale[known]).max(initial=0.0))


def _open_tree(mechanism: Mechanism) -> Mechanism:
    """The joints alone, all of them free, those that followed others or moved as prescribed too."""
    if not (mechanism.constrained or mechanism.mimics):
        return mechanism
    own = [m.joint for m in mechanism.mimics] + [p.joint for p in mechanism.prescribed]
    return replace(
        mechanism,
        coordinates=(*mechanism.coordinates, *own),
        loops=(),
        constraints=(),
        prescribed=(),
        speeds=(),
        mimics=(),
        home=(),
    )


def _nothing(kernel: str) -> Program:
    raise AssertionError(f"a tree needs no {kernel} for its forces")


def configurations(mechanism: Mechanism) -> NDArray[np.float64] | None:
    """Configurations (states, nq) to check kernels at, where not all can be had or are meant; None elsewhere."""
    if mechanism.constrained:
        return chart.configurations(mechanism, make_plan(mechanism).states)
    return deflected_states(mechanism, CERTIFIED_STATES) if mechanism.flexible else None


def kernel_set(
    mechanism: Mechanism,
    programs: Mapping[str, Program],
    projected: bool,
    plain: Callable[[str], Program],
    approximate: bool = False,
    also: Collection[str] = (),
) -> KernelSet:
    """What is to be checked; ``plain`` derives a kernel that is not among ``programs``, where that is needed.

    ``also`` are helpers beside those that checks need.

    Mechanisms whose coordinates are tied together (``projected``) have their motion from coordinate_rates; derivatives that
    the records do not give are those of inverse_dynamics.  What is ``approximate`` is held to no law.
    """
    needed = ["coordinate_rates", *also] if projected else []
    if any(name.endswith("_derivatives" if projected else "_parameter_derivatives") for name in programs):
        needed.append("inverse_dynamics")
    helpers = {name: plain(name) for name in needed if name not in programs}
    frames = facts.frame_names(mechanism)
    identifiers = c_names(frames)
    coefficients = {}
    if "regressor" in programs:
        coefficients["regressor"] = tuple(p.value for p in facts.base_parameters_of(mechanism))
    if "full_regressor" in programs:
        coefficients["full_regressor"] = tuple(p.value for p in facts.inertial_parameters_of(mechanism))
    plan = make_plan(mechanism) if mechanism.constrained else None
    return KernelSet(
        mechanism=mechanism,
        programs=programs,
        nv=mechanism.dof,
        projected=projected,
        slip_speed=float(SLIP_SPEED),
        helpers=helpers,
        frames={identifiers[name]: name for name in frames},
        coefficients=coefficients,
        configurations=configurations(mechanism),
        independent=() if plan is None else plan.independent,
        approximate=approximate,
    )


__all__ = [
    "CERTIFIED_BOUND",
    "CERTIFIED_STATES",
    "TELLING",
    "USUAL_CONDITION",
    "Configurations",
    "KernelSet",
    "bound_of",
    "bounds",
    "checked",
    "condition",
    "configurations",
    "configurations_of",
    "kernel_set",
    "random_configurations",
    "solves",
    "special_states_of",
]
