"""Filling the skeletons in templates/, one folder for each language."""

from __future__ import annotations

import contextlib
import sys
from fractions import Fraction
from functools import cache
from importlib.machinery import SourceFileLoader
from importlib.util import cache_from_source
from pathlib import Path
from typing import Any

from jinja2 import BytecodeCache, Environment, FileSystemLoader, StrictUndefined
from jinja2.bccache import Bucket

from kanegen.codegen.emit.layout import comment_block, comment_text, paragraph, signature, statement
from kanegen.codegen.emit.precision import Precision, literal

_AS_WRITTEN: dict[str, Any] = {"trim_blocks": True, "lstrip_blocks": True, "optimized": False}
"""How skeletons are compiled: none is filled in more than once or twice."""


class _WithCompiledSources(BytecodeCache):
    """Compiled skeletons, where Python keeps what it has compiled of the sources, and if it keeps that."""

    def get_cache_key(self, name: str, filename: str | None = None) -> str:
        return cache_from_source(filename or name)

    def get_source_checksum(self, source: str) -> str:
        return super().get_source_checksum(f"{_AS_WRITTEN}{source}")

    def load_bytecode(self, bucket: Bucket) -> None:
        with contextlib.suppress(OSError):
            bucket.bytecode_from_string(Path(bucket.key).read_bytes())

    def dump_bytecode(self, bucket: Bucket) -> None:
        if not sys.dont_write_bytecode:  # folders that may not be written are left alone
            SourceFileLoader(bucket.key, bucket.key).set_data(bucket.key, bucket.bytecode_to_string())


@cache
def _environment() -> Environment:
    made = Environment(
        loader=FileSystemLoader(Path(__file__).parent / "templates", encoding="ascii"),
        undefined=StrictUndefined,
        autoescape=False,  # every text that comes from a model has been through comment_text or is an identifier
        bytecode_cache=_WithCompiledSources(),
        **_AS_WRITTEN,
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
