"""Composition: a program's results for inputs that are themselves expressions of another graph."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from kanegen.codegen.graph.expression import Expression
from kanegen.codegen.graph.graph import Graph, Kind, Ref
from kanegen.codegen.graph.operations import copy_node
from kanegen.codegen.graph.program import Program


def compose(
    program: Program,
    graph: Graph,
    arguments: Mapping[str, Sequence[Expression]],
    labels: dict[int, str] | None = None,
    parameters: Mapping[str, Expression] | None = None,
    known: dict[int, Ref] | None = None,
) -> list[list[Expression]]:
    """The outputs of ``program``, one list each, with its inputs replaced by ``arguments`` (entries by name) of ``graph``.

    Names of quantities are added to ``labels`` where that is given.  Inputs without a replacement stay inputs; so do
    parameters, unless ``parameters`` replaces them.  ``known`` has what nodes became that were composed before, with the
    same arguments, and gets the others.
    """
    source = program.graph
    new: dict[int, Ref] = {} if known is None else known
    for index in _not_among(new, source, program.roots) if new else source.reachable(program.roots):
        payload = source.payloads[index]
        if source.kinds[index] is Kind.INPUT and payload[0] in arguments:
            new[index] = arguments[payload[0]][payload[1]].ref
        elif parameters and source.kinds[index] is Kind.PARAMETER and payload[0] in parameters:
            new[index] = parameters[payload[0]].ref
        else:
            operands = tuple(new[r] if r > 0 else -new[-r] for r in source.operands(index))
            new[index] = copy_node(graph, source, index, operands)
        if labels is not None and index in program.labels and graph.kinds[abs(new[index])] > Kind.PARAMETER:
            label = program.labels[index]
            if new[index] < 0:
                label = label[1:] if label.startswith("-") else "-" + label
            labels.setdefault(abs(new[index]), label)
    graph.carry_meanings(source, new)
    return [[signed(graph, new[abs(r)], r) for r in refs] for refs in program.results]


def _not_among(known: Mapping[int, Ref], graph: Graph, roots: Iterable[Ref]) -> list[int]:
    """Nodes that the roots need and that are not known, operands first: the work is theirs, however many are known."""
    found = {abs(root) for root in roots if abs(root) not in known}
    stack = list(found)
    while stack:
        for ref in graph.operands(stack.pop()):
            index = abs(ref)
            if index not in known and index not in found:
                found.add(index)
                stack.append(index)
    return sorted(found)


def signed(graph: Graph, ref: Ref, like: Ref) -> Expression:
    """The reference, negated where ``like`` is negative; zero has no sign."""
    return Expression(graph, ref if like > 0 or ref == graph.zero else -ref)
