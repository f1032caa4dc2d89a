"""Copying a program into a fresh graph, node by node: the frame in which passes are written."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

from kanegen.codegen.graph import Graph, Kind, Program, Ref
from kanegen.codegen.graph.compose import signed
from kanegen.codegen.graph.operations import copy_node

Build = Callable[[Graph, int, tuple[Ref, ...]], Ref | None]
"""Given the new graph, an old node index and its operands in the new graph: the new reference, or None for a plain copy."""


def use_counts(program: Program) -> dict[int, int]:
    """How often each reachable node is used, operands first: by other nodes (for each occurrence) and as a result."""
    graph = program.graph
    reachable = graph.reachable(program.roots)
    uses = dict.fromkeys(reachable, 0)
    for index in reachable:
        for ref in graph.operands(index):
            uses[ref if ref > 0 else -ref] += 1
    for ref in program.roots:
        uses[abs(ref)] += 1
    return uses


def rebuild(program: Program, build: Build | None = None, used: Iterable[int] | None = None) -> Program:
    """Copy a program, letting ``build`` replace nodes; dead nodes are left behind and labels carried along.

    ``used`` has the nodes that are not dead, operands first, where they are known.
    """
    source, graph = program.graph, Graph()
    new: dict[int, Ref] = {}
    for index in source.reachable(program.roots) if used is None else used:
        operands = tuple([new[r] if r > 0 else -new[-r] for r in source.operands(index)])
        ref = build(graph, index, operands) if build else None
        new[index] = copy_node(graph, source, index, operands) if ref is None else ref
    results = tuple(tuple(signed(graph, new[abs(r)], r).ref for r in refs) for refs in program.results)
    return with_names(replace(program, graph=graph, results=results), program, new)


def with_names(program: Program, source: Program, new: Mapping[int, Ref]) -> Program:
    """The program with the labels and meanings of another one, ``new`` being where nodes of that are in its graph."""
    graph = program.graph
    labels: dict[int, str] = {}
    for index, label in source.labels.items():
        if index in new:
            ref = new[index]
            if ref < 0:
                label = label[1:] if label.startswith("-") else "-" + label
            if graph.kinds[abs(ref)] > Kind.PARAMETER:
                labels.setdefault(abs(ref), label)
    graph.carry_meanings(source.graph, new)
    return replace(program, labels=labels)
