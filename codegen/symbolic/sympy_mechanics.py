"""Equations of motion that ``sympy.physics.mechanics`` derived: as kernels in C, or beside those of a mechanism.

A ``KanesMethod`` or ``LagrangesMethod`` whose equations have been formed says M(q) du/dt = f(q, u), and dq/dt by q and u.
Forces that are named stay out of f; in their place stand generalized forces tau on the speeds, M du/dt = f + tau.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import sympy

from kanegen.codegen.derivation.kernels.catalogue import (
    BIAS_FORCES,
    COORDINATE_RATES,
    FORWARD_DYNAMICS,
    INVERSE_DYNAMICS,
    MASS_MATRIX,
)
from kanegen.codegen.derivation.kernels.contract import Arguments, Contract
from kanegen.codegen.derivation.linear.solve import one_by_one, solve
from kanegen.codegen.emit.model import LiveParameter, Model
from kanegen.codegen.emit.writer import write_model
from kanegen.codegen.graph import Expression, Graph, Program, constant, evaluate, inputs
from kanegen.codegen.graph.exact import from_number
from kanegen.codegen.graph.sympy_bridge import from_sympy
from kanegen.codegen.kernel_sources import KernelSources
from kanegen.codegen.mechanism.names import file_name
from kanegen.codegen.mechanism.records import Mechanism
from kanegen.codegen.passes.hoist import hoist
from kanegen.codegen.passes.optimize import optimize, with_equal_values_merged
from kanegen.codegen.passes.schedule import schedule
from kanegen.codegen.reading import read
from kanegen.errors import ModelError
from kanegen.options import Options

Number = int | float


@dataclass(frozen=True)
class Method:
    """What a method of SymPy has found, in plain symbols: coordinates, speeds, M, f and dq/dt."""

    coordinates: tuple[sympy.Symbol, ...]
    speeds: tuple[sympy.Symbol, ...]
    mass_matrix: sympy.Matrix
    forcing: sympy.Matrix
    rates: tuple[sympy.Expr, ...]
    source: str

    @property
    def parameters(self) -> set[sympy.Symbol]:
        """The symbols that are neither coordinates nor speeds."""
        every: set[sympy.Symbol] = set(self.mass_matrix.free_symbols | self.forcing.free_symbols)
        every.update(*(rate.free_symbols for rate in self.rates))
        return every - set(self.coordinates) - set(self.speeds)


def method_of(method: Any, forces: Sequence[sympy.Expr] = ()) -> Method:
    """What a ``KanesMethod`` or a ``LagrangesMethod`` has found; ``forces`` are dynamicsymbols that stay out of f.

    Raises ModelError for one whose speeds or coordinates depend on one another, for equations that contain the time, and
    for dynamicsymbols that are neither coordinates, speeds nor forces.
    """
    name = type(method).__name__
    if any(len(getattr(method, part, None) or ()) for part in ("_qdep", "_udep", "coneqs")):
        raise ModelError(
            name,
            "has coordinates or speeds that depend on others",
            "independent ones, M du/dt = f",
            "Describe the mechanism with its loops or constraints, and compare with that.",
        )
    t = method.q[0].args[0]
    derivatives = {q.diff(t): u for q, u in zip(method.q, method.u, strict=False)}
    rates = method.kindiffdict() if hasattr(method, "kindiffdict") else derivatives
    coordinates, speeds = _symbols(method.q, "q"), _symbols(method.u, "u")
    plain = dict(zip(method.q, coordinates, strict=True))
    of_speeds = dict(zip(method.u, speeds, strict=True))
    silent = dict.fromkeys(forces, 0)

    def told(expression: sympy.Expr) -> sympy.Expr:
        found = sympy.sympify(expression).xreplace(of_speeds).subs(rates).xreplace(of_speeds)
        found = found.xreplace(silent).xreplace(plain)
        left = found.atoms(sympy.Function, sympy.Derivative)
        left = {x for x in left if x.is_Derivative or isinstance(x, sympy.core.function.AppliedUndef)}
        if left or t in found.free_symbols:
            raise ModelError(
                name,
                f"contains {', '.join(sorted(map(str, left)) or [str(t)])}",
                "coordinates, speeds, parameters, and the forces that are named",
                "Name it among the forces, or make it a parameter.",
            )
        return found

    return Method(
        coordinates,
        speeds,
        method.mass_matrix.applyfunc(told),
        method.forcing.applyfunc(told),
        tuple(told(q.diff(t)) for q in method.q),
        f"{name} of SymPy {sympy.__version__}",
    )


def _symbols(values: Sequence[sympy.Expr], letter: str) -> tuple[sympy.Symbol, ...]:
    """Plain symbols for dynamicsymbols; rates of coordinates, which have no names, are u1, u2, ..."""
    return tuple(
        sympy.Symbol(f"{letter}{i + 1}" if x.is_Derivative else x.func.__name__) for i, x in enumerate(values)
    )


def programs(
    method: Method, parameters: Mapping[sympy.Symbol | str, Number], live: bool = False
) -> dict[str, Program]:
    """Mass matrix, bias forces, inverse and forward dynamics, and dq/dt; parameters are numbers unless ``live``.

    Raises ModelError for parameters without a number.
    """
    numbers = {str(name): from_number(value) for name, value in parameters.items()}
    missing = sorted(str(x) for x in method.parameters if str(x) not in numbers)
    if missing:
        raise ModelError(
            "parameters",
            f"lack a number for {', '.join(missing)}",
            f"one for each of {', '.join(sorted(map(str, method.parameters)))}",
            "Give parameters={...}.",
        )
    nq, nv = len(method.coordinates), len(method.speeds)
    order = f"in the order {', '.join(map(str, method.speeds))}"
    words = {
        "q": f"coordinates, in the order {', '.join(map(str, method.coordinates))}",
        "v": f"speeds, {order}",
        "a": f"derivatives dv/dt of the speeds, {order}",
        "tau": f"generalized forces (power = tau . v), {order}",
        "accelerations": "derivatives of the speeds",
        "index": "speeds",
        "rate": "speed",
        "order": order,
        "resisting": "",
    }
    unknown = (False, False, False)
    arguments = Arguments({"nq": nq, "nv": nv}, words, {"nq": unknown, "nv": unknown[:2]})

    def program(contract: Contract) -> Program:
        graph = Graph()
        known = dict(zip(method.coordinates, inputs(graph, "q", nq), strict=True))
        known |= dict(zip(method.speeds, inputs(graph, "v", nv), strict=True))
        for x in method.parameters:
            number = numbers[str(x)]
            known[x] = Expression(graph, graph.parameter(str(x))) if live else constant(graph, number)

        def lifted(value: sympy.Expr) -> Expression:
            return from_sympy(graph, value, known)

        def needed(a: Sequence[Expression]) -> list[Expression]:
            """M a - f."""
            rows = zip(matrix, method.forcing, strict=True)
            return [sum((x * y for x, y in zip(row, a, strict=True)), -lifted(f)) for row, f in rows]

        rest = [constant(graph, 0)] * nv
        matrix = [[lifted(method.mass_matrix[r, c]) for c in range(nv)] for r in range(nv)]
        if contract is MASS_MATRIX:
            found: Any = matrix
        elif contract is COORDINATE_RATES:
            found = [lifted(rate) for rate in method.rates]
        elif contract is FORWARD_DYNAMICS:
            driving = [t - h for t, h in zip(inputs(graph, "tau", nv), needed(rest), strict=True)]
            found = solve(matrix, driving, one_by_one(matrix))
        else:
            found = needed(rest if contract is BIAS_FORCES else inputs(graph, "a", nv))
        return with_equal_values_merged(
            *optimize(contract.program(arguments, graph, [found], method.source))
        )[0]

    kernels = (INVERSE_DYNAMICS, FORWARD_DYNAMICS, MASS_MATRIX, BIAS_FORCES, COORDINATE_RATES)
    return {contract.name: program(contract) for contract in kernels}


def generate(
    method: Any,
    directory: str | os.PathLike[str],
    *,
    name: str,
    parameters: Mapping[sympy.Symbol | str, Number],
    forces: Sequence[sympy.Expr] = (),
    live: bool = False,
) -> Path:
    """Write the C of a method's equations into a directory, which ``kanegen.load`` takes.  Returns it.

    ``parameters`` are the numbers of the symbols; with ``live`` they stay changeable.  See ``method_of`` for ``forces`` and
    for what is refused.
    """
    found = method_of(method, forces)
    made = programs(found, parameters, live)
    hoisted = hoist(list(made.values()))
    names = tuple(map(str, found.coordinates))
    text = sympy.srepr((found.mass_matrix, found.forcing, found.rates, sorted(map(str, parameters.items()))))
    model = Model(
        name=name,
        prefix=file_name(name),
        hash=hashlib.sha256(text.encode()).hexdigest(),
        nq=len(names),
        nv=len(found.speeds),
        coordinate_names=names,
        joint_names=names,
        speed_names=tuple(map(str, found.speeds)),
        frame_names=(),
        gravity=(0.0, 0.0, 0.0),
        kernels=tuple(schedule(program) for program in hoisted.kernels),
        parameters=tuple(
            LiveParameter(str(x), from_number(value), "", "")
            for x, value in parameters.items()
            if hoisted.prepare is not None
        ),
        prepare=None if hoisted.prepare is None else schedule(hoisted.prepare),
        regular=frozenset(made),
    )
    write_model(model, directory)
    return Path(directory)


def compare(
    method: Any,
    model: str | os.PathLike[str] | Mechanism,
    *,
    parameters: Mapping[sympy.Symbol | str, Number],
    forces: Sequence[sympy.Expr] = (),
    states: int = 100,
    seed: int = 1983,
    options: Options | None = None,
) -> dict[str, float]:
    """How far the two differ: for each kernel that both have the largest difference of an entry, of the largest entry.

    Coordinates and speeds are taken in their order; states are random, uniform between -1 and 1.

    Raises ModelError where there are not as many of them.
    """
    found = method_of(method, forces)
    sources = KernelSources(read(model, options or Options()), options or Options())
    sizes = (len(found.coordinates), len(found.speeds))
    expected = (len(sources.mechanism.coordinates), sources.mechanism.dof)
    if sizes != expected:
        raise ModelError(
            found.source,
            f"has {sizes[0]} coordinates and {sizes[1]} speeds",
            f"{expected[0]} and {expected[1]}, as {sources.mechanism.name!r}",
            "Describe the same mechanism.",
        )
    rng = np.random.default_rng(seed)
    values = {name: rng.uniform(-1, 1, (states, sizes[name != "q"])) for name in ("q", "v", "a", "tau")}
    differences = {}
    for kernel, program in programs(found, parameters).items():
        if kernel in sources.builds:
            (mine,), (own,) = (
                evaluate(p, {a.name: values[a.name] for a in p.inputs}).values()
                for p in (program, sources.plain(kernel))
            )
            largest = np.abs(own).reshape(states, -1).max(axis=1)
            apart = np.abs(mine - own).reshape(states, -1).max(axis=1)
            differences[kernel] = float((apart / largest).max())
    return differences
