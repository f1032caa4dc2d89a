"""Copying a program into a fresh graph, node by node: the frame in which passes are written."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from kanegen.codegen.graph import Graph, Kind, Program, Ref

Build = Callable[[Graph, int, tuple[Ref, ...]], Ref | None]
"""Given the new graph, an old node index and its operands in the new graph: the new reference, or None for a plain copy."""


def use_counts(program: Program) -> dict[int, int]:
    """How often each reachable node is used: by other nodes (once for each occurrence) and as a result."""
    graph = program.graph
    uses: dict[int, int] = {}
    for index in graph.reachable(program.roots):
        uses.setdefault(index, 0)
        for ref in graph.operands(index):
            uses[abs(ref)] = uses.get(abs(ref), 0) + 1
    for ref in program.roots:
        uses[abs(ref)] += 1
    return uses


def copy_node(graph: Graph, source: Graph, index: int, operands: tuple[Ref, ...]) -> Ref:
    """The same node in another graph, with operands already there."""
    kind, payload = source.kinds[index], source.payloads[index]
    if kind is Kind.CONSTANT:
        return graph.constant(payload[0])
    if kind is Kind.INPUT:
        return graph.input(*payload)
    if kind is Kind.PARAMETER:
        return graph.parameter(payload[0])
    if kind is Kind.SUM:
        return graph.sum(operands)
    if kind is Kind.PRODUCT:
        return graph.product(operands)
    if kind is Kind.QUOTIENT:
        return graph.quotient(*operands)
    if kind is Kind.SQUARE_ROOT:
        return graph.square_root(operands[0])
    return graph.sine(operands[0]) if kind is Kind.SINE else graph.cosine(operands[0])


def rebuild(program: Program, build: Build | None = None) -> Program:
    """Copy a program, letting ``build`` replace nodes; dead nodes are left behind and labels carried along."""
    source, graph = program.graph, Graph()
    new: dict[int, Ref] = {}
    for index in source.reachable(program.roots):
        operands = tuple(new[r] if r > 0 else -new[-r] for r in source.operands(index))
        ref = build(graph, index, operands) if build else None
        new[index] = copy_node(graph, source, index, operands) if ref is None else ref
    labels: dict[int, str] = {}
    for index, label in program.labels.items():
        if index in new:
            ref = new[index]
            if ref < 0:
                label = label[1:] if label.startswith("-") else "-" + label
            if graph.kinds[abs(ref)] > Kind.PARAMETER:
                labels.setdefault(abs(ref), label)
    results = tuple(tuple(_signed(graph, new[abs(r)], r) for r in refs) for refs in program.results)
    return replace(program, graph=graph, results=results, labels=labels)


def _signed(graph: Graph, ref: Ref, like: Ref) -> Ref:
    """The reference, negated where ``like`` is negative; zero has no sign."""
    return ref if like > 0 or ref == graph.zero else -ref
