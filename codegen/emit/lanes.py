"""Many states at once: the listing of a kernel over vectors that have a state in each lane.

The statements are those for one state; only the type of numbers is another one, and so are the routines that they call.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from kanegen.codegen.emit.expressions import SQUARE_ROOT
from kanegen.codegen.emit.language import Language
from kanegen.codegen.emit.listing import carried_nodes
from kanegen.codegen.emit.model import SineCosineLibrary
from kanegen.codegen.emit.precision import Precision
from kanegen.codegen.emit.routines import Routines, own_name
from kanegen.codegen.emit.skeletons import fill
from kanegen.codegen.emit.specification import Specification
from kanegen.codegen.graph.functions import C_NAMES, TABLES
from kanegen.codegen.graph.schedule import Schedule, SineCosine

LANES = "lanes"
"""What the names of all that belongs to vectors begin with, after the prefix: it is their type."""

LARGEST = 1000
"""Numbers of a state that a kernel in lanes may keep in memory: as vectors of 64 bytes they take 64 kB of the stack."""


def fits(spec: Specification, schedule: Schedule) -> bool:
    """Whether a kernel is computed in lanes: its arguments, what its parts hand on, and prepared values have room on any
    thread's stack.
    """
    numbers = _arguments(schedule) + len(carried_nodes(schedule)) + len(spec.prepared_fields)
    return numbers <= LARGEST


def prepares(spec: Specification) -> bool:
    """Whether parameters are prepared in lanes."""
    prepare = spec.model.prepare
    return (
        prepare is not None
        and len(spec.parameter_fields) + len(spec.prepared_fields) + len(carried_nodes(prepare)) <= LARGEST
        and any(fits(spec, kernel.schedule) for kernel in spec.kernels)
    )


def _arguments(schedule: Schedule) -> int:
    return sum(argument.size for argument in schedule.program.inputs + schedule.program.outputs)


def lane_routines(spec: Specification, functions: Mapping[Precision, Mapping[str, str]]) -> Routines:
    """What kernels in lanes call, and what moves rows into lanes and back; ``functions``: those of one state."""
    texts: list[str] = []
    names: dict[Precision, Mapping[int, str]] = {}
    called: dict[Precision, Mapping[str, str]] = {}
    for precision in spec.precisions:
        kernels = [k for k in spec.kernels if k.precision is precision and fits(spec, k.schedule)]
        lanes = own_name(spec, LANES, precision)
        schedules = [k.schedule for k in kernels]
        if precision is Precision.DOUBLE and spec.model.prepare is not None and prepares(spec):
            schedules.append(spec.model.prepare)
        sizes = {
            len(s.angles) for schedule in schedules for s in schedule.statements if isinstance(s, SineCosine)
        }
        names[precision] = dict.fromkeys(sizes, f"{lanes}_sincos")
        own = {name: C_NAMES.get(name, "sqrt") for name in functions[precision]}
        called[precision] = {name: f"{lanes}_{word}" for name, word in own.items()}
        if not kernels:
            continue
        texts.append(
            fill(
                "c99/lanes.c",
                lanes=lanes,
                macro=lanes.upper(),
                type=precision.c_type,
                math_ending=precision.math_ending,
                most=max(_arguments(k.schedule) for k in kernels),
                arrays=max(len(k.inputs + k.outputs) for k in kernels),
                sincos=bool(sizes),
                live=spec.live,
                library=spec.model.sincos is SineCosineLibrary.LIBM,
                polynomials=fill(f"shared/sincos_{precision.name.lower()}"),
                functions=[
                    (word, functions[precision][name], 1 if name == SQUARE_ROOT else TABLES[name].arity)
                    for name, word in own.items()
                ],
            )
        )
    return Routines("\n\n".join(texts), names, "", called)


def in_lanes(language: Language, spec: Specification) -> Language:
    """A language with vectors for numbers."""
    return replace(
        language,
        number=lambda precision: own_name(spec, LANES, precision),
        alike=lambda text, precision: f"({text}) - ({own_name(spec, LANES, precision)}){{0}}",
        sincos=lambda routine, count, *arrays: [f"{routine}({count}, {', '.join(arrays)});"],
    )
