"""Files that are refused: every reader says where and what, with a cure, and every door says the same."""

from __future__ import annotations

import time

import pytest

from kanegen.limits import MOST_DIGITS
from tests.mechanism.importers.documents import joint, link, pendulum, robot
from tests.mechanism.importers.toml_models import PENDULUM

from .files import inertial, refused_file

MJCF = '<mujoco><worldbody><body name="b{}"><joint name="j"/><geom size="1"/></body></worldbody></mujoco>'
EQUATION = 'coordinates = ["q"]\n' + PENDULUM + '[[equation]]\nname = "e"\nposition = "q - {}"\n'
BODY = '[[body]]\nname = "b"\nmass = {}\n'
HINGE = 'body = [{{ name = "b", mass = 1 }}]\njoint = [{{ name = "j", type = "{}", parent = "base", child = "b" }}]\n'
LAUGHS = "".join(f'<!ENTITY l{i} "{f"&l{i - 1};" * 10 if i else "ha"}">' for i in range(20))
XACRO = ' xmlns:xacro="http://www.ros.org/wiki/xacro"'
DEEP = "<robot>" + "<a>" * 300 + "</a>" * 300 + "</robot>"
ENDS = "<joint name='j' type='continuous'><parent link='a'/><child link='b'/></joint>"
LONG = "n" * 100_000
POWERS = (
    "((((1.1**16)**16)**16)**16)**16",
    "(((9**16)**16)**16)**16",
    "1/((((1.1**16)**16)**16)**16)",
    "sqrt((((2.5**16)**16)**16)**16)",
)
DIGITS = f"more than {MOST_DIGITS.value} digits"


def rod(change: str, by: str) -> str:
    return PENDULUM.replace(change, by)


def declared(encoding: str, written: str, name: str = "Träger") -> bytes:
    return (f"<?xml version='1.0' encoding='{encoding}'?>\n" + robot(link(name, ""))).encode(written)


ROWS: list[tuple[str, str | bytes, str, str]] = [
    # numbers
    (".toml", rod("= 2", "= 1e309"), ":4: body 'rod', mass", "inf"),
    (".toml", rod("= 2", "= " + "9" * 5000), "", "cannot be read"),
    (".toml", rod("= 2", "= 1979-02-31"), "", ""),  # a day that no month has
    (".toml", rod("[0, 1, 0]", f"[0, {'9' * 400}, 0]"), "joint 'q', axis", ""),
    (".urdf", pendulum(f'<axis xyz="0 {"9" * 400} 0"/>'), ":4: joint 'j'", ""),
    (".urdf", pendulum(body=inertial(mass="1e309")), ":3: link 'b', <mass>", ""),
    (".urdf", pendulum('<axis xyz="0 0 0"/>'), ":4: joint 'j', <axis> xyz", "zero vector"),
    (".toml", BODY.format('"1e-500"'), ":3: body 'b', mass", "too small"),
    (".toml", BODY.format(f'"{"9" * 999}"'), ":3: body 'b', mass", "too large"),
    # with a decimal comma
    (".urdf", pendulum('<origin xyz="0,3 0 0"/>'), ":4: joint 'j', <origin> xyz", "'0,3 0 0', with a decimal comma"),
    (".urdf", pendulum(body=inertial(mass="1,5")), ":3: link 'b', <mass> value", "'1,5', with a decimal comma"),
    (".toml", BODY.format('"1,5"'), ":3: body 'b', mass", "1,5"),
    # inertias of no body
    *(
        (".urdf", pendulum(body=inertial(moments)), ":3: link 'b', inertia", f"principal moments {listed} kg m^2")
        for moments, listed in (("1 1 5 0 0 0", "1, 1, 5"), ("1 -1 1 0 0 0", "-1, 1, 1"), ("1 1 1 2 0 0", "-1, 1, 3"))
    ),
    # powers of powers, which would take minutes
    *((".toml", rod("= 2", f'= "{power}"'), "body 'rod', mass", DIGITS) for power in POWERS),
    *((".toml", EQUATION.format(power), "equation 'e', position", DIGITS) for power in POWERS),
    (".toml", EQUATION.format("1e999999999"), "equation 'e', position", ""),
    (".toml", EQUATION.format("(((q**16)**16)**16)**16"), "", "exponent"),
    # exponents that a TOML file may not have, and a sign for powers that is none
    *(
        (".toml", f'parameters = {{ m = 0.5 }}\n{BODY.format(chr(34) + text + chr(34))}', ":4: body 'b', mass", word)
        for text, word in (
            ("m**0.3", "a power"), ("m**17", "a power"), ("m**m", "a power"), ("m**0", "a power"), ("m**1e9", "a power"),
            ("m**(1/0)", "divides by zero"), ("m**(1/3)", "a power"), ("m**((2))", "not '('"), ("m^2", "is written with **"),
        )
    ),
    # words of other programs
    *(
        (".toml", HINGE.format(word), ":2: joint 'j', type", f"Did you mean '{meant}'")
        for word, meant in (("hinge", "revolute"), ("slider", "prismatic"), ("Ball", "spherical"), ("free", "floating"))
    ),
    (".urdf", pendulum(kind="hover"), ":4: joint 'j'", "'hover'"),
    (".urdf", robot(link("a", ""), link("b"), ENDS, "<drake:coupler_constraint/>"), ":5: ", "with MechanismBuilder"),
    (".urdf", robot(link("a", ""), link("b"), ENDS, "<drake:bal_constraint/>"), ":5: ", "Rename it to <drake:ball_con"),
    # two parents
    (
        ".urdf",
        robot(*map(link, "abc"), joint("j", "a", "c"), joint("i", "a", "b"), joint("k", "b", "c")),
        ":7: link 'c'",
        "two parents, by joint 'j' (line 5, from 'a') and joint 'k' (line 7, from 'b')",
    ),
    # encodings
    (".urdf", b"<?xml version='1.0' encoding='x\0y'?><robot/>", ":1", "declares the encoding"),
    (".urdf", declared("klingon", "utf-8"), ":1", "'klingon', which is unknown"),
    (".xacro", declared("klingon", "utf-8"), ":1", "'klingon', which is unknown"),
    (".urdf", declared("rot13", "utf-8"), ":1", "'rot13', which is unknown"),
    (".urdf", declared("utf-16", "utf-8"), ":1", "'utf-16', and has one byte for a character"),
    (".urdf", declared("gb2312", "latin-1"), "", "'gb2312', and has bytes that are none of it"),
    (".urdf", declared("utf8", "latin-1"), "", "not well-formed"),
    (".toml", b"\xff\xfe" + PENDULUM.encode("utf-16-le"), "", "is not UTF-8"),
    (".xml", MJCF.format("\xff").encode("latin-1"), "body number 1", "a name that is not UTF-8"),
    # small files without end
    (".toml", b"a = " + b"[" * 100_000, "", "nested too deeply"),
    (".urdf", DEEP, "", "nested 201 deep"),
    (".xacro", DEEP, "", "nested 201 deep"),
    (".urdf", "<!DOCTYPE robot>\n<robot/>", ":1", "document type"),
    (".xacro", "<!DOCTYPE robot>\n<robot/>", ":1", "document type"),
    (".urdf", f"<?xml version='1.0'?><!DOCTYPE robot [{LAUGHS}]><robot name='&l19;'/>", ":1", "document type"),
    (".xacro", f"<?xml version='1.0'?><!DOCTYPE robot [{LAUGHS}]><robot{XACRO} name='&l19;'/>", ":1", "document type"),
    (".xml", f"<!DOCTYPE mujoco [{LAUGHS}]><mujoco model='&l19;'><worldbody/></mujoco>", ":1", "document type"),
    # names of a hundred thousand letters
    (".urdf", robot(link("a", ""), link(LONG), joint("j", "a", "b")), "", ""),
    (".urdf", robot(link("a", ""), link("b"), joint(LONG, "a", "b", '<axis xyz="0 0 0"/>')), ":4", ""),
    (".urdf", robot(link("a", ""), link("b"), joint("j", "a", "b", kind=LONG)), ":4", ""),
    (".urdf", robot(link("a", ""), link("b"), joint("j", "a", "b", f'<axis xyz="{LONG}"/>')), ":4", ""),
    (".urdf", robot(*(link(f"{LONG}{k}", "") for k in range(20)), joint("j", "a", "b")), "", ""),
]  # fmt: skip


@pytest.mark.parametrize(
    ("suffix", "text", "where", "word"), ROWS, ids=[f"{row[0]}{row[2]} {row[3]}"[:60] for row in ROWS]
)
def test_files_that_are_refused(tmp_path, suffix, text, where, word):
    """Cases 10, 11, 12, 14, 16, 65, 82, 85, 91, 95, 98, 99 and 100: with file, line and element, and the true reason."""
    started = time.process_time()
    error = refused_file(tmp_path, suffix, text, where, word)
    assert "ignored" not in str(error) and "encoding cannot be read" not in str(error)
    if word == DIGITS:  # milliseconds; without a budget of digits, minutes
        assert time.process_time() - started < 3.0
