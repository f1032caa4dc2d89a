"""Kane's method of a mechanism as an account to be read: every quantity with its meaning, and what is made of them.

It is written from the tables of the derivation (derivation/kane/tables.py), whose values say what they mean.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
import sympy
from numpy.typing import NDArray

from kanegen.codegen.derivation.formulations import tables_of_kane
from kanegen.codegen.derivation.kane.tables import KaneTables
from kanegen.codegen.derivation.meanings import meaning
from kanegen.codegen.emit.identifiers import cleaned
from kanegen.codegen.graph import Argument, Program, Ref, evaluate
from kanegen.codegen.mechanism import catalogue
from kanegen.codegen.mechanism.constraints import PositionConstraint, VelocityConstraint
from kanegen.codegen.mechanism.frame_coordinates import POSITION
from kanegen.codegen.mechanism.records import JointKind, Mechanism
from kanegen.codegen.mechanism.speeds import described_speed
from kanegen.codegen.symbolic import pages
from kanegen.codegen.symbolic.account_sections import Quantity, Sections
from kanegen.codegen.symbolic.definitions import Definitions
from kanegen.codegen.symbolic.dimensions import (
    LENGTH,
    NUMBER,
    TIME,
    Dimension,
    Dimensions,
    dimension,
    of_expression,
    times,
    unit,
)
from kanegen.codegen.symbolic.documents import Printer
from kanegen.codegen.symbolic.kernels import parameters_of
from kanegen.codegen.symbolic.pages import Section
from kanegen.codegen.symbolic.symbols import Symbols, argument_symbols, parameter_symbols

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Explanation:
    """Kane's method of a mechanism, step by step.

    ``quantities`` are Z1, Z2, ... in order.  ``tables`` are the results by name, arrays of SymPy expressions over them, and
    ``values`` the same in numbers where a state was given; ``described`` says of each what it is.  ``bodies``, ``speeds``
    and ``auxiliary`` are the names along their axes; speeds are followed by auxiliary ones.
    """

    title: str
    bodies: tuple[str, ...]
    speeds: tuple[str, ...]
    auxiliary: tuple[str, ...]
    quantities: tuple[Quantity, ...]
    tables: Mapping[str, Any]
    described: Mapping[str, str]
    values: Mapping[str, Array]
    sections: tuple[Section, ...]

    def markdown(self) -> str:
        """A page of Markdown, formulas between dollar signs."""
        return pages.markdown(self.title, self.sections)

    def html(self) -> str:
        """A page of HTML that needs nothing but a browser: formulas are MathML."""
        return pages.html(self.title, self.sections)

    def with_sections(self, more: Sequence[Section]) -> Explanation:
        """The same with further sections at its end."""
        return replace(self, sections=(*self.sections, *more))


class QuantitiesOfKane:
    """The quantities of Kane's method of a mechanism, with symbols, and their values in states."""

    def __init__(self, mechanism: Mechanism, speeds: str | None, live: bool) -> None:
        chosen = None if speeds is None else catalogue.generalized_speeds(mechanism.name, speeds)
        self.mechanism = mechanism
        self.speeds = mechanism.generalized_speeds if chosen is None else chosen
        self.found: KaneTables = tables_of_kane(mechanism, chosen, live)
        self.symbols = Symbols()
        program = self.found.program
        leaves: dict[tuple[str, int] | str, sympy.Expr] = {}
        self.inputs: dict[str, list[sympy.Symbol]] = {}
        (of_q,) = (argument for argument in program.inputs if argument.name == "q")
        self.inputs["q"] = argument_symbols(self.symbols, mechanism, self.speeds, of_q)
        for name, plain, latex, of_rates in (
            ("v", "u", "u", ""),
            ("a", "udot", r"\dot{u}", "derivative of "),
        ):
            self.inputs[name] = [  # by numbers, which partial velocities and auxiliary speeds have, too
                self.symbols.new(
                    f"{plain}{r}",
                    f"{of_rates}speed {r}, {described_speed(speed)}",
                    f"{'m' if slides else 'rad'}/s{'^2' if of_rates else ''}",
                    f"{latex}_{{{r}}}",
                )
                for r, (speed, slides) in enumerate(
                    zip(self.speeds, self.found.sliding, strict=False), start=1
                )
            ]
        if any(argument.name == "t" for argument in program.inputs):
            self.inputs["t"] = [self.symbols.new("t", "time", "s")]
        for name, entries in self.inputs.items():
            leaves |= {(name, i): x for i, x in enumerate(entries)}
        self.parameters = parameter_symbols(self.symbols, mechanism, parameters_of([program]))
        leaves |= dict(self.parameters.items())
        self.definitions = Definitions(program.graph, leaves, self.symbols)
        self.results = self.definitions.write(program.roots, named=True, results=True)
        outputs = [(argument.name, x) for argument, x in zip(self._of_roots(), self.results, strict=True)]
        self.definitions.tell_users(outputs)
        self.mixed: list[str] = []
        self._of_rows: dict[str, Dimension] = {}
        self._add_units()

    def _add_units(self) -> None:
        """Give units to what belongs to a joint, a speed or a constraint, whose kinds tell them."""
        joints = {name: self.mechanism.joint(name).kind is JointKind.PRISMATIC for name in self.found.joints}
        n = len(self.speeds)
        speeds = {str(r): slides for r, slides in enumerate(self.found.sliding, start=1)}
        rows = dict(zip(self.found.auxiliary, self.found.sliding[n:], strict=True))
        kinds: list[tuple[str, Mapping[str, bool | None], Mapping[str, bool | None] | None]] = [
            ("by speed", joints, speeds),
            ("auxiliary", joints, speeds),
            ("by free rate", joints, joints),
            ("speed by free rate", speeds, joints),
            ("equation", joints, rows),
            ("block inverse", joints, rows),
        ]
        known: dict[str, str] = {}
        for quantity, first, second in kinds:
            sign = -1 if quantity == "equation" else 1
            for one, of_one in first.items():
                for two, of_two in (second or {}).items():
                    if of_one is not None and of_two is not None:
                        name = meaning(quantity, (), (one, two)).name
                        known[name] = ("1/m", "1", "m")[1 + sign * (of_one - of_two)]
        of_one_name: list[tuple[str, Mapping[str, bool | None], tuple[str, str]]] = [
            ("rate", joints, ("rad/s", "m/s")),
            ("acceleration", joints, ("rad/s^2", "m/s^2")),
            ("drift", joints, ("rad/s^2", "m/s^2")),
            ("resisting", joints, ("N m", "N")),
            ("required", rows, ("rad/s^2", "m/s^2")),
        ]
        for quantity, names, units in of_one_name:
            for name, slides in names.items():
                if slides is not None:
                    known[meaning(quantity, (), (name,)).name] = units[slides]
        known |= self._of_users(joints, [name for name, slides in rows.items() if slides is None])
        known = {cleaned(name): x for name, x in known.items()}
        for symbol, given in self.symbols.units.items():
            self.symbols.units[symbol] = given or known.get(symbol.name, "")
        self._derive_units()

    def _of_users(self, joints: Mapping[str, bool], rows: Sequence[str]) -> dict[str, str]:
        """Units of what belongs to equations of the user, from those of these; ``mixed`` are equations that have none."""
        mechanism = self.mechanism
        slides = {name: joints.get(name, name in mechanism.modes) for name in mechanism.coordinates}
        of = {name: LENGTH if slides else NUMBER for name, slides in {**slides, **joints}.items()}
        known: dict[str, str] = {}
        for item in mechanism.constraints:
            if not isinstance(item, PositionConstraint | VelocityConstraint) or item.name not in rows:
                continue
            value, mixed = of_expression(item.expression, _symbols_of(item, of, mechanism))
            if mixed:
                self.mixed.append(item.name)
            if value is None:
                continue
            value = value if isinstance(item, PositionConstraint) else times(value, TIME)
            self._of_rows[item.name] = value
            known[meaning("constraint", (), (item.name,)).name] = unit(times(_MOMENT, value, -1))
            r = str(len(self.speeds) + 1 + self.found.auxiliary.index(item.name))
            known[meaning("required", (), (item.name,)).name] = unit(times(value, TIME, -2))
            for joint in joints:
                known[meaning("equation", (), (joint, item.name)).name] = unit(times(value, of[joint], -1))
                for quantity, other in (("block inverse", item.name), ("auxiliary", r)):
                    known[meaning(quantity, (), (joint, other)).name] = unit(times(of[joint], value, -1))
        return known

    def _derive_units(self) -> None:
        """Give units to what is left by what is done with it."""
        units, nodes, program = self.symbols.units, self._nodes(), self.found.program
        known = {abs(ref): dimension(units[symbol]) for symbol, ref in nodes.items()}
        for argument, refs in zip(program.outputs, program.results, strict=True):
            if argument.name in _OF_AUXILIARY:
                table = np.array(refs).reshape(argument.shape)
                table = np.moveaxis(table, _ENTRIES[argument.name][1].index("r"), 0)[len(self.speeds) :]
                for name, value in self._of_rows.items():
                    entries = map(int, table[self.found.auxiliary.index(name)].flat)
                    of_entry = times(_OF_AUXILIARY[argument.name], value, -1)
                    known |= {abs(ref): of_entry for ref in entries}
        found = self.dimensions = Dimensions(
            program.graph, program.roots, {node: x for node, x in known.items() if x is not None}
        )
        for symbol, ref in nodes.items():
            if not units[symbol] and abs(ref) in found.found:
                units[symbol] = unit(found.found[abs(ref)])

    def _of_roots(self) -> Iterator[Argument]:
        for argument in self.found.program.outputs:
            yield from [argument] * argument.size

    def table(self, name: str) -> Any:
        """The expressions of an output, an array of its shape; None where there are none."""
        start = 0
        for argument in self.found.program.outputs:
            if argument.name == name:
                entries = np.empty(argument.size, dtype=object)
                entries[:] = self.results[start : start + argument.size]
                return entries.reshape(argument.shape)
            start += argument.size
        return None

    def program(self) -> Program:
        """The tables, and all quantities in their order as one more output."""
        found, nodes = self.found.program, self._nodes()
        refs = tuple(nodes[symbol] for symbol, _ in self.definitions.listed)
        output = Argument("quantities", (len(refs),), "", "intermediate quantities")
        return replace(found, outputs=(*found.outputs, output), results=(*found.results, refs))

    def _nodes(self) -> dict[sympy.Symbol, Ref]:
        """What the symbols stand for: inputs, parameters and quantities."""
        found, nodes = self.found.program, dict[sympy.Symbol, Ref]()
        for index in found.graph.reachable(found.roots):
            for ref in (index, -index):
                value = self.definitions.value(ref)
                if value.is_Symbol:
                    nodes.setdefault(value, ref)
        return nodes

    def values(
        self, given: Mapping[str, Any], parameters: Mapping[str, float] | None = None
    ) -> dict[str, Array]:
        """The tables by name, and the quantities, for q (..., nq), v and a (..., nv), and t (...) where it is asked for."""
        defaults = {p.name: float(p.value) for p in self.mechanism.parameters}
        taken = {name: given[name] for name in self.inputs}
        return evaluate(self.program(), taken, {**defaults, **(parameters or {})})

    def named(self, values: Mapping[str, Array]) -> dict[str, Array]:
        """The values (...,) of all quantities by their names, and of all entries of the tables by theirs."""
        z = values["quantities"]
        found = {symbol.name: z[..., i] for i, (symbol, _) in enumerate(self.definitions.listed)}
        bodies = [self.found.tree.bodies[i].name for i in self.found.bodies]
        for table, (quantity, axes) in _ENTRIES.items():
            for place in np.ndindex(self.found.shape(table)):
                words, components = self._words(axes, place, bodies)
                found[cleaned(meaning(quantity, components, words).name)] = values[table][(..., *place)]
        return found

    def _words(
        self, axes: str, place: tuple[int, ...], bodies: Sequence[str]
    ) -> tuple[tuple[str, ...], tuple[int, ...]]:
        """The words and components of an entry: b a body, k a component, j a joint, r a speed."""
        words = {
            "b": bodies,
            "j": self.found.joints,
            "r": [str(r + 1) for r in range(len(self.found.sliding))],
        }
        given = [words[axis][i] for axis, i in zip(axes, place, strict=True) if axis != "k"]
        components = tuple(i for axis, i in zip(axes, place, strict=True) if axis == "k")
        return (*([""] if axes == "r" else []), *given, "", "", ""), components

    def explanation(self, state: Mapping[str, Array] | None = None) -> Explanation:
        """The account, with values in a state q (nq,), v and a (nv,)."""
        values = {} if state is None else self.values(state)
        z = values.pop("quantities", None)
        quantities = tuple(
            Quantity(
                number,
                symbol,
                self.symbols.latex[symbol],
                self.symbols.meaning[symbol],
                self.symbols.units[symbol],
                equation,
                None if z is None else float(z[number - 1]),
            )
            for number, (symbol, equation) in enumerate(self.definitions.listed, start=1)
        )
        outputs = self.found.program.outputs
        empty = Explanation(
            title=f"Kane's method of {self.mechanism.name}",
            bodies=tuple(self.found.tree.bodies[i].name for i in self.found.bodies),
            speeds=tuple(x.name for x in self.inputs["v"]),
            auxiliary=self.found.auxiliary,
            quantities=quantities,
            tables={argument.name: self.table(argument.name) for argument in outputs},
            described={argument.name: argument.description for argument in outputs},
            values=values,
            sections=(),
        )
        return replace(
            empty,
            sections=tuple(
                Sections(
                    self.mechanism,
                    self.found,
                    self.speeds,
                    self.inputs,
                    quantities,
                    empty.tables,
                    values,
                    state,
                    Printer(self.symbols.latex),
                    self.mixed,
                ).sections()
            ),
        )


def _symbols_of(
    item: PositionConstraint | VelocityConstraint, of: Mapping[str, Dimension], mechanism: Mechanism
) -> dict[sympy.Symbol, Dimension]:
    """The dimensions of the symbols of an equation: coordinates, rates, time, coordinates of frames, parameters."""
    named = {p.name: dimension(p.unit) for p in mechanism.parameters}
    named |= {name: of[name] for name in mechanism.motions}
    named |= {f"rate({name})": times(of[name], TIME, -1) for name in mechanism.motions}
    known = {s: of[name] for s, name in zip(item.q, mechanism.coordinates, strict=True)}
    if isinstance(item, VelocityConstraint):
        known |= {s: times(known[q], TIME, -1) for s, q in zip(item.qdot, item.q, strict=True)}
    if item.time is not None:
        known[item.time] = TIME
    for part in item.frames:
        length = LENGTH if part.entry in POSITION else NUMBER
        known[part.symbol] = times(length, TIME, -1) if part.rate else length
    others = item.expression.free_symbols - set(known)
    return known | {s: x for s in others if (x := named.get(s.name)) is not None}


_MOMENT: Dimension = (Fraction(1), Fraction(2), Fraction(-2))
_OF_AUXILIARY: Mapping[str, Dimension] = {
    "partial_angular_velocity": NUMBER,
    "partial_velocity": LENGTH,
    "inertia_force_of_body": _MOMENT,
    "weight_of_body": _MOMENT,
    "generalized_inertia_force": _MOMENT,
    "generalized_active_force": _MOMENT,
}
"""The dimensions of entries for an auxiliary speed, times that of the equation which it violates."""

_ENTRIES: Mapping[str, tuple[str, str]] = {
    "angular_velocity": ("w", "bk"),
    "angular_acceleration_at_rest": ("alpha t", "bk"),
    "angular_acceleration": ("alpha u", "bk"),
    "velocity": ("v*", "bk"),
    "acceleration_at_rest": ("a* t", "bk"),
    "acceleration": ("a* u", "bk"),
    "inertia_torque": ("T* u", "bk"),
    "inertia_force": ("R* u", "bk"),
    "weight": ("weight", "bk"),
    "partial_angular_velocity": ("wr", "brk"),
    "partial_velocity": ("vr*", "brk"),
    "inertia_force_of_body": ("K* of body", "br"),
    "weight_of_body": ("K of body", "br"),
    "joint_rates": ("rate", "j"),
    "rates_for_speeds": ("by speed", "jr"),
    "resisting": ("resisting", "j"),
    "mass": ("X", "rr"),
    "inertia_force_at_rest": ("K* t", "r"),
    "generalized_inertia_force": ("K* whole", "r"),
    "generalized_active_force": ("K given", "r"),
    "right_side": ("rest", "r"),
    "driving_force": ("driving", "r"),
}
"""The quantity whose name an entry of a table has, and what its axes are: bodies, components, joints, speeds."""
