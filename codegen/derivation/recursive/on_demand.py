"""Quantities of bodies that are built when they are first asked for, and once, however long the chain of bodies is.

What is asked for of one body needs the same of the next, and that of the one after it: calls would be nested as deep as
the chain is long.  Here only ``DEEPEST`` are nested.  Where one more is needed, all of these are given up, that one is built
first, and they begin anew.  What they had built by then is found again, node for node, so that a graph gets its nodes in the
order that nested calls give.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from functools import partial, wraps
from typing import Any, Generic, Protocol, TypeVar

from kanegen.codegen.derivation.placed_tree.recollection import Recollected, Recollection

T = TypeVar("T")
Method = TypeVar("Method", bound=Callable[..., Any])

DEEPEST = 16
"""Quantities that are built within one another; each takes some ten frames of Python's stack."""

SHORT = 20
"""Chains of so many bodies are never too deep, and need no such care, which costs a tenth of their derivation."""


class _Deeper(Exception):  # noqa: N818 - no error: it never leaves this module
    """A quantity that has to be built before those that wait for it."""

    def __init__(self, of: OnDemand[Any], key: Hashable, build: Callable[[], Any]) -> None:
        super().__init__()
        self.of, self.key, self.build = of, key, build


class OnDemand(Generic[T]):
    """What has been built, by key."""

    def __init__(self, depth: int | None = None) -> None:
        """``depth`` is how many bodies hang one on another at most, where that is known."""
        self.found: dict[Hashable, T] = {}
        self.short = depth is not None and depth <= SHORT
        self._nested = 0

    def __call__(self, key: Hashable, build: Callable[[], T]) -> T:
        """What belongs to a key; it is built if nobody has asked for it yet.

        ``build`` may be called again after it was given up halfway: only what comes of it counts.
        """
        found = self.found.get(key)
        if found is not None:
            return found
        if self.short:
            built = self.found[key] = build()
            return built
        if self._nested == 0:
            return self._first(key, build)
        if self._nested == DEEPEST:
            raise _Deeper(self, key, build)
        self._nested += 1
        try:
            built = self.found[key] = build()
        finally:
            self._nested -= 1
        return built

    def _first(self, key: Hashable, build: Callable[[], T]) -> T:
        """What belongs to a key, with nothing waiting for it."""
        waiting = [(key, build)]
        while waiting:
            self._nested = 1
            try:
                self.found[waiting[-1][0]] = waiting[-1][1]()
                waiting.pop()
            except _Deeper as deeper:
                if deeper.of is not self:
                    raise
                waiting.append((deeper.key, deeper.build))
            finally:
                self._nested = 0
        return self.found[key]


class Recalled(OnDemand[T]):
    """What has been built by key in any derivation of a search, and is the same in this one.

    Nothing is ``found`` without a look at the answers that it hangs on.
    """

    def __init__(self, recollection: Recollection, of: Hashable) -> None:
        super().__init__()
        self._recollection, self._quantities = recollection, recollection.of(of)

    def __call__(self, key: Hashable, build: Callable[[], T]) -> T:
        """What belongs to a key."""
        recollection = self._recollection
        variants = self._quantities.get(key)
        if variants is None:
            variants = self._quantities[key] = []
        others = recollection.others
        for place, variant in enumerate(variants):
            if not variant.answers & others:
                if place:
                    variants.insert(0, variants.pop(place))
                found: T = recollection.recall(variant)
                return found
        around = recollection.building
        built = recollection.building = Recollected()
        value = built.value = build()
        recollection.building = around
        recollection.keep(variants, built)
        recollection.recall(built)
        return value


class RecalledBeyond(Recalled[T]):
    """The same for quantities of bodies that hang on the inertia of these and of those beyond them, and on no other's.

    The body comes second in every key; ``numbers`` say for each body what there is from it on.
    """

    def __init__(self, recollection: Recollection, of: Hashable, numbers: Sequence[int]) -> None:
        super().__init__(recollection, of)
        self._beyond = [recollection.of((of, number)) for number in numbers]

    def __call__(self, key: Any, build: Callable[[], T]) -> T:
        """What belongs to a key."""
        self._quantities = self._beyond[key[1]]
        return super().__call__(key, build)


class _Demanding(Protocol):
    _on_demand: OnDemand[Any]


def on_demand(method: Method) -> Method:
    """A method whose values are built once for its arguments, in the ``_on_demand`` of its object."""

    @wraps(method)
    def asked(self: _Demanding, *arguments: Hashable) -> Any:
        key, memory = (method, *arguments), self._on_demand
        found = memory.found.get(key)
        if found is not None:
            return found
        if memory.short:
            built = memory.found[key] = method(self, *arguments)
            return built
        return memory(key, partial(method, self, *arguments))

    return asked  # type: ignore[return-value]
