"""Quantities on demand in long chains: no deeper on Python's stack, node for node the same."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import pytest

import kanegen
from kanegen.codegen.certificate.sample import Sample
from kanegen.codegen.derivation.placed_tree.deriver import Deriver
from kanegen.codegen.derivation.recursive import on_demand
from kanegen.codegen.derivation.recursive.on_demand import OnDemand
from kanegen.codegen.graph import Program
from kanegen.codegen.kernel_sources import KernelSources
from kanegen.codegen.mechanism import Mechanism
from kanegen.codegen.mechanism.importers import from_urdf
from kanegen.options import Options
from tests.cases.test_doctor_speed import chain

FRAMES = 100
"""On the stack for a derivation in which one quantity is built within another: 75 are enough, and some for whoever calls.
Momenta take 168 where all are built within one another."""


def turned_chain(count: int) -> Mechanism:
    """Hinges one on another, turned by no part of a circle; the sixth joint slides, and no moments are alike."""
    text = (
        chain(count)
        .replace("1.57079632679", "0.7")
        .replace('iyy="1e-2" izz="1e-2"', 'iyy="2e-2" izz="25e-3"')
    )
    return from_urdf(text.replace('name="j6" type="revolute"', 'name="j6" type="prismatic"'))


@contextmanager
def stack_of(frames: int) -> Iterator[None]:
    """Room for so many calls within one another, and no more."""
    frame, used, before = sys._getframe(), 0, sys.getrecursionlimit()
    while frame is not None:
        frame, used = frame.f_back, used + 1
    sys.setrecursionlimit(used + frames)
    try:
        yield
    finally:
        sys.setrecursionlimit(before)


def content(program: Program) -> object:
    """All that a program is made of, in order."""
    return program.graph.kinds, program.graph.payloads, program.results, program.labels


@pytest.mark.parametrize(
    "formulation", ["recursive", "kane", "dual_vectors", "influence_coefficients", "euler_parameters"]
)
def test_every_kernel_is_the_same_however_deep(formulation: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """With one quantity within another, and with all within one another, as deep as the chain is long."""
    mechanism, options = turned_chain(8), Options(formulation=formulation)
    sources = KernelSources(mechanism, options)
    builds, trees = dict(sources.builds), sources.trees
    if formulation == "recursive":
        builds |= sources.builds_on_demand
    for name, build in builds.items():
        if name.startswith(("frame_", "hand_", "operational_")) and not name.endswith("l8"):
            continue
        derive = Deriver(trees.mechanism, build, gauge=False, trees=trees)
        monkeypatch.setattr(on_demand, "SHORT", 20)
        monkeypatch.setattr(on_demand, "DEEPEST", 1000)
        whole, points = derive({})
        if name == "momentum":
            with pytest.raises(RecursionError), stack_of(FRAMES):
                derive({})
        monkeypatch.setattr(on_demand, "SHORT", 0)
        monkeypatch.setattr(on_demand, "DEEPEST", 2)
        with stack_of(FRAMES):
            found, met = derive({})
        assert content(found) == content(whole), name
        assert list(met.items()) == list(points.items()), name


def test_what_is_asked_for_is_built_once_in_order() -> None:
    """Sums that need one another, 10,000 deep: each once, the innermost first."""
    sums: OnDemand[int] = OnDemand()
    built: list[int] = []

    def total(n: int) -> int:
        def build() -> int:
            value = n + (total(n - 1) if n else 0)
            built.append(n)
            return value

        return sums(n, build)

    assert total(10_000) == 50_005_000
    assert built == list(range(10_001))


def test_what_fails_halfway_can_be_asked_for_again() -> None:
    found: OnDemand[int] = OnDemand()
    with pytest.raises(ZeroDivisionError):
        found(0, lambda: found(1, lambda: 1 // 0))
    assert found(0, lambda: found(1, lambda: 7)) == 7


def test_a_chain_of_sixty_hinges_loads() -> None:
    """And has the forces of Newton's and Euler's equations on the records, which the certificate evaluates by themselves."""
    mechanism = turned_chain(60)
    robot = kanegen.load(mechanism, kernels=["inverse_dynamics"], interpreted=True)
    q, v, a = np.random.default_rng(0).uniform(-1, 1, (3, 60))
    sample = Sample(KernelSources(mechanism, Options()).kernel_set(), 1)
    expected = sample.reference.inverse_dynamics(q[None], v[None], a[None])
    assert abs(robot.inverse_dynamics(q, v, a) - expected.value[0]).max() < 1e-11 * expected.scale[0]
