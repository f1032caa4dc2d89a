"""Modal integrals of beams against sums over particles, for every kind of shape, section and appendage.

Polynomials of low degree and waves of the first modes are integrated to rounding by forty points a piece: some thousand
roundings of 1.1e-16 remain.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import scipy.optimize

from kanegen.codegen.mechanism.flexible import Appendage, Beam, BeamFunction, Mode, Polynomial, RodFunction
from kanegen.codegen.mechanism.flexible.appendages import rigid_inertia

from .material_points import Bent, Carried, Curve, Described, apart, doubles, placed, ratios, recorded, sums

ROUNDING = 1e-12


def constant(value: float) -> Curve:
    return lambda s: value + 0.0 * s


def polynomial(*coefficients: float) -> Curve:
    return lambda s: sum(c * s**k for k, c in enumerate(coefficients))


def slope(*coefficients: float, length: float) -> Curve:
    return lambda s: sum(k * c * s ** (k - 1) for k, c in enumerate(coefficients) if k) / length


def clamped_free(number: int, length: float) -> tuple[Curve, Curve]:
    """The textbook's formula in doubles, and its slope by x: 1 at the end."""

    def frequency(x: float) -> float:
        return math.cos(x) * math.cosh(x) + 1

    k = float(
        scipy.optimize.brentq(frequency, (number - 0.8) * math.pi, (number - 0.2) * math.pi, xtol=1e-15)
    )
    sigma = (math.cosh(k) + math.cos(k)) / (math.sinh(k) + math.sin(k))

    def raw(s: float) -> float:
        return math.cosh(k * s) - math.cos(k * s) - sigma * (math.sinh(k * s) - math.sin(k * s))

    def raw_slope(s: float) -> float:
        return math.sinh(k * s) + math.sin(k * s) - sigma * (math.cosh(k * s) - math.cos(k * s))

    end = raw(1.0)
    return lambda s: raw(s) / end, lambda s: raw_slope(s) * k / (end * length)


@dataclass(frozen=True)
class Case:
    """A beam as users give it, and the same in Python's own numbers."""

    beam: Beam
    described: Described
    breaks: tuple[float, ...] = (0.0, 1.0)
    stations: dict[str, Any] = field(default_factory=dict)


def cubic() -> Case:
    """The beam of Book's planar arm."""
    mode = Bent(y=polynomial(0, 0, 1.5, -0.5), dy=slope(0, 0, 1.5, -0.5, length=0.8))
    return Case(
        Beam("0.8", "0.9", [Mode("d", y=(0, 0, "1.5", "-0.5"))], EI_z=40),
        Described(0.8, constant(0.9), [mode]),
    )


def bent_and_twisted() -> Case:
    """Modes that bend both ways and twist at once, with the rotary inertia of sections."""
    length = 1.3
    modes = [
        Bent(
            y=polynomial(0, 0, 1, 0.3),
            dy=slope(0, 0, 1, 0.3, length=length),
            z=polynomial(0, 0, -0.4),
            dz=slope(0, 0, -0.4, length=length),
            twist=polynomial(0, 0.7),
        ),
        Bent(z=polynomial(0, 0, 0, 1), dz=slope(0, 0, 0, 1, length=length), twist=polynomial(0, 0, -1.5)),
        Bent(twist=lambda s: math.sin(1.5 * math.pi * s)),
    ]
    beam = Beam(
        "1.3",
        2,
        [
            Mode("a", y=(0, 0, 1, "0.3"), z=(0, 0, "-0.4"), twist=(0, "0.7")),
            Mode("b", z=(0, 0, 0, 1), twist=Polynomial.of(0, 0, "-1.5")),
            Mode("c", twist=RodFunction(2)),
        ],
        EI_y=1,
        EI_z=1,
        GJ=1,
        section_y="0.02",
        section_z="0.05",
    )
    return Case(beam, Described(length, constant(2.0), modes, constant(0.02), constant(0.05)))


def tapered() -> Case:
    """Mass and sections that vary: a polynomial, a smooth function, and one with a step."""

    def mass(s: float) -> float:
        return 3 * math.exp(-s)

    def section(s: float) -> float:
        return 0.01 if s < 0.3 else 0.004

    (y, dy), (z, dz) = clamped_free(1, 0.9), clamped_free(3, 0.9)
    beam = Beam(
        "0.9",
        mass,
        [Mode("a", y=BeamFunction("clamped-free", 1)), Mode("b", z=BeamFunction("clamped-free", 3))],
        EI_y=1,
        EI_z=1,
        section_y=section,
        section_z=Polynomial.of("0.03", "-0.02"),
    )
    modes = [Bent(y=y, dy=dy), Bent(z=z, dz=dz)]
    return Case(
        beam,
        Described(0.9, mass, modes, section, polynomial(0.03, -0.02)),
        (0.0, 0.3, 1.0),
    )


TENSOR = ((0.05, 0.01, -0.004), (0.01, 0.06, 0.007), (-0.004, 0.007, 0.04))


def carrying() -> Case:
    """Rigid bodies at the near end, within, and at the far end, off the axis, with full tensors."""
    base = bent_and_twisted()
    bodies = [
        Appendage(0, 2, ("0.1", 0, "-0.05"), ("0.01", "0.02", "0.02")),
        Appendage(
            "0.52", "1.5", ("-0.02", "0.1", "0.07"), ("0.05", "0.06", "0.04", "0.01", "-0.004", "0.007")
        ),
        Appendage("1.3", "0.8", (0, 0, "0.2"), [[str(x) for x in row] for row in TENSOR]),
    ]
    diagonal = ((0.01, 0, 0), (0, 0.02, 0), (0, 0, 0.02))
    carried = [
        Carried(0.0, 2.0, (0.1, 0.0, -0.05), diagonal),
        Carried(0.4, 1.5, (-0.02, 0.1, 0.07), TENSOR),
        Carried(1.0, 0.8, (0.0, 0.0, 0.2), TENSOR),
    ]
    beam, d = base.beam, base.described
    return Case(
        Beam(
            **{name: getattr(beam, name) for name in Beam.__dataclass_fields__ if name != "appendages"},
            appendages=bodies,
        ),
        Described(d.length, d.mass_per_length, d.modes, d.section_y, d.section_z, carried),
    )


CASES = [cubic, bent_and_twisted, tapered, carrying]


@pytest.mark.parametrize("make", CASES)
def test_integrals_are_those_of_particles(make: Callable[[], Case]) -> None:
    case = make()
    found = recorded(case.beam.link("link").integrals)
    assert apart(found, sums(case.described.particles(case.breaks))) < ROUNDING


@pytest.mark.parametrize("make", CASES)
def test_stations_are_where_particles_are(make: Callable[[], Case]) -> None:
    case = make()
    link = case.beam.link("link", [("near", 0), ("within", Fraction(7, 20)), ("far", case.beam.length)])
    length = case.described.length
    places = {"near": 0.0, "within": 0.35 / length, "far": 1.0}
    for name, station in (*link.stations, ("far", link.end)):
        s = places[name]
        position, displacements, rotations = placed(station)
        assert position == pytest.approx([s * length, 0, 0], rel=1e-15)
        expected = np.array([mode.displacement(s) for mode in case.described.modes])
        assert np.abs(displacements - expected).max() < ROUNDING
        expected = np.array([mode.rotation(s) for mode in case.described.modes])
        assert np.abs(rotations - expected).max() < ROUNDING
    assert dict(link.stations)["far"] == link.end


def test_body_of_the_mechanism_is_the_undeflected_link() -> None:
    """Mass, mass centre and central tensor from particles."""
    case = carrying()
    particles = case.described.particles()
    inertia = rigid_inertia(case.beam.link("link").integrals)
    m, x = particles.masses, particles.places
    center = m @ x / m.sum()
    r = x - center
    tensor = np.einsum("p,pk,pk->", m, r, r) * np.eye(3) - np.einsum("p,pi,pj->ij", m, r, r)
    assert float(ratios(inertia.mass)) == pytest.approx(m.sum(), rel=1e-13)
    assert doubles(inertia.center) == pytest.approx(center, rel=1e-12)
    found = doubles(inertia.tensor)
    assert np.abs(found - tensor).max() < 1e-12 * tensor.max()


def test_integrals_in_closed_form() -> None:
    """The cubic of Book's arm, in ratios: y = (3 s^2 - s^3) / 2 has integrals 3/8, 11/40 with s, 33/140 with itself."""
    m = ratios(Beam(2, 3, [Mode("d", y=(0, 0, "1.5", "-0.5"))], EI_z=1).link("link").integrals)
    assert m.mass == 6
    assert m.first == (6, 0, 0)
    assert m.second[0] == (8, 0, 0)
    assert m.mode_first[0] == (0, 6 * Fraction(3, 8), 0)
    assert m.mode_mixed[0][0] == (0, 12 * Fraction(11, 40), 0)
    assert m.mode_products[0][0][1][1] == 6 * Fraction(33, 140)


def test_slender_beam_counts_no_rotary_inertia() -> None:
    """All that is not of the neutral axis is zero, and costs nothing."""
    m = Beam(1, 1, [Mode("d", y=(0, 0, 1)), Mode("e", z=(0, 0, 1), twist=(0, 1))], EI_y=1, EI_z=1, GJ=1)
    integrals = ratios(m.link("link").integrals)
    assert all(entry == 0 for row in integrals.mode_mixed[1][1:] for entry in row)
    assert integrals.mode_products[0][1] == ((0, 0, 0), (0, 0, Fraction(1, 5)), (0, 0, 0))
