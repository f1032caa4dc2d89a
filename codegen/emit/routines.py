"""The sine and cosine routines that kernels call: one for each number of angles and precision."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from kanegen.codegen.emit.model import SineCosineLibrary
from kanegen.codegen.emit.precision import Precision
from kanegen.codegen.emit.sincos import sincos_source
from kanegen.codegen.emit.specification import Specification
from kanegen.codegen.graph.schedule import SineCosine


@dataclass(frozen=True)
class Routines:
    """C text that defines the routines, and their names by number of angles and precision."""

    source: str
    names: Mapping[tuple[int, Precision], str]

    @property
    def words(self) -> frozenset[str]:
        """Functions, types and macros that no variable of a kernel may hide."""
        macros = re.findall(r"#\s*define\s+(\w+)", self.source)
        prefixed = re.findall(r"\b\w+_\w+\b", self.source)
        return frozenset((*macros, *prefixed))


def sine_cosine_routines(spec: Specification) -> Routines:
    """The routines needed by a model, double precision first, fewest angles first."""
    needed = {(size, kernel.precision) for kernel in spec.kernels for size in kernel.angle_counts}
    if spec.model.prepare is not None:
        statements = spec.model.prepare.statements
        needed |= {(len(s.angles), Precision.DOUBLE) for s in statements if isinstance(s, SineCosine)}
    library: Literal["vector", "libm"] = "libm" if spec.model.sincos is SineCosineLibrary.LIBM else "vector"
    texts: list[str] = []
    names: dict[tuple[int, Precision], str] = {}
    for size, precision in sorted(needed, key=lambda item: (-item[1].digits, item[0])):
        prefix = _free(f"{spec.model.prefix}_angles{size}{precision.ending}", spec.reserved)
        number: Literal["double", "single"] = "double" if precision is Precision.DOUBLE else "single"
        texts.append(sincos_source(prefix, size, number, library).strip("\n"))
        names[size, precision] = f"{prefix}_sincos"
    return Routines("\n\n".join(texts), names)


def _free(wanted: str, reserved: frozenset[str]) -> str:
    """A prefix with which no function of a model begins, should a control law be called like a routine."""
    prefix, number = wanted, 1
    while any(name.startswith(f"{prefix}_sincos") for name in reserved):
        number += 1
        prefix = f"{wanted}_{number}"
    return prefix
