"""Expressions of a TOML file as SymPy has them: equations, forces of laws, rates of their states."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from kanegen.codegen.graph.late import sympy
from kanegen.codegen.mechanism.expression_text import parsed
from kanegen.codegen.mechanism.importers.toml.table import Table


def expression(
    table: Table,
    key: str,
    text: Any,
    symbols: Mapping[str, sympy.Symbol],
    named: Mapping[str, Callable[[str], Any]],
    expected: str,
    entry: Callable[[str, int], Any] | None = None,
) -> Any:
    """What a text under a key of a table stands for; numbers are taken as they are.  Raises ModelError."""
    if isinstance(text, int | float) and not isinstance(text, bool):
        text = str(text)
    if not isinstance(text, str):
        raise table.error(key, f"is {text!r}", expected, "Write it in quotes.")
    try:
        return parsed(text, symbols, named, entry)
    except (ValueError, TypeError, ZeroDivisionError) as error:
        raise table.error(key, f"{text!r} is not arithmetic: {error}", expected, "Mend it.") from None
