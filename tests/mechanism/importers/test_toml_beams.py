"""Flexible links in TOML files."""

from __future__ import annotations

import pytest

from kanegen.codegen.mechanism import MechanismBuilder, ModelError
from kanegen.codegen.mechanism.fingerprint import fingerprint
from kanegen.codegen.mechanism.flexible import Appendage, Beam, BeamFunction, Mode, Polynomial, RodFunction
from kanegen.codegen.mechanism.importers.toml import from_toml

TEXT = """
name = "arm"

[parameters]
EI = { value = 36, unit = "N m^2" }

[[beam]]
name = "link"
length = 1.2
mass_per_length = [0.6, -0.1]
EI_y = 40
EI_z = "EI"
GJ = [30]
section_y = 0.002
section_z = 0.001
damping_time = 2e-4
mode = [
  { name = "d1", y = "clamped-free 1" },
  { name = "d2", z = [0, 0, 1.5, -0.5], twist = "rod 2" },
]
appendage = [{ at = 0, mass = 1, inertia = [0.01, 0.01, 0.02] }, { at = 1.2, mass = 0.1, center = [0, 0.02, 0] }]
station = { middle = 0.6 }

[[joint]]
name = "q1"
type = "revolute"
parent = "base"
child = "link"
axis = [0, 0, 1]
"""


def test_a_beam_is_that_of_the_builder() -> None:
    b = MechanismBuilder("arm")
    stiffness = b.parameter("EI", 36, "N m^2")
    beam = Beam(
        "1.2",
        Polynomial.of("0.6", "-0.1"),
        [
            Mode("d1", y=BeamFunction("clamped-free", 1)),
            Mode("d2", z=(0, 0, "1.5", "-0.5"), twist=RodFunction(2)),
        ],
        EI_y=40,
        EI_z=stiffness,
        GJ=Polynomial.of(30),
        section_y="0.002",
        section_z="0.001",
        damping_time="0.0002",
        appendages=[
            Appendage(0, 1, inertia=("0.01", "0.01", "0.02")),
            Appendage("1.2", "0.1", (0, "0.02", 0)),
        ],
    )
    b.flexible("link", beam, {"middle": "0.6"})
    b.revolute("q1", "base", "link", (0, 0, 1))
    assert fingerprint(from_toml(TEXT)) == fingerprint(b.build())


@pytest.mark.parametrize(
    ("old", "new", "where", "what"),
    [
        ('"clamped-free 1"', '"clamped-free"', "y", "'clamped-free'"),
        ('"rod 2"', '"rod two"', "twist", "'rod two'"),
        ('"rod 2"', '"rod 0"', "twist", "number 0"),
        ("length = 1.2", "length = -1.2", "length", "-1.2"),
        ('"clamped-free 1"', "[0, 1]", "dy/dx", "not zero at the joint"),
        ("at = 1.2", "at = 1.3", "appendage", "between 0 and 1"),
        ('EI_z = "EI"', "", "stiffness", "not every deflection"),
        ("damping_time", "dampingtime", "dampingtime", "not a key"),
        ('name = "d2"', 'name = "q1"', "'q1'", "another coordinate"),
    ],
)
def test_what_is_wrong_is_said_with_its_line(old: str, new: str, where: str, what: str) -> None:
    assert old in TEXT
    with pytest.raises(ModelError) as caught:
        from_toml(TEXT.replace(old, new, 1))
    text = str(caught.value)
    assert text.startswith("line ")
    assert where in text
    assert what in text


def test_tables_inside_a_beam_are_told_by_their_whole_name() -> None:
    with pytest.raises(ModelError, match=r"Begin each with \[\[beam\.mode\]\]"):
        from_toml(TEXT[: TEXT.index("mode = [")] + "mode = { name = 'd0' }")
