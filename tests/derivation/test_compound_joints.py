"""Mechanisms of every kind of joint against Pinocchio, whose model is made of the described records, body by body."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from kanegen.codegen.derivation.motion_maps.spanning_tree import derivation_tree
from kanegen.codegen.derivation.placed_tree.deriver import Deriver
from kanegen.codegen.graph import evaluate
from kanegen.codegen.kernel_sources import KernelSources
from kanegen.codegen.mechanism import Mechanism
from kanegen.codegen.mechanism.names import c_names
from kanegen.codegen.passes.optimize import optimize
from kanegen.codegen.peers import State, open_peer
from kanegen.options import Options
from tests.derivation.compound_mechanisms import compound_tree
from tests.derivation.structured_trees import derive_by_chance

pytestmark = pytest.mark.needs("pinocchio")

Array = NDArray[np.float64]

STATES = 3
ROUNDING = 1e-12
"""Relative to the largest component; tens of bodies' roundings of 1e-16 in lengths and forces of several units."""

USUAL = (
    "inverse_dynamics",
    "bias_forces",
    "gravity_forces",
    "mass_matrix",
    "forward_dynamics",
    "kinetic_energy",
    "momentum",
)
MORE = (
    "coriolis_matrix",
    "inverse_mass_matrix",
    "center_of_mass",
    "centroidal_momentum_matrix",
    "full_regressor",
    "inverse_dynamics_derivatives",
    "forward_dynamics_derivatives",
)


def random_states(mechanism: Mechanism, seed: int) -> list[State]:
    rng = np.random.default_rng([31, seed])
    states = []
    for _ in range(STATES):
        q = rng.uniform(-1.5, 1.5, len(mechanism.coordinates))
        for at in mechanism.quaternions:
            q[at : at + 4] /= np.linalg.norm(q[at : at + 4])
        v, a, tau = rng.uniform(-2, 2, (3, mechanism.dof))
        states.append(State(q, v, a, tau, rng.uniform(-2, 2, 6)))
    return states


def check_kernels(mechanism: Mechanism, kernels: tuple[str, ...], seed: int, searched: bool = True) -> None:
    """Kernels as the textbooks derive them and, where ``searched``, with random decisions, optimized, against Pinocchio."""
    rng = np.random.default_rng(seed)
    peer = open_peer("pinocchio", mechanism, mechanism)
    theirs = peer.kernels(c_names([frame.name for frame in mechanism.frames]))
    states = random_states(mechanism, seed)
    condition = max(float(np.linalg.cond(peer.mass_matrix(s.q))) for s in states)
    sources = KernelSources(mechanism, Options())
    tree = derivation_tree(mechanism, live=False)
    for kernel in kernels:
        derive = Deriver(tree.mechanism, sources.build(kernel), live_parameters=tree.live)
        programs = [
            Deriver(tree.mechanism, sources.build(kernel), live_parameters=tree.live, gauge=False)({})[0]
        ]
        programs.append(optimize(derive_by_chance(derive, rng)[0])[0] if searched else derive({})[0])
        for program in programs:
            found = evaluate(
                program, {a.name: np.array([getattr(s, a.name) for s in states]) for a in program.inputs}
            )
            for output in program.outputs:
                name = kernel if kernel in theirs else f"{kernel}.{output.name}"
                wanted = np.array([theirs[name](s) for s in states])
                # solutions of M a = tau - h lose the condition of M, their derivatives lose it twice
                power = {"forward_dynamics": 1, "inverse_mass_matrix": 1, "forward_dynamics_derivatives": 2}
                tolerance = ROUNDING * condition ** power.get(kernel, 0)
                largest = max(float(np.abs(wanted).max()), 1.0)
                assert np.abs(found[output.name] - wanted).max() <= tolerance * largest, name


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_usual_kernels(seed: int) -> None:
    check_kernels(compound_tree(seed, 2 + seed % 2), USUAL, seed)


def test_many() -> None:
    """Twelve mechanisms; thousands in the campaign."""
    for seed in range(1000, 1012):
        kernels = ("inverse_dynamics", "mass_matrix", "forward_dynamics")
        check_kernels(compound_tree(seed, 1 + seed % 3), kernels, seed, searched=False)


@pytest.mark.parametrize("seed", [100, 104])
def test_optional_kernels(seed: int) -> None:
    mechanism = compound_tree(seed, 2)
    kernels = list(MORE)
    if mechanism.balls or mechanism.mimics:
        kernels.remove(
            "coriolis_matrix"
        )  # Pinocchio's is another one where speeds are no rates of coordinates
    if mechanism.mimics:
        kernels.remove("forward_dynamics_derivatives")  # Pinocchio has none of reduced coordinates
    check_kernels(mechanism, tuple(kernels), seed, searched=False)


@pytest.mark.parametrize("seed", [200])
def test_frames(seed: int) -> None:
    mechanism = compound_tree(seed, 3)
    frames = ("frame_pose", "frame_jacobian", "frame_jacobian_rate", "frame_forces")
    check_kernels(mechanism, tuple(f"{what}_body2" for what in frames), seed)
