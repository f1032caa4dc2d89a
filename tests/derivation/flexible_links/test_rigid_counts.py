"""A rigid link costs no flexible operations: rigid arms through this derivation, beside the ordinary one, unsearched."""

from __future__ import annotations

import pytest

from kanegen.codegen.derivation.foundations import on_segments
from kanegen.codegen.derivation.kernels import dynamics
from kanegen.codegen.derivation.placed_tree.choices import Choices
from kanegen.codegen.derivation.placed_tree.deriver import Deriver
from kanegen.codegen.derivation.placed_tree.placement import place
from kanegen.codegen.derivation.system import kernels_of
from kanegen.codegen.graph import count
from kanegen.codegen.mechanism import catalogue
from kanegen.codegen.mechanism.folding import with_numbers
from kanegen.codegen.passes.optimize import optimize
from tests.derivation.tree_kernels import DYNAMICS

COUNTS = {
    ("stanford_arm", "inverse_dynamics"): (116, 86),
    ("stanford_arm", "mass_matrix"): (70, 47),
    ("rx90_general", "inverse_dynamics"): (238, 223),
    ("rx90_general", "mass_matrix"): (143, 110),
    ("puma560_general", "inverse_dynamics"): (249, 233),
    ("puma560_general", "mass_matrix"): (159, 127),
}


@pytest.mark.parametrize(("model", "kernel"), COUNTS)
def test_counts(model: str, kernel: str) -> None:
    """Forces take fewer than the textbook's recursion; second moments cost the mass matrix a third more than its own."""
    arm = with_numbers(catalogue.mechanism(model))
    build = kernels_of(on_segments(arm, False), dynamics.DYNAMICS)[kernel]
    found = count(optimize(build(place(arm, Choices()), arm, Choices()))[0])
    assert (found.multiplications, found.additions) == COUNTS[model, kernel]
    ordinary = count(optimize(Deriver(arm, DYNAMICS[kernel], gauge=False)({})[0])[0])
    ratio = (found.multiplications + found.additions) / (ordinary.multiplications + ordinary.additions)
    assert ratio < (1 if kernel == "inverse_dynamics" else 4 / 3)
    assert found.divisions == found.square_roots == 0
