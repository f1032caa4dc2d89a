"""States beside the random ones, and whose fault it is that a check fails."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
import sympy

from kanegen.codegen import candidates, pipeline
from kanegen.codegen.certificate.blame import OURS, blame
from kanegen.codegen.certificate.special_states import Place, special_states
from kanegen.codegen.deriving import derive
from kanegen.codegen.graph import Expression, Graph, Program, evaluate
from kanegen.codegen.kernel_sources import KernelSources
from kanegen.codegen.mechanism import MechanismBuilder, PathLength, force_laws
from kanegen.codegen.mechanism.catalogue import mechanism
from kanegen.codegen.mechanism.records import JointLimits, Mechanism
from kanegen.codegen.passes import optimize as optimizing
from kanegen.codegen.passes.verify import residual
from kanegen.errors import ModelError
from kanegen.options import Options


def hinge(end: float = 0.3) -> Mechanism:
    """A spring whose ends, 0.3 m from a hinge, meet at q = 0.7."""
    b = MechanismBuilder("hinge", gravity=(0, 0, 0))
    b.body("arm", 1.0, (0.1, 0, 0), (0.01, 0.01, 0.01))
    b.revolute("j", "base", "arm", (0, 1, 0), limits=JointLimits(lower=-1, upper=2))
    b.frame("p", "arm", (end, 0, 0))
    b.frame("w", "base", (end * np.cos(0.7), 0, -end * np.sin(0.7)))
    b.translational_spring("s", "w", "p", 30, 0, 0.05)
    return b.build()


def test_what_is_looked_at() -> None:
    found = special_states(hinge(), np.zeros(1))
    assert found.ordinary[:, 0].tolist() == pytest.approx([0.0, np.pi / 2, -1.0, 2.0])
    # where the ends meet, but for 1e-8
    assert found.of(Place.CLOSE)[:, 0] == pytest.approx([0.7], abs=2e-8)
    assert (found.spread[: len(found.ordinary)] < 1e2).all()
    assert 1e7 < found.spread[-1] < 1e9


def test_kernels_are_certified_in_them(monkeypatch: pytest.MonkeyPatch) -> None:
    """A distance from the law of cosines loses its digits near q = 0, which random states do not show: it is not taken."""

    def expanded(program: Program) -> tuple[Program, tuple[optimizing.Step, ...]]:
        graph = Graph()
        q, a = (Expression(graph, graph.input(name)) for name in "qa")
        square = (1 - q.cosine()) * Fraction("0.18")
        tau = a * Fraction("0.02") + q.sine() * Fraction("0.09") * (
            30 - Fraction("1.5") / square.square_root()
        )
        return replace(program, graph=graph, results=((tau.ref,),), labels={}), ()

    b = MechanismBuilder("hinge", gravity=(0, 0, 0))
    b.body("arm", 1.0, (0.1, 0, 0), (0.01, 0.01, 0.01))
    b.revolute("j", "base", "arm", (0, 1, 0))
    b.frame("p", "arm", (0.3, 0, 0))
    b.frame("w", "base", (0.3, 0, 0))
    b.translational_spring("s", "w", "p", 30, 0, 0.05)
    model, options = b.build(), Options(kernels=("inverse_dynamics",))
    assert pipeline.interpret(model, options).manifest.certificate.states > 100
    plain = derive(KernelSources(model, options), "inverse_dynamics").program
    assert residual(expanded(plain)[0], plain) < 1e-11  # random states see nothing
    monkeypatch.setattr(candidates, "optimize", expanded)
    near = {"q": np.array([[1e-7]]), "v": np.zeros((1, 1)), "a": np.zeros((1, 1))}
    lossy = derive(KernelSources(model, options), "inverse_dynamics").program
    assert abs(evaluate(lossy, near)["tau"][0, 0] + 0.45) > 1e-4
    kept = pipeline.interpret(model, options).programs["inverse_dynamics"]
    assert evaluate(kept, near)["tau"][0, 0] == pytest.approx(-0.45, abs=1e-5)


def test_a_law_without_a_value_is_the_fault_of_the_model() -> None:
    time, q, v = sympy.symbols("t j w")
    b = MechanismBuilder("arm", gravity=(0, 0, -9.81))
    b.body("arm", 1.0, (0.1, 0, 0), (0.01, 0.01, 0.01))
    b.revolute("j", "base", "arm", (0, 1, 0))
    b.law("feedback", [sympy.sqrt(-1 - q**2)], time, [q], [v])
    with pytest.raises(ModelError, match=r"control law 'feedback'.*has no value") as error:
        pipeline.interpret(b.build())
    assert "error of kanegen" not in str(error.value)


def test_rounding_beyond_doubles_is_the_fault_of_the_model() -> None:
    """1e16 + x - 1e16 has no digits of x, and the model's numbers are named; x - 1 has them."""
    graph = Graph()
    arm = mechanism("stanford_arm")
    made = derive(KernelSources(arm, Options(search=1)), "gravity_forces").program
    x = graph.cosine(graph.input("q", 0))
    for large, ours in ((10**16, False), (1, True)):
        with_large = graph.product([graph.sum([x, graph.constant(large)]), graph.cosine(graph.input("q", 1))])
        gone = graph.sum(
            [with_large, -graph.product([graph.constant(large), graph.cosine(graph.input("q", 1))])]
        )
        program = replace(made, graph=graph, results=((gone,) * 6,), labels={})
        arguments = {"q": np.random.default_rng(0).uniform(-3, 3, (20, 6))}
        found = blame(arm, {"gravity_forces": program}, arguments, {}, 1e-11)
        assert (found == OURS) is ours
        assert ours or "numbers reach from" in found


def test_no_state_is_on_a_kink_where_roundings_decide() -> None:
    """A rope that is just taut at zero and home, and stops at both limits, leave the quarter turn."""
    b = MechanismBuilder("taut")
    b.body("arm", 1.0, (0.1, 0, 0), (0.01, 0.01, 0.01))
    b.revolute("j", "base", "arm", (0, 1, 0), limits=JointLimits(lower=-1, upper=2))
    b.frame("p", "arm", (0.1, 0.2, 0.3))
    b.frame("w", "base", (0.7, 0.5, 0.1))
    b.force_element("rope", PathLength(("w", "p")), force_laws.dead_band(50, 0, 0.7))
    b.joint_stop("j", 100)
    assert special_states(b.build(), np.zeros(1)).q.tolist() == [[pytest.approx(np.pi / 2)]]
