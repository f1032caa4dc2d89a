"""Inverse dynamics through multipliers against recursive Newton-Euler, the oracles, and all bodies solved at once."""

from __future__ import annotations

import json
from pathlib import Path

import mpmath
import numpy as np
import pytest

from kanegen.codegen.derivation.euler_parameters import forces
from kanegen.codegen.graph import Graph, constant, count, evaluate, inputs
from kanegen.codegen.mechanism import BASE, Mechanism, MechanismBuilder
from kanegen.codegen.mechanism.catalogue import mechanism
from kanegen.codegen.mechanism.folding import with_numbers
from kanegen.codegen.passes.optimize import optimize
from tests.derivation.comparison import DIGITS, EXACT, Array, difference, exactly, numbers, worst
from tests.derivation.dual_vectors.programs import newton_euler, program, program_of
from tests.derivation.trees import random_states, random_tree

from .support import Bodies

TOLERANCE = 1e-12
"""Some thousand roundings of 1.1e-16 on terms that are at most ten times the largest force."""

PATH = 1e-8
"""[N m] The issue's bound along the path: 1e-12 of the largest torque, 9.5e3 N m, with the oracle's own rounding."""


def motions(tree: Mechanism, count: int = 5) -> dict[str, Array]:
    q, v, a, _ = random_states(3, count, len(tree.coordinates))
    return {"q": q, "v": v, "a": a}


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


def test_stanford_arm_of_the_oracle(states: dict[str, Array]) -> None:
    arm = with_numbers(mechanism("stanford_arm"))
    at = {"q": states["q"], "v": states["qd"], "a": states["qdd"]}
    for found in (program(arm, forces), optimize(program(arm, forces))[0]):
        assert worst(evaluate(found, at)["tau"], states["Q_gen"]) <= TOLERANCE


def test_operations_of_the_stanford_arm() -> None:
    counts = count(optimize(program(with_numbers(mechanism("stanford_arm")), forces))[0])
    assert (counts.multiplications, counts.additions, counts.sincos) == (424, 303, 5)
    assert counts.divisions == counts.square_roots == 0


def test_stanford_arm_with_live_parameters() -> None:
    arm = mechanism("stanford_arm")
    at = {"q": np.full(6, 0.4), "v": np.linspace(-1, 1, 6), "a": np.linspace(2, -1, 6)}
    halved = {name: value / 2 for name, value in numbers(arm).items()}
    found = evaluate(program(arm, forces), at, halved)["tau"]
    expected = evaluate(newton_euler(arm, live_parameters=True), at, halved)["tau"]
    assert worst(found[None], expected[None]) <= TOLERANCE


@pytest.mark.parametrize(("seed", "joints"), [(1, 1), (2, 2), (3, 3), (4, 4), (5, 5), (6, 6), (7, 4), (8, 7)])
def test_random_trees(seed: int, joints: int) -> None:
    tree = random_tree(seed, joints)
    at = motions(tree)
    found = program(tree, forces)
    expected = evaluate(newton_euler(tree), at)["tau"]
    for candidate in (found, optimize(found)[0]):
        assert worst(evaluate(candidate, at)["tau"], expected) <= TOLERANCE


def test_random_tree_to_thirty_digits() -> None:
    tree = random_tree(9, 5)
    q, v, a, _ = random_states(9, 1, 5)
    with mpmath.workdps(DIGITS):
        arguments = {"q": list(q[0]), "v": list(v[0]), "a": list(a[0])}
        found, expected = (exactly(p, **arguments) for p in (program(tree, forces), newton_euler(tree)))
        assert difference(found, expected) < EXACT


def test_carriers_without_inertia_and_what_is_welded_to_the_base() -> None:
    builder = MechanismBuilder("carried")
    builder.body("post", mass=3, center=(0, 0, 1), inertia=(1, 1, 1))
    builder.body("carrier")
    builder.body("arm", mass=2, center=(0.5, 0, 0), inertia=(0.1, 0.2, 0.2))
    builder.fixed("weld", BASE, "post", position=(0, 0, 0.5))
    builder.prismatic("lift", "post", "carrier", (0, 0, 1))
    builder.revolute("hinge", "carrier", "arm", (0, 1, 0), position=(0, 0, 2))
    tree = builder.build()
    at = {"q": np.array([0.1, 0.3]), "v": np.array([0.0, 1.0]), "a": np.array([0.5, -2.0])}
    # the centre rises by lift - 0.5 sin q: its acceleration is 0.5 - 0.5 (a cos q - v^2 sin q)
    rise = 0.5 - 0.5 * (-2.0 * np.cos(0.3) - np.sin(0.3))
    moment = 0.2 * -2.0 + 2 * 0.5**2 * -2.0 - 2 * (9.81 + 0.5) * 0.5 * np.cos(0.3)
    assert evaluate(program(tree, forces), at)["tau"] == pytest.approx(
        [2 * (9.81 + rise), moment], rel=TOLERANCE
    )


def test_arguments_may_be_any_expressions() -> None:
    tree = random_tree(4, 4)
    graph = Graph()
    x = inputs(graph, "x", 1)[0]
    zero = constant(graph, 0)
    tau = forces(tree, graph, [x, zero, x, zero], [zero] * 4, [zero] * 4)
    found = evaluate(program_of(graph, {"x": 1}, tau), {"x": np.array([0.7])})["tau"]
    at = {"q": np.array([0.7, 0, 0.7, 0]), "v": np.zeros(4), "a": np.zeros(4)}
    assert worst(found[None], evaluate(newton_euler(tree), at)["tau"][None]) <= TOLERANCE
