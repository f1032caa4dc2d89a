"""TOML for mechanisms written by hand: every feature of the builder, arithmetic in parameters."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
import sympy

from kanegen.codegen.graph import Expression
from kanegen.codegen.mechanism import (
    Mechanism,
    MechanismBuilder,
    ModelError,
    numeric,
)
from kanegen.codegen.mechanism.denavit_hartenberg import DHRow, Placed, from_dh
from kanegen.codegen.mechanism.fingerprint import fingerprint
from kanegen.codegen.mechanism.importers import read_file
from kanegen.codegen.mechanism.importers.toml import from_toml
from kanegen.codegen.mechanism.records import JointLimits
from kanegen.codegen.mechanism.values import degrees

from .toml_models import DH, EVERY_JOINT, PARAMETERS, PENDULUM


def test_the_smallest_mechanism() -> None:
    builder = MechanismBuilder("pendulum")
    builder.body("rod", 2, (0, 0, "-0.5"), ("0.1", "0.1", "0.01"))
    builder.revolute("q", "base", "rod", (0, 1, 0))
    assert from_toml(PENDULUM) == builder.build()


def test_files_and_texts(tmp_path: Path) -> None:
    path = tmp_path / "double.toml"
    path.write_text(
        "\ufeff" + PENDULUM.replace('name = "pendulum"\n', "").replace("\n", "\r\n"), encoding="utf-8"
    )
    assert read_file(path).mechanism.name == "double"  # the file's name where it gives none
    assert from_toml(path).joints == from_toml(str(path)).joints == from_toml(PENDULUM).joints


def test_every_joint_as_the_builder_makes_it() -> None:
    builder = MechanismBuilder("joints", (0, -1, -9))
    builder.body("b10")
    for i in range(1, 10):
        builder.body(f"b{i}", i, (0, 0, 0), (1, 1, 1))
    builder.revolute(
        "turn",
        "base",
        "b1",
        (0, 0, 2),
        ("0.1", "0.2", "0.3"),
        ("0.1", "0.2", sympy.pi / 2),
        limits=JointLimits(_half_pi(-1), Fraction(3, 2), Fraction(2), Fraction(30)),
        damping="0.1",
        friction="0.2",
        rotor_inertia="1e-4",
        gear_ratio=100,
    )
    builder.prismatic("slide", "b1", "b2", (1, 0, 0), rotation=((0, -1, 0), (1, 0, 0), (0, 0, 1)))
    builder.revolute("follower", "b2", "b3", (0, 1, 0))
    builder.mimic("follower", "turn", -2, "0.1")
    builder.fixed("weld", "b3", "b4", (0, 0, 1))
    builder.spherical("ball", "b1", "b5")
    builder.planar("flat", "b1", "b6", (0, 0, 1))
    builder.cylindrical("tube", "b1", "b7", (0, 0, 1))
    builder.universal("cross", "b1", "b8", (1, 0, 0), (0, 1, 0))
    builder.helical("screw", "b1", "b9", (0, 0, 1), "0.01")
    builder.floating("free", "base", "b10")
    builder.frame("camera", "b4", (0, "0.1", 0), (0, sympy.pi, 0))
    builder.payload("box", "camera", 3, (0, 0, "0.1"), ("0.1", "0.2", "0.25", "0.01", 0, 0), (0, 0, "0.3"))
    builder.actuator("turn", -1, "motor")
    builder.coordinates(
        [
            "slide",
            "turn",
            "ball",
            "flat_x",
            "flat_y",
            "flat_angle",
            "tube_angle",
            "tube_slide",
            "cross_1",
            "cross_2",
            "screw",
            "free",
        ]
    )
    assert from_toml(EVERY_JOINT) == builder.build()


def _half_pi(sign: int) -> Fraction:
    return sign * degrees(180) / 2


def test_numbers_may_be_arithmetic_in_live_parameters() -> None:
    mechanism = from_toml(PARAMETERS)
    assert [(p.name, p.value, p.unit, p.description) for p in mechanism.parameters] == [
        ("g", Fraction("9.81"), "", ""),
        ("m", Fraction("2.5"), "kg", "mass of the rod"),
        ("L", Fraction("0.4"), "m", ""),
    ]
    inertia = mechanism.body("rod").inertia
    assert inertia is not None
    assert isinstance(inertia.mass, Expression)
    assert [numeric(x, mechanism) for x in inertia.center] == [Fraction("0.2"), 0, Fraction("-0.2")]
    assert numeric(inertia.tensor[0][0], mechanism) == Fraction("2.5") * Fraction("0.16") / 12
    assert inertia.tensor[2][2] == Fraction("0.001")
    assert numeric(mechanism.gravity[2], mechanism) == Fraction("-9.81")


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1/3", Fraction(1, 3)),
        ("-2**3", Fraction(-8)),
        ("--1 - -2", Fraction(3)),
        ("2*(3 + 4)/7", Fraction(2)),
        (".5e1", Fraction(5)),
        ("sqrt(9/4)", Fraction(3, 2)),
        ("cos(60*deg)", Fraction(1, 2)),
        ("8/2/2", Fraction(2)),
        ("abs(-3) + sign(-2) + max(1, 2.5, 2) + min(4)", Fraction(17, 2)),
        ("tanh(0) + exp(0) + log(1) + atan2(0, 1) + acos(1) + asin(0)", Fraction(1)),
        ("piecewise(2 < 1, 5, 2 >= 2, 7, 9)", Fraction(7)),
        ("piecewise(2 == 1, 5, 9)", Fraction(9)),
        ("tan(45*deg) + atan(0)", Fraction(1)),
    ],
)
def test_arithmetic(text: str, value: Fraction) -> None:
    mechanism = from_toml(PENDULUM.replace("mass = 2", f'mass = "10 + {text}"'))
    inertia = mechanism.body("rod").inertia
    assert inertia is not None
    assert inertia.mass == 10 + value


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("1/0", "divides by zero"),
        ("1 +", "it ends too early"),
        ("(1", "')' is missing"),
        ("1 2", "'2' is not expected after '1'"),
        ("x", "'x' is none of the names deg, pi"),
        ("9**9**9", "is not expected"),
        ("__import__('os')", "'(' is not"),
        ("open(1)", "'open' is none of the functions abs, acos"),
        ("atan2(1)", "atan2 takes 2 numbers, not 1"),
        ("exp(1e6)", "no real value"),
        ("log(-1)", "no real value"),
        ("piecewise(1, 2)", "one of <, <=, >, >=, == is expected"),
        ("piecewise(1 < 2, 2", "',' is missing"),
        ("1 < 2", "'<' is not expected"),
        ("1;2", "';2' is neither a number"),
        ("(" * 60 + "1" + ")" * 60, "nested deeper than 50"),
        ("1+" * 600 + "1", "longer than 1000 characters"),
        ("1e999", "a number too large"),
    ],
)
def test_what_is_not_arithmetic_is_refused(text: str, complaint: str) -> None:
    with pytest.raises(ModelError) as refusal:
        from_toml(PENDULUM.replace("mass = 2", f'mass = "{text}"'))
    assert str(refusal.value).startswith("line 4: body 'rod', mass: ")
    if not text.startswith("__"):
        assert complaint in str(refusal.value)


@pytest.mark.parametrize("convention", ["standard", "modified"])
def test_tables_of_denavit_and_hartenberg(convention: str) -> None:
    right = degrees(90)
    expected = from_dh(
        [
            DHRow("0.1", "0.3", "0.2", right, mass=2, center=("0.1", 0, 0), inertia=("0.1", "0.2", "0.25")),
            DHRow(
                degrees(180),
                "0.4",
                0,
                -right,
                prismatic=True,
                mass=1,
                inertia=(1, 1, 1),
                about="origin",
                joint="reach",
                link="boom",
                limits=JointLimits(Fraction(0), Fraction(4, 5)),
                damping=5,
            ),
        ],
        convention,
        base=Placed((0, 0, "0.5"), (0, 0, degrees(45))),
        tool=Placed((0, 0, "0.1"), (0, right, 0), "gripper"),
    )
    found = from_toml(DH.format(convention=convention))
    assert (found.coordinates, [f.name for f in found.frames]) == (
        expected.coordinates,
        [f.name for f in expected.frames],
    )
    assert _numbers(found) == pytest.approx(_numbers(expected), abs=1e-15)


def _numbers(mechanism: Mechanism) -> list[float]:
    values: list[float] = []
    for placed in (*mechanism.joints, *mechanism.frames):
        values += [
            float(numeric(x, mechanism))
            for x in (*placed.position, *(e for row in placed.rotation for e in row))
        ]
    return values


def test_floating_bases() -> None:
    text = (
        PENDULUM.replace('parent = "base"', 'parent = "trunk"')
        + """\
[[body]]
name = "trunk"
mass = 5
inertia = [1, 1, 1]
[[joint]]
name = "root"
type = "fixed"
parent = "base"
child = "trunk"
"""
    )
    assert from_toml(text).dof == 1
    free = from_toml(text, floating_base=True)
    assert free == from_toml(text.replace('"fixed"', '"floating"'), floating_base=True)
    assert free.rates == ("root_vx", "root_vy", "root_vz", "root_wx", "root_wy", "root_wz", "q")
    with pytest.raises(ModelError, match="a floating base is asked for"):
        from_toml(PENDULUM, floating_base=True)


def test_unphysical_numbers_on_request() -> None:
    text = PENDULUM.replace("[0.1, 0.1, 0.01]", "[1, 1, 5]")
    with pytest.raises(ModelError, match="the largest exceeds the sum of the others"):
        from_toml(text)
    assert from_toml(text, allow_unphysical=True).dof == 1


def test_the_same_file_gives_the_same_mechanism() -> None:
    assert fingerprint(from_toml(EVERY_JOINT)) == fingerprint(from_toml(EVERY_JOINT))
    assert np.isfinite(_numbers(from_toml(EVERY_JOINT))).all()
