"""What Kane's forces of plain trees cost, and what they refuse."""

from __future__ import annotations

import pytest

from kanegen.codegen.derivation.kane import nonholonomic_forces
from kanegen.codegen.graph import Graph, constant, count, inputs
from kanegen.codegen.mechanism.catalogue import mechanism
from kanegen.codegen.mechanism.folding import with_numbers
from tests.derivation.comparison import derived
from tests.derivation.speeds import kane_kernels

from .support import tree_forces

ARM = mechanism("stanford_arm")


def test_the_same_work_as_the_kernel_for_joint_rates() -> None:
    """Given rates are the speeds themselves: neither form costs more than the other."""
    kernel = count(derived(kane_kernels(ARM)["inverse_dynamics"], ARM))
    assert count(tree_forces(with_numbers(ARM))) == kernel


def test_sizes_are_checked() -> None:
    graph = Graph()
    q, v, a = (inputs(graph, name, 6) for name in "qva")
    unit = [[constant(graph, int(r == s)) for r in range(6)] for s in range(6)]
    with pytest.raises(ValueError, match="as many as the tree has coordinates"):
        nonholonomic_forces(ARM, graph, q[:5], v, a, unit)
    with pytest.raises(ValueError, match="as many as the tree has coordinates"):
        nonholonomic_forces(ARM, graph, q, v, a, unit[:5])
    with pytest.raises(ValueError, match="differ in length"):
        nonholonomic_forces(ARM, graph, q, v, a, [*unit[:5], unit[5][:5]])
