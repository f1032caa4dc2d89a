"""Control laws as kernels, above all the Stanford Arm's feedback law against the published motion."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
import sympy

from kanegen.codegen.derivation.kernels.laws import law_kernels
from kanegen.codegen.derivation.placed_tree.deriver import Build, Deriver
from kanegen.codegen.graph import Kind, Program, count, evaluate
from kanegen.codegen.graph.sympy_bridge import argument_names, to_sympy
from kanegen.codegen.mechanism import Mechanism, catalogue, validated
from kanegen.codegen.mechanism.control_law import ControlLaw
from kanegen.codegen.mechanism.folding import with_numbers
from tests.derivation.tree_kernels import DYNAMICS

ORACLES = Path(__file__).parents[2] / "oracles"
ARM = catalogue.mechanism("stanford_arm")
FEEDBACK, FREE = ARM.laws
FIG3 = json.loads((ORACLES / "stanford_arm_motions.json").read_text())["fig3"]["table"]
T = np.array([row["t"] for row in FIG3], dtype=float)
Q, V = np.array([row["q"] for row in FIG3]), np.array([row["qd"] for row in FIG3])
SIGNS = np.array([actuator.sign for actuator in ARM.actuators])

# A force is a sum of some twenty rounded products and sines, none of which exceeds 40 N m or N.
TOLERANCE = 20 * 40 * 2**-53


def tau(program: Program, **parameters: float) -> np.ndarray:
    return evaluate(program, {"t": T, "q": Q, "v": V}, parameters)["tau"]


def laws_of(mechanism: Mechanism, live: bool = False) -> dict[str, Build]:
    return law_kernels(mechanism, DYNAMICS.__getitem__, live=live)


def control_law(law: ControlLaw, mechanism: Mechanism, live: bool = False) -> Program:
    return Deriver(mechanism, laws_of(mechanism, live)[law.name]).plain()[0]


def test_arguments() -> None:
    program = control_law(FEEDBACK, ARM)
    assert program.name == "feedback_law"
    assert [(a.name, a.shape, a.unit) for a in program.inputs] == [
        ("t", (), "s"),
        ("q", (6,), "rad, m"),
        ("v", (6,), "rad/s, m/s"),
    ]
    assert [(a.name, a.shape, a.unit) for a in program.outputs] == [("tau", (6,), "N m, N")]
    assert "eqs 128-133" in program.source


def test_feedback_law_gives_the_forces_of_fig_3() -> None:
    expected = np.array([row["tau"] for row in FIG3])  # the paper's signs
    np.testing.assert_allclose(SIGNS * tau(control_law(FEEDBACK, ARM)), expected, rtol=0, atol=TOLERANCE)


def test_free_swivel_law_lacks_the_first_torque_alone() -> None:
    free, feedback = tau(control_law(FREE, ARM)), tau(control_law(FEEDBACK, ARM))
    assert not free[:, 0].any()
    np.testing.assert_array_equal(free[:, 1:], feedback[:, 1:])


def test_power_of_the_gravity_terms() -> None:
    """At rest at the targets, what remains of the law holds the weight: the gradient of the potential energy."""
    q = np.array([*[np.pi / 3] * 5, 0.1])
    held = evaluate(control_law(FEEDBACK, ARM), {"t": 0.0, "q": q, "v": np.zeros(6)})["tau"]
    # heights of the mass centres, from the paper's conventions (see the catalogue), B and C at and along c2
    c2, s2, c3, c4, s4 = np.cos(q[1]), np.sin(q[1]), np.cos(q[2]), np.cos(q[3]), np.sin(q[3])
    d_height = 0.5 * 0.2 + 0.6 * 0.06
    g = 9.81
    # height = q6 c2 of C; (q6 + L5) c2 of D; (q6 + L2) c2 + L (c2 c4 - s2 c3 s4) of E and F
    force_2 = -g * (5 * q[5] * s2 + 0.7 * s2 + 1.1 * (q[5] + 0.6) * s2 + d_height * (s2 * c4 + c2 * c3 * s4))
    force_6 = g * 6.1 * c2
    assert held[1] == pytest.approx(force_2, rel=0, abs=TOLERANCE)
    assert held[5] == pytest.approx(force_6, rel=0, abs=TOLERANCE)
    assert held[0] == pytest.approx(0, abs=TOLERANCE)
    assert held[4] == pytest.approx(0, abs=TOLERANCE)


def test_live_parameters() -> None:
    live = control_law(FEEDBACK, ARM, live=True)
    used = {
        live.graph.payloads[i][0]
        for i in live.graph.reachable(live.roots)
        if live.graph.kinds[i] is Kind.PARAMETER
    }
    assert used == {"g", "L2", "L3", "L5", "L6", "mC", "mD", "mE", "mF"}
    values = {p.name: float(p.value) for p in ARM.parameters}
    np.testing.assert_allclose(tau(live, **values), tau(control_law(FEEDBACK, ARM)), rtol=0, atol=TOLERANCE)
    weightless = tau(live, **{**values, "g": 0.0})
    np.testing.assert_allclose(weightless[:, 1], -(Q[:, 1] - np.pi / 3 + 3 * V[:, 1]), rtol=0, atol=TOLERANCE)
    assert count(live) == count(control_law(FEEDBACK, ARM))


def test_numbers_may_be_folded_before() -> None:
    folded = with_numbers(ARM)
    np.testing.assert_allclose(
        tau(control_law(folded.laws[0], folded)), tau(control_law(FEEDBACK, ARM)), rtol=0, atol=TOLERANCE
    )


def test_kernels_of_a_mechanism() -> None:
    laws = ["feedback_law", "free_swivel_law"]
    assert list(laws_of(ARM)) == [*laws, *(f"closed_loop_{law}" for law in laws)]
    assert laws_of(catalogue.mechanism("rx90_general")) == {}


def test_a_law_of_time_and_exact_numbers() -> None:
    t, q, v = sympy.Symbol("time"), sympy.symbols("x1:7"), sympy.symbols("y1:7")
    forces = (sympy.Rational(1, 3) * sympy.sin(t), *(-v[i] * q[i] ** 2 for i in range(1, 6)))
    arm: Mechanism = validated(replace(ARM, laws=(ControlLaw("drive", "a drive", "", t, q, v, forces),)))
    program = control_law(arm.laws[0], arm)
    names = argument_names(program)
    assert to_sympy(program.graph, program.results[0][0], names) == sympy.sin(names["t", 0]) / 3
    assert to_sympy(program.graph, program.results[0][2], names) == -names["v", 2] * names["q", 2] ** 2
    assert Fraction(1, 3) in [p[0] for p in program.graph.payloads if p]


def test_a_closed_loop_gives_the_accelerations_of_the_law() -> None:
    """Law, then forward dynamics, or both in one graph: the same but for rounding (1e-12 of the largest component)."""
    law, dynamics = control_law(FEEDBACK, ARM), Deriver(ARM, DYNAMICS["forward_dynamics"])({})[0]
    together, _ = Deriver(ARM, laws_of(ARM)["closed_loop_feedback_law"])({})
    one_by_one = evaluate(dynamics, {"q": Q, "v": V, "tau": tau(law)})["a"]
    found = evaluate(together, {"t": T, "q": Q, "v": V})["a"]
    # the rates of the last rows are small, so the scale is that of the motion, not of each row
    assert np.abs(found - one_by_one).max() <= 1e-12 * np.abs(one_by_one).max()
    assert count(together).sincos == 4
