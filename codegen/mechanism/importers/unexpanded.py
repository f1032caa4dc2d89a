"""Whether a description is a program of xacro: where there is anything for xacro to work on, and where that matters."""

from __future__ import annotations

from collections.abc import Iterator

from kanegen.codegen.mechanism.importers.urdf_drake import READ
from kanegen.codegen.mechanism.importers.xml_tree import Element

_NEVER_LOOKED_AT = ("visual", "collision", "material")
_OF_THE_MECHANISM = {"robot": ("link", "joint", "transmission", *READ), "link": ("inertial",)}
"""Elements whose texts matter to a plain URDF; below these, all do."""


def first_mark(root: Element, *, plain: bool) -> Element | None:
    """The first element that only xacro understands: one of its own, or one with an expression.

    Shapes and colours are never looked at.  In a ``plain`` URDF neither are expressions in what has no part in the
    mechanism: parameters of plugins keep the $(find ...) of launch files.
    """
    for element, matters in _looked_at(root, plain):
        if element.tag.startswith("xacro:") or (matters and expression_in(element) is not None):
            return element
    return None


def expression_in(element: Element) -> str | None:
    """The first text of an element itself with an expression of xacro's."""
    texts = (*element.attributes.values(), element.text)
    return next((text for text in texts if "${" in text or "$(" in text), None)


def _looked_at(root: Element, plain: bool) -> Iterator[tuple[Element, bool]]:
    """Elements in the order of the text, and whether their texts matter."""
    stack = [(root, True)]
    while stack:
        element, matters = stack.pop()
        yield element, matters
        known = _OF_THE_MECHANISM.get(element.tag) if plain else None
        below = [child for child in element.children if child.tag not in _NEVER_LOOKED_AT]
        stack.extend((child, matters and (known is None or child.tag in known)) for child in reversed(below))
