"""What can be wrong with the control laws of a mechanism; that none is named like a kernel, kernel_names.py sees to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kanegen.codegen.graph import Argument, Expression, Graph, Program, evaluate
from kanegen.codegen.graph.late import sympy
from kanegen.codegen.graph.sympy_bridge import UnsupportedExpressionError
from kanegen.codegen.mechanism.control_law import ControlLaw, live_parameters
from kanegen.codegen.mechanism.names import c_names
from kanegen.codegen.mechanism.records import Mechanism
from kanegen.codegen.mechanism.validation.exact import title_of
from kanegen.codegen.mechanism.validation.symbols import check_symbols, kind_of_name
from kanegen.codegen.mechanism.values import home_numbers
from kanegen.errors import ModelError

_TRIED = 8
"""Times and speeds at which a law is looked at in the configuration home."""


def check_laws(mechanism: Mechanism) -> None:
    """Raise ModelError for the first control law that does not fit the mechanism, or cannot be compiled."""
    seen: set[str] = set()
    for law in mechanism.laws:
        if not mechanism.dof:
            raise ModelError(
                f"control law {law.name!r}",
                "has nothing to act on: the equations decide all of the motion",
                "a mechanism with a degree of freedom",
                "Leave it out: constraint_forces are the forces that drive the mechanism.",
            )
        _check_name(law, seen)
        seen.add(law.name.lower())
        _check_dimensions(law, mechanism)
        _check_states(law, mechanism)
        where, each = f"control law {law.name!r}", "time, each coordinate, each rate and each state"
        check_symbols(where, law.state, mechanism, "a part of the state", each)
        _check_forces(law, mechanism)


def _check_name(law: ControlLaw, seen: set[str]) -> None:
    where = f"control law {law.name!r}"
    if not isinstance(law.name, str) or not law.name or c_names([law.name])[law.name] != law.name:
        raise ModelError(
            where,
            "its name cannot be that of a C function",
            "letters, digits and single underscores, beginning with a letter, no word that Python has taken",
            "Rename it.",
        )
    if law.name.lower() in seen:
        raise ModelError(
            where,
            "the name is given twice",
            "names that differ in more than upper and lower case",
            "Rename one.",
        )


def _check_dimensions(law: ControlLaw, mechanism: Mechanism) -> None:
    coordinates = ", ".join(mechanism.coordinates)
    speeds = "the generalized speeds" if mechanism.speeds else ", ".join(mechanism.rates)
    for what, entries, count, names in (
        ("coordinates q", law.q, len(mechanism.coordinates), coordinates),
        ("rates v", law.v, mechanism.dof, speeds),
        ("forces", law.forces, mechanism.dof, speeds),
    ):
        if len(entries) != count:
            raise ModelError(
                f"control law {law.name!r}",
                f"has {len(entries)} {what}",
                f"{count}, one for each of {names}",
                "Give one each, in this order.",
            )


def _check_states(law: ControlLaw, mechanism: Mechanism) -> None:
    names = [*(state.name for state in law.states), *law.references]
    known = {*mechanism.coordinates, *mechanism.rates}
    for k, name in enumerate(names):
        if name in names[:k] or name in known:
            raise ModelError(
                f"control law {law.name!r}",
                f"the state or signal {name!r} is called like {'another' if name in names[:k] else 'a coordinate'}",
                "different names for states, signals and coordinates",
                "Rename it.",
            )


def _check_forces(law: ControlLaw, mechanism: Mechanism) -> None:
    speeds = [title_of(speed) for speed in mechanism.speeds] or map(repr, mechanism.rates)
    names = [f"force on {name}" for name in speeds] + [f"rate of {state.name!r}" for state in law.states]
    for name, force in zip(names, law.results, strict=True):
        if not isinstance(force, sympy.Expr):
            raise ModelError(
                f"control law {law.name!r}, {name}",
                f"{force!r} is no SymPy expression",
                "a scalar SymPy expression",
                "Write powers with **, as in x**2, not with ^."
                if isinstance(force, sympy.Xor)
                else "Use sympy.sympify for a plain number.",
            )
    known = {parameter.name for parameter in mechanism.parameters}
    unknown = [symbol.name for symbol in law.parameter_symbols() if symbol.name not in known]
    if unknown:
        state = {symbol.name for symbol in law.state}
        raise ModelError(
            f"control law {law.name!r}",
            f"depends on the symbol {unknown[0]!r}"
            + (
                ", with other assumptions than in its state"
                if unknown[0] in state
                else kind_of_name(unknown[0], mechanism)
            ),
            f"its time, coordinates and rates {', '.join(s.name for s in (*law.state, *law.signals))}, "
            f"or parameters of the mechanism: {', '.join(sorted(known)) or '(there are none)'}",
            "Give it a number, or declare it as a parameter of the mechanism; what kernels give has entries, such as "
            "quantity('kinetic_energy')[0], or kinetic_energy[0] in TOML.",
        )
    graph = Graph()
    try:
        law.on_inputs(graph, live_parameters(graph, known))
    except UnsupportedExpressionError as error:
        raise ModelError(
            f"control law {law.name!r}", str(error), "an expression that can be compiled", "Rewrite the law."
        ) from None


def check_laws_at_home(mechanism: Mechanism) -> None:
    """Raise ModelError for the first control law without a value at home, whatever the time and the speeds are.

    Expects that the laws fit the mechanism, with their symbols in its order.
    """
    for law in mechanism.laws:
        _check_at_home(law, mechanism)


def _check_at_home(law: ControlLaw, mechanism: Mechanism) -> None:
    numbers = {p.name: float(p.value) for p in mechanism.parameters}
    found = np.isfinite(values_at_home(law, mechanism, numbers))
    if not found.all(axis=1).any():
        home = home_numbers(mechanism)
        raise ModelError(
            f"control law {law.name!r}",
            "has no value in the configuration home, "
            + ", ".join(f"{n} = {x:.6g}" for n, x in zip(mechanism.coordinates, home, strict=True)),
            "forces that can be computed there: no division by zero, no root of a negative number",
            "Give a home where it has one, with MechanismBuilder.home or home in TOML; without it home is zero.",
        )


def values_at_home(
    law: ControlLaw, mechanism: Mechanism, numbers: Mapping[str, float | NDArray[Any]]
) -> NDArray[np.float64]:
    """Forces and rates of a law at home, at some times and speeds (tried, ..., results), for these parameters (...)."""
    home = home_numbers(mechanism)
    graph = Graph()
    sizes = {"t": 1, "q": len(law.q), "v": len(law.v), "x": len(law.states), "r": len(law.signals)}

    def quantity(name: str, given: Mapping[str, Sequence[Expression]]) -> Sequence[Expression]:
        """Of which nothing is known here: any numbers."""
        del given
        own, most = f"quantity {len(sizes)} {name}", 1 + max(q.entry for q in law.quantities())
        sizes[own] = most
        return [Expression(graph, graph.input(own, i)) for i in range(most)]

    forces, rates = law.on_inputs(
        graph, live_parameters(graph, (p.name for p in mechanism.parameters)), quantity
    )
    program = Program(
        name=law.name,
        title="",
        source="",
        inputs=tuple(Argument(name, (size,) if name != "t" else (), "", "") for name, size in sizes.items()),
        outputs=(Argument("tau", (len(law.results),), "", ""),),
        graph=graph,
        results=(tuple(found.ref for found in (*forces, *rates)),),
    )
    random = np.random.default_rng(1987)
    state = {name: random.standard_normal((_TRIED, size)) for name, size in sizes.items()}
    state |= {"t": random.uniform(0, 1, _TRIED), "q": np.tile(home, (_TRIED, 1))}
    axes = max((np.ndim(value) for value in numbers.values()), default=0)
    state = {
        name: array.reshape(_TRIED, *[1] * axes, *program.inputs[k].shape)
        for k, (name, array) in enumerate(state.items())
    }
    return evaluate(program, state, numbers)["tau"]
