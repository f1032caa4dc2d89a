"""A kernel set is checked when it is generated: identities between its kernels, and each against the records."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np

from kanegen.codegen.certificate.against_records import (
    against_records,
    frames_against_records,
    places_against_records,
    solutions_against_records,
    values_against_records,
)
from kanegen.codegen.certificate.arrays import Array
from kanegen.codegen.certificate.at_frames import at_frames
from kanegen.codegen.certificate.blame import OURS, blame
from kanegen.codegen.certificate.constrained import constrained, in_time, of_positions, of_speeds
from kanegen.codegen.certificate.evaluation import Precisely, values
from kanegen.codegen.certificate.identities import identities
from kanegen.codegen.certificate.measure import Checks, Measured
from kanegen.codegen.certificate.sample import KernelSet, Sample
from kanegen.codegen.certificate.special_states import Place
from kanegen.errors import CertificateError

BOUND = 1e-11
"""Largest residual of a check: a difference over the magnitudes that rounding errors are measured by.

That is 45,000 units of rounding; rightly derived kernels stay below a thousand.
"""

FILE_NAME = "certificate.json"


@dataclass(frozen=True)
class Record:
    """What was checked over ``states`` states, and the residuals; ``unchecked`` kernels are compared with their plain
    derivation only.  ``condition`` is the largest of the mass matrix.
    """

    states: int
    checks: tuple[Measured, ...]
    unchecked: tuple[str, ...]
    condition: float | None

    @property
    def worst(self) -> Measured | None:
        """The check with the largest residual, None where there was nothing to check."""
        return max(self.checks, key=lambda check: check.residual, default=None)

    @property
    def names(self) -> dict[str, tuple[str, ...]]:
        """What was checked, with the kernels that it is about: the same wherever the set is generated."""
        found: dict[str, dict[str, None]] = {}
        for check in self.checks:
            found.setdefault(check.name, {}).update(dict.fromkeys(check.kernels))
        return {name: tuple(kernels) for name, kernels in found.items()}


def certify(kernel_set: KernelSet, states: int) -> Record:
    """Check a kernel set.

    Raises CertificateError for the first check that fails, and says whether the model or kanegen is at fault.
    """
    special = kernel_set.special
    sample = Sample(kernel_set, states, None if special is None else special.ordinary)
    sets = [(sample, measured)]
    if special is not None:
        for place, some in _LOOKED_AT.items():
            if len(q := special.of(place)):
                evaluate = Precisely() if place is Place.BESIDE else values
                sets.append((Sample(kernel_set, 0, q, evaluate), some))
    checks = []
    for at, found in sets:
        for check in found(at):
            if not check.residual <= BOUND:
                raise CertificateError(
                    f"{kernel_set.mechanism.name}: the generated kernels fail the check {check.name!r} "
                    f"({', '.join(check.kernels)}) by {check.residual:.1e} of what the terms amount to; "
                    f"expected at most {BOUND:.0e}. {_fault(at, check)}"
                )
            checks.append(check)
    checked = {kernel for check in checks for kernel in check.kernels}
    unchecked = tuple(name for name in kernel_set.programs if name not in checked)
    return Record(sum(at.states for at, _ in sets), tuple(checks), unchecked, condition_of(sample))


def _fault(sample: Sample, check: Measured) -> str:
    if isinstance(sample.evaluate, Precisely) and np.isfinite(check.residual):
        return OURS
    programs = {name: program for name in check.kernels if (program := sample.program(name)) is not None}
    arguments = {
        argument.name: sample.input(argument.name, argument.shape)
        for program in programs.values()
        for argument in program.inputs
    }
    at_rest = {name: x if name in ("q", "t") else np.zeros_like(x) for name, x in arguments.items()}
    found = OURS
    for at in (arguments, at_rest):  # checks at rest look at what is small beside the forces of motion
        if found == OURS:
            found = blame(sample.kernel_set.mechanism, programs, at, sample.parameters, BOUND)
    return found


def measured(sample: Sample) -> Checks:
    """All checks that apply, one after another."""
    yield from _quietly(sample, against_records, at_frames, identities, constrained)


def measured_values(sample: Sample) -> Checks:
    """Checks of the forces and energies alone: near where something has no value their derivatives have few digits."""
    yield from _quietly(sample, values_against_records)


def measured_beside(sample: Sample) -> Checks:
    """Checks of what is no derivative, beside dead centres; with many digits, since there doubles lose theirs."""
    yield from _quietly(
        sample, values_against_records, frames_against_records, of_speeds, of_positions, in_time
    )
    if sample.invertible:
        yield from _quietly(sample, solutions_against_records)


def measured_at_centres(sample: Sample) -> Checks:
    """Checks of what does not need the speeds, at dead centres."""
    yield from _quietly(sample, places_against_records, of_positions)


_LOOKED_AT = {
    Place.CLOSE: measured_values,
    Place.BESIDE: measured_beside,
    Place.CENTRE: measured_at_centres,
}
"""Checks in special states that are not as good as any other."""


def _quietly(sample: Sample, *found: Callable[[Sample], Checks]) -> Checks:
    if sample.kernel_set.approximate:
        return
    for of in found:
        with np.errstate(all="ignore"):
            yield from of(sample)


def condition_of(sample: Sample) -> float | None:
    """The largest condition number of the mass matrix over the random states, None where it is not regular."""
    found = float(conditions_of(sample)[: sample.random].max())
    return found if np.isfinite(found) else None


def conditions_of(sample: Sample) -> Array:
    """The condition number of the mass matrix in each state, infinite where it has none."""
    if not sample.nv:
        return np.ones(sample.states)
    with np.errstate(all="ignore"):
        matrices = sample.reference.mass_matrix(sample.q).value
    found = np.full(len(matrices), np.inf)
    regular = np.isfinite(matrices).all(axis=(1, 2))
    if regular.any():
        found[regular] = np.linalg.cond(matrices[regular])
    return np.where(np.isfinite(found), found, np.inf)


def condition(kernel_set: KernelSet, states: int) -> float | None:
    """The largest condition number of the mass matrix, without checking anything."""
    return condition_of(Sample(kernel_set, states))


@dataclass(frozen=True)
class Certificate:
    """The content of the file: the model, and for each kernel bound and residual against its plain derivation."""

    model: str
    hash: str
    record: Record
    bounds: Mapping[str, float]
    residuals: Mapping[str, float]
    compiled: Mapping[str, float] = field(default_factory=dict)

    def text(self) -> str:
        """JSON in ASCII.  The numbers differ between machines by rounding errors."""
        content = {
            "model": {"name": self.model, "hash": self.hash},
            "states": self.record.states,
            "condition of the mass matrix": self.record.condition,
            "against the plain derivation": {
                name: {"residual": residual, "bound": self.bounds[name]}
                for name, residual in self.residuals.items()
            },
            "checks": [
                {"check": c.name, "kernels": list(c.kernels), "residual": c.residual, "bound": BOUND}
                for c in self.record.checks
            ],
            "compared with the plain derivation only": list(self.record.unchecked),
            **({"compiled": dict(self.compiled)} if self.compiled else {}),
        }
        return json.dumps(content, indent=1, ensure_ascii=True, allow_nan=False) + "\n"
