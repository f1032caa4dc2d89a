"""The scenarios of the built-in arms with flexible links: run, reported, drawn."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import kanegen
from kanegen.codegen.commands.scenario_plots import panels
from kanegen.codegen.commands.scenario_report import summary
from kanegen.codegen.commands.scenario_run import Result, run
from kanegen.codegen.commands.simulate import run_scenario
from kanegen.codegen.mechanism import catalogue
from kanegen.codegen.mechanism.scenarios import ControlledMotion

CASES = [
    (name, s.name)
    for name in catalogue.names()
    if name.startswith("flexible")
    for s in catalogue.scenarios(name)
]
DRAWN = {
    "flexible_one_link": ["y of link1", "q1"],
    "flexible_two_link": ["y of link1", "y of link2", "q1", "q2"],
    "flexible_two_link_spatial": ["y of link1", "z of link1", "y of link2", "z of link2", "q1", "q2"],
    "flexible_six_axis": [
        *(f"{axis} of {link}" for link in ("upper_arm", "forearm") for axis in "yz"),
        *("q1", "q2", "q3", "q5"),
    ],
}


def result_of(model: str, scenario: str) -> Result:
    return run(kanegen.load(model), catalogue.mechanism(model), catalogue.scenario(model, scenario))


def test_every_flexible_arm_has_one() -> None:
    assert [name for name, _ in CASES] == list(DRAWN)


@pytest.mark.parametrize(("model", "name"), CASES)
def test_what_is_drawn(model: str, name: str) -> None:
    """Of any motion; that of the six axes itself takes a minute of generation and is run by benchmarks.flexible_arms."""
    mechanism, scenario = catalogue.mechanism(model), catalogue.scenario(model, name)
    assert isinstance(scenario, ControlledMotion)
    t, n = np.linspace(0, 1, 5), mechanism.dof
    q, none = np.arange(5.0 * n).reshape(5, n), np.zeros((5, n))
    result = Result(mechanism, scenario, t, q, none, none, none, t, np.zeros((5, 6)), 1.0, None)
    drawn = panels(result)
    assert [panel.name for panel in drawn] == DRAWN[model]
    k = mechanism.coordinates.index(scenario.watched[0])
    assert (drawn[len(drawn) - len(scenario.watched)].values == q[:, k]).all()


@pytest.mark.parametrize(("model", "scenario"), CASES[:3])
def test_motions(model: str, scenario: str) -> None:
    result = result_of(model, scenario)
    assert isinstance(result.scenario, ControlledMotion)
    text = "\n".join(summary(result))
    assert "energy" in text
    assert "times faster than real time" in text
    if result.scenario.law is None:
        # Nothing drives or damps: energy stays, to what steps of a tolerance of 1e-6 lose.
        peak = np.abs(result.energy - kanegen.load(model).potential_energy(result.q)).max()
        assert np.abs(result.energy - result.energy[0]).max() < 1e-3 * peak


def test_a_slewed_arm_rings() -> None:
    """After the hub has come to rest the end swings through zero at the frequency of the clamped link."""
    result = result_of("flexible_one_link", "slew")
    arm = kanegen.load("flexible_one_link")
    end = panels(result)[0].values
    later = result.t > 2.5
    t, y = result.t[later], end[later]
    crossings = t[1:][np.diff(np.signbit(y)) != 0]
    found = np.pi / np.diff(crossings).mean()
    assert found == pytest.approx(arm.natural_modes(np.zeros(4), held="joints").frequencies[0], rel=0.1)
    assert np.abs(end).max() > 0.03
    assert abs(result.q[-1, 0] - np.pi / 3) < 1e-3


def test_it_is_drawn_and_written(tmp_path: Path) -> None:
    lines: list[str] = []
    picture, numbers = tmp_path / "slew.png", tmp_path / "slew.csv"
    run_scenario("flexible_one_link", "slew", picture, numbers, lines.append)
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert numbers.read_text().startswith("t,q1,d11,d12,d13,")
    assert lines[-1] == f"wrote {picture}"
