"""The example of Sim, Yoo & Lee 1985, end to end: torques, and the motion computed again from them."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.interpolate import CubicSpline

import kanegen
from kanegen.codegen.commands import straight_line
from kanegen.codegen.commands.not_a_knot import spline
from kanegen.codegen.commands.scenario_run import ScenarioError
from kanegen.codegen.commands.straight_line_study import StraightLineResult
from tests.runtime_body_coordinates.robots import robot

# The motions are the same, and slower, where the package was not built.
pytestmark = pytest.mark.filterwarnings("ignore:the compiled integrators are missing:RuntimeWarning")

ORACLE = json.loads((Path(__file__).parents[1] / "oracles" / "sim_yoo_lee_1985.json").read_text())
MILLIMETRE = 1e-3


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> tuple[StraightLineResult, list[str], Path]:
    """Result, lines and figures of the command, with kernels of bodies that were not made small."""
    joints, bodies = (
        kanegen.load(straight_line.MODEL, kernels=straight_line.KERNELS),
        robot(straight_line.MODEL),
    )

    def load(model: str, formulation: str | None = None, **_: Any) -> kanegen.Robot:
        assert model == straight_line.MODEL
        return joints if formulation is None else bodies

    figures = tmp_path_factory.mktemp("figures")
    lines: list[str] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kanegen, "load", load)
        return straight_line.run(figures, lines.append), lines, figures


def test_errors_of_the_hand(ran: tuple[StraightLineResult, list[str], Path]) -> None:
    """The bounds of the paper's example; the oracle's errors, by other integrators, are 5e-8, 1.5e-6 and 0.0084 mm."""
    found = {again.title: again for again in ran[0].resimulations}
    assert found["exact torques, joint coordinates"].error <= 1e-6 * MILLIMETRE
    for method in ("partitioning", "stabilised"):
        exact = found[f"exact torques, Euler parameters, {method}"]
        assert exact.error <= 1e-5 * MILLIMETRE
        assert exact.drift is not None
        assert exact.drift <= 1e-9
    # The oracle's own integration is good to its error with ever finer splines.
    expected = ORACLE["resim"]["spline_phase_20"] * MILLIMETRE
    accuracy = ORACLE["resim"]["spline_phase_50"] * MILLIMETRE
    for title in ("splines, joint coordinates", "splines, Euler parameters, partitioning"):
        assert found[title].error == pytest.approx(expected, abs=accuracy)
        assert found[title].error <= 0.15 * MILLIMETRE


def test_torques(ran: tuple[StraightLineResult, list[str], Path]) -> None:
    result = ran[0]
    assert result.difference <= 1e-9
    first = ORACLE["table"][0]
    np.testing.assert_allclose(result.torques[0], first["torque_pin"], rtol=0, atol=1e-9)
    for row in ORACLE["table"][1:]:  # cubic interpolation between 60 points a phase
        phase = int(result.line.phases(row["t"]))
        here = result.phase == phase
        between = CubicSpline(result.t[here], result.torques[here])(row["t"])
        np.testing.assert_allclose(between, row["torque_pin"], rtol=0, atol=0.01)


def test_report_and_files(ran: tuple[StraightLineResult, list[str], Path]) -> None:
    result, lines, figures = ran
    text = "\n".join(lines)
    assert "2.956637 m along a straight line in 2.578060 s" in text
    assert "-8282.203939" in text
    assert "the paper reports 0.15 mm" in text
    assert (figures / f"{straight_line.FILE}.png").read_bytes().startswith(b"\x89PNG")
    with (figures / f"{straight_line.FILE}.csv").open() as stream:
        rows = list(csv.reader(stream))
    assert rows[0] == ["t", *(f"q{k}" for k in range(1, 7)), *(f"torque{k}" for k in range(1, 7))]
    assert len(rows) == 1 + len(result.t) == 184
    np.testing.assert_allclose(float(rows[1][8]), result.torques[0, 1], rtol=1e-11)


def test_the_command(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def refuse(*_: object) -> None:
        raise ScenarioError("plots need matplotlib")

    monkeypatch.setattr(straight_line, "check_plot", refuse)
    with pytest.raises(SystemExit) as ended:
        straight_line.main(["--figures", "figures"])
    assert ended.value.code == 1
    assert capsys.readouterr().err == "error: plots need matplotlib\n"


def test_splines_are_scipys() -> None:
    """Roundings of a banded system of condition 10, on numbers up to 3."""
    random = np.random.default_rng(8)
    for count in (3, 4, 20):
        values = random.normal(size=(count + 1, 2))
        mine = spline(0.5, 2.5, values)
        theirs = CubicSpline(np.linspace(0.5, 2.5, count + 1), values, bc_type="not-a-knot")
        for t in np.linspace(0.4, 2.6, 45):
            np.testing.assert_allclose(mine(t), theirs(t), rtol=0, atol=1e-13)
