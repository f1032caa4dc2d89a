"""Numbers at the edge of what is taken: limits beyond every joint, digits that are zeros, and what is too small."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import pytest

import kanegen
from kanegen.codegen.commands.doctor import diagnose
from kanegen.codegen.mechanism import JointLimits, MechanismBuilder
from kanegen.codegen.mechanism.importers import from_toml, from_urdf
from kanegen.codegen.mechanism.importers.urdf import text_as_meant
from kanegen.codegen.mechanism.rounded_angles import fraction_of_pi
from kanegen.codegen.mechanism.validation.joints import exact_limits
from kanegen.codegen.mechanism.values import to_value
from tests.mechanism.importers.documents import pendulum


def limited(limits: str) -> JointLimits:
    text = pendulum(f'<limit {limits} velocity="1" effort="1"/>', kind="revolute")
    found = from_urdf(text).joint("j").limits
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("limits", "lower", "upper"),
    [
        ('lower="-1.7976931348623157e308" upper="1.5"', None, 1.5),
        ('lower="-1e70" upper="1"', None, 1),
        ('lower="-1e60" upper="1"', None, 1),
        ('lower="-3" upper="1e61"', -3, None),
        ('lower="-inf" upper="inf"', None, None),
        ('lower="-1"', -1, 0),
        ('upper="2"', 0, 2),
    ],
)
def test_what_is_infinite_is_no_limit_and_not_zero(
    limits: str, lower: float | None, upper: float | None
) -> None:
    """Cases 84 and 100: of two limits, one infinite by any spelling leaves the other; zero is what is not written."""
    found = limited(limits)
    assert (found.lower, found.upper) == (lower, upper and Fraction(upper))


@pytest.mark.parametrize(
    ("limits", "what"),
    [
        ('lower="inf" upper="inf"', "lower: is infinite, which no joint can keep"),
        ('lower="-inf" upper="-1e12"', r"upper: is -1e\+12, which no joint can keep"),
        ('lower="1e12" upper="1e13"', r"lower: is 1e\+12, which no joint can keep"),
        ('lower="inf"', r"its lower limit 1e\+60 is above the upper one, 0.0"),
    ],
)
def test_limits_of_the_wrong_sign(tmp_path: Path, limits: str, what: str) -> None:
    """Case 84: a range without a place in it is no range without limits: load and doctor say so."""
    path = tmp_path / "p.urdf"
    path.write_text(pendulum(f'<limit {limits} velocity="1" effort="1"/>', kind="revolute"))
    with pytest.warns(kanegen.ModelWarning, match=what):
        assert limited(limits) == JointLimits(None, None, Fraction(1), Fraction(1))
    assert any(finding.severity.value == "warning" for finding in diagnose(str(path)))


@pytest.mark.parametrize(("name", "sign"), [("lower", 1), ("upper", -1), ("velocity", -1), ("effort", -1)])
def test_limits_of_the_wrong_sign_in_python(name: str, sign: int) -> None:
    """Case 84: the same numbers given to the builder; those of the other sign are none."""
    with pytest.raises(
        kanegen.ModelError, match=rf"joint 'j', limits, {name}: is -?inf, which no joint can keep"
    ):
        exact_limits("joint 'j'", JointLimits(**{name: sign * math.inf}))
    assert exact_limits("joint 'j'", JointLimits(**{name: -sign * math.inf})) == JointLimits()


@pytest.mark.parametrize("angle", ["2.356194490", "-2.356194490", "2.3561944902", "23.56194490e-1"])
def test_a_last_digit_that_is_zero_is_a_digit(tmp_path: Path, angle: str) -> None:
    """Case 70: 3 pi/4 is 2.35619449019...: ten digits of it end in a zero.  The exact rotation is the witness."""
    # the sine and the cosine of 3 pi/4 are opposite to 60 digits, and those of the decimal to ten
    rotation = from_urdf(pendulum(f'<origin rpy="{angle} 0 0"/>')).joint("j").rotation
    assert abs(rotation[1][1] + abs(rotation[2][1])) < Fraction(1, 10**50)
    path = tmp_path / "p.urdf"
    path.write_text(pendulum(f'<origin rpy="{angle} 0 0"/>'))
    assert repr(3 * math.pi / 4) in text_as_meant(path, 1e-11)  # for other programs


@pytest.mark.parametrize(
    "angle", ["2.35619449", "2.3561944900", "2.35619450", "2.356194500", "1.570800000", "3.141600000000"]
)
def test_zeros_do_not_make_a_fraction_of_pi(angle: str) -> None:
    """Case 70: nine digits are too few, and zeros behind four digits are wrong ones."""
    decimals = len(angle.partition(".")[2])
    assert fraction_of_pi(Fraction(angle), decimals) is None


@pytest.mark.parametrize(
    ("mass", "what"),
    [
        ("1e-500", "a number too small, '1e-500': exponents go down to -400"),
        ("9" * 999, r"a number too large, .*: stay below 1e\+60"),
        (Decimal("1e-5000"), "a number too small, '1E-5000'"),
    ],
)
def test_numbers_out_of_range_are_called_so(mass: str | Decimal, what: str) -> None:
    """Cases 84 and 98: they are finite, and not zero; a number that a double would lose is refused."""
    with pytest.raises(kanegen.ModelError, match=f"body 'b', mass: {what}"):
        MechanismBuilder("r").body("b", mass=mass)
    if isinstance(mass, str):
        text = f'[[body]]\nname = "b"\nmass = "{mass}"\n'
        with pytest.raises(kanegen.ModelError, match=what):
            from_toml(text)


def test_decimals_are_exact() -> None:
    """Case 98: all digits of a Decimal count, as those of the same text do."""
    digits = "0.123456789012345678901234567890"
    assert to_value(Decimal(digits)) == to_value(digits) == Fraction(digits)


@pytest.mark.parametrize("size", ["1e-300", "1e-180"])
def test_a_short_axis_is_an_axis(size: str) -> None:
    """Case 98: its square is no double and less than any constant, and its direction is as clear as that of 1."""
    builder = MechanismBuilder("r")
    builder.body("b", mass=1, inertia=(1, 1, 1))
    builder.revolute("j", "base", "b", (size, 0, 0))
    assert builder.build().joint("j").axis == (1, 0, 0)
    assert from_urdf(pendulum(f'<axis xyz="0 -{size} 0"/>')).joint("j").axis == (0, -1, 0)
