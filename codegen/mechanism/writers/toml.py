"""TOML: everything that the reader of TOML knows, so that the very same mechanism is read back."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from kanegen.codegen.graph import Expression
from kanegen.codegen.graph.late import sympy
from kanegen.codegen.mechanism.constraints import (
    Constraint,
    KnifeEdge,
    PositionConstraint,
    Prescribed,
    PrescribedRate,
    RollingContact,
    SpringDamper,
    TorsionalSpringDamper,
    VelocityConstraint,
)
from kanegen.codegen.mechanism.control_law import ControlLaw, reference
from kanegen.codegen.mechanism.findings import Finding
from kanegen.codegen.mechanism.flexible_records import FlexibleLink, Station
from kanegen.codegen.mechanism.force_elements import Bushing, ForceElement, PathLength, stretch, stretch_rate
from kanegen.codegen.mechanism.records import (
    BASE,
    IDENTITY3,
    Body,
    Frame,
    Joint,
    JointLimits,
    Matrix3,
    Mechanism,
    Value,
    Vector3,
)
from kanegen.codegen.mechanism.rotations import angles_of, roll_pitch_yaw
from kanegen.codegen.mechanism.speeds import (
    AngularVelocityComponent,
    CombinedSpeed,
    DistanceRate,
    GeneralizedSpeed,
    JointRate,
)
from kanegen.codegen.mechanism.validation.symbols import names_of_speeds
from kanegen.codegen.mechanism.values import degrees, numeric, settle
from kanegen.codegen.mechanism.writers.connections import Connection, carriers_of, connections
from kanegen.codegen.mechanism.writers.equation_text import equation_text
from kanegen.codegen.mechanism.writers.exact_text import Unsayable, exact_text
from kanegen.codegen.mechanism.writers.unsaid import Written, resisted, unsaid

_BARE = re.compile(r"[A-Za-z0-9_-]+")
"""Keys that need no quotes."""

_UNITS = (Fraction(180), Fraction(1), Fraction(1, 2))
"""[degrees], of which angles are parts in arithmetic; they, and their sines, differ in their last digit."""

_DECIMALS = 12
"""Decimals of angles [rad] as people write them."""


def to_toml(mechanism: Mechanism) -> Written:
    """The mechanism as a TOML file, and what that cannot say of it."""
    writer = _Writer(mechanism)
    return Written(writer.text(), tuple(writer.findings))


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _key(name: str) -> str:
    return name if _BARE.fullmatch(name) else _quoted(name)


class _Writer:
    """Writes key by key what differs from what the reader takes where nothing is written."""

    def __init__(self, mechanism: Mechanism) -> None:
        self._mechanism = mechanism
        self._names = [parameter.name for parameter in mechanism.parameters]
        self._connections = connections(mechanism)
        self._lines: list[str] = []
        self.findings: list[Finding] = []

    def text(self) -> str:
        self._head()
        self._tree()
        self._motion()
        return "\n".join(self._lines) + "\n"

    # -- parts -------------------------------------------------------------------------------------------------------

    def _head(self) -> None:
        m = self._mechanism
        self._put(f"name = {_quoted(m.name)}")
        self._put(f"gravity = {self._array('gravity', m.gravity)}")
        whole = {name: ball.name for ball in m.balls for name in ball.coordinates}
        order = dict.fromkeys(whole.get(name, name) for name in m.coordinates)
        self._put(f"coordinates = {_strings(order)}")
        if m.speeds and all(isinstance(speed, JointRate) for speed in m.speeds):
            self._put(f"speeds = {_strings(s.joint for s in m.speeds if isinstance(s, JointRate))}")
        if m.parameters:
            self._put("", "[parameters]")
        for parameter in m.parameters:
            where = f"parameter {parameter.name!r}"
            texts = {"unit": parameter.unit, "description": parameter.description}
            told = [f"{key} = {_quoted(text)}" for key, text in texts.items() if text]
            value = self._number(where, parameter.value, fixed=True)
            self._put(
                f"{_key(parameter.name)} = {{ {', '.join([f'value = {value}', *told])} }}"
                if told
                else f"{_key(parameter.name)} = {value}"
            )
        if m.home:
            self._put("", "[home]")
        for name, at in zip(m.coordinates, m.home, strict=False):
            self._put(f"{_key(name)} = {self._number(f'home, {name}', at)}")

    def _tree(self) -> None:
        m = self._mechanism
        inside, flexible = carriers_of(self._connections), {link.body: link for link in m.flexible}
        for body in m.bodies:
            if body.name not in inside and body.name not in flexible:
                self._body(body)
        for link in m.flexible:
            self._flexible(link)
        for connection in self._connections:
            self._joint(connection)
        stations = {name for link in m.flexible for name, _ in link.stations}
        for frame in m.frames:
            if frame.name not in stations | flexible.keys() and frame.name != frame.body:
                self._table("frame", frame.name, {"body": _quoted(frame.body)})
                self._placed(f"frame {frame.name!r}", frame)
        for actuator in m.actuators:
            name = {} if actuator.name == actuator.joint else {"name": _quoted(actuator.name)}
            self._table(
                "actuator", None, {"joint": _quoted(actuator.joint), "sign": str(actuator.sign), **name}
            )

    def _motion(self) -> None:
        m = self._mechanism
        for loop in m.loops:
            ends = {"first": _quoted(loop.first), "second": _quoted(loop.second)}
            self._table("loop", loop.name, {"type": _quoted(loop.kind.value), **ends})
        for constraint in m.constraints:
            self._constraint(constraint)
        for given in m.prescribed:
            self._prescribed(given)
        for spring in m.springs:
            self._spring(spring)
        if not all(isinstance(speed, JointRate) for speed in m.speeds):
            for speed in m.speeds:
                self._table("speed", None, self._speed(speed))
        for law in m.laws:
            self._law(law)

    def _body(self, body: Body) -> None:
        where, inertia = f"body {body.name!r}", body.inertia
        self._table("body", body.name, {"carrier": "true"} if body.carrier else {})
        if inertia is not None:
            self._put(f"mass = {self._number(f'{where}, mass', inertia.mass)}")
            self._vector(f"{where}, mass centre", "center", inertia.center)
            tensor, (x, y, z) = inertia.tensor, inertia.tensor
            principal = (x[0], y[1], z[2])
            diagonal = all(tensor[i][j] == 0 for i in range(3) for j in range(3) if i != j)
            entries = principal if diagonal else (*principal, x[1], x[2], y[2])
            self._vector(f"{where}, inertia", "inertia", entries)

    def _joint(self, connection: Connection) -> None:
        m, first = self._mechanism, connection.first
        where = f"joint {connection.name!r}"
        self._table(
            "joint",
            connection.name,
            {
                "type": _quoted(connection.type),
                "parent": _quoted(connection.parent),
                "child": _quoted(connection.child),
            },
        )
        if connection.type not in ("fixed", "spherical", "floating"):
            axis = connection.parts[-1].axis if connection.type == "planar" else first.axis
            self._put(f"axis = {self._array(f'{where}, axis', axis)}")
        if connection.type == "universal":
            self._put(f"second_axis = {self._array(f'{where}, axis', connection.parts[1].axis)}")
        if connection.pitch is not None:
            self._put(f"pitch = {self._number(f'{where}, pitch', connection.pitch)}")
        self._placed(where, first)
        if len(connection.parts) == 1:
            self._driven(where, first)
            for mimic in (mimic for mimic in m.mimics if mimic.joint == connection.name):
                entries = [f"joint = {_quoted(mimic.leader)}"]
                for key, value, default in (("multiplier", mimic.multiplier, 1), ("offset", mimic.offset, 0)):
                    if value != default:
                        entries.append(f"{key} = {self._number(f'{where}, {key}', value)}")
                self._put(f"mimic = {{ {', '.join(entries)} }}")
            return
        held = [part.name for part in connection.parts if resisted(part)]
        if held:
            self.findings.append(
                unsaid(
                    where,
                    f"what resists its speeds {', '.join(held)} (damping, friction, rotor inertia) is left out",
                    f"a {connection.type} joint, which has none in TOML",
                    "Add it in Python.",
                )
            )

    def _driven(self, where: str, joint: Joint) -> None:
        for key in ("damping", "friction", "rotor_inertia"):
            if getattr(joint, key) != 0:
                self._put(f"{key} = {self._number(f'{where}, {key}', getattr(joint, key))}")
        given = joint.limits or JointLimits()
        limits = [
            f"{key} = {self._number(f'{where}, limits', value)}"
            for key in ("lower", "upper", "velocity", "effort")
            if (value := getattr(given, key)) is not None
        ]
        if limits:
            self._put(f"limits = {{ {', '.join(limits)} }}")

    def _placed(self, where: str, item: Joint | Frame) -> None:
        self._vector(f"{where}, position", "position", item.position)
        if item.rotation != IDENTITY3:
            angles = _angles(item.rotation)
            turned: Sequence[Any] = item.rotation if angles is None else angles
            self._put(f"rotation = {self._array(f'{where}, rotation', turned)}")

    def _flexible(self, link: FlexibleLink) -> None:
        where, of = f"flexible link {link.body!r}", link.integrals
        self._table("flexible", link.body, {"mass": self._number(f"{where}, mass", of.mass)})
        for key, rows in (
            ("first_moment", of.first),
            ("second_moment", of.second),
            ("stiffness", link.stiffness),
            ("damping", link.damping),
        ):
            self._put(f"{key} = {self._array(f'{where}, {key}', rows)}")
        self._put(f"end = {self._station(f'{where}, end', link.end)}")
        stations = [f"{_key(name)} = {self._station(f'frame {name!r}', at)}" for name, at in link.stations]
        if stations:
            self._put(f"station = {{ {', '.join(stations)} }}")
        for mode, *integrals in zip(link.modes, of.mode_first, of.mode_mixed, of.mode_products, strict=True):
            self._put("[[flexible.mode]]", f"name = {_quoted(mode)}")
            for key, entries in zip(("first", "mixed", "products"), integrals, strict=True):
                self._put(f"{key} = {self._array(f'{where}, {key} of {mode!r}', entries)}")

    def _station(self, where: str, station: Station) -> str:
        keys = ("position", "displacements", "rotations")
        return f"{{ {', '.join(f'{key} = {self._array(where, getattr(station, key))}' for key in keys)} }}"

    def _constraint(self, item: Constraint) -> None:
        if isinstance(item, RollingContact):
            radius = self._number(f"rolling contact {item.name!r}, radius", item.radius)
            contact = {} if item.contact is None else {"contact": _quoted(item.contact)}
            keys = {"wheel": _quoted(item.wheel), "radius": radius, "ground": _quoted(item.ground)}
            self._table("rolling", item.name, keys | contact)
        elif isinstance(item, KnifeEdge):
            ends = {"edge": _quoted(item.edge), "ground": _quoted(item.ground)}
            self._table("knife_edge", item.name, ends)
        else:
            self._equation(item)

    def _prescribed(self, given: Prescribed) -> None:
        where = f"prescribed joint {given.joint!r}"
        if isinstance(given, PrescribedRate):
            how = {"rate": self._number(f"{where}, rate", given.rate)}
        else:
            try:
                how = {"motion": _quoted(equation_text(given.expression, {given.time: "t"}))}
            except Unsayable as error:
                self.findings.append(
                    unsaid(where, f"is left out: {error}", "arithmetic", "Add it in Python.")
                )
                return
        self._table("prescribed", None, {"joint": _quoted(given.joint), **how})

    def _equation(self, item: PositionConstraint | VelocityConstraint) -> None:
        key = "velocity" if isinstance(item, VelocityConstraint) else "position"
        where = f"constraint {item.name!r}"
        try:
            self._table("equation", item.name, {key: _quoted(self._text_of(item))})
        except Unsayable as error:
            self.findings.append(unsaid(where, f"is left out: {error}", "arithmetic", "Add it in Python."))

    def _text_of(self, item: PositionConstraint | VelocityConstraint) -> str:
        """The expression of an equation in the names of coordinates."""
        coordinates = self._mechanism.coordinates
        names = dict(zip(item.q, coordinates, strict=True))
        if item.time is not None:
            names[item.time] = "t"
        if isinstance(item, VelocityConstraint):
            names |= {rate: f"rate({name})" for rate, name in zip(item.qdot, coordinates, strict=True)}
        names |= {part.symbol: part.name for part in item.frames}
        return equation_text(item.expression, names)

    def _law(self, law: ControlLaw) -> None:
        """A law by its forces, in the order of the speeds; each as arithmetic in names."""
        m = self._mechanism
        speeds = zip(law.v, names_of_speeds(m), strict=True)
        names: dict[sympy.Expr, str] = {law.time: "t", **dict(zip(law.q, m.coordinates, strict=True))}
        names |= {symbol: f"rate({name})" for symbol, name in speeds}
        for signal in law.references:
            forms = (signal, f"rate({signal})", f"acceleration({signal})")
            names |= {reference(signal, order): form for order, form in enumerate(forms)}

        def text(expression: sympy.Expr) -> str:
            return _quoted(equation_text(expression, names))

        taken: list[str] = []
        try:
            for one in (q for q in law.quantities() if q.given and q.whole not in names):
                name = f"quantity{len(taken) + 1}"
                inputs = (f"{key} = [{', '.join(map(text, row))}]" for key, row in one.given.items())
                words = (f"name = {_quoted(name)}", f"kernel = {_quoted(one.kernel)}", *inputs)
                taken.append(f"{{ {', '.join(words)} }}")
                names[one.whole] = name
            forces = [text(force) for force in law.forces]
            states = [
                f"{{ name = {_quoted(state.name)}, rate = {text(state.rate)}, "
                f"initial = {self._number(f'state {state.name!r}', state.initial)} }}"
                for state in law.states
            ]
        except Unsayable as error:
            what = f"is left out: {error}"
            self.findings.append(unsaid(f"control law {law.name!r}", what, "arithmetic", "Add it in Python."))
            return
        told = {"title": law.title, "source": law.source}
        entries = {key: _quoted(words) for key, words in told.items() if words}
        if law.references:
            entries["references"] = _strings(law.references)
        if taken:
            entries["quantity"] = f"[{', '.join(taken)}]"
        if states:
            entries["state"] = f"[{', '.join(states)}]"
        lines = "".join(f"    {force},\n" for force in forces)
        self._table("law", law.name, {**entries, "forces": f"[\n{lines}]"})

    def _bushing(self, bushing: Bushing) -> None:
        entries = {"first": _quoted(bushing.first), "second": _quoted(bushing.second)}
        for key in ("stiffness", "damping"):
            entries[key] = self._array(f"bushing {bushing.name!r}, {key}", getattr(bushing, key))
        self._table("bushing", bushing.name, entries)

    def _element(self, element: ForceElement) -> None:
        """The displacement, and the law as three expressions."""
        where, path, law = f"force element {element.name!r}", element.displacement, element.law
        if isinstance(path, PathLength):
            entries = {"path": _strings(path.frames)}
        else:
            entries = {"joints": _strings(path.joints)}
            if path.coefficients:
                entries["coefficients"] = self._array(f"{where}, coefficients", path.coefficients)
        try:
            for key in ("force", "energy", "resistance"):
                part = getattr(law, key)
                if part != 0:
                    entries[key] = _quoted(equation_text(part, {stretch(): "s", stretch_rate(): "rate"}))
        except Unsayable as error:
            self.findings.append(unsaid(where, f"is left out: {error}", "arithmetic", "Add it in Python."))
            return
        self._table("spring", element.name, entries)

    def _spring(self, spring: SpringDamper) -> None:
        if isinstance(spring, Bushing):
            self._bushing(spring)
            return
        if isinstance(spring, ForceElement):
            self._element(spring)
            return
        if isinstance(spring, TorsionalSpringDamper):
            ends = {"joint": _quoted(spring.joint)}
        else:
            ends = {"first": _quoted(spring.first), "second": _quoted(spring.second)}
        sizes = {
            key: self._number(f"spring {spring.name!r}, {key}", getattr(spring, key))
            for key in ("stiffness", "damping", "rest")
            if getattr(spring, key) != 0
        }
        self._table("spring", spring.name, ends | sizes)

    def _speed(self, speed: GeneralizedSpeed) -> Mapping[str, str]:
        if isinstance(speed, JointRate):
            return {"joint": _quoted(speed.joint)}
        if isinstance(speed, CombinedSpeed):
            item = speed.equation
            return {"name": _quoted(item.name), "velocity": _quoted(self._text_of(item))}
        if isinstance(speed, DistanceRate):
            return {"first": _quoted(speed.first), "second": _quoted(speed.second)}
        direction = {"direction": self._array("speeds, direction", speed.direction)}
        if isinstance(speed, AngularVelocityComponent):
            return {"body": _quoted(speed.body), **direction}
        frame, beside = {"frame": _quoted(speed.frame)}, {}
        if speed.relative_to != BASE:
            beside = {"relative_to": _quoted(speed.relative_to)}
        return frame | direction | beside

    # -- lines -------------------------------------------------------------------------------------------------------

    def _put(self, *lines: str) -> None:
        self._lines.extend(lines)

    def _table(self, kind: str, name: str | None, entries: Mapping[str, str]) -> None:
        self._put("", f"[[{kind}]]", *([] if name is None else [f"name = {_quoted(name)}"]))
        self._put(*(f"{key} = {value}" for key, value in entries.items()))

    def _vector(self, where: str, key: str, vector: Sequence[Value]) -> None:
        """A vector, unless it is zero."""
        if any(entry != 0 for entry in vector):
            self._put(f"{key} = {self._array(where, vector)}")

    def _array(self, where: str, entries: Sequence[Any]) -> str:
        """Values, or arrays of them."""
        parts = [self._array(where, e) if isinstance(e, tuple) else self._number(where, e) for e in entries]
        return f"[{', '.join(parts)}]"

    def _number(self, where: str, value: Value, fixed: bool = False) -> str:
        """The value, exactly, or what it is now, to 60 digits, with a finding; ``fixed`` numbers know no parameters."""
        try:
            return exact_text(value, () if fixed else self._names)
        except Unsayable as error:
            number = numeric(value, self._mechanism)
            what = f"is written as the number that it is now ({error})"
            self.findings.append(unsaid(where, what, "arithmetic", "Describe it in Python."))
            return exact_text(number, self._names)


def _strings(names: Iterable[str]) -> str:
    return f"[{', '.join(map(_quoted, names))}]"


def _angles(rotation: Matrix3) -> Vector3 | None:
    """Roll, pitch and yaw that are the rotation exactly: half degrees, and short decimals.  None where there are none."""
    if any(isinstance(entry, Expression) for row in rotation for entry in row):
        return None
    for unit in _UNITS:
        roll, pitch, yaw = (_meant(angle, unit) for angle in angles_of(rotation))
        if roll_pitch_yaw((roll, pitch, yaw)) == rotation:
            return roll, pitch, yaw
    return None


def _meant(angle: Fraction, unit: Fraction) -> Fraction:
    """The angle [rad] that may be meant by one of 60 digits: half degrees, as parts of a unit in degrees, or a decimal."""
    near = settle(degrees(unit) * Fraction(round(angle / degrees(1) * 2), 2) / unit)
    short = Fraction(round(angle * 10**_DECIMALS), 10**_DECIMALS)
    return min((near, short), key=lambda meant: abs(meant - angle))
