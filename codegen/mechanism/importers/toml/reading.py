"""From a TOML text to a mechanism."""

from __future__ import annotations

import os
import re
import tomllib
from functools import partial
from pathlib import Path
from typing import Any

from kanegen.codegen.mechanism.axis_relations import as_meant
from kanegen.codegen.mechanism.builder import MechanismBuilder
from kanegen.codegen.mechanism.findings import tell
from kanegen.codegen.mechanism.importers.model_file import Imported, model_bytes
from kanegen.codegen.mechanism.importers.toml import constraints, elements, laws, schema, springs
from kanegen.codegen.mechanism.importers.toml.lines import lines_of
from kanegen.codegen.mechanism.importers.toml.table import Document, Table
from kanegen.codegen.mechanism.records import Mechanism
from kanegen.codegen.mechanism.rounded_angles import ANGLE_TOLERANCE, AS_WRITTEN, AngleRule, Written
from kanegen.errors import ModelError

_LINE = re.compile(r"\(at line (\d+), column \d+\)|\(at end of document\)")
_NAMED = re.compile(
    r"^(body|flexible link|joint|frame|loop|spring|payload|control law|equation of position|equation of velocity)\b"
    r".*?'((?:[^'\\]|\\.)*)'"
)
_TABLES = {
    "flexible link": "beam",
    "control law": "law",
    "equation of position": "equation",
    "equation of velocity": "equation",
}
"""Tables that are called otherwise than messages call what they describe."""


def read(
    path: str | os.PathLike[str],
    *,
    floating_base: bool = False,
    allow_unphysical: bool = False,
    angle_tolerance: float = ANGLE_TOLERANCE,
) -> Imported:
    """The mechanism of a TOML file.  Raises ModelError, which says file and line.

    ``floating_base`` lets the body that is fixed to the base move freely instead; ``angle_tolerance`` as in ``read_file``.
    """
    file = Path(path)
    try:
        text = model_bytes(file).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ModelError(
            str(file), f"is not UTF-8 (byte {error.start})", "a text in UTF-8", "Save it in this encoding."
        ) from None
    return _imported(text, str(file), file.stem, floating_base, allow_unphysical, angle_tolerance)


def from_toml(
    path_or_text: str | os.PathLike[str],
    *,
    floating_base: bool = False,
    allow_unphysical: bool = False,
    angle_tolerance: float = ANGLE_TOLERANCE,
) -> Mechanism:
    """The mechanism of a TOML file, or of a text that is TOML itself (of several lines).  Raises ModelError."""
    if isinstance(path_or_text, str) and "\n" in path_or_text:
        imported = _imported(
            path_or_text, None, "mechanism", floating_base, allow_unphysical, angle_tolerance
        )
    else:
        imported = read(
            path_or_text,
            floating_base=floating_base,
            allow_unphysical=allow_unphysical,
            angle_tolerance=angle_tolerance,
        )
    tell(imported.findings)
    return imported.mechanism


def _imported(
    text: str,
    file: str | None,
    title: str,
    floating_base: bool,
    allow_unphysical: bool,
    angle_tolerance: float,
) -> Imported:
    angles = AngleRule(angle_tolerance)
    mechanism, root = _mechanism(text, file, title, floating_base, allow_unphysical, angles)

    def as_written() -> Mechanism:
        return _mechanism(text, file, title, floating_base, allow_unphysical, AngleRule(AS_WRITTEN))[0]

    findings, located = tuple(root.document.findings), partial(_located, root=root)
    return Imported(as_meant(mechanism, angles, as_written), findings, angles, mechanism, located)


def _mechanism(
    text: str,
    file: str | None,
    title: str,
    floating_base: bool,
    allow_unphysical: bool,
    angles: AngleRule,
) -> tuple[Mechanism, Table]:
    document = Document(file, {}, {}, angles)
    content = _parsed(text, file)
    document.lines = lines_of(text.replace("\r\n", "\n"))
    root = Table(document, content, (), "")
    root.title = ""
    root.check(schema.ROOT)
    builder = MechanismBuilder(root.text("name", title))
    elements.add_parameters(builder, root)
    if "gravity" in root:
        builder.gravity(root.numbers("gravity"))
    elements.add_tree(builder, root, floating_base)
    constraints.add_constraints(builder, root)
    springs.add_springs(builder, root)
    laws.add_laws(builder, root)
    elements.add_order(builder, root)
    try:
        return builder.build(allow_unphysical), root
    except ModelError as error:
        raise ModelError(_located(error.where, root), error.what, error.expected, error.cure) from None


def _parsed(text: str, file: str | None) -> dict[str, Any]:
    try:
        return tomllib.loads(text, parse_float=Written)
    except tomllib.TOMLDecodeError as error:
        message = str(error)
        found = _LINE.search(message)
        line = (found.group(1) if found else None) or str(text.count("\n") + 1)
        where = f"{file}:{line}" if file else f"line {line}"
        what = _LINE.sub("", message).strip()
        raise ModelError(where, f"is not TOML: {what}", "valid TOML", "Mend it there.") from None
    except ValueError as error:  # an integer of too many digits, or a day that no month has
        what = f"has a value that cannot be read: {error}"
        raise ModelError(file or "TOML", what, "numbers and texts", "Mend it.") from None
    except RecursionError:
        raise ModelError(file or "TOML", "is nested too deeply", "a few levels", "Flatten it.") from None


def _located(where: str, root: Table) -> str:
    """The element that a whole-mechanism error names, with its line in front."""
    found = _NAMED.match(where)
    if found:
        kind, name = found.groups()
        kind = _TABLES.get(kind, kind)
        tables = root.tables(kind) if kind in root.content else []
        names = [table.content.get("name") for table in tables]
        whole = [n for n in names if isinstance(n, str) and name in (n, f"carrier of {n}")]
        parts = [n for n in names if isinstance(n, str) and name.startswith(f"{n}_")]
        for wanted in (*whole, *sorted(parts, key=len, reverse=True)):
            return f"{root.document.place(tables[names.index(wanted)].path)}: {where}"
    first = where.partition(",")[0].partition(" ")[0]
    if (first,) in root.document.lines:
        return f"{root.document.place((first,))}: {where}"
    return f"{root.document.file}: {where}" if root.document.file else where
