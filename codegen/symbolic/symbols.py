"""Symbols of a mechanism's equations, in its own names: coordinates, speeds, forces, live parameters."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import sympy

from kanegen.codegen.graph.meaning import latex_name
from kanegen.codegen.mechanism.records import JointKind, Mechanism
from kanegen.codegen.mechanism.speeds import GeneralizedSpeed, JointRate, described_speed
from kanegen.manifest import Argument

_OF_SPEEDS = {
    "v": ("u", "u", ""),
    "a": ("udot", r"\dot{u}", "derivative of the "),
    "tau": ("tau", r"\tau", "generalized force on the "),
}
"""What has an entry for each speed, by the argument's name: its symbol, plain and in LaTeX, and words."""


@dataclass
class Symbols:
    """Symbols that have been given away, each with its LaTeX, its meaning and its unit; no two have the same name."""

    latex: dict[sympy.Symbol, str] = field(default_factory=dict)
    meaning: dict[sympy.Symbol, str] = field(default_factory=dict)
    units: dict[sympy.Symbol, str] = field(default_factory=dict)
    _names: set[str] = field(default_factory=set)

    def new(self, name: str, meaning: str, unit: str = "", latex: str = "") -> sympy.Symbol:
        """A symbol of that name, or with a number behind it where the name is taken."""
        free, number = name, 1
        while free in self._names:
            number += 1
            free = f"{name}_{number}"
        self._names.add(free)
        symbol = sympy.Symbol(free)
        shown = latex or latex_name(name)
        self.latex[symbol] = shown if number == 1 else f"{{{shown}}}^{{({number})}}"
        self.meaning[symbol] = meaning
        self.units[symbol] = unit
        return symbol


def _indices(speeds: Sequence[GeneralizedSpeed]) -> list[str]:
    """What stands behind u for each speed: the figures of q1, q2, ..., the names of other joints, or the place."""
    joints = [speed.joint for speed in speeds if isinstance(speed, JointRate)]
    if len(joints) < len(speeds):
        return [str(i + 1) for i in range(len(speeds))]
    figures = [match[1] for match in (re.fullmatch(r"[A-Za-z](\d+)", joint) for joint in joints) if match]
    return figures if len(set(figures)) == len(speeds) else joints


def argument_symbols(
    symbols: Symbols, mechanism: Mechanism, speeds: Sequence[GeneralizedSpeed], argument: Argument
) -> list[sympy.Symbol]:
    """Symbols for the entries of an argument; coordinates have their own names."""
    name, count = argument.name, argument.size
    if name in ("q", "qdot") and count == len(mechanism.coordinates):
        units = [_unit(argument, mechanism, q) for q in mechanism.coordinates]
        named = list(zip(mechanism.coordinates, units, strict=True))
        if name == "q":
            return [symbols.new(q, f"coordinate {q}", unit) for q, unit in named]
        return [
            symbols.new(f"{q}dot", f"rate of {q}", unit, rf"\dot{{{latex_name(q)}}}") for q, unit in named
        ]
    if name in _OF_SPEEDS and argument.shape == (len(speeds),):
        letter, latex, what = _OF_SPEEDS[name]
        return [
            symbols.new(
                f"{letter}{i}" if i.isdigit() else f"{letter}_{i}",
                f"{what}rate of {speed.joint}"
                if isinstance(speed, JointRate)
                else f"{what}speed, {described_speed(speed)}",
                _unit(argument, mechanism, speed.joint if isinstance(speed, JointRate) else ""),
                latex_name(f"u_{i}").replace("u", latex, 1),
            )
            for i, speed in zip(_indices(speeds), speeds, strict=True)
        ]
    unit = _unit(argument, mechanism, "")
    if not argument.shape:
        return [symbols.new(name, argument.description, unit)]
    return [
        symbols.new(f"{name}{i + 1}", f"entry {i + 1} of: {argument.description}", unit) for i in range(count)
    ]


def _unit(argument: Argument, mechanism: Mechanism, joint: str) -> str:
    """The unit of an entry; of several those of turns, of slides and of modes, "" where nothing tells which."""
    units = argument.unit.split(", ")
    if len(units) == 1:
        return units[0]
    if joint in mechanism.modes:
        return units[1]
    if joint in mechanism.joint_names and joint not in mechanism.ball_parts:
        return units[mechanism.joint(joint).kind is JointKind.PRISMATIC]
    return ""


def parameter_symbols(symbols: Symbols, mechanism: Mechanism, used: Iterable[str]) -> dict[str, sympy.Symbol]:
    """Symbols for live parameters, in the mechanism's order."""
    wanted = set(used)
    return {
        p.name: symbols.new(p.name, p.description or f"parameter {p.name}", p.unit)
        for p in mechanism.parameters
        if p.name in wanted
    }
