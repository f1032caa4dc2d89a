"""Generated code (CASES 28, 29, 31, 33): exact numbers, names of the user's own, other processors, other places."""

from __future__ import annotations

import math
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import sympy
from numpy.testing import assert_allclose

import kanegen
from kanegen.codegen.mechanism import ModelError

from .files import LoadText
from .machines import pendulum

pytestmark = pytest.mark.all_passes

q, v = sympy.symbols("q v")


def law_of(
    expression: sympy.Expr, interpreted: bool = False, live: bool = False, **parameters: float
) -> kanegen.Robot:
    return kanegen.load(
        pendulum(law=expression, **parameters), kernels=["law"], live_parameters=live, interpreted=interpreted
    )


def value(robot: kanegen.Robot, q: float, v: float) -> float:
    return float(robot.call("law", np.zeros(()), [q], [v])[0])


@pytest.mark.parametrize("interpreted", [False, True])
def test_no_integer_division_and_no_overflow(interpreted: bool) -> None:
    """Case 28: each term by its exact value, in one law."""
    huge = sympy.Rational(10**400 + 1, 3 * 10**400)
    robot = law_of(q / 3 + sympy.Rational(1, 2) + huge * v + sympy.Integer(2) ** 70 * v**3, interpreted)
    # Four terms: some roundings of the largest, 2^70 / 8.
    assert_allclose(value(robot, 0.7, 0.5), 0.7 / 3 + 0.5 + 0.5 / 3 + 2.0**67, rtol=1e-15)
    assert_allclose(value(robot, 0.7, 0.0), 0.7 / 3 + 0.5, rtol=1e-15)


def test_a_constant_that_no_double_holds() -> None:
    """Case 28."""
    for factor in (sympy.Integer(10) ** 400, sympy.Rational(1, 10**400)):
        with pytest.raises(ModelError, match="control law 'law': the constant"):
            law_of(factor * q, interpreted=True)


def test_symbols_called_like_temporaries() -> None:
    """Case 29: parameters of a law with the names that generators, C and this one's own output use."""
    names = ("x0", "Z12", "t0", "s0", "c0", "int", "double", "tau", "prepared", "count", "I", "M_PI")
    expression = sum((i + 1) * sympy.Symbol(name) * (q if i % 2 else v) for i, name in enumerate(names))
    numbers = {name: 1.0 + i for i, name in enumerate(names)}
    of_q = sum((i + 1) ** 2 for i in range(1, len(names), 2))
    of_v = sum((i + 1) ** 2 for i in range(0, len(names), 2))
    for live in (False, True):
        robot = law_of(expression, live=live, **numbers)
        assert_allclose(value(robot, 0.7, 0.3), 0.7 * of_q + 0.3 * of_v, rtol=1e-14)
    assert_allclose(value(robot.with_parameters(dict.fromkeys(names, 0.0)), 0.7, 0.3), 0.0)
    assert_allclose(value(robot.with_parameters({"x0": 5.0}), 0.0, 1.0), of_v + 4.0, rtol=1e-14)


NUMBERS = """\
[parameters]
x0 = 3
Z12 = "1/3"
tau = "10**16*10**16 + 1"
int = "1/2"
[[body]]
name = "t0"
mass = "x0*Z12"
center = ["int/x0", 0, 0]
inertia = [1, 1, "(tau - 1)/10**16/10**16"]
[[joint]]
name = "q"
type = "revolute"
parent = "base"
child = "t0"
axis = [0, 0, 1]
"""


@pytest.mark.parametrize("live", [False, True])
def test_numbers_and_names_of_a_file(load_text: LoadText, live: bool) -> None:
    """Cases 28 and 29: exact quotients, a huge integer and names of temporaries, as numbers and as live parameters."""
    arm = load_text(NUMBERS, "mass_matrix", suffix=".toml", compiled=True, live_parameters=live)
    # m c^2 = 3 / 3 * (1/6)^2, and 1 about the mass centre.
    assert_allclose(arm.mass_matrix([0.4]), [[1 + 1 / 36]], rtol=1e-15)
    if live:
        assert_allclose(arm.with_parameters({"int": 3.0}).mass_matrix([0.4]), [[2.0]], rtol=1e-15)


@pytest.mark.parametrize("interpreted", [False, True])
def test_a_law_that_is_not_defined_everywhere(interpreted: bool) -> None:
    """A square root of a coordinate is right where it exists, and not a number elsewhere."""
    robot = law_of(sympy.sqrt(q) + sympy.pi * v, interpreted)
    assert_allclose(value(robot, 0.7, 0.3), math.sqrt(0.7) + math.pi * 0.3, rtol=1e-15)
    assert math.isnan(value(robot, -0.7, 0.3))


def test_an_instruction_set_that_is_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    """Case 31: a sentence with what can be used, and never an illegal instruction."""
    for wrong in ("nonsense", "AVX2", "../x"):
        monkeypatch.setenv("KANEGEN_TARGET", wrong)
        with pytest.raises(kanegen.TargetError, match=f"KANEGEN_TARGET={wrong}:"):
            kanegen.load(pendulum(), kernels=["mass_matrix"])
        assert kanegen.load(pendulum(), kernels=["mass_matrix"], interpreted=True).target is None
    monkeypatch.setenv("KANEGEN_TARGET", "baseline")
    assert kanegen.load(pendulum(), kernels=["mass_matrix"]).mass_matrix([0.3])[0, 0] == 0.5


@pytest.mark.parametrize("place", ["absolute", "relative/deep", 'sp ace/ü "q" $(x)'])
def test_any_directory(place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Case 33: what is written there compiles from there."""
    monkeypatch.chdir(tmp_path)
    out = tmp_path / place if place == "absolute" else Path(place)
    assert kanegen.generate(pendulum(), out, kernels=["mass_matrix"]) == out
    assert kanegen.load(out).mass_matrix([0.3])[0, 0] == 0.5
    names = {f"pendulum.{ending}" for ending in ("c", "h", "cdef", "pyi")} | {"manifest.json"}
    assert names <= {path.name for path in out.iterdir()}


def test_a_place_where_nothing_can_be_written(tmp_path: Path) -> None:
    """Case 33: an error that names it, and nothing is touched."""
    (tmp_path / "file").write_text("mine")
    for out in (tmp_path / "file", tmp_path / "file" / "below"):
        with pytest.raises(OSError, match="file"):
            kanegen.generate(pendulum(), out, kernels=["mass_matrix"])
    assert [path.name for path in tmp_path.iterdir()] == ["file"]
    assert (tmp_path / "file").read_text() == "mine"


def test_no_text_of_a_model_reaches_a_shell(tmp_path: Path) -> None:
    """Case 13, from the outside: the process compiles with a name and a compiler that would run a command."""
    program = (
        "import kanegen; from tests.cases.machines import pendulum\n"
        "print(kanegen.load(pendulum('x\"; touch here; $(touch here)'), kernels=['mass_matrix']).target)"
    )
    environment = {
        "PATH": "/usr/bin:/bin",
        "CC": "cc; touch here",
        "KANEGEN_CACHE_DIR": str(tmp_path / "cache"),
    }
    environment["PYTHONPATH"] = ":".join(filter(None, (str(Path(__file__).parents[2]), *sys.path)))
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == "None"
    assert "$CC=cc; touch here cannot be run" in done.stderr
    assert [path.name for path in tmp_path.rglob("*") if path.name == "here"] == []
