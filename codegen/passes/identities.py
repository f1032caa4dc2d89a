"""Identities of sines and cosines that the sums of a program take part in.

For one angle with c = cos, s = sin:  c^2 + s^2 = 1.  Wherever two values x' = c x + s y and y' = c y - s x both occur,

    x = c x' - s y',  y = s x' + c y',  x'^2 + y'^2 = x^2 + y^2,

and for two such pairs of the same angle  x' u' + y' v' = x u + y v  and  x' v' - y' u' = x v - y u.  Each identity is a
linear combination of monomials that vanishes.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

from kanegen.codegen.graph import Kind, Ref
from kanegen.codegen.passes.terms import Monomial, Terms, TermTable, without

_MOST_PAIRS = 24
"""Rotated pairs of one angle that are combined with each other."""


@dataclass(frozen=True, slots=True)
class _Rotated:
    """x' = c x + s y and y' = c y - s x, each as coefficient and monomial."""

    x_turned: tuple[Ref, Monomial]
    y_turned: tuple[Ref, Monomial]
    x: tuple[Ref, Monomial]
    y: tuple[Ref, Monomial]


def identities(table: TermTable, components: bool) -> list[Terms]:
    """Vanishing linear combinations of monomials; with ``components``, those of values of which both are in use, too."""
    cosines, sines = (
        {table.payloads[i][0]: i for i, kind in enumerate(table.kinds) if kind is wanted and table.uses[i]}
        for wanted in (Kind.COSINE, Kind.SINE)
    )
    circles = [(cosines[angle], sine) for angle, sine in sines.items() if angle in cosines]
    wholes = _with_components(table, circles) if components else {}
    turned = _sums_of_two(table, circles)
    found: list[Terms] = []
    one = table.one
    for cosine, sine in circles:
        found.append({(cosine, cosine): one, (sine, sine): one, (): -one})
        rotated = _rotated_pairs(table, turned[cosine])
        c, s = (one, (cosine,)), (one, (sine,))
        for whole in wholes.get(cosine, ()):
            _add(table, found, (1, c, c, whole, whole), (1, s, s, whole, whole), (-1, whole, whole))
        for pair in rotated:
            x1, y1, x, y = pair.x_turned, pair.y_turned, pair.x, pair.y
            _add(table, found, (1, c, x1), (-1, s, y1), (-1, x))
            _add(table, found, (1, s, x1), (1, c, y1), (-1, y))
            _add(table, found, (1, x1, x1), (1, y1, y1), (-1, x, x), (-1, y, y))
        for p, q in combinations(rotated[:_MOST_PAIRS], 2):
            x1, y1, x, y = p.x_turned, p.y_turned, p.x, p.y
            u1, v1, u, v = q.x_turned, q.y_turned, q.x, q.y
            _add(table, found, (1, x1, u1), (1, y1, v1), (-1, x, u), (-1, y, v))
            _add(table, found, (1, x1, v1), (-1, y1, u1), (-1, x, v), (1, y, u))
    return found


def _with_components(
    table: TermTable, circles: list[tuple[int, int]]
) -> dict[int, list[tuple[Ref, Monomial]]]:
    """Values u of which both c u and s u are in use, by the cosine."""
    found: dict[int, list[tuple[Ref, Monomial]]] = {cosine: [] for cosine, _ in circles}
    for cosine, sine in circles:
        for user in table.users[cosine]:
            if user and table.kinds[user] is Kind.PRODUCT:
                coefficient, monomial = table.term(user)
                rest = without(monomial, cosine) if cosine in monomial else ()
                if rest and coefficient == table.one and table.living_products(tuple(sorted((*rest, sine)))):
                    found[cosine].append((coefficient, rest))
    return found


def _add(table: TermTable, found: list[Terms], *terms: tuple[int | tuple[Ref, Monomial], ...]) -> None:
    """Add the identity sum of sign x factor x factor ... = 0."""
    identity: Terms = {}
    for sign, *factors in terms:
        coefficient = table.one if sign == 1 else -table.one
        monomial: Monomial = ()
        for factor in factors:
            assert isinstance(factor, tuple)
            coefficient = table.times(coefficient, factor[0])
            monomial += factor[1]
        table.accumulate(identity, coefficient, tuple(sorted(monomial)))
    if len(identity) > 1:
        found.append(identity)


_Turned = tuple[int, tuple[Ref, Monomial], tuple[Ref, Monomial]]
"""The sum  c u + s v  with u and v as coefficient and monomial."""


def _sums_of_two(table: TermTable, circles: list[tuple[int, int]]) -> dict[int, list[_Turned]]:
    """Sums of a value times a cosine and a value times the sine of the same angle, by the cosine."""
    sine_of = dict(circles)
    found: dict[int, list[_Turned]] = {cosine: [] for cosine in sine_of}
    for index in range(len(table.kinds)):
        if not table.is_open(index) or len(table.payloads[index]) != 2:
            continue
        terms = list((table.terms(index) or {}).items())
        if len(terms) != 2:
            continue
        for (m, a), (n, b) in (terms, terms[::-1]):
            for cosine in dict.fromkeys(m):
                sine = sine_of.get(cosine)
                if sine is None or sine not in n or sine in m or cosine in n:
                    continue
                if m.count(cosine) == 1 and n.count(sine) == 1:
                    found[cosine].append((index, (a, without(m, cosine)), (b, without(n, sine))))
    return found


def _rotated_pairs(table: TermTable, sums: list[_Turned]) -> list[_Rotated]:
    """Pairs of sums that are two values turned by the angle."""
    alike: dict[frozenset[Monomial], list[_Turned]] = {}
    for turned in sums:
        alike.setdefault(frozenset((turned[1][1], turned[2][1])), []).append(turned)
    pairs = []
    for key, members in alike.items():
        for (i, x, y), (j, u, v) in combinations(members if len(key) == 2 else (), 2):
            # i = c x + s y, and j = +-(c y - s x)
            sign = table.over(u[0], y[0])
            if u[1] == y[1] and abs(sign) == table.one and v[0] == -table.times(sign, x[0]):
                pairs.append(_Rotated((table.one, (i,)), (sign, (j,)), x, y))
    return pairs
