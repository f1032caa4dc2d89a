"""Special states of mechanisms whose coordinates are tied together: closed loops, dead centres and places beside them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
import sympy

from kanegen.arrays import FloatArray
from kanegen.codegen import candidates, deriving, pipeline
from kanegen.codegen.certificate import certify
from kanegen.codegen.certificate.comparison import (
    CERTIFIED_BOUND,
    CERTIFIED_STATES,
    TELLING,
    all_configurations,
    random_configurations,
)
from kanegen.codegen.certificate.special_states import Place, SpecialStates
from kanegen.codegen.graph import Expression, Program, evaluate, inputs
from kanegen.codegen.kernel_sources import KernelSources
from kanegen.codegen.mechanism import BASE, DistanceRate, JointRate, Mechanism, MechanismBuilder, catalogue
from kanegen.codegen.passes import optimize as optimizing
from kanegen.codegen.passes.verify import residual
from kanegen.errors import CertificateError
from kanegen.options import Options

KINEMATICS = ("coordinate_rates", "constraint_residual")
CRANK, ROD = sympy.Rational(1, 5), sympy.Rational(1, 2)


def slider_crank(speed: str = "x") -> Mechanism:
    """A crank of 0.2 m turned by a, a rod of 0.5 m by b against it, and a slide along x: a dead centre where sin b = 0."""
    b = MechanismBuilder("slider_crank", gravity=(0, -9.81, 0))
    b.body("crank", 1, (0.1, 0, 0), (0.01, 0.01, 0.01))
    b.body("rod", 1, (0.25, 0, 0), (0.02, 0.02, 0.02))
    b.body("slide", 2, (0, 0, 0), (0.01, 0.01, 0.01))
    b.revolute("a", BASE, "crank", (0, 0, 1))
    b.revolute("b", "crank", "rod", (0, 0, 1), (0.2, 0, 0))
    b.prismatic("x", BASE, "slide", (1, 0, 0))
    q = sympy.symbols("a b x")
    b.position_constraint("along", CRANK * sympy.cos(q[0]) + ROD * sympy.cos(q[0] + q[1]) - q[2], q)
    b.position_constraint("across", CRANK * sympy.sin(q[0]) + ROD * sympy.sin(q[0] + q[1]), q)
    b.speeds([JointRate(speed)])
    turn = -math.asin(0.4 * math.sin(1.0))
    b.home((1.0, turn - 1.0, 0.2 * math.cos(1.0) + 0.5 * math.cos(turn)))
    return b.build()


def parallelogram() -> Mechanism:
    """Cranks of 0.3 m on a ground of 1 m with a coupler as long: where it is folded, it can go on in two ways."""
    b = MechanismBuilder("parallelogram", gravity=(0, -9.81, 0))
    for name in ("crank", "coupler", "rocker"):
        b.body(name, 1, (0.1, 0, 0), (0.01, 0.01, 0.01))
    b.revolute("a", BASE, "crank", (0, 0, 1))
    b.revolute("b", "crank", "coupler", (0, 0, 1), (0.3, 0, 0))
    b.revolute("c", BASE, "rocker", (0, 0, 1), (1, 0, 0))
    q = sympy.symbols("a b c")
    r = sympy.Rational(3, 10)
    for name, f, ground in (("along", sympy.cos, 1), ("across", sympy.sin, 0)):
        b.position_constraint(name, r * f(q[0]) + f(q[0] + q[1]) - ground - r * f(q[2]), q)
    b.speeds([JointRate("a")])
    b.home((1, -1, 1))
    return b.build()


def looked_at(model: Mechanism, options: Options | None = None) -> SpecialStates:
    kernel_set = KernelSources(model, options or Options()).kernel_set(helpers=TELLING)
    found = all_configurations(kernel_set).special
    assert found is not None
    return found


def test_a_slider_crank_is_looked_at_stretched_and_folded() -> None:
    found = looked_at(slider_crank())
    centres = found.of(Place.CENTRE)
    # the crank in line with the rod: stretched (x = 0.7) and folded (x = 0.3)
    assert np.abs(np.sin(centres[:, 1])).max() < 1e-6
    assert {round(abs(x), 6) for x in centres[:, 2]} == {0.3, 0.7}
    beside = found.of(Place.BESIDE)
    assert len(beside) == len(centres)
    assert {round(math.log10(x)) for x in found.growth[found.place == Place.BESIDE]} == {4}
    for q in (found.ordinary, beside, centres):
        assert np.abs(0.2 * np.sin(q[:, 0]) + 0.5 * np.sin(q[:, 0] + q[:, 1])).max() < 1e-10
    assert len(found.ordinary) >= 1


def test_a_crank_that_drives_has_no_dead_centre() -> None:
    found = looked_at(slider_crank("a"))
    assert (found.place == Place.ORDINARY).all()
    assert len(found.q) >= 3  # home, and what closes from zero and from a quarter turn


def test_a_parallelogram_is_looked_at_where_it_is_folded() -> None:
    """All bars are in line: sin a = sin b = sin c = 0, and every rate of b and c fits to some rate of a."""
    found = looked_at(parallelogram())
    folded = np.abs(np.sin(found.of(Place.CENTRE))).max(axis=1)
    assert len(folded) and folded.max() < 1e-4  # the equations hold to second order, within 1e-11
    assert len(found.of(Place.BESIDE))


def test_speeds_of_the_stanford_arm_fail_where_sin_q2_vanishes() -> None:
    """Kane & Levinson 1983, eqs 8 to 11: they divide by s2 and by nothing else."""
    found = looked_at(catalogue.mechanism("stanford_arm"), Options(speeds="kane_levinson"))
    assert np.abs(np.sin(found.of(Place.CENTRE)[:, 1])).max() < 1e-6
    near = np.abs(np.sin(found.of(Place.BESIDE)[:, 1]))
    assert len(near) and near.min() > 1e-6 and near.max() < 1e-1


def damped(program: Program, least: Fraction) -> Program:
    """1 / sin b becomes sin b / (sin^2 b + least), as damped inverses are: right but where sin b is small."""
    graph = program.graph
    sine = inputs(graph, "q", 3)[1].sine()
    square = sine * sine
    share = square / (square + least)
    results = tuple(tuple((share * Expression(graph, x)).ref for x in row) for row in program.results)
    return replace(program, results=results)


@pytest.mark.parametrize(
    ("kernel", "least"),
    [
        ("coordinate_rates", Fraction(1, 10**14)),
        ("inverse_dynamics", Fraction(1, 10**13)),
        ("mass_matrix", Fraction(1, 10**14)),
        ("constraint_jacobian", Fraction(1, 10**22)),
    ],
)
def test_what_is_wrong_near_dead_centres_alone_is_refused(
    monkeypatch: pytest.MonkeyPatch, kernel: str, least: Fraction
) -> None:
    """Random states see nothing; those beside dead centres do, and for what has a value there the dead centres."""
    model, options = slider_crank(), Options(kernels=(kernel,))
    right = candidates.optimize

    def wrong(program: Program) -> tuple[Program, tuple[optimizing.Step, ...]]:
        found, steps = right(program)
        return damped(found, least), steps

    sources = KernelSources(model, options)
    plain = deriving.derive(sources, kernel).program
    usual = random_configurations(sources.kernel_set()).q
    assert residual(damped(plain, least), plain, len(usual), states_given={"q": usual}) < CERTIFIED_BOUND
    pipeline.interpret(model, options)
    monkeypatch.setattr(candidates, "optimize", wrong)
    with pytest.raises(CertificateError, match=f"{kernel}: the optimized program differs"):
        pipeline.interpret(model, options)


@pytest.mark.parametrize(
    ("kernel", "least"),
    [("inverse_dynamics", 17), ("mass_matrix", 17), ("forward_dynamics", 17), ("constraint_jacobian", 22)],
)
def test_the_records_are_asked_there_as_well(kernel: str, least: int) -> None:
    """A derivation that is wrong near dead centres has a plain form as wrong.

    With many digits parts of 1e-9 are seen where sin b is 1e-4 and doubles have lost as much.
    """
    model = slider_crank()
    special, sources = looked_at(model), KernelSources(model, Options())
    programs = {name: sources.plain(name) for name in (*KINEMATICS, kernel)}
    for wrong in (False, True):
        if wrong:
            programs[kernel] = damped(programs[kernel], Fraction(1, 10**least))
        kernel_set = replace(sources.kernel_set(programs), special=special)
        certify.certify(replace(kernel_set, special=None), CERTIFIED_STATES)
        if wrong:
            with pytest.raises(CertificateError, match=f"fail the check .*{kernel}"):
                certify.certify(kernel_set, CERTIFIED_STATES)
        else:
            record = certify.certify(kernel_set, CERTIFIED_STATES)
            assert record.states == CERTIFIED_STATES + len(special.q)


def test_compiled_kernels_are_compared_there(tmp_path: Path) -> None:
    model = slider_crank()
    generated = pipeline.generate(model, tmp_path, Options(kernels=("coordinate_rates", "potential_energy")))
    special = looked_at(model)
    rows: dict[str, int] = {}
    error = 0.0

    def call(name: str, given: Sequence[FloatArray]) -> list[FloatArray]:
        program = generated.kernels[name].program
        names = [argument.name for argument in program.inputs]
        rows[name] = len(given[0])
        found = list(evaluate(program, dict(zip(names, given, strict=True))).values())
        for x in found:
            x[-1] *= 1 + error
        return found

    assert set(generated.compiled_residuals(call).values()) == {0.0}
    # energies everywhere, rates wherever the speed determines them
    assert rows["potential_energy"] == generated.record.states == 100 + len(special.q)
    assert rows["coordinate_rates"] == generated.record.states - len(special.of(Place.CENTRE))
    error = 1e-4
    with pytest.raises(CertificateError, match="the compiled kernel differs from its program"):
        generated.compiled_residuals(call)


@pytest.mark.parametrize(("hinges", "left_out"), [(0, 0), (2, -1)])
def test_points_that_coincide_at_home_are_no_error(hinges: int, left_out: int) -> None:
    """Their distance has no direction at home, and few digits of one beside it: there it is not looked at as elsewhere."""
    b = MechanismBuilder("buoy", gravity=(0, 0, -9.81))
    b.body("buoy", 1, (0.1, 0, 0), (0.01, 0.02, 0.02))
    b.floating("free", BASE, "buoy")
    for k in range(hinges):
        b.body(f"b{k}", 1, (0.1, 0, 0), (0.01, 0.02, 0.02))
        before, axis = (f"b{k - 1}", (0, 0, 1)) if k else ("buoy", (0, 1, 0))
        b.revolute(f"j{k}", before, f"b{k}", axis, (0.3 * k, 0, 0))
    b.frame("eye", f"b{hinges - 1}" if hinges else "buoy", (0.5, 0, 0))
    b.frame("post", BASE, (0.8 if hinges else 0.5, 0, 0))
    others = list(b.build().rates)
    del others[left_out]
    b.speeds([DistanceRate("post", "eye"), *map(JointRate, others)])
    model = b.build()
    home = np.array([0, 0, 0, 0, 0, 0, 1, *[0] * hinges])
    found = looked_at(model)
    assert abs(found.q - home).max(axis=1).min() > 0
    options = Options(kernels=("mass_matrix", "dead_centre_margin"))
    assert pipeline.interpret(model, options).manifest.certificate.states == 100 + len(found.q)
