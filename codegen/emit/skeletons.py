"""Filling the skeletons in templates/."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from string import Template


@cache
def _template(name: str) -> Template:
    text = files("kanegen.codegen.emit.templates").joinpath(f"{name}.template").read_text(encoding="ascii")
    return Template(text.rstrip("\n"))


def fill(name: str, /, **values: str) -> str:
    """The skeleton of that name with every $name replaced.  Raises KeyError for one without a value."""
    return _template(name).substitute(values)
