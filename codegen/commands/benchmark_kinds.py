"""The results of ``python -m benchmarks``: sections, each with its claims and tables."""

from __future__ import annotations

from kanegen.codegen.commands.benchmark_json import DamagedError, Node
from kanegen.codegen.commands.benchmark_records import Cell, Claim, Column, Contents, Shown, Table


def sections(document: Node) -> Contents:
    """The claims and the tables of all sections, in the order of the file."""
    claims: list[Claim] = []
    tables: list[Table] = []
    for _, section in document["sections"].items():
        claims += map(_claim, section["claims"].elements())
        tables += map(_table, section["tables"].elements())
    return Contents(tuple(claims), tuple(tables))


def _claim(node: Node) -> Claim:
    return Claim(
        node["what"].text(),
        node["measured"].number_or_none(),
        node["need"].number(),
        bool(node["at_most"].value),
    )


def _table(node: Node) -> Table:
    columns = tuple(
        Column(column["name"].text(), _shown(column["shown"])) for column in node["columns"].elements()
    )
    rows = tuple(tuple(_cell(cell) for cell in row.elements()) for row in node["rows"].elements())
    for row, place in zip(rows, node["rows"].elements(), strict=True):
        if len(row) != len(columns):
            raise DamagedError(f"{place.place} has {len(row)} cells; expected {len(columns)}")
    return Table(node["title"].text(), columns, rows)


def _shown(node: Node) -> Shown:
    try:
        return Shown(node.text())
    except ValueError:
        known = ", ".join(shown.value for shown in Shown)
        raise DamagedError(f"{node.place} is {node.text()!r}; expected one of {known}") from None


def _cell(node: Node) -> Cell:
    return None if node.value is None else node.scalar()
