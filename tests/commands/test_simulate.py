"""``kanegen simulate``: the three studies of Kane & Levinson (1983), end to end."""

from __future__ import annotations

import builtins
import csv
import json
import math
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cffi import FFI

import kanegen
from kanegen.codegen.commands.scenario_report import csv_text, summary
from kanegen.codegen.commands.scenario_run import ROWS, Result, ScenarioError, run
from kanegen.codegen.commands.simulate import run_scenario
from kanegen.codegen.mechanism import ModelError, catalogue
from kanegen.codegen.mechanism.scenarios import ControlledMotion

# The motions are the same, and slower, where the package was not built.
pytestmark = pytest.mark.filterwarnings("ignore:the compiled integrators are missing:RuntimeWarning")

MOTIONS = json.loads((Path(__file__).parents[1] / "oracles" / "stanford_arm_motions.json").read_text())
SECONDS = slice(0, ROWS, 100)
"""The rows of the oracles' tables."""
FREE_END = (-0.032433277466, 1.056039346721, 1.041787411597, 1.039629141729, 1.047149586141, 0.099987771495)
"""q(10 s) with tau1 = 0, to 12 decimals, by SciPy's DOP853 over the algorithm of 1983 and over Pinocchio."""
START = [0, math.pi / 2, 0, 0, 0, 0]


@pytest.fixture(scope="module")
def ran() -> Mapping[str, tuple[Result, list[str]]]:
    """Result and reported lines of each scenario, by name."""
    found = {}
    for scenario in catalogue.scenarios("stanford_arm"):
        lines: list[str] = []
        found[scenario.name] = run_scenario("stanford_arm", scenario.name, None, None, lines.append), lines
    return found


Ran = Mapping[str, tuple[Result, list[str]]]


def test_prescribed_motion(ran: Ran) -> None:
    result, lines = ran["prescribed-motion"]
    for row, q, forces in zip(
        MOTIONS["fig1"]["table"], result.q[SECONDS], result.forces[SECONDS], strict=True
    ):
        assert np.abs(forces - row["tau"]).max() <= 1e-12 * np.abs(row["tau"]).max()
        assert np.abs(q - row["q"]).max() <= 4 * 2**-53 * np.pi  # a few operations on angles below pi
    assert result.statistics is None
    text = "\n".join(lines)
    assert "eq 127 and fig 1" in text
    assert "17.628427913777" in text  # the largest tau2, as in the oracle
    assert "ns each" in text or "µs each" in text


def test_feedback(ran: Ran) -> None:
    result, lines = ran["feedback"]
    table = MOTIONS["fig3"]["table"]
    # Steps at rtol 1e-12 of a motion whose errors die out; 1e-10 is what the project promises.
    np.testing.assert_allclose(result.q[SECONDS], [row["q"] for row in table], rtol=0, atol=1e-10)
    np.testing.assert_allclose(result.v[SECONDS], [row["qd"] for row in table], rtol=0, atol=1e-10)
    np.testing.assert_allclose(result.momentum[SECONDS, 4], [row["W31"] for row in table], rtol=0, atol=1e-10)
    # The law's gains of 41 at most pass the errors of the state on.
    np.testing.assert_allclose(result.forces[SECONDS], [row["tau"] for row in table], rtol=0, atol=100e-10)
    end = ["q1", "rad", "1.047164657279", "0.000160178317", "1.047197551", "-3.29e-05"]
    assert end in [line.split() for line in lines]
    assert "times faster than real time" in lines[-2]


def test_free_swivel(ran: Ran) -> None:
    result, lines = ran["free-swivel"]
    np.testing.assert_allclose(result.q[-1], FREE_END, rtol=0, atol=1e-10)
    assert result.conserved is not None
    assert np.abs(result.conserved).max() <= 1e-12
    assert not result.tau[:, 0].any()
    assert any(
        line.startswith("W31, angular momentum about A* along n2, changes by at most") for line in lines
    )
    assert not any("NOT within" in line for line in lines)


def test_energy_grows_by_the_work_of_the_forces(ran: Ran) -> None:
    """dE/dt = tau . v, integrated by Simpson's rule after the first, fast second."""
    result, _ = ran["feedback"]
    power = (result.tau * result.v).sum(axis=1)[100:]
    work = 0.01 / 3 * (power[0] + 4 * power[1:-1:2].sum() + 2 * power[2:-1:2].sum() + power[-1])
    # Simpson's error is h^4/180 times the change of P''', which stays below 2 W/s^3 then: 1.1e-10 J
    assert result.energy[-1] - result.energy[100] == pytest.approx(work, rel=0, abs=1.2e-10)


def test_forces_return_from_an_independent_engines_accelerations(ran: Ran) -> None:
    """The paper's check: the motion of Fig. 3 through inverse dynamics gives the forces of the law."""
    peers = pytest.importorskip("pinocchio") and pytest.importorskip("benchmarks.peers.pinocchio_engine")
    models = pytest.importorskip("benchmarks.peers.stanford_arm_models")
    engine = peers.PinocchioEngine(models.STANFORD_ARM_URDF, models.JOINTS)
    result, _ = ran["feedback"]
    rows = range(0, ROWS, 10)
    a = np.array([engine.forward_dynamics(result.q[k], result.v[k], result.tau[k]) for k in rows])
    tau = kanegen.load("stanford_arm").inverse_dynamics(result.q[::10], result.v[::10], a)
    assert np.abs(tau - result.tau[::10]).max() <= 1e-12


def test_forces_return_from_a_spline_of_the_speeds() -> None:
    interpolate = pytest.importorskip("scipy.interpolate")
    arm = kanegen.load("stanford_arm")
    # q5 settles within 8 ms at first: half a millisecond between the knots of a spline of degree 7
    times = np.linspace(0, 10, 20001)
    motion = kanegen.simulate(
        arm, START, np.zeros(6), 10.0, controller="feedback_law", rtol=1e-12, atol=1e-13, times=times
    )
    a = interpolate.make_interp_spline(times, motion.v, k=7).derivative()(times)
    assert np.abs(arm.inverse_dynamics(motion.q, motion.v, a) - motion.tau).max() <= 1e-8


# -- files --


def test_csv(tmp_path: Path, ran: Ran) -> None:
    path = tmp_path / "motion.csv"
    lines: list[str] = []
    result = run_scenario("stanford_arm", "prescribed-motion", None, path, lines.append)
    assert lines[-1] == f"wrote {path}"
    assert path.read_text(encoding="utf-8") == csv_text(result)
    with path.open(newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert len(rows) == ROWS
    assert ",".join(rows[0]) == (
        "t,q1,q2,q3,q4,q5,q6,rate_q1,rate_q2,rate_q3,rate_q4,rate_q5,rate_q6,"
        "force_q1,force_q2,force_q3,force_q4,force_q5,force_q6,"
        "actuator_tau1,actuator_tau2,actuator_tau3,actuator_tau4,actuator_tau5,actuator_sigma,"
        "energy,angular_momentum_x,angular_momentum_y,angular_momentum_z"
    )
    row = rows[300]
    assert row["t"] == "3.00000000000"
    for k in range(6):
        # 12 significant digits
        assert float(row[f"q{k + 1}"]) == pytest.approx(result.q[300, k], rel=1e-11)
        assert float(row[f"force_q{k + 1}"]) == pytest.approx(result.tau[300, k], rel=1e-11)
    assert row["force_q2"] == "-" + row["actuator_tau2"]
    assert float(row["angular_momentum_y"]) == pytest.approx(result.momentum[300, 4], rel=1e-11)
    assert [p.name for p in tmp_path.iterdir()] == ["motion.csv"]


@pytest.mark.parametrize(
    ("scenario", "suffix", "magic"),
    [
        ("prescribed-motion", ".png", b"\x89PNG"),
        ("feedback", ".pdf", b"%PDF"),
        ("free-swivel", ".svg", b"<?xml"),
    ],
)
def test_plots(tmp_path: Path, ran: Ran, scenario: str, suffix: str, magic: bytes) -> None:
    pytest.importorskip("matplotlib")
    from kanegen.codegen.commands.scenario_plots import plot

    result, _ = ran[scenario]
    content = plot(result, suffix)
    assert content.startswith(magic)
    assert plot(result, suffix) == content  # no date in it


def test_what_is_drawn(ran: Ran) -> None:
    from kanegen.codegen.commands.scenario_plots import panels

    drawn = {name: [(p.name, p.unit, p.target) for p in panels(result)] for name, (result, _) in ran.items()}
    assert [name for name, *_ in drawn["prescribed-motion"]] == [
        "tau1",
        "tau2",
        "tau3",
        "tau4",
        "tau5",
        "sigma",
    ]
    assert drawn["prescribed-motion"][-1] == ("sigma", "N", None)
    assert drawn["feedback"] == [*[(f"q{k}", "rad", math.pi / 3) for k in range(1, 6)], ("q6", "m", 0.1)]
    assert drawn["free-swivel"] == [("W31", "kg m²/s", None), ("q1", "rad", None)]


def test_plot_file(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    path = tmp_path / "fig 1 é.png"
    run_scenario("stanford_arm", "prescribed-motion", path, None, lambda line: None)
    assert path.read_bytes().startswith(b"\x89PNG")


# -- what goes wrong --


def test_unknown_names() -> None:
    with pytest.raises(ModelError, match="mechanism 'stanford': is not built in"):
        run_scenario("stanford", "feedback", None, None, print)
    with pytest.raises(ModelError, match="expected one of prescribed-motion, feedback, free-swivel"):
        run_scenario("stanford_arm", "fig1", None, None, print)


def test_a_plot_of_an_unknown_kind_is_refused_before_the_work(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    lines: list[str] = []
    with pytest.raises(kanegen.KanegenError, match=r"ends in '\.doc'"):
        run_scenario("stanford_arm", "feedback", tmp_path / "plot.doc", tmp_path / "m.csv", lines.append)
    assert lines == []
    assert list(tmp_path.iterdir()) == []


def test_without_matplotlib(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def without(name: str, *rest: Any, **more: Any) -> Any:
        if name.partition(".")[0] == "matplotlib":
            raise ImportError(name)
        return real(name, *rest, **more)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(kanegen.KanegenError, match=r"plots need matplotlib.*pip install 'matplotlib"):
        run_scenario("stanford_arm", "feedback", tmp_path / "plot.png", None, print)


def test_a_motion_that_cannot_be_carried_to_its_end() -> None:
    scenario = catalogue.scenario("stanford_arm", "feedback")
    assert isinstance(scenario, ControlledMotion)
    unreachable = replace(scenario, start=(0.0, math.pi / 2, 0.0, 0.0, 0.0, 1e200))
    with pytest.raises(ScenarioError, match="scenario 'feedback' of stanford_arm ended at t ="):
        run(kanegen.load("stanford_arm"), catalogue.mechanism("stanford_arm"), unreachable)


def test_momentum_that_is_not_conserved_is_said_so(ran: Ran) -> None:
    result, _ = ran["feedback"]
    swivel = catalogue.scenario("stanford_arm", "free-swivel")
    text = "\n".join(summary(replace(result, scenario=swivel)))
    assert "NOT within 1e-12" in text


def test_the_closed_loop_is_the_law_and_the_dynamics() -> None:
    """By name the law comes closed over the dynamics; by address it is called on its own.  Sampled, it is never closed."""
    arm = kanegen.load("stanford_arm")
    try:
        address = arm.kernel_address("feedback_law")
    except kanegen.NotCompiledError:
        pytest.skip("needs compiled kernels")
    law = FFI().cast("void (*)(const double *, const double *, const double *, double *)", address)
    start, rest = [0.0, 1.5, 0.1, -0.2, 0.3, 0.05], np.zeros(6)
    for period in (None, 0.01):
        motions = [
            kanegen.simulate(
                arm, start, rest, 0.5, controller=controller, rtol=1e-10, atol=1e-12, sample_period=period
            )
            for controller in ("feedback_law", law)
        ]
        # both follow the solution to their tolerance, magnified by less than 100 over half a second of a damped motion
        assert np.abs(motions[0].q - motions[1].q).max() <= 1e-8
        assert np.abs(motions[0].tau - motions[1].tau).max() <= 1e-6
        calls = [motion.statistics.controller_calls for motion in motions]
        assert calls[0] == calls[1]
