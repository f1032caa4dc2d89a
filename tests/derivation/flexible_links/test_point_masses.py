"""Every kernel against the certificate's point masses, which know nothing of recursions, on trees with branches."""

from __future__ import annotations

import numpy as np
import pytest

from kanegen.codegen.mechanism import MechanismBuilder
from kanegen.codegen.mechanism.flexible import Appendage, Beam, Mode

from .arms import Kernels, RandomArm, apart, point_masses, states

ROUNDING = 1e-11


@pytest.mark.parametrize("seed", range(100, 104))
def test_random_trees(seed: int) -> None:
    mechanism = RandomArm(seed, links=4, branches=True).mechanism()
    kernels, witness = Kernels(mechanism), point_masses(mechanism)
    at = states(mechanism, 3, seed)
    q, v, a, tau = (at[name] for name in ("q", "v", "a", "tau"))
    forces = witness.inverse_dynamics(q, v, a).value
    M = witness.mass_matrix(q).value
    assert apart(kernels("inverse_dynamics", **at), forces) < ROUNDING
    assert apart(kernels("mass_matrix", **at), M) < ROUNDING
    assert apart(kernels("gravity_forces", **at), witness.gravity_forces(q).value) < ROUNDING
    assert apart(kernels("kinetic_energy", **at), witness.kinetic_energy(q, v).value) < ROUNDING
    assert apart(kernels("potential_energy", **at), witness.potential_energy(q).value) < ROUNDING
    assert apart(kernels("center_of_mass", **at), witness.center_of_mass(q).value) < ROUNDING
    assert apart(kernels("momentum", **at), witness.momentum(q, v).value) < ROUNDING
    # solving multiplies errors by the condition number
    condition = float(np.linalg.cond(M).max())
    assert apart(kernels("forward_dynamics", **at), witness.forward_dynamics(q, v, tau)) < 1e-13 * condition
    assert apart(kernels("inverse_mass_matrix", **at), np.linalg.inv(M)) < 1e-13 * condition
    moved = kernels.all("prescribed_motion_forces", **at, a_joints=a[:, joints(kernels)])
    whole = np.zeros_like(a)
    whole[:, joints(kernels)], whole[:, modes(kernels)] = a[:, joints(kernels)], moved["a_modes"]
    needed = witness.inverse_dynamics(q, v, whole).value
    size = np.abs(forces).max()
    assert np.abs(needed[:, modes(kernels)]).max() < 1e-13 * condition * size
    assert np.abs(needed[:, joints(kernels)] - moved["tau_joints"]).max() < 1e-13 * condition * size


def test_a_huge_mass_at_the_joint_drowns_nothing() -> None:
    """1e40 kg that nothing moves: the weight of the link beside it has all its digits."""
    builder = MechanismBuilder("arm")
    beam = Beam(1, 1, [Mode("d", z=(0, 0, 1))], EI_y=1, appendages=[Appendage(0, 10**40)])
    builder.flexible("link", beam)
    builder.revolute("q", "base", "link", (0, 0, 1))
    at = states(builder.build(), 3)
    kernels, witness = Kernels(builder.build()), point_masses(builder.build())
    assert apart(kernels("potential_energy", **at), witness.potential_energy(at["q"]).value) < ROUNDING


@pytest.mark.parametrize("seed", range(100, 102))
def test_frames_of_random_trees(seed: int) -> None:
    """Bodies' own frames, frames at the ends and at stations, and behind branches."""
    mechanism = RandomArm(seed, links=4, branches=True).mechanism()
    kernels, witness = Kernels(mechanism), point_masses(mechanism)
    at = states(mechanism, 3, seed)
    q = at["q"]
    wrench = np.random.default_rng(seed).uniform(-1, 1, (3, 6))
    assert len(mechanism.frames) >= 4
    for frame in mechanism.frames:
        X, J = witness.pose(q, frame.name).value, witness.jacobian(q, frame.name).value
        assert apart(kernels(f"frame_pose_{frame.name}", **at), X) < ROUNDING
        assert np.abs(kernels(f"frame_jacobian_{frame.name}", **at) - J).max() < ROUNDING * (
            1 + np.abs(J).max()
        )
        pushed = np.einsum("sij,si->sj", J, wrench)
        found = kernels(f"frame_forces_{frame.name}", **at, wrench=wrench)
        assert np.abs(found - pushed).max() < ROUNDING * (1 + np.abs(J).max())


def joints(kernels: Kernels) -> list[int]:
    mechanism = kernels.mechanism
    return [k for k, name in enumerate(mechanism.coordinates) if name not in mechanism.modes]


def modes(kernels: Kernels) -> list[int]:
    mechanism = kernels.mechanism
    return [k for k, name in enumerate(mechanism.coordinates) if name in mechanism.modes]
