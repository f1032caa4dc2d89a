"""XML as text: elements with attributes alone, numbers as doubles, names escaped."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from xml.sax.saxutils import quoteattr

from kanegen.codegen.mechanism.records import Value
from kanegen.errors import ModelError, shown

_FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What XML 1.0 has no place for, not even escaped."""


@dataclass
class Element:
    """An element with what is in it."""

    tag: str
    attributes: dict[str, str]
    children: list[Element] = field(default_factory=list)

    def add(self, tag: str, **attributes: str | None) -> Element:
        """A new element in this one; attributes without a value are left out."""
        child = Element(tag, {name: text for name, text in attributes.items() if text is not None})
        self.children.append(child)
        return child

    def names(self, tag: str) -> tuple[str, ...]:
        """The names of all elements of a tag in it, in the order of the document."""
        found, todo = [], [self]
        while todo:
            element = todo.pop()
            if element.tag == tag and "name" in element.attributes:
                found.append(element.attributes["name"])
            todo += reversed(element.children)
        return tuple(found)

    def text(self) -> str:
        """The document with this root.  Iterative: chains of bodies may be longer than Python's stack is deep.

        Raises ModelError for names that XML cannot have.
        """
        lines, todo = ['<?xml version="1.0"?>'], [(self, 0, False)]
        while todo:
            element, depth, ends = todo.pop()
            indent = "  " * depth
            if ends:
                lines.append(f"{indent}</{element.tag}>")
                continue
            attributes = "".join(f" {key}={_quoted(text)}" for key, text in element.attributes.items())
            lines.append(f"{indent}<{element.tag}{attributes}{'' if element.children else '/'}>")
            if element.children:
                todo.append((element, depth, True))
                todo += [(child, depth + 1, False) for child in reversed(element.children)]
        return "\n".join(lines) + "\n"


def _quoted(text: str) -> str:
    if _FORBIDDEN.search(text):
        raise ModelError(
            f"name {shown(text)}",
            "has a character that XML cannot have",
            "printable characters",
            "Rename it.",
        )
    return quoteattr(text)


def number(value: Value | float) -> str:
    """The double nearest to a number, by its shortest decimal."""
    assert isinstance(value, Fraction | float)  # parameters are folded before
    decimal = repr(float(value) or 0.0)
    return decimal.removesuffix(".0")


def numbers(values: Iterable[Value | float]) -> str:
    """Doubles, separated by spaces."""
    return " ".join(map(number, values))


def fresh(wanted: str, taken: set[str]) -> str:
    """A name that nothing has yet, now taken: this one, or with a number behind it."""
    name, count = wanted, 1
    while name in taken:
        count += 1
        name = f"{wanted}_{count}"
    taken.add(name)
    return name
