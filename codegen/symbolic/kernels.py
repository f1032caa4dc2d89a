"""Kernels of a mechanism as equations in its own names: as they are derived, or as the C has them."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import sympy

from kanegen.codegen.derivation.kernels.catalogue import forces_of_motion
from kanegen.codegen.derivation.placed_tree.placement import PlacedTree
from kanegen.codegen.deriving import derive_all
from kanegen.codegen.emit.expressions import Member, Variable
from kanegen.codegen.emit.naming import PREPARED, argument_names, name_nodes
from kanegen.codegen.graph import Argument, Expression, Graph, Kind, Program, compose
from kanegen.codegen.graph.schedule import Assignment, SineCosine
from kanegen.codegen.graph.sympy_bridge import to_sympy
from kanegen.codegen.kernel_sources import KernelSources
from kanegen.codegen.mechanism import catalogue
from kanegen.codegen.mechanism.names import c_names, file_name
from kanegen.codegen.mechanism.records import IDENTITY3, Mechanism, Value
from kanegen.codegen.passes.hoist import hoist
from kanegen.codegen.passes.schedule import schedule
from kanegen.codegen.reading import read
from kanegen.codegen.symbolic.definitions import ANGLES, Definitions, Leaves
from kanegen.codegen.symbolic.numbers import symbolic_number
from kanegen.codegen.symbolic.symbols import Symbols, argument_symbols, parameter_symbols
from kanegen.codegen.symbolic.written import Equations
from kanegen.options import Options

_PLAIN = (
    "As derived, before frames are turned, inertia is moved across joints, and forms are searched for; "
    "every quantity is what its line says"
)
_COMPILED = (
    "As the C has it, after frames were turned, inertia moved across joints, and forms searched for: constants are "
    "combinations of those of the model, and components belong to frames that were moved"
)


def equations(
    model: str | os.PathLike[str] | Mechanism,
    options: Options,
    as_compiled: bool = False,
    named: bool = False,
) -> Equations:
    """The kernels asked for, in symbols; inverse dynamics where none are named, or constraint forces without speeds.

    Raises ModelError.
    """
    mechanism = read(model, options)
    options = replace(options, kernels=options.kernels or (forces_of_motion(mechanism.dof).name,))
    sources = KernelSources(mechanism, options)
    return _Writer(sources).written(as_compiled, named)


class _Writer:
    """The equations of one mechanism in the making."""

    def __init__(self, sources: KernelSources) -> None:
        self.sources, self.mechanism = sources, sources.mechanism
        speeds = sources.options.speeds
        self.speeds = (
            self.mechanism.generalized_speeds
            if speeds is None
            else catalogue.generalized_speeds(self.mechanism.name, speeds)
        )
        self.symbols = Symbols()
        self.inputs: dict[str, list[sympy.Symbol]] = {}
        self.leaves: dict[tuple[str, int] | str, sympy.Expr] = {}
        self.parameters: dict[str, sympy.Symbol] = {}
        self.definitions: list[tuple[sympy.Symbol, sympy.Expr]] = []
        self.outputs: dict[str, Any] = {}
        self.shapes: dict[str, tuple[int, ...]] = {}
        self.described: dict[str, str] = {}

    def written(self, as_compiled: bool, named: bool) -> Equations:
        programs = self._compiled() if as_compiled else self._derived(named)
        mechanism, values = self.mechanism, {p.name: p.value for p in self.mechanism.parameters}
        methods = dict.fromkeys(program.source for program in programs)
        return Equations(
            title=f"{mechanism.name}: {', '.join(program.title for program in programs)}",
            built=f"{_COMPILED if as_compiled else _PLAIN}. Method: {'; '.join(methods)}",
            frames=() if as_compiled else self._frames(),
            inputs=self.inputs,
            parameters={x: symbolic_number(values[name]) for name, x in self.parameters.items()},
            definitions=self.definitions,
            outputs=self.outputs,
            shapes=self.shapes,
            meaning=self.symbols.meaning,
            units=self.symbols.units,
            symbols=self.symbols.latex,
            described=self.described,
        )

    # -- as derived --------------------------------------------------------------------------------------------------

    def _derived(self, named: bool) -> list[Program]:
        programs = [self.sources.plain(name) for name in self.sources.wanted()]
        self._take(programs, parameters_of(programs))
        graph = Graph()
        results = [
            [x.ref for entries in compose(program, graph, {}) for x in entries] for program in programs
        ]
        definitions = Definitions(graph, self.leaves, self.symbols)
        definitions.write([ref for refs in results for ref in refs], named)
        self.definitions = definitions.listed
        lines: list[tuple[str, sympy.Expr]] = []
        for program, refs in zip(programs, results, strict=True):
            entries = iter([definitions.value(ref) for ref in refs])
            lines += self._give(
                program, {a.name: [next(entries) for _ in range(a.size)] for a in program.outputs}
            )
        definitions.tell_users(lines)
        return programs

    # -- as compiled -------------------------------------------------------------------------------------------------

    def _compiled(self) -> list[Program]:
        programs = list(derive_all(self.sources).programs.values())
        hoisted = hoist(programs)
        self._take(programs, parameters_of(programs))
        prepared = dict(self.leaves)
        if hoisted.prepare is not None:
            made = Definitions(hoisted.prepare.graph, self.leaves, self.symbols)
            values = made.write(hoisted.prepare.roots)
            self.definitions += made.listed
            for output, value in zip(hoisted.prepare.outputs, values, strict=True):
                prepared[output.name] = value
                if not value.is_Symbol:
                    symbol = self.symbols.new(output.name, "prepared from the parameters alone")
                    self.definitions.append((symbol, value))
                    prepared[output.name] = symbol
        for program in hoisted.kernels:
            self._listed(program, prepared)
        return programs

    def _listed(self, program: Program, leaves: Leaves) -> None:
        """The statements of a kernel in their order, under the names that they have in C."""
        ordered = schedule(program)
        graph = ordered.program.graph
        arguments = argument_names((*program.inputs, *program.outputs), file_name(self.mechanism.name))
        coordinates = tuple(c_names(self.mechanism.coordinates).values())
        fields = {name: Member(PREPARED, name) for name in leaves if isinstance(name, str)}
        names = name_nodes(ordered, (), arguments, coordinates, fields, frozenset())
        made = Definitions(graph, leaves, self.symbols)
        for statement in ordered.statements:
            if isinstance(statement, SineCosine):
                for node in graph.reachable(ordered.program.roots):
                    if graph.kinds[node] in ANGLES and graph.payloads[node][0] in statement.angles:
                        made.value(graph.payloads[node][0])
                        made.define(node, made.of_angle(node))
            elif isinstance(statement, Assignment):
                name = names.leaves[statement.node]
                assert isinstance(name.value, Variable), "statements make variables"
                meant = graph.meanings.get(name.sign * statement.node)
                words = (meant.text, meant.unit, meant.latex) if meant else ("a variable of the C", "", "")
                made.define(statement.node, self.symbols.new(name.value.name, *words), name.sign)
        entries = iter([made.value(ref) for ref in ordered.program.roots])
        self.definitions += made.listed
        self._give(program, {a.name: [next(entries) for _ in range(a.size)] for a in program.outputs})

    # -- inputs, outputs, frames -------------------------------------------------------------------------------------

    def _take(self, programs: Sequence[Program], parameters: set[str]) -> None:
        """Symbols of the inputs and the live parameters; the user's own names come first."""
        arguments: dict[str, Argument] = {a.name: a for program in programs for a in program.inputs}
        found: dict[str, list[sympy.Symbol]] = {}

        def take(argument: Argument) -> None:
            found[argument.name] = argument_symbols(self.symbols, self.mechanism, self.speeds, argument)

        if "q" in arguments:
            take(arguments["q"])
        self.parameters = parameter_symbols(self.symbols, self.mechanism, parameters)
        for argument in arguments.values():
            if argument.name != "q":
                take(argument)
        self.inputs = {name: found[name] for name in arguments}
        self.leaves = dict(self.parameters.items())
        for name, entries in self.inputs.items():
            self.leaves |= {(name, i): x for i, x in enumerate(entries)}

    def _give(
        self, program: Program, results: Mapping[str, list[sympy.Expr]]
    ) -> list[tuple[str, sympy.Expr]]:
        """Add the outputs of a kernel; returns their entries by name."""
        lines = []
        for argument in program.outputs:
            entries, shape = results[argument.name], argument.shape
            name = argument.name if argument.name not in self.outputs else f"{program.name}_{argument.name}"
            self.described[name], self.shapes[name] = argument.description, shape
            if not shape:
                self.outputs[name] = entries[0]
            elif len(shape) <= 2:
                self.outputs[name] = sympy.Matrix(shape[0], argument.size // shape[0], entries)
            else:
                self.outputs[name] = sympy.ImmutableDenseNDimArray(entries, shape)
            lines += [(f"{name}{i + 1}" if shape else name, x) for i, x in enumerate(entries)]
        return lines

    def _frames(self) -> tuple[str, ...]:
        """Where the frames are that components belong to, where they are not those of the description."""
        if self.mechanism.flexible or not self.sources.options.recursive:
            return ()
        return tuple(_frames_of(self.sources.trees.placed({})[0]))


def parameters_of(programs: Sequence[Program]) -> set[str]:
    """Names of the parameters that programs depend on."""
    return {
        program.graph.payloads[i][0]
        for program in programs
        for i in program.graph.reachable(program.roots)
        if program.graph.kinds[i] is Kind.PARAMETER
    }


def _frames_of(tree: PlacedTree) -> list[str]:
    """A line for each body whose frame is not the one that it is described with."""
    lines = []
    for body in tree.bodies:
        moved = any(x != 0 for x in body.frame_position)
        turned = body.frame_rotation != IDENTITY3
        if body.carrier or not (moved or turned):
            continue
        words = [f"origin at {vector(body.frame_position)}"] if moved else []
        if turned:
            columns = zip("xyz", zip(*body.frame_rotation, strict=True), strict=True)
            words.append(", ".join(f"{axis} along {vector(column)}" for axis, column in columns))
        lines.append(f"{body.name}: {', '.join(words)} of the frame that it is described with")
    return lines


def vector(values: Sequence[Value]) -> str:
    """Values of a mechanism, written in parentheses."""
    return f"({', '.join(_value(x) for x in values)})"


def _value(value: Value) -> str:
    return str(to_sympy(value.graph, value.ref) if isinstance(value, Expression) else symbolic_number(value))
