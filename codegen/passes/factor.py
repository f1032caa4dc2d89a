"""Factor: a x + b x becomes (a + b) x, where the products are used nowhere else.

Within each sum the factor shared by most single-use terms is taken out first; what remains in the bracket is factored in
its turn.  k terms with a common factor cost k - 1 multiplications less; additions stay the same.
"""

from __future__ import annotations

from collections.abc import Sequence

from kanegen.codegen.graph import Graph, Kind, Program, Ref
from kanegen.codegen.passes.rewrite import rebuild, use_counts


def factor(program: Program) -> Program:
    """Take common factors out of sums of single-use products."""
    source = program.graph
    uses = use_counts(program)

    def build(graph: Graph, index: int, operands: tuple[Ref, ...]) -> Ref | None:
        if source.kinds[index] is not Kind.SUM:
            return None
        single = [uses[abs(old)] == 1 for old in source.operands(index)]
        return factored_sum(graph, operands, single)

    return rebuild(program, build)


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
