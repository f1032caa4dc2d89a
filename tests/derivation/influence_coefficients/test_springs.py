"""C* and K* where ends of springs meet, without springs, and with live parameters; their values are held in tests/matrix."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

from kanegen.codegen.derivation.influence_coefficients.kernels import (
    effective_damping,
    effective_stiffness,
)
from kanegen.codegen.derivation.placed_tree.choices import Choices
from kanegen.codegen.derivation.placed_tree.placement import place
from kanegen.codegen.graph import evaluate
from kanegen.codegen.mechanism import (
    BASE,
    MechanismBuilder,
)
from tests.derivation.comparison import derived


def test_a_spring_without_rest_length_has_a_rate_where_its_ends_meet() -> None:
    builder = MechanismBuilder("collapsed")
    builder.body("rod", mass=1)
    builder.revolute("hinge", BASE, "rod", (0, 0, 1))
    builder.frame("tip", "rod", position=(2, 0, 0))
    builder.body("anchor", mass=1)
    builder.prismatic("rail", BASE, "anchor", (1, 0, 0), position=(2, 0, 0))
    builder.translational_spring("spring", "anchor", "tip", stiffness=5)
    tree = builder.build()
    # U = 5/2 |tip - anchor|^2 with tip = 2 (cos q, sin q), anchor = (2 + x, 0): at 0 the Hessian is 5 diag(4, 1)
    K = evaluate(derived(effective_stiffness, tree), {"q": np.zeros(2)})["K"]
    assert pytest.approx(np.diag([20.0, 5.0]), abs=1e-14) == K


def test_without_springs_nothing_resists() -> None:
    tree = MechanismBuilder("free")
    tree.body("rod", mass=1)
    tree.revolute("hinge", BASE, "rod", (0, 0, 1))
    for build, name in ((effective_stiffness, "K"), (effective_damping, "C")):
        assert evaluate(derived(build, tree.build()), {"q": np.ones(1)})[name] == 0


@pytest.mark.parametrize("live", [True, False])
def test_parameters_of_springs(live: bool) -> None:
    """They stay live or take their values, as the rest of the mechanism does."""
    builder = MechanismBuilder("tunable")
    k = builder.parameter("k", 4, "N m/rad")
    builder.body("rod", mass=1)
    builder.revolute("hinge", BASE, "rod", (0, 0, 1))
    builder.torsional_spring("spring", "hinge", stiffness=k)
    tree = builder.build()
    build = partial(effective_stiffness, live_parameters=live)
    found = build(place(tree, Choices(), live), tree, Choices())
    parameters = {"k": 7.0} if live else None
    assert evaluate(found, {"q": np.zeros(1)}, parameters)["K"][0, 0] == (7.0 if live else 4.0)
