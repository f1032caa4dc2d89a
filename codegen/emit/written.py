"""What the templates of a language are filled with: each body with its parameters, and its statements in that language."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from kanegen.codegen.emit.expressions import Variable
from kanegen.codegen.emit.lanes import LANES, in_lanes, of_many, prepares
from kanegen.codegen.emit.language import Language
from kanegen.codegen.emit.layout import INDENT, comment_text
from kanegen.codegen.emit.listing import Angles, Listing, Part, list_kernel, list_prepare
from kanegen.codegen.emit.naming import PARAMETERS, PREPARED
from kanegen.codegen.emit.precision import Precision
from kanegen.codegen.emit.printer import Printer
from kanegen.codegen.emit.routines import Routines, own_name
from kanegen.codegen.emit.specification import CArgument, Kernel, PartNames, Specification, signatures
from kanegen.codegen.version import GENERATOR
from kanegen.manifest import OperationCounts


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of a function: a struct, or an array of ``size`` numbers.

    ``places``: for entries of a result that share numbers, the place of the one that each has.
    """

    name: str
    type: str
    size: int | None
    output: bool
    places: tuple[int, ...] = ()


@dataclass(frozen=True)
class Body:
    """The statements of a kernel, or of the prepare step, with all that is around them."""

    title: str
    about: str
    parameters: tuple[Parameter, ...]
    names: PartNames
    listing: Listing
    number: str
    printer: Printer
    kernel: Kernel | None = None

    @property
    def structs(self) -> list[Parameter]:
        """Parameters that are structs."""
        return [p for p in self.parameters if p.size is None]

    @property
    def arrays(self) -> list[Parameter]:
        """Parameters that are arrays."""
        return [p for p in self.parameters if p.size is not None]

    @property
    def cut(self) -> list[tuple[Part, str]]:
        """The parts of a long body, with the names of their functions; none for a short one."""
        return (
            list(zip(self.listing.parts, self.names.functions, strict=True)) if self.names.functions else []
        )

    def used(self, part: Part) -> list[Parameter]:
        """Parameters that a part needs."""
        return [p for p in self.parameters if p.name in part.arguments]

    def lines(self, part: Part) -> str:
        """The statements of a part."""
        return "\n".join(self.printer.part(part)).rstrip("\n")

    @property
    def angles(self) -> Angles | None:
        """The angles whose sines and cosines a body in one part begins with, where nothing has to be loaded for them."""
        part = self.listing.parts[0]
        first = part.items[0] if part.items and not self.cut else None
        if not isinstance(first, Angles):
            return None
        loaded = {load.target.name for load in part.loads if isinstance(load.target, Variable)}
        return first if loaded.isdisjoint(_words(self.angle_lines(first))) else None

    def angle_lines(self, angles: Angles) -> str:
        """Their sines and cosines, in arrays that there are."""
        return "\n".join(self.printer.angles(angles))

    def lines_after(self, angles: Angles) -> str:
        """The statements of a body once these are there."""
        lines = "\n".join(self.printer.part(self.listing.parts[0], given=angles)).rstrip("\n")
        unused = [
            array for array in (angles.arrays.sines, angles.arrays.cosines) if array not in _words(lines)
        ]
        return "\n".join([*(f"{INDENT}(void){array};" for array in unused), lines])

    def needed(self, lines: str) -> list[Parameter]:
        """Parameters that some lines read or write."""
        words = _words(lines)
        return [p for p in self.parameters if p.name in words]


def _words(lines: str) -> set[str]:
    return set(re.findall(r"\w+", lines))


def written(spec: Specification, language: Language) -> dict[str, Any]:
    """The values of the templates: the specification, the routines, the prepare step if there is one, and the kernels."""
    routines = language.routines(spec)
    writer = _Writer(spec, language, routines, {})
    lanes = (
        None
        if routines.lanes is None
        else _Writer(spec, in_lanes(language, spec), routines.lanes, writer.listings)
    )
    bodies = (
        {}
        if lanes is None
        else {
            kernel.name: lanes.kernel(one.kernel, one.kernel.lanes.parts, one.places)
            for kernel in spec.kernels
            if (one := of_many(spec, kernel)) is not None
        }
    )
    return {
        "spec": spec,
        "model": spec.model,
        "generator": GENERATOR,
        "signatures": signatures(spec),
        "routines": routines,
        "prepare": writer.prepare(),
        "prepare_lanes": lanes.prepare(spec.prepare_lanes.parts)
        if lanes is not None and prepares(spec)
        else None,
        "kernels": [writer.kernel(kernel, kernel.parts) for kernel in spec.kernels],
        "in_lanes": bodies,
        "placed": {
            body.kernel.precision
            for body in bodies.values()
            if body.kernel is not None and any(p.places for p in body.parameters)
        },
        "state": lambda argument: _state(spec, argument),
    }


def _state(spec: Specification, item: CArgument) -> list[str]:
    """Numbers for an input of the example: the home, or arbitrary ones."""
    home = spec.model.home
    if item.argument.name == "q" and item.argument.size == len(home):
        return [repr(float(q)) for q in home]
    return [f"0.{1 + i % 9}" for i in range(item.argument.size)]


class _Writer:
    def __init__(
        self, spec: Specification, language: Language, routines: Routines, listings: dict[int, Listing]
    ) -> None:
        """``listings``: by schedule, which both precisions share, and so do one state and many."""
        self._spec, self._language, self._routines = spec, language, routines
        self.listings = listings

    def kernel(
        self, kernel: Kernel, parts: PartNames, places: Mapping[str, tuple[int, ...]] = MappingProxyType({})
    ) -> Body:
        program, spec, number = kernel.schedule.program, self._spec, self._language.number(kernel.precision)
        title = comment_text(program.title)
        if id(kernel.schedule) not in self.listings:
            self.listings[id(kernel.schedule)] = list_kernel(
                spec, kernel, self._routines.words, self._language.loads_first
            )
        prepared = Parameter(PREPARED, self._struct(PREPARED, kernel.precision), None, output=False)
        return Body(
            title,
            f"{title}; {comment_text(program.source)}; {operations(kernel.counts)}",
            (
                *((prepared,) if spec.live else ()),
                *(Parameter(a.name, number, a.argument.size, output=False) for a in kernel.inputs),
                *(
                    Parameter(a.name, number, a.argument.size, output=True, places=places.get(a.name, ()))
                    for a in kernel.outputs
                ),
            ),
            parts,
            self.listings[id(kernel.schedule)],
            number,
            self._printer(kernel.precision),
            kernel,
        )

    def _struct(self, word: str, precision: Precision) -> str:
        """The struct of parameters or prepared values, of numbers or of vectors."""
        spec = self._spec
        if self._language.alike is not None:
            return own_name(spec, f"{word}_{LANES}", precision)
        return spec.parameters_type if word == PARAMETERS else spec.prepared_type(precision)

    def prepare(self, parts: PartNames | None = None) -> Body | None:
        schedule, spec = self._spec.model.prepare, self._spec
        if schedule is None:
            return None
        title = comment_text(schedule.program.title)
        return Body(
            title,
            title,
            (
                Parameter(PARAMETERS, self._struct(PARAMETERS, Precision.DOUBLE), None, output=False),
                Parameter(PREPARED, self._struct(PREPARED, Precision.DOUBLE), None, output=True),
            ),
            spec.prepare_parts if parts is None else parts,
            list_prepare(spec, schedule, self._routines.words),
            self._language.number(Precision.DOUBLE),
            self._printer(Precision.DOUBLE),
        )

    def _printer(self, precision: Precision) -> Printer:
        found = self._routines
        return Printer(self._language, precision, found.functions[precision], found.names[precision])


def operations(counts: OperationCounts) -> str:
    """Operation counts in words, without those that are zero."""
    numbers = (
        (counts.multiplications, "multiplication"),
        (counts.additions, "addition"),
        (counts.divisions, "division"),
        (counts.square_roots, "square root"),
        (counts.sincos, "sine-cosine pair"),
        (counts.functions, "function"),
        (counts.selections, "selection"),
    )
    words = [f"{n} {word}{'s' if n > 1 else ''}" for n, word in numbers if n]
    return ", ".join(words) or "no operations"
