"""Decision points of a derivation: equal quantities that can be computed in several ways.

A derivation asks ``choices.pick("U_xy of D", 3, "D")`` wherever the mechanics offers several equal formulas, and goes on
with the alternative it is given.  The default is 0, the textbook formula.  A search (passes/search.py) sees which points
were asked, changes the answers, derives again and keeps what counts fewest operations.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from kanegen.codegen.graph.decision import Decision


@lru_cache(maxsize=4096)
def _decision(alternatives: int, bodies: tuple[str, ...], coarse: bool, whole: bool, late: bool) -> Decision:
    """A decision; a search meets the same few again and again."""
    return Decision(alternatives, frozenset(bodies), coarse, whole, late)


class Choices:
    """Answers to decision points, and a record of the points that were met."""

    def __init__(self, answers: Mapping[str, int] | None = None) -> None:
        self._answers = answers or {}
        self.points: dict[str, Decision] = {}

    def pick(
        self,
        point: str,
        alternatives: int,
        *bodies: str,
        coarse: bool = False,
        whole: bool = False,
        late: bool = False,
    ) -> int:
        """Index of the alternative to use at this point, 0 <= index < alternatives.

        ``bodies`` are those whose formulas it concerns.  A ``coarse`` decision changes numbers that many formulas use, so
        that its worth shows only when the other decisions of these bodies are made anew.  A ``whole`` one is between
        methods, on which everything else depends.  The alternatives of a ``late`` one are compared after all passes, too.
        """
        self.points[point] = _decision(alternatives, bodies, coarse, whole, late)
        answer = self._answers.get(point, 0)
        return answer if answer < alternatives else 0
