"""From derived kernels to the record that emission prints: what is hoisted, how statements are ordered, every name."""

from __future__ import annotations

from collections.abc import Mapping

from kanegen.codegen import facts
from kanegen.codegen.certificate import certify
from kanegen.codegen.checking import CERTIFIED_STATES, change_by_angles
from kanegen.codegen.derivation.formulations import BOOK
from kanegen.codegen.derivation.kernels.catalogue import regular
from kanegen.codegen.emit.model import LiveParameter, Model, SineCosineLibrary
from kanegen.codegen.kernel_sets import optional
from kanegen.codegen.mechanism.fingerprint import fingerprint
from kanegen.codegen.mechanism.names import c_names, file_name
from kanegen.codegen.mechanism.records import Mechanism
from kanegen.codegen.mechanism.values import home_numbers, numeric
from kanegen.codegen.passes.hoist import hoist
from kanegen.codegen.passes.schedule import schedule
from kanegen.codegen.results import DerivedKernel, Missing
from kanegen.manifest import Certificate, FrameKernels, RoundedAngles
from kanegen.options import Options


def assemble(
    mechanism: Mechanism,
    kernels: Mapping[str, DerivedKernel],
    options: Options,
    missing: Missing | None = None,
    record: certify.Record | None = None,
    warnings: tuple[str, ...] = (),
) -> Model:
    """The record that emission prints; ``warnings`` are those of the model that the mechanism was read from."""
    hoisted = hoist([kernel.program for kernel in kernels.values()])
    live = hoisted.prepare is not None
    frames = facts.frame_names(mechanism)
    gravity = tuple(float(numeric(g, mechanism)) for g in mechanism.gravity)
    return Model(
        name=mechanism.name,
        prefix=_prefix(mechanism),
        hash=fingerprint(mechanism),
        nq=len(mechanism.coordinates),
        nv=mechanism.dof,
        speed_names=facts.speed_names(mechanism),
        home=() if mechanism.plain_tree and not mechanism.home else home_numbers(mechanism),
        quaternions=facts.quaternions(mechanism),
        base_parameters=facts.base_parameters_of(mechanism) if "regressor" in kernels else (),
        inertial_parameters=facts.inertial_parameters_of(mechanism) if "full_regressor" in kernels else (),
        optional_kernels=tuple(name for name in optional(mechanism, options) if name not in kernels),
        limits=facts.limits(mechanism),
        modes=facts.modes(mechanism),
        link_ends=facts.ends_of_links(mechanism),
        meeting_ends=facts.meeting_ends(mechanism, live),
        constraints=facts.constraints(mechanism),
        body_coordinates=facts.body_coordinates(mechanism)
        if options.formulation == "euler_parameters"
        else None,
        rounded_angles=_rounded_angles(mechanism),
        coordinate_names=mechanism.coordinates,
        joint_names=facts.joint_names(mechanism),
        body_names=tuple(body.name for body in mechanism.bodies if not body.carrier),
        frame_names=frames,
        gravity=(gravity[0], gravity[1], gravity[2]),
        kernels=tuple(schedule(program) for program in hoisted.kernels),
        mangled=_mangled(mechanism, frames),
        options={
            "live_parameters": options.live_parameters,
            "search_budget": options.search,
            "formulation": options.formulation if options.speeds is None else "kane",
            "speeds": options.speeds,
            **({"coulomb_friction": True} if facts.has_coulomb_friction(mechanism) else {}),
        },
        asked={name: value for name, value in options.asked().items() if name != "kernels"},
        actuator_signs=_actuator_signs(mechanism),
        parameters=tuple(
            LiveParameter(p.name, p.value, p.unit, p.description) for p in mechanism.parameters if live
        ),
        prepare=schedule(hoisted.prepare) if hoisted.prepare is not None else None,
        frames=_frame_kernels(frames, kernels),
        certificate=Certificate(
            {name: kernel.bound for name, kernel in kernels.items()},
            CERTIFIED_STATES if record is None else record.states,
            **_meaning(options),
            checks={} if record is None else record.names,
            check_bound=certify.BOUND,
        ),
        single_precision=options.float32,
        regular=regular(kernels),
        sincos=SineCosineLibrary(options.sincos),
        unavailable={**missing.without_inertia, **missing.otherwise} if missing else {},
        left_out=tuple(missing.otherwise) if missing else (),
        warnings=warnings,
    )


def _rounded_angles(mechanism: Mechanism) -> RoundedAngles | None:
    """What angles were changed, and what that changes; one digit, which is the same on every machine."""
    rounded = mechanism.rounded
    if rounded is None:
        return None
    change = change_by_angles(mechanism, rounded.written)
    return RoundedAngles(rounded.count, float(f"{rounded.largest:.0e}"), float(f"{change:.0e}"))


def _prefix(mechanism: Mechanism) -> str:
    return file_name(mechanism.name)


def _mangled(mechanism: Mechanism, frames: tuple[str, ...]) -> dict[str, str]:
    """The identifiers of names that are none in C, by the original."""
    identifiers = {**c_names(mechanism.coordinates), **c_names(frames), mechanism.name: _prefix(mechanism)}
    return {original: new for original, new in identifiers.items() if original != new}


def _frame_kernels(frames: tuple[str, ...], kernels: Mapping[str, DerivedKernel]) -> dict[str, FrameKernels]:
    """The kernels of each frame, None for those that are not in the set."""
    identifiers = c_names(frames)
    found = {}
    for frame in frames:
        pose, jacobian = (f"{what}_{identifiers[frame]}" for what in ("frame_pose", "frame_jacobian"))
        found[frame] = FrameKernels(
            pose if pose in kernels else None, jacobian if jacobian in kernels else None
        )
    return found


def _actuator_signs(mechanism: Mechanism) -> tuple[int, ...] | None:
    """The sign of each driven joint's actuator, None where the mechanism says nothing of actuators."""
    signs = {actuator.joint: actuator.sign for actuator in mechanism.actuators}
    return tuple(signs.get(joint, 1) for joint in facts.driven_joints(mechanism)) if signs else None


def _meaning(options: Options) -> dict[str, str]:
    """What the certificate of an approximation says: it is held to its own equations, and to no law."""
    if not BOOK.get(options.formulation, False):
        return {}
    return {
        "meaning": "error of the largest component, divided by the largest component, against the plain derivation of the "
        f"same equations ({options.formulation}), which leave out terms of second order in the deflections and fulfil no "
        "law exactly"
    }
