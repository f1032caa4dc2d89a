"""Force elements: a displacement s(q) of the mechanism, and the law of the force that resists it.

An element with the law f(s, ds/dt) needs the generalized forces f ds/dq of the drives.  f = dU/ds + g(s, ds/dt): the energy
U is stored, and g, which vanishes at rest, resists.  Frames are named, so that elements move with them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cache, lru_cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kanegen.codegen.graph import Argument, Expression, Graph, Program, evaluate, inputs, partial
from kanegen.codegen.graph.late import sympy
from kanegen.codegen.graph.sympy_bridge import from_sympy
from kanegen.codegen.mechanism.quantities import Value

_AROUND = 1e-6
"""How far [rad, m] from the end of a range a stop is looked for."""


@cache
def stretch() -> sympy.Symbol:
    """The symbol of the displacement s in a law; no parameter can have its name."""
    return sympy.Symbol("s()", real=True)


@cache
def stretch_rate() -> sympy.Symbol:
    """The symbol of ds/dt in a law."""
    return sympy.Symbol("ds/dt()", real=True)


def _zero() -> sympy.Expr:
    return sympy.Integer(0)


@dataclass(frozen=True, slots=True)
class ForceLaw:
    """The force f(s, ds/dt) with which an element resists its displacement s [rad, m].

    ``energy`` U(s) [J], ``force`` dU/ds [N m, N] and ``resistance`` g(s, ds/dt) [N m, N], zero at rest, are expressions in
    ``stretch()``, ``stretch_rate()`` and symbols named like parameters.  Laws add up: one is the sum of its parts.
    ``sizes`` are by name what may not be negative.
    """

    energy: sympy.Expr = field(default_factory=_zero)
    force: sympy.Expr = field(default_factory=_zero)
    resistance: sympy.Expr = field(default_factory=_zero)
    sizes: tuple[tuple[str, sympy.Expr], ...] = ()

    def __add__(self, other: ForceLaw) -> ForceLaw:
        """The law of both elements side by side."""
        return ForceLaw(
            self.energy + other.energy,
            self.force + other.force,
            self.resistance + other.resistance,
            self.sizes + other.sizes,
        )

    def moved(self, by: sympy.Expr) -> ForceLaw:
        """The law of an element whose displacement is s + ``by``."""
        at = {stretch(): stretch() + by}
        energy, force, resistance = (part.xreplace(at) for part in (self.energy, self.force, self.resistance))
        return replace(self, energy=energy, force=force, resistance=resistance)

    @property
    def parameters(self) -> set[sympy.Symbol]:
        """Its symbols beside s and ds/dt."""
        parts = (self.energy, self.force, self.resistance)
        return set().union(*(part.free_symbols for part in parts)) - {stretch(), stretch_rate()}

    @property
    def linear_in_rate(self) -> bool:
        """Whether the resistance is c(s) ds/dt, or nothing."""
        rate = stretch_rate()
        return bool(self.resistance.is_polynomial(rate) and sympy.degree(self.resistance, rate) < 2)

    def with_numbers(self, numbers: Mapping[str, sympy.Expr]) -> ForceLaw:
        """The same law with numbers for some of its parameters, by name."""
        energy, force, resistance = (
            _put(part, numbers) for part in (self.energy, self.force, self.resistance)
        )
        sizes = tuple((what, _put(size, numbers)) for what, size in self.sizes)
        return ForceLaw(energy, force, resistance, sizes)

    def expressions(
        self, s: Expression, rate: Expression, parameters: Mapping[str, Expression]
    ) -> tuple[Expression, Expression, Expression]:
        """Energy, force and resistance as nodes of a graph, with ``parameters`` by name.

        Raises UnsupportedExpressionError for functions that the graph lacks, and for unknown symbols.
        """
        known = {stretch(): s, stretch_rate(): rate}
        known |= {x: parameters[x.name] for x in self.parameters if x.name in parameters}
        energy, force, resistance = (
            from_sympy(s.graph, part, known) for part in (self.energy, self.force, self.resistance)
        )
        return energy, force, resistance

    @lru_cache(maxsize=64)  # noqa: B019 - laws are small, and asked for by every part of a derivation
    def program(self) -> Program:
        """Energy U, force, resistance g, and the derivatives of these two by s and by ds/dt; parameters are live."""
        graph = Graph()
        ((s,), (rate,)) = (inputs(graph, name, 1) for name in ("s", "rate"))
        live = {x.name: Expression(graph, graph.parameter(x.name)) for x in self.parameters}
        energy, force, resistance = self.expressions(s, rate, live)
        by_s, by_rate = partial(graph, s), partial(graph, rate)
        found = {
            "energy": energy,
            "force": force,
            "resistance": resistance,
            "by_s": by_s.first(force) + by_s.first(resistance),
            "by_rate": by_rate.first(resistance),
        }
        taken = (Argument("s", (1,), "", ""), Argument("rate", (1,), "", ""))
        outputs = {Argument(name, (), "", ""): [x] for name, x in found.items()}
        return Program.of(graph, "law", "", taken, outputs, "", {})

    def numbers(
        self, s: ArrayLike, rate: ArrayLike, parameters: Mapping[str, float]
    ) -> dict[str, NDArray[np.float64]]:
        """The results of ``program`` by name, each (...), at displacements and rates (...)."""
        given = {"s": np.asarray(s)[..., None], "rate": np.asarray(rate)[..., None]}
        return evaluate(self.program(), given, parameters)


def _put(expression: sympy.Expr, numbers: Mapping[str, sympy.Expr]) -> sympy.Expr:
    return expression.xreplace({x: numbers[x.name] for x in expression.free_symbols if x.name in numbers})


@dataclass(frozen=True, slots=True)
class JointSum:
    """The sum of ``coefficients`` times coordinates of ``joints`` [rad, m]: the displacement of one, or of a fixed tendon.

    Without coefficients these are 1.
    """

    joints: tuple[str, ...]
    coefficients: tuple[Value, ...] = ()


@dataclass(frozen=True, slots=True)
class PathLength:
    """The length [m] of the way along straight lines from the origin of each of the ``frames`` to that of the next.

    Two frames make a distance, more a tendon or cable that runs through points of several bodies.
    """

    frames: tuple[str, ...]

    @property
    def pairs(self) -> tuple[tuple[str, str], ...]:
        """The ends of the lines."""
        return tuple(zip(self.frames, self.frames[1:], strict=False))


Displacement = JointSum | PathLength


@dataclass(frozen=True, slots=True)
class ForceElement:
    """What resists a displacement with the force of a law."""

    name: str
    displacement: Displacement
    law: ForceLaw


@dataclass(frozen=True, slots=True)
class Bushing:
    """Resists the deformation u = (d, theta) between two frames with ``stiffness`` u + ``damping`` du/dt; U = u . K u / 2.

    d [m] leads from the origin of ``first`` to that of ``second``, along the axes of ``first``; the axes of ``second`` are
    those of ``first`` turned by phi about the unit vector n, and theta = sin(phi) (4 - cos(phi)) / 3 n [rad].  That is the
    rotation vector phi n but for 0.3 % at 30 degrees and 3.5 % at 60 (the difference grows as phi^5), smooth at any angle,
    and made of products; it grows up to 103 degrees.  The matrices are 6 x 6 and symmetric [N/m, N/rad, N m/rad], those of
    damping times s.
    """

    name: str
    first: str
    second: str
    stiffness: tuple[tuple[Value, ...], ...]
    damping: tuple[tuple[Value, ...], ...]


def coordinates_of(element: object) -> tuple[tuple[str, Value], ...]:
    """The joints on whose coordinates an element or spring acts, with their coefficients."""
    if not isinstance(element, ForceElement):
        joint = getattr(element, "joint", None)
        return () if joint is None else ((joint, Fraction(1)),)
    displacement = element.displacement
    if not isinstance(displacement, JointSum):
        return ()
    share = displacement.coefficients or (Fraction(1),) * len(displacement.joints)
    return tuple(zip(displacement.joints, share, strict=True))


def lines_of(element: object) -> tuple[tuple[str, str], ...]:
    """The pairs of frames between whose origins an element or spring pulls."""
    if isinstance(element, ForceElement):
        return element.displacement.pairs if isinstance(element.displacement, PathLength) else ()
    return () if isinstance(element, Bushing) else tied_by(element)


def tied_by(element: object) -> tuple[tuple[str, str], ...]:
    """The pairs of frames between which an element or spring acts, along a line or otherwise."""
    if isinstance(element, ForceElement):
        return lines_of(element)
    first = getattr(element, "first", None)
    return () if first is None else ((first, getattr(element, "second", "")),)


def losses(element: object) -> tuple[Any, ...]:
    """What of a spring or element takes energy away, where it is not 0."""
    if isinstance(element, ForceElement):
        return (element.law.resistance,)
    damping = getattr(element, "damping", ())
    return tuple(x for row in damping for x in row) if isinstance(damping, tuple) else (damping,)


def stopped_ends(
    springs: Iterable[object],
    parameters: Mapping[str, float],
    joint: str,
    lower: float | None,
    upper: float | None,
) -> tuple[bool, bool]:
    """Whether some of these are stops at the ends of a joint's range: slack at the end and inside, pushing back beyond."""

    def stops(law: ForceLaw, end: float, out: float) -> bool:
        at = end + out * _AROUND * np.array([-1.0, 0.0, 1.0])
        inside, here, beyond = out * law.numbers(at, 0.0, parameters)["force"]
        return bool(inside == 0.0 and here == 0.0 and beyond > 0.0)

    laws = [
        spring.law
        for spring in springs
        if isinstance(spring, ForceElement)
        and spring.displacement in (JointSum((joint,)), JointSum((joint,), (Fraction(1),)))
    ]
    below, above = (
        end is not None and any(stops(law, end, out) for law in laws)
        for end, out in ((lower, -1.0), (upper, 1.0))
    )
    return below, above


def slack_where_ends_meet(element: ForceElement, parameters: Mapping[str, float]) -> bool:
    """Whether an element along a path neither pulls nor begins to at length zero: no direction is missed there."""
    if element.law.resistance != 0:
        return False
    at = element.law.numbers(0.0, 0.0, parameters)
    return bool(at["force"] == 0 and at["by_s"] == 0)


def unknown_symbols(law: ForceLaw, parameters: Collection[str]) -> list[str]:
    """Names of symbols of a law that mean nothing, in order."""
    return sorted(symbol.name for symbol in law.parameters if symbol.name not in parameters)
