"""Records that people make by hand, with whatever numbers, as records of exact ones; and the numbers in them.

What is exact already, and of the right shape, stays as it is: readers would round it anew.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields, is_dataclass, replace
from fractions import Fraction
from functools import partial
from typing import Any

from kanegen.codegen.graph import Expression
from kanegen.codegen.graph.late import sympy
from kanegen.codegen.mechanism.constraints import (
    KnifeEdge,
    Loop,
    PositionConstraint,
    PrescribedMotion,
    PrescribedRate,
    RollingContact,
    TorsionalSpringDamper,
    TranslationalSpringDamper,
    VelocityConstraint,
)
from kanegen.codegen.mechanism.control_law import ControlLaw
from kanegen.codegen.mechanism.flexible_records import FlexibleLink, ModalIntegrals, Station
from kanegen.codegen.mechanism.force_elements import (
    Bushing,
    ForceElement,
    ForceLaw,
    JointSum,
    PathLength,
)
from kanegen.codegen.mechanism.readers import (
    inertia_tensor,
    read_list,
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
    Value,
)
from kanegen.codegen.mechanism.speeds import (
    AngularVelocityComponent,
    CombinedSpeed,
    DistanceRate,
    GeneralizedSpeed,
    JointRate,
    PointVelocityComponent,
)
from kanegen.codegen.mechanism.validation.joints import exact_limits
from kanegen.errors import ModelError, shown

Reader = Callable[[str, Any], Any]
Shape = tuple[int, ...] | None

_ANY = None
"""The shape of what has none of its own: other checks count its entries."""


def exact_records(mechanism: Mechanism) -> Mechanism:
    """The same mechanism with exact numbers, and tuples where there were other sequences.

    Raises ModelError for what is no number, has another shape, or is another record than belongs there.
    """
    changes: dict[str, Any] = {}
    for name, kinds in _MEMBERS.items():
        given = getattr(mechanism, name)
        records = _sequence(f"mechanism {mechanism.name!r}, {name}", given)
        exact = tuple(_record(title_of(record, kinds), record, kinds) for record in records)
        if not isinstance(given, tuple) or any(a is not b for a, b in zip(exact, given, strict=True)):
            changes[name] = exact
    coordinates = _sequence(f"mechanism {mechanism.name!r}, coordinates", mechanism.coordinates)
    if coordinates != mechanism.coordinates:
        changes["coordinates"] = coordinates
    found: Mechanism = _changed(replace(mechanism, **changes) if changes else mechanism, "", _OF_MECHANISM)
    return found


def values_of(mechanism: Mechanism) -> Iterator[tuple[str, Value]]:
    """Every value in a mechanism, and where it stands; limits of joints are data and left out."""
    yield from _values_in("gravity", mechanism.gravity)
    for name in _MEMBERS:
        for record in getattr(mechanism, name):
            yield from _values_in(title_of(record), record)
    yield from _values_in("home", mechanism.home)


def title_of(record: object, kinds: tuple[type, ...] = ()) -> str:
    """How messages call a record; what is none of these ``kinds`` is called as one of the first kind."""
    if isinstance(record, GeneralizedSpeed):
        return f"speed, {_speed(record)}"
    kind = kinds[0] if kinds and not isinstance(record, kinds) else type(record)
    for field in ("name", "joint", "body", "frame"):
        if hasattr(record, field):
            return f"{_TITLES[kind]} {getattr(record, field)!r}"
    return _TITLES[kind]


def _speed(speed: GeneralizedSpeed) -> str:
    if isinstance(speed, JointRate):
        return f"rate of {speed.joint!r}"
    if isinstance(speed, AngularVelocityComponent):
        return f"angular velocity of {speed.body!r}"
    if isinstance(speed, CombinedSpeed):
        return f"combined {speed.equation.name!r}"
    if isinstance(speed, DistanceRate):
        return f"rate of the distance from {speed.first!r} to {speed.second!r}"
    return f"velocity of {speed.frame!r}"


def _values_in(where: str, part: object) -> Iterator[tuple[str, Value]]:
    if isinstance(part, Fraction | Expression):
        yield where, part
    elif isinstance(part, tuple):
        for entry in part:
            yield from _values_in(where, entry)
    elif is_dataclass(part) and not isinstance(part, JointLimits):
        for field in fields(part):
            yield from _values_in(_inside(where, field.name), getattr(part, field.name))


def _inside(where: str, field: str) -> str:
    """Where a field of a record stands."""
    word = _WORDS.get(field, field)
    return f"{where}, {word}" if where and word else where or word


def _nested(where: str, value: Any) -> Any:
    """Numbers in sequences of sequences."""
    if isinstance(value, str) or not hasattr(value, "__iter__"):
        return read_value(where, value)
    return tuple(_nested(where, entry) for entry in value)


def _limits(where: str, value: Any) -> JointLimits | None:
    limits = exact_limits(where.rpartition(",")[0], value)
    if limits is None or limits != value:
        return limits
    sizes = (value.lower, value.upper, value.velocity, value.effort)
    return value if all(size is None or isinstance(size, Fraction) for size in sizes) else limits


def _kind(where: str, value: Any) -> JointKind:
    try:
        return JointKind(value)
    except ValueError:
        known = ", ".join(kind.value for kind in JointKind)
        raise ModelError(where, f"is {shown(value)}", f"one of {known}", "Give one of these.") from None


def _record(where: str, record: Any, kinds: tuple[type, ...]) -> Any:
    """A record of one of these kinds with exact numbers: itself where it has them."""
    if not isinstance(record, kinds):
        expected = " or ".join(kind.__name__ for kind in kinds)
        raise ModelError(where, f"is {shown(record)}", f"a record {expected}", "Give one of this kind.")
    for kind, readers in _NUMBERS.items():
        if isinstance(record, kind):
            return _changed(record, where, readers)
    return record


def _inertia(where: str, inertia: Any) -> Any:
    return None if inertia is None else _record(where, inertia, (Inertia,))


def _stations(where: str, stations: Any) -> Any:
    found = tuple((name, _record(f"{where}, {name}", station, (Station,))) for name, station in stations)
    return stations if found == stations else found


def _changed(record: Any, where: str, readers: Mapping[str, tuple[Shape, Reader]]) -> Any:
    """A record with what its readers make of those fields that are not exact already."""
    changes = {}
    for field, (shape, reader) in readers.items():
        given = getattr(record, field)
        value = given if _is_exact(given, shape) else reader(_inside(where, field), given)
        if value is not given:
            changes[field] = value
    return replace(record, **changes) if changes else record


def _is_exact(value: object, shape: Shape) -> bool:
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


def _names(where: str, given: Any) -> tuple[str, ...]:
    found = read_list(where, given, str, "name")
    return given if found == given else found


def _coefficients(where: str, given: Any) -> tuple[Value, ...]:
    return tuple(read_value(where, x) for x in read_list(where, given, object, "number"))


def _expression(where: str, given: Any) -> sympy.Expr:
    if isinstance(given, sympy.Expr) and not given.is_Matrix:
        return given
    raise ModelError(where, f"is {shown(given)}", "a scalar SymPy expression", "Make laws with force_laws.")


_NAMES: tuple[Shape, Reader] = (_ANY, _names)
_VALUE: tuple[Shape, Reader] = ((), read_value)
_VECTOR: tuple[Shape, Reader] = ((3,), read_vector)
_NESTED: tuple[Shape, Reader] = (_ANY, _nested)
_PLACED: Mapping[str, tuple[Shape, Reader]] = {"rotation": ((3, 3), read_rotation), "position": _VECTOR}
_SPRING = dict.fromkeys(("stiffness", "damping", "rest"), _VALUE)
_OF_MECHANISM: Mapping[str, tuple[Shape, Reader]] = {"gravity": _VECTOR, "home": _NESTED}

_NUMBERS: Mapping[type, Mapping[str, tuple[Shape, Reader]]] = {
    Body: {"inertia": (_ANY, _inertia)},
    Inertia: {"mass": _VALUE, "center": _VECTOR, "tensor": ((3, 3), inertia_tensor)},
    Joint: {
        **_PLACED,
        "axis": _VECTOR,
        **dict.fromkeys(("rotor_inertia", "damping", "friction"), _VALUE),
        "kind": (_ANY, _kind),
        "limits": (_ANY, _limits),
    },
    Frame: _PLACED,
    Parameter: {"value": ((), read_number)},
    Mimic: {"multiplier": _VALUE, "offset": _VALUE},
    RollingContact: {"radius": _VALUE},
    PrescribedRate: {"rate": _VALUE},
    PrescribedMotion: {"expression": (_ANY, _expression)},
    TorsionalSpringDamper: _SPRING,
    TranslationalSpringDamper: _SPRING,
    ForceElement: {
        "displacement": (_ANY, partial(_record, kinds=(JointSum, PathLength))),
        "law": (_ANY, partial(_record, kinds=(ForceLaw,))),
    },
    ForceLaw: dict.fromkeys(("energy", "force", "resistance"), (_ANY, _expression)),
    Bushing: dict.fromkeys(("stiffness", "damping"), ((6, 6), _nested)),
    JointSum: {"joints": _NAMES, "coefficients": (_ANY, _coefficients)},
    PathLength: {"frames": _NAMES},
    AngularVelocityComponent: {"direction": _VECTOR},
    PointVelocityComponent: {"direction": _VECTOR},
    FlexibleLink: {
        "stiffness": _NESTED,
        "damping": _NESTED,
        "integrals": (_ANY, partial(_record, kinds=(ModalIntegrals,))),
        "end": (_ANY, partial(_record, kinds=(Station,))),
        "stations": (_ANY, _stations),
    },
    ModalIntegrals: dict.fromkeys(
        ("mass", "first", "second", "mode_first", "mode_mixed", "mode_products"), _NESTED
    ),
    Station: dict.fromkeys(("position", "displacements", "rotations"), _NESTED),
}
"""The numbers of each kind of record: their shape, and what reads other than exact ones of that shape."""

_WORDS = {
    "inertia": "",
    "stations": "",
    "center": "mass centre",
    "tensor": "inertia",
    "rotor_inertia": "rotor inertia",
}
"""Fields that messages call otherwise, or do not name."""

_MEMBERS: Mapping[str, tuple[type, ...]] = {
    "bodies": (Body,),
    "joints": (Joint,),
    "frames": (Frame,),
    "actuators": (Actuator,),
    "parameters": (Parameter,),
    "laws": (ControlLaw,),
    "loops": (Loop,),
    "constraints": (RollingContact, KnifeEdge, PositionConstraint, VelocityConstraint),
    "prescribed": (PrescribedRate, PrescribedMotion),
    "speeds": (JointRate, AngularVelocityComponent, PointVelocityComponent, DistanceRate, CombinedSpeed),
    "springs": (TorsionalSpringDamper, TranslationalSpringDamper, ForceElement, Bushing),
    "balls": (BallJoint,),
    "mimics": (Mimic,),
    "flexible": (FlexibleLink,),
}
"""The records that each list of a mechanism holds."""

_TITLES: Mapping[type, str] = {
    Body: "body",
    Joint: "joint",
    Frame: "frame",
    Actuator: "actuator",
    Parameter: "parameter",
    ControlLaw: "control law",
    Loop: "loop",
    RollingContact: "rolling contact",
    KnifeEdge: "knife edge",
    PositionConstraint: "equation of position",
    VelocityConstraint: "equation of velocity",
    PrescribedRate: "prescribed joint",
    PrescribedMotion: "prescribed joint",
    JointRate: "speed",
    TorsionalSpringDamper: "spring",
    TranslationalSpringDamper: "spring",
    ForceElement: "force element",
    Bushing: "bushing",
    BallJoint: "ball joint",
    Mimic: "mimic joint",
    FlexibleLink: "flexible link",
}
"""What messages call a record."""
