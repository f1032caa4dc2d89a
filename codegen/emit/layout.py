"""Lines and comments of the generated files: widths, columns, and what may stand in a comment."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Sequence

from kanegen.errors import shortened

WIDTH = 110
INDENT = "    "

LONGEST_WORD, LONGEST_TEXT = 100, 1000
"""Characters of a word and of a text in a comment: what is longer is shortened.  Compilers must take lines of 4,095."""

WIDEST_COLUMN, NARROWEST_LAST = 48, 24
"""Where columns leave less than the latter to the last one, cells longer than the former stand on lines of their own."""

_SPELLED = str.maketrans(
    {
        "²": "^2",
        "³": "^3",
        "·": " ",
        "×": "x",
        "–": "-",
        "—": "-",
        "−": "-",
        "°": " deg",
        "*": " ",
        "&": "and",
    }
)


def statement(text: str, depth: int = 1) -> list[str]:
    """A C statement as indented lines, broken at spaces."""
    line = INDENT * depth + text
    if text and len(line) <= WIDTH and text.isprintable() and text[-1] != " ":
        return [line]  # as it would be wrapped
    return textwrap.wrap(
        text,
        WIDTH,
        initial_indent=INDENT * depth,
        subsequent_indent=INDENT * (depth + 1),
        break_long_words=False,
        break_on_hyphens=False,
    )


def signature(text: str, depth: int = 0) -> str:
    """A declaration in C or Python, broken after commas only."""
    return "\n".join(line.replace("~", " ") for line in statement(re.sub(r"(?<!,) ", "~", text), depth))


def comment_text(text: str) -> str:
    """A text made safe for a C comment: one line of plain characters that cannot end it, of bounded length."""
    words = [shortened(word, LONGEST_WORD) for word in text.translate(_SPELLED).split()]
    spelled = shortened(" ".join(words), LONGEST_TEXT)
    return re.sub(r"[^A-Za-z0-9 .,:;()\[\]+=^'|<>/_%-]", "_", spelled)


def comment_block(lines: Iterable[str]) -> str:
    """Lines as one block comment.  They must have been through comment_text, apart from C code of our own."""
    first, *rest = lines
    body = [f"/* {first}".rstrip()] + [f" * {line}".rstrip() for line in rest]
    return "\n".join(body) + ("\n */" if rest else " */")


def paragraph(text: str, indent: int = 0, hanging: int = 0) -> list[str]:
    """A text wrapped to the width of a comment; lines after the first are indented by ``hanging`` more."""
    return textwrap.wrap(
        text,
        WIDTH - 3,
        initial_indent=" " * indent,
        subsequent_indent=" " * (indent + hanging),
        break_long_words=False,
        break_on_hyphens=False,
    )


def table(rows: Sequence[Sequence[str]], indent: int = 2) -> list[str]:
    """Rows in columns; the last column is wrapped, and numbers are set to the right."""
    columns = [[row[column] for row in rows] for column in range(len(rows[0]) - 1)]
    widths = [max(map(len, column)) for column in columns]
    if indent + sum(widths) + 2 * len(widths) > WIDTH - NARROWEST_LAST:
        widths = [max(len(c) for c in ("", *column) if len(c) <= WIDEST_COLUMN) for column in columns]
    lines: list[str] = []
    for given in rows:
        row = list(given)
        for column, width in enumerate(widths):
            if len(row[column]) > width:
                lines.append(" " * indent + row[column])
                row[column] = ""
        cells = [
            cell.rjust(width) if cell.isdigit() else cell.ljust(width)
            for cell, width in zip(row, widths, strict=False)
        ]
        start = "  ".join(cells) + "  "
        lines += (
            paragraph(start + row[-1], indent, len(start)) if row[-1] else [" " * indent + start.rstrip()]
        )
    return lines
