"""Names of any length and kind in generated C, and in tables (CASES2 91, 96, 100)."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import sympy
from emitted.compilation import STRICT, compiler, run

import kanegen
from kanegen.codegen import cli
from kanegen.codegen.mechanism import Mechanism, MechanismBuilder

LONG = "a" * 300
LOGICAL_LINE = 4095
"""Characters that every compiler must take in one line, C99, 5.2.4.1."""


def machine(
    model: str, law: str = "law", parameters: tuple[str, ...] = (), description: str = ""
) -> Mechanism:
    """A pendulum whose law is 3 q + v, sin q, and each parameter times its number and q."""
    builder = MechanismBuilder(model)
    for name in parameters:
        builder.parameter(name, 1, "1", description)
    builder.body("bob", mass=2, center=(0, 0, "-0.5"))
    builder.revolute("hinge", "base", "bob", axis=(0, 1, 0))
    q, v = sympy.symbols("q v")
    terms = sum((i + 1) * sympy.Symbol(name) * q for i, name in enumerate(parameters))
    builder.law(law, [3 * q + v + sympy.sin(q) + terms], time=sympy.Symbol("t"), q=[q], v=[v])
    return builder.build()


def law_value(robot: kanegen.Robot, law: str) -> float:
    return float(robot.call(law, np.zeros(()), [0.3], [0.2])[0])


RIGHT = 3 * 0.3 + 0.2 + float(np.sin(0.3))


@pytest.mark.parametrize(
    ("model", "law"),
    [
        ("math", "law"),  # math.h
        ("kernels_baseline", "law"),  # a file of the extension module
        ("kanegen", "target"),  # functions of the extension module
        ("kanegen_bound", "law"),
        ("kanegen_table", "baseline"),
        ("m", "angles1_sincos"),  # the routine of sine and cosine
        ("double", "int"),
        ("main", "main"),
        ("2nd", "NDArray"),
    ],
)
def test_names_that_the_files_need_themselves(tmp_path: Path, model: str, law: str) -> None:
    """Case 96, relatives: a model or a law called like a file or a function beside it compiles, and has its value."""
    out = kanegen.generate(machine(model, law), tmp_path / "out", kernels=[law], float32=True)
    prefix = json.loads((out / "manifest.json").read_text(encoding="ascii"))["model"]["prefix"]
    run([compiler(), *STRICT, f"-I{out}", "-c", out / f"{prefix}.c", "-o", tmp_path / "object.o"])
    # three sums, a product and a sine: some roundings of a number below 2
    assert abs(law_value(kanegen.load(out), law) - RIGHT) <= 8 * 2.0**-53 * 2


def test_long_names_and_texts(tmp_path: Path) -> None:
    """Case 100, in C: names that differ in their 301st character are two, and no line is longer than C promises to read."""
    names = (f"{LONG}x", f"{LONG}y", LONG)
    description = "*/ #error ?" + "?/ " + "w" * 6000 + " word" * 2000
    model = machine(f"{LONG}m", parameters=names, description=description)
    out = kanegen.generate(model, tmp_path / "out", kernels=["law"], live_parameters=True)
    manifest = json.loads((out / "manifest.json").read_text(encoding="ascii"))
    fields = [entry["field"] for entry in manifest["parameters"]]
    assert [entry["name"] for entry in manifest["parameters"]] == list(names)
    assert len(set(fields)) == 3
    assert all(len(field) <= 63 for field in fields)
    for path in out.glob("*.[ch]"):
        assert max(map(len, path.read_text(encoding="ascii").replace("\\\n", "").splitlines())) < LOGICAL_LINE
    prefix = manifest["model"]["prefix"]
    run([compiler(), *STRICT, "-c", out / f"{prefix}.c", "-o", tmp_path / "object.o"])
    robot = kanegen.load(out).with_parameters({names[0]: 5.0, names[1]: 7.0, names[2]: 11.0})
    right = RIGHT + (1 * 5.0 + 2 * 7.0 + 3 * 11.0) * 0.3
    assert abs(law_value(robot, "law") - right) <= 16 * 2.0**-53 * right


def test_tables_of_the_command_have_columns(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Case 91: square roots are counted beside the rest, and a long name moves every row, not its own."""
    arm = "an_arm_with_a_name_that_is_longer_than_the_usual_column"
    path = tmp_path / "strut.toml"
    path.write_text(STRUT, encoding="utf-8")
    words = [
        "generate",
        str(path),
        "-o",
        str(tmp_path / "out"),
        "--kernels",
        "inverse_dynamics",
        f"frame_pose_{arm}",
    ]
    assert cli.main([*words, "--explain"]) == 0
    text = capsys.readouterr().out
    rows = text[text.index("operations of one call") :].splitlines()[1:4]
    assert rows[0].split() == ["kernel", "mult", "add", "div", "sqrt", "sin/cos"]
    counts = json.loads((tmp_path / "out" / "manifest.json").read_text(encoding="ascii"))["kernels"]
    for row in rows[1:]:
        name, *numbers = row.split()
        assert list(map(int, numbers)) == list(counts[name]["operation_counts"].values())
        assert len(row) == len(rows[0])
    assert counts["inverse_dynamics"]["operation_counts"]["square_roots"] == 1
    assert " 1 sqrt" in text[: text.index("operations of one call")]


STRUT = """\
[[body]]
name = "an_arm_with_a_name_that_is_longer_than_the_usual_column"
mass = 1
center = [0.5, 0, 0]
inertia = [0.1, 0.1, 0.1]
[[joint]]
name = "hinge"
type = "revolute"
parent = "base"
child = "an_arm_with_a_name_that_is_longer_than_the_usual_column"
axis = [0, 1, 0]
[[frame]]
name = "above"
body = "base"
position = [0, 0, 1]
[[frame]]
name = "end"
body = "an_arm_with_a_name_that_is_longer_than_the_usual_column"
position = [1, 0, 0]
[[spring]]
name = "strut"
first = "above"
second = "end"
stiffness = 30
rest = "0.5"
"""
