"""The articulated-body recursion against the mass matrix that it avoids."""

from __future__ import annotations

import mpmath
import pytest

from kanegen.codegen.derivation.placed_tree.deriver import Deriver
from kanegen.codegen.derivation.recursive.forward_dynamics import METHOD
from kanegen.codegen.mechanism import BASE, Mechanism, MechanismBuilder, ModelError
from tests.derivation.comparison import DIGITS, EXACT, difference, exactly
from tests.derivation.structured_trees import states, structured_tree
from tests.derivation.tree_kernels import forward_dynamics


def both(mechanism: Mechanism, gauge: bool) -> None:
    derive = Deriver(mechanism, forward_dynamics, gauge=gauge)
    at = {name: value[0] for name, value in states(1, 1, mechanism.dof).items() if name != "a"}
    with mpmath.workdps(DIGITS):
        by_elimination, recursion = (exactly(derive({METHOD: method})[0], **at) for method in range(2))
        assert difference(recursion, by_elimination) < EXACT


@pytest.mark.parametrize("gauge", [False, True])
@pytest.mark.parametrize("seed", [40, 41])
def test_agrees_with_elimination(seed: int, gauge: bool) -> None:
    both(structured_tree(seed, 4), gauge)


def test_products_of_inertia() -> None:
    """S_rc (U_cc - U_rr) = S_rc (w_c^2 - w_r^2): its sign shows only with products of inertia."""
    builder = MechanismBuilder("two")
    builder.body("a", mass=2, center=(0.1, 0.2, 0.3), inertia=(1, 1.2, 1.1, 0.2, -0.1, 0.3))
    builder.body("b", mass=1, center=(0.3, -0.2, 0.1), inertia=(1.3, 1, 1.2, -0.2, 0.3, 0.1))
    builder.revolute("j1", BASE, "a", (1, 0, 0))
    builder.revolute("j2", "a", "b", (0, 1, 0), position=(1, 0, 0))
    both(builder.build(), gauge=False)


def _pair(axis: tuple[float, ...], second_axis: tuple[float, ...], **inertia: object) -> Mechanism:
    builder = MechanismBuilder("pair")
    builder.body("a")
    builder.body("b", mass=1, **inertia)  # type: ignore[arg-type]
    builder.revolute("j1", BASE, "a", axis)
    builder.revolute("j2", "a", "b", second_axis)
    return builder.build()


SINGULAR = {
    "two joints on one line": (_pair((0, 0, 1), (0, 0, 1), inertia=(1, 1, 1)), "j1"),
    "on one skew line": (_pair((1, 2, 3), (1, 2, 3), center=(0.3, 0.1, 0), inertia=(1, 1, 1)), "j1"),
    "a point on the last axis": (_pair((1, 0, 0), (0, 0, 1), center=(0, 0, 0.5)), "j2"),
    "a point on a skew axis": (_pair((1, 0, 0), (1, 2, 3), center=(0.1, 0.2, 0.3)), "j2"),
}


@pytest.mark.parametrize("method", range(2))
@pytest.mark.parametrize(("mechanism", "joint"), SINGULAR.values(), ids=SINGULAR)
def test_joints_that_no_inertia_resists_are_named(mechanism: Mechanism, joint: str, method: int) -> None:
    with pytest.raises(ModelError, match=f"joint '{joint}'.*has no inertia behind it"):
        Deriver(mechanism, forward_dynamics)({METHOD: method})
