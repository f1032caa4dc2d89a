"""Configurations in which an arm with flexible links is looked at: any angles, and deflections that links could have."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from kanegen.codegen.mechanism.folding import with_numbers
from kanegen.codegen.mechanism.records import Mechanism, Value

_TURN = 0.2
"""Rotation [rad] of the end of a link up to which deflections go, and their part of the length."""


def link_ends(mechanism: Mechanism) -> dict[str, dict[str, tuple[float, ...]]]:
    """By link and mode, for amplitude 1: the rotation of the link's end [rad], and its displacement over its distance."""
    found = {}
    for link in with_numbers(mechanism).flexible:
        length = max((abs(_double(x)) for x in link.end.position), default=0.0) or 1.0
        ends = zip(link.modes, link.end.displacements, link.end.rotations, strict=True)
        found[link.body] = {
            mode: (*(_double(x) for x in theta), *(_double(x) / length for x in d)) for mode, d, theta in ends
        }
    return found


def usual_amplitudes(mechanism: Mechanism) -> dict[str, float]:
    """For each mode an amplitude that turns the end of its link by 0.2 rad, or moves it by that part of its length."""
    return {
        mode: _TURN / (max(map(abs, end)) or 1.0)
        for modes in link_ends(mechanism).values()
        for mode, end in modes.items()
    }


def deflected_states(mechanism: Mechanism, count: int) -> NDArray[np.float64]:
    """Configurations (count, nq), the same on every machine."""
    random = np.random.default_rng(1983)
    q = random.uniform(-np.pi, np.pi, (count, len(mechanism.coordinates)))
    for mode, amplitude in usual_amplitudes(mechanism).items():
        q[:, mechanism.coordinates.index(mode)] *= amplitude / np.pi
    return q


def _double(x: Value) -> float:
    assert isinstance(x, Fraction), "parameters have been replaced by their numbers"
    return float(x)
