"""What the symbols of users' expressions stand for: names decide, and the place in a list only where names say nothing.

A list of symbols is paired with coordinates or speeds.  Where a symbol is called like one of these, it means this one,
wherever it stands; equations and laws are brought into the order of the mechanism, so that whatever reads them later
may go by places.  Lists in which names and places contradict each other are refused.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

from kanegen.codegen.graph.late import sympy
from kanegen.codegen.mechanism.constraints import Constraint, PositionConstraint, VelocityConstraint
from kanegen.codegen.mechanism.control_law import ControlLaw
from kanegen.codegen.mechanism.frame_coordinates import meant_for
from kanegen.codegen.mechanism.names import c_names
from kanegen.codegen.mechanism.records import BallJoint, Mechanism, Mimic, Value
from kanegen.codegen.mechanism.speeds import CombinedSpeed, JointRate
from kanegen.codegen.mechanism.validation.exact import title_of
from kanegen.errors import ModelError, did_you_mean

RATES = (
    *("rate({})", "d{}/dt", "d{}_dt", "{}_dot", "{}dot", "dot_{}", "d_{}", "{}_d", "{}_rate", "rate_{}"),
    *("v_{}", "u_{}", "w_{}", "omega_{}", "d{}", "{}d", "v{}", "u{}", "D{}", "{}p", "{}'"),
)
"""How people call the rate of a coordinate."""


def constraint_in_order(item: Constraint, mechanism: Mechanism) -> Constraint:
    """The same constraint; an equation with its symbols in the order of the mechanism's coordinates.

    Expects as many symbols as there are of these, all different.  Raises ModelError where names and places contradict.
    """
    if not isinstance(item, PositionConstraint | VelocityConstraint):
        return item
    where = title_of(item)
    places = _places(where, "coordinate", item.q, mechanism.coordinates)
    if isinstance(item, PositionConstraint):
        return replace(item, q=_sorted(item.q, places))
    rates = _places(where, "rate", item.qdot, mechanism.coordinates, RATES, places)
    return replace(item, q=_sorted(item.q, places), qdot=_sorted(item.qdot, rates))


def law_in_order(law: ControlLaw, mechanism: Mechanism) -> ControlLaw:
    """The same law with its symbols in the order of the mechanism's coordinates.

    Expects as many symbols as there are coordinates and speeds, all different.  Raises ModelError where names and places
    contradict, and where speeds come in another order, in which the forces might or might not be.
    """
    places, speeds = _places_in_law(law, mechanism)
    if list(speeds) != list(range(len(law.v))):
        raise ModelError(
            title_of(law),
            f"its speeds {', '.join(s.name for s in law.v)} come in another order than those of the mechanism, "
            f"{_listed(names_of_speeds(mechanism))}, and forces in a list have no names that would tell theirs",
            "speeds and forces in the order of the mechanism, or forces by name",
            "Give them in this order, or give the forces as {name of the joint: force}.",
        )
    return replace(law, q=_sorted(law.q, places))


def home_of(
    given: tuple[Value, ...] | Mapping[str, Value],
    coordinates: Sequence[str],
    balls: Iterable[BallJoint],
    mimics: Iterable[Mimic],
) -> tuple[Value, ...]:
    """The configuration in the order of the coordinates, from one by names.  Raises ModelError for unknown names."""
    if isinstance(given, tuple):
        return given
    for name in given:
        if name not in coordinates:
            leader = next((mimic.leader for mimic in mimics if mimic.joint == name), None)
            raise ModelError(
                "home",
                f"has a value for {name!r}, which "
                + (f"follows {leader!r}" if leader else "is no coordinate"),
                f"names among {', '.join(coordinates)}",
                f"Leave it out: it stands where {leader!r} puts it."
                if leader
                else did_you_mean(name, coordinates, "Mend the name."),
            )
    neutral = dict.fromkeys((ball.coordinates[-1] for ball in balls), Fraction(1))
    return tuple(given.get(name, neutral.get(name, Fraction(0))) for name in coordinates)


def kind_of_name(name: str, mechanism: Mechanism) -> str:
    """What a symbol that means no coordinate may have been meant for, in parentheses; nothing where that is unknown."""
    if name in mechanism.steady_joints:
        return " (a joint that moves at a constant rate: nothing may depend on how far it has moved)"
    if any(mimic.joint == name for mimic in mechanism.mimics):
        return " (a joint that follows another, which is no coordinate: write its leader)"
    if name in ("t", "time"):
        return " (time, whose symbol the record has to name)"
    return meant_for(name, [frame.name for frame in mechanism.frames])


def names_of_speeds(mechanism: Mechanism) -> tuple[str, ...]:
    """The joint or mode whose rate each speed is, in order; an empty name where it is something else."""
    return tuple(s.joint if isinstance(s, JointRate) else "" for s in mechanism.generalized_speeds)


def law_with_forces_by_name(
    law: ControlLaw, forces: Mapping[str, sympy.Expr], mechanism: Mechanism
) -> ControlLaw:
    """The law with these forces, each on the speed of the joint or mode of its name; none on the others.

    Its speeds may come in any order if their names say which they are.  Raises ModelError for names that there are not.
    """
    names = names_of_speeds(mechanism)
    for name in forces:
        if name not in names or not name:
            leader = next((mimic.leader for mimic in mechanism.mimics if mimic.joint == name), None)
            raise ModelError(
                f"control law {law.name!r}",
                f"has a force on {name!r}, "
                + (f"which follows {leader!r}" if leader else "whose rate is no speed"),
                f"names among {_listed(names)}",
                f"Give one on {leader!r}: a force on {name!r} acts there times the multiplier."
                if leader
                else did_you_mean(str(name), names, "Mend the name."),
            )
    law = replace(law, forces=tuple(forces.get(name, sympy.Integer(0)) for name in names))
    if (
        not law.q
        or len(law.v) != len(names)
        or not all(isinstance(symbol, sympy.Symbol) for symbol in (*law.q, *law.v))
    ):
        return law  # which validation refuses
    _, speeds = _places_in_law(law, mechanism)
    return replace(law, v=_sorted(law.v, speeds))


def check_order_is_stated(mechanism: Mechanism, declared: Sequence[str], home_is_list: bool) -> None:
    """Raise ModelError where something goes by places in an order of coordinates that nobody has written down.

    ``declared`` are the coordinates in the order in which their joints were declared.  Where the tree has another one, who
    gives symbols of other names, or numbers, in the order of declaration would be misunderstood.
    """
    coordinates = mechanism.coordinates
    if tuple(declared) == coordinates:
        return

    def refuse(where: str, what: str, cure: str) -> ModelError:
        return ModelError(
            where,
            f"goes by the places of {what} alone, and the order of the coordinates, {', '.join(coordinates)}, is that of "
            f"the tree and not that in which joints were declared, {', '.join(declared)}",
            "names, or an order of the coordinates that is stated",
            f"{cure}, or state the order: coordinates([...]).",
        )

    home = mechanism.home if home_is_list else ()
    if dict(zip(coordinates, home, strict=False)) != dict(zip(declared, home, strict=False)):
        raise refuse("home", "its numbers", "Give it by name, as {name of the coordinate: number}")
    combined = (speed.equation for speed in mechanism.speeds if isinstance(speed, CombinedSpeed))
    for item in (*mechanism.constraints, *combined):
        if isinstance(item, PositionConstraint | VelocityConstraint) and isinstance(
            item.expression, sympy.Expr
        ):
            mute = _mute(item.q, coordinates, declared)
            rates = item.qdot if isinstance(item, VelocityConstraint) else ()
            mute |= {rate for symbol, rate in zip(item.q, rates, strict=False) if symbol in mute}
            if mute & item.expression.free_symbols:
                raise refuse(title_of(item), "its symbols", "Call the symbols like the coordinates")
    rates_declared = replace(mechanism, coordinates=tuple(declared)).rates
    for law in mechanism.laws:
        speeds = () if mechanism.speeds else law.v
        if _mute(law.q, coordinates, declared) or _mute(speeds, mechanism.rates, rates_declared, RATES):
            raise refuse(
                title_of(law), "its symbols", "Call the symbols like coordinates and rates, q1 and dq1"
            )


def _mute(
    symbols: Sequence[sympy.Symbol], names: Sequence[str], others: Sequence[str], forms: Sequence[str] = ()
) -> set[sympy.Symbol]:
    """The symbols whose names do not say what they stand for, and whose places say it differently in two orders."""
    return {
        symbol
        for symbol, name, other in zip(symbols, names, others, strict=False)
        if name != other and isinstance(symbol, sympy.Symbol) and not meant(symbol, names, forms)
    }


def _places_in_law(law: ControlLaw, mechanism: Mechanism) -> tuple[Sequence[int], Sequence[int]]:
    """The places of what the coordinates and the speeds of a law stand for."""
    where, names = title_of(law), names_of_speeds(mechanism)
    places = _places(where, "coordinate", law.q, mechanism.coordinates)
    own: Sequence[int] = range(len(names))
    if not mechanism.speeds and list(places) != list(range(len(places))):
        # a rate whose name tells nothing stands beside its coordinate
        if names == mechanism.coordinates:
            own = places
        elif not all(meant(symbol, names, RATES) for symbol in law.v):
            raise ModelError(
                where,
                f"its coordinates {', '.join(s.name for s in law.q)} come in another order than those of the mechanism, and "
                "the names of its speeds do not tell theirs",
                f"symbols in the order {', '.join(mechanism.coordinates)} and {_listed(names)}, or with these names",
                "Give them in this order.",
            )
    return places, _places(where, "speed", law.v, names, RATES, own)


def _places(
    where: str,
    kind: str,
    symbols: Sequence[sympy.Symbol],
    names: Sequence[str],
    forms: Sequence[str] = (),
    beside: Sequence[int] | None = None,
) -> Sequence[int]:
    """For each symbol the place of what it stands for: by its name, else ``beside``, by default its own place."""
    own = range(len(symbols)) if beside is None else beside
    found: list[int] = []
    for symbol, place in zip(symbols, own, strict=True):
        called = meant(symbol, names, forms)
        if len(called) > 1 and place not in called:
            both = " and ".join(repr(names[k]) for k in called[:2])
            raise ModelError(
                where,
                f"the symbol {symbol.name!r} may stand for the {kind} of {both}",
                f"symbols whose names say which {kind} they are",
                "Rename it, say, to rate(...) with the name in parentheses.",
            )
        found.append(place if place in called or not called else called[0])
    for k, place in enumerate(found):
        if place in found[:k]:
            one, other = symbols[found.index(place)], symbols[k]
            raise ModelError(
                where,
                f"the symbols {one.name!r} and {other.name!r} both stand for the {kind} {names[place]!r}, the one by its "
                "name, the other by its place",
                f"each {kind} once: symbols called like {_listed(names)}, in any order, or other names in this order",
                "Name all symbols after what they stand for, or none.",
            )
    return found


def meant(symbol: sympy.Symbol, names: Sequence[str], forms: Sequence[str]) -> list[int]:
    """The places of all names that a symbol may be called after; those that are its very name come before others."""
    identifiers = c_names(name for name in names if name)
    for spellings in (("{}",), forms):
        found = [
            k
            for k, name in enumerate(names)
            if name
            and any(
                symbol.name == form.format(spelling)
                for form in spellings
                for spelling in (name, identifiers[name])
            )
        ]
        if found:
            return found
    return []


def _sorted(symbols: Sequence[sympy.Symbol], places: Sequence[int]) -> tuple[sympy.Symbol, ...]:
    by_place = dict(zip(places, symbols, strict=True))
    return tuple(by_place[k] for k in range(len(symbols)))


def _listed(names: Sequence[str]) -> str:
    return ", ".join(name or "(no rate of a joint)" for name in names)


def check_symbols(where: str, symbols: Iterable[object], mechanism: Mechanism, one: str, each: str) -> None:
    """Raise ModelError where symbols of an equation or a law cannot be told apart, or from parameters.

    Each stands for ``one`` thing ("a coordinate or a rate"), and all together for ``each`` ("each coordinate and ...").
    """
    names: Counter[str] = Counter()
    for symbol in symbols:
        if not isinstance(symbol, sympy.Symbol):
            raise ModelError(where, f"{symbol!r} stands for {one}", "a SymPy Symbol", "Use sympy.Symbol.")
        names[symbol.name] += 1
    for name, times in names.items():
        if times > 1:
            raise ModelError(
                where,
                f"the symbol {name!r} stands for two things",
                f"different symbols for {each}",
                "Rename one.",
            )
    for parameter in mechanism.parameters:
        if parameter.name in names:
            raise ModelError(
                where,
                f"the symbol {parameter.name!r} of {one} is also the name of a parameter",
                f"symbols for {each} that no parameter has",
                "Rename the symbol.",
            )
