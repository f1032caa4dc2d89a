"""Flatten: a sum used once inside a sum, or a product used once inside a product, is spliced into it.

Terms that were kept apart by the steps of a derivation meet, like terms are collected, and what cancels vanishes.  Where
collecting would only trade an addition for a multiplication (x + x for 2 x), the sum stays as it was derived.
"""

from __future__ import annotations

from kanegen.codegen.graph import Graph, Kind, Program, Ref
from kanegen.codegen.passes.rewrite import rebuild, use_counts


def flatten(program: Program) -> Program:
    """Splice single-use sums into sums and single-use products into products."""
    source = program.graph
    uses = use_counts(program)

    def build(graph: Graph, index: int, operands: tuple[Ref, ...]) -> Ref | None:
        kind = source.kinds[index]
        if kind is not Kind.SUM and kind is not Kind.PRODUCT:
            return None
        mine = list(operands)
        inner = [
            new
            for old, new in zip(source.operands(index), operands, strict=True)
            if uses[abs(old)] == 1 and source.kinds[abs(old)] is kind and graph.kind(new) is kind
        ]
        for ref in inner:
            mine.remove(ref)
            if kind is Kind.PRODUCT:
                mine += [*graph.operands(ref), graph.one if ref > 0 else -graph.one]
                continue
            terms = [r if ref > 0 else -r for r in graph.operands(ref)]
            mine += terms if _worth_collecting(graph, mine, terms) else [ref]
        if not inner:
            return None
        return graph.sum(mine) if kind is Kind.SUM else graph.product(mine)

    return rebuild(program, build)


def _worth_collecting(graph: Graph, outer: list[Ref], inner: list[Ref]) -> bool:
    """Whether splicing saves operations, or costs none: like terms must cancel or merge with factors already there."""
    bases = {base: coefficient for coefficient, base in map(graph.split_coefficient, outer)}
    saved = 0
    for coefficient, base in map(graph.split_coefficient, inner):
        if base in bases:
            together = coefficient + bases[base]
            products = (abs(coefficient) != 1) + (abs(bases[base]) != 1)
            saved += 2 + products if together == 0 else 1 + products - 2 * (abs(together) != 1)
    return saved >= 0
