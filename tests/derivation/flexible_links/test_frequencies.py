"""Natural frequencies of single beams against those of textbooks, from the kernels' mass matrix and stiffness."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import scipy.linalg
import scipy.optimize

from kanegen.codegen.mechanism import Mechanism, MechanismBuilder
from kanegen.codegen.mechanism.flexible import Appendage, Beam, BeamFunction, Mode, RodFunction
from tests.mechanism.flexible.material_points import doubles

from .arms import Array, Kernels

L, MU, EI = 1.5, 0.7, 35.0


def moment_free(k: int) -> tuple[Fraction, ...]:
    """The polynomial that is clamped, with the curvature (1 - s) s^k: no bending moment at the end.

    Five powers s^2 to s^6 leave 2.5 % at the third frequency, as every textbook on Ritz's method finds; five of these
    leave 4e-4.
    """
    first, second = Fraction(1, (k + 1) * (k + 2)), Fraction(-1, (k + 2) * (k + 3))
    return (*(Fraction(0),) * (k + 2), first, second)


POLYNOMIALS = [Mode(f"d{k}", y=moment_free(k)) for k in range(5)]
MIXED = [
    *(Mode(f"d{k}", y=BeamFunction("clamped-free", k)) for k in (1, 2, 3)),
    *(Mode(f"d{k + 4}", y=moment_free(k)) for k in (0, 1)),
]
FIVE = pytest.mark.parametrize("modes", [POLYNOMIALS, MIXED], ids=["polynomials", "mixed"])
ENOUGH = 1e-3
"""Asked for of the first three frequencies with five modes."""


def arm(modes: Sequence[Mode], hinged: bool = False, **changes: Any) -> Mechanism:
    """A beam without weight, held fast or on a hinge."""
    builder = MechanismBuilder("beam", gravity=(0, 0, 0))
    builder.flexible(
        "beam", Beam(**{"length": L, "mass_per_length": MU, "EI_z": EI, "modes": modes, **changes})
    )
    if hinged:
        builder.revolute("q", "base", "beam", (0, 0, 1))
    else:
        builder.fixed("clamp", "base", "beam")
    return builder.build()


def frequencies(mechanism: Mechanism) -> Array:
    """[rad/s], ascending, about the undeflected link."""
    n = len(mechanism.coordinates)
    M = Kernels(mechanism)("mass_matrix", q=np.zeros(n))
    K = np.zeros((n, n))
    K[-len(mechanism.modes) :, -len(mechanism.modes) :] = doubles(mechanism.flexible[0].stiffness)
    squares = scipy.linalg.eigh(K, M, eigvals_only=True)
    return np.asarray(np.sqrt(np.maximum(squares, 0)))


def textbook(roots: Sequence[float]) -> Array:
    return np.array(roots) ** 2 / L**2 * math.sqrt(EI / MU)


def root(function: Any, low: float, high: float) -> float:
    return float(scipy.optimize.brentq(function, low, high, xtol=1e-14))


@FIVE
def test_clamped_beam(modes: Sequence[Mode]) -> None:
    expected = textbook([1.875104068711961, 4.694091132974175, 7.854757438237613])
    assert frequencies(arm(modes))[:3] == pytest.approx(expected, rel=ENOUGH)


def test_natural_modes_are_exact() -> None:
    modes = [Mode(f"d{k}", y=BeamFunction("clamped-free", k)) for k in (1, 2, 3)]
    expected = textbook([1.875104068711961, 4.694091132974175, 7.854757438237613])
    assert frequencies(arm(modes)) == pytest.approx(expected, rel=1e-13)


@FIVE
def test_beam_with_a_mass_at_its_tip(modes: Sequence[Mode]) -> None:
    """1 + cos k cosh k + r k (cos k sinh k - sin k cosh k) = 0 for r times the mass of the beam (Blevins, table 8-8)."""
    r = 0.8

    def equation(k: float) -> float:
        free = 1 + math.cos(k) * math.cosh(k)
        return free + r * k * (math.cos(k) * math.sinh(k) - math.sin(k) * math.cosh(k))

    roots = [root(equation, low, high) for low, high in ((0.5, 2), (3.5, 4.6), (6.5, 7.6))]
    found = frequencies(arm(modes, appendages=[Appendage(L, r * MU * L)]))
    assert found[:3] == pytest.approx(textbook(roots), rel=ENOUGH)


@FIVE
def test_hinged_beam_swings_as_one_pinned_and_free(modes: Sequence[Mode]) -> None:
    """The joint and the modes of a clamped beam together: tan k = tanh k, and a motion without stiffness."""
    found = frequencies(arm(modes, hinged=True))
    assert found[0] < 1e-4 * found[1]
    expected = textbook([3.926602312047919, 7.068582745628732])
    assert found[1:3] == pytest.approx(expected, rel=ENOUGH)


def test_hinged_beam_with_its_own_natural_modes() -> None:
    """Pinned functions relative to their tangent at the hinge: with the joint they are exact."""
    modes = [Mode(f"d{k}", y=BeamFunction("pinned-free", k)) for k in (1, 2, 3)]
    found = frequencies(arm(modes, hinged=True))
    expected = textbook([3.926602312047919, 7.068582745628732, 10.210176122813031])
    assert found[1:] == pytest.approx(expected, rel=1e-12)


def test_hub_makes_it_slower() -> None:
    """A hub of inertia r mu l^3: k^3 r (1 + cos cosh) = cos sinh - sin cosh, between clamped and pinned."""
    r = 0.1

    def equation(k: float) -> float:
        free = r * k**3 * (1 + math.cos(k) * math.cosh(k))
        return free + math.sin(k) * math.cosh(k) - math.cos(k) * math.sinh(k)

    roots = [root(equation, 2, 3.7), root(equation, 4.4, 5.5)]
    hub = Appendage(0, 1, (0, 0, 0), (r * MU * L**3,) * 3)
    found = frequencies(arm(MIXED, hinged=True, appendages=[hub]))
    assert found[1:3] == pytest.approx(textbook(roots), rel=ENOUGH)


def test_twist() -> None:
    """(number - 1/2) pi / l sqrt(GJ / j) with the polar inertia j of sections; and with a disc at the end."""
    GJ, jy, jz = 12.0, 0.02, 0.03
    sections: dict[str, Any] = {"GJ": GJ, "section_y": jy, "section_z": jz}
    wave = math.sqrt(GJ / (jy + jz)) / L
    natural = [Mode(f"d{k}", twist=RodFunction(k)) for k in (1, 2)]
    found = frequencies(arm(natural, **sections))
    assert found == pytest.approx([math.pi / 2 * wave, 1.5 * math.pi * wave], rel=1e-13)
    disc = 0.04
    ratio = disc / ((jy + jz) * L)  # x tan x = 1 / ratio
    first = root(lambda x: x * math.sin(x) * ratio - math.cos(x), 0.1, 1.5)
    modes = [Mode(f"d{k}", twist=(0,) * k + (1,)) for k in (1, 2, 3, 4, 5)]
    load = Appendage(L, 1, (0, 0, 0), (disc, disc, disc))
    found = frequencies(arm(modes, appendages=[load], **sections))
    assert found[0] == pytest.approx(first * wave, rel=1e-6)
