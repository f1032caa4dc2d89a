"""Decision points of a derivation: equal quantities that can be computed in several ways.

A derivation asks ``choices.pick("U_xy of D", 3, "D")`` wherever the mechanics offers several equal formulas, and goes on
with the alternative it is given.  The default is 0, the textbook formula.  A search (passes/search.py) sees which points
were asked, changes the answers, derives again and keeps what counts fewest operations.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache

from kanegen.codegen.derivation.placed_tree.recollection import Recollection
from kanegen.codegen.graph import Expression, Graph, Ref
from kanegen.codegen.graph.decision import Decision


@lru_cache(maxsize=4096)
def _decision(
    alternatives: int, bodies: tuple[str, ...], coarse: bool, whole: bool, late: bool, early: bool
) -> Decision:
    """A decision; a search meets the same few again and again."""
    return Decision(alternatives, frozenset(bodies), coarse, whole, late, early)


class Choices:
    """Answers to decision points, and a record of the points that were met.

    ``recollection`` has what derivations for other answers have built already; None where a program is to be used.
    """

    def __init__(
        self, answers: Mapping[str, int] | None = None, recollection: Recollection | None = None
    ) -> None:
        self._answers = answers or {}
        self.points: dict[str, Decision] = {}
        self.recollection = recollection
        if recollection is not None:
            recollection.begin(self._answers, self.points)

    def graph(self, of: str = "") -> Graph:
        """The graph to derive in, or that ``of`` a part which is derived in a graph of its own."""
        return Graph() if self.recollection is None else self.recollection.graph(of)

    def composed(
        self, arguments: Mapping[str, Sequence[Expression]], parameters: Mapping[str, Expression]
    ) -> dict[int, Ref] | None:
        """What nodes of such a part became for these inputs and parameters; None where nothing is recollected."""
        if self.recollection is None:
            return None
        return self.recollection.composed(
            tuple((name, *(x.ref for x in entries)) for name, entries in arguments.items()),
            tuple((name, x.ref) for name, x in parameters.items()),
        )

    def pick(
        self,
        point: str,
        alternatives: int,
        *bodies: str,
        coarse: bool = False,
        whole: bool = False,
        late: bool = False,
        early: bool = False,
    ) -> int:
        """Index of the alternative to use at this point, 0 <= index < alternatives.

        ``bodies`` are those whose formulas it concerns.  A ``coarse`` decision changes numbers that many formulas use, so
        that its worth shows only when the other decisions of these bodies are made anew.  A ``whole`` one is between
        methods, on which everything else depends.  The alternatives of an ``early`` one are compared before all else, too,
        those of a ``late`` one after all passes.
        """
        decision = self.points[point] = _decision(alternatives, bodies, coarse, whole, late, early)
        answer = self._answers.get(point, 0)
        if answer >= alternatives:
            answer = 0
        if self.recollection is not None:
            self.recollection.meet(point, decision, answer)
        return answer
