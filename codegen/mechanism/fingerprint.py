"""A hash of everything that makes a mechanism what it is."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from kanegen.codegen.graph import Expression, Graph, Kind
from kanegen.codegen.graph.late import sympy
from kanegen.codegen.graph.sympy_bridge import from_sympy
from kanegen.codegen.mechanism.constraints import (
    Constraint,
    KnifeEdge,
    Prescribed,
    PrescribedRate,
    RollingContact,
    SpringDamper,
    TorsionalSpringDamper,
    VelocityConstraint,
)
from kanegen.codegen.mechanism.control_law import ControlLaw, live_parameters
from kanegen.codegen.mechanism.flexible_records import FlexibleLink
from kanegen.codegen.mechanism.force_elements import Bushing, ForceElement, JointSum
from kanegen.codegen.mechanism.records import Joint, Matrix3, Mechanism, Value, Vector3
from kanegen.codegen.mechanism.speeds import (
    AngularVelocityComponent,
    CombinedSpeed,
    DistanceRate,
    GeneralizedSpeed,
    JointRate,
)

FORMAT = "kanegen mechanism 1"


def fingerprint(mechanism: Mechanism) -> str:
    """SHA-256, hexadecimal, over a canonical text of the mechanism.

    Equal for equal descriptions, whatever the order in which the terms of an expression were written;
    independent of machine, process and hash seed.
    """
    text = json.dumps(_document(mechanism), ensure_ascii=True, separators=(",", ":"))
    return hashlib.sha256(text.encode("ascii")).hexdigest()


def _document(mechanism: Mechanism) -> list[object]:
    write = _ValueText()
    return [
        FORMAT,
        mechanism.name,
        [
            [
                body.name,
                None
                if body.inertia is None
                else [
                    write(body.inertia.mass),
                    write.vector(body.inertia.center),
                    write.matrix(body.inertia.tensor),
                ],
            ]
            for body in mechanism.bodies
        ],
        [
            [
                joint.name,
                joint.kind.value,
                joint.parent,
                joint.child,
                write.matrix(joint.rotation),
                write.vector(joint.position),
                write.vector(joint.axis),
            ]
            for joint in mechanism.joints
        ],
        list(mechanism.coordinates),
        write.vector(mechanism.gravity),
        [
            [frame.name, frame.body, write.matrix(frame.rotation), write.vector(frame.position)]
            for frame in mechanism.frames
        ],
        [[actuator.joint, actuator.name, actuator.sign] for actuator in mechanism.actuators],
        [[p.name, str(p.value), p.unit, p.description] for p in mechanism.parameters],
        [[law.name, law.title, law.source, *_law(law, mechanism)] for law in mechanism.laws],
        *_motion(mechanism, write),
    ]


def _motion(mechanism: Mechanism, write: _ValueText) -> list[object]:
    """What plain trees do not have, each under its name; nothing for those, whose hashes are older than these records."""
    groups: tuple[tuple[str, list[object]], ...] = (
        ("loops", [[loop.name, loop.kind.value, loop.first, loop.second] for loop in mechanism.loops]),
        ("constraints", [_constraint(item, mechanism, write) for item in mechanism.constraints]),
        ("prescribed", [_prescribed(given, mechanism, write) for given in mechanism.prescribed]),
        ("speeds", [_speed(speed, mechanism, write) for speed in mechanism.speeds]),
        ("springs", [_spring(spring, write) for spring in mechanism.springs]),
        ("home", [write(x) for x in mechanism.home]),
        ("drives", [drive for joint in mechanism.joints if (drive := _drive(joint, write))]),
        ("balls", [[ball.name, ball.free, list(ball.joints)] for ball in mechanism.balls]),
        ("mimics", [[m.joint, m.leader, write(m.multiplier), write(m.offset)] for m in mechanism.mimics]),
        ("flexible", [_flexible(link, write) for link in mechanism.flexible]),
        ("carriers", [body.name for body in mechanism.bodies if body.carrier]),
    )
    return [[name, entries] for name, entries in groups if entries]


def _flexible(link: FlexibleLink, write: _ValueText) -> list[object]:
    def each(values: Any) -> object:
        return [each(x) for x in values] if isinstance(values, tuple) else write(values)

    m = link.integrals
    stations = [("", link.end), *link.stations]
    return [
        link.body,
        list(link.modes),
        each((m.mass, m.first, m.second, m.mode_first, m.mode_mixed, m.mode_products)),
        each((link.stiffness, link.damping)),
        [[name, each((s.position, s.displacements, s.rotations))] for name, s in stations],
    ]


def _drive(joint: Joint, write: _ValueText) -> list[object]:
    """What resists a joint and limits it; nothing where there is nothing."""
    resisting = (joint.rotor_inertia, joint.damping, joint.friction)
    limits = joint.limits
    bounds = () if limits is None else (limits.lower, limits.upper, limits.velocity, limits.effort)
    if all(x == 0 for x in resisting) and all(x is None for x in bounds):
        return []
    return [joint.name, [write(x) for x in resisting], [None if x is None else str(x) for x in bounds]]


def _constraint(item: Constraint, mechanism: Mechanism, write: _ValueText) -> list[object]:
    if isinstance(item, RollingContact):
        return ["rolling", item.name, item.wheel, write(item.radius), item.ground, item.contact]
    if isinstance(item, KnifeEdge):
        return ["knife edge", item.name, item.edge, item.ground]
    graph = Graph()
    known = {symbol: Expression(graph, graph.input("q", i)) for i, symbol in enumerate(item.q)}
    if isinstance(item, VelocityConstraint):
        known |= {symbol: Expression(graph, graph.input("qdot", i)) for i, symbol in enumerate(item.qdot)}
    known |= {part.symbol: Expression(graph, graph.input(part.name)) for part in item.frames}
    text = _written(item.expression, known, mechanism, graph, item.time)
    return ["velocity" if isinstance(item, VelocityConstraint) else "position", item.name, text]


def _written(
    expression: sympy.Expr,
    known: Mapping[sympy.Symbol, Expression],
    mechanism: Mechanism,
    graph: Graph,
    time: sympy.Symbol | None,
) -> str:
    """An expression in these symbols, in time, parameters, and joints that move as functions of time, by their names."""
    names = live_parameters(graph, (p.name for p in mechanism.parameters))
    times = {} if time is None else {time: Expression(graph, graph.input("t"))}
    found = {**times, **known}
    for symbol in expression.free_symbols - set(found):
        found[symbol] = names.get(symbol.name) or Expression(graph, graph.input(symbol.name))
    return _ValueText()(from_sympy(graph, expression, found))


def _prescribed(given: Prescribed, mechanism: Mechanism, write: _ValueText) -> list[object]:
    if isinstance(given, PrescribedRate):
        return [given.joint, write(given.rate)]
    return [given.joint, "motion", _written(given.expression, {}, mechanism, Graph(), given.time)]


def _speed(speed: GeneralizedSpeed, mechanism: Mechanism, write: _ValueText) -> list[object]:
    if isinstance(speed, CombinedSpeed):
        return ["combined", *_constraint(speed.equation, mechanism, write)]
    if isinstance(speed, JointRate):
        return ["rate", speed.joint]
    if isinstance(speed, AngularVelocityComponent):
        return ["angular velocity", speed.body, write.vector(speed.direction)]
    if isinstance(speed, DistanceRate):
        return ["distance", speed.first, speed.second]
    return ["point velocity", speed.frame, write.vector(speed.direction), speed.relative_to]


def _spring(spring: SpringDamper, write: _ValueText) -> list[object]:
    if isinstance(spring, ForceElement):
        path, program = spring.displacement, spring.law.program()
        where = (
            ["joints", list(path.joints), [write(x) for x in path.coefficients]]
            if isinstance(path, JointSum)
            else ["path", list(path.frames)]
        )
        law = [write(Expression(program.graph, ref)) for (ref,) in program.results[:3]]
        return ["element", spring.name, where, law]
    if isinstance(spring, Bushing):
        matrices = [
            [write(x) for x in row] for matrix in (spring.stiffness, spring.damping) for row in matrix
        ]
        return ["bushing", spring.name, spring.first, spring.second, matrices]
    values = [write(spring.stiffness), write(spring.damping), write(spring.rest)]
    if isinstance(spring, TorsionalSpringDamper):
        return ["joint", spring.name, spring.joint, *values]
    return ["frames", spring.name, spring.first, spring.second, *values]


def _law(law: ControlLaw, mechanism: Mechanism) -> list[object]:
    """The forces of a law as functions of t, q, v and the parameters, whatever its symbols are called.

    Where it has more, then its states, signals and quantities of the mechanism.
    """
    graph = Graph()
    write = _ValueText()
    parameters = live_parameters(graph, (p.name for p in mechanism.parameters))
    quantities: list[object] = []

    def kernel(name: str, given: Mapping[str, Sequence[Expression]]) -> Sequence[Expression]:
        quantities.append([name, [[k, [write(x) for x in row]] for k, row in given.items()]])
        number, most = len(quantities), 1 + max(q.entry for q in law.quantities())
        return [Expression(graph, graph.input(f"{name} {number}", i)) for i in range(most)]

    forces, rates = law.on_inputs(graph, parameters, kernel)
    states = [
        [state.name, write(rate), str(state.initial)] for state, rate in zip(law.states, rates, strict=True)
    ]
    more = [states, list(law.references), quantities]
    return [[write(force) for force in forces], *([more] if any(more) else [])]


class _ValueText:
    """Canonical texts of values: ratios, or hashes of expressions that do not depend on the order of
    operands.
    """

    def __init__(self) -> None:
        self._graph: Graph | None = None
        self._nodes: dict[int, tuple[int, str]] = {}

    def __call__(self, value: Value) -> str:
        if isinstance(value, Fraction):
            return str(value)
        sign, text = self._node(value)
        return text if sign > 0 else f"-{text}"

    def vector(self, vector: Vector3) -> list[str]:
        return [self(entry) for entry in vector]

    def matrix(self, matrix: Matrix3) -> list[list[str]]:
        return [self.vector(row) for row in matrix]

    def _node(self, value: Expression) -> tuple[int, str]:
        """Sign and text of an expression."""
        if self._graph is not value.graph:
            self._graph, self._nodes = value.graph, {}
        for index in value.graph.reachable([value.ref]):
            if index not in self._nodes:
                self._nodes[index] = self._describe(value.graph, index)
        return self._signed(value.ref)

    def _signed(self, ref: int) -> tuple[int, str]:
        sign, text = self._nodes[abs(ref)]
        return (sign, text) if ref > 0 else (-sign, text)

    def _describe(self, graph: Graph, index: int) -> tuple[int, str]:
        kind, payload = graph.kinds[index], graph.payloads[index]
        if kind is Kind.CONSTANT:
            return 1, str(payload[0])
        if kind is Kind.PARAMETER or kind is Kind.INPUT:
            return 1, json.dumps([kind.name, *payload])
        operands = [self._signed(ref) for ref in payload]
        sign = 1
        if kind is Kind.SUM:
            operands.sort(key=lambda operand: operand[1])
            sign = operands[0][0]
            operands = [(sign * s, text) for s, text in operands]
        elif kind is Kind.PRODUCT or kind is Kind.QUOTIENT:
            for s, _ in operands:
                sign *= s
            operands = [(1, text) for _, text in operands]
            if kind is Kind.PRODUCT:
                operands.sort(key=lambda operand: operand[1])
        digest = hashlib.sha256(
            json.dumps([graph.names.get(index, kind.name), operands]).encode("ascii")
        ).hexdigest()
        return sign, digest
