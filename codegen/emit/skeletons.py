"""Filling the skeletons in templates/, one folder for each language."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from kanegen.codegen.emit.layout import comment_block, comment_text, paragraph, signature, statement
from kanegen.codegen.emit.precision import Precision, literal


@cache
def _environment() -> Environment:
    made = Environment(
        loader=FileSystemLoader(Path(__file__).parent / "templates", encoding="ascii"),
        undefined=StrictUndefined,
        optimized=False,  # each is filled in once or twice
        trim_blocks=True,
        lstrip_blocks=True,
        autoescape=False,  # every text that comes from a model has been through comment_text or is an identifier
    )
    made.filters["plain"] = comment_text
    made.filters["signature"] = signature
    made.filters["statement"] = lambda text, depth=1: "\n".join(statement(text, depth))
    made.filters["comment"] = lambda text: comment_block(paragraph(text))
    made.filters["number"] = _number
    return made


def _number(value: Fraction) -> str:
    """A literal in double precision, of either sign."""
    return f"{'-' if value < 0 else ''}{literal(abs(value), Precision.DOUBLE)}"


def fill(name: str, /, **values: Any) -> str:
    """The skeleton of that name, folder/file, with its values.  Raises UndefinedError for one that it lacks."""
    return _environment().get_template(f"{name}.template").render(values).rstrip("\n")
