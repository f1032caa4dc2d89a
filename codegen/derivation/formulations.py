"""Which formulation derives the kernels of a mechanism, and how constraints turn the kernels of its tree into its own.

A formulation for trees is, in the end, a way to the generalized forces of a tree.  Where nothing but joints determines the
motion, its programs are the kernels; otherwise they are carried to the generalized speeds (constraints/kernels.py).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from kanegen.codegen.derivation import dual_vectors, euler_parameters, influence_coefficients, kane
from kanegen.codegen.derivation.choices import Choices
from kanegen.codegen.derivation.constraints.kernels import ConstrainedFormulation
from kanegen.codegen.derivation.constraints.spanning_tree import spanning_tree
from kanegen.codegen.derivation.from_forces import Forces, programs_from
from kanegen.codegen.derivation.kane.kernels import KaneFormulation
from kanegen.codegen.derivation.placement import PlacedTree, place
from kanegen.codegen.derivation.standard import DYNAMICS, Build, frame_kernels
from kanegen.codegen.graph import Program
from kanegen.codegen.mechanism.errors import ModelError
from kanegen.codegen.mechanism.records import Mechanism
from kanegen.codegen.mechanism.speeds import GeneralizedSpeed

FORCES: Mapping[str, tuple[Forces, str]] = {
    "dual_vectors": (dual_vectors.forces, "dual inertia forces on dual partial velocities (Agrawal 1988)"),
    "influence_coefficients": (
        influence_coefficients.forces,
        "effective inertia and inertia power array (Freeman & Tesar 1988)",
    ),
    "euler_parameters": (
        euler_parameters.forces,
        "Euler parameters and Lagrange multipliers (Sim, Yoo & Lee 1985)",
    ),
}
"""Formulations that are functions of a tree's motion."""

FORMULATIONS = ("recursive", "kane", *FORCES)
"""Recursive Newton-Euler with composite or articulated inertias, Kane's method, and those of ``FORCES``."""


def formulation(
    name: str,
    mechanism: Mechanism,
    speeds: Sequence[GeneralizedSpeed] | None,
    live_parameters: bool,
    identifiers: Mapping[str, str],
) -> dict[str, Build]:
    """The kernels of a mechanism by name, in the formulation of that name; ``identifiers`` gives the frames' names in C.

    Generalized speeds other than the joint rates ask for Kane's method by themselves; Jacobians map these speeds.
    Raises ModelError for an unknown formulation and for constraints that cannot be solved.
    """
    if name not in FORMULATIONS:
        raise ModelError(
            f"formulation {name!r}", "is not known", f"one of {', '.join(FORMULATIONS)}", "Give one of these."
        )
    tree = spanning_tree(mechanism)
    frames = frame_kernels(place(tree, Choices()), identifiers, speeds)
    if not mechanism.plain_tree:
        return _constrained(name, mechanism, frames, live_parameters, identifiers)
    if name == "recursive" and speeds is None:
        return {**DYNAMICS, **frames}
    if name in FORCES and speeds is None:
        forces, source = FORCES[name]
        made = {**DYNAMICS, **programs_from(forces, source, live_parameters), **frames}
        if name == "influence_coefficients":
            placed = place(tree, Choices(), live_parameters)
            made |= influence_coefficients.kernels(placed, identifiers, live_parameters=live_parameters)
        if name == "euler_parameters":
            made |= euler_parameters.kernels(mechanism, live_parameters)
        return made
    own = KaneFormulation(None if speeds is None else tuple(speeds), live_parameters)
    return {**own.kernels(), **frames}


def _with_springs(
    tree: PlacedTree, _: Mechanism, choices: Choices, build: Build, mechanism: Mechanism
) -> Program:
    """A program of a tree that also knows the mechanism's springs and dampers."""
    return build(tree, mechanism, choices)


def _constrained(
    name: str,
    mechanism: Mechanism,
    frames: Mapping[str, Build],
    live: bool,
    identifiers: Mapping[str, str],
) -> dict[str, Build]:
    if name == "recursive":
        programs: Mapping[str, Build] = DYNAMICS
    elif name == "kane":
        programs = programs_from(kane.forces, "Kane's method (Kane & Levinson 1983)", live)
    else:
        programs = programs_from(*FORCES[name], live)
    projected = kane.nonholonomic_forces if name == "kane" else None
    influence = name == "influence_coefficients"
    made = ConstrainedFormulation(mechanism, programs, frames, live, projected, influence).kernels()
    if name == "influence_coefficients" and not (
        mechanism.loops or mechanism.constraints or mechanism.prescribed or mechanism.speeds
    ):
        placed = place(spanning_tree(mechanism), Choices(), live)
        own = influence_coefficients.kernels(placed, identifiers, live_parameters=live)
        made |= {
            kernel: partial(_with_springs, build=build, mechanism=mechanism) for kernel, build in own.items()
        }
    if name == "euler_parameters" and body_coordinates_of(mechanism) is not None:
        made |= euler_parameters.kernels(mechanism, live)
    return made


@dataclass(frozen=True, slots=True)
class BodyNames:
    """Names of the bodies of x, of the joints of joint_reactions, and of the joint of each row of joint_constraints."""

    bodies: tuple[str, ...]
    joints: tuple[str, ...]
    rows: tuple[str, ...]


def body_coordinates_of(mechanism: Mechanism) -> BodyNames | None:
    """The names of a mechanism in body coordinates; None where it has constraints that are no joints."""
    try:
        return BodyNames(
            tuple(euler_parameters.names_of_bodies(mechanism)),
            tuple(euler_parameters.names_of_joints(mechanism)),
            tuple(name for name, _ in euler_parameters.names_of_constraints(mechanism)),
        )
    except ModelError:
        return None
