"""A sample of the robots that others described; ``make corpus`` examines all of them, compiled."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest

import kanegen
from benchmarks.corpus.robots import RobotFile, robot_files
from kanegen.codegen import pipeline
from kanegen.codegen.commands.against import random_states
from kanegen.codegen.mechanism.importers import read_file
from kanegen.codegen.mechanism.importers.xacro import urdf_text
from kanegen.codegen.mechanism.names import c_names
from kanegen.codegen.mechanism.records import Mechanism
from kanegen.codegen.peers import State, open_peer
from kanegen.errors import ModelError

FILES = {file.name: file for file in robot_files(("rtb-data",))}
pytestmark = [
    pytest.mark.needs("pinocchio", "xacro"),
    pytest.mark.skipif(not FILES, reason="the package rtb-data is not installed"),
]

SAMPLE = (
    "unimation_puma560_description/urdf/puma560_robot.urdf.xacro",
    "trossen_descriptions/urdf/px100.urdf.xacro",
    "trossen_descriptions/urdf/wx250s.urdf.xacro",
    "kuka_description/kuka_lbr_iiwa/urdf/lbr_iiwa_14_r820.urdf",
)
BOUND = 1e-10
"""Relative to the largest component: what is promised for every robot that both read."""

KERNELS = {"inverse_dynamics": "q v a", "mass_matrix": "q", "forward_dynamics": "q v tau"}


def outcome(file: RobotFile) -> str:
    try:
        read_file(file.path, allow_unphysical=True)
    except ModelError as error:
        if file.path.name not in str(error):
            return "refused without naming the file"
        return "fragment" if "without a robot" in str(error) else "refused"
    return "loaded"


def test_every_file_is_read_or_refused_by_name() -> None:
    found = Counter(outcome(file) for file in FILES.values())
    assert found["loaded"] >= 30
    assert found["fragment"] >= 15
    assert not found["refused without naming the file"]
    assert sum(found.values()) == len(FILES)


@pytest.mark.parametrize("name", SAMPLE)
def test_against_pinocchio(name: str, tmp_path: Path) -> None:
    file = FILES[name].path
    mechanism = pipeline.read(file, pipeline.Options(allow_unphysical=True))
    known = [k for k in KERNELS if k != "forward_dynamics" or _has_inertia(mechanism)]
    robot = kanegen.load(mechanism, kernels=known, interpreted=True)
    text = urdf_text(file) if file.suffix == ".xacro" else file.read_text(encoding="utf-8")
    expanded = tmp_path / "expanded.urdf"
    expanded.write_text(text, encoding="utf-8")
    theirs = open_peer("pinocchio", mechanism, expanded).kernels(c_names(robot.frame_names))
    arguments = random_states(mechanism, robot, 20, seed=7)
    for kernel in known:
        found = robot.call(kernel, *(arguments[a] for a in KERNELS[kernel].split()))
        wanted = np.array(
            [theirs[kernel](State(**{k: x[i] for k, x in arguments.items()})) for i in range(20)]
        )
        scale = np.abs(wanted).reshape(20, -1).max(axis=1)
        error = np.abs(found - wanted).reshape(20, -1).max(axis=1)
        assert (error <= BOUND * scale).all(), kernel


def _has_inertia(mechanism: Mechanism) -> bool:
    return all(b.inertia is not None for b in mechanism.bodies if not b.carrier)
