"""Kernels on random machines: Pinocchio, and all ways of deriving them against each other."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest

from kanegen.codegen.derivation.placed_tree.choices import Choices
from kanegen.codegen.derivation.placed_tree.deriver import Build, Deriver
from kanegen.codegen.derivation.placed_tree.placement import place
from kanegen.codegen.graph import evaluate
from kanegen.codegen.mechanism import Mechanism, ModelError
from kanegen.codegen.passes.optimize import optimize
from tests.derivation.comparison import DIGITS, EXACT, ROUNDING, Array, difference, exactly
from tests.derivation.structured_trees import derive_by_chance, expected, kernels, states, structured_tree
from tests.derivation.tree_kernels import DYNAMICS, OPTIONAL, optional_frame_kernels

STATES = 5

SINGULAR = 1e12
"""Condition of a mass matrix that is singular but for rounding: massless links between joints on one line."""


def some_kernels(mechanism: Mechanism) -> dict[str, Build]:
    """The dynamics, and the pose and Jacobian of the tip and of one body."""
    frames = {f"{what}_{frame}" for what in ("frame_pose", "frame_jacobian") for frame in ("tip", "body0")}
    return {name: build for name, build in kernels(mechanism).items() if name in DYNAMICS or name in frames}


def check_against_pinocchio(seed: int, joints: int) -> None:
    """All kernels of one machine, as the textbooks derive them and with random decisions, optimized."""
    mechanism = structured_tree(seed, joints)
    rng = np.random.default_rng(seed)
    at = states(seed, STATES, joints)
    condition = np.linalg.cond(expected(mechanism, "mass_matrix", at)).max()
    for kernel, build in some_kernels(mechanism).items():
        if kernel == "forward_dynamics" and condition > SINGULAR:
            with pytest.raises(ModelError, match="no inertia behind it"):
                Deriver(mechanism, build)({})
            continue
        wanted = expected(mechanism, kernel, at)
        # solutions of M a = tau - h lose the condition of M
        tolerance = ROUNDING * (condition if kernel == "forward_dynamics" else 1)
        textbook = Deriver(mechanism, build, gauge=False)({})[0]
        derive = Deriver(mechanism, build)
        searched = [derive_by_chance(derive, rng, coarse)[0] for coarse in (False, True)]
        for program in (textbook, *(optimize(found)[0] for found in searched)):
            found = evaluate(program, at)[program.outputs[0].name]
            assert found.shape == wanted.shape
            assert np.abs(found - wanted).max() <= tolerance * scale(mechanism, kernel, at, wanted), kernel


def scale(mechanism: Mechanism, kernel: str, at: dict[str, Array], wanted: Array) -> float:
    """What a kernel's roundings are relative to: its largest value, or the gravity and inertia it adds up."""
    largest = float(np.abs(wanted).max())
    if kernel in ("inverse_dynamics", "bias_forces", "gravity_forces", "potential_energy"):
        # weights cancel where gravity is along a joint axis; total mass < 30 kg, reach < 5 m
        inertia = float(np.abs(expected(mechanism, "mass_matrix", at)).max())
        gravity = float(np.linalg.norm([float(g) for g in mechanism.gravity]))  # type: ignore[arg-type]
        return max(largest, inertia * (1 + gravity))
    return max(largest, 1.0) if kernel.startswith("frame_") else largest


@pytest.mark.parametrize(("joints", "seed"), [(2, 2), (3, 0), (4, 3), (6, 6)])
def test_against_pinocchio(joints: int, seed: int) -> None:
    check_against_pinocchio(seed, joints)


@pytest.mark.parametrize(("joints", "seed"), [(1, 20), (3, 20), (3, 21), (5, 22), (5, 23)])
def test_every_decision_gives_the_same_numbers(seed: int, joints: int) -> None:
    """Random answers at all decision points, in 40-digit arithmetic: no rounding hides a wrong alternative."""
    mechanism = structured_tree(seed, joints)
    rng = np.random.default_rng(seed)
    at = states(seed, 1, joints)
    for kernel, build in some_kernels(mechanism).items():
        derive = Deriver(mechanism, build)
        textbook = Deriver(mechanism, build, gauge=False)({})[0]
        arguments = {argument.name: at[argument.name][0] for argument in textbook.inputs}
        with mpmath.workdps(DIGITS):
            wanted = exactly(textbook, **arguments)
            if all(x == 0 for x in wanted):
                continue
            for _ in range(6 if kernel in ("inverse_dynamics", "forward_dynamics") else 2):
                program, answers = derive_by_chance(derive, rng)
                assert difference(exactly(program, **arguments), wanted) < EXACT, (kernel, answers)


def test_a_product_of_small_numbers_that_is_zero() -> None:
    """Machine 10406: a coefficient below what is kept became minus zero, which was taken for a number to divide by."""
    check_against_pinocchio(10_406, 6)


@pytest.mark.parametrize("seed", range(121, 124))
def test_every_decision_gives_the_same_numbers_on_demand(seed: int) -> None:
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
