"""Energy: what drives put in is what links, weight and motion have more, and what dampers take."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest

import kanegen
from kanegen.codegen.mechanism import Mechanism
from tests.derivation.complex_steps import entries_of, slope

from .arms import Kernels, RandomArm, planar, point_masses, spatial, states


@pytest.mark.parametrize("seed", range(300, 304))
def test_power(seed: int) -> None:
    """dT/dt + dU/dt along the motion is tau . v less what is damped, with derivatives by complex steps."""
    mechanism = RandomArm(seed, links=3, branches=True).mechanism()
    kernels, witness = Kernels(mechanism), point_masses(mechanism)
    at = {name: values[0] for name, values in states(mechanism, 1, seed).items()}
    q, v, tau = at["q"], at["v"], at["tau"]
    a = kernels("forward_dynamics", q=q, v=v, tau=tau)
    moving = {("q", i): mpmath.mpf(x) for i, x in enumerate(v)}
    moving |= {("v", i): mpmath.mpf(x) for i, x in enumerate(a)}
    gained = slope(kernels.program("kinetic_energy"), entries_of({"q": q, "v": v}), moving)
    gained = gained + slope(kernels.program("potential_energy"), entries_of({"q": q}), moving)
    d = witness.records
    lost = v @ d.damping @ v + (d.friction * v * v / np.sqrt(v * v + witness.slip_speed**2)).sum()
    size = abs(tau * v).sum() + lost + abs(kernels("gravity_forces", q=q) * v).sum()
    condition = float(np.linalg.cond(kernels("mass_matrix", q=q)))
    assert abs(gained[0] - (tau @ v - lost)) < 1e-13 * condition * size


@pytest.mark.filterwarnings("ignore:.*bends a link far:RuntimeWarning")
@pytest.mark.parametrize("mechanism", [planar(), spatial()], ids=["planar", "spatial"])
def test_energy_is_kept(mechanism: Mechanism) -> None:
    """Ten seconds of falling and ringing without damping: within 1e-9 of the largest kinetic energy.

    The error of the integrator at 1e-13 a step is far below; what the equations themselves do not keep would show.
    """
    arm = kanegen.load(
        mechanism, kernels=("forward_dynamics", "kinetic_energy", "potential_energy", "coordinate_rates")
    )
    start = np.zeros(arm.nq)
    motion = kanegen.simulate(arm, start, start, 10.0, rtol=1e-13, atol=1e-14)
    assert motion.energy is not None
    kinetic = max(float(arm.kinetic_energy(q, v)) for q, v in zip(motion.q, motion.v, strict=True))
    assert kinetic > 1
    assert float(np.abs(motion.energy - motion.energy[0]).max()) < 1e-9 * kinetic
