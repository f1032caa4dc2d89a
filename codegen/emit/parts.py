"""Long bodies in parts: one static function each, and a struct on the caller's stack that hands values on.

A part is never inlined, since a compiler would otherwise put them together again: a static function that is called once
always is.
"""

from __future__ import annotations

from collections.abc import Mapping

from kanegen.codegen.emit.layout import comment_block, paragraph, signature, statement
from kanegen.codegen.emit.listing import Listing, Part
from kanegen.codegen.emit.naming import CARRIED
from kanegen.codegen.emit.printer import Printer
from kanegen.codegen.emit.skeletons import fill
from kanegen.codegen.emit.specification import PartNames, Specification

Arguments = Mapping[str, str]
"""C declarations of the arguments of a whole body, by their names, in their order."""


def definitions_of_parts(
    spec: Specification,
    listing: Listing,
    printer: Printer,
    names: PartNames,
    arguments: Arguments,
    number: str,
    about: str,
) -> str:
    """C text of the struct and of the functions; ``number`` is its type of number, ``about`` says what they compute."""
    count = len(listing.parts)
    carried = f"; {names.carried} holds what one part leaves to later ones" if listing.fields else ""
    sections = [comment_block(paragraph(f"{about}; in {count} parts, so that compilers stay quick{carried}"))]
    if listing.fields:
        sections[0] += "\n" + _struct(names.carried, listing.fields, number)
    for i, (part, name) in enumerate(zip(listing.parts, names.functions, strict=True), start=1):
        items = [arguments[argument] for argument in _used(part, arguments)]
        if part.carries:
            items.append(f"{'' if part.makes else 'const '}{names.carried} *{CARRIED}")
        sections.append(
            fill(
                "part.c",
                comment=f"/* part {i} of {count} */",
                signature=signature(f"{spec.part} void {name}({', '.join(items)})"),
                statements="\n".join(printer.part(part)).rstrip("\n"),
            )
        )
    return "\n\n".join(sections)


def calls_of_parts(listing: Listing, names: PartNames, arguments: Arguments) -> list[str]:
    """The statements of the function that does it all."""
    lines = statement(f"{names.carried} {CARRIED};") if listing.fields else []
    for part, name in zip(listing.parts, names.functions, strict=True):
        items = [*_used(part, arguments), *([f"&{CARRIED}"] if part.carries else [])]
        lines += statement(f"{name}({', '.join(items)});")
    return lines


def _used(part: Part, arguments: Arguments) -> list[str]:
    return [name for name in arguments if name in part.arguments]


def _struct(name: str, fields: tuple[str, ...], number: str) -> str:
    """The struct of carried values, as many fields to a line as there is room for."""
    return "\n".join(["typedef struct {", *statement(f"{number} {', '.join(fields)};"), f"}} {name};"])
