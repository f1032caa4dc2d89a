"""Numbers of a model that stay changeable: values of bodies, joints, springs and gravity become parameters of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from kanegen.codegen.graph import Expression, Graph
from kanegen.codegen.mechanism.constraints import TorsionalSpringDamper
from kanegen.codegen.mechanism.edits.payloads import new_name
from kanegen.codegen.mechanism.folding import with_numbers
from kanegen.codegen.mechanism.force_elements import Bushing, ForceElement
from kanegen.codegen.mechanism.records import Joint, JointKind, Mechanism, Parameter, Value
from kanegen.codegen.mechanism.references import Equation
from kanegen.codegen.mechanism.validation.exact import values_of
from kanegen.codegen.mechanism.vectors import symmetric
from kanegen.errors import ModelError, did_you_mean

DECLARED, PAYLOAD = "all declared", "payload"
"""The groups of the parameters that a description declares, and of the bodies that options add."""

_ZERO = Fraction(0)
_AXES = ("x", "y", "z")
_TENSOR = (("Ixx", 0, 0), ("Iyy", 1, 1), ("Izz", 2, 2), ("Ixy", 0, 1), ("Ixz", 0, 2), ("Iyz", 1, 2))


@dataclass(frozen=True)
class _Quantity:
    """Numbers of a record that are live together: a user asks for them by the ``group``, or as ``owner.word``.

    ``endings`` are those of the names of their parameters; ``units`` where something turns and where it slides.  In the
    ``meaning`` of each {} stands for the owner and {ending} for what tells it from the others.  ``least`` are the least
    values.  ``read`` gives the values of a record, and ``write`` the record with others.
    """

    group: str
    word: str
    endings: tuple[str, ...]
    units: tuple[str, str]
    meaning: str
    least: tuple[Fraction | None, ...]
    read: Callable[[Any], tuple[Value, ...]]
    write: Callable[[Any, Sequence[Value]], Any]


def _inertial(body: Any, **changes: Any) -> Any:
    return replace(body, inertia=replace(body.inertia, **changes))


def _field(
    group: str, field: str, units: tuple[str, str], meaning: str, least: Fraction | None = _ZERO
) -> _Quantity:
    return _Quantity(
        group,
        field,
        (field,),
        units,
        meaning,
        (least,),
        lambda record: (getattr(record, field),),
        lambda record, values: replace(record, **{field: values[0]}),
    )


_BODY = (
    _Quantity(
        "masses",
        "mass",
        ("mass",),
        ("kg", "kg"),
        "mass of {}",
        (_ZERO,),
        lambda body: (body.inertia.mass,),
        lambda body, values: _inertial(body, mass=values[0]),
    ),
    _Quantity(
        "centers",
        "center",
        _AXES,
        ("m", "m"),
        "{ending} of the mass centre of {}, along its axes",
        (None,) * 3,
        lambda body: body.inertia.center,
        lambda body, values: _inertial(body, center=tuple(values)),
    ),
    _Quantity(
        "inertias",
        "inertia",
        tuple(name for name, _, _ in _TENSOR),
        ("kg m^2", "kg m^2"),
        "{ending} of {} about its mass centre, along its axes; Ixy = -integral of x y dm",
        tuple(_ZERO if i == j else None for _, i, j in _TENSOR),
        lambda body: tuple(body.inertia.tensor[i][j] for _, i, j in _TENSOR),
        lambda body, values: _inertial(body, tensor=symmetric(*values)),
    ),
)
_PLACE = _Quantity(
    "lengths",
    "position",
    tuple(f"position_{axis}" for axis in _AXES),
    ("m", "m"),
    "{ending} of the joint {} in its parent",
    (None,) * 3,
    lambda joint: joint.position,
    lambda joint, values: replace(joint, position=tuple(values)),
)
_LOSSES = (
    _field("damping", "damping", ("N m s/rad", "N s/m"), "damping of the joint {}"),
    _field("friction", "friction", ("N m", "N"), "Coulomb friction of the joint {}"),
)
_ROTOR = _field(
    "rotors", "rotor_inertia", ("kg m^2", "kg"), "inertia of the drive of {}, seen from the joint"
)
_SPRING = (
    _field("springs", "stiffness", ("N m/rad", "N/m"), "stiffness of {}"),
    _field("springs", "damping", ("N m s/rad", "N s/m"), "damping of {}"),
    _field("springs", "rest", ("rad", "m"), "angle or length at which {} is at rest", None),
)
_GRAVITY = _Quantity(
    "gravity",
    "gravity",
    _AXES,
    ("m/s^2", "m/s^2"),
    "acceleration of free fall along {ending} of the base",
    (None,) * 3,
    lambda mechanism: mechanism.gravity,
    lambda mechanism, values: replace(mechanism, gravity=tuple(values)),
)
GROUPS = (
    *(DECLARED, "masses", "centers", "inertias", PAYLOAD, "gravity"),
    *("lengths", "damping", "friction", "rotors", "springs"),
)
"""What can be asked for at once."""


@dataclass(frozen=True)
class _Site:
    """A quantity of one record of a mechanism: the ``index``-th of its ``records``, or the mechanism itself."""

    quantity: _Quantity
    group: str
    owner: str
    title: str
    records: str = ""
    index: int = 0

    @property
    def name(self) -> str:
        """How a user asks for it alone."""
        return f"{self.owner}.{self.quantity.word}"

    def record(self, mechanism: Mechanism) -> Any:
        """The record."""
        return getattr(mechanism, self.records)[self.index] if self.records else mechanism

    def written(self, mechanism: Mechanism, values: Sequence[Value]) -> Mechanism:
        """The mechanism with other values here."""
        record = self.quantity.write(self.record(mechanism), values)
        if not self.records:
            return record  # type: ignore[no-any-return]  # it is the mechanism
        before = getattr(mechanism, self.records)
        after = (*before[: self.index], record, *before[self.index + 1 :])
        return replace(mechanism, **{self.records: after})  # type: ignore[arg-type]  # of the same kind


def with_live(mechanism: Mechanism, asked: Sequence[str], friction: bool) -> Mechanism:
    """The mechanism with parameters for what is asked for by group or name; declared ones that are not are numbers.

    Names of parameters are those of body, joint or spring with an ending: ``link_mass``, ``link_x``, ``link_Ixx``.  Groups
    take in numbers that are 0, but for lengths.  Raises ModelError for names that nothing has, groups in which there is
    nothing, and losses that do not act without ``friction``.
    """
    declared, sites = [p.name for p in mechanism.parameters], [*_sites(mechanism)]
    kept, chosen = set(), []
    for name in dict.fromkeys(asked):
        found = [site for site in sites if name in (site.group, site.name)]
        names = {*declared} if name == DECLARED else {name} & {*declared}
        if not found and not names:
            raise _nothing(mechanism, name, [*GROUPS, *declared, *(site.name for site in sites)])
        if not friction and any(site.quantity in _LOSSES for site in found):
            raise ModelError(
                f"live {name!r}",
                "does not act without friction",
                "friction=True (--friction) with it",
                "Ask for both, or leave it out.",
            )
        kept |= names
        chosen += found
    if kept < {*declared}:
        mechanism = with_numbers(mechanism, kept)
    graphs = (value.graph for _, value in values_of(mechanism) if isinstance(value, Expression))
    graph = next(graphs, None) or Graph()
    parameters = list(mechanism.parameters)
    taken = {*declared, *mechanism.coordinates, *_symbols(mechanism)}
    for site in dict.fromkeys(chosen):
        mechanism = _living(mechanism, site, site.name in asked, graph, parameters, taken)
    return replace(mechanism, parameters=tuple(parameters))


def _living(
    mechanism: Mechanism,
    site: _Site,
    alone: bool,
    graph: Graph,
    parameters: list[Parameter],
    taken: set[str],
) -> Mechanism:
    """The mechanism with parameters in place of the numbers of a site, which are added to the others."""
    record, quantity = site.record(mechanism), site.quantity
    values = list(quantity.read(record))
    for k, (value, ending) in enumerate(zip(values, quantity.endings, strict=True)):
        if isinstance(value, Expression) or (quantity is _PLACE and value == 0 and not alone):
            continue
        name = new_name(f"{site.owner}_{ending}", taken)
        taken.add(name)
        unit = quantity.units[0 if _turns(record, mechanism) else 1]
        meaning = quantity.meaning.format(site.title, ending=ending.rpartition("_")[2])
        parameters.append(Parameter(name, value, unit, meaning, quantity.least[k]))
        values[k] = Expression(graph, graph.parameter(name))
    return site.written(mechanism, values)


def _turns(record: Any, mechanism: Mechanism) -> bool:
    """Whether what belongs to a joint or a spring turns."""
    if isinstance(record, TorsionalSpringDamper):
        record = mechanism.joint(record.joint)
    return isinstance(record, Joint) and record.kind is JointKind.REVOLUTE


def _sites(m: Mechanism) -> Iterator[_Site]:
    """All that can be live."""
    for k, body in enumerate(m.bodies):
        if body.inertia is not None and m.flexible_link(body.name) is None:
            held = f"the payload at {body.name.removeprefix('payload_')}"
            for quantity in _BODY:
                group, title = (PAYLOAD, held) if body.carrier else (quantity.group, body.name)
                yield _Site(quantity, group, body.name, title, "bodies", k)
    yield _Site(_GRAVITY, "gravity", "gravity", m.name)
    chains = {joint for ball in m.balls for joint in ball.joints}
    first = {ball.joints[0]: ball.name for ball in m.balls}
    grasps = {body.name for body in m.bodies if body.carrier and body.inertia is not None}
    for k, joint in enumerate(m.joints):
        name = first.get(joint.name, joint.name)
        if any(joint.position) and joint.child not in grasps:
            yield _Site(_PLACE, _PLACE.group, name, name, "joints", k)
        if joint.kind is not JointKind.FIXED and joint.name not in chains:
            for quantity in (*_LOSSES, _ROTOR):
                yield _Site(quantity, quantity.group, name, name, "joints", k)
    for k, spring in enumerate(m.springs):
        for quantity in () if isinstance(spring, ForceElement | Bushing) else _SPRING:
            yield _Site(quantity, quantity.group, spring.name, spring.name, "springs", k)


def _symbols(mechanism: Mechanism) -> Iterator[str]:
    """Names of the symbols that equations and laws are written in."""
    for item in mechanism.constraints:
        if isinstance(item, Equation):
            yield from (symbol.name for symbol in item.expression.free_symbols | {*item.q})
    for law in mechanism.laws:
        yield from (symbol.name for symbol in law.state)


def _nothing(mechanism: Mechanism, name: str, known: Sequence[str]) -> ModelError:
    """The error for a group in which there is nothing, or a name that nothing has."""
    if name == DECLARED:
        return ModelError(
            f"mechanism {mechanism.name!r}",
            "declares no parameters, so that none can be kept live",
            "a TOML file with [parameters], or a mechanism of MechanismBuilder with parameter(...)",
            'Ask for groups of numbers instead, as live=["masses", "payload"].',
        )
    groups = ", ".join(map(repr, GROUPS))
    cure = "Ask for something else."
    if name == PAYLOAD:
        cure = "Add one: payload={'frame': 0} (--payload FRAME=0)."
    what = "there is nothing of this group here" if name in GROUPS else "is no group and no name of a number"
    return ModelError(
        f"live {name!r}",
        what,
        f"groups among {groups}, names of parameters, or numbers as 'link.mass', 'joint.damping'",
        cure if name in GROUPS else did_you_mean(name, known, cure),
    )
