"""Functions by table in control laws and equations: compiled, simulated, differentiated."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
import sympy

import kanegen
from kanegen.codegen import pipeline
from kanegen.codegen.derivation.resistance.friction import SLIP_SPEED
from kanegen.codegen.mechanism import JointRate, Mechanism, MechanismBuilder
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


A, K = sympy.symbols("a k", real=True)
TIES = {
    "abs": (sympy.Abs(A) * K, lambda a: 0.3 * np.where(a < 0, -1, 1)),
    "sign": (sympy.sign(A) * K + A, lambda a: np.ones_like(a)),
    "min": (sympy.Min(2 * A, K), lambda a: np.where(2 * a < 0.3, 2, 0)),
    "max": (sympy.Max(A, K), lambda a: np.where(a < 0.3, 0, 1)),
    "exp": (K * sympy.exp(A), lambda a: 0.3 * np.exp(a)),
    "log": (sympy.log(A + 2), lambda a: 1 / (a + 2)),
    "tanh": (sympy.tanh(A), lambda a: 1 / np.cosh(a) ** 2),
    "atan2": (sympy.atan2(A, K), lambda a: 0.3 / (a**2 + 0.09)),
    "Piecewise": (
        sympy.Piecewise((A**2, A < K), (2 * A - K, True)),
        lambda a: np.where(a < 0.3, 2 * a, 2),
    ),
}


@pytest.mark.parametrize("name", TIES)
def test_equations_take_functions(name: str) -> None:
    """b = f(a) of position, and db = f'(a) da from it; at kinks the slope is that of the side of greater arguments."""
    function, slope = TIES[name]
    builder = MechanismBuilder("two")
    builder.parameter("k", "0.3", "rad")
    for joint, parent in (("a", "base"), ("b", "link a")):
        builder.body(f"link {joint}", mass=1, center=("0.5", 0, 0), inertia=("0.1", "0.1", "0.1"))
        builder.revolute(joint, parent, f"link {joint}", axis=(0, 1, 0))
    builder.position_constraint("tie", sympy.Symbol("b") - function)
    builder.speeds([JointRate("a")])
    builder.home({"a": "0.2", "b": "0.1"})
    arm = kanegen.load(
        builder.build(),
        interpreted=True,
        kernels=["constraint_jacobian", "constraint_residual", "coordinate_rates"],
    )
    arm = arm.with_open_loops("ignore")
    a = np.array([-0.7, -0.1, 0.0, 0.15, 0.3, 0.4, 1.2])
    q = np.stack([a, np.zeros_like(a)], axis=1)
    value = sympy.lambdify((A, K), function, "numpy")(a, 0.3)
    close: dict[str, float] = {"rtol": 0, "atol": 10 * 2**-53}  # a few roundings of numbers below 4
    np.testing.assert_allclose(arm.constraint_residual(q)[:, 0], -value, **close)
    np.testing.assert_allclose(
        arm.constraint_jacobian(q)[:, 0], np.stack([-slope(a), np.ones_like(a)], 1), **close
    )
    rates = arm.coordinate_rates(q, np.ones((len(a), 1)))
    np.testing.assert_allclose(rates, np.stack([np.ones_like(a), slope(a)], 1), **close)


def test_springs_and_friction_take_functions_of_parameters() -> None:
    """They follow the live parameter: 2 max(k, 3) of stiffness, min(|k|, 1) of friction."""
    k = sympy.Symbol("k")
    builder = MechanismBuilder("sprung")
    builder.parameter("k", 5, "N m")
    builder.body("rod", mass=1, center=(0, 0, "-0.5"), inertia=("0.08", "0.08", 0))
    builder.revolute("phi", "base", "rod", axis=(0, 1, 0), friction=sympy.Min(sympy.Abs(k), 1))
    builder.torsional_spring("spring", "phi", stiffness=2 * sympy.Max(k, 3), damping=sympy.exp(-k))
    arm = kanegen.load(
        builder.build(), interpreted=True, kernels=["bias_forces"], live_parameters=True, friction=True
    )
    for value in (5.0, 2.0, 0.5):
        other = arm.with_parameters({"k": value})
        # rest: the spring and the weight; in motion damping and friction, v / sqrt(v^2 + SLIP_SPEED^2) of it
        weight = 9.81 * 0.5 * np.sin(0.2)
        spring = 2 * max(value, 3) * 0.2
        assert other.bias_forces([0.2], [0.0])[0] == pytest.approx(weight + spring, rel=1e-13)
        moving = weight + spring + np.exp(-value) + min(value, 1.0) / np.hypot(1, float(SLIP_SPEED))
        assert other.bias_forces([0.2], [1.0])[0] == pytest.approx(moving, rel=1e-13)
