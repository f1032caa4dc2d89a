"""The table of optional kernels: what is in it, and that no decision changes a number."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest

from kanegen.codegen.derivation.placed_tree.choices import Choices
from kanegen.codegen.derivation.placed_tree.deriver import Deriver
from kanegen.codegen.derivation.placed_tree.placement import place
from kanegen.codegen.passes.optimize import optimize
from tests.derivation.comparison import DIGITS, EXACT, exactly
from tests.derivation.structured_trees import derive_by_chance, states, structured_tree
from tests.derivation.tree_kernels import OPTIONAL, optional_frame_kernels


@pytest.mark.parametrize("seed", range(121, 124))
def test_every_decision_gives_the_same_numbers(seed: int) -> None:
    """Random answers at all decision points and the passes, in 40-digit arithmetic."""
    machine = structured_tree(seed, 3)
    rng = np.random.default_rng(seed)
    at = states(seed, 1, 3) | {"wrench": rng.uniform(-1, 1, (1, 6))}
    names = {frame.name: frame.name for frame in machine.frames} | {b.name: b.name for b in machine.bodies}
    frames = optional_frame_kernels(place(machine, Choices()), names)
    tip = {name: build for name, build in frames.items() if name.endswith("_tip")}
    for kernel, build in {**OPTIONAL, **tip}.items():
        plain = Deriver(machine, build, gauge=False)({})[0]
        arguments = {argument.name: at[argument.name][0] for argument in plain.inputs}
        with mpmath.workdps(DIGITS):
            wanted = exactly(plain, **arguments)
            scale = max(1, *map(abs, wanted))
            program, answers = derive_by_chance(Deriver(machine, build), rng)
            for made in (program, optimize(program)[0]):
                found = exactly(made, **arguments)
                error = max(abs(x - y) for x, y in zip(found, wanted, strict=True))
                assert error < EXACT * scale, (kernel, answers)
