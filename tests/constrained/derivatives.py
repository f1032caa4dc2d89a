"""Programs of a catalogue mechanism and of their derivatives, without compiling them, and differences of any function."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np

from kanegen.codegen.derivation.motion_maps.spanning_tree import derivation_tree
from kanegen.codegen.derivation.placed_tree.deriver import Deriver
from kanegen.codegen.graph import Program
from kanegen.codegen.kernel_sources import KernelSources
from kanegen.codegen.mechanism import Mechanism
from kanegen.codegen.mechanism.catalogue import mechanism
from kanegen.options import Options
from tests.derivation.tree_kernels import derivatives_among
from tests.witnesses.jets import Array


@dataclass(frozen=True)
class Derived:
    """A mechanism, and kernels of it by name."""

    mechanism: Mechanism
    programs: dict[str, Program]


@cache
def derived(name: str) -> Derived:
    """The mechanism of that name, with inverse and forward dynamics, coordinate rates and all derivatives."""
    found = mechanism(name)
    sources = KernelSources(found, Options())
    builds = sources.builds
    wanted = {
        kernel: builds[kernel] for kernel in ("inverse_dynamics", "forward_dynamics", "coordinate_rates")
    }
    wanted |= derivatives_among(sources.builds_on_demand)
    tree = derivation_tree(found, live=False)
    programs = {
        kernel: Deriver(tree.mechanism, build, live_parameters=tree.live)({})[0]
        for kernel, build in wanted.items()
    }
    return Derived(found, programs)


STEP = 0.01
STENCIL = {1: 3 / 4, 2: -3 / 20, 3: 1 / 60}
"""Sixth-order central differences: truncation h^6/140 of the seventh derivative."""


def slope(function: Callable[[Array], Array], at: Array, direction: Array) -> Array:
    """The derivative at a point along a direction."""
    terms = [
        w * (function(at + k * STEP * direction) - function(at - k * STEP * direction)) / STEP
        for k, w in STENCIL.items()
    ]
    return np.array(sum(terms))
