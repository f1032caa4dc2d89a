"""The chain that stands beside arms with flexible links: bodies that can be, nothing special, the same for two engines."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.revolute_chain import revolute_chain
from kanegen.codegen.deriving import derive
from kanegen.codegen.graph import evaluate
from kanegen.codegen.kernel_sources import KernelSources
from kanegen.codegen.mechanism.importers import from_urdf
from kanegen.options import Options


def test_the_text_is_the_same_every_time() -> None:
    assert revolute_chain("chain", 3) == revolute_chain("chain", 3)


def test_every_link_is_general() -> None:
    chain = from_urdf(revolute_chain("chain", 12))  # which refuses inertias that no body has
    assert chain.dof == 12
    for body in chain.bodies:
        if body.inertia is not None:  # all but the base
            assert all(x != 0 for row in body.inertia.tensor for x in row)
            assert all(x != 0 for x in body.inertia.center)
    for joint in chain.joints:
        assert all(x != 0 for x in joint.position)
        assert all(x != 0 for row in joint.rotation for x in row)


def test_pinocchio_reads_the_same_chain() -> None:
    pinocchio = pytest.importorskip("pinocchio")
    text = revolute_chain("chain", 4)
    model, chain = pinocchio.buildModelFromXML(text), from_urdf(text)
    data = model.createData()
    program = derive(KernelSources(chain, Options(search=1)), "forward_dynamics").program
    q, v, tau = np.random.default_rng(1).uniform(-2.0, 2.0, (3, 10, 4))
    accelerations = evaluate(program, {"q": q, "v": v, "tau": tau})["a"]
    for row, state in zip(accelerations, zip(q, v, tau, strict=True), strict=True):
        expected = pinocchio.aba(model, data, *state)
        # Forces of some 500 operations, each rounded to 1.1e-16, and what solving with the mass matrix makes of that.
        condition = np.linalg.cond(pinocchio.crba(model, data, state[0]))
        assert np.abs(row - expected).max() < condition * 500 * 1.1e-16 * np.abs(expected).max()
