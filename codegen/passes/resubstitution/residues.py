"""Residues: the values of a program at random points, exact, modulo primes.

Two expressions that are equal have equal residues, however they are written; two that differ have equal ones at a random
point with a probability of their degree over the prime (Schwartz, Zippel), some 1e-16.  Sines and cosines of an angle are a
random point of the circle, the same for the same angle; other functions are random numbers, the same for the same arguments.
So all is equal that ring axioms, c^2 + s^2 = 1 and division by what is not zero make equal, and nothing else.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from kanegen.codegen.graph import Graph, Ref
from kanegen.codegen.graph.evaluate import node_values
from kanegen.codegen.graph.operations import Arithmetic

MERSENNE = 2**61 - 1


@dataclass(frozen=True)
class Points:
    """Where residues are taken: for each a prime, and a number that tells points modulo one prime apart."""

    primes: tuple[int, ...]
    names: tuple[int | str, ...]

    def random(self, *key: Any) -> Residues:
        """Random numbers, the same for the same key."""
        return Residues(
            tuple(_random(key, name) % p for p, name in zip(self.primes, self.names, strict=True)), self
        )

    def number(self, value: Fraction) -> Residues:
        """A number."""
        above, below = value.numerator, value.denominator
        return Residues(tuple(above * pow(below, -1, p) % p for p in self.primes), self)


@dataclass(frozen=True, slots=True)
class Residues:
    """A value modulo each prime at each point."""

    at: tuple[int, ...]
    points: Points

    def _with(self, other: Residues, of: Callable[[int, int, int], int]) -> Residues:
        return Residues(tuple(map(of, self.at, other.at, self.points.primes)), self.points)

    def __neg__(self) -> Residues:
        return Residues(tuple(-x % p for x, p in zip(self.at, self.points.primes, strict=True)), self.points)

    def __add__(self, other: Residues) -> Residues:
        return self._with(other, lambda x, y, p: (x + y) % p)

    def __sub__(self, other: Residues) -> Residues:
        return self._with(other, lambda x, y, p: (x - y) % p)

    def __mul__(self, other: Residues) -> Residues:
        return self._with(other, lambda x, y, p: x * y % p)

    def __truediv__(self, other: Residues) -> Residues:
        """Raises ZeroDivisionError for what has no inverse."""
        try:
            return self._with(other, lambda x, y, p: x * pow(y, -1, p) % p)
        except ValueError:
            raise ZeroDivisionError("division by what is 0 modulo a prime") from None


NAMING = Points((MERSENNE, MERSENNE), ("name", "another name"))
"""Where leaves, results and values that have names are known by their residues."""


def _random(key: Sequence[Any], name: Any) -> int:
    digest = hashlib.blake2b(repr((key, name)).encode("ascii"), digest_size=16).digest()
    return int.from_bytes(digest, "little")


def _on_circle(angle: Residues) -> tuple[Residues, Residues]:
    """Sine and cosine, from the tangent of half the angle; of opposite angles they are what they should be."""
    opposite = -angle
    first = min(angle.at, opposite.at)
    half = angle.points.random("tangent of half an angle", first)
    if first != angle.at:
        half = -half
    one = angle.points.number(Fraction(1))
    scale = one / (one + half * half)
    return (half + half) * scale, (one - half * half) * scale


def residues_of(graph: Graph, roots: Sequence[Ref], points: Points) -> dict[int, Residues]:
    """Residues of all nodes that the roots need, by index.  Raises ZeroDivisionError."""
    arithmetic = Arithmetic(
        points.number,
        lambda x: _on_circle(x)[0],
        lambda x: _on_circle(x)[1],
        lambda x: points.random("square root", x.at),
        lambda name, operands: points.random(name, *(x.at for x in operands)),
    )
    # parameters are other ones at other points: they are no numbers
    return node_values(graph, roots, arithmetic, lambda kind, key: points.random(kind.name.lower(), *key))


def values_of(graph: Graph, roots: Sequence[Ref]) -> frozenset[int]:
    """What tells values that the roots need from those of other graphs; multiples of one value are the same.

    Raises ZeroDivisionError.
    """
    found = (x.at for x in residues_of(graph, roots, NAMING).values())
    return frozenset(x * pow(y, -1, MERSENNE) % MERSENNE if y else 0 for x, y in found)


def doubles_of(graph: Graph, roots: Sequence[Ref], states: int) -> dict[int, list[float]]:
    """Values of all nodes in some states, made by sums, products and quotients alone: the same on every machine."""

    def number(*key: Any) -> float:
        return (_random(key, "double") % 2**53) / 2**51 - 2.0

    def circle(angle: float) -> tuple[float, float]:
        half = number("tangent", abs(angle)) * (1.0 if angle >= 0 else -1.0)
        return 2 * half / (1 + half * half), (1 - half * half) / (1 + half * half)

    arithmetic = Arithmetic(
        float,
        lambda x: circle(x)[0],
        lambda x: circle(x)[1],
        lambda x: abs(x) ** 0.5,
        lambda name, operands: number(name, *operands),
    )

    def in_state(state: int) -> dict[int, Any]:
        return node_values(graph, roots, arithmetic, lambda kind, key: number(kind.name.lower(), state, *key))

    found = [in_state(state) for state in range(states)]
    return {index: [values[index] for values in found] for index in found[0]}


def rational(residues: Sequence[int], primes: Sequence[int]) -> Fraction:
    """The fraction with these residues, of all the one with the smallest terms (Wang's reconstruction)."""
    product, number = 1, 0
    for residue, p in zip(residues, primes, strict=True):
        number += product * ((residue - number) * pow(product, -1, p) % p)
        product *= p
    above, rest, below, factor = product, number, 0, 1
    while rest * rest > product // 2:
        quotient = above // rest
        above, rest = rest, above - quotient * rest
        below, factor = factor, below - quotient * factor
    return Fraction(rest, factor)
