"""Another unit of length inside a kernel: same forces, same motions, fewer multiplications by lengths."""

from __future__ import annotations

from fractions import Fraction

import mpmath
import pytest

from kanegen.codegen.derivation.placed_tree.choices import Choices
from kanegen.codegen.derivation.placed_tree.deriver import Deriver
from kanegen.codegen.derivation.placed_tree.placement import place
from kanegen.codegen.derivation.placed_tree.unit_gauge import POINT, with_unit_of_length
from kanegen.codegen.graph import count
from kanegen.codegen.mechanism import BASE, Mechanism, MechanismBuilder
from kanegen.codegen.mechanism.catalogue import mechanism
from tests.derivation.comparison import DIGITS, EXACT, difference, exactly
from tests.derivation.structured_trees import states, structured_tree
from tests.derivation.tree_kernels import DYNAMICS

KERNELS = ("inverse_dynamics", "forward_dynamics", "mass_matrix", "bias_forces", "gravity_forces")


def every_unit(described: Mechanism, kernel: str) -> None:
    derive = Deriver(described, DYNAMICS[kernel], gauge=False)
    in_metres, points = derive({})
    at = {name: value[0] for name, value in states(4, 1, described.dof).items()}
    arguments = {argument.name: at[argument.name] for argument in in_metres.inputs}
    with mpmath.workdps(DIGITS):
        wanted = exactly(in_metres, **arguments)
        for answer in range(1, points[POINT].alternatives):
            for method in range(2 if kernel == "forward_dynamics" else 1):
                program, _ = derive({POINT: answer, "method of forward dynamics": method})
                if any(x != 0 for x in wanted):
                    assert difference(exactly(program, **arguments), wanted) < EXACT


@pytest.mark.parametrize("kernel", KERNELS)
def test_the_arm_in_every_unit(kernel: str) -> None:
    every_unit(mechanism("stanford_arm"), kernel)


@pytest.mark.parametrize("seed", range(70, 76))
@pytest.mark.parametrize("kernel", KERNELS[:3])
def test_machines_in_every_unit(seed: int, kernel: str) -> None:
    every_unit(structured_tree(seed, 3), kernel)


def two_links(length: float) -> Mechanism:
    builder = MechanismBuilder("links", gravity=(0, -9.81, 0))
    for name in "ab":
        builder.body(name, mass=2, center=(0.3, 0, 0), inertia=(0.1, 0.2, 0.3))
    builder.revolute("j1", BASE, "a", (0, 0, 1))
    builder.revolute("j2", "a", "b", (0, 0, 1), position=(length, 0, 0))
    return builder.build()


def test_a_length_becomes_one() -> None:
    described = two_links(0.6)
    tree = place(described, Choices())
    scaled = with_unit_of_length(tree, Choices({POINT: 2}))  # 1 makes the two first moments one
    assert scaled.length_unit == Fraction("0.6")
    assert scaled.bodies[1].position == (Fraction(1), Fraction(0), Fraction(0))
    assert scaled.bodies[1].mass == 2 * Fraction("0.36")
    derive = Deriver(described, DYNAMICS["inverse_dynamics"], gauge=False)
    metres, links = (count(derive({POINT: answer})[0]).multiplications for answer in (0, 2))
    assert links < metres


def test_units_are_lengths_of_machines() -> None:
    """Residues of 60-digit numbers and the like are no units."""
    assert with_unit_of_length(place(two_links(0), Choices()), Choices({POINT: 99})).length_unit == 1
    for length in (1e-9, 1e9):
        described = two_links(length)
        for answer in range(8):
            unit = with_unit_of_length(place(described, Choices()), Choices({POINT: answer})).length_unit
            assert Fraction(1, 1000) < unit < 1000
