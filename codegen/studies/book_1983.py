"""Book, Recursive Lagrangian Dynamics of Flexible Manipulator Arms, 1983: counts of operations, matrices of a link."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from kanegen.codegen.graph import OperationCounts
from kanegen.codegen.mechanism.flexible_records import FlexibleLink
from kanegen.codegen.mechanism.folding import with_numbers
from kanegen.codegen.mechanism.records import Mechanism, Value

KERNEL = "equations_of_motion"
"""M and R with M a = R, equation 82: what the counts are of."""

SAYS = 12_009
"""Multiplications for n = 6, n_f = 2, m = 3 in the text of section 6.  The formula beside it gives 11,361."""

Matrix = tuple[tuple[Value, ...], ...]


@dataclass(frozen=True)
class Size:
    """n joints, n_f flexible links, m modes on each of these."""

    n: int
    n_f: int
    m: int

    @classmethod
    def of(cls, mechanism: Mechanism) -> Size:
        """That of an arm; where links differ, the one with the most modes counts."""
        links = mechanism.flexible
        joints = len(mechanism.coordinates) - len(mechanism.modes)
        return cls(n=joints, n_f=len(links), m=max(len(link.modes) for link in links))


def counts(size: Size) -> OperationCounts:
    """Book's formula: any rotary joints, any modes, a first link that bends, a last one that does not.

    Both numbers are whole whatever the size is.
    """
    n, n_f, m = size.n, size.n_f, size.m
    multiplications = 6 * n_f**2 * m**2 + 17.5 * n_f * m**2 + 118 * n_f**2 * m + 74 * n * n_f * m
    multiplications += 137.5 * n_f * m + 84 * n**2 + 86 * n * n_f + 279 * n + 126 * n_f - 57
    additions = 6.5 * n_f**2 * m**2 + 19 * n_f * m**2 + 115.5 * n_f**2 * m + 68 * n * n_f * m
    additions += 123 * n_f * m + 85 * n**2 + 80 * n * n_f + 329 * n + 111 * n_f - 91
    return OperationCounts(multiplications=int(multiplications), additions=int(additions))


def applies(mechanism: Mechanism) -> bool:
    """Whether the formula is of such a mechanism: links bend, and the last body does not."""
    return bool(mechanism.flexible) and mechanism.flexible_link(mechanism.bodies[-1].name) is None


def matrices(mechanism: Mechanism, link: str) -> dict[str, Matrix]:
    """C_i (30), C_ik (28) and C_ikj (25) of a flexible link, 4 x 4, by their names, with the numbers of the parameters.

    The integrals are over the link and what it carries; i is the link's place among the flexible ones, k and j count its
    modes.  Raises KeyError for a link that does not bend.
    """
    links = with_numbers(mechanism).flexible
    (place,) = [i for i, known in enumerate(links, start=1) if known.body == link] or [0]
    if not place:
        raise KeyError(link)
    return _matrices(links[place - 1], place)


def _matrices(link: FlexibleLink, i: int) -> dict[str, Matrix]:
    own = link.integrals
    found = {
        f"C_{i}": _halved(
            [[own.mass, *own.first], *([x, *row] for x, row in zip(own.first, own.second, strict=True))]
        )
    }
    for k, (first, mixed) in enumerate(zip(own.mode_first, own.mode_mixed, strict=True), start=1):
        found[f"C_{i}{k}"] = _halved([[0, *first], *([0, *row] for row in mixed)])
    for k, products in enumerate(own.mode_products, start=1):
        for j, pair in enumerate(products, start=1):
            found[f"C_{i}{k}{j}"] = _halved([[0] * 4, *([0, *row] for row in pair)])
    return found


def _halved(rows: Sequence[Sequence[Value | int]]) -> Matrix:
    return tuple(tuple(Fraction(1, 2) * x for x in row) for row in rows)
