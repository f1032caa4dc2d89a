"""Inverse dynamics through multipliers against the oracle, and all bodies solved at once."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from kanegen.codegen.derivation.euler_parameters import forces
from kanegen.codegen.graph import evaluate
from kanegen.codegen.mechanism.catalogue import mechanism
from kanegen.codegen.mechanism.folding import with_numbers
from kanegen.codegen.passes.optimize import optimize
from tests.derivation.force_programs import program

from .support import Bodies

TOLERANCE = 1e-12
"""Some thousand roundings of 1.1e-16 on terms that are at most ten times the largest force."""

PATH = 1e-8
"""[N m] The issue's bound along the path: 1e-12 of the largest torque, 9.5e3 N m, with the oracle's own rounding."""


@pytest.fixture(name="path", scope="module")
def _path() -> list[dict[str, list[float]]]:
    file = Path(__file__).parents[2] / "oracles" / "sim_yoo_lee_1985.json"
    table: list[dict[str, list[float]]] = json.loads(file.read_text(encoding="utf-8"))["table"]
    return table


def test_torques_of_the_paper_s_robot_along_its_path(path: list[dict[str, list[float]]]) -> None:
    robot = with_numbers(mechanism("sim_yoo_lee_robot"))
    at = {name: np.array([row[key] for row in path]) for name, key in (("q", "q"), ("v", "qd"), ("a", "qdd"))}
    expected = np.array([row["torque_EP"] for row in path])
    for found in (program(robot, forces), optimize(program(robot, forces))[0]):
        assert np.abs(evaluate(found, at)["tau"] - expected).max() <= PATH


def test_all_bodies_at_once_give_the_path_s_torques(path: list[dict[str, list[float]]]) -> None:
    """(28) to (34) with a general solver, and the body coordinates of the oracle."""
    robot = Bodies(mechanism("sim_yoo_lee_robot"))
    for row in path:
        motion = robot.motion(*(np.array(row[key]) for key in ("q", "qd", "qdd")))
        x = motion.x.reshape(6, 7)
        assert np.abs(x[:, :3] - row["r"]).max() <= TOLERANCE
        parameters = np.array(row["euler_params"])
        signs = np.sign(
            np.sum(x[:, 3:] * parameters, axis=1, keepdims=True)
        )  # p and -p are the same rotation
        assert np.abs(x[:, 3:] * signs - parameters).max() <= TOLERANCE
        assert np.abs(robot.actuator_forces(motion) - row["torque_EP"]).max() <= PATH
