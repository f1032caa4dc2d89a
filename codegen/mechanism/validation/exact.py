"""Records that people make by hand, with whatever numbers, as records of exact ones.

What is exact already, and of the right shape, stays as it is: readers would round it anew.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any, TypeVar

from kanegen.codegen.graph import Expression
from kanegen.codegen.mechanism.constraints import (
    KnifeEdge,
    Loop,
    PositionConstraint,
    PrescribedRate,
    RollingContact,
    TorsionalSpringDamper,
    TranslationalSpringDamper,
    VelocityConstraint,
)
from kanegen.codegen.mechanism.control_law import ControlLaw
from kanegen.codegen.mechanism.flexible_records import FlexibleLink, ModalIntegrals, Station
from kanegen.codegen.mechanism.readers import (
    inertia_tensor,
    read_number,
    read_rotation,
    read_value,
    read_vector,
)
from kanegen.codegen.mechanism.records import (
    Actuator,
    BallJoint,
    Body,
    Frame,
    Inertia,
    Joint,
    JointKind,
    JointLimits,
    Mechanism,
    Mimic,
    Parameter,
)
from kanegen.codegen.mechanism.speeds import (
    AngularVelocityComponent,
    DistanceRate,
    JointRate,
    PointVelocityComponent,
)
from kanegen.codegen.mechanism.validation.constraints import speed_name
from kanegen.codegen.mechanism.validation.joints import exact_limits
from kanegen.errors import ModelError, shown

Record = TypeVar("Record")
Reader = Callable[[str, Any], Any]


def exact_records(mechanism: Mechanism) -> Mechanism:
    """The same mechanism with exact numbers, and tuples where there were other sequences.

    Raises ModelError for what is no number, has another shape, or is another record than belongs there.
    """
    changes: dict[str, Any] = {}
    for name, (title, kinds) in _MEMBERS.items():
        given = getattr(mechanism, name)
        records = _sequence(f"mechanism {mechanism.name!r}, {name}", given)
        found = tuple(_record(_title(title, record), record, kinds) for record in records)
        if not isinstance(given, tuple) or any(a is not b for a, b in zip(found, given, strict=True)):
            changes[name] = found
    coordinates = _sequence(f"mechanism {mechanism.name!r}, coordinates", mechanism.coordinates)
    if coordinates != mechanism.coordinates:
        changes["coordinates"] = coordinates
    for name, (shape, reader) in _OF_MECHANISM.items():
        value = _read(name, getattr(mechanism, name), shape, reader)
        if value is not getattr(mechanism, name):
            changes[name] = value
    return replace(mechanism, **changes) if changes else mechanism


def _nested(where: str, value: Any) -> Any:
    """Numbers in sequences of sequences."""
    if isinstance(value, str) or not hasattr(value, "__iter__"):
        return read_value(where, value)
    return tuple(_nested(where, entry) for entry in value)


def _limits(where: str, value: Any) -> JointLimits | None:
    limits = exact_limits(where.rpartition(",")[0], value)
    return value if limits == value and _is_exact_limits(value) else limits


def _is_exact_limits(limits: JointLimits | None) -> bool:
    sizes = () if limits is None else (limits.lower, limits.upper, limits.velocity, limits.effort)
    return all(size is None or isinstance(size, Fraction) for size in sizes)


def _kind(where: str, value: Any) -> JointKind:
    try:
        return JointKind(value)
    except ValueError:
        known = ", ".join(kind.value for kind in JointKind)
        raise ModelError(where, f"is {shown(value)}", f"one of {known}", "Give one of these.") from None


_ANY = None
"""The shape of what has none of its own: other checks count its entries."""

_VALUE: tuple[tuple[int, ...] | None, Reader] = ((), read_value)
_VECTOR: tuple[tuple[int, ...] | None, Reader] = ((3,), read_vector)
_NESTED: tuple[tuple[int, ...] | None, Reader] = (_ANY, _nested)
_PLACED: Mapping[str, tuple[tuple[int, ...] | None, Reader]] = {
    "rotation": ((3, 3), read_rotation),
    "position": _VECTOR,
}
_SPRING = {"stiffness": _VALUE, "damping": _VALUE, "rest": _VALUE}
_OF_MECHANISM: Mapping[str, tuple[tuple[int, ...] | None, Reader]] = {"gravity": _VECTOR, "home": _NESTED}

_NUMBERS: Mapping[type, Mapping[str, tuple[tuple[int, ...] | None, Reader]]] = {
    Inertia: {"mass": _VALUE, "center": _VECTOR, "tensor": ((3, 3), inertia_tensor)},
    Joint: {
        **_PLACED,
        "axis": _VECTOR,
        "rotor_inertia": _VALUE,
        "damping": _VALUE,
        "friction": _VALUE,
    },
    Frame: _PLACED,
    Parameter: {"value": ((), read_number)},
    Mimic: {"multiplier": _VALUE, "offset": _VALUE},
    RollingContact: {"radius": _VALUE},
    PrescribedRate: {"rate": _VALUE},
    TorsionalSpringDamper: _SPRING,
    TranslationalSpringDamper: _SPRING,
    AngularVelocityComponent: {"direction": _VECTOR},
    PointVelocityComponent: {"direction": _VECTOR},
    FlexibleLink: {"stiffness": _NESTED, "damping": _NESTED},
    ModalIntegrals: dict.fromkeys(
        ("mass", "first", "second", "mode_first", "mode_mixed", "mode_products"), _NESTED
    ),
    Station: dict.fromkeys(("position", "displacements", "rotations"), _NESTED),
}
"""The numbers of each kind of record: their shape, and what reads other than exact ones of that shape."""

_WORDS = {"center": "mass centre", "tensor": "inertia", "rotor_inertia": "rotor inertia"}
"""Fields that messages call otherwise."""

_MEMBERS: Mapping[str, tuple[str, tuple[type, ...]]] = {
    "bodies": ("body", (Body,)),
    "joints": ("joint", (Joint,)),
    "frames": ("frame", (Frame,)),
    "actuators": ("actuator", (Actuator,)),
    "parameters": ("parameter", (Parameter,)),
    "laws": ("control law", (ControlLaw,)),
    "loops": ("loop", (Loop,)),
    "constraints": ("constraint", (RollingContact, KnifeEdge, PositionConstraint, VelocityConstraint)),
    "prescribed": ("prescribed joint", (PrescribedRate,)),
    "speeds": ("speed", (JointRate, AngularVelocityComponent, PointVelocityComponent, DistanceRate)),
    "springs": ("spring", (TorsionalSpringDamper, TranslationalSpringDamper)),
    "balls": ("ball joint", (BallJoint,)),
    "mimics": ("mimic joint", (Mimic,)),
    "flexible": ("flexible link", (FlexibleLink,)),
}
"""The records that each list of a mechanism holds, and what messages call one."""


def _record(where: str, record: Record, kinds: tuple[type, ...]) -> Record:
    """A record of one of these kinds with exact numbers: itself where it has them."""
    if not isinstance(record, kinds):
        expected = " or ".join(kind.__name__ for kind in kinds)
        raise ModelError(where, f"is {shown(record)}", f"a record {expected}", "Give one of this kind.")
    changes: dict[str, Any] = {}
    for kind, numbers in _NUMBERS.items():
        if isinstance(record, kind):
            for field, (shape, reader) in numbers.items():
                value = _read(f"{where}, {_WORDS.get(field, field)}", getattr(record, field), shape, reader)
                if value is not getattr(record, field):
                    changes[field] = value
    for field, value in _parts(where, record):
        if value is not getattr(record, field):
            changes[field] = value
    return replace(record, **changes) if changes else record  # type: ignore[type-var]


def _parts(where: str, record: object) -> Iterable[tuple[str, Any]]:
    """What else of a record holds numbers, by field."""
    if isinstance(record, Body) and record.inertia is not None:
        yield "inertia", _record(where, record.inertia, (Inertia,))
    elif isinstance(record, Joint):
        yield "kind", _kind(f"{where}, kind", record.kind)
        yield "limits", _limits(f"{where}, limits", record.limits)
    elif isinstance(record, FlexibleLink):
        yield "integrals", _record(f"{where}, integrals", record.integrals, (ModalIntegrals,))
        yield "end", _record(f"{where}, end", record.end, (Station,))
        stations = tuple((name, _record(f"{where}, {name}", s, (Station,))) for name, s in record.stations)
        yield "stations", record.stations if stations == record.stations else stations


def _title(title: str, record: object) -> str:
    """How a message calls a record."""
    if isinstance(record, AngularVelocityComponent | PointVelocityComponent):
        return speed_name(record)
    for field in ("name", "joint", "body", "frame"):
        if hasattr(record, field):
            return f"{title} {getattr(record, field)!r}"
    return title


def _read(where: str, value: Any, shape: tuple[int, ...] | None, reader: Reader) -> Any:
    return value if _is_exact(value, shape) else reader(where, value)


def _is_exact(value: object, shape: tuple[int, ...] | None) -> bool:
    if isinstance(value, Fraction | Expression):
        return not shape
    if not isinstance(value, tuple) or shape == ():
        return False
    inner = _ANY if shape is None else shape[1:]
    return (shape is None or len(value) == shape[0]) and all(_is_exact(entry, inner) for entry in value)


def _sequence(where: str, given: Any) -> tuple[Any, ...]:
    if isinstance(given, str) or not hasattr(given, "__iter__"):
        raise ModelError(where, f"is {shown(given)}", "a tuple", "Give one.")
    return tuple(given)
