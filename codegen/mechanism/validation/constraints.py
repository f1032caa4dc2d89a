"""What can be wrong with the loops, the constraints and the generalized speeds of a mechanism."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

import numpy as np

from kanegen.codegen.graph import Expression, Graph
from kanegen.codegen.graph.late import sympy
from kanegen.codegen.graph.sympy_bridge import UnsupportedExpressionError, from_sympy, with_exact_exponents
from kanegen.codegen.mechanism.constraints import (
    KnifeEdge,
    Loop,
    LoopKind,
    PositionConstraint,
    RollingContact,
    VelocityConstraint,
)
from kanegen.codegen.mechanism.control_law import live_parameters
from kanegen.codegen.mechanism.frame_coordinates import ENTRIES
from kanegen.codegen.mechanism.poses import frame_poses
from kanegen.codegen.mechanism.records import BASE, JointKind, Mechanism
from kanegen.codegen.mechanism.speeds import (
    AngularVelocityComponent,
    CombinedSpeed,
    DistanceRate,
    GeneralizedSpeed,
    JointRate,
)
from kanegen.codegen.mechanism.validation.exact import title_of
from kanegen.codegen.mechanism.validation.inertias import check_unit
from kanegen.codegen.mechanism.validation.symbols import check_symbols, kind_of_name
from kanegen.codegen.mechanism.values import numeric
from kanegen.errors import ModelError, counted

_OFF = 1e-9
"""Shares of the radius by which a contact may be off: some hundred roundings of a tree a thousand times as large."""

EQUATIONS: Mapping[LoopKind, int] = {
    LoopKind.SPHERICAL: 3,
    LoopKind.REVOLUTE: 5,
    LoopKind.UNIVERSAL: 4,
    LoopKind.CYLINDRICAL: 4,
    LoopKind.PRISMATIC: 5,
    LoopKind.PLANAR: 3,
    LoopKind.FIXED: 6,
}
"""How many equations of position each kind of loop stands for."""


def check_constraints(mechanism: Mechanism) -> None:
    """Raise ModelError for the first loop or constraint that does not fit the mechanism."""
    carriers = Carriers(mechanism)
    for loop in mechanism.loops:
        _check_loop(loop, carriers)
    for constraint in mechanism.constraints:
        where = title_of(constraint)
        if isinstance(constraint, RollingContact):
            _check_rolling(where, constraint, carriers, mechanism)
        elif isinstance(constraint, KnifeEdge):
            carriers.check_pair(where, ("edge", constraint.edge), ("ground", constraint.ground))
        else:
            _check_written(where, constraint, mechanism, carriers)


def equation_count(mechanism: Mechanism) -> int:
    """The number of equations of velocity that loops and constraints stand for, redundant ones included."""
    count = sum(EQUATIONS[loop.kind] for loop in mechanism.loops)
    for constraint in mechanism.constraints:
        touches = isinstance(constraint, RollingContact) and constraint.contact is None
        count += 3 if touches else 2 if isinstance(constraint, RollingContact) else 1
    return count


class Carriers:
    """The frames of a mechanism and the bodies that move them: what fixed joints hold together counts as one body."""

    def __init__(self, mechanism: Mechanism) -> None:
        self._carrier = {BASE: BASE}
        for joint in mechanism.joints:
            fixed = joint.kind is JointKind.FIXED
            self._carrier[joint.child] = self._carrier[joint.parent] if fixed else joint.child
        self._body = {BASE: BASE} | {frame.name: frame.body for frame in mechanism.frames}

    def of_body(self, body: str) -> str:
        """The body that carries a body."""
        return self._carrier[body]

    def of_frame(self, where: str, role: str, frame: str) -> str:
        """The body that carries a frame.  Raises ModelError for a frame that there is not."""
        if frame not in self._body:
            raise ModelError(
                where,
                f"its {role} {frame!r} is not a frame",
                f"one of {', '.join(map(repr, self._body))}",
                "Mend the name, or add the frame to a body.",
            )
        return self._carrier[self._body[frame]]

    def check_pair(self, where: str, first: tuple[str, str], second: tuple[str, str]) -> None:
        """Raise ModelError unless two frames, given with their roles, stand on bodies that can move apart."""
        body, other = self.of_frame(where, *first), self.of_frame(where, *second)
        if body == other:
            raise ModelError(
                where,
                f"its {first[0]} {first[1]!r} and its {second[0]} {second[1]!r} are both fixed in {body!r}",
                "frames on two bodies that move relative to each other",
                "Mend one of the names.",
            )


def _check_loop(loop: Loop, carriers: Carriers) -> None:
    where = title_of(loop)
    if not isinstance(loop.kind, LoopKind):
        raise ModelError(
            where,
            f"is of the kind {loop.kind!r}",
            f"one of {', '.join(f'LoopKind.{kind.name}' for kind in LoopKind)}",
            "Give the joint that closes the loop.",
        )
    carriers.check_pair(where, ("first frame", loop.first), ("second frame", loop.second))


def _check_rolling(where: str, rolling: RollingContact, carriers: Carriers, mechanism: Mechanism) -> None:
    wheel = ("wheel", rolling.wheel)
    carriers.check_pair(where, wheel, ("ground", rolling.ground))
    if rolling.contact is not None:
        # the point of contact wanders along the rim: a frame that turns with the wheel cannot stay there
        carriers.check_pair(where, wheel, ("contact", rolling.contact))
    radius = numeric(rolling.radius, mechanism)
    if radius <= 0:
        raise ModelError(
            where, f"its radius is {float(radius)!r} m", "a radius above 0", "Give the wheel's own radius."
        )


def check_contacts(mechanism: Mechanism) -> None:
    """Raise ModelError for a rolling contact whose frame of contact is not the point where the wheel touches the ground.

    It must be so by the construction of the tree, that is in every configuration; one off the home, where nothing is
    straight, tells.  Expects joints in depth-first order.
    """
    home = [float(numeric(x, mechanism)) for x in mechanism.home] or [0.0] * len(mechanism.coordinates)
    poses = frame_poses(mechanism, [x + 0.1 + 0.01 * i for i, x in enumerate(home)])
    for contact in mechanism.constraints:
        if isinstance(contact, RollingContact) and contact.contact is not None:
            ground = poses[contact.ground]
            wheel = poses[contact.wheel]
            up, axle = ground[:3, 2], wheel[:3, 2]
            # the normal of the ground projected on the wheel's plane points from the contact to the centre
            rise = up - (up @ axle) * axle
            slope = float(np.linalg.norm(rise))
            radius = float(numeric(contact.radius, mechanism))
            if slope < _OFF:
                raise ModelError(
                    title_of(contact),
                    f"the z axis of its wheel {contact.wheel!r} is perpendicular to the ground",
                    "the axle as z axis of the wheel's frame",
                    "Give a frame of the wheel that is turned so, by (-pi/2, 0, 0) where the axle is the body's y.",
                )
            lowest = wheel[:3, 3] - radius / slope * rise
            off = float(np.linalg.norm(poses[contact.contact][:3, 3] - lowest))
            above = float(up @ (lowest - ground[:3, 3]))
            if off > _OFF * radius or abs(above) > _OFF * radius:
                raise ModelError(
                    title_of(contact),
                    f"with coordinates a little off the home the wheel's lowest point is {off:.3g} m from the origin of "
                    f"{contact.contact!r} and {above:.3g} m above the ground",
                    "a frame that by the construction of the tree is the point of contact in every configuration",
                    "Mend the frame, the radius or the axle (the wheel's z axis), or leave the contact out: the wheel "
                    "then touches by an equation.",
                )


def _check_written(
    where: str,
    constraint: PositionConstraint | VelocityConstraint,
    mechanism: Mechanism,
    carriers: Carriers,
    combined: bool = False,
) -> None:
    """An equation given as an expression: its symbols, that it can be compiled, and that it is linear in the rates.

    Speeds that are ``combined`` may have terms without a rate: a mechanism at rest has them.
    """
    rates = constraint.qdot if isinstance(constraint, VelocityConstraint) else ()
    groups = [("coordinates q", constraint.q)]
    if isinstance(constraint, VelocityConstraint):
        groups.append(("rates qdot", rates))
    for what, symbols in groups:
        if len(symbols) != len(mechanism.coordinates):
            raise ModelError(
                where,
                f"has {len(symbols)} {what}",
                f"{len(mechanism.coordinates)}, one for each of {', '.join(mechanism.coordinates)}",
                "Give one each, in this order.",
            )
    apart = set[sympy.Symbol]()
    for part in constraint.frames:
        ends = [carriers.of_frame(where, "frame", frame) for frame in (part.frame, part.relative_to)]
        apart |= {part.symbol} if ends[0] != ends[1] else set()
        if part.entry not in ENTRIES:
            raise ModelError(
                where,
                f"has the coordinate {part.entry!r} of {part.frame!r}",
                f"one of {', '.join(ENTRIES)}",
                "Mend it.",
            )
    of_frames = tuple(part.symbol for part in constraint.frames)
    symbols = (*constraint.q, *rates, *of_frames, *(() if constraint.time is None else (constraint.time,)))
    check_symbols(where, symbols, mechanism, "a coordinate or a rate", "each coordinate and each rate")
    driven = [
        form.format(name) for name in mechanism.motions for form in ("{}", "rate({})")[: 1 + bool(rates)]
    ]
    check_written(where, constraint.expression, symbols, mechanism, driven)
    if not constraint.expression.free_symbols & {*constraint.q, *rates, *apart}:
        raise ModelError(
            where,
            f"{constraint.expression} = 0 restricts nothing",
            "an equation in coordinates, rates, or coordinates of frames that move",
            "Remove it, or mend its symbols.",
        )
    if isinstance(constraint, VelocityConstraint):
        _check_linear(where, constraint, driven, combined)


def check_written(
    where: str,
    expression: sympy.Expr,
    moving: tuple[sympy.Symbol, ...],
    mechanism: Mechanism,
    driven: Sequence[str] = (),
) -> None:
    """Raise ModelError for an expression without a form in C, or in symbols beside these, parameters and ``driven``."""
    if not isinstance(expression, sympy.Expr):
        raise ModelError(
            where,
            f"{expression!r} is no SymPy expression",
            "a scalar SymPy expression",
            "Write powers with **, as in x**2, not with ^."
            if isinstance(expression, sympy.Xor)
            else "Give one side of it.",
        )
    parameters = [*(parameter.name for parameter in mechanism.parameters), *driven]
    found = sorted(expression.free_symbols, key=lambda symbol: (symbol.name, sympy.srepr(symbol)))
    unknown = [s.name for s in found if s not in moving and s.name not in parameters]
    if unknown:
        differs = ", with other assumptions than among its own" if unknown[0] in map(str, moving) else ""
        raise ModelError(
            where,
            f"depends on the symbol {unknown[0]!r}{differs or kind_of_name(unknown[0], mechanism)}",
            f"its own symbols {', '.join(s.name for s in moving)}, "
            f"or parameters of the mechanism: {', '.join(parameters) or '(there are none)'}",
            "Give it a number, or declare it as a parameter of the mechanism.",
        )
    graph = Graph()
    known = {symbol: Expression(graph, graph.input("x", i)) for i, symbol in enumerate(moving)}
    live = live_parameters(graph, parameters)
    known |= {symbol: live[symbol.name] for symbol in found if symbol not in known}
    try:
        from_sympy(graph, expression, known)
    except UnsupportedExpressionError as error:
        raise ModelError(where, str(error), "an expression that can be compiled", "Rewrite it.") from None


def _check_linear(where: str, constraint: VelocityConstraint, driven: Sequence[str], combined: bool) -> None:
    expression = with_exact_exponents(constraint.expression)
    rates = (*constraint.qdot, *(part.symbol for part in constraint.frames if part.rate))
    if any(sympy.diff(expression, rate).free_symbols.intersection(rates) for rate in rates):
        raise ModelError(
            where,
            f"{constraint.expression} is not linear in the rates",
            f"a sum of rates {', '.join(s.name for s in rates)}, each times an expression in coordinates",
            "Rewrite it; constraints that are not linear in the rates are not supported.",
        )
    if combined or constraint.time is not None or any(s.name in driven for s in expression.free_symbols):
        return
    rest = sympy.simplify(expression.subs(dict.fromkeys(rates, 0)))
    if rest != 0:
        raise ModelError(
            where,
            f"has the term {rest}, in which there is no rate",
            "an equation that a mechanism at rest satisfies",
            "Give a motion that is imposed from outside as that of a prescribed joint, or as a function of time.",
        )


def driven_joints(mechanism: Mechanism) -> tuple[str, ...]:
    """The joints whose rates are generalized speeds, in the order of the speeds: an actuator may act on these."""
    return tuple(speed.joint for speed in mechanism.generalized_speeds if isinstance(speed, JointRate))


def check_speeds(mechanism: Mechanism) -> None:
    """Raise ModelError for generalized speeds that are missing, too many, too few, or not of this mechanism.

    That they are independent, and as many as the degrees of freedom where equations are redundant, takes numbers and is
    found when the mechanism is derived.
    """
    carriers = Carriers(mechanism)
    coordinates = mechanism.rates
    left = len(coordinates) - equation_count(mechanism)
    least, constrained = max(1, left), mechanism.tied
    if not mechanism.speeds:
        if constrained and (left > 0 or not mechanism.depends_on_time):
            some = list(coordinates[:least])
            raise ModelError(
                "speeds",
                "are missing, though loops or constraints tie the coordinates together",
                f"as many independent speeds as the mechanism has degrees of freedom, {least} or more of the "
                f"{counted(len(coordinates), 'rate')} of {', '.join(map(repr, coordinates))} or of the components of "
                "velocities",
                f"Choose those that are driven, such as [{', '.join(f'JointRate({name!r})' for name in some)}], in TOML "
                f"speeds = {json.dumps(some)}.",
            )
        return
    for index, speed in enumerate(mechanism.speeds):
        _check_speed(speed, carriers, mechanism)
        if _either_way(speed) in map(_either_way, mechanism.speeds[:index]):
            raise ModelError(title_of(speed), "is given twice", "independent speeds", "Remove one.")
    count = len(mechanism.speeds)
    if not least <= count <= len(coordinates):
        most = f" to {len(coordinates)}" if constrained and least < len(coordinates) else ""
        raise ModelError(
            "speeds",
            f"are {count}",
            f"{least}{most}, as many as the mechanism has degrees of freedom",
            "Add what is missing, or remove what depends on the others.",
        )


def _either_way(speed: GeneralizedSpeed) -> GeneralizedSpeed:
    """The speed, with the ends of a distance in alphabetical order: it is the same both ways."""
    if isinstance(speed, DistanceRate):
        return DistanceRate(*sorted((speed.first, speed.second)))
    return speed


def _check_speed(speed: GeneralizedSpeed, carriers: Carriers, mechanism: Mechanism) -> None:
    where = title_of(speed)
    if isinstance(speed, JointRate):
        if speed.joint not in mechanism.rates:
            raise ModelError(
                where,
                "is not the rate of a coordinate",
                f"one of {', '.join(map(repr, mechanism.rates))}",
                "Mend the joint's name.",
            )
        return
    if isinstance(speed, CombinedSpeed):
        _check_written(where, speed.equation, mechanism, carriers, combined=True)
        return
    if isinstance(speed, DistanceRate):
        carriers.check_pair(where, ("first frame", speed.first), ("second frame", speed.second))
        return
    check_unit(f"{where}, direction", speed.direction, mechanism)
    if isinstance(speed, AngularVelocityComponent):
        if speed.body not in {body.name for body in mechanism.bodies}:
            raise ModelError(
                where,
                f"{speed.body!r} is not a body",
                f"one of {', '.join(repr(body.name) for body in mechanism.bodies)}",
                "Mend the name.",
            )
        if carriers.of_body(speed.body) == BASE:
            raise ModelError(
                where, "that body is fixed to the base", "a body that can turn", "Choose another."
            )
    else:
        carriers.check_pair(where, ("frame", speed.frame), ("frame of reference", speed.relative_to))
