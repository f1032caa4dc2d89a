"""Book's 4 x 4 recursions against virtual work on composite moments: two derivations of the same equations."""

from __future__ import annotations

from itertools import pairwise

import pytest

from kanegen.codegen.mechanism import MechanismBuilder, ModelError

from .arms import Kernels, RandomArm, apart, planar, spatial, states
from .test_lagrange import beam

ROUNDING = 1e-11
"""Programs add some ten thousand roundings of 1.1e-16, of terms up to ten times the largest result."""


@pytest.mark.parametrize("seed", range(4))
def test_random_serial_arms(seed: int) -> None:
    """Rigid and flexible links, hinges and slides, clamped links, hubs, loads, rotors, springs, friction and damping."""
    mechanism = RandomArm(seed, links=3).mechanism()
    one, other = Kernels(mechanism), Kernels(mechanism, "book_1983")
    at = states(mechanism, 3, seed)
    for kernel in ("mass_matrix", "inverse_dynamics", "bias_forces", "gravity_forces"):
        assert apart(one(kernel, **at), other(kernel, **at)) < ROUNDING, kernel


def test_truncation_is_of_second_order_in_the_deflections() -> None:
    """Book's truncation changes M by terms in delta^2: a tenth of the deflection, a hundredth of the difference."""
    for mechanism in (planar(), spatial()):
        full, truncated = Kernels(mechanism), Kernels(mechanism, "book_1983_truncated")
        differences = []
        for deflection in (1e-1, 1e-2, 1e-3):
            at = states(mechanism, 5, seed=4, deflection=deflection)
            differences.append(apart(truncated("mass_matrix", **at), full("mass_matrix", **at)))
        assert differences[0] > 1e-4
        for coarse, fine in pairwise(differences):
            assert coarse / fine == pytest.approx(100, rel=0.3)


def test_truncation_is_only_by_name() -> None:
    mechanism = planar()
    at = states(mechanism, 3)
    assert (
        apart(Kernels(mechanism, "book_1983")("mass_matrix", **at), Kernels(mechanism)("mass_matrix", **at))
        < 1e-14
    )
    truncated = Kernels(mechanism, "book_1983_truncated")
    assert apart(truncated("mass_matrix", **at), Kernels(mechanism)("mass_matrix", **at)) > 1e-4
    assert truncated.program("mass_matrix").source != Kernels(mechanism).program("mass_matrix").source


def test_equations_of_book_are_for_serial_arms() -> None:
    builder = MechanismBuilder("tree")
    builder.flexible("trunk", beam("d"))
    builder.revolute("q1", "base", "trunk", (0, 0, 1))
    for k in (2, 3):
        builder.body(f"branch{k}", 1, (0, 0, 0), (1, 1, 1))
        builder.revolute(f"q{k}", "trunk", f"branch{k}", (0, 0, 1), position=(1, 0, 0))
    mechanism = builder.build()
    with pytest.raises(ModelError, match="branches, which Book's equations do not know"):
        Kernels(mechanism, "book_1983").program("mass_matrix")
    Kernels(mechanism).program("mass_matrix")
