"""Arms whose modes are mixtures of others: the same links, described as finite-element programs describe them.

A mode that bends a link in one direction only leaves most of its modal integrals zero.  Book (1983) counts operations for
modes that have all of them.  Of mixtures only those are zero that are so for any mode without axial displacement; and
they span the same deflections, so that the arm is the same one in other coordinates.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from kanegen.codegen.mechanism.flexible_records import FlexibleLink, Station
from kanegen.codegen.mechanism.records import Mechanism

PARTS = ((4, 2, 1), (-2, 4, 1), (1, -2, 5))
"""Fifths of a link's modes in each of its mixtures: no entry is zero, and no deflection is lost."""

_MIXING = np.array([[Fraction(part, 5) for part in row] for row in PARTS], dtype=object)


def with_mixed_modes(mechanism: Mechanism, name: str) -> Mechanism:
    """The arm in mixtures of the modes of each link, of which there are three.

    Amplitudes delta of the mixtures are those of the modes by delta_modes = PARTS^T delta / 5.  Control laws, which are
    written in the modes, are left out.
    """
    return replace(mechanism, name=name, flexible=tuple(_mixed(link) for link in mechanism.flexible), laws=())


def _mixed(link: FlexibleLink) -> FlexibleLink:
    if len(link.modes) != len(PARTS):
        raise ValueError(f"{link.body}: has {len(link.modes)} modes; expected {len(PARTS)}")
    old = link.integrals
    integrals = replace(
        old,
        mode_first=_mixture(old.mode_first, 0),
        mode_mixed=_mixture(old.mode_mixed, 0),
        mode_products=_mixture(old.mode_products, 0, 1),
    )
    return replace(
        link,
        integrals=integrals,
        stiffness=_mixture(link.stiffness, 0, 1),
        damping=_mixture(link.damping, 0, 1),
        end=_station(link.end),
        stations=tuple((frame, _station(station)) for frame, station in link.stations),
    )


def _station(old: Station) -> Station:
    return replace(old, displacements=_mixture(old.displacements, 0), rotations=_mixture(old.rotations, 0))


def _mixture(values: Any, *axes: int) -> Any:
    """Nested tuples of values, mixed along the ``axes`` that count modes."""
    array = np.array(values, dtype=object)
    for axis in axes:
        array = np.moveaxis(np.tensordot(_MIXING, array, (1, axis)), 0, axis)
    return _tuples(array.tolist())


def _tuples(values: Any) -> Any:
    return tuple(_tuples(value) for value in values) if isinstance(values, list) else values
