"""The mass centre and the centroidal momentum matrix: with live parameters, and what has no mass."""

from __future__ import annotations

import pytest

from kanegen.codegen.derivation.placed_tree.deriver import Deriver
from kanegen.codegen.graph import evaluate
from kanegen.codegen.mechanism import BASE, MechanismBuilder, ModelError
from kanegen.codegen.mechanism.catalogue import mechanism
from tests.derivation.comparison import derived, numbers
from tests.derivation.structured_trees import states
from tests.derivation.tree_kernels import center_of_mass, centroidal_momentum_matrix


def test_live_parameters() -> None:
    """With live parameters the mass centre follows them: the arm's own numbers give the same."""
    arm = mechanism("stanford_arm")
    q = states(5, 3, 6)["q"]
    live = evaluate(derived(center_of_mass, arm, True), {"q": q}, numbers(arm))["c"]
    assert live == pytest.approx(evaluate(derived(center_of_mass, arm), {"q": q})["c"], rel=1e-13)


@pytest.mark.parametrize("build", [center_of_mass, centroidal_momentum_matrix])
def test_no_mass_no_centre(build: object) -> None:
    builder = MechanismBuilder("ghost")
    builder.body("hand")
    builder.revolute("wrist", BASE, "hand", (0, 0, 1))
    with pytest.raises(ModelError, match="has no moving mass"):
        Deriver(builder.build(), build)({})  # type: ignore[arg-type]
