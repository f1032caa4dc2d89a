"""Stiffness and damping of beams against strength of materials."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
import scipy.integrate

from kanegen.codegen.mechanism.flexible import Beam, BeamFunction, Mode, Polynomial, RodFunction

from .material_points import Array, doubles, ratios


def stiffness(beam: Beam) -> Array:
    return doubles(beam.link("link").stiffness)


@pytest.mark.parametrize("number", [1, 2, 3, 8])
def test_natural_modes_of_a_clamped_beam(number: int) -> None:
    """EI k^4 / (4 l^3): with the modal mass mu l / 4, the frequency is (k / l)^2 sqrt(EI / mu)."""
    shape = BeamFunction("clamped-free", number)
    l, mu, EI = 1.7, 0.6, 35.0
    link = Beam(l, mu, [Mode("d", z=shape)], EI_y=EI).link("link")
    k = {1: 1.875104068711961, 2: 4.694091132974175, 3: 7.854757438237613}.get(number, 7.5 * math.pi)
    expected = EI * k**4 / (4 * l**3)
    assert float(ratios(link.stiffness[0][0])) == pytest.approx(expected, rel=1e-9)
    mass = float(ratios(link.integrals.mode_products[0][0][2][2]))
    assert math.sqrt(float(ratios(link.stiffness[0][0])) / mass) == pytest.approx(
        (k / l) ** 2 * math.sqrt(EI / mu), rel=1e-9
    )


def test_modes_of_a_clamped_beam_are_not_coupled() -> None:
    modes = [Mode(f"d{k}", y=BeamFunction("clamped-free", k)) for k in (1, 2, 3)]
    K = stiffness(Beam(1, 1, modes, EI_z=1))
    assert np.abs(K - np.diag(np.diag(K))).max() < 1e-30


def test_cubic_is_the_cantilever_under_a_force_at_its_tip() -> None:
    """3 EI / l^3, exactly, and that of Book's oracle."""
    cubic = (0, 0, "1.5", "-0.5")
    K = Beam(2, 1, [Mode("d", y=cubic)], EI_z=7).link("link").stiffness
    assert K[0][0] == Fraction(3 * 7, 8)
    K = Beam("0.8", "0.9", [Mode("d", y=cubic)], EI_z=40).link("link").stiffness
    assert float(ratios(K[0][0])) == pytest.approx(234.375, rel=1e-15)


def test_parabola_is_the_cantilever_under_a_moment_at_its_tip() -> None:
    """y = s^2 has the curvature 2 / l^2 everywhere: 4 EI / l^3."""
    assert Beam(3, 1, [Mode("d", z=(0, 0, 1))], EI_y=5).link("link").stiffness[0][0] == Fraction(20, 27)


def test_rod_in_torsion() -> None:
    """GJ / l for a uniform twist, GJ (pi/2)^2 / (2 l) for the first natural mode."""
    beam = Beam(4, 1, [Mode("d", twist=(0, 1))], GJ=6, section_y=1)
    assert beam.link("link").stiffness[0][0] == Fraction(6, 4)
    natural = Beam(4, 1, [Mode("d", twist=RodFunction(1))], GJ=6, section_y=1)
    assert stiffness(natural)[0, 0] == pytest.approx(6 * (math.pi / 2) ** 2 / 8, rel=1e-15)


def test_what_bends_both_ways_and_twists_adds_up() -> None:
    """Energies of different strains are independent; modes that share one are coupled by it alone."""
    modes = [Mode("a", y=(0, 0, 1), z=(0, 0, 2), twist=(0, 3)), Mode("b", z=(0, 0, 0, 1))]
    K = Beam(2, 1, modes, EI_y=3, EI_z=5, GJ=7, section_y=1).link("link").stiffness
    # y'' = 2 / 4, z'' = 4 / 4, twist' = 3 / 2; the other's z'' = 6 s / 4
    assert K[0][0] == 2 * (5 * Fraction(1, 2) ** 2 + 3 * Fraction(1) ** 2 + 7 * Fraction(3, 2) ** 2)
    assert K[0][1] == K[1][0] == 2 * 3 * Fraction(3, 4)
    assert K[1][1] == 2 * 3 * Fraction(36, 16) / 3


def test_stiffness_that_varies() -> None:
    """A polynomial is exact; a function with a step is the sum of its parts."""
    K = Beam(1, 1, [Mode("d", y=(0, 0, 1))], EI_z=Polynomial.of(3, 0, -1)).link("link").stiffness
    assert K[0][0] == 4 * (3 - Fraction(1, 3))
    shape = (0, 0, "1.5", "-0.5")  # y'' = 3 - 3 s
    K = Beam(1, 1, [Mode("d", y=shape)], EI_z=lambda s: 10.0 if s < 0.37 else 2.0).link("link").stiffness
    inner = 3 * (1 - 0.63**3)
    assert float(ratios(K[0][0])) == pytest.approx(10 * inner + 2 * (3 - inner), rel=1e-14)


def test_tapered_cantilever_against_scipy() -> None:
    def EI(s: float) -> float:
        return (2 - s) ** 3

    k = 4.694091132974175
    sigma = (math.cosh(k) + math.cos(k)) / (math.sinh(k) + math.sin(k))

    def curvature(s: float) -> float:
        waves = math.cosh(k * s) + math.cos(k * s) - sigma * (math.sinh(k * s) + math.sin(k * s))
        return k * k * waves / 2

    expected, _ = scipy.integrate.quad(lambda s: EI(s) * curvature(s) ** 2, 0, 1, epsabs=1e-12, epsrel=1e-13)
    found = stiffness(Beam(1, 1, [Mode("d", y=BeamFunction("clamped-free", 2))], EI_z=EI))
    assert found[0, 0] == pytest.approx(expected, rel=1e-12)


def test_stiffness_given_directly_replaces_that_of_the_beam() -> None:
    modes = [Mode("a", y=(0, 0, 1)), Mode("b", z=(0, 0, 1))]
    link = Beam(1, 1, modes, EI_y=9, EI_z=9, stiffness=[[2, "0.5"], ["0.5", 3]]).link("link")
    assert ratios(link.stiffness) == ((2, Fraction(1, 2)), (Fraction(1, 2), 3))


def test_damping() -> None:
    """damping_time times the stiffness; a matrix of its own replaces that."""
    modes = [Mode("a", y=(0, 0, 1)), Mode("b", y=(0, 0, 0, 1))]
    link = Beam(1, 1, modes, EI_z=10, damping_time="0.002").link("link")
    assert link.damping == tuple(tuple(k * Fraction(2, 1000) for k in row) for row in link.stiffness)
    link = Beam(1, 1, modes, EI_z=10, damping_time=1, damping=[[1, 0], [0, 2]]).link("link")
    assert ratios(link.damping) == ((1, 0), (0, 2))
    assert ratios(Beam(1, 1, modes, EI_z=10).link("link").damping) == ((0, 0), (0, 0))
