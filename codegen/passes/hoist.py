"""Hoist: what depends on parameters alone is computed once, in a prepare step, not in every call.

Every kernel then reads the values it needs from a prepared struct, so that a kernel with live parameters counts (almost)
the same operations as one with numbers folded in.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from kanegen.codegen.graph import Argument, Graph, Kind, Program, Ref
from kanegen.codegen.graph.operations import copy_node
from kanegen.codegen.passes.rewrite import rebuild


@dataclass(frozen=True)
class Hoisted:
    """Kernels whose PARAMETER nodes name prepared values, and the program that prepares these.

    ``prepare`` has one scalar output for each prepared value, of that name; its PARAMETER nodes are the model's own.
    It is None when no kernel needs a parameter.
    """

    kernels: tuple[Program, ...]
    prepare: Program | None


def hoist(kernels: Sequence[Program]) -> Hoisted:
    """Move parameter-only work of all kernels into one prepare program, shared between them."""
    graph = Graph()
    prepared: dict[int, str] = {}
    names: list[str] = []
    roots: list[Ref] = []
    own = {
        program.graph.payloads[i][0]
        for program in kernels
        for i in program.graph.reachable(program.roots)
        if program.graph.kinds[i] is Kind.PARAMETER
    }

    def prepare(source: Graph, index: int) -> str:
        """Name of the prepared value of a parametric node."""
        copies: dict[int, Ref] = {}
        for i in source.reachable([index]):
            copies[i] = copy_node(
                graph, source, i, tuple(copies[r] if r > 0 else -copies[-r] for r in source.operands(i))
            )
        ref = copies[index]
        if ref not in prepared:
            if graph.kind(ref) is Kind.PARAMETER:
                name = graph.payloads[ref][0]
            else:
                number = len(names)
                name = f"p{number}"
                while name in own or name in names:
                    number += 1
                    name = f"p{number}_"
            prepared[ref] = name
            names.append(name)
            roots.append(ref)
        return prepared[ref]

    hoisted = tuple(_hoist_one(program, prepare) for program in map(_grouped, kernels))
    if not names:
        return Hoisted(hoisted, None)
    outputs = tuple(Argument(name, (), "", "prepared from the model's parameters") for name in names)
    program = Program(
        name="prepare",
        title="values that depend on the model's parameters alone",
        source="parameter-only subexpressions of all kernels",
        inputs=(),
        outputs=outputs,
        graph=graph,
        results=tuple((ref,) for ref in roots),
    )
    return Hoisted(hoisted, program)


def _grouped(program: Program) -> Program:
    """Collect the parametric operands of each varying sum or product in one node of their own."""
    source = program.graph

    def build(graph: Graph, index: int, operands: tuple[Ref, ...]) -> Ref | None:
        kind = source.kinds[index]
        if source.parametric[index] or kind not in (Kind.SUM, Kind.PRODUCT):
            return None
        fixed = [r for r in operands if graph.parametric[abs(r)]]
        if len(fixed) < 2:
            return None
        varying = [r for r in operands if not graph.parametric[abs(r)]]
        combine = graph.sum if kind is Kind.SUM else graph.product
        return combine([combine(fixed), *varying])

    return rebuild(program, build)


def _hoist_one(program: Program, prepare: Callable[[Graph, int], str]) -> Program:
    """Replace the parametric operands of varying nodes, and parametric results, by prepared values."""
    source = program.graph
    needed = {abs(r) for r in program.roots}
    for index in source.reachable(program.roots):
        if not source.parametric[index]:
            needed.update(abs(r) for r in source.operands(index))

    def build(graph: Graph, index: int, operands: tuple[Ref, ...]) -> Ref | None:
        if not source.parametric[index] or source.kinds[index] is Kind.CONSTANT:
            return None
        # parametric nodes that only feed other parametric nodes are not needed here; any reference does for them
        return graph.parameter(prepare(source, index)) if index in needed else graph.one

    return rebuild(program, build)
