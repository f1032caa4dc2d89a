"""The routines that kernels call: sines and cosines, for each number of angles and precision, and functions by table."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Literal

from kanegen.codegen.emit.expressions import SQUARE_ROOT
from kanegen.codegen.emit.model import SineCosineLibrary
from kanegen.codegen.emit.precision import Precision
from kanegen.codegen.emit.sincos import sincos_source
from kanegen.codegen.emit.skeletons import fill
from kanegen.codegen.emit.specification import Specification
from kanegen.codegen.graph.functions import C_NAMES, TABLES
from kanegen.codegen.graph.schedule import Schedule, SineCosine


@dataclass(frozen=True)
class Routines:
    """C text that defines the routines: those for sines and cosines, and those for functions by table.

    ``names``: of the former, by precision and number of angles; ``functions``: of the latter, by precision and name, those
    of the mathematical library among them.  ``lanes``: those for many states at once, where a language has them.
    """

    source: str
    names: Mapping[Precision, Mapping[int, str]]
    function_source: str
    functions: Mapping[Precision, Mapping[str, str]]
    lanes: Routines | None = None

    @cached_property
    def words(self) -> frozenset[str]:
        """Functions, types and macros that no variable of a kernel may hide."""
        source = self.source + self.function_source + (self.lanes.source if self.lanes else "")
        macros = re.findall(r"#\s*define\s+(\w+)", source)
        prefixed = re.findall(r"\b\w+_\w+\b", source)
        return frozenset((*macros, *prefixed))


def sincos_by_count(spec: Specification) -> tuple[str, Mapping[Precision, Mapping[int, str]]]:
    """A routine for each number of angles, double precision first, fewest angles first; and their names."""
    library: Literal["vector", "libm"] = "libm" if spec.model.sincos is SineCosineLibrary.LIBM else "vector"
    texts: list[str] = []
    names: dict[Precision, dict[int, str]] = {precision: {} for precision in Precision}
    for precision, sizes in angle_counts(spec).items():
        number: Literal["double", "single"] = "double" if precision is Precision.DOUBLE else "single"
        for size in sizes:
            prefix = free(f"{spec.model.prefix}_angles{size}{precision.ending}", spec.reserved, "_sincos")
            texts.append(sincos_source(prefix, size, number, library).strip("\n"))
            names[precision][size] = f"{prefix}_sincos"
    return "\n\n".join(texts), names


def angle_counts(spec: Specification) -> Mapping[Precision, list[int]]:
    """The numbers of angles of all calls for sines and cosines, the fewest first."""
    needed = {precision: set[int]() for precision in Precision}
    for kernel in spec.kernels:
        needed[kernel.precision].update(kernel.angle_counts)
    if spec.model.prepare is not None:
        statements = spec.model.prepare.statements
        needed[Precision.DOUBLE].update(len(s.angles) for s in statements if isinstance(s, SineCosine))
    return {precision: sorted(sizes) for precision, sizes in needed.items()}


def functions_by_table(
    spec: Specification, function: Callable[[str, Precision], str], before: str
) -> tuple[str, Mapping[Precision, Mapping[str, str]]]:
    """Definitions of the functions by table that the model needs and the library does not have; names of all it needs.

    ``function``: what the library calls one of its functions; ``before``: what stands before a definition.
    """
    needed = {precision: set[str]() for precision in Precision}
    for kernel in spec.kernels:
        needed[kernel.precision].update(_named(kernel.schedule))
    if spec.model.prepare is not None:
        needed[Precision.DOUBLE].update(_named(spec.model.prepare))
    texts: list[str] = []
    names: dict[Precision, dict[str, str]] = {}
    for precision, found in needed.items():
        names[precision] = {SQUARE_ROOT: function("sqrt", precision)}
        for name in sorted(found):
            row = TABLES[name]
            if row.library is not None:
                names[precision][name] = function(row.library, precision)
                continue
            c_name = free(f"{spec.model.prefix}_{C_NAMES[name]}{precision.ending}", spec.reserved)
            names[precision][name] = c_name
            texts.append(
                fill(
                    "shared/function_by_table",
                    before=before,
                    name=c_name,
                    type=precision.c_type,
                    operands="abc"[: row.arity],
                    value=row.expression,
                )
            )
    return "\n\n".join(texts), names


def _named(schedule: Schedule) -> set[str]:
    """Functions by table that a schedule computes."""
    graph = schedule.program.graph
    return {graph.names[i] for i in graph.reachable(schedule.program.roots) if i in graph.names}


def own_name(spec: Specification, word: str, precision: Precision) -> str:
    """What a routine of a model is called that belongs to no kernel."""
    return free(f"{spec.model.prefix}_{word}{precision.ending}", spec.reserved)


@lru_cache(maxsize=1024)
def free(wanted: str, reserved: frozenset[str], ending: str = "") -> str:
    """A name with which, and the ending, no function of a model begins, should a control law be called like a routine."""
    name, number = wanted, 1
    while any(word.startswith(f"{name}{ending}") for word in reserved):
        number += 1
        name = f"{wanted}_{number}"
    return name
