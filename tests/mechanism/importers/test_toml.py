"""TOML for mechanisms written by hand: every feature of the builder, arithmetic in parameters, errors with their lines."""

from __future__ import annotations

import math
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
import sympy

from kanegen.codegen.graph import Expression
from kanegen.codegen.mechanism import (
    AngularVelocityComponent,
    JointRate,
    LoopKind,
    Mechanism,
    MechanismBuilder,
    ModelError,
    PointVelocityComponent,
    numeric,
)
from kanegen.codegen.mechanism.fingerprint import fingerprint
from kanegen.codegen.mechanism.importers import read_file
from kanegen.codegen.mechanism.importers.toml import from_toml
from kanegen.codegen.mechanism.importers.toml.lines import lines_of
from kanegen.codegen.mechanism.records import JointLimits
from kanegen.codegen.mechanism.speeds import DistanceRate

PENDULUM = """\
name = "pendulum"
[[body]]
name = "rod"
mass = 2
center = [0, 0, -0.5]
inertia = [0.1, 0.1, 0.01]
[[joint]]
name = "q"
type = "revolute"
parent = "base"
child = "rod"
axis = [0, 1, 0]
"""


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


EVERY_JOINT = """\
name = "joints"
gravity = [0, -1, -9]
coordinates = ["slide", "turn", "ball", "flat_x", "flat_y", "flat_angle", "tube_angle", "tube_slide", "cross_1",
               "cross_2", "screw", "free"]
[[joint]]
name = "turn"
type = "continuous"
parent = "base"
child = "b1"
axis = [0, 0, 2]
position = [0.1, 0.2, 0.3]
rotation = [0.1, 0.2, "pi/2"]
limits = { lower = "-pi/2", upper = 1.5, velocity = 2, effort = 30 }
damping = 0.1
friction = 0.2
rotor_inertia = 1e-4
gear_ratio = 100
[[joint]]
name = "slide"
type = "prismatic"
parent = "b1"
child = "b2"
axis = [1, 0, 0]
rotation = [[0, -1, 0], [1, 0, 0], [0, 0, 1]]
[[joint]]
name = "follower"
type = "revolute"
parent = "b2"
child = "b3"
axis = [0, 1, 0]
mimic = { joint = "turn", multiplier = -2, offset = 0.1 }
[[joint]]
name = "weld"
type = "fixed"
parent = "b3"
child = "b4"
position = [0, 0, 1]
[[joint]]
name = "ball"
type = "spherical"
parent = "b1"
child = "b5"
[[joint]]
name = "flat"
type = "planar"
parent = "b1"
child = "b6"
axis = [0, 0, 1]
[[joint]]
name = "tube"
type = "cylindrical"
parent = "b1"
child = "b7"
axis = [0, 0, 1]
[[joint]]
name = "cross"
type = "universal"
parent = "b1"
child = "b8"
axis = [1, 0, 0]
second_axis = [0, 1, 0]
[[joint]]
name = "screw"
type = "helical"
parent = "b1"
child = "b9"
axis = [0, 0, 1]
pitch = 0.01
[[joint]]
name = "free"
type = "floating"
parent = "base"
child = "b10"
[[body]]
name = "b10"
[[frame]]
name = "camera"
body = "b4"
position = [0, 0.1, 0]
rotation = [0, "pi", 0]
[[payload]]
name = "box"
frame = "camera"
mass = 3
center = [0, 0, 0.1]
inertia = [0.1, 0.2, 0.25, 0.01, 0, 0]
inertia_rotation = [0, 0, 0.3]
[[actuator]]
joint = "turn"
sign = -1
name = "motor"
""" + "".join(f'[[body]]\nname = "b{i}"\nmass = {i}\ninertia = [1, 1, 1]\n' for i in range(1, 10))


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
        ("slide", "turn", "ball", "flat_x", "flat_y", "flat_angle", "tube_angle", "tube_slide", "cross_1")
        + ("cross_2", "screw", "free")
    )
    assert from_toml(EVERY_JOINT) == builder.build()


def _half_pi(sign: int) -> Fraction:
    from kanegen.codegen.mechanism.values import degrees

    return sign * degrees(180) / 2


PARAMETERS = """\
gravity = [0, 0, "-g"]
[parameters]
g = 9.81
m = { value = 2.5, unit = "kg", description = "mass of the rod" }
L = { value = "0.4", unit = "m" }
[[body]]
name = "rod"
mass = "m"
center = ["L*sin(30*deg)", 0, "-L/2"]
inertia = ["m*L**2/12", "m*(L**2)/12 - 0", "+1e-3"]
[[joint]]
name = "q"
type = "revolute"
parent = "base"
child = "rod"
axis = [0, 1, 0]
"""


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
        ("2**-1", "a power is an integer from 1 to 16, not '-'"),
        ("9**9**9", "is not expected"),
        ("__import__('os')", "'(' is not"),
        ("open(1)", "'open' is none of the functions cos, sin, sqrt"),
        ("1;2", "';2' is neither a number"),
        ("(" * 60 + "1" + ")" * 60, "nested deeper than 50"),
        ("1+" * 600 + "1", "longer than 1000 characters"),
        ("1e999", "not a finite number"),
    ],
)
def test_what_is_not_arithmetic_is_refused(text: str, complaint: str) -> None:
    with pytest.raises(ModelError) as refusal:
        from_toml(PENDULUM.replace("mass = 2", f'mass = "{text}"'))
    assert str(refusal.value).startswith("line 4: body 'rod', mass: ")
    if not text.startswith("__"):
        assert complaint in str(refusal.value)


LINKAGE = """\
speeds = ["crank"]
home = [0, 0, 0]
[parameters]
k = 5
[[body]]
name = "one"
mass = 1
[[body]]
name = "two"
mass = 1
[[body]]
name = "three"
mass = 1
[[joint]]
name = "crank"
type = "revolute"
parent = "base"
child = "one"
axis = [0, 1, 0]
[[joint]]
name = "coupler"
type = "revolute"
parent = "one"
child = "two"
axis = [0, 1, 0]
position = [0, 0, 0.2]
[[joint]]
name = "rocker"
type = "revolute"
parent = "base"
child = "three"
axis = [0, 1, 0]
position = [0.4, 0, 0]
[[frame]]
name = "tip"
body = "two"
position = [0.4, 0, 0]
[[frame]]
name = "top"
body = "three"
position = [0, 0, 0.2]
[[loop]]
name = "pin"
type = "spherical"
first = "tip"
second = "top"
[[spring]]
name = "return"
joint = "rocker"
stiffness = "2*k"
damping = 0.1
rest = 0.2
[[spring]]
name = "rubber"
first = "one"
second = "top"
stiffness = "k"
"""


def test_loops_springs_and_speeds() -> None:
    mechanism = from_toml(LINKAGE)
    assert mechanism.speeds == (JointRate("crank"),)
    assert [(loop.name, loop.kind, loop.first, loop.second) for loop in mechanism.loops] == [
        ("pin", LoopKind.SPHERICAL, "tip", "top")
    ]
    back, rubber = mechanism.springs
    assert [numeric(x, mechanism) for x in (back.stiffness, back.damping, back.rest)] == [
        10,
        Fraction(1, 10),
        Fraction(1, 5),
    ]
    assert numeric(rubber.stiffness, mechanism) == 5


DISC = """\
coordinates = ["x", "y", "yaw", "lean", "spin"]
home = [0, 0, 0, 0.2, 0]
[[joint]]
name = "x"
type = "prismatic"
parent = "base"
child = "a"
axis = [1, 0, 0]
[[joint]]
name = "y"
type = "prismatic"
parent = "a"
child = "b"
axis = [0, 1, 0]
[[joint]]
name = "yaw"
type = "revolute"
parent = "b"
child = "c"
axis = [0, 0, 1]
[[joint]]
name = "lean"
type = "revolute"
parent = "c"
child = "d"
axis = [1, 0, 0]
[[joint]]
name = "spin"
type = "revolute"
parent = "d"
child = "disc"
axis = [0, 1, 0]
position = [0, 0, 0.3]
[[body]]
name = "a"
[[body]]
name = "b"
[[body]]
name = "c"
[[body]]
name = "d"
[[body]]
name = "disc"
mass = 1
inertia = [0.01, 0.02, 0.01]
[[frame]]
name = "wheel"
body = "disc"
rotation = ["-pi/2", 0, 0]
[[rolling]]
name = "rolls"
wheel = "wheel"
radius = 0.3
contact = "d"
"""
DISC_SPEEDS = """\
[[speed]]
body = "disc"
direction = [0, 1, 0]
[[speed]]
joint = "yaw"
[[speed]]
joint = "lean"
"""


def test_rolling_and_other_speeds() -> None:
    mechanism = from_toml(DISC + DISC_SPEEDS)
    assert mechanism.dof == 3
    assert mechanism.speeds == (
        AngularVelocityComponent("disc", (0, 1, 0)),
        JointRate("yaw"),
        JointRate("lean"),
    )
    assert numeric(mechanism.constraints[0].radius, mechanism) == Fraction(3, 10)  # type: ignore[union-attr]


def test_equations_knives_prescribed_joints_and_points() -> None:
    text = DISC.replace('[[rolling]]\nname = "rolls"\nwheel = "wheel"\nradius = 0.3\ncontact = "d"\n', "")
    mechanism = from_toml(
        text
        + """\
[[equation]]
name = "position"
position = "lean - 0.2 - sin(x - y)/10"
[[equation]]
name = "velocity"
velocity = "rate(x)*cos(yaw) + rate(y)*sin(yaw) - 0.3*rate(spin)"
[[knife_edge]]
name = "knife"
edge = "c"
[[speed]]
frame = "d"
direction = [1, 0, 0]
relative_to = "base"
[[speed]]
joint = "yaw"
"""
    )
    position, velocity, knife = sorted(mechanism.constraints, key=lambda c: "pvk".index(c.name[0]))
    x, y, yaw, lean, _ = position.q  # type: ignore[union-attr]
    expected = lean - sympy.Rational(1, 5) - sympy.sin(x - y) / 10
    assert sympy.expand(position.expression - expected) == 0  # type: ignore[union-attr]
    xdot, ydot, _, _, spindot = velocity.qdot  # type: ignore[union-attr]
    expected = xdot * sympy.cos(yaw) + ydot * sympy.sin(yaw) - sympy.Rational(3, 10) * spindot
    assert sympy.expand(velocity.expression - expected) == 0  # type: ignore[union-attr]
    assert knife.edge == "c"  # type: ignore[union-attr]
    assert mechanism.speeds[0] == PointVelocityComponent("d", (1, 0, 0), "base")

    spun = from_toml(PENDULUM + LINK_ON_ROD + '[[prescribed]]\njoint = "spin"\nrate = "2*pi"\n')
    assert float(spun.prescribed[0].rate) == pytest.approx(2 * math.pi)  # type: ignore[arg-type]
    assert spun.coordinates == ("q",)


LINK_ON_ROD = """\
[[body]]
name = "rotor"
mass = 1
[[joint]]
name = "spin"
type = "revolute"
parent = "rod"
child = "rotor"
axis = [0, 1, 0]
"""


def test_struts() -> None:
    mechanism = from_toml(
        PENDULUM
        + '[[frame]]\nname = "wall"\nbody = "base"\nposition = [1, 0, 0]\n'
        + '[[frame]]\nname = "end"\nbody = "rod"\nposition = [0, 0, -1]\n'
        + '[[speed]]\nfirst = "wall"\nsecond = "end"\n'
    )
    assert mechanism.speeds == (DistanceRate("wall", "end"),)


DH = """\
name = "arm"
gravity = [0, 0, -9.81]
[[dh]]
convention = "{convention}"
position = [0, 0, 0.5]
rotation = [0, 0, "pi/4"]
tool = {{ name = "gripper", position = [0, 0, 0.1], rotation = [0, "pi/2", 0] }}
[[dh.row]]
theta = 0.1
d = 0.3
a = 0.2
alpha = "pi/2"
mass = 2
center = [0.1, 0, 0]
inertia = [0.1, 0.2, 0.25]
[[dh.row]]
type = "prismatic"
joint = "reach"
link = "boom"
theta = "pi"
d = 0.4
alpha = "-90*deg"
mass = 1
inertia = [1, 1, 1]
about = "origin"
damping = 5
limits = {{ lower = 0, upper = 0.8 }}
"""


@pytest.mark.parametrize("convention", ["standard", "modified"])
def test_tables_of_denavit_and_hartenberg(convention: str) -> None:
    from kanegen.codegen.mechanism.denavit_hartenberg import DHRow, Placed, from_dh
    from kanegen.codegen.mechanism.values import degrees

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


WRONG = {
    "key of a joint": (
        "axis = ",
        "axes = ",
        "line 12: joint 'q', axes: is not a key",
        "Did you mean 'axis'?",
    ),
    "key at the top": ("[[body]]", "[[bodies]]", "line 2: bodies: is not a key", "Did you mean 'body'?"),
    "key far off": ("mass = ", "weight = ", "line 4: body 'rod', weight: is not a key", "Remove it"),
    "type": ('"revolute"', '"hinge"', "line 9: joint 'q', type: is 'hinge'", "Choose one of these."),
    "type misspelt": ('"revolute"', '"revolut"', "line 9:", "Did you mean 'revolute'?"),
    "missing": ("axis = [0, 1, 0]\n", "", "line 7: joint 'q': has no 'axis'", "Add it."),
    "no type": ('type = "revolute"\n', "", "line 7: joint 'q': has no 'type'", "Add it."),
    "comma": ("[0, 1, 0]", "[0,3 0 0]", "line 12: is not TOML", "Mend it there."),
    "zero axis": ("[0, 1, 0]", "[0, 0, 0]", "line 7: joint 'q', axis: is the zero vector", "Give the axis"),
    "two numbers": ("[0, 1, 0]", "[0, 1]", "line 7: joint 'q', axis: has 2 entries", "three numbers"),
    "truth": ("mass = 2", "mass = true", "line 4: body 'rod', mass: not a number, True", "Give a number."),
    "not a number": (
        "mass = 2",
        "mass = nan",
        "line 4: body 'rod', mass: not a finite number",
        "Give a number.",
    ),
    "negative": ("mass = 2", "mass = -2", "line 2: body 'rod', mass: is negative", "Check units"),
    "unknown body": (
        '"rod"\naxis',
        '"rode"\naxis',
        "line 7: joint 'q': its child 'rode' is not a body",
        "Mend the name",
    ),
    "array": ("[0, 0, -0.5]", "5", "line 5: body 'rod', center: is 5", "Write [0, 0, 1]."),
    "name": ('name = "rod"', "name = 3", "line 3: body, name: is 3", "Write a name in quotes."),
    "table": ("[[body]]", "[body]", "line 2: body: is {", "Begin each with [[body]]."),
    "coordinates": (
        "[[body]]",
        'coordinates = ["p"]\n[[body]]',
        "line 2: coordinates: are 'p'",
        "List every",
    ),
    "inner key": (
        "axis =",
        "limits = { low = 1 }\naxis =",
        "line 12: joint 'q', limits, low: is not",
        "Did you mean 'lower'",
    ),
    "mimic": ("axis =", "mimic = 3\naxis =", "line 12: joint 'q', mimic: is 3", "Write mimic = { … }."),
}


@pytest.mark.parametrize("case", WRONG)
def test_errors_say_line_and_cure(case: str) -> None:
    old, new, where, cure = WRONG[case]
    assert old in PENDULUM
    with pytest.raises(ModelError) as refusal:
        from_toml(PENDULUM.replace(old, new, 1))
    assert str(refusal.value).startswith(where)
    assert cure in str(refusal.value)


def test_errors_name_the_file(tmp_path: Path) -> None:
    path = tmp_path / "arm.toml"
    path.write_text(PENDULUM.replace("mass = 2", "mass = -2"))
    with pytest.raises(ModelError) as refusal:
        read_file(path)
    assert str(refusal.value).startswith(f"{path}:2: body 'rod', mass: is negative")
    path.write_bytes(b"name = '\xff'")
    with pytest.raises(ModelError, match="is not UTF-8"):
        from_toml(path)
    with pytest.raises(ModelError, match="cannot be read"):
        from_toml(tmp_path / "none.toml")


@pytest.mark.parametrize(
    ("table", "complaint"),
    [
        ('[[spring]]\nname = "s"\nstiffness = 1\n', "spring 's': does not say where it acts"),
        ('[[spring]]\nname = "s"\njoint = "q"\nfirst = "rod"\n', "spring 's': does not say where it acts"),
        ('[[speed]]\nbody = "rod"\n', "speed: has the keys body"),
        ('[[speed]]\njoint = "q"\ndirection = [1, 0, 0]\n', "speed: has the keys joint, direction"),
        ('[[actuator]]\njoint = "q"\nsign = 2\n', "actuator, sign: is 2"),
        ('[[equation]]\nname = "e"\nposition = "q"\n', "equation 'e': needs the coordinates by name"),
        ('[[equation]]\nname = "e"\n', "equation 'e': is no single equation"),
        (
            '[[loop]]\nname = "l"\ntype = "ball"\nfirst = "rod"\nsecond = "base"\n',
            "loop 'l', type: is 'ball'",
        ),
        ('[[payload]]\nname = "p"\nframe = "hand"\nmass = 1\n', "payload 'p': 'hand' is not a frame"),
        ('[[dh]]\nconvention = "paul"\nrow = []\n', "dh, convention: is 'paul'"),
        ('[[dh]]\nconvention = "standard"\nrow = []\n', "has no rows"),
    ],
)
def test_further_tables_are_checked(table: str, complaint: str) -> None:
    with pytest.raises(ModelError) as refusal:
        from_toml(PENDULUM + table)
    assert complaint in str(refusal.value)
    assert str(refusal.value).startswith("line 1")  # beyond the twelve lines of the pendulum


def test_lines_of_valid_toml() -> None:
    text = '''\
# [[joint]] in a comment
title = "a # no comment [x]"
"quoted key" = 1
text = """
[[joint]]
name = \\"q\\" """
'literal' = \'\'\'
x = 1\'\'\'
[a.b]
c.d = [1, # one
  { x = 1, y = [2,
  3] },
]
[[joint]]
name = "p"
[joint.mimic]
joint = "z"
[[joint]]
[[joint.part]]
n = 1
[[joint.part]]
n = 2
'''
    lines = lines_of(text)
    assert (lines["title",], lines["quoted key",], lines["text",], lines["literal",]) == (2, 3, 4, 7)
    assert (lines["a", "b"], lines["a", "b", "c", "d"], lines["a", "b", "c", "d", 1, "y"]) == (9, 10, 11)
    assert lines["a", "b", "c", "d", 1, "y", 1] == 12
    assert (lines["joint", 0], lines["joint", 0, "name"], lines["joint", 0, "mimic", "joint"]) == (14, 15, 17)
    assert (lines["joint", 1], lines["joint", 1, "part", 0, "n"], lines["joint", 1, "part", 1, "n"]) == (
        18,
        20,
        22,
    )


def test_the_same_file_gives_the_same_mechanism() -> None:
    assert fingerprint(from_toml(EVERY_JOINT)) == fingerprint(from_toml(EVERY_JOINT))
    assert np.isfinite(_numbers(from_toml(EVERY_JOINT))).all()
