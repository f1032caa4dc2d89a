"""Which formulation derives the kernels of a mechanism: recursions for joint rates, Kane's method for other speeds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from kanegen.codegen.derivation.choices import Choices
from kanegen.codegen.derivation.kane_kernels import KaneFormulation
from kanegen.codegen.derivation.placement import place
from kanegen.codegen.derivation.standard import DYNAMICS, Build, frame_kernels
from kanegen.codegen.mechanism.records import Mechanism
from kanegen.codegen.mechanism.speeds import GeneralizedSpeed

FORMULATIONS = ("recursive", "kane")
"""Recursive Newton-Euler with composite or articulated inertias, and Kane's method."""


def formulation(
    name: str,
    mechanism: Mechanism,
    speeds: Sequence[GeneralizedSpeed] | None,
    live_parameters: bool,
    identifiers: Mapping[str, str],
) -> dict[str, Build]:
    """The kernels of a mechanism by name, in the formulation of that name; ``identifiers`` gives the frames' names in C.

    Generalized speeds other than the joint rates ask for Kane's method by themselves; Jacobians map these speeds.
    """
    frames = frame_kernels(place(mechanism, Choices()), identifiers, speeds)
    if speeds is None and name == "recursive":
        return {**DYNAMICS, **frames}
    kane = KaneFormulation(None if speeds is None else tuple(speeds), live_parameters)
    return {**kane.kernels(), **frames}
