"""What is wrong with a TOML file is said with its line, what was expected and how to mend it."""

from __future__ import annotations

from pathlib import Path

import pytest

from kanegen.codegen.mechanism import (
    ModelError,
)
from kanegen.codegen.mechanism.importers import read_file
from kanegen.codegen.mechanism.importers.toml import from_toml
from kanegen.codegen.mechanism.importers.toml.lines import lines_of

from .toml_models import PENDULUM

WRONG = {
    "key of a joint": ("axis = ", "axes = ", "line 12: joint 'q', axes: is not a", "Did you mean 'axis'?"),
    "key at the top": ("[[body]]", "[[bodies]]", "line 2: bodies: is not a key", "Did you mean 'body'?"),
    "key far off": ("mass = ", "weight = ", "line 4: body 'rod', weight: is not a key", "Remove it"),
    "type": ('"revolute"', '"hinge"', "line 9: joint 'q', type: is 'hinge'", "Did you mean 'revolute'?"),
    "slider": ('"revolute"', '"slider"', "line 9: joint 'q', type: is 'slider'", "Did you mean 'prismatic'?"),
    "type misspelt": ('"revolute"', '"revolut"', "line 9:", "Did you mean 'revolute'?"),
    "missing": ("axis = [0, 1, 0]\n", "", "line 7: joint 'q': has no 'axis'", "Add it."),
    "no type": ('type = "revolute"\n', "", "line 7: joint 'q': has no 'type'", "Add it."),
    "comma": ("[0, 1, 0]", "[0,3 0 0]", "line 12: is not TOML", "Mend it there."),
    "zero axis": ("[0, 1, 0]", "[0, 0, 0]", "line 7: joint 'q', axis: is the zero vector", "Give the axis"),
    "two numbers": ("[0, 1, 0]", "[0, 1]", "line 7: joint 'q', axis: has 2 entries", "three numbers"),
    "truth": ("mass = 2", "mass = true", "line 4: body 'rod', mass: a truth value, True", "Give a number."),
    "not a number": ("mass = 2", "mass = nan", "line 4: body 'rod', mass: not a finite", "Give a number."),
    "negative": ("mass = 2", "mass = -2", "line 2: body 'rod', mass: is negative", "Check units"),
    "unknown body": ('"rod"\naxis', '"rode"\naxis', "line 7: joint 'q': its child 'rode'", "Mend the name"),
    "array": ("[0, 0, -0.5]", "5", "line 5: body 'rod', center: is 5", "Write center = [ … ]."),
    "name": ('name = "rod"', "name = 3", "line 3: body, name: is 3", "Write a name in quotes."),
    "table": ("[[body]]", "[body]", "line 2: body: is {", "Begin each with [[body]]."),
    "coordinates": ("[[body]]", 'coordinates = ["p"]\n[[body]]', "line 2: coordinates: are", "List every"),
    "inner key": ("axis =", "limits = { low = 1 }\naxis =", "line 12: joint 'q'", "Did you mean 'lower'"),
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
    with pytest.raises(ModelError, match="does not exist"):
        from_toml(tmp_path / "none.toml")


@pytest.mark.parametrize(
    ("table", "complaint"),
    [
        ('[[spring]]\nname = "s"\nstiffness = 1\n', "spring 's': does not say where it acts"),
        ('[[spring]]\nname = "s"\njoint = "q"\nfirst = "rod"\n', "spring 's': does not say where it acts"),
        ('[[speed]]\nbody = "rod"\n', "speed: has the keys body"),
        ('[[speed]]\njoint = "q"\ndirection = [1, 0, 0]\n', "speed: has the keys joint, direction"),
        ('[[actuator]]\njoint = "q"\nsign = 2\n', "actuator, sign: is 2"),
        (
            '[[equation]]\nname = "e"\nposition = "q - z"\n',
            "line 13: equation of position 'e': depends on the symbol 'z'",
        ),
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
