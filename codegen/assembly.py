"""From derived kernels to the record that emission prints: what is hoisted, how statements are ordered, every name.

Beside its kernels a model has what its users may want to know of the mechanism: each is a line of ``known_of``.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import fields
from fractions import Fraction

from kanegen.codegen.certificate.certify import BOUND, Record
from kanegen.codegen.certificate.comparison import difference_of_forces
from kanegen.codegen.derivation.flexible_links.states import link_ends, usual_amplitudes
from kanegen.codegen.derivation.formulations import BOOK, body_coordinates_of
from kanegen.codegen.derivation.kernels.catalogue import regular
from kanegen.codegen.derivation.motion_maps.report import constraint_report
from kanegen.codegen.derivation.resistance.separation import meeting_ends
from kanegen.codegen.deriving import DerivedKernels
from kanegen.codegen.emit.model import LiveParameter, Model, SineCosineLibrary
from kanegen.codegen.kernel_sources import KernelSources
from kanegen.codegen.mechanism.fingerprint import fingerprint
from kanegen.codegen.mechanism.force_elements import ForceElement, stopped_ends
from kanegen.codegen.mechanism.names import c_names, file_name
from kanegen.codegen.mechanism.records import JointLimits as ExactLimits
from kanegen.codegen.mechanism.records import Mechanism, Value
from kanegen.codegen.mechanism.reduction import open_tree
from kanegen.codegen.mechanism.speeds import JointRate
from kanegen.codegen.mechanism.values import home_numbers, numeric
from kanegen.codegen.passes.hoist import hoist
from kanegen.codegen.passes.schedule import schedule
from kanegen.manifest import (
    Certificate,
    Follower,
    FrameKernels,
    GeneratedMechanism,
    JointLimits,
    LawRecord,
    NamedValue,
    RoundedAngles,
    number_text,
)
from kanegen.options import Options


def assemble(
    sources: KernelSources, derived: DerivedKernels, record: Record, warnings: tuple[str, ...] = ()
) -> Model:
    """The record that emission prints; ``warnings`` are those of the model that the mechanism was read from."""
    mechanism, options, kernels = sources.mechanism, sources.options, derived.kernels
    hoisted = hoist(list(derived.programs.values()))
    live = hoisted.prepare is not None
    known = known_of(sources, tuple(kernels), derived, warnings, live)
    return Model(
        **{fact.name: getattr(known, fact.name) for fact in fields(GeneratedMechanism)}
        | {"kernels": tuple(schedule(program) for program in hoisted.kernels)},
        parameters=tuple(
            LiveParameter(p.name, p.value, p.unit, p.description, p.least)
            for p in mechanism.parameters
            if live
        ),
        prepare=schedule(hoisted.prepare) if hoisted.prepare is not None else None,
        certificate=Certificate(
            derived.bounds, record.states, **_meaning(options), checks=record.names, check_bound=BOUND
        ),
        single_precision=options.float32,
        regular=regular(kernels),
        sincos=SineCosineLibrary(options.sincos),
    )


def known_of(
    sources: KernelSources,
    kernels: tuple[str, ...],
    derived: DerivedKernels,
    warnings: tuple[str, ...] = (),
    live: bool = False,
) -> GeneratedMechanism:
    """What is known of the mechanism beside these ``kernels``: each is a line here.

    ``derived`` has the reasons for kernels that cannot be had; ``live``: whether there are live parameters.
    """
    mechanism, options = sources.mechanism, sources.options
    report = constraint_report(mechanism) if sources.trees.tied else None
    gravity = tuple(float(numeric(g, mechanism)) for g in mechanism.gravity)
    return GeneratedMechanism(
        name=mechanism.name,
        prefix=file_name(mechanism.name),
        hash=fingerprint(mechanism),
        nq=len(mechanism.coordinates),
        nv=mechanism.dof,
        speed_names=report.speeds if report else () if mechanism.plain_tree else mechanism.rates,
        home=() if mechanism.plain_tree and not mechanism.home else home_numbers(mechanism),
        quaternions=mechanism.quaternions,
        base_parameters=sources.base_parameters if "regressor" in kernels else (),
        inertial_parameters=sources.inertial_parameters if "full_regressor" in kernels else (),
        optional_kernels=tuple(name for name in sources.builds_on_demand if name not in kernels),
        limits={
            j.name: _doubles(mechanism, j.name, j.limits) for j in mechanism.joints if j.limits is not None
        },
        followers=dict(_followers(mechanism, live)),
        modes=usual_amplitudes(mechanism),
        link_ends=link_ends(mechanism),
        lossless=mechanism.lossless,
        meeting_ends=tuple(meeting_ends(mechanism, live)),
        constraints=report.constraints if report and report.constraints.forces else None,
        body_coordinates=body_coordinates_of(mechanism)
        if options.formulation == "euler_parameters"
        else None,
        rounded_angles=_rounded_angles(mechanism),
        laws=_laws(mechanism, kernels),
        depends_on_time=mechanism.depends_on_time,
        coordinate_names=mechanism.coordinates,
        joint_names=mechanism.joint_names,
        body_names=tuple(body.name for body in mechanism.bodies if not body.carrier),
        frame_names=tuple(sources.frames),
        gravity=(gravity[0], gravity[1], gravity[2]),
        kernels=kernels,
        mangled=_mangled(sources),
        options={
            "live_parameters": bool(options.live_names),
            "search_budget": options.derivations,
            "formulation": options.formulation if options.speeds is None else "kane",
            "speeds": options.speeds,
            **_coulomb_friction(mechanism),
        },
        asked={name: value for name, value in options.asked().items() if name not in ("kernels", "recipes")},
        actuator_signs=_actuator_signs(mechanism),
        frames={frame: _frame_kernels(name, kernels) for frame, name in sources.frames.items()},
        unavailable={**derived.without_inertia, **derived.left_out},
        left_out=tuple(derived.left_out),
        warnings=warnings,
    )


def _laws(mechanism: Mechanism, kernels: Collection[str]) -> dict[str, LawRecord]:
    """Control laws of a set of kernels that have states or follow signals."""
    return {
        law.name: LawRecord(
            tuple(NamedValue(state.name, float(state.initial)) for state in law.states), law.references
        )
        for law in mechanism.laws
        if law.name in kernels and (law.states or law.references)
    }


def _doubles(mechanism: Mechanism, joint: str, limits: ExactLimits) -> JointLimits:
    values = (limits.lower, limits.upper, limits.velocity, limits.effort)
    lower, upper, velocity, effort = (None if x is None else float(x) for x in values)
    parameters = {p.name: float(p.value) for p in mechanism.parameters}
    stops = stopped_ends(mechanism.springs, parameters, joint, lower, upper)
    return JointLimits(lower, upper, velocity, effort, *stops)


def _coulomb_friction(mechanism: Mechanism) -> dict[str, object]:
    """Whether joints have some, and the force elements beside it whose resistance is not linear in rates."""
    if not any(joint.friction != 0 for joint in mechanism.joints):
        return {}
    elements = (x for x in mechanism.springs if isinstance(x, ForceElement))
    nonlinear = [x.name for x in elements if not x.law.linear_in_rate]
    return {"coulomb_friction": True, **({"nonlinear_resistance": nonlinear} if nonlinear else {})}


def _followers(mechanism: Mechanism, live: bool) -> Iterator[tuple[str, Follower]]:
    """The joints that follow others, but for those by expressions that text cannot have."""
    for mimic in mechanism.mimics:
        end = mechanism.followed(mimic.joint)
        multiplier, offset = (_arithmetic(x, mechanism, live) for x in (end.multiplier, end.offset))
        if multiplier is not None and offset is not None:
            yield mimic.joint, Follower(end.leader, multiplier, offset)


def _arithmetic(value: Value, mechanism: Mechanism, live: bool) -> str | None:
    """A number, or arithmetic of parameters where these are live; None for an expression that text cannot have."""
    if isinstance(value, Fraction) or not live:
        return number_text(float(numeric(value, mechanism)))
    from kanegen.codegen.mechanism.writers.exact_text import Unsayable, exact_text

    try:
        return exact_text(value, [p.name for p in mechanism.parameters]).strip('"')
    except Unsayable:
        return None


def _rounded_angles(mechanism: Mechanism) -> RoundedAngles | None:
    """What angles were changed, and what that changes; one digit, which is the same on every machine.

    That is the largest difference of the forces of the tree, where loops and constraints tie it together.
    """
    rounded = mechanism.rounded
    if rounded is None:
        return None
    both = (mechanism, rounded.written)
    found, written = (KernelSources(open_tree(one), Options()).kernel_set() for one in both)
    change = difference_of_forces(found, written)
    return RoundedAngles(rounded.count, float(f"{rounded.largest:.0e}"), float(f"{change:.0e}"))


def _mangled(sources: KernelSources) -> dict[str, str]:
    """The identifiers of names that are none in C, by the original."""
    mechanism = sources.mechanism
    identifiers = {
        **c_names(mechanism.coordinates),
        **sources.frames,
        mechanism.name: file_name(mechanism.name),
    }
    return {original: new for original, new in identifiers.items() if original != new}


def _frame_kernels(name: str, kernels: Collection[str]) -> FrameKernels:
    """The kernels of a frame of this name in C, None for those that are not in the set."""
    pose, jacobian = (f"{what}_{name}" for what in ("frame_pose", "frame_jacobian"))
    return FrameKernels(pose if pose in kernels else None, jacobian if jacobian in kernels else None)


def _actuator_signs(mechanism: Mechanism) -> tuple[int, ...] | None:
    """The sign of each driven joint's actuator, None where the mechanism says nothing of actuators."""
    if not mechanism.actuators:
        return None
    signs = {actuator.joint: actuator.sign for actuator in mechanism.actuators}
    return tuple(
        signs.get(speed.joint, 1) if isinstance(speed, JointRate) else 1
        for speed in mechanism.generalized_speeds
    )


def _meaning(options: Options) -> dict[str, str]:
    """What the certificate of an approximation says: it is held to its own equations, and to no law."""
    if not BOOK.get(options.formulation, False):
        return {}
    return {
        "meaning": "error of the largest component, divided by the largest component, against the plain derivation of the "
        f"same equations ({options.formulation}), which leave out terms of second order in the deflections and fulfil no "
        "law exactly"
    }
