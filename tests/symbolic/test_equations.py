"""Equations in symbols: evaluated against the C, printed, multiplied out, and what they say that quantities are."""

from __future__ import annotations

import html.parser
import re
import time
import xml.etree.ElementTree as ET
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sympy
from sympy.core.parameters import distribute

import kanegen
from kanegen.codegen.derivation.kernels.catalogue import contract_of
from kanegen.codegen.mechanism import BASE, MechanismBuilder
from kanegen.codegen.mechanism.constraints import LoopKind
from kanegen.codegen.mechanism.records import Mechanism
from kanegen.codegen.mechanism.speeds import JointRate
from kanegen.codegen.symbolic.account import QuantitiesOfKane
from kanegen.codegen.symbolic.numbers import symbolic_number
from kanegen.codegen.symbolic.written import Equations
from kanegen.errors import KanegenError, ModelError
from tests.quickly import FewPasses

from .formulas import check_formula

pytestmark = pytest.mark.few_passes

_Z = (0, 0, 1)


def slider_crank() -> Mechanism:
    """A crank and a rod of live lengths that push a piston, in a vertical plane."""
    b = MechanismBuilder("slider_crank")
    short, long = (b.parameter(name, value, "m") for name, value in (("L1", "0.1"), ("L2", "0.3")))
    b.gravity((0, "-9.81", 0))
    inertia = (("0.001", 0, 0), (0, "0.003", 0), (0, 0, "0.003"))
    b.body("crank", "1.2", (short / 2, 0, 0), inertia)
    b.body("rod", "0.5", (long / 2, 0, 0), inertia)
    b.body("piston", "0.8", (0, 0, 0), inertia)
    b.revolute("crank", BASE, "crank", _Z)
    b.revolute("rod", "crank", "rod", _Z, (short, 0, 0))
    b.prismatic("stroke", BASE, "piston", (1, 0, 0))
    b.frame("small_end", "rod", (long, 0, 0))
    b.loop("pin", LoopKind.REVOLUTE, "small_end", "piston")
    b.speeds([JointRate("crank")])
    b.home({"stroke": short + long})
    return b.build()


CASES: dict[str, tuple[Any, dict[str, Any], tuple[str, ...]]] = {
    "stanford_arm": ("stanford_arm", {}, ("inverse_dynamics", "mass_matrix", "forward_dynamics")),
    "two_link_space_arm": (
        "two_link_space_arm",
        {"live": "all declared"},
        ("inverse_dynamics", "constraint_forces"),
    ),
    "five_bar": ("five_bar", {}, ("inverse_dynamics", "forward_dynamics")),
    "plate_disk": ("plate_disk", {}, ("inverse_dynamics", "kinetic_energy")),
    "flexible_two_link": ("flexible_two_link", {}, ("inverse_dynamics", "mass_matrix")),
    "slider_crank": (slider_crank, {"live": "all declared"}, ("inverse_dynamics",)),
}
OPTIMIZED = ("five_bar", "flexible_two_link")
"""Cases that are derived as users do."""

_LONGEST = 5.0
"""Seconds that equations may take to be made and written [s of this process]."""


def given(case: str) -> tuple[Any, dict[str, Any], tuple[str, ...]]:
    model, options, kernels = CASES[case]
    return model() if callable(model) else model, options, kernels


def worst(e: Equations, robot: kanegen.Robot, kernels: tuple[str, ...]) -> float:
    """The largest difference of an entry from the C, of the largest entry, in random states."""
    evaluate, found = e.function(), 0.0
    rng = np.random.default_rng(14)
    for _ in range(10):
        state = {name: rng.uniform(-1, 1, len(entries)) for name, entries in e.inputs.items()}
        values = evaluate(**state)
        for kernel in kernels:
            contract = contract_of(kernel)
            assert contract is not None
            expected = np.asarray(getattr(robot, kernel)(*(state[name] for name in contract.given)))
            given = values[contract.found[0]]
            assert given.shape == expected.shape
            found = max(found, float(np.abs(given - expected).max() / np.abs(expected).max()))
    return found


@pytest.mark.parametrize("case", CASES)
def test_the_equations_are_those_of_the_c(case: str, few_passes: FewPasses) -> None:
    """As derived, with names alone, and as compiled; a few hundred roundings apart, where conditioned as these are."""
    with few_passes.suspended() if case in OPTIMIZED else nullcontext():
        check_equations(*given(case))


def check_equations(model: Any, options: dict[str, Any], kernels: tuple[str, ...]) -> None:
    robot = kanegen.load(model, **options, **({} if model == "stanford_arm" else {"kernels": list(kernels)}))
    robot = robot.with_open_loops("ignore")  # the formulas are the same where loops are open
    for more in ({}, {"named": True}, {"as_compiled": True}):
        started = time.process_time()
        e = kanegen.equations(model, kernels=kernels, **options, **more)
        pages = (e.latex(), e.markdown(), e.html(), e.python())
        assert all(pages)
        assert time.process_time() - started < _LONGEST or "as_compiled" in more
        assert worst(e, robot, kernels) <= 1e-12


@pytest.mark.parametrize(
    "formulation", ["kane", "dual_vectors", "influence_coefficients", "euler_parameters"]
)
def test_other_formulations_as_well(formulation: str) -> None:
    """Most of their lines are quantities with a meaning; Euler parameters have half of the angles in them."""
    e = kanegen.equations("stanford_arm", formulation=formulation)
    assert worst(e, kanegen.load("stanford_arm"), ("inverse_dynamics",)) <= 1e-12
    shared = [symbol for symbol, _ in e.definitions if re.fullmatch(r"z\d+", symbol.name)]
    assert 2 * len(shared) < len(e.definitions)


def test_each_line_has_a_symbol_of_its_own_and_says_what_it_is() -> None:
    e = kanegen.equations("stanford_arm")
    names = [symbol.name for symbol, _ in e.definitions]
    assert len(set(names)) == len(names)
    assert [x.name for x in (*e.inputs["q"], *e.inputs["v"])] == [
        *(f"q{i}" for i in range(1, 7)),
        *(f"u{i}" for i in range(1, 7)),
    ]
    known = {x for entries in e.inputs.values() for x in entries}
    for symbol, value in e.definitions:
        assert value.free_symbols <= known
        assert e.meaning[symbol]
        known.add(symbol)
    assert all(value.free_symbols <= known for value in e.outputs["tau"])


def test_what_is_called_an_angular_velocity_is_one() -> None:
    """Components along the axes of bodies, from the Jacobians and poses of their frames, which own axes they have."""
    e, arm = kanegen.equations("stanford_arm"), kanegen.load("stanford_arm")
    wanted = [x for x, _ in e.definitions if re.fullmatch(r"w_[A-F]_[xyz]", x.name)]
    assert len(wanted) > 8
    turned = [line.split(":")[0] for line in e.frames if " along " in line]
    state = [x for name in ("q", "v", "a") for x in e.inputs[name]]
    values = sympy.lambdify(state, wanted, cse=lambda entries: (e.definitions, entries))
    rng = np.random.default_rng(3)
    q, v, a = rng.uniform(-1, 1, (3, 6))
    for symbol, value in zip(wanted, values(*q, *v, *a), strict=True):
        _, body, axis = symbol.name.split("_")
        if body not in turned:
            spin = arm.frame_pose(q, body)[:3, :3].T @ (arm.frame_jacobian(q, body)[3:] @ v)
            assert value == pytest.approx(spin["xyz".index(axis)], abs=1e-14)


def test_the_space_arm_reads_as_in_its_paper() -> None:
    """Purushotham & Anjaneyulu 2013, (4.10) with its inertia terms corrected: parameters before brackets, then speeds."""
    kernels = ("inverse_dynamics", "constraint_forces")
    e = kanegen.equations("two_link_space_arm", kernels=kernels, live="all declared").expanded(sines=True)
    assert [symbol.name for symbol, _ in e.definitions] == ["s_q1", "s_q2", "c_q1", "c_q2"]
    names = {x.name: x for x in (*e.meaning,)}
    text = {
        "tau1": "m*L**2*((80/3 + 4*s2**2/3)*a1 + 4*c2*a2 - 4*s2*u2**2 + 8*s2*c2*u1*u2/3) + m*g*L*(8*s1 + s2*c1)",
        "tau2": "m*L**2*(4*c2*a1 + 4*a2/3 - 4*s2*c2*u1**2/3) + m*g*L*s1*c2",
        "T_c": "m*L**2*(4*s2*c2*a1/3 - 4*s2*a2 + 8*c2**2*u1*u2/3 - 4*c2*u2**2 + 4*c2*u1**2) + m*g*L*c1*c2",
    }
    short = {"s": "s_q", "c": "c_q", "a": "udot", "u": "u"}
    symbols = {f"{k}{i}": names[f"{v}{i}"] for k, v in short.items() for i in (1, 2)}
    symbols |= {k: names[k] for k in ("m", "L", "g")}
    with distribute(False):
        expected = [sympy.sympify(line, locals=symbols) for line in text.values()]
    assert [*e.outputs["tau"], *e.outputs["lambda"]] == expected
    plain = kanegen.equations("two_link_space_arm", live="all declared").expanded()
    assert not plain.definitions
    assert plain.outputs["tau"][1].has(sympy.sin)


@pytest.mark.parametrize("case", ["plate_disk", "slider_crank", "flexible_two_link"])
def test_what_is_multiplied_out_has_the_same_value(case: str) -> None:
    """Thousands of terms, each a few roundings; with sums below lines where rates are solved for."""
    model, options, _ = given(case)
    e = kanegen.equations(model, **options)
    state = {name: np.linspace(0.3, -0.7, len(entries)) for name, entries in e.inputs.items()}
    expected = e.function()(**state)["tau"]
    for sines in (False, True):
        found = e.expanded(sines=sines).function()(**state)["tau"]
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12 * np.abs(expected).max())


def test_what_would_fill_books_is_not_multiplied_out() -> None:
    with pytest.raises(KanegenError, match="terms"):
        kanegen.equations("stanford_arm", kernels=["forward_dynamics"]).expanded()


class _Page(html.parser.HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.seen: list[tuple[str, dict[str, str | None]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append((tag, dict(attrs)))


@pytest.mark.parametrize("case", CASES)
def test_pages_are_well_formed_and_need_nothing_else(case: str) -> None:
    """HTML is XML but for its first line, and loads nothing; LaTeX is what matplotlib's parser takes."""
    model, options, kernels = given(case)
    e = kanegen.equations(model, kernels=kernels, **options)
    text = e.html()
    ET.fromstring(text.split("\n", 1)[1].replace('<meta charset="utf-8">', ""))
    page = _Page()
    page.feed(text)
    assert not [
        tag for tag, words in page.seen if tag in ("script", "link", "img") or {"src", "href"} & set(words)
    ]
    assert sum(tag == "math" for tag, _ in page.seen) > len(e.definitions)
    formulas = re.findall(r"\$(.+?)\$", e.markdown())
    assert len(formulas) > len(e.definitions)
    for formula in formulas:
        check_formula(formula)


def test_the_module_for_sympy_makes_the_same(tmp_path: Path) -> None:
    e = kanegen.equations("two_link_space_arm", live="all declared")
    made: dict[str, Any] = {}
    exec(e.python(), made)
    assert made["definitions"] == e.definitions
    assert made["outputs"] == dict(e.outputs)
    assert made["parameters"] == dict(e.parameters)


def test_names_that_break_pages_do_not() -> None:
    b = MechanismBuilder("arm")
    b.body('a"""<b>&_$%{', 1, (1, 0, 0), ((1, 0, 0), (0, 1, 0), (0, 0, 1)))
    b.revolute("hinge\\x$ lambda", BASE, 'a"""<b>&_$%{', _Z)
    e = kanegen.equations(b.build())
    compile(e.python(), "equations", "exec")
    ET.fromstring(e.html().split("\n", 1)[1].replace('<meta charset="utf-8">', ""))
    assert e.function()(q=[0.5], v=[1], a=[3])["tau"] == pytest.approx([6])
    with pytest.raises(TypeError, match="input v"):
        e.function()(q=[0.5], a=[3])


def test_names_of_functions_keywords_and_lists_are_names() -> None:
    """Joints may be called like functions, keywords of Python and what the module for SymPy defines."""
    b = MechanismBuilder("arm", gravity=(0, "-9.81", 0))
    above = BASE
    for name in ("sin", "cos", "None", "parameters", "outputs", "pi"):
        b.body(f"on {name}", 1, ("0.3", 0, 0), (1, 1, 1))
        b.revolute(name, above, f"on {name}", _Z, (1, 0, 0), (0, 0, "1.0471975511965976"))
        above = f"on {name}"
    e = kanegen.equations(b.build(), kernels=["gravity_forces"])
    q = np.linspace(0.1, 0.6, 6)
    reached = np.cumsum(q + np.pi / 3)
    weights = [9.81 * (0.3 + 5 - k) * np.cos(x) for k, x in enumerate(reached)]
    expected = np.cumsum(weights[::-1])[::-1]
    assert e.function()(q=q)["g"] == pytest.approx(expected, rel=1e-13)
    made: dict[str, Any] = {}
    exec(e.python(), made)
    known = dict(zip(made["inputs"]["q"], map(sympy.Float, q), strict=True))
    for symbol, value in made["definitions"]:
        known[symbol] = value.xreplace(known)
    assert [float(x.xreplace(known)) for x in made["outputs"]["g"]] == pytest.approx(expected, rel=1e-13)


def test_parameters_called_like_inputs_are_not_taken_for_them() -> None:
    """A length a beside the accelerations a; names that are nothing are refused."""
    b = MechanismBuilder("pendulum")
    a = b.parameter("a", "0.5", "m")
    b.body("rod", 2, (0, 0, -a), ("0.1", "0.1", "0.1"))
    b.revolute("phi", BASE, "rod", (0, 1, 0))
    evaluate = kanegen.equations(b.build(), live="all declared").function()
    state: dict[str, Any] = {"q": [0.3], "v": [0.0], "a": np.array([2.0])}
    for found, length in ((evaluate(**state), 0.5), (evaluate({"a": 0.7}, **state), 0.7)):
        tau = (0.1 + 2 * length**2) * 2.0 + 2 * 9.81 * length * np.sin(0.3)
        assert found["tau"] == pytest.approx([tau], rel=1e-14)
    with pytest.raises(
        TypeError, match="'lenght' is neither an input nor a parameter; expected some of q, v, a"
    ):
        evaluate(**state, lenght=0.7)
    kane = QuantitiesOfKane(b.build(), None, True)
    at = dict(zip((*kane.inputs["q"], *kane.inputs["v"], *kane.inputs["a"]), (0.3, 0.0, 2.0), strict=True))
    at[kane.parameters["a"]] = 0.5
    for symbol, value in kane.definitions.listed:
        at[symbol] = value.xreplace(at)
    assert float(kane.results[-1].xreplace(at)) == pytest.approx(evaluate(**state)["tau"][0], rel=1e-14)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (sympy.Rational(3, 20), sympy.Rational(3, 20)),
        (sympy.pi / 4, sympy.pi / 4),
        (-2 * sympy.pi / 3, -2 * sympy.pi / 3),
        (sympy.sqrt(3) / 2, sympy.sqrt(3) / 2),
        (-sympy.sqrt(2), -sympy.sqrt(2)),
    ],
)
def test_numbers_are_what_a_person_would_write(value: sympy.Expr, expected: sympy.Expr) -> None:
    from kanegen.codegen.graph.sympy_bridge import exact_constant

    assert symbolic_number(exact_constant(value)) == expected


def test_an_unknown_kernel_is_refused() -> None:
    with pytest.raises(ModelError, match="inverse_dynamics"):
        kanegen.equations("stanford_arm", kernels=["inverse_dynamic"])


def test_the_command_writes_each_format(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from kanegen.codegen.cli import main

    for name, begins in {
        "markdown": "# ",
        "latex": "\\documentclass",
        "html": "<!DOCTYPE",
        "sympy": "'",
    }.items():
        out = tmp_path / name
        assert main(["equations", "plate_disk", "--format", name, "--named", "--output", str(out)]) == 0
        assert out.read_text(encoding="utf-8").startswith(begins)
    capsys.readouterr()
    assert main(["equations", "two_link_space_arm", "--expand", "--live", "all declared"]) == 0
    assert r"\tau_{2} = L^{2} m" in capsys.readouterr().out
