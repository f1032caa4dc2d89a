"""Which formulation derives the kernels of a mechanism, and how constraints turn the kernels of its tree into its own.

A formulation for trees is, in the end, a way to the generalized forces of a tree.  Where nothing but joints determines the
motion, its programs are the kernels; otherwise they are carried to the generalized speeds (foundations.py).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from kanegen.codegen.derivation import dual_vectors, euler_parameters, influence_coefficients, kane
from kanegen.codegen.derivation.derivatives.of_mechanisms import kernels_of_derivatives
from kanegen.codegen.derivation.flexible_links.book import BookDynamics
from kanegen.codegen.derivation.foundations import (
    carried,
    kernels_of_constraints,
    on_chosen_speeds,
    on_segments,
)
from kanegen.codegen.derivation.kane.systems import ChosenSpeedsSystem, NonholonomicSystem
from kanegen.codegen.derivation.kernels.catalogue import (
    ACTUATOR_FORCES,
    BIAS_FORCES,
    CENTER_OF_MASS,
    EQUATIONS_OF_MOTION,
    FORWARD_DYNAMICS,
    FRAME_FORCES,
    GRAVITY_FORCES,
    INVERSE_DYNAMICS,
    INVERSE_MASS_MATRIX,
    MASS_MATRIX,
    contract_of,
)
from kanegen.codegen.derivation.kernels.dynamics import DYNAMICS, ON_DEMAND, actuator_forces
from kanegen.codegen.derivation.kernels.flexible import equations_of_motion, flexible_kernels
from kanegen.codegen.derivation.kernels.frames import frame_kernels, frame_kernels_on_demand
from kanegen.codegen.derivation.kernels.influence import influence_kernels
from kanegen.codegen.derivation.motion_maps.spanning_tree import DerivationTree, derivation_tree
from kanegen.codegen.derivation.placed_tree.choices import Choices
from kanegen.codegen.derivation.placed_tree.deriver import Build
from kanegen.codegen.derivation.placed_tree.placement import PlacedTree, place
from kanegen.codegen.derivation.recursive.from_forces import DynamicsFromForces, Forces
from kanegen.codegen.derivation.recursive.kinematics import frames_by_name
from kanegen.codegen.derivation.recursive.tree_dynamics import TreeDynamics
from kanegen.codegen.derivation.system import Dynamics, System
from kanegen.codegen.graph import Program
from kanegen.codegen.mechanism.records import Frame, Mechanism
from kanegen.codegen.mechanism.speeds import GeneralizedSpeed
from kanegen.errors import ModelError, did_you_mean
from kanegen.manifest import BodyCoordinates

FORCES: Mapping[str, tuple[Forces, str]] = {
    "kane": (kane.forces, "Kane's method (Kane & Levinson 1983)"),
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

RIGID = ("recursive", *FORCES)
"""Formulations of mechanisms whose links are rigid."""

FLEXIBLE = ("recursive", "flexible_links", *BOOK)
"""Formulations of mechanisms with flexible links; the first two are the same."""

FORMULATIONS = (*RIGID, *FLEXIBLE[1:])
"""Recursive Newton-Euler with composite or articulated inertias, those of ``FORCES`` and ``FLEXIBLE``."""


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
    frames = frames_by_name(place(tree.mechanism, Choices(), tree.live), identifiers)
    if mechanism.plain_tree and (name == "kane" or speeds is not None):
        made = {**DYNAMICS, ACTUATOR_FORCES.name: actuator_forces, **frame_kernels(frames)}
        return on_chosen_speeds(mechanism, TreeDynamics, tree.live, made, ChosenSpeedsSystem, speeds)
    if speeds is not None and not mechanism.constrained:
        raise ModelError(
            f"mechanism {mechanism.name!r}",
            "has ball joints, mimics, springs or friction",
            "its own speeds",
            "Load it without other generalized speeds.",
        )
    made = DYNAMICS | kernels_of_constraints(mechanism, live_parameters) | frame_kernels(frames)
    if mechanism.constrained and name == "influence_coefficients":
        made |= influence_kernels(frames)
    system = NonholonomicSystem if name == "kane" else System
    kernels = carried(mechanism, _dynamics(name, tree.live), live_parameters, made, system)
    return kernels | _own_kernels(name, mechanism, tree, live_parameters, identifiers)


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
    frames = frame_kernels(_frames_of_links(mechanism, identifiers))
    kernels = on_segments(mechanism, live, {**DYNAMICS, **flexible_kernels(mechanism), **frames})
    if name not in BOOK:
        return kernels
    by_book = {kernel: make for kernel, make in DYNAMICS.items() if kernel in _BY_BOOK}
    made = {**by_book, EQUATIONS_OF_MOTION.name: equations_of_motion}
    return kernels | on_segments(mechanism, live, made, partial(BookDynamics, truncated=BOOK[name]))


_BY_BOOK = {c.name for c in (INVERSE_DYNAMICS, FORWARD_DYNAMICS, MASS_MATRIX, BIAS_FORCES, GRAVITY_FORCES)}
"""What Book's equations are for, beside the equations of motion themselves."""


def _frames_of_links(mechanism: Mechanism, identifiers: Mapping[str, str]) -> dict[str, Frame]:
    """Frames by their names as identifiers, as ``identifiers`` gives them by name."""
    own = (Frame(body.name, body.name) for body in mechanism.bodies)
    frames = {frame.name: frame for frame in (*own, *mechanism.frames)}
    return {identifier: frames[name] for name, identifier in identifiers.items()}


def optional_kernels(
    mechanism: Mechanism,
    live_parameters: bool,
    identifiers: Mapping[str, str],
    speeds: Sequence[GeneralizedSpeed] | None = None,
) -> dict[str, Build]:
    """Kernels that are generated only when asked for by name, derived recursively; ``speeds`` and names of frames as in
    ``formulation``.
    """
    kernels = formulation("recursive", mechanism, speeds, live_parameters, identifiers)
    if mechanism.flexible:
        derivatives = kernels_of_derivatives(mechanism, kernels, live_parameters, recursive=False)
        frames = _frames_of_links(mechanism, identifiers)
        all_made = ON_DEMAND | frame_kernels_on_demand(frames)
        of_links = {kernel: make for kernel, make in all_made.items() if contract_of(kernel) in _OF_LINKS}
        return {**on_segments(mechanism, live_parameters, of_links), **derivatives}
    tree = derivation_tree(mechanism, live_parameters)
    placed = place(tree.mechanism, Choices(), tree.live)
    derivatives = kernels_of_derivatives(mechanism, kernels, live_parameters, recursive=speeds is None)
    made = ON_DEMAND | frame_kernels_on_demand(frames_by_name(placed, identifiers))
    if speeds is not None and mechanism.plain_tree:
        chosen = on_chosen_speeds(mechanism, TreeDynamics, live_parameters, made, ChosenSpeedsSystem, speeds)
        return {**chosen, **derivatives}
    return {**carried(mechanism, TreeDynamics, live_parameters, made), **derivatives}


_OF_LINKS = (INVERSE_MASS_MATRIX, CENTER_OF_MASS, FRAME_FORCES)
"""What there is of kernels on demand for flexible links, beside derivatives."""


def _own_kernels(
    name: str,
    mechanism: Mechanism,
    tree: DerivationTree,
    live: bool,
    identifiers: Mapping[str, str],
) -> dict[str, Build]:
    """Kernels that only a formulation has, where it knows all that the mechanism has."""
    if name == "influence_coefficients" and not (
        mechanism.constrained or mechanism.balls or mechanism.mimics or _driven(mechanism)
    ):
        placed = place(tree.mechanism, Choices(), tree.live)
        own = influence_coefficients.kernels(placed, identifiers, live_parameters=tree.live)
        return {
            kernel: partial(_with_springs, build=build, mechanism=mechanism) for kernel, build in own.items()
        }
    if name == "euler_parameters" and _in_body_coordinates(mechanism):
        return euler_parameters.kernels(mechanism, live)
    return {}


def _driven(mechanism: Mechanism) -> bool:
    return any(joint.rotor_inertia != 0 for joint in mechanism.joints)


def _with_springs(
    tree: PlacedTree, _: Mechanism, choices: Choices, build: Build, mechanism: Mechanism
) -> Program:
    """A program of a tree that also knows the mechanism's springs and dampers."""
    return build(tree, mechanism, choices)


def _dynamics(name: str, live: bool) -> Dynamics:
    """The dynamics of a tree in a formulation."""
    if name == "recursive":
        return TreeDynamics
    formula, source = FORCES[name]
    return partial(DynamicsFromForces, formula=formula, source=source, live=live)


def _in_body_coordinates(mechanism: Mechanism) -> bool:
    return body_coordinates_of(mechanism) is not None


def body_coordinates_of(mechanism: Mechanism) -> BodyCoordinates | None:
    """The names of a mechanism in body coordinates; None where it has what these do not know.

    That are constraints other than joints, joints that follow others, balls, rotors and friction.
    """
    try:
        return BodyCoordinates(
            tuple(euler_parameters.names_of_bodies(mechanism)),
            tuple(euler_parameters.names_of_joints(mechanism)),
            tuple(name for name, _ in euler_parameters.names_of_constraints(mechanism)),
            tuple(euler_parameters.names_of_struts(mechanism)),
        )
    except ModelError:
        return None
