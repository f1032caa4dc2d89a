"""Flexible arms (CASES 27): stiff links make the rigid arm, and a clamped link rings as Euler and Bernoulli say."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import kanegen
from kanegen.codegen.mechanism import Mechanism, MechanismBuilder
from kanegen.codegen.mechanism.flexible import Beam, BeamFunction, Mode

EI, MU, LENGTH = 40.0, 1.2, 1.0


def two_links(stiffness: float) -> Mechanism:
    b = MechanismBuilder("arm", gravity=(0, "-9.81", 0))
    last = "base"
    for i in (1, 2):
        modes = [Mode(f"d{i}1", y=BeamFunction("clamped-free", 1))]
        b.flexible(f"link{i}", Beam(LENGTH, MU, modes, EI_z=stiffness))
        b.revolute(f"q{i}", last, f"link{i}", (0, 0, 1), position=(LENGTH if i > 1 else 0, 0, 0))
        last = f"link{i}"
    return b.build()


def test_stiff_links_are_rigid() -> None:
    """Case 27: deflections of the order 1e-7 change accelerations by as much; 1e-4 is what is promised."""
    soft = two_links(1e6 * EI)
    rigid = kanegen.load(
        replace(soft, flexible=(), coordinates=("q1", "q2")), kernels=["forward_dynamics"], interpreted=True
    )
    arm = kanegen.load(soft, kernels=["bias_forces", "mass_matrix", "forward_dynamics"], interpreted=True)
    tau = np.array([3.0, -1.0])
    q, v = np.array([0.4, 0.0, -0.7, 0.0]), np.array([0.5, 0.0, 1.1, 0.0])
    expected = rigid.forward_dynamics(q[[0, 2]], v[[0, 2]], tau)
    # Quasi-static: the deflections at which the modes do not accelerate while the joints move as the rigid arm's do.
    a = np.array([expected[0], 0.0, expected[1], 0.0])
    unit = 1e-6
    for _ in range(3):
        forces = arm.mass_matrix(q) @ a + arm.bias_forces(q, v)
        slopes = [
            (arm.mass_matrix(q + step) @ a + arm.bias_forces(q + step, v) - forces)[[1, 3]] / unit
            for step in (unit * np.eye(4)[1], unit * np.eye(4)[3])
        ]
        q[[1, 3]] -= np.linalg.solve(np.transpose(slopes), forces[[1, 3]])
    found = arm.forward_dynamics(q, v, [tau[0], 0.0, tau[1], 0.0])
    np.testing.assert_allclose(found[[0, 2]], expected, rtol=1e-4, atol=0)


@pytest.mark.parametrize("number", [1, 2, 3])
def test_a_clamped_link_rings_as_euler_and_bernoulli_say(number: int) -> None:
    """Case 27: (beta L)^2 sqrt(EI / (mu L^4)), cos(beta L) cosh(beta L) = -1; its own functions give it to rounding."""
    roots = (1.8751040687119611, 4.694091132974175, 7.854757438237613)
    b = MechanismBuilder("cantilever", gravity=(0, 0, 0))
    modes = [Mode(f"d{k}", y=BeamFunction("clamped-free", k)) for k in (1, 2, 3)]
    b.flexible("link", Beam(LENGTH, MU, modes, EI_z=EI))
    b.revolute("q", "base", "link", (0, 0, 1))
    arm = kanegen.load(b.build(), interpreted=True)
    found = arm.natural_modes(np.zeros(4), held="joints").frequencies[number - 1]
    expected = roots[number - 1] ** 2 * np.sqrt(EI / (MU * LENGTH**4))
    np.testing.assert_allclose(found, expected, rtol=1e-12)
