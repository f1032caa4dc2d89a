"""Functions by table in control laws and equations: compiled, simulated, differentiated."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
import sympy

import kanegen
from kanegen.codegen import pipeline
from kanegen.codegen.mechanism import Mechanism, MechanismBuilder
from kanegen.codegen.pipeline import Options


def pendulum() -> Mechanism:
    """A pendulum with a saturated controller that gives up beyond half a turn."""
    builder = MechanismBuilder("pendulum")
    builder.body("rod", mass=1, center=(0, 0, "-0.5"), inertia=("0.08", "0.08", 0))
    builder.revolute("phi", "base", "rod", axis=(0, 1, 0))
    q, v = sympy.symbols("phi omega", real=True)
    pull = (
        sympy.Max(-2, sympy.Min(2, -20 * q - 3 * v))
        - sympy.tanh(50 * v) / 5
        - sympy.sign(v) * sympy.Abs(v) / 7
    )
    force = sympy.Piecewise((pull, sympy.Abs(q) < sympy.pi / 2), (sympy.exp(-(v**2)) - 1, True))
    builder.law("held", [force], time=sympy.Symbol("t"), q=[q], v=[v])
    return builder.build()


def held(q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """The same, in NumPy."""
    pull = np.clip(-20 * q - 3 * v, -2, 2) - np.tanh(50 * v) / 5 - v / 7
    return np.where(np.abs(q) < np.pi / 2, pull, np.exp(-(v**2)) - 1)


@pytest.mark.parametrize("interpreted", [True, False])
def test_a_law_is_what_numpy_says(interpreted: bool) -> None:
    """A few operations on numbers below 60, and functions within two ulps."""
    robot = kanegen.load(
        pendulum(), kernels=["held", "closed_loop_held", "forward_dynamics"], interpreted=interpreted
    )
    q, v = np.random.default_rng(0).uniform(-3, 3, (2, 1000, 1))
    np.testing.assert_allclose(robot.call("held", np.zeros(1000), q, v), held(q, v), rtol=0, atol=1e-13)
    closed = robot.call("closed_loop_held", np.zeros(1000), q, v)
    np.testing.assert_allclose(closed, robot.forward_dynamics(q, v, held(q, v)), rtol=0, atol=1e-12)


def test_it_holds_the_pendulum() -> None:
    """Compiled and by a callable: the same equations, steps at rtol 1e-9."""
    robot = kanegen.load(pendulum(), interpreted=False)
    one = kanegen.simulate(robot, [0.3], [0.0], 1.0, controller="held", rtol=1e-9, atol=1e-9)
    other = kanegen.simulate(
        robot, [0.3], [0.0], 1.0, controller=lambda t, q, v: held(q, v), rtol=1e-9, atol=1e-9
    )
    np.testing.assert_allclose(one.q, other.q, rtol=0, atol=1e-6)
    assert abs(one.q[-1, 0]) < 0.3


def test_counts_stand_in_manifest_and_header(tmp_path: Path) -> None:
    generated = pipeline.generate(pendulum(), tmp_path, Options(kernels=("held", "mass_matrix")))
    assert generated.files
    counts = kanegen.load(tmp_path).operation_counts
    assert (counts["held"].functions, counts["held"].selections) == (7, 2)
    assert (counts["mass_matrix"].functions, counts["mass_matrix"].selections) == (0, 0)
    header = (tmp_path / "pendulum.h").read_text(encoding="ascii")
    assert re.search(r"sin/cos +func +select", header)
    assert "7 functions, 2 selections" in (tmp_path / "pendulum.c").read_text(encoding="ascii")


def test_kernels_of_plain_dynamics_call_no_library(tmp_path: Path) -> None:
    pipeline.generate(
        pendulum(), tmp_path, Options(kernels=("inverse_dynamics", "forward_dynamics", "mass_matrix"))
    )
    source = (tmp_path / "pendulum.c").read_text(encoding="ascii").partition("/* ---- kernels ---- */")[2]
    assert not any(name in source for name in ("tanh", "fabs", "exp(", "select"))
