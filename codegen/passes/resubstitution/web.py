"""A program as a web of values, each made from one or two others, and back."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from random import Random

from kanegen.codegen.graph import Graph, Kind, Program, Ref
from kanegen.codegen.graph.operations import OPERATIONS, copy_node
from kanegen.codegen.passes.resubstitution.residues import NAMING, residues_of
from kanegen.codegen.passes.rewrite import with_names

LEAF, OPAQUE, SUM, PRODUCT, SCALED, SHIFTED = range(6)


@dataclass(frozen=True, slots=True)
class Made:
    """How a value comes about, as ``resubstitution.h`` has it; references are indices + 1, with a sign.

    ``number`` is that of what is scaled or shifted.  ``kind`` and ``name`` say what an opaque value is, whose operands are
    ``operands``; ``node`` is where a leaf or an opaque value stands in the graph that it is from.
    """

    form: int
    operands: tuple[int, ...] = ()
    number: Fraction | None = None
    kind: Kind | None = None
    name: str = ""
    node: int = 0


@dataclass(frozen=True)
class Web:
    """Values, leaves first, and the references of the results that are no numbers, in their order."""

    values: tuple[Made, ...]
    leaves: int
    results: tuple[int, ...]


def web_of(program: Program) -> Web:
    """The program as a web; what depends on numbers and parameters alone is a leaf, and so are sines of inputs."""
    graph = program.graph
    order = graph.reachable(program.roots)
    later = [i for i in order if not _is_leaf(graph, i)]
    used = {abs(ref) for i in later for ref in _varying(graph, i)}
    used |= {abs(ref) for ref in program.roots if not graph.is_constant(ref)}
    leaves = [i for i in order if i in used and _is_leaf(graph, i)]
    values = [Made(LEAF, node=i) for i in leaves]
    where: dict[int, int] = {i: k + 1 for k, i in enumerate(leaves)}

    def at(ref: Ref) -> int:
        return where[ref] if ref > 0 else -where[-ref]

    def add(made: Made) -> int:
        values.append(made)
        return len(values)

    for i in later:
        kind, operands = graph.kinds[i], graph.operands(i)
        if kind is not Kind.SUM and kind is not Kind.PRODUCT:
            where[i] = add(
                Made(OPAQUE, tuple(at(r) for r in operands), kind=kind, name=graph.names.get(i, ""), node=i)
            )
            continue
        numbers = [graph.value(ref) for ref in operands if graph.is_constant(ref)]
        varying = sorted(map(at, _varying(graph, i)), key=lambda ref: ref < 0)
        last = varying[0]
        for other in varying[1:]:
            last = add(Made(SUM if kind is Kind.SUM else PRODUCT, (last, other)))
        for number in numbers:
            last = add(Made(SHIFTED if kind is Kind.SUM else SCALED, (last,), number))
        where[i] = last
    results = tuple(at(ref) for ref in program.roots if not graph.is_constant(ref))
    return Web(tuple(values), len(leaves), results)


def _varying(graph: Graph, index: int) -> list[Ref]:
    """The operands that are values of their own: numbers are parts of sums and products."""
    operands = graph.operands(index)
    if graph.kinds[index] in (Kind.SUM, Kind.PRODUCT):
        return [ref for ref in operands if not graph.is_constant(ref)]
    return list(operands)


def _is_leaf(graph: Graph, index: int) -> bool:
    kind = graph.kinds[index]
    return (
        graph.parametric[index]
        or kind is Kind.INPUT
        or (kind in (Kind.SINE, Kind.COSINE) and graph.kinds[graph.payloads[index][0]] is Kind.INPUT)
    )


def program_of(web: Web, source: Program) -> Program:
    """The program of a web, whose leaves stand in that of ``source``.  Raises ValueError where this has other results."""
    graph, nodes = Graph(), source.graph
    if len(web.results) != sum(not nodes.is_constant(ref) for ref in source.roots):
        raise ValueError("other results are numbers")
    copied: dict[int, Ref] = {}

    def leaf(index: int) -> Ref:
        if index not in copied:
            operands = [leaf(r) if r > 0 else -leaf(-r) for r in nodes.operands(index)]
            copied[index] = copy_node(graph, nodes, index, operands)
        return copied[index]

    references = iter(results_in(graph, web, leaf))

    def result(ref: Ref) -> Ref:
        return graph.constant(nodes.value(ref)) if nodes.is_constant(ref) else next(references)

    results = tuple(tuple(result(ref) for ref in refs) for refs in source.results)
    found = replace(source, graph=graph, results=results)
    return with_names(found, source, _same_values(source, found))


def results_in(graph: Graph, web: Web, leaf: Callable[[int], Ref]) -> list[Ref]:
    """The results of a web, made in a graph; ``leaf`` makes what stands at a node of the graph that leaves are from."""
    built: list[Ref] = [0] * len(web.values)

    def at(reference: int) -> Ref:
        return built[reference - 1] if reference > 0 else -built[-reference - 1]

    for i in ordered(web):
        made = web.values[i]
        built[i] = leaf(made.node) if made.form == LEAF else _built(graph, made, list(map(at, made.operands)))
    return list(map(at, web.results))


def _same_values(source: Program, found: Program) -> dict[int, Ref]:
    """Where nodes of one program are in the other, by their residues."""
    here = {x.at: i for i, x in residues_of(found.graph, found.roots, NAMING).items()}
    there: dict[int, Ref] = {}
    for i, x in residues_of(source.graph, source.roots, NAMING).items():
        if x.at in here:
            there[i] = here[x.at]
        elif (-x).at in here:
            there[i] = -here[(-x).at]
    return there


def _built(graph: Graph, made: Made, operands: Sequence[Ref]) -> Ref:
    if made.form == SUM:
        return graph.sum(operands)
    if made.form == PRODUCT:
        return graph.product(operands)
    if made.number is None:
        assert made.kind is not None  # which an opaque value has
        return OPERATIONS[made.kind].build(graph, operands, made.name)
    if made.form == SCALED:
        return graph.scale(made.number, operands[0])
    return graph.sum((graph.constant(made.number), operands[0]))


def ordered(web: Web) -> list[int]:
    """Indices of the values that the results need, operands first, leaves before all in their order."""
    order: list[int] = []
    state = bytearray(len(web.values))
    for root in [*range(web.leaves), *(abs(r) - 1 for r in web.results)]:
        stack = [root]
        while stack:
            i = stack[-1]
            if state[i]:
                if state[i] == 1:
                    state[i] = 2
                    order.append(i)
                stack.pop()
                continue
            state[i] = 1
            stack.extend(j for j in (abs(r) - 1 for r in web.values[i].operands) if not state[j])
    return order


def neighbourhood(web: Web, size: int, random: Random) -> list[int]:
    """Indices of so many values that are made from one another, around one at random, behind the leaves that they need.

    Every other one is the next one found, and every other one any.
    """
    near: list[list[int]] = [[] for _ in web.values]
    for index, made in enumerate(web.values):
        for other in (abs(r) - 1 for r in made.operands):
            near[index].append(other)
            if other >= web.leaves:
                near[other].append(index)
    waiting = [int(web.leaves + random.random() * (len(web.values) - web.leaves))]
    inside, leaves = set(waiting), set[int]()
    while waiting:
        at = int(random.random() * len(waiting)) if len(inside) % 2 else 0
        for index in near[waiting.pop(at)]:
            if index < web.leaves:
                leaves.add(index)
            elif index not in inside and len(inside) < size:
                inside.add(index)
                waiting.append(index)
    return sorted(leaves) + sorted(inside)


def renumbered(web: Web) -> Web:
    """The same web with its values in ``ordered`` order, and without what nothing needs."""
    order = ordered(web)
    to = {i: k + 1 for k, i in enumerate(order)}

    def moved(references: Sequence[int]) -> tuple[int, ...]:
        return tuple(to[r - 1] if r > 0 else -to[-r - 1] for r in references)

    values = tuple(replace(web.values[i], operands=moved(web.values[i].operands)) for i in order)
    return Web(values, web.leaves, moved(web.results))
