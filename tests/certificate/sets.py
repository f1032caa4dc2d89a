"""Whole kernel sets, as they are derived and with something wrong in them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np

from kanegen.codegen.certificate.arrays import Array
from kanegen.codegen.certificate.certify import measured
from kanegen.codegen.certificate.evaluation import Evaluate, values
from kanegen.codegen.certificate.sample import KernelSet, Sample
from kanegen.codegen.graph import Expression, Kind, Program, inputs, total
from kanegen.codegen.kernel_sources import KernelSources
from kanegen.codegen.mechanism import BASE, Mechanism, MechanismBuilder, catalogue
from kanegen.options import Options

STATES = 10


def branched() -> Mechanism:
    """Two arms on a slide, with a rotor, a fixed joint, a mimic and a spring."""
    builder = MechanismBuilder("branched", gravity=(1.2, -0.7, -9.6))
    for k, name in enumerate(("slide", "upper", "tool", "left", "right"), start=1):
        builder.body(
            name,
            mass=k,
            center=(0.1 * k, -0.2, 0.05 * k),
            inertia=((0.3 * k, 0.01, 0.02), (0.01, 0.25 * k, -0.03), (0.02, -0.03, 0.2 * k)),
        )
    builder.prismatic("s", BASE, "slide", (0.6, 0, 0.8))
    builder.revolute(
        "q1", "slide", "upper", (0, 0, 1), (0.1, 0.2, 0.3), (0.3, 0.4, 0.5), rotor_inertia=0.02, gear_ratio=5
    )
    builder.fixed("weld", "upper", "tool", (0.3, 0, 0.1), (0, 0.7, 0))
    builder.revolute("q2", "tool", "left", (0, 1, 0), (0.2, 0.1, 0), (1.1, 0, 0.2))
    builder.revolute("q3", "tool", "right", (1, 0, 0), (-0.2, 0.1, 0), (0, 0.6, 0.2))
    builder.mimic("q3", "q2", multiplier=-0.7, offset=0.3)
    builder.frame("hand", "right", (0.1, 0.2, 0.3), (0.4, 0.3, 0.2))
    builder.torsional_spring("spring", "q1", stiffness=3, rest=0.4)
    return builder.build()


def floating() -> Mechanism:
    """A body that moves freely and carries another by a ball joint."""
    builder = MechanismBuilder("floating", gravity=(0, 0, -9.81))
    for k, name in enumerate(("trunk", "head"), start=1):
        builder.body(name, mass=k, center=(0.1, -0.2, 0.05 * k), inertia=(0.3 * k, 0.25 * k, 0.2 * k))
    builder.floating("free", BASE, "trunk", (0.1, 0.2, 0.3), (0.3, 0.4, 0.5))
    builder.spherical("neck", "trunk", "head", (0, 0.1, 0.4), (0.2, 0, 0.1))
    return builder.build()


def live_arm() -> Mechanism:
    """Two links with live parameters."""
    builder = MechanismBuilder("live_arm", gravity=(0, 0, -9.81))
    m, l = builder.parameter("m", 2, "kg", "mass"), builder.parameter("l", 0.5, "m", "length")
    builder.body("one", mass=m, center=(l / 2, 0, 0), inertia=(0.1, 0.2, 0.2))
    builder.body("two", mass=m / 2, center=(l / 3, 0.1, 0), inertia=(0.1, 0.1, 0.2))
    builder.revolute("q1", BASE, "one", (0, 0, 1), (0, 0, l))
    builder.revolute("q2", "one", "two", (0, 1, 0), (l, 0, 0))
    return builder.build()


MECHANISMS = {
    "branched": branched,
    "floating": floating,
    "live_arm": live_arm,
    "five_bar": lambda: catalogue.mechanism("five_bar"),
    "rolling_disc": lambda: catalogue.mechanism("rolling_disc"),
}


OF_FRAMES = ("frame_", "hand_", "operational_")
"""How the names of kernels begin that there are for each frame."""


@cache
def kernel_set(name: str) -> KernelSet:
    """All kernels of a mechanism in their plain derivations, the optional ones included."""
    mechanism = MECHANISMS[name]()
    options = Options(live_parameters=name.startswith("live"))
    sources = KernelSources(mechanism, options)
    others = tuple(f"_{frame}" for frame in list(sources.frames)[:-1])  # one frame is as good as many
    every = sources.builds | sources.builds_on_demand
    kernels = [k for k in every if not (k.startswith(OF_FRAMES) and k.endswith(others))]
    return sources.kernel_set({k: sources.plain(k) for k in kernels})


def with_kernel(given: KernelSet, kernel: str, program: Program) -> KernelSet:
    """The same set with another program for one kernel."""
    return replace(given, programs={**given.programs, kernel: program})


def tampered(program: Program, output: int = 0) -> Program:
    """The program with an error in every entry of an output: small, and another in each entry, state and parameter."""
    graph, results = program.graph, list(program.results)
    entries = [x for argument in program.inputs for x in inputs(graph, argument.name, argument.size)]
    error = total(graph, [x * Fraction(k, 10**4) for k, x in enumerate(entries, start=1)]) + Fraction(1, 1000)
    for name in sorted(
        {graph.payloads[i][0] for i in graph.reachable(program.roots) if graph.kinds[i] is Kind.PARAMETER}
    ):
        error = error * (1 + Expression(graph, graph.parameter(name)))
    results[output] = tuple(
        (Expression(graph, ref) + error * k).ref for k, ref in enumerate(results[output], start=1)
    )
    return replace(program, results=tuple(results))


class Remembered:
    """``values`` of programs, found once for the same numbers."""

    def __init__(self) -> None:
        self._known: dict[tuple[object, ...], tuple[Program, dict[str, Array]]] = {}

    def __call__(
        self, program: Program, arguments: Mapping[str, Array], parameters: Mapping[str, Any]
    ) -> dict[str, Array]:
        given = [(name, np.asarray(x)) for name, x in (*arguments.items(), *parameters.items())]
        key = (id(program), *((name, x.shape, x.tobytes()) for name, x in given))
        if key not in self._known:
            self._known[key] = program, values(program, arguments, parameters)
        return self._known[key][1]


def residuals(given: KernelSet, evaluate: Evaluate = values) -> Mapping[tuple[str, tuple[str, ...]], float]:
    """The residual of every check, by its name and kernels; the largest where one has several."""
    found: dict[tuple[str, tuple[str, ...]], float] = {}
    for check in measured(Sample(given, STATES, evaluate=evaluate)):
        key = (check.name, check.kernels)
        found[key] = max(found.get(key, 0.0), check.residual)
    return found
