"""Angles near quarter turns."""

from __future__ import annotations

import math
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from kanegen.codegen.mechanism import ModelError
from kanegen.codegen.mechanism.importers.angles import nearest_quarter_turns
from kanegen.codegen.mechanism.importers.urdf import from_urdf, read
from kanegen.codegen.mechanism.rotations import rotation_of_quaternion
from kanegen.codegen.mechanism.rounded_angles import AngleRule

from .documents import pendulum


@pytest.mark.parametrize(
    ("text", "name", "distance"),
    [
        ("1.5707963267948966", "pi/2", 1.92e-17),
        ("1.57079632679", "pi/2", 4.9e-12),
        ("-3.14159265359", "-pi", 2.1e-13),
        ("4.71238898038", "3pi/2", 4.7e-12),
        ("1.5708", "pi/2", 3.7e-6),
        ("6.2832", "2pi", 1.5e-5),
        ("0", "0", 0),
    ],
)
def test_names_and_distances(text: str, name: str, distance: float) -> None:
    near = nearest_quarter_turns(Fraction(text))
    assert near.text == name
    assert float(near.distance) == pytest.approx(distance, rel=0.05, abs=1e-18)


def entries(rpy: str, **options: float) -> set[Fraction]:
    mechanism = from_urdf(pendulum(f'<origin rpy="{rpy}"/>'), **options)
    return {entry for row in mechanism.joint("j").rotation for entry in row}


def test_eleven_decimals_are_a_quarter_turn() -> None:
    assert entries("1.57079632679 -3.14159265359 0") <= {0, 1, -1}


def test_four_decimals_are_what_they_are() -> None:
    """1.5708 stays 3.7e-6 rad away from pi/2 unless somebody says otherwise."""
    s, c = (
        math.sin(1.5708),
        math.cos(1.5708),
    )  # the cosine loses no digits to cancellation: libm reduces exactly
    assert sorted(map(float, entries("1.5708 0 0"))) == pytest.approx(sorted((0, 1, s, c, -s)), rel=1e-15)


def test_the_tolerance_is_for_who_asks() -> None:
    assert entries("1.5708 0 0", angle_tolerance=1e-5) == {0, 1, -1}
    assert entries("1.57079632679 0 0", angle_tolerance=0) != {0, 1, -1}


def test_the_opt_in_is_recorded(tmp_path: Path) -> None:
    path = tmp_path / "p.urdf"
    path.write_text(pendulum('<origin rpy="1.5708 0 0"/>'))
    (finding,) = read(path, angle_tolerance=1e-5).findings
    assert (finding.line, finding.severity.value) == (4, "note")
    assert "the roll 1.5708 was taken for pi/2, 3.7e-06 rad away" in finding.what
    assert read(path).findings == ()


@pytest.mark.parametrize("tolerance", [-1e-9, math.nan, 0.5])
def test_tolerances_that_make_no_sense(tolerance: float) -> None:
    with pytest.raises(ModelError, match="angle_tolerance"):
        from_urdf(pendulum(), angle_tolerance=tolerance)


def test_directions_lose_rounding_noise() -> None:
    rule = AngleRule(1e-11)
    assert rule.cleared((Fraction(1), Fraction(1, 10**12), Fraction(0))) == (1, 0, 0)
    assert rule.cleared((Fraction(1), Fraction(1, 10**10), Fraction(0)))[1] != 0
    assert rule.distances == [Fraction(1, 10**12)]


def test_quaternions() -> None:
    """Against SciPy's."""
    for quaternion in ((0, 0, 0, 1), (1, 0, 0, 0), (1, 2, -3, 4), (5, 0, 1, -2)):
        rows = rotation_of_quaternion(tuple(map(Fraction, quaternion)))
        # entries of order one from some ten operations on doubles
        np.testing.assert_allclose(
            np.array(rows, dtype=float), Rotation.from_quat(quaternion).as_matrix(), atol=1e-15
        )
