"""The kernels by name, and rows of a hand that no arm follows."""

from __future__ import annotations

import pytest

from kanegen.codegen.derivation.influence_coefficients import hand_influence, kernels
from kanegen.codegen.derivation.placed_tree.choices import Choices
from kanegen.codegen.derivation.placed_tree.deriver import Deriver
from kanegen.codegen.derivation.recursive.kinematics import frames_of, start
from kanegen.codegen.graph import Program
from kanegen.codegen.mechanism import Mechanism, ModelError
from kanegen.codegen.passes.optimize import optimize

from .support import frame_of, placed, random_arm

ARM = random_arm(1, 6)
SPATIAL = (0, 1, 2, 3, 4, 5)


def all_kernels(arm: Mechanism) -> dict[str, Program]:
    tree = placed(arm)
    hands = [(frame_of(tree, "hand"), SPATIAL)]
    found = kernels(tree, {frame.name: frame.name for frame in frames_of(tree)}, hands=hands)
    return {name: optimize(Deriver(arm, build)({})[0])[0] for name, build in found.items()}


def test_names_and_arguments() -> None:
    found = all_kernels(ARM)
    frames = ("link1", "link2", "link3", "link4", "link5", "link6", "hand")
    expected = {f"influence_{order}_{frame}" for order in "GH" for frame in frames}
    expected |= {
        "effective_inertia",
        "inertia_power",
        "effective_damping",
        "effective_stiffness",
        "spring_forces",
    }
    expected |= {"hand_inertia_hand", "hand_power_hand", "hand_forces_hand"}
    assert set(found) == expected
    assert all(program.name == name for name, program in found.items())
    assert found["influence_G_hand"].outputs[0].shape == (6, 6)
    assert found["influence_H_hand"].outputs[0].shape == (6, 6, 6)
    assert [argument.name for argument in found["hand_forces_hand"].inputs] == ["q", "e", "de"]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ((0, 0), "controlled rows"),
        ((), "controlled rows"),
        ((0, 6), "controlled rows"),
        ((0, 1, 2, 3, 4, 5), "at most 3 rows"),
        ((0, 2), "cannot follow vx, vz"),
    ],
)
def test_rows_that_no_arm_follows(rows: tuple[int, ...], message: str) -> None:
    arm = random_arm(3, 3, planar=True)
    tree = placed(arm)
    with pytest.raises(ModelError, match=message):
        hand_influence(start(tree, Choices()), frame_of(tree, "hand"), rows)
