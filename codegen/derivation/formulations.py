"""Which formulation derives the kernels of a mechanism, and how constraints turn the kernels of its tree into its own.

A formulation for trees is, in the end, a way to the generalized forces of a tree.  Where nothing but joints determines the
motion, its programs are the kernels; otherwise they are carried to the generalized speeds (foundations.py).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cache, partial

from kanegen.codegen.derivation import (
    dual_vectors,
    euler_parameters,
    historical,
    influence_coefficients,
    kane,
)
from kanegen.codegen.derivation.derivatives.kernels import kernels_of_derivatives
from kanegen.codegen.derivation.flexible_links.book import BookDynamics
from kanegen.codegen.derivation.foundations import on_chosen_speeds, on_constraints, on_joints, on_segments
from kanegen.codegen.derivation.kane.systems import ChosenSpeedsSystem, NonholonomicSystem
from kanegen.codegen.derivation.kane.tables import KaneTables, TreeInTables, tables_from
from kanegen.codegen.derivation.kernels.catalogue import (
    BIAS_FORCES,
    EQUATIONS_OF_MOTION,
    FORWARD_DYNAMICS,
    GRAVITY_FORCES,
    INVERSE_DYNAMICS,
    INVERSE_DYNAMICS_DERIVATIVES,
    MASS_MATRIX,
    contract_of,
)
from kanegen.codegen.derivation.kernels.contract import Arguments
from kanegen.codegen.derivation.kernels.dynamics import DYNAMICS, ON_DEMAND
from kanegen.codegen.derivation.kernels.flexible import equations_of_motion
from kanegen.codegen.derivation.kernels.frames import frame_kernels, frame_kernels_on_demand
from kanegen.codegen.derivation.kernels.influence import Resting, influence_kernels, spring_kernels
from kanegen.codegen.derivation.kernels.operational import ingredients, kernels_at_frames
from kanegen.codegen.derivation.motion_maps.spanning_tree import derivation_tree
from kanegen.codegen.derivation.placed_tree.choices import Choices
from kanegen.codegen.derivation.placed_tree.deriver import Build
from kanegen.codegen.derivation.placed_tree.placement import place
from kanegen.codegen.derivation.recursive.from_forces import DynamicsFromForces, Forces
from kanegen.codegen.derivation.recursive.kinematics import frames_by_name
from kanegen.codegen.derivation.recursive.tree_dynamics import TreeDynamics
from kanegen.codegen.derivation.system import Dynamics, Foundation, System, kernels_of
from kanegen.codegen.graph import Program
from kanegen.codegen.mechanism.constraints import PrescribedRate
from kanegen.codegen.mechanism.features import features_of, require_known
from kanegen.codegen.mechanism.records import ZERO3, Frame, Mechanism
from kanegen.codegen.mechanism.speeds import GeneralizedSpeed
from kanegen.errors import ModelError, did_you_mean
from kanegen.manifest import BodyCoordinates
from kanegen.options import FREE

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
    **historical.FORCES,
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


def formulations_of(mechanism: Mechanism) -> tuple[str, ...]:
    """The formulations that know what a mechanism has."""
    return FLEXIBLE if mechanism.flexible else RIGID


def exact_formulations(mechanism: Mechanism) -> tuple[str, ...]:
    """The formulations that give the same forces of a mechanism, each once."""
    same = ("flexible_links", *(name for name, truncated in BOOK.items() if truncated))
    return tuple(name for name in formulations_of(mechanism) if name not in same)


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
    _require_known(name, mechanism)
    frames = _frames(mechanism, live_parameters, identifiers)
    foundation = _foundation(name, mechanism, speeds, live_parameters)
    made = {**DYNAMICS, **foundation.own(), **frame_kernels(frames)}
    kernels = kernels_of(foundation, made)
    return kernels | _own_kernels(name, mechanism, foundation, live_parameters, identifiers)


def _require_known(name: str, mechanism: Mechanism) -> None:
    """Raise ModelError for a formulation that does not know what a mechanism has."""
    known = formulations_of(mechanism)
    if name not in known:
        raise ModelError(
            f"formulation {name!r}",
            f"does not know what mechanism {mechanism.name!r} has"
            if name in FORMULATIONS
            else "is not known",
            f"one of {', '.join(known)}",
            did_you_mean(name, known, "Give one of these."),
        )


def tables_of_kane(
    mechanism: Mechanism, speeds: Sequence[GeneralizedSpeed] | None, live_parameters: bool
) -> KaneTables:
    """Kane's method of a mechanism in tables.

    Raises ModelError for mechanisms that the method does not know, as those with flexible links.
    """
    _require_known("kane", mechanism)
    tree = derivation_tree(mechanism, live_parameters)
    foundation = _foundation("kane", mechanism, speeds, live_parameters)
    foundation = replace(foundation, dynamics=partial(TreeInTables, live=tree.live))
    return tables_from(
        foundation, tree.mechanism, tree.live, lambda make: kernels_of(foundation, {"": make})[""]
    )


def _foundation(
    name: str, mechanism: Mechanism, speeds: Sequence[GeneralizedSpeed] | None, live: bool
) -> Foundation:
    """What the kernels of a mechanism are made from: nothing else depends on how it moves."""
    if speeds is not None:
        require_known(
            (),
            mechanism,
            "a plain tree for speeds of one's choice",
            "Load it without other generalized speeds.",
        )
    if mechanism.flexible:
        return on_segments(mechanism, live)
    if speeds is not None or (name == "kane" and not features_of(mechanism)):
        return on_chosen_speeds(mechanism, live, speeds, ChosenSpeedsSystem)
    dynamics = _dynamics(name, derivation_tree(mechanism, live).live)
    if mechanism.constrained:
        return on_constraints(mechanism, dynamics, live, NonholonomicSystem if name == "kane" else System)
    return on_joints(mechanism, dynamics, live)


def _frames(mechanism: Mechanism, live: bool, identifiers: Mapping[str, str]) -> dict[str, Frame]:
    """Frames in the tree that kernels are derived from, by their names as identifiers."""
    tree = derivation_tree(mechanism, live)
    return frames_by_name(place(tree.mechanism, Choices(), tree.live), identifiers)


def optional_kernels(
    mechanism: Mechanism,
    live_parameters: bool,
    identifiers: Mapping[str, str],
    speeds: Sequence[GeneralizedSpeed] | None = None,
    usual: Mapping[str, Build] | None = None,
    asked: Sequence[str] = (),
) -> dict[str, Build]:
    """Kernels that are generated only when asked for by name, derived recursively; ``speeds`` and names of frames as in
    ``formulation``.  ``usual`` are the kernels of the recursive formulation, where they are known, and those ``asked`` for
    may be of some rows of a frame's twist.
    """
    kernels = usual or formulation("recursive", mechanism, speeds, live_parameters, identifiers)
    foundation = _foundation("recursive", mechanism, speeds, live_parameters)
    frames = _frames(mechanism, live_parameters, identifiers)
    arguments = Arguments.of(mechanism, speeds)
    made = {
        kernel: make
        for kernel, make in (ON_DEMAND | frame_kernels_on_demand(frames)).items()
        if (contract := contract_of(kernel)) is not None
        and contract not in foundation.lacks
        and arguments.has_any(contract.gives)
    }
    if not arguments.nv:  # all others are of what the speeds do
        return kernels_of(foundation, made)
    derivatives = kernels_of_derivatives(mechanism, kernels, live_parameters, foundation)
    own = kernels_of(foundation, ingredients(frames))
    resting = _resting(mechanism, live_parameters, speeds)
    at_frames = kernels_at_frames(frames, asked, arguments, {**kernels, **own}, resting)
    return kernels_of(foundation, made) | derivatives | at_frames


def _own_kernels(
    name: str,
    mechanism: Mechanism,
    foundation: Foundation,
    live: bool,
    identifiers: Mapping[str, str],
) -> dict[str, Build]:
    """Kernels that only a formulation has, or that it derives otherwise, where it knows all that the mechanism has."""
    if name in BOOK:
        made = {kernel: make for kernel, make in DYNAMICS.items() if kernel in _BY_BOOK}
        made[EQUATIONS_OF_MOTION.name] = equations_of_motion
        return kernels_of(on_segments(mechanism, live, partial(BookDynamics, truncated=BOOK[name])), made)
    if name == "euler_parameters" and body_coordinates_of(mechanism) is not None:
        return euler_parameters.kernels(mechanism, live)
    if name != "influence_coefficients":
        return {}
    arrays = influence_kernels(_frames(mechanism, live, identifiers))
    if mechanism.depends_on_time or mechanism.speeds_at_rest:
        return kernels_of(foundation, arrays)
    springs = spring_kernels(_resting(mechanism, live, None), Arguments.of(mechanism))
    return kernels_of(foundation, arrays) | springs


_BY_BOOK = {c.name for c in (INVERSE_DYNAMICS, FORWARD_DYNAMICS, MASS_MATRIX, BIAS_FORCES, GRAVITY_FORCES)}
"""What Book's equations are for, beside the equations of motion themselves."""


def _resting(mechanism: Mechanism, live: bool, speeds: Sequence[GeneralizedSpeed] | None) -> Resting:
    """What derives inverse dynamics and its derivatives without weight, friction, and inertia of rigid bodies."""
    none = Fraction(0)
    joints = tuple(replace(joint, friction=none, rotor_inertia=none) for joint in mechanism.joints)
    massless = (
        mechanism.bodies if mechanism.flexible else tuple(replace(b, inertia=None) for b in mechanism.bodies)
    )
    left = replace(mechanism, bodies=massless, joints=joints, gravity=ZERO3, laws=())
    held = (replace(p, rate=none) if isinstance(p, PrescribedRate) else p for p in left.prescribed)
    still = replace(left, prescribed=tuple(held))

    @cache
    def derived() -> dict[str, Program]:
        if mechanism.depends_on_time or mechanism.speeds_at_rest:
            raise ModelError(
                f"mechanism {mechanism.name!r}",
                "moves where its speeds are zero, and what springs and dampers do alone is that of a mechanism at rest",
                "one that does not depend on time, with speeds that have rates in all their terms",
                "Ask for inverse_dynamics_derivatives, which have all of it.",
            )
        found = {}
        for one, kernel in (
            (left, INVERSE_DYNAMICS.name),
            (left, GRAVITY_FORCES.name),
            (still, INVERSE_DYNAMICS_DERIVATIVES.name),
        ):
            tree, foundation = derivation_tree(one, live), _foundation("recursive", one, speeds, live)
            builds = kernels_of(foundation, DYNAMICS)
            builds |= kernels_of_derivatives(one, builds, live, foundation)
            placed = place(tree.mechanism, Choices(), tree.live)
            found[kernel] = builds[kernel](placed, tree.mechanism, Choices())
        return found

    return derived


def _dynamics(name: str, live: bool) -> Dynamics:
    """The dynamics of a tree in a formulation."""
    if name == "recursive":
        return TreeDynamics
    formula, source = FORCES[name]
    inertia = historical.INERTIA.get(name)
    free = name in FREE
    return partial(DynamicsFromForces, formula=formula, source=source, live=live, inertia=inertia, free=free)


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
