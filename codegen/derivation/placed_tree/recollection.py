"""What the derivations of a search have in common: one graph, and the quantities in it that were built before.

A search changes an answer, derives again and counts.  Most quantities of the next program are those of the one before: all
that hang on answers which are the same.  Here each is kept with the decision points that were met while it was built, so
that it is found again wherever the answers there are the same ones, and the points count as met, in the order in which they
would have been.  What is written in such a graph is to be counted and not to be used: the order of its nodes, on which signs
and names hang, is another one than in a graph of its own.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, MutableMapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from kanegen.codegen.graph import Graph, Ref
from kanegen.codegen.graph.count import Tally
from kanegen.codegen.graph.decision import Decision

_VARIANTS = 6
"""Values kept of one quantity, for different answers: a search goes back and forth between few."""


class Scratch(Graph):
    """A graph in which the same sums are asked for again and again, and nobody asks what they mean."""

    def __init__(self) -> None:
        super().__init__()
        self._asked: dict[tuple[Ref, ...], Ref] = {}

    def sum(self, terms: Iterable[Ref]) -> Ref:
        """As in Graph."""
        asked = tuple(terms)
        found = self._asked.get(asked)
        if found is None:
            found = self._asked[asked] = super().sum(asked)
        return found

    def mean(self, ref: int, meaning: Any) -> None:
        """Nothing is kept."""


@dataclass(slots=True)
class Recollected:
    """A value that was built, bits of the answers that it hangs on, and how the decision points were met on the way.

    ``order`` has points with their decisions, and values that were asked for, which have their own.
    """

    answers: int = 0
    order: list[tuple[str, Decision] | Recollected] = field(default_factory=list)
    value: Any = None


class Recollection:
    """Quantities of the derivations of a search, by what they are of and by their own keys."""

    def __init__(self) -> None:
        self._graphs: dict[str, Scratch] = defaultdict(Scratch)
        self.count = Tally(self.graph())
        self.others = 0
        """Bits of the answers that are not the ones now given; a value that hangs on none of them is as it would be now."""
        self.building = Recollected()
        self._bits: dict[tuple[str, int], int] = {}
        self._count = 0
        self._points: MutableMapping[str, Decision] = {}
        self._met = 0
        self._trees: dict[Hashable, int] = {}
        self._numbers: dict[Hashable, int] = {}
        self._beyond: dict[Hashable, list[int]] = {}
        self._composed: dict[Hashable, dict[int, Ref]] = {}
        self._quantities: dict[Hashable, dict[Hashable, list[Recollected]]] = {}

    def graph(self, of: str = "") -> Scratch:
        """The graph, or that ``of`` a part which has its own."""
        return self._graphs[of]

    def composed(self, *key: Hashable) -> dict[int, Ref]:
        """What nodes of a part became in the graph, for what the key says."""
        return self._composed.setdefault(key, {})

    def of(self, key: Hashable) -> dict[Hashable, list[Recollected]]:
        """The quantities of what has this key."""
        return self._quantities.setdefault(key, {})

    def number(self, tree: Hashable, compared: Callable[[Any], Hashable]) -> int:
        """A number for all trees of which the same is ``compared``."""
        found = self._trees.get(tree)
        if found is None:
            found = self._numbers.setdefault(compared(tree), len(self._numbers))
            self._trees[tree] = found
        return found

    def beyond(self, tree: Any) -> Sequence[int]:
        """For each body of a placed tree a number for all trees with the same inertia in it and in those beyond it."""
        found = self._beyond.get(tree)
        if found is None:
            found = self._beyond[tree] = [0] * len(tree.bodies)
            for i, body in reversed(list(enumerate(tree.bodies))):
                further = tuple(found[j] for j in tree.children(i))
                own = (i, body.mass, body.first_moment, body.second_moment, further)
                found[i] = self._numbers.setdefault(own, len(self._numbers))
        return found

    def begin(self, answers: Mapping[str, int], points: MutableMapping[str, Decision]) -> None:
        """Begin a derivation with these answers, which notes the ``points`` that it meets."""
        given = 0
        for (point, alternatives), first in self._bits.items():
            answer = answers.get(point, 0)
            given |= 1 << first + (answer if answer < alternatives else 0)
        self.others = ((1 << self._count) - 1) & ~given
        self.building, self._points, self._met = Recollected(), points, 0

    def meet(self, point: str, decision: Decision, answer: int) -> None:
        """Note that the answer to a decision point was asked for."""
        key = point, decision.alternatives
        first = self._bits.get(key)
        if first is None:
            first = self._bits[key] = self._count
            self._count += decision.alternatives
            self.others |= ((1 << decision.alternatives) - 1 << first) & ~(1 << first + answer)
        bit = 1 << first + answer
        self._met |= bit
        if not self.building.answers & bit:
            self.building.answers |= bit
            self.building.order.append((point, decision))

    def recall(self, found: Recollected) -> Any:
        """The value, having noted what it hangs on."""
        building = self.building
        if found.answers & ~building.answers:
            building.answers |= found.answers
            building.order.append(found)
            if found.answers & ~self._met:
                self._replay(found)
        return found.value

    def _replay(self, found: Recollected) -> None:
        """Meet the points of a value that nobody has met yet."""
        for met in found.order:
            if not isinstance(met, Recollected):
                self._points.setdefault(*met)
            elif met.answers & ~self._met:
                self._replay(met)
        self._met |= found.answers

    def keep(self, variants: list[Recollected], built: Recollected) -> None:
        """Keep one more value of a quantity."""
        variants.insert(0, built)
        del variants[_VARIANTS:]
