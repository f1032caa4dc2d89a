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
from kanegen.codegen.derivation.constraints.ball_kernels import on_quaternions
from kanegen.codegen.derivation.constraints.chart import folded_chart, on_chart
from kanegen.codegen.derivation.constraints.kernels import ConstrainedFormulation, carried_to_speeds
from kanegen.codegen.derivation.constraints.optional_kernels import optional_makes
from kanegen.codegen.derivation.derivatives import kernels_of_derivatives
from kanegen.codegen.derivation.flexible_links import (
    book_kernels,
    flexible_kernels,
    optional_flexible_kernels,
)
from kanegen.codegen.derivation.from_forces import Forces, programs_from
from kanegen.codegen.derivation.joint_motion.kernels import joint_kernels
from kanegen.codegen.derivation.joint_motion.optional_kernels import optional_joint_kernels
from kanegen.codegen.derivation.kane.kernels import KaneFormulation
from kanegen.codegen.derivation.optional_kernels import OPTIONAL, optional_frame_kernels
from kanegen.codegen.derivation.placement import PlacedTree, place
from kanegen.codegen.derivation.standard import DYNAMICS, Build, FrameBuilds, frame_kernels
from kanegen.codegen.derivation.tree import DerivationTree, derivation_tree
from kanegen.codegen.graph import Program
from kanegen.codegen.mechanism.records import Mechanism
from kanegen.codegen.mechanism.speeds import GeneralizedSpeed
from kanegen.errors import ModelError, did_you_mean

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

BOOK = {"book_1983": False, "book_1983_truncated": True}
"""Formulations of arms with flexible links beside the recursive one, and whether they leave out what Book leaves out."""

RIGID = ("recursive", "kane", *FORCES)
"""Formulations of mechanisms whose links are rigid."""

FLEXIBLE = ("recursive", "flexible_links", *BOOK)
"""Formulations of mechanisms with flexible links; the first two are the same."""

FORMULATIONS = (*RIGID, *FLEXIBLE[1:])
"""Recursive Newton-Euler with composite or articulated inertias, Kane's method, those of ``FORCES`` and ``FLEXIBLE``."""


def exact_formulations(mechanism: Mechanism) -> tuple[str, ...]:
    """The formulations that give the same forces of a mechanism."""
    if not mechanism.flexible:
        return RIGID
    return ("recursive", *(name for name, truncated in BOOK.items() if not truncated))


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
    driven = [joint for joint in mechanism.joints if joint.rotor_inertia != 0]
    if driven and (speeds is not None or (name == "kane" and mechanism.plain_tree)):
        raise ModelError(
            f"joint {driven[0].name!r}",
            "has a rotor, which Kane's method does not know here",
            "no rotor inertia, or another formulation",
            "Use the recursive formulation.",
        )
    if name not in FORMULATIONS:
        raise ModelError(
            f"formulation {name!r}",
            "is not known",
            f"one of {', '.join(FORMULATIONS)}",
            did_you_mean(name, FORMULATIONS, "Give one of these."),
        )
    if mechanism.flexible:
        return _flexible(name, mechanism, speeds, live_parameters, identifiers)
    if name not in RIGID:
        raise ModelError(
            f"formulation {name!r}",
            "is for arms with flexible links",
            f"one of {', '.join(RIGID)}",
            "Give one of these.",
        )
    tree = derivation_tree(mechanism, live_parameters)
    placed = place(tree.mechanism, Choices(), tree.live)
    frames = frame_kernels(placed, identifiers, speeds)
    if mechanism.constrained:
        rates = optional_frame_kernels(placed, identifiers)
        if not on_chart(mechanism):
            return _constrained(name, mechanism, frames, rates, live_parameters)
        made = _constrained(name, folded_chart(mechanism, live_parameters), frames, rates, True)
        return on_quaternions(mechanism, made, live_parameters)
    if not mechanism.plain_tree:
        if speeds is not None:
            raise ModelError(
                f"mechanism {mechanism.name!r}",
                "has ball joints, mimics, springs or friction",
                "its own speeds",
                "Load it without other generalized speeds.",
            )
        programs = {**DYNAMICS, **_tree_programs(name, tree.live)}
        kernels = joint_kernels(mechanism, programs, frames, live_parameters)
        return kernels | _own_kernels(name, mechanism, tree, live_parameters, identifiers)
    if name == "recursive" and speeds is None:
        return {**DYNAMICS, **frames}
    if name in FORCES and speeds is None:
        programs = {**DYNAMICS, **_tree_programs(name, live_parameters), **frames}
        return programs | _own_kernels(name, mechanism, tree, live_parameters, identifiers)
    of_kane = KaneFormulation(None if speeds is None else tuple(speeds), live_parameters)
    return {**of_kane.kernels(), **frames}


def _flexible(
    name: str,
    mechanism: Mechanism,
    speeds: Sequence[GeneralizedSpeed] | None,
    live: bool,
    identifiers: Mapping[str, str],
) -> dict[str, Build]:
    """The kernels of a mechanism with flexible links."""
    if speeds is not None or name not in FLEXIBLE:
        what = "generalized speeds" if speeds is not None else f"formulation {name!r}"
        raise ModelError(
            what,
            f"are not for flexible links, as mechanism {mechanism.name!r} has"
            if speeds is not None
            else f"does not know flexible links, as mechanism {mechanism.name!r} has",
            f"the joint rates and a formulation of {', '.join(FLEXIBLE)}",
            "Give one of these, or leave the links rigid.",
        )
    kernels = flexible_kernels(mechanism, live, identifiers)
    return {**kernels, **book_kernels(mechanism, live, BOOK[name])} if name in BOOK else kernels


def optional_kernels(
    mechanism: Mechanism, live_parameters: bool, identifiers: Mapping[str, str]
) -> dict[str, Build]:
    """Kernels that are generated only when asked for by name, derived recursively; names of frames as in ``formulation``."""
    kernels = formulation("recursive", mechanism, None, live_parameters, identifiers)
    if mechanism.flexible:
        derivatives = kernels_of_derivatives(mechanism, kernels, live_parameters, recursive=False)
        return {**optional_flexible_kernels(mechanism, live_parameters, identifiers), **derivatives}
    tree = derivation_tree(mechanism, live_parameters)
    placed = place(tree.mechanism, Choices(), tree.live)
    frames = optional_frame_kernels(placed, identifiers)
    derivatives = kernels_of_derivatives(mechanism, kernels, live_parameters)
    if mechanism.constrained:
        made = optional_makes(frames, frame_kernels(placed, identifiers))
        return {**carried_to_speeds(mechanism, live_parameters, made), **derivatives}
    if mechanism.plain_tree:
        return {**OPTIONAL, **frames, **derivatives}
    carried = optional_joint_kernels(
        mechanism, {**DYNAMICS, **OPTIONAL}, frames, frame_kernels(placed, identifiers), live_parameters
    )
    return {**carried, **derivatives}


def _own_kernels(
    name: str,
    mechanism: Mechanism,
    tree: DerivationTree,
    live: bool,
    identifiers: Mapping[str, str],
) -> dict[str, Build]:
    """Kernels that only a formulation has, where it knows all that the mechanism has."""
    driven = any(joint.rotor_inertia != 0 for joint in mechanism.joints)
    if name == "influence_coefficients" and not (mechanism.balls or mechanism.mimics or driven):
        placed = place(tree.mechanism, Choices(), tree.live)
        own = influence_coefficients.kernels(placed, identifiers, live_parameters=tree.live)
        return {
            kernel: partial(_with_springs, build=build, mechanism=mechanism) for kernel, build in own.items()
        }
    if name == "euler_parameters" and _in_body_coordinates(mechanism):
        return euler_parameters.kernels(mechanism, live)
    return {}


def _with_springs(
    tree: PlacedTree, _: Mechanism, choices: Choices, build: Build, mechanism: Mechanism
) -> Program:
    """A program of a tree that also knows the mechanism's springs and dampers."""
    return build(tree, mechanism, choices)


def _tree_programs(name: str, live: bool) -> Mapping[str, Build]:
    """The kernels of a plain tree in a formulation that others are carried from."""
    if name == "recursive":
        return DYNAMICS
    if name == "kane":
        return programs_from(kane.forces, "Kane's method (Kane & Levinson 1983)", live)
    return programs_from(*FORCES[name], live)


def _constrained(
    name: str, mechanism: Mechanism, frames: FrameBuilds, rates: FrameBuilds, live: bool
) -> dict[str, Build]:
    """``rates`` are the derivatives of the Jacobians of frames."""
    programs = _tree_programs(name, live)
    projected = kane.nonholonomic_forces if name == "kane" else None
    influence = rates if name == "influence_coefficients" else None
    made = ConstrainedFormulation(mechanism, programs, frames, live, projected, influence).kernels()
    if name == "euler_parameters" and _in_body_coordinates(mechanism):
        made |= euler_parameters.kernels(mechanism, live)
    return made


@dataclass(frozen=True, slots=True)
class BodyNames:
    """Names of the bodies of x, the joints of joint_reactions, the joint of each row of joint_constraints, and struts."""

    bodies: tuple[str, ...]
    joints: tuple[str, ...]
    rows: tuple[str, ...]
    struts: tuple[str, ...]


def _in_body_coordinates(mechanism: Mechanism) -> bool:
    return body_coordinates_of(mechanism) is not None


def body_coordinates_of(mechanism: Mechanism) -> BodyNames | None:
    """The names of a mechanism in body coordinates; None where it has what these do not know.

    That are constraints other than joints, joints that follow others, balls, rotors and friction.
    """
    drives = any(j.rotor_inertia != 0 or j.damping != 0 or j.friction != 0 for j in mechanism.joints)
    if drives or mechanism.balls or mechanism.mimics:
        return None
    try:
        return BodyNames(
            tuple(euler_parameters.names_of_bodies(mechanism)),
            tuple(euler_parameters.names_of_joints(mechanism)),
            tuple(name for name, _ in euler_parameters.names_of_constraints(mechanism)),
            tuple(euler_parameters.names_of_struts(mechanism)),
        )
    except ModelError:
        return None
