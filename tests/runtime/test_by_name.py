"""Coordinates, speeds and forces by name are the arrays that they stand for, wherever a robot takes any."""

from __future__ import annotations

import functools
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import kanegen
from kanegen.codegen.cli import main
from kanegen.codegen.mechanism import MechanismBuilder


@functools.cache
def robot() -> kanegen.Robot:
    """A floating body, a ball and a hinge, each carrying the next."""
    b = MechanismBuilder("ape")
    for name in ("trunk", "arm", "hand"):
        b.body(name, mass=1, center=(0, "0.1", "-0.2"), inertia=("0.1", "0.2", "0.15"))
    b.floating("free", "base", "trunk")
    b.spherical("ball", "trunk", "arm", position=(0, 0, "0.3"))
    b.revolute("hinge", "arm", "hand", axis=(0, 1, 0), position=(0, 0, "-0.4"))
    b.frame("tip", "hand", position=(0, 0, "-0.2"))
    b.home({"hinge": "0.25"})
    needed = [
        "inverse_dynamics",
        "forward_dynamics",
        "coordinate_rates",
        "frame_pose_tip",
        "frame_jacobian_tip",
    ]
    return kanegen.load(b.build(), kernels=needed, interpreted=True)


Q = {"ball": [0.1, 0.2, 0.3, 0.9], "free_x": 0.5}
V = {"free": [1, 2, 3, 4, 5, 6], "ball_wy": 7, "hinge": [8, 9]}
Q_ARRAY = np.array([0.5, 0, 0, 0, 0, 0, 1, 0.1, 0.2, 0.3, 0.9, 0.25])
V_ARRAY = np.array([[1, 2, 3, 4, 5, 6, 0, 7, 0, 8], [1, 2, 3, 4, 5, 6, 0, 7, 0, 9]], dtype=float)


def test_every_entry_point_takes_names() -> None:
    arm, rest = robot(), np.zeros(10)
    assert_array_equal(arm.configuration(Q), Q_ARRAY)
    assert_array_equal(arm.speeds(V), V_ARRAY)
    assert_array_equal(arm.inverse_dynamics(Q, V, {}), arm.inverse_dynamics(Q_ARRAY, V_ARRAY, rest))
    assert_array_equal(arm.call("coordinate_rates", Q, V), arm.coordinate_rates(Q_ARRAY, V_ARRAY))
    assert_array_equal(arm.frame_pose(Q, "tip"), arm.frame_pose(Q_ARRAY, "tip"))
    assert_array_equal(arm.assemble(Q), Q_ARRAY)
    assert_array_equal(arm.integrate(Q, V), arm.integrate(Q_ARRAY, V_ARRAY))
    assert_array_equal(arm.difference(Q, {}), arm.difference(Q_ARRAY, arm.home))
    assert_array_equal(arm.to_actuator(V), arm.to_actuator(V_ARRAY))
    pose = arm.frame_pose({**Q, "hinge": 0.5}, "tip")
    assert_array_equal(
        arm.inverse_kinematics("tip", pose, Q).q, arm.inverse_kinematics("tip", pose, Q_ARRAY).q
    )
    motions = [
        kanegen.simulate(arm, q, v, 0.1, controller=controller, times=[0.0, 0.1])
        for q, v, controller in (
            (Q, {"hinge": 1}, lambda t, q, v: {"hinge": -v[9]}),
            (Q_ARRAY, np.eye(10)[9], lambda t, q, v: -v * np.eye(10)[9]),
        )
    ]
    assert_array_equal(motions[0].q, motions[1].q)
    path = {"hinge": ([0, 1], [0.1, 0.3])}
    assert_array_equal(kanegen.trajectory(arm, path, Q).tau, kanegen.trajectory(arm, path, Q_ARRAY).tau)


@pytest.mark.parametrize(
    ("q", "told"),
    [
        ({"bal": [0, 0, 0, 1]}, "'ball'"),
        ({"ball": 1}, "4"),
        ({"hinge": [1, 2], "free_x": [1, 2, 3]}, "broadcast"),
        ({"hinge": "0.3"}, "real numbers"),
        ({"ball": [0, 0, 0, 0]}, "zero"),
    ],
)
def test_wrong_names_and_values(q: dict, told: str) -> None:
    with pytest.raises((TypeError, ValueError), match=told):
        robot().inverse_dynamics(q, {}, {})


def test_the_command_line_sets_joints_as_a_whole(tmp_path: Path) -> None:
    model, scenario = tmp_path / "top.toml", tmp_path / "s.toml"
    model.write_text(
        "[[body]]\nname = 'top'\nmass = 1\ninertia = [1, 1, 2]\n"
        "[[joint]]\nname = 'ball'\ntype = 'spherical'\nparent = 'base'\nchild = 'top'\n"
    )
    scenario.write_text("time = 0\n[q]\nball = [0, 0, 0.6, 0.8]\n")
    tables = [tmp_path / "a.csv", tmp_path / "b.csv"]
    for table, words in zip(
        tables,
        (
            ["--time", "0", "--set", "q.ball=0,0,0.6,0.8", "v.ball=1,2,3"],
            ["--scenario", str(scenario), "--set", "v.ball=1,2,3"],
        ),
        strict=True,
    ):
        assert main(["simulate", str(model), *words, "--csv", str(table)]) == 0
    assert tables[0].read_text() == tables[1].read_text()
    row = tables[0].read_text().splitlines()[1].split(",")
    assert [float(x) for x in row[1:8]] == [0, 0, 0.6, 0.8, 1, 2, 3]
    assert main(["simulate", str(model), "--time", "0", "--set", "q.ball=1,2"]) == 1
