"""One mechanism of two: the second stands on a frame of the first."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from typing import Any

from kanegen.codegen.graph import Expression, Graph, Ref
from kanegen.codegen.graph.late import sympy
from kanegen.codegen.mechanism.control_law import ControlLaw
from kanegen.codegen.mechanism.edits.placing import placed_at
from kanegen.codegen.mechanism.edits.renaming import renamed
from kanegen.codegen.mechanism.findings import Finding, Severity
from kanegen.codegen.mechanism.folding import mapped
from kanegen.codegen.mechanism.force_elements import ForceElement
from kanegen.codegen.mechanism.records import BASE, Mechanism, Parameter, Value
from kanegen.codegen.mechanism.references import (
    FRAMES,
    Equation,
    by_names,
    refitted_constraint,
    refitted_law,
    with_names,
)
from kanegen.codegen.mechanism.rounded_angles import AngleRule
from kanegen.codegen.mechanism.validation.exact import title_of, values_of
from kanegen.codegen.mechanism.validation.tree import depth_first
from kanegen.codegen.mechanism.values import Lift, home_values, plain
from kanegen.codegen.mechanism.vectors import add, matrix_multiply, matrix_vector
from kanegen.errors import ModelError, did_you_mean

_RECORDS = (
    *("bodies", "joints", "frames", "actuators", "parameters", "loops"),
    *("constraints", "prescribed", "springs", "balls", "mimics", "flexible"),
)
_TEXTS = ("unit", "description", "title", "source", "references", "law", "time", "entry")
"""Fields of records with text that names nothing."""

_KINDS = {"bodies": "link", "joints": "joint", "balls": "joint", "frames": "frame", "parameters": "parameter"}
_KINDS |= {"springs": "spring", "loops": "loop", "constraints": "equation", "laws": "control law"}


def attached(
    a: Mechanism,
    b: Mechanism,
    at: str,
    placement: Sequence[float],
    names: str | Mapping[str, str],
    angles: AngleRule,
    findings: list[Finding],
) -> Mechanism:
    """Both mechanisms, with what ``b`` calls its base placed by (x, y, z, roll, pitch, yaw) in the frame ``at`` of ``a``.

    ``names`` are what all names of ``b`` begin with, or new ones for its joints, links and frames, old to new.  Coordinates,
    speeds and home are those of ``a``, then those of ``b``; gravity is that of ``a``.  Control laws put no force on what is
    new; those that refer to entries of other kernels are left out, and told in ``findings``.  Raises ModelError.
    """
    if at != BASE and at not in (known := [frame.name for frame in a.frames]):
        raise ModelError(
            f"attach at {at!r}",
            f"is no frame of {a.name!r}",
            f"base, or one of {', '.join(map(repr, known))}",
            did_you_mean(at, known, "Give one of these."),
        )
    graphs = (value.graph for _, value in values_of(a) if isinstance(value, Expression))
    graph = next(graphs, None) or Graph()
    b = _with_prefix(b, names, graph) if isinstance(names, str) else _in_graph(renamed(b, names), "", graph)
    _require_different_names(a, b)
    first, second = by_names(a), by_names(_on_frame(placed_at(b, placement, angles), a, at))
    coordinates = first.coordinates + second.coordinates
    both: dict[str, Any] = {name: getattr(first, name) + getattr(second, name) for name in _RECORDS}
    both["joints"] = depth_first(both["joints"], [body.name for body in both["bodies"]])
    both["constraints"] = tuple(refitted_constraint(item, coordinates) for item in both["constraints"])
    found = replace(
        first,
        name=f"{a.name}_{b.name}",
        coordinates=coordinates,
        speeds=a.generalized_speeds + second.generalized_speeds
        if any(one.speeds or one.tied for one in (a, b))
        else (),
        home=home_values(a) + home_values(b) if a.home or b.home else (),
        laws=(),
        unphysical=a.unphysical or b.unphysical,
        **both,
    )
    return replace(found, laws=tuple(law for own in (first, second) for law in _laws(own, found, findings)))


def _with_prefix(m: Mechanism, prefix: str, graph: Graph) -> Mechanism:
    """The mechanism with this before all names but that of the base, and its values in a graph."""

    def called(part: Any) -> Any:
        if isinstance(part, str):
            return part if part == BASE else prefix + part
        if isinstance(part, tuple):
            return tuple(map(called, part))
        if not is_dataclass(part) or isinstance(part, type):
            return part
        texts = {field.name: getattr(part, field.name) for field in fields(part) if field.name not in _TEXTS}
        return replace(part, **{name: called(value) for name, value in texts.items()})

    named = {name: called(getattr(m, name)) for name in (*_RECORDS, "coordinates", "speeds", "laws")}
    return _in_graph(replace(m, **named), prefix, graph, m.parameters)


def _in_graph(m: Mechanism, prefix: str, graph: Graph, before: Sequence[Parameter] = ()) -> Mechanism:
    """The mechanism with its values in a graph, and the parameters in values, equations and laws renamed with it."""
    lift = _Prefixed(graph, prefix)
    symbols = {p.name: sympy.Symbol(prefix + p.name, real=True) for p in before}

    def copied(value: Value) -> Value:
        return plain(lift(value)) if isinstance(value, Expression) else value

    def equation(item: Any) -> Any:
        if not isinstance(item, Equation):
            return item
        known = {s: symbols[s.name] for s in item.expression.free_symbols if s.name in symbols}
        return replace(item, expression=item.expression.xreplace(known))

    found: Mechanism = mapped(replace(m, rounded=None), copied)
    return replace(
        found,
        constraints=tuple(map(equation, found.constraints)),
        springs=tuple(
            replace(x, law=x.law.with_numbers(symbols)) if isinstance(x, ForceElement) else x
            for x in found.springs
        ),
        laws=tuple(law.with_numbers(symbols) for law in found.laws),
    )


class _Prefixed(Lift):
    """Copies values with another name for each parameter."""

    def __init__(self, graph: Graph, prefix: str) -> None:
        super().__init__(graph, live=True)
        self._prefix = prefix

    def _parameter(self, name: str) -> Ref:
        return self.graph.parameter(self._prefix + name)


def _require_different_names(a: Mechanism, b: Mechanism) -> None:
    """Raise ModelError where both have a thing of the same kind and name."""
    for records, kind in _KINDS.items():
        taken = {record.name for record in getattr(a, records)}
        for record in getattr(b, records):
            if record.name in taken:
                raise ModelError(
                    f"attach {b.name!r}",
                    f"has a {kind} {record.name!r}, as {a.name!r} has",
                    "a name that the other model does not have",
                    "Give new ones: names='left_' begins all of them with it, names={'old': 'new'} changes single ones.",
                )


def _on_frame(b: Mechanism, a: Mechanism, at: str) -> Mechanism:
    """The mechanism with what is fixed to its base, and what it calls base, on a frame of another one."""
    if at == BASE:
        return b
    frame = a.frame(at)

    def moved(item: Any, carrier: str, **onto: str) -> Any:
        if carrier != BASE:
            return item
        return replace(
            item,
            rotation=matrix_multiply(frame.rotation, item.rotation),
            position=add(frame.position, matrix_vector(frame.rotation, item.position)),
            **onto,
        )

    named: dict[str, Any] = {
        name: tuple(with_names(record, {BASE: at}, FRAMES) for record in getattr(b, name))
        for name in ("loops", "constraints", "springs", "speeds")
    }
    return replace(
        b,
        joints=tuple(moved(joint, joint.parent, parent=frame.body) for joint in b.joints),
        frames=tuple(moved(one, one.body, body=frame.body) for one in b.frames),
        **named,
    )


def _laws(own: Mechanism, found: Mechanism, findings: list[Finding]) -> Iterator[ControlLaw]:
    """The laws of one of the mechanisms for both."""
    for law in own.laws:
        if law.quantities():
            what = f"is left out: entries of {law.quantities()[0].kernel} are others now"
            expected = "laws without quantities of the mechanism"
            findings.append(
                Finding(Severity.WARNING, title_of(law), what, expected, "Add it to the mechanism of both.")
            )
        else:
            yield refitted_law(law, own, found)
