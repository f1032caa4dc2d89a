"""Sums and products: those used once spliced into others, common factors taken out, products in lowest terms.

- *Flatten*: a sum used once inside a sum, or a product used once inside a product, is spliced into it.  Terms that were kept
  apart by the steps of a derivation meet, like terms are collected, and what cancels vanishes.  Where collecting would only
  trade an addition for a multiplication (x + x for 2 x), the sum stays as it was derived.
- *Factor*: a x + b x becomes (a + b) x, where the products are used nowhere else.  Within each sum the factor shared by most
  single-use terms is taken out first; what remains in the bracket is factored in its turn.  k terms with a common factor
  cost k - 1 multiplications less; additions stay the same.
- *Cancel*: a product with what one of its factors divides by loses both.  Passes that open and close brackets bring a value
  together with its own reciprocal.  It is done last: as long as terms have a common denominator, they can still be brought
  together over it.
"""

from __future__ import annotations

from collections.abc import Sequence

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

    return rebuild(program, build, uses)


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


def factor(program: Program) -> Program:
    """Take common factors out of sums of single-use products."""
    source = program.graph
    uses = use_counts(program)

    def build(graph: Graph, index: int, operands: tuple[Ref, ...]) -> Ref | None:
        if source.kinds[index] is not Kind.SUM:
            return None
        single = [uses[abs(old)] == 1 for old in source.operands(index)]
        return factored_sum(graph, operands, single)

    return rebuild(program, build, uses)


def factored_sum(graph: Graph, terms: Sequence[Ref], single: Sequence[bool]) -> Ref:
    """The sum of the terms with common factors taken out; ``single[i]`` says that term i is used nowhere else."""
    open_terms = list(zip(terms, single, strict=True))
    while True:
        occurrences: dict[Ref, list[int]] = {}
        for position, (term, free) in enumerate(open_terms):
            if free and graph.kind(term) is Kind.PRODUCT:
                for f in dict.fromkeys(graph.operands(term)):
                    occurrences.setdefault(f, []).append(position)
        best = max(occurrences, key=lambda f: (len(occurrences[f]), -f), default=None)
        if best is None or len(occurrences[best]) < 2:
            return graph.sum(term for term, _ in open_terms)
        members = occurrences[best]
        rest = [_without(graph, open_terms[position][0], best) for position in members]
        inner = factored_sum(graph, rest, [True] * len(rest))
        taken = set(members)
        open_terms = [entry for position, entry in enumerate(open_terms) if position not in taken]
        open_terms.append((graph.product((best, inner)), True))


def _without(graph: Graph, term: Ref, removed: Ref) -> Ref:
    """The product without one occurrence of a factor."""
    factors = list(graph.operands(term))
    factors.remove(removed)
    return graph.product([*factors, graph.one if term > 0 else -graph.one])


def cancel(program: Program) -> Program:
    """Products in lowest terms."""
    source = program.graph

    def build(graph: Graph, index: int, operands: tuple[Ref, ...]) -> Ref | None:
        return graph.cancelled(operands) if source.kinds[index] is Kind.PRODUCT else None

    return rebuild(program, build)
