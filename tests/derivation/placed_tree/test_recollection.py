"""What is recollected between derivations is what would be derived: the same counts, the same decision points in order."""

from __future__ import annotations

import numpy as np
import pytest

from kanegen.codegen.graph import count
from kanegen.codegen.kernel_sources import KernelSources
from kanegen.codegen.mechanism import catalogue
from kanegen.codegen.mechanism.records import Mechanism
from kanegen.options import Options
from tests.derivation.compound_mechanisms import compound_tree
from tests.derivation.structured_trees import structured_tree

KERNELS = ("forward_dynamics", "inverse_dynamics", "bias_forces", "kinetic_energy", "mass_matrix")


def check(mechanism: Mechanism, seed: int, speeds: str | None = None) -> None:
    """Kernels of one mechanism in turn, so that each meets what those before have built; answers change one by one."""
    rng = np.random.default_rng(seed)
    sources = KernelSources(mechanism, Options(speeds=speeds))
    for kernel in KERNELS:
        deriver = sources.deriver(kernel)
        answers: dict[str, int] = {}
        for _ in range(7):
            found = deriver.weigh(answers)
            program, points = deriver(answers)
            assert found.counts == count(program)
            assert list(found.points.items()) == list(points.items())
            open_points = [point for point, decision in points.items() if decision.alternatives > 1]
            for point in rng.choice(open_points, min(2, len(open_points))) if open_points else ():
                answers = {**answers, str(point): int(rng.integers(points[str(point)].alternatives))}


@pytest.mark.parametrize("name", ["stanford_arm", "puma560_general"])
def test_arms(name: str) -> None:
    check(catalogue.mechanism(name), 1)


@pytest.mark.parametrize("seed", range(3))
def test_trees(seed: int) -> None:
    check(structured_tree(seed, 4), seed)


@pytest.mark.parametrize("seed", range(3))
def test_compound_joints_and_mimics(seed: int) -> None:
    check(compound_tree(seed, 3), seed)


def test_speeds_of_its_own() -> None:
    check(catalogue.mechanism("stanford_arm"), 2, catalogue.speeds_names("stanford_arm")[0])


def test_there_and_back() -> None:
    """Each decision changed, and changed back, and again: among them whether a tip without mass is eliminated."""
    deriver = KernelSources(catalogue.mechanism("stanford_arm"), Options()).deriver("forward_dynamics")
    plain, points = deriver({})
    assert any(point.startswith("tip") for point in points)
    for point, decision in points.items():
        changed = {point: decision.alternatives - 1}
        counts = count(deriver(changed)[0])
        for _ in range(2):
            assert deriver.weigh(changed).counts == counts
            assert deriver.weigh({}).counts == count(plain)
