"""Names of files, kernels and C functions from whatever names a model has.

The result contains nothing but ASCII letters, digits and single underscores, begins with a letter, and
depends on the originals alone: the reserved words are listed here, since those of the running Python change
from version to version.  It is the name of a file, or a part of the name of a kernel or of a C function; what fields
and variables are called in C is the business of ``emit.identifiers``.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

from kanegen.codegen.mechanism.records import JointKind, Mechanism
from kanegen.limits import LONGEST_IDENTIFIER
from kanegen.rows import OF_ROWS

_PYTHON_KEYWORDS = """
    False None True and as assert async await break class continue def del elif else except finally for from
    global if import in is lambda match nonlocal not or pass raise return try type while with yield self cls
    print exec
"""
_C_HEADERS = """
    assert complex ctype errno fenv float inttypes iso646 limits locale math setjmp signal stdarg stdbool stddef
    stdint stdio stdlib string tgmath time wchar wctype
"""
RESERVED = frozenset(_PYTHON_KEYWORDS.split())
"""Keywords of Python.  In C, words that are taken do no harm: a name stands behind the prefix of a function, or is one."""

HEADERS = frozenset(_C_HEADERS.split())
"""The headers of C, in whose place a compiler would find a model's header of that name."""

_RESERVED_ENDINGS = re.compile(rf"(^|_)((batch|f32|prepare|prepared|parameters)$|{OF_ROWS})", re.IGNORECASE)
"""Endings by which generated functions and types are told apart; a frame ``A_batch`` would meet the batch
form of A, and a frame ``A_rows_x`` a kernel of A for the row x."""

_IDENTIFIER = re.compile(r"[A-Za-z](_?[A-Za-z0-9])*")
_LONGEST = LONGEST_IDENTIFIER.value


def c_names(originals: Iterable[str]) -> dict[str, str]:
    """A unique valid identifier for every original, in their order; originals that are one already keep their
    name.

    Identifiers differ from each other in more than upper and lower case.
    """
    names = list(dict.fromkeys(originals))
    taken: set[str] = set()
    result: dict[str, str] = {}
    for name in names:
        if _acceptable(name) and name.lower() not in taken:
            taken.add(name.lower())
            result[name] = name
    for name in names:
        if name not in result:
            mangled = _unique(_cleaned(name), taken)
            taken.add(mangled.lower())
            result[name] = mangled
    return {name: result[name] for name in names}


def frame_identifiers(mechanism: Mechanism) -> dict[str, str]:
    """The frames that have kernels, each with its name in these.

    They are those of the moving bodies that no frame is named after, and the named ones.
    """
    named = [frame.name for frame in mechanism.frames]
    carriers = {body.name for body in mechanism.bodies if body.carrier}
    moving = [joint.child for joint in mechanism.joints if joint.kind is not JointKind.FIXED]
    return c_names([*(child for child in moving if child not in carriers and child not in named), *named])


def file_name(model: str) -> str:
    """The identifier by which the files of a model are called, and with which its names in C begin."""
    name = c_names([model])[model]
    if f"{name.lower()}_".startswith("kanegen_"):  # as what kanegen adds to a model's C begins
        name = f"model_{name}"[:_LONGEST].rstrip("_")
    return f"{name}_1" if name.lower() in HEADERS else name


def _acceptable(name: str) -> bool:
    return (
        len(name) <= _LONGEST
        and _IDENTIFIER.fullmatch(name) is not None
        and name not in RESERVED
        and _RESERVED_ENDINGS.search(name) is None
    )


def _cleaned(name: str) -> str:
    """Letters without their accents, an underscore for every run of other characters, a letter in front."""
    text = "".join(c for c in unicodedata.normalize("NFKD", name) if not unicodedata.combining(c))
    text = re.sub(r"[^A-Za-z0-9]+", "_", text).strip("_")
    if not text:
        return "unnamed"
    return text if text[0].isalpha() else f"n{text}"


def _unique(base: str, taken: set[str]) -> str:
    """The base, or the base with the smallest number that makes it acceptable and new."""
    candidate = base[:_LONGEST].rstrip("_")
    number = 0
    while not _acceptable(candidate) or candidate.lower() in taken:
        number += 1
        ending = f"_{number}"
        candidate = base[: _LONGEST - len(ending)].rstrip("_") + ending
    return candidate
