"""Users' expressions in which names alone say what symbols stand for, and functions of time in place of symbols."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from kanegen.codegen.graph.late import sympy
from kanegen.codegen.mechanism.constraints import (
    Constraint,
    FrameCoordinate,
    PositionConstraint,
    Prescribed,
    PrescribedMotion,
    VelocityConstraint,
)
from kanegen.codegen.mechanism.control_law import ControlLaw, reference
from kanegen.codegen.mechanism.frame_coordinates import frame_coordinate
from kanegen.codegen.mechanism.records import Mechanism
from kanegen.codegen.mechanism.validation.exact import title_of
from kanegen.codegen.mechanism.validation.symbols import RATES, meant, names_of_speeds
from kanegen.errors import ModelError

TIMES = ("t", "time")
"""What time is called, where nothing of the mechanism is called so."""


def in_symbols(where: str, expression: Any) -> Any:
    """The expression with symbols for functions of time, q(t) and its derivative, as ``dynamicsymbols`` makes them.

    What is no SymPy expression stays as it is.  Raises ModelError for derivatives that are no rates.
    """
    if not isinstance(expression, sympy.Basic) or not expression.has(sympy.core.function.AppliedUndef):
        return expression
    expression = expression.doit(deep=True) if expression.has(sympy.Derivative) else expression
    known: dict[sympy.Basic, sympy.Symbol] = {}
    for rate in expression.atoms(sympy.Derivative):
        function = rate.expr
        if not _is_of_time(function) or rate.variables != function.args:
            raise ModelError(
                where,
                f"{rate} is no rate of a coordinate",
                "functions of time alone, such as q(t), and their first derivatives",
                "Accelerations follow from the dynamics; write what you mean in coordinates and rates.",
            )
        known[rate] = sympy.Symbol(f"rate({function.func.__name__})", real=True)
    expression = expression.xreplace(known)
    functions = {
        f: sympy.Symbol(f.func.__name__, real=True)
        for f in expression.atoms(sympy.core.function.AppliedUndef)
    }
    for function in functions:
        if not _is_of_time(function):
            raise ModelError(
                where,
                f"{function} is no function of time alone",
                "symbols, or functions of time such as q(t)",
                "Use sympy.Symbol.",
            )
    return expression.xreplace(functions)


def _is_of_time(function: sympy.Basic) -> bool:
    return (
        isinstance(function, sympy.core.function.AppliedUndef)
        and len(function.args) == 1
        and function.args[0].is_Symbol
    )


class _ByName:
    """What the symbols of some expressions stand for by their names: coordinates, rates, and nothing of the mechanism."""

    def __init__(
        self,
        where: str,
        mechanism: Mechanism,
        rates: Sequence[str],
        taken: Iterable[sympy.Symbol] = (),
        driven: Sequence[str] = (),
        frames: Sequence[str] = (),
    ) -> None:
        self._frames = frames
        self._where, self._coordinates, self._rates, self._driven = (
            where,
            mechanism.coordinates,
            rates,
            driven,
        )
        self._parameters = {parameter.name for parameter in mechanism.parameters}
        self._taken = {symbol.name for symbol in taken} | self._parameters
        self._found: dict[tuple[str, int], sympy.Symbol] = {}
        self.same: dict[sympy.Symbol, sympy.Symbol] = {}
        self.frames: dict[str, FrameCoordinate] = {}

    def look(self, expressions: Iterable[Any], left: Iterable[sympy.Symbol] = ()) -> None:
        """Find the meanings of all symbols but those that are ``left`` as they are.  Raises ModelError."""
        free = set().union(*(x.free_symbols for x in expressions if isinstance(x, sympy.Basic))) - set(left)
        for symbol in sorted(free, key=lambda s: (s.name, sympy.srepr(s))):
            place = self._place(symbol)
            if place is not None:
                self.same[symbol] = self._found.setdefault(place, self._canonical(place, symbol))
            elif self._frames and symbol.name not in self._taken:
                part = frame_coordinate(symbol.name, self._frames)
                if part is not None:
                    self.same[symbol] = self.frames.setdefault(symbol.name, part).symbol

    def check_one_meaning(self, symbol: sympy.Symbol) -> None:
        """Raise ModelError for the symbol of a parameter that is called like time, a driven joint, or a coordinate."""
        name = symbol.name
        of_mechanism = {
            **dict.fromkeys(TIMES, "time"),
            **dict.fromkeys(self._driven, "the joint"),
            **dict.fromkeys(self._coordinates, "the coordinate"),
        }
        if name in of_mechanism and name in self._parameters:
            raise ModelError(
                self._where,
                f"the symbol {name!r} may stand for {of_mechanism[name]} and for the parameter of this name",
                "symbols that stand for one thing",
                "Rename the parameter.",
            )

    def _canonical(self, place: tuple[str, int], symbol: sympy.Symbol) -> sympy.Symbol:
        """The symbol itself; for joints that move as functions of time, and their rates, the one that records have."""
        kind, k = place
        if kind == "driven":
            return sympy.Symbol(self._driven[k], real=True)
        if kind == "v" and k >= len(self._rates):
            return sympy.Symbol(f"rate({self._driven[k - len(self._rates)]})", real=True)
        return symbol

    def _place(self, symbol: sympy.Symbol) -> tuple[str, int] | None:
        if symbol.name in self._taken:
            self.check_one_meaning(symbol)
            return None
        coordinates, known = meant(symbol, self._coordinates, ()), [*self._rates, *self._driven]
        driven = [] if coordinates else meant(symbol, self._driven, ())
        rates = [] if coordinates or driven else meant(symbol, known, RATES)
        if len(rates) > 1:
            both = " and ".join(repr(known[k]) for k in rates[:2])
            raise ModelError(
                self._where,
                f"the symbol {symbol.name!r} may stand for the rate of {both}",
                "symbols whose names say which rate they are",
                "Rename it, say, to rate(...) with the name in parentheses.",
            )
        if driven:
            return "driven", driven[0]
        if coordinates or rates:
            return ("q", coordinates[0]) if coordinates else ("v", rates[0])
        return ("t", 0) if symbol.name in TIMES else None

    @property
    def time_used(self) -> sympy.Symbol | None:
        """The symbol of time that the expressions have."""
        return self._found.get(("t", 0))

    def time(self, given: sympy.Symbol) -> sympy.Symbol:
        """The symbol of time: the one that the expressions have, or the one given, unless this means something else."""
        free = given.name not in self._taken and given.name not in self._coordinates
        return self._found.get(("t", 0), given if free else sympy.Symbol("time()"))

    def coordinates(self) -> tuple[sympy.Symbol, ...]:
        """A symbol for each coordinate: the one that the expressions have, or a new one."""
        forms = ["coordinate({})" if name in self._taken else "{}" for name in self._coordinates]
        return self._all("q", self._coordinates, forms)

    def rates(self) -> tuple[sympy.Symbol, ...]:
        """A symbol for each rate."""
        names = [name or f"speed {k}" for k, name in enumerate(self._rates)]
        return self._all("v", names, ["rate({})"] * len(names))

    def _all(self, kind: str, names: Sequence[str], forms: Sequence[str]) -> tuple[sympy.Symbol, ...]:
        return tuple(
            self._found.get((kind, k), sympy.Symbol(form.format(name), real=True))
            for k, (name, form) in enumerate(zip(names, forms, strict=True))
        )


def constraint_by_name(item: Constraint, mechanism: Mechanism) -> Constraint:
    """The equation with symbols for all coordinates, and rates, where it was written with those that it needs alone.

    Time, joints that move as functions of it, and coordinates of frames go by their names in any case.
    """
    if not isinstance(item, PositionConstraint | VelocityConstraint):
        return item
    if not isinstance(item.expression, sympy.Basic):
        return item
    found = _ByName(
        title_of(item),
        mechanism,
        mechanism.coordinates,
        driven=tuple(mechanism.motions),
        frames=[frame.name for frame in mechanism.frames],
    )
    velocity = isinstance(item, VelocityConstraint)
    listed = {*item.q, *(item.qdot if isinstance(item, VelocityConstraint) else ()), item.time} - {None}
    listed |= {part.symbol for part in item.frames}
    found.look([item.expression], listed)
    item = replace(
        item,
        expression=item.expression.xreplace(found.same),
        time=item.time or found.time_used,
        frames=(*item.frames, *(part for part in found.frames.values() if velocity or not part.rate)),
    )
    if item.q:
        return item
    if isinstance(item, VelocityConstraint):
        return replace(item, q=found.coordinates(), qdot=found.rates())
    return replace(item, q=found.coordinates())


def motion_by_name(item: Prescribed, mechanism: Mechanism) -> Prescribed:
    """A prescribed motion with the symbol of time that its expression has."""
    if not isinstance(item, PrescribedMotion) or not isinstance(item.expression, sympy.Basic):
        return item
    found = _ByName(title_of(item), replace(mechanism, coordinates=()), ())
    found.look([item.expression], {item.time} & item.expression.free_symbols)
    if item.varies:
        found.check_one_meaning(item.time)
    return replace(item, expression=item.expression.xreplace(found.same), time=found.time_used or item.time)


def law_by_name(law: ControlLaw, mechanism: Mechanism) -> ControlLaw:
    """The law with symbols for all coordinates and speeds, where it was written with those that it needs alone.

    States and signals go by their names in any case.
    """
    states = {state.name: state.symbol for state in law.states}
    named = states | {name: reference(name) for name in law.references}
    expressions = [x for x in law.results if isinstance(x, sympy.Basic)]
    own = {s: named[s.name] for s in set().union(*(x.free_symbols for x in expressions)) if s.name in named}
    law = law.replaced(lambda x: x.xreplace(own) if isinstance(x, sympy.Basic) else x)
    if (law.q and law.v) or not isinstance(law.time, sympy.Symbol):
        return law
    found = _ByName(title_of(law), mechanism, names_of_speeds(mechanism), [*states.values(), *law.signals])
    found.look(law.results, {*law.q, *law.v} | ({law.time} if law.q or law.v else set()))
    law = law.replaced(lambda x: x.xreplace(found.same) if isinstance(x, sympy.Basic) else x)
    return replace(law, time=found.time(law.time), q=law.q or found.coordinates(), v=law.v or found.rates())
