"""Kane's method of a model as an account to be read; intermediate quantities of any formulation in numbers."""

from __future__ import annotations

import json
import os
import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import sympy
from numpy.typing import NDArray

from kanegen.codegen.graph import Argument, Program, evaluate
from kanegen.codegen.kernel_sources import KernelSources
from kanegen.codegen.mechanism import catalogue
from kanegen.codegen.mechanism.fingerprint import fingerprint
from kanegen.codegen.mechanism.records import Mechanism
from kanegen.codegen.mechanism.speeds import JointRate
from kanegen.codegen.mechanism.values import numeric
from kanegen.codegen.reading import read
from kanegen.codegen.studies import kane_levinson_1983
from kanegen.codegen.studies.written_rows import Row
from kanegen.codegen.symbolic.account import Explanation, QuantitiesOfKane
from kanegen.codegen.symbolic.documents import Printer
from kanegen.codegen.symbolic.pages import Cell, Formula, Section, Table
from kanegen.errors import KanegenError, did_you_mean, shown
from kanegen.options import Options

Array = NDArray[np.float64]
State = Mapping[str, Any]
"""q, v and a, each as an array or by names of its entries, and t; what is not there is at home, or 0."""


def explain(
    model: str | os.PathLike[str] | Mechanism, options: Options, state: State | None = None
) -> Explanation:
    """Kane's method of a model, step by step, with values in a state where one is given.

    Raises ModelError for a wrong model and for one that the method does not know, KanegenError for a wrong state.
    """
    mechanism = read(model, options)
    account = QuantitiesOfKane(mechanism, options.speeds, bool(options.live_names))
    at = None if state is None else _arrays(account, state)
    found = account.explanation(at)
    described = _DESCRIBED.get(mechanism.name)
    if described is None or fingerprint(mechanism) != fingerprint(catalogue.mechanism(mechanism.name)):
        return found
    return found.with_sections([described(at, options.speeds)])


def quantities(
    model: str | os.PathLike[str] | Mechanism, options: Options, kernel: str
) -> tuple[str, Callable[..., dict[str, Array]]]:
    """The hash of a mechanism, and a function of q, v, a, t and parameters that gives intermediate quantities by name.

    Those of Kane's method are all that an account of it has, other formulations have those of the kernel, as it is derived
    before any search.  Raises ModelError.
    """
    mechanism = read(model, options)
    if options.formulation == "kane" or options.speeds is not None:
        account = QuantitiesOfKane(mechanism, options.speeds, bool(options.live_names))
        return fingerprint(mechanism), lambda given, parameters: account.named(
            account.values(given, parameters)
        )
    program = _with_quantities(KernelSources(mechanism, replace(options, kernels=(kernel,))).plain(kernel))
    defaults = {p.name: float(p.value) for p in mechanism.parameters}
    return fingerprint(mechanism), partial(_evaluated, program, defaults)


def _with_quantities(program: Program) -> Program:
    """The program with all values that have a meaning for outputs."""
    graph = program.graph
    needed = set(graph.reachable(program.roots))
    named = {meant.name: ref for ref, meant in graph.meanings.items() if abs(ref) in needed}
    outputs = tuple(Argument(name, (), meant_unit) for name, meant_unit in dict.fromkeys(named, "").items())
    return replace(program, outputs=outputs, results=tuple((ref,) for ref in named.values()))


def _evaluated(
    program: Program, defaults: Mapping[str, float], given: Mapping[str, Any], parameters: Mapping[str, float]
) -> dict[str, Array]:
    taken = {x.name: given[x.name] for x in program.inputs}
    return evaluate(program, taken, {**defaults, **parameters})


# -- states --------------------------------------------------------------------------------------------------------------


def read_state(path: Path) -> State:
    """The state in a file, TOML or JSON by its suffix: q, v and a.  Raises KanegenError."""
    try:
        text = path.read_text(encoding="utf-8")
        found = json.loads(text) if path.suffix == ".json" else tomllib.loads(text)
    except (OSError, ValueError) as error:
        raise KanegenError(f"{path}: cannot be read as a state: {error}") from None
    if not isinstance(found, dict):
        raise KanegenError(f"{path}: expected q, v and a, got {shown(found)}")
    return found


def _arrays(account: QuantitiesOfKane, state: State) -> dict[str, Array]:
    mechanism = account.mechanism
    unknown = [name for name in state if name not in ("q", "v", "a", "t")]
    if unknown:
        raise KanegenError(f"state: {unknown[0]!r} is not known; expected q, v, a and t")
    upright = {ball.coordinates[-1] for ball in mechanism.balls}
    home = mechanism.home or [Fraction(int(name in upright)) for name in mechanism.coordinates]
    places = {name: i for i, name in enumerate(mechanism.coordinates)}
    rest = np.array([float(numeric(x, mechanism)) for x in home])
    found = {"q": _filled("q", places, rest, state), "t": _filled("t", {}, np.zeros(()), state)}
    speeds = {x.name: i for i, x in enumerate(account.inputs["v"])}
    speeds |= {x.joint: i for i, x in enumerate(account.speeds) if isinstance(x, JointRate)}
    for name in ("v", "a"):
        found[name] = _filled(name, speeds, np.zeros(len(account.speeds)), state)
    return found


def _filled(argument: str, places: Mapping[str, int], rest: Array, state: State) -> Array:
    """What is given of an argument, as an array or by names, in place of the ``rest``."""
    given, found = state.get(argument, {}), rest.copy()
    try:
        if not isinstance(given, Mapping):
            found = np.asarray(given, dtype=np.float64)
        for name, value in given.items() if isinstance(given, Mapping) else ():
            if name not in places:
                raise ValueError(f"there is no {name!r}. {did_you_mean(name, places, 'Mend the name.')}")
            found[places[name]] = float(value)
    except (TypeError, ValueError) as error:
        raise KanegenError(f"state, {argument}: {error}") from None
    if found.shape != rest.shape or not np.isfinite(found).all():
        raise KanegenError(f"state, {argument}: expected {rest.size} finite numbers, got {shown(given)}")
    return found


# -- what a paper has of a mechanism -------------------------------------------------------------------------------------


def _of_1983(state: Mapping[str, Array] | None, speeds: str | None) -> Section:
    """The rows of Kane & Levinson 1983, with their meanings, equations, values and errata."""
    rows = (*kane_levinson_1983.appendix_rows(), *kane_levinson_1983.momentum_rows())
    values: Sequence[float | None] = [None] * len(rows)
    if state is not None:
        program = kane_levinson_1983.quantities(speeds=speeds is not None).program
        with np.errstate(
            divide="ignore", invalid="ignore"
        ):  # the paper's speeds are singular where sin q2 = 0
            values = evaluate(program, {"q": state["q"], "v": state["v"]})["rows"].tolist()
    cells: list[list[Cell]] = []
    for row, value in zip(rows, values, strict=True):
        equation = Formula(f"{_symbol(row.name)} = {_formula(row.expr)}")
        numbers = [] if value is None else [repr(value)]
        cells.append([equation, *numbers, row.unit, row.equation, row.meaning, _erratum(row)])
    head = ["equation", *([] if state is None else ["value"]), "unit", "eqs", "meaning", "erratum"]
    return Section("The quantities of Kane & Levinson 1983", [[_PAPER]], [Table("", head, cells)])


def _erratum(row: Row) -> Cell:
    if row.cls not in ("ocr", "sus"):
        return kane_levinson_1983.erratum(row)
    return (f"{kane_levinson_1983.erratum(row)}; there it is ", Formula(_formula(row.printed)))


_PAPER = (
    "Generalized speeds are those of the paper: u1, u2, u3 are components of the angular velocity of D along d1, d2, d3, "
    "and u4, u5, u6 the rates of q4, q5, q6. Unit vectors a1 ... f3 are fixed in the bodies, n2 points up, and a point with "
    "an asterisk is a mass centre. C with two indices are direction cosines, Z intermediate quantities, X what derivatives "
    "of the speeds are multiplied by in generalized inertia forces, W belong to the angular momentum. Numbers of equations "
    "are of those that introduce or use a quantity."
)

_DESCRIBED: Mapping[str, Callable[[Mapping[str, Array] | None, str | None], Section]] = {
    "stanford_arm": _of_1983
}
"""What papers have of mechanisms."""

_PLAIN = {"mC": "m_{C}"}

_NAME = re.compile(r"[A-Za-z]+\d*")


def _symbol(name: str) -> str:
    """A name with its index; CC1 is the moment of inertia C1, as C11 is a direction cosine."""
    return (
        f"{name[0]}_{{{name[1:].removeprefix('C')}}}" if name[1:] not in ("", "C") else _PLAIN.get(name, name)
    )


def _formula(expr: str) -> str:
    """A row's expression in LaTeX, its terms in their order."""
    symbols = {name: sympy.Symbol(name) for name in _NAME.findall(expr)}
    with sympy.evaluate(False):
        value = sympy.parse_expr(expr, symbols, evaluate=False)
    text = Printer({x: _symbol(name) for name, x in symbols.items()}, order="none")(value)
    return text.replace(r"\left(-1\right) ", "- ")
