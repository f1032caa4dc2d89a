"""Accelerations to 40 digits: what an engine's answer in double precision is held against.

They are those of M a = tau - h, solved for every state on its own.  M and h come from kanegen's plain derivations of the
mass matrix and the bias forces, neither of which forward dynamics is made of where its digits are in doubt.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import mpmath
import numpy as np
from numpy.typing import NDArray

from kanegen.codegen import pipeline
from kanegen.codegen.commands.against_report import BOUND
from kanegen.codegen.graph import evaluate_entries, multiprecision
from kanegen.codegen.kernel_sources import KernelSources
from kanegen.codegen.mechanism.records import Mechanism

Array = NDArray[np.float64]

DIGITS = 40


class ExactAccelerations:
    """Forward dynamics of a mechanism at the numbers of its records, whatever the condition of its mass matrix."""

    def __init__(self, mechanism: Mechanism) -> None:
        options = pipeline.Options()
        mechanism = pipeline.read(mechanism, options)  # without friction, as the kernels
        sources = KernelSources(mechanism, options)
        self._mass_matrix, self._bias_forces = sources.plain("mass_matrix"), sources.plain("bias_forces")

    def __call__(self, q: Array, v: Array, tau: Array) -> Array:
        """(nv,), rounded once, for q (nq,), v and tau (nv,), whose doubles are taken as they are."""
        n = len(tau)
        with mpmath.workdps(DIGITS):
            entries = {**_entries("q", q), **_entries("v", v)}
            matrix = evaluate_entries(self._mass_matrix, entries, multiprecision())[0]
            bias = evaluate_entries(self._bias_forces, entries, multiprecision())[0]
            rows = [matrix[n * i : n * i + n] for i in range(n)]
            right = [mpmath.mpf(float(force)) - h for force, h in zip(tau, bias, strict=True)]
            solution = mpmath.lu_solve(mpmath.matrix(rows), mpmath.matrix(right))
            return np.array([float(x) for x in solution])


def apart(found: Array, expected: Array) -> Array:
    """Largest difference of each state, relative to the largest component expected there, (states,); NaN comes through."""
    count = len(expected)
    scale = np.abs(expected).reshape(count, -1).max(axis=1)
    scale[scale == 0] = 1.0
    return np.asarray(np.abs(found - expected).reshape(count, -1).max(axis=1) / scale)


def errors_of_both(
    mechanism: Mechanism, ours: Array, theirs: Array, arguments: Mapping[str, Array]
) -> dict[str, float]:
    """Largest errors of accelerations (states, nv), by engine, in those states in which they differ by more than the bound.

    A difference that is Pinocchio's error is not kanegen's.  ``arguments`` has q, v and tau, (states, ...).
    """
    exactly = ExactAccelerations(mechanism)
    states = np.flatnonzero(~(apart(ours, theirs) <= BOUND))
    exact = np.array([exactly(*(arguments[name][i] for name in ("q", "v", "tau"))) for i in states])
    return {
        "kanegen": float(apart(ours[states], exact).max()),
        "pinocchio": float(apart(theirs[states], exact).max()),
    }


def _entries(name: str, values: Sequence[float] | Array) -> dict[tuple[str, int], Any]:
    return {(name, i): mpmath.mpf(float(x)) for i, x in enumerate(values)}
