"""Decision: a place where a program could have been derived differently."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from kanegen.manifest import OperationCounts


@dataclass(frozen=True, slots=True)
class Decision:
    """Number of alternatives, what they concern, and whether other decisions there should be made anew after a change.

    A ``whole`` decision is between methods: everything else depends on it.  The worth of a ``late`` one shows only in what
    the passes after a search make of its alternatives.  Those of an ``early`` one are compared where a search starts: later,
    when everything else suits the one taken, another would have to make up for that first.
    """

    alternatives: int
    scope: frozenset[str]
    coarse: bool = False
    whole: bool = False
    late: bool = False
    early: bool = False

    @property
    def fine(self) -> bool:
        """Whether a search changes it alone, and its worth shows there."""
        return not self.coarse and not self.late


@dataclass(frozen=True, slots=True)
class Weighed:
    """What a search knows of a program: the decision points met, its counts, and nodes, those without a use included.

    Programs with the same ``results`` are the same; None where that is not known.
    """

    points: Mapping[str, Decision]
    counts: OperationCounts
    nodes: int
    results: tuple[int, ...] | None = None
