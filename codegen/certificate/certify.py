"""A kernel set is checked when it is generated: identities between its kernels, and each against the records."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from kanegen.codegen.certificate.against_records import against_records
from kanegen.codegen.certificate.case import Case, Subject
from kanegen.codegen.certificate.constrained import constrained
from kanegen.codegen.certificate.identities import identities
from kanegen.codegen.certificate.measure import Checks, Measured
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


def certify(subject: Subject, states: int) -> Record:
    """Check a kernel set.

    Raises CertificateError, with one sentence, for the first check that fails; that is an error of kanegen.
    """
    case = Case(subject, states)
    checks = []
    for check in measured(case):
        if not check.residual <= BOUND:
            raise CertificateError(
                f"{subject.mechanism.name}: the generated kernels fail the check {check.name!r} "
                f"({', '.join(check.kernels)}) by {check.residual:.1e} of what the terms amount to; "
                f"expected at most {BOUND:.0e}. This is an error of kanegen, not of the model"
            )
        checks.append(check)
    checked = {kernel for check in checks for kernel in check.kernels}
    unchecked = tuple(name for name in subject.programs if name not in checked)
    return Record(states, tuple(checks), unchecked, condition_of(case))


def measured(case: Case) -> Checks:
    """All checks that apply, one after another."""
    if case.subject.approximate:
        return
    for of in (against_records, identities, constrained):
        with np.errstate(all="ignore"):
            yield from of(case)


def condition_of(case: Case) -> float | None:
    """The largest condition number of the mass matrix over the states, None where it is not regular."""
    with np.errstate(all="ignore"):
        found = float(np.linalg.cond(case.reference.mass_matrix(case.q).value).max())
    return found if np.isfinite(found) else None


def condition(subject: Subject, states: int) -> float | None:
    """The largest condition number of the mass matrix, without checking anything."""
    return condition_of(Case(subject, states))


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
