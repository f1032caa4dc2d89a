"""Everything that can be wrong with the records of a mechanism is found here."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import fields, replace
from fractions import Fraction
from typing import Any

from kanegen.codegen.graph import Expression, Graph, Kind
from kanegen.codegen.graph.exact import from_number, quantity
from kanegen.codegen.mechanism.folding import mapped
from kanegen.codegen.mechanism.records import BASE, Body, Joint, Matrix3, Mechanism, Value
from kanegen.codegen.mechanism.reduction import without_fixed_joints
from kanegen.codegen.mechanism.rotations import departure
from kanegen.codegen.mechanism.speeds import on_equation
from kanegen.codegen.mechanism.validation.constraints import (
    check_constraints,
    check_contacts,
    check_speeds,
    driven_joints,
)
from kanegen.codegen.mechanism.validation.exact import exact_records, title_of, values_of
from kanegen.codegen.mechanism.validation.flexible_links import check_flexible
from kanegen.codegen.mechanism.validation.inertias import ROUNDED, check_physical, check_unit
from kanegen.codegen.mechanism.validation.joints import (
    check_balls,
    check_coordinates,
    check_drives,
    check_mimics,
)
from kanegen.codegen.mechanism.validation.laws import check_laws, check_laws_at_home
from kanegen.codegen.mechanism.validation.motion import (
    check_prescribed,
    check_springs,
    check_steady_motion,
)
from kanegen.codegen.mechanism.validation.symbols import constraint_in_order, law_in_order
from kanegen.codegen.mechanism.validation.tree import depth_first
from kanegen.codegen.mechanism.values import numeric
from kanegen.codegen.mechanism.vectors import cross, dot
from kanegen.errors import ModelError, counted, shown

_LISTED = 4
"""So many of the new values are named in an error."""


def validated(mechanism: Mechanism, allow_unphysical: bool = False) -> Mechanism:
    """The same mechanism with joints in depth-first order, bodies in the order of their joints, and the symbols of equations
    and laws in the order of what they stand for.

    Numbers of records made by hand may be any that ``to_value`` takes, and are made exact.  Raises ModelError for the first
    thing found wrong: names, tree, values, rotations, axes, inertias, frames, prescribed joints, coordinates, loops and
    constraints, flexible links, speeds, springs, actuators, control laws.  ``allow_unphysical`` lets negative masses and
    impossible inertia tensors through, and so does a mechanism for which that was said before.
    """
    mechanism = exact_records(replace(mechanism, unphysical=mechanism.unphysical or allow_unphysical))
    m = mechanism
    check_texts(m.joints, m.mimics, m.frames, m.actuators, m.loops, m.constraints, m.prescribed, m.springs)
    _check_names(mechanism)
    joints = depth_first(mechanism.joints, (body.name for body in mechanism.bodies))
    mechanism = replace(mechanism, joints=joints)
    position = {joint.child: k for k, joint in enumerate(joints)}
    bodies = tuple(sorted(mechanism.bodies, key=lambda body: position[body.name]))
    _check_values(mechanism)
    _check_geometry(mechanism)
    for body in bodies:
        _check_inertia(body, mechanism)
    _check_frames(mechanism)
    check_prescribed(mechanism)
    check_drives(mechanism)
    check_mimics(mechanism)
    check_balls(mechanism)
    check_coordinates(mechanism)
    check_flexible(mechanism)
    check_constraints(mechanism)
    check_speeds(mechanism)
    check_springs(mechanism)
    check_steady_motion(mechanism)
    _check_actuators(mechanism)
    check_laws(mechanism)
    ordered = replace(
        mechanism,
        joints=joints,
        bodies=bodies,
        constraints=tuple(constraint_in_order(constraint, mechanism) for constraint in mechanism.constraints),
        speeds=tuple(
            on_equation(speed, lambda item: constraint_in_order(item, mechanism))
            for speed in mechanism.speeds
        ),
        laws=tuple(law_in_order(law, mechanism) for law in mechanism.laws),
    )
    check_laws_at_home(ordered)
    check_contacts(ordered)
    return ordered


def with_parameter_values(mechanism: Mechanism, values: Mapping[str, float]) -> Mechanism:
    """The mechanism with these finite numbers for some of its parameters, checked as a model file with them would be.

    Raises ModelError: for masses and inertias that no body has (where the mechanism does not allow them), for rotations
    that are none, springs that push, and the like.
    """
    changed = {p.name for p in mechanism.parameters if values.get(p.name, float(p.value)) != float(p.value)}
    parameters = tuple(
        replace(p, value=from_number(values[p.name])) if p.name in changed else p
        for p in mechanism.parameters
    )
    try:
        found = validated(replace(mechanism, parameters=parameters))
        without_fixed_joints(found)  # which refuses masses that cancel
        return found
    except ModelError as error:
        listed = [f"{p.name} = {values[p.name]!r}" for p in parameters if p.name in changed]
        more = ", ..." * (len(listed) > _LISTED)
        where = f"with {', '.join(listed[:_LISTED])}{more}: {error.where}"
        cure = f"{error.cure} with_parameters(..., allow_unphysical=True) checks nothing."
        raise ModelError(where, error.what, error.expected, cure) from None


def _check_names(mechanism: Mechanism) -> None:
    groups: tuple[tuple[str, Iterable[str]], ...] = (
        ("mechanism", (mechanism.name,)),
        ("body", (body.name for body in mechanism.bodies)),
        ("joint", (joint.name for joint in mechanism.joints)),
        ("frame", (frame.name for frame in mechanism.frames)),
        ("parameter", (parameter.name for parameter in mechanism.parameters)),
        ("actuator", (actuator.name for actuator in mechanism.actuators)),
        ("constraint", (item.name for item in (*mechanism.loops, *mechanism.constraints))),
        ("spring", (spring.name for spring in mechanism.springs)),
        ("mode", mechanism.modes),
    )
    for kind, names in groups:
        seen: set[str] = set()
        for name in names:
            check_new_name(kind, name, seen)
            seen.add(name)


def check_texts(*groups: Iterable[Any]) -> None:
    """Raise ModelError for a record with something else where a name or a text belongs."""
    for record in (record for group in groups for record in group):
        for field in fields(record):
            value = getattr(record, field.name)
            if field.type not in ("str", "str | None") or isinstance(value, str):
                continue
            if value is not None or field.type == "str":
                where = (
                    f"{type(record).__name__} {shown(getattr(record, fields(record)[0].name))}, {field.name}"
                )
                raise ModelError(where, f"is {shown(value)}", "a text", "Give the name.")


def check_new_name(kind: str, name: str, known: Collection[str]) -> None:
    """Raise ModelError for a name that is empty, known already, or that of the fixed frame."""
    if not isinstance(name, str) or not name:
        raise ModelError(f"{kind} {name!r}", "has no name", "a non-empty text", "Name it.")
    if name in known:
        raise ModelError(f"{kind} {name!r}", "the name is given twice", f"unique {kind} names", "Rename one.")
    if name == BASE and kind in ("body", "frame"):
        raise ModelError(
            f"{kind} {name!r}",
            "this name belongs to the fixed frame",
            "another name",
            f"Rename it; what is fixed to {BASE!r} needs no mass.",
        )


def _check_values(mechanism: Mechanism) -> None:
    graph: Graph | None = None
    known = {parameter.name for parameter in mechanism.parameters}
    if mechanism.home and len(mechanism.home) != len(mechanism.coordinates):
        what = f"has {counted(len(mechanism.home), 'number')}"
        raise ModelError("home", what, f"{len(mechanism.coordinates)}", "Give as many.")
    for where, value in values_of(mechanism):
        if isinstance(value, Expression):
            graph = value.graph if graph is None else graph
            if value.graph is not graph:
                raise ModelError(
                    where,
                    "uses parameters of another mechanism",
                    "this mechanism's own",
                    "Declare them here.",
                )
            _check_parameters(where, value, known)
            _check_number(where, value, mechanism)
        else:
            _check_magnitude(where, value)


def _check_magnitude(where: str, value: Fraction) -> None:
    try:
        quantity(value)
    except ValueError as error:
        raise ModelError(
            where, f"is {error}", "a quantity of mechanics", "Check its unit: SI is meant."
        ) from None


def _check_parameters(where: str, value: Expression, known: set[str]) -> None:
    for index in value.graph.reachable([value.ref]):
        kind, payload = value.graph.kinds[index], value.graph.payloads[index]
        if kind is Kind.INPUT or (kind is Kind.PARAMETER and payload[0] not in known):
            raise ModelError(
                where,
                f"depends on {payload[0]!r}",
                f"one of the parameters {', '.join(map(repr, sorted(known))) or '(there are none)'}",
                "Declare it as a parameter of the mechanism.",
            )


def _check_number(where: str, value: Value, mechanism: Mechanism) -> None:
    try:
        numeric(value, mechanism)
    except ModelError as error:
        raise ModelError(where, error.what, error.expected, error.cure) from None


def _check_geometry(mechanism: Mechanism) -> None:
    for item in mapped((*mechanism.joints, *mechanism.frames), lambda value: numeric(value, mechanism)):
        _check_rotation(f"{title_of(item)}, rotation", item.rotation, mechanism)
        if isinstance(item, Joint):
            check_unit(f"{title_of(item)}, axis", item.axis, mechanism)


def _check_rotation(where: str, rows: Matrix3, mechanism: Mechanism) -> None:
    """Raise ModelError for rows of numbers that are no rotation."""
    deviation = departure(rows)
    reflected = numeric(dot(rows[0], cross(rows[1], rows[2])), mechanism) < 0
    if deviation > 2 * ROUNDED or reflected:
        far = f"R R^T differs from the unit matrix by {float(deviation):.3g}"
        raise ModelError(
            where,
            "is a reflection" if reflected else far,
            "an orthonormal, right-handed matrix",
            "Check its entries and their order.",
        )


def _check_inertia(body: Body, mechanism: Mechanism) -> None:
    where, written = title_of(body), body.inertia
    if written is None:
        return
    inertia = mapped(written, lambda value: numeric(value, mechanism))
    for i, j, entry in ((0, 1, "xy"), (0, 2, "xz"), (1, 2, "yz")):
        if written.tensor[i][j] != written.tensor[j][i]:
            one, other = (float(inertia.tensor[r][c]) for r, c in ((i, j), (j, i)))
            raise ModelError(
                f"{where}, inertia",
                f"is not symmetric: I{entry} is {one!r}, I{entry[::-1]} is {other!r}",
                "a symmetric tensor",
                "Give each product of inertia once, or twice the same.",
            )
    if not mechanism.unphysical:
        check_physical(where, inertia.mass, inertia.tensor)


def _check_actuators(mechanism: Mechanism) -> None:
    driven: set[str] = set()
    possible = driven_joints(mechanism)
    for actuator in mechanism.actuators:
        where = f"actuator {actuator.name!r}"
        if actuator.joint not in possible:
            known = actuator.joint in mechanism.coordinates
            raise ModelError(
                where,
                f"acts on {actuator.joint!r}, "
                + ("whose rate is no generalized speed" if known else "which is no movable joint"),
                f"one of {', '.join(map(repr, possible)) or '(no speed is the rate of a joint)'}",
                "Choose its rate as a speed." if known else "Mend the joint's name.",
            )
        if actuator.joint in driven:
            raise ModelError(
                where,
                f"is the second on joint {actuator.joint!r}",
                "one actuator a joint",
                "Remove one of them.",
            )
        if actuator.sign not in (1, -1):
            raise ModelError(where, f"has the sign {actuator.sign!r}", "+1 or -1", "Give the sign alone.")
        driven.add(actuator.joint)


def _check_frames(mechanism: Mechanism) -> None:
    bodies = {body.name for body in mechanism.bodies if not body.carrier}
    for frame in mechanism.frames:
        if frame.body != BASE and frame.body not in bodies:
            raise ModelError(
                f"frame {frame.name!r}",
                f"is fixed in {frame.body!r}, which is not a body",
                f"one of {', '.join(map(repr, sorted(bodies)))}",
                "Mend the name or add the body.",
            )
    for name in sorted(bodies - {frame.name for frame in mechanism.frames if frame.body == frame.name}):
        raise ModelError(
            f"body {name!r}",
            "has no frame of its own name",
            f"a frame {name!r} fixed in it",
            "Add that frame.",
        )
