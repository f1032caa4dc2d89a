"""The words in names of elements and attributes, by which unknown ones are judged, and whether what they say is nothing."""

from __future__ import annotations

from collections.abc import Iterator

from kanegen.codegen.mechanism.importers.xml_tree import Element

_NOTHING = ("false", "none", "no", "disable")


def word_of(name: str) -> str:
    """A name in one spelling, without its namespace: spring_stiffness and springStiffness are the same word."""
    return name.rpartition(":")[2].lower().replace("_", "").replace("-", "")


def says_nothing(text: str) -> bool:
    """Whether a text is empty, false, or all zeros."""
    return all(word in _NOTHING or _is_zero(word) for word in text.lower().split())


def acts(element: Element) -> bool:
    """Whether an element, or anything in it, says more than nothing."""
    return any(not says_nothing(text) for e in element.walk() for text in (e.text, *e.attributes.values()))


def sayings(element: Element) -> Iterator[str]:
    """Names of everything in an element that says more than nothing, itself included."""
    for e in element.walk():
        yield from (name for name, text in e.attributes.items() if not says_nothing(text))
        if acts(e):
            yield e.tag


def _is_zero(word: str) -> bool:
    try:
        return float(word) == 0
    except ValueError:
        return False
