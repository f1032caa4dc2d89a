"""Pages of sections with tables of formulas, in Markdown and in HTML."""

from __future__ import annotations

import html as escaping
from collections.abc import Sequence
from dataclasses import dataclass

from kanegen.codegen.symbolic.documents import STYLE
from kanegen.codegen.symbolic.mathml import mathml


@dataclass(frozen=True, slots=True)
class Formula:
    """A formula in LaTeX, and its value where there is one."""

    latex: str
    value: float | None = None

    @property
    def shown(self) -> str:
        """The value, such that reading it gives the same double; empty without one."""
        return "" if self.value is None else repr(self.value)


Cell = Formula | str | tuple[Formula | str, ...]
"""A formula, words, or some of both."""


@dataclass(frozen=True)
class Table:
    """Rows of cells under a head; ``caption`` says what they are."""

    caption: str
    head: Sequence[Cell]
    rows: Sequence[Sequence[Cell]]


@dataclass(frozen=True)
class Section:
    """A heading, paragraphs of words and formulas, and tables; tables without rows are left out."""

    title: str
    words: Sequence[Sequence[Cell]]
    tables: Sequence[Table] = ()


def markdown(title: str, sections: Sequence[Section]) -> str:
    """A page of Markdown, formulas between dollar signs."""
    lines = [f"# {title}", ""]
    for section in sections:
        lines += [f"## {section.title}", ""]
        for paragraph in section.words:
            lines += ["".join(map(_in_markdown, paragraph)), ""]
        for table in section.tables:
            if not table.rows:
                continue
            if table.caption:
                lines += [f"{table.caption}:", ""]
            for number, row in enumerate((table.head, *table.rows)):
                cells = (_in_markdown(cell).replace("|", r"\|") for cell in row)
                lines.append(f"| {' | '.join(cells)} |")
                if number == 0:
                    lines.append(f"|{' --- |' * len(table.head)}")
            lines.append("")
    return "\n".join(lines)


def _in_markdown(cell: Cell) -> str:
    if isinstance(cell, tuple):
        return "".join(map(_in_markdown, cell))
    if isinstance(cell, str):
        return cell
    formula = f"${cell.latex.replace('|', chr(92) + 'vert ')}$"
    return f"{formula} = {cell.shown}" if cell.shown else formula


def html(title: str, sections: Sequence[Section]) -> str:
    """A page of HTML, complete in itself; formulas are MathML."""
    parts = [f"<h1>{escaping.escape(title)}</h1>"]
    for section in sections:
        parts.append(f"<h2>{escaping.escape(section.title)}</h2>")
        parts += [f"<p>{''.join(map(_in_html, paragraph))}</p>" for paragraph in section.words]
        parts += [_table(table) for table in section.tables if table.rows]
    body = "\n".join(parts)
    return (
        f'<!DOCTYPE html>\n<html lang="en">\n<head><meta charset="utf-8"><title>{escaping.escape(title)}</title>\n'
        f"<style>\n{STYLE}\n{_OF_TABLES}\n</style></head>\n<body>\n{body}\n</body>\n</html>\n"
    )


_OF_TABLES = (
    "th { text-align: left; font-weight: normal; border-bottom: 1px solid } caption { text-align: left }"
)


def _table(table: Table) -> str:
    head = "".join(f"<th>{_in_html(cell)}</th>" for cell in table.head)
    rows = "\n".join(
        f"<tr>{''.join(f'<td>{_in_html(cell)}</td>' for cell in row)}</tr>" for row in table.rows
    )
    caption = f"<caption>{escaping.escape(table.caption)}</caption>" if table.caption else ""
    return f"<div><table>{caption}\n<tr>{head}</tr>\n{rows}\n</table></div>"


def _in_html(cell: Cell) -> str:
    if isinstance(cell, tuple):
        return "".join(map(_in_html, cell))
    if isinstance(cell, str):
        return escaping.escape(cell)
    return f"{mathml(cell.latex)} = {cell.shown}" if cell.shown else mathml(cell.latex)
