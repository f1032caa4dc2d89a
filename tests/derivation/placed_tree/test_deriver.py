"""What the kernels of a mechanism share, and which decisions concern a kernel at all."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from kanegen.codegen.derivation.placed_tree import inertial_gauge
from kanegen.codegen.derivation.placed_tree.choices import Choices
from kanegen.codegen.derivation.placed_tree.deriver import Deriver, Trees
from kanegen.codegen.derivation.placed_tree.placement import PlacedTree
from kanegen.codegen.graph import Program, count
from kanegen.codegen.mechanism import catalogue
from kanegen.codegen.mechanism.names import c_names
from kanegen.codegen.mechanism.records import Mechanism
from tests.derivation.tree_kernels import DYNAMICS, frame_kernels

ARM = catalogue.mechanism("puma560_general")
TREES = Trees(ARM)
FRAMES = frame_kernels(TREES.placed({})[0], c_names([f.name for f in TREES.placed({})[0].bodies]))
WITHOUT_INERTIA = ("coordinate_rates", "frame_pose_link4", "frame_jacobian_link6")


@pytest.mark.parametrize("name", [*DYNAMICS, "frame_pose_link4", "frame_jacobian_link6"])
def test_inertia_concerns_dynamics_alone(name: str) -> None:
    deriver = Deriver(ARM, (DYNAMICS | FRAMES)[name], trees=TREES)
    _, points = deriver({})
    on_inertia = [point for point in points if point.startswith(inertial_gauge.POINT)]
    assert deriver.has_inertia() == bool(on_inertia) == (name not in WITHOUT_INERTIA)


@pytest.mark.parametrize("gauge", [True, False])
@pytest.mark.parametrize("answers", [{}, {"second moment of link4 along its axis": 2, "origin of link2": 1}])
def test_shared_trees_change_no_program(gauge: bool, answers: Mapping[str, int]) -> None:
    for name in ("potential_energy", "mass_matrix"):
        shared, _ = Deriver(ARM, DYNAMICS[name], gauge=gauge, trees=TREES)(answers)
        alone, _ = Deriver(ARM, DYNAMICS[name], gauge=gauge)(answers)
        assert (shared.graph.payloads, shared.results) == (alone.graph.payloads, alone.results)


def test_trees_are_made_once() -> None:
    """The same answers about frames and inertia lead to the same tree, whatever else is decided."""
    trees = Trees(ARM)
    seen: list[PlacedTree] = []

    def build(tree: PlacedTree, mechanism: Mechanism, choices: Choices) -> Program:
        seen.append(tree)
        return DYNAMICS["potential_energy"](tree, mechanism, choices)

    for _ in range(2):
        deriver = Deriver(ARM, build, searched=False, trees=trees)
        for unit in (0, 1):
            deriver({"unit of length": unit})
    assert len(seen) == 4
    assert all(tree is seen[0] for tree in seen)


def test_a_kernel_that_is_not_searched_is_derived_once() -> None:
    """Whether inertia enters is not asked then; the program is the same."""
    asked: list[PlacedTree] = []

    def build(tree: PlacedTree, mechanism: Mechanism, choices: Choices) -> Program:
        asked.append(tree)
        return FRAMES["frame_pose_link4"](tree, mechanism, choices)

    program, _ = Deriver(ARM, build, searched=False, trees=TREES)({})
    assert len(asked) == 1
    assert count(program) == count(Deriver(ARM, FRAMES["frame_pose_link4"], trees=TREES)({})[0])


def test_the_textbook_derivation_is_not_made_again_where_it_is_known() -> None:
    asked: list[PlacedTree] = []

    def build(tree: PlacedTree, mechanism: Mechanism, choices: Choices) -> Program:
        asked.append(tree)
        return DYNAMICS["potential_energy"](tree, mechanism, choices)

    plain = Deriver(ARM, build, trees=TREES).plain()
    known = Deriver(ARM, build, gauge=False, trees=TREES, plain=plain)
    assert known({"unit of length": 0}) == plain
    assert len(asked) == 1
    assert known({"unit of length": 1})[0] is not plain[0]
    Deriver(ARM, build, trees=TREES, plain=plain)({})  # frames and inertia may move
    assert len(asked) == 4  # and once without inertia, to see whether it enters
