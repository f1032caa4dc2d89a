"""Generalized speeds u = A(q) dq/dt by an expression: what they give, files, changes of a model, and refusals."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
import sympy

import kanegen
from kanegen.codegen.graph import evaluate
from kanegen.codegen.kernel_sources import KernelSources
from kanegen.codegen.mechanism import (
    BASE,
    GeneralizedSpeed,
    JointRate,
    Mechanism,
    MechanismBuilder,
    ModelError,
    combined_speed,
)
from kanegen.codegen.mechanism.fingerprint import fingerprint
from kanegen.codegen.mechanism.importers.toml import from_toml
from kanegen.codegen.mechanism.validation.exact import title_of
from kanegen.codegen.mechanism.writers.toml import to_toml
from kanegen.codegen.reading import read
from kanegen.options import Options, options

FORMULATIONS = ("recursive", "kane", "dual_vectors", "influence_coefficients")
q1, q2, dq1, dq2, dq3, k = sympy.symbols("q1 q2 dq1 dq2 dq3 k")
FIRST, SECOND = dq1 * sympy.cos(q2) * k + dq2 / 2, dq2 - dq1 * sympy.sin(q2)
SPEEDS = (combined_speed("u1", FIRST), combined_speed("u2", SECOND), JointRate("q3"))


def arm(speeds: Sequence[GeneralizedSpeed] = ()) -> Mechanism:
    builder = MechanismBuilder("arm")
    builder.parameter("k", "1.5", "1")
    builder.body("one", 2, ("0.3", 0, "0.1"), ("0.1", "0.2", "0.2"))
    builder.body("two", 1, ("0.2", "0.1", 0), ("0.05", "0.06", "0.07"))
    builder.body("three", "0.5", (0, "0.1", 0), ("0.01", "0.02", "0.02"))
    builder.revolute("q1", BASE, "one", (0, 0, 1))
    builder.revolute("q2", "one", "two", (0, 1, 0), ("0.5", 0, 0))
    builder.prismatic("q3", "two", "three", (1, 0, 0), ("0.4", 0, 0))
    if speeds:
        builder.speeds(speeds)
    return builder.build()


@pytest.mark.parametrize("formulation", ["recursive", "kane"])
def test_motion_and_forces(formulation: str) -> None:
    """u = A q' and u' = A q'' + A' q'; forces on the rates are A^T tau, and forward dynamics gives u' back."""
    sources = KernelSources(arm(SPEEDS), Options(formulation=formulation))
    on_rates = KernelSources(arm(), Options()).plain("inverse_dynamics")
    q, u, u_dot = np.array([0.3, 0.4, 0.2]), np.array([0.5, -0.2, 0.7]), np.array([1.0, 2.0, -1.0])
    s, c = np.sin(q[1]), np.cos(q[1])
    A = np.array([[1.5 * c, 0.5, 0], [-s, 1, 0], [0, 0, 1]])
    v = evaluate(sources.plain("coordinate_rates"), {"q": q, "v": u})["qdot"]
    assert A @ v == pytest.approx(u, abs=1e-15)
    slope = np.array([[-1.5 * s, 0, 0], [-c, 0, 0], [0, 0, 0]]) * v[1]
    a = np.linalg.solve(A, u_dot - slope @ v)
    tau = evaluate(sources.plain("inverse_dynamics"), {"q": q, "v": u, "a": u_dot})["tau"]
    # some tens of roundings of forces of 20 N
    assert A.T @ tau == pytest.approx(evaluate(on_rates, {"q": q, "v": v, "a": a})["tau"], abs=1e-13)
    found = evaluate(sources.plain("forward_dynamics"), {"q": q, "v": u, "tau": tau})["a"]
    assert found == pytest.approx(u_dot, abs=1e-12)


@pytest.mark.parametrize("formulation", [*FORMULATIONS, "euler_parameters"])
def test_terms_without_a_rate(formulation: str) -> None:
    """u = A(q) q' + B(q): the motion and the forces are those of A q' = u - B, whose derivatives are u' - B'."""
    B = (sympy.sin(q1) / 3 + k / 5, q2**2)
    shifted = [
        combined_speed(f"u{n}", x + y) for n, (x, y) in enumerate(zip((FIRST, SECOND), B, strict=True), 1)
    ]
    plain, moved = (
        KernelSources(arm((*two, SPEEDS[2])), Options(formulation=formulation))
        for two in (SPEEDS[:2], shifted)
    )
    q, u, u_dot = np.array([0.3, 0.4, 0.2]), np.array([0.5, -0.2, 0.7]), np.array([1.0, 2.0, -1.0])
    v = evaluate(plain.plain("coordinate_rates"), {"q": q, "v": u})["qdot"]
    at = {"q": q, "v": np.add(u, [np.sin(q[0]) / 3 + 0.3, q[1] ** 2, 0])}
    change = np.array([np.cos(q[0]) / 3 * v[0], 2 * q[1] * v[1], 0])
    assert evaluate(moved.plain("coordinate_rates"), at)["qdot"] == pytest.approx(v, abs=1e-15)
    tau = evaluate(plain.plain("inverse_dynamics"), {"q": q, "v": u, "a": u_dot})["tau"]
    found = evaluate(moved.plain("inverse_dynamics"), {**at, "a": u_dot + change})["tau"]
    assert found == pytest.approx(tau, abs=1e-13)
    found = evaluate(moved.plain("forward_dynamics"), {**at, "tau": tau})["a"]
    assert found == pytest.approx(u_dot + change, abs=1e-12)


def test_a_robot_with_terms_without_a_rate() -> None:
    """Its kernels pass the certificate, at rest it has the speeds B, and its energy stays in a motion from there."""
    speeds = [combined_speed("u1", "2*rate(q1) + 0.3*cos(q2)"), JointRate("q2"), JointRate("q3")]
    robot = kanegen.load(arm(speeds), interpreted=True)
    q = np.array([0.2, 0.5, 0.1])
    assert robot.coordinate_rates(q, [0.3 * np.cos(0.5), 0, 0]) == pytest.approx(np.zeros(3), abs=1e-16)
    assert robot.coordinate_rates(q, np.zeros(3))[0] == pytest.approx(-0.15 * np.cos(0.5))
    motion = kanegen.simulate(robot, q, [0.3 * np.cos(0.5), 0, 0], 0.3, rtol=1e-10, atol=1e-12)
    assert np.ptp(motion.energy) < 1e-8 * np.abs(motion.energy).max()


def test_units_and_words() -> None:
    program = KernelSources(arm(SPEEDS), Options()).plain("inverse_dynamics")
    (v,) = (argument for argument in program.inputs if argument.name == "v")
    assert "u1, u2, dq3/dt" in v.description
    assert v.unit == "rad/s, m/s"


def test_files(tmp_path: Path) -> None:
    written = to_toml(arm(SPEEDS))
    assert not written.findings
    path = tmp_path / "arm.toml"
    path.write_text(written.text)
    assert fingerprint(from_toml(path)) == fingerprint(arm(SPEEDS))
    others = (combined_speed("u1", FIRST + dq2), *SPEEDS[1:])
    assert fingerprint(arm(others)) != fingerprint(arm(SPEEDS)) != fingerprint(arm())


def changed(**changes: object) -> Mechanism:
    return read(arm(SPEEDS), options(changes))


def test_changes_of_the_model() -> None:
    other = read(changed(rename={"q2": "elbow"}), options({"rename": {"elbow": "q2"}}))
    assert fingerprint(other) == fingerprint(arm(SPEEDS))
    kept = changed(lock={"q3": 0.1})
    assert [title_of(speed) for speed in kept.speeds] == ["speed, combined 'u1'", "speed, combined 'u2'"]
    assert changed(lock={"q2": 0.1}).speeds == ()  # rates of joints alone are left
    opened = MechanismBuilder.from_mechanism(arm(SPEEDS)).build()
    assert fingerprint(opened) == fingerprint(arm(SPEEDS))


@pytest.mark.parametrize(
    ("expression", "what"),
    [
        (dq1**2, "not linear in the rates"),
        (dq1 + sympy.Symbol("x"), "'x'"),
    ],
)
def test_refusals(expression: sympy.Expr, what: str) -> None:
    with pytest.raises(ModelError, match="'u1'") as caught:
        arm((combined_speed("u1", expression), *SPEEDS[1:]))
    assert what in str(caught.value)


def test_that_they_determine_no_rates() -> None:
    twice = (combined_speed("u1", dq1 + dq2), combined_speed("u2", 2 * dq1 + 2 * dq2), JointRate("q3"))
    with pytest.raises(ModelError):
        KernelSources(arm(twice), Options()).plain("coordinate_rates")
