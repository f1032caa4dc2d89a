"""The mass centre and the centroidal momentum matrix: momentum of the bodies, and what has no mass."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest

from kanegen.codegen.derivation.placed_tree.deriver import Deriver
from kanegen.codegen.graph import evaluate
from kanegen.codegen.mechanism import BASE, Mechanism, MechanismBuilder, ModelError
from kanegen.codegen.mechanism.catalogue import mechanism
from tests.derivation.comparison import DIGITS, EXACT, derived, difference, exactly, numbers
from tests.derivation.structured_trees import derive_by_chance, states, structured_tree
from tests.derivation.tree_kernels import DYNAMICS, center_of_mass, centroidal_momentum_matrix
from tests.derivation.trees import random_tree

MACHINES = [*(structured_tree(seed, 5) for seed in range(90, 95)), random_tree(2, 6)]


@pytest.mark.parametrize("machine", MACHINES, ids=lambda machine: machine.name)
def test_momentum_about_the_mass_centre(machine: Mechanism) -> None:
    """A v = (p, L - c x p) with the momentum about the base origin, whatever was decided; p = m dc/dt."""
    n = machine.dof
    at = states(4, 1, n)
    rng = np.random.default_rng(4)
    matrix, answers = derive_by_chance(Deriver(machine, centroidal_momentum_matrix), rng)
    center, _ = derive_by_chance(Deriver(machine, center_of_mass), rng)
    momentum = Deriver(machine, DYNAMICS["momentum"], gauge=False)({})[0]
    step = mpmath.mpf(10) ** -18
    with mpmath.workdps(2 * DIGITS):
        q, v = (np.array([mpmath.mpf(x) for x in at[name][0]], dtype=object) for name in "qv")
        found = np.array(exactly(matrix, q=list(q)), dtype=object).reshape(6, n) @ v
        total = np.array(exactly(momentum, q=list(q), v=list(v)), dtype=object)
        p, c = total[:3], np.array(exactly(center, q=list(q)), dtype=object)
        arm = np.array([c[1] * p[2] - c[2] * p[1], c[2] * p[0] - c[0] * p[2], c[0] * p[1] - c[1] * p[0]])
        assert difference(list(found), [*p, *(total[3:] - arm)]) < EXACT, answers
        ahead, behind = (np.array(exactly(center, q=list(q + s * step * v)), dtype=object) for s in (1, -1))
        mass = sum(b.inertia.mass for b in machine.bodies if b.inertia is not None)
        speed = (ahead - behind) / (2 * step) * mpmath.mpf(mass.numerator) / mass.denominator  # type: ignore[union-attr]
        assert difference(list(speed), list(p)) < EXACT


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
