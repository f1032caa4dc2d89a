"""Links with a stiffness a million times as large are rigid."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import scipy.linalg

from kanegen.codegen.graph import evaluate
from kanegen.codegen.mechanism import Mechanism
from tests.derivation.comparison import derived
from tests.derivation.tree_kernels import DYNAMICS
from tests.mechanism.flexible.material_points import doubles

from .arms import Array, Kernels, apart, planar, spatial, states
from .test_point_masses import joints, modes


def rigid(mechanism: Mechanism) -> Mechanism:
    """The same arm without its modes: its bodies are the undeflected links."""
    names = tuple(name for name in mechanism.coordinates if name not in mechanism.modes)
    return replace(mechanism, flexible=(), coordinates=names, springs=())


def of_rigid(mechanism: Mechanism, kernel: str, **arguments: Array) -> Array:
    program = derived(DYNAMICS[kernel], rigid(mechanism))
    return evaluate(program, {x.name: arguments[x.name] for x in program.inputs})[program.outputs[0].name]


@pytest.mark.parametrize("mechanism", [planar(), spatial()], ids=["planar", "spatial"])
def test_a_million_times_as_stiff(mechanism: Mechanism) -> None:
    """With rates zero and deflections at their quasi-static values the joints accelerate as those of a rigid arm.

    Deflections are those under the loads of the rigid motion; from any others, modes would swing.
    """
    stiff = replace(
        mechanism,
        flexible=tuple(
            replace(
                link,
                stiffness=tuple(tuple(k * 10**6 for k in row) for row in link.stiffness),
            )
            for link in mechanism.flexible
        ),
    )
    kernels = Kernels(stiff)
    own, bent = joints(kernels), modes(kernels)
    K = scipy.linalg.block_diag(*(doubles(link.stiffness) for link in stiff.flexible))
    at = states(stiff, 5, seed=7)
    q, v, tau = at["q"], at["v"], at["tau"]
    q[:, bent], v[:, bent], tau[:, bent] = 0, 0, 0
    expected = of_rigid(stiff, "forward_dynamics", q=q[:, own], v=v[:, own], tau=tau[:, own])
    a = np.zeros_like(q)
    a[:, own] = expected
    loads = kernels("inverse_dynamics", q=q, v=v, a=a)[:, bent]
    q[:, bent] = -np.linalg.solve(K, loads.T).T
    found = kernels("forward_dynamics", q=q, v=v, tau=tau)[:, own]
    assert apart(found, expected) < 1e-4
