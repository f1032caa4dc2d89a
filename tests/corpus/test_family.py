"""Robots that others described, written anew in other frames: the same forces, and the same operations.

Three of them here; ``make corpus`` takes all (KANEGEN_FAMILY=all).
"""

from __future__ import annotations

import os
from functools import cache

import pytest

from benchmarks.corpus.robots import robot_files
from kanegen.codegen.mechanism import Mechanism
from kanegen.codegen.mechanism.importers import from_toml, read_file
from kanegen.codegen.mechanism.reduction import open_tree, without_friction
from kanegen.errors import ModelError
from tests.laws.rewriting import WAYS, printed, rewritten
from tests.laws.test_same_mechanism import KERNELS, ROUNDINGS, all_operations, same_forces

FILES = {file.name: file.path for file in robot_files(("rtb-data",))}
SAMPLE = (
    "trossen_descriptions/urdf/px100.urdf.xacro",
    "kuka_description/kuka_kr210/urdf/kr210l150.urdf",
    "clearpath_ridgeback_description/urdf/ridgeback.urdf.xacro",
)
ROBOTS = tuple(FILES) if os.environ.get("KANEGEN_FAMILY") == "all" else SAMPLE

pytestmark = [
    pytest.mark.needs("xacro"),
    pytest.mark.skipif(not FILES, reason="the package rtb-data is not installed"),
]


@cache
def robot(name: str) -> Mechanism | None:
    """Its tree of joints; None for fragments, and for files without moments of inertia, in which nothing costs anything."""
    try:
        found = read_file(FILES[name], allow_unphysical=True).mechanism
    except ModelError:
        return None
    tensors = [entry for body in found.bodies if body.inertia for row in body.inertia.tensor for entry in row]
    return without_friction(open_tree(found)) if any(entry != 0 for entry in tensors) else None


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", ROBOTS)
def test_frames_make_no_difference(name: str, way: str) -> None:
    """But for an addition at each joint whose zero was shifted, and for which of two axes comes first in formulas.

    The latter shows where axes are oblique, as by angles of 1.5708: then it is a part in forty at most.
    """
    described = robot(name)
    if described is None:
        pytest.skip("no robot, or no moments of inertia")
    other, shifts = rewritten(described, way)
    again = from_toml(printed(other, 17), allow_unphysical=True)
    assert same_forces(again, described, shifts, 2 * ROUNDINGS * 2.0**-52)
    before = all_operations(described)
    oblique = name.endswith("xarm6.xacro")
    allowed = (0.03 if oblique else 0.02) * before + len(KERNELS) * len(shifts) + 1
    assert abs(all_operations(again) - before) <= allowed


def test_the_sample_is_of_robots() -> None:
    assert all(robot(name) is not None for name in SAMPLE)
