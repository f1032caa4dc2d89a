"""Other names for joints, links and frames."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import replace
from typing import Any

from kanegen.codegen.graph.late import sympy
from kanegen.codegen.mechanism.control_law import is_quantity
from kanegen.codegen.mechanism.flexible_records import FlexibleLink
from kanegen.codegen.mechanism.names import frame_identifiers
from kanegen.codegen.mechanism.records import BallJoint, Mechanism
from kanegen.codegen.mechanism.references import (
    FRAMES,
    constraint_by_names,
    law_by_names,
    with_names,
)
from kanegen.codegen.mechanism.speeds import on_equation
from kanegen.codegen.mechanism.validation.symbols import names_of_speeds
from kanegen.errors import ModelError, did_you_mean
from kanegen.rows import rows_of


def renamed(mechanism: Mechanism, names: Mapping[str, str]) -> Mechanism:
    """The mechanism with other names, old to new: of joints, links with their frames, and frames.

    Everything that has an old name gets the new one; coordinates are called as their joints are.  Raises ModelError for
    names that nothing has, and for new ones that are taken.
    """
    m = mechanism
    chains = {joint for ball in m.balls for joint in ball.joints}
    own_joints = [joint.name for joint in m.joints if joint.name not in chains]
    joints = _of_kind("joint", [*own_joints, *(ball.name for ball in m.balls)], names)
    bodies = _of_kind("link", [body.name for body in m.bodies if not body.carrier], names)
    frames = _of_kind("frame", [frame.name for frame in m.frames], names)
    for old in names:
        if old not in joints | bodies | frames:
            known = dict.fromkeys(
                [*own_joints, *(b.name for b in m.balls), *(frame.name for frame in m.frames)]
            )
            raise ModelError(
                f"rename {old!r}",
                "is the name of no joint, link or frame",
                f"one of {', '.join(map(repr, known))}",
                did_you_mean(old, known, "Give one of these."),
            )
    coordinates, balls = dict(joints), []
    for ball in m.balls:
        name = joints.get(ball.name, ball.name)
        new = BallJoint(name, ball.free, BallJoint.speed_names(name, ball.free))
        if name != ball.name:
            joints |= dict(zip(ball.joints, new.joints, strict=True))
            coordinates |= dict(zip(ball.coordinates, new.coordinates, strict=True))
        balls.append(ball if name == ball.name else new)

    def each(records: Iterable[Any], *changed: tuple[Mapping[str, str], tuple[str, ...]]) -> tuple[Any, ...]:
        for mapping, fields in changed:
            records = [with_names(record, mapping, fields) for record in records]
        return tuple(records)

    of_joints, of_frames = (joints, ("joint", "leader", "joints")), (frames, FRAMES)
    found = replace(
        m,
        bodies=each(m.bodies, (bodies, ("name",))),
        joints=each(m.joints, (joints, ("name",)), (bodies, ("parent", "child"))),
        coordinates=tuple(coordinates.get(name, name) for name in m.coordinates),
        frames=each(m.frames, (frames, ("name",)), (bodies, ("body",))),
        actuators=tuple(
            with_names(a, joints, ("joint", "name") if a.name == a.joint else ("joint",)) for a in m.actuators
        ),
        loops=each(m.loops, of_frames),
        prescribed=each(m.prescribed, of_joints),
        speeds=each(m.speeds, of_joints, of_frames, (bodies, ("body",))),
        springs=each(m.springs, of_joints, of_frames),
        balls=tuple(balls),
        mimics=each(m.mimics, of_joints),
        flexible=tuple(_flexible(link, bodies, frames) for link in m.flexible),
    )
    speeds, kernels = names_of_speeds(found), _kernels(m, found, frames)
    driven = {
        sympy.Symbol(form.format(old), real=True): sympy.Symbol(form.format(joints[old]), real=True)
        for old in m.motions
        if old in joints
        for form in ("{}", "rate({})")
    }
    return replace(
        found,
        constraints=tuple(
            constraint_by_names(item, found.coordinates, driven) for item in each(m.constraints, of_frames)
        ),
        speeds=tuple(
            on_equation(speed, lambda item: constraint_by_names(item, found.coordinates))
            for speed in found.speeds
        ),
        laws=tuple(law_by_names(law.replaced(kernels), found.coordinates, speeds) for law in m.laws),
    )


def _kernels(
    before: Mechanism, after: Mechanism, frames: Mapping[str, str]
) -> Callable[[sympy.Expr], sympy.Expr]:
    """What gives the kernels of renamed frames, as laws refer to them, their new names."""
    old, new = frame_identifiers(before), frame_identifiers(after)

    def called(found: Any) -> sympy.Expr:
        kernel, _ = rows_of(found.kernel)
        own = max((f for f in old if kernel.endswith(f"_{old[f]}")), key=lambda f: len(old[f]), default="")
        if own not in frames:
            return found
        renamed = kernel.removesuffix(old[own]) + new[frames[own]] + found.kernel.removeprefix(kernel)
        return found.func(sympy.core.symbol.Str(renamed), *found.args[1:])

    return lambda expression: expression.replace(is_quantity, called)


def _of_kind(kind: str, listed: Collection[str], names: Mapping[str, str]) -> dict[str, str]:
    """The names that are those of a kind of thing.  Raises ModelError where two things would have one name then."""
    found = {old: new for old, new in names.items() if old in listed}
    after = [found.get(name, name) for name in listed]
    for old, new in found.items():
        if after.count(new) > 1:
            raise ModelError(
                f"rename {old!r}",
                f"makes it the second {kind} {new!r}",
                f"a new {kind} name",
                "Give another.",
            )
    return found


def _flexible(link: FlexibleLink, bodies: Mapping[str, str], frames: Mapping[str, str]) -> FlexibleLink:
    stations = tuple((frames.get(name, name), station) for name, station in link.stations)
    return replace(link, body=bodies.get(link.body, link.body), stations=stations)
