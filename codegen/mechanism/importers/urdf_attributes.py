"""Elements and attributes that an element must or may have; what is missing or misread is reported."""

from __future__ import annotations

from difflib import get_close_matches
from fractions import Fraction

from kanegen.codegen.mechanism.importers.numbers_in_text import Misread, read_numbers
from kanegen.codegen.mechanism.importers.reporting import Report
from kanegen.codegen.mechanism.importers.urdf_records import Triple
from kanegen.codegen.mechanism.importers.xml_tree import Element


class AttributeReader:
    """Reads parts of elements, and reports to ``report``."""

    def __init__(self, report: Report) -> None:
        self._report = report

    def _name(self, element: Element, what: str) -> str | None:
        name = element.attributes.get("name")
        if name is None:
            self._missing(element, "name", f"<{what}>")
        elif not name:
            self._report.error(element, f"<{what}>", 'has the name ""', "a non-empty text", "Name it.")
        return name or None

    def _only(self, element: Element, tag: str, where: str) -> Element | None:
        found = element.named(tag)
        if len(found) > 1:
            self._report.warning(
                found[1],
                where,
                f"has {len(found)} elements <{tag}> (lines {', '.join(str(e.line) for e in found)}); the first was used",
                "one",
                "Remove the others.",
            )
        return found[0] if found else None

    def _needed(self, element: Element, tag: str, where: str) -> Element | None:
        found = self._only(element, tag, where)
        if found is None:
            inside = f"<{element.tag}>"
            near = get_close_matches(tag, [child.tag for child in element.children], 1, 0.7)
            hint = f"Rename <{near[0]}>." if near else f"Add <{tag}>, or remove {inside}."
            self._report.error(element, f"{where}, {inside}", f"has no <{tag}>", f"one element <{tag}>", hint)
        return found

    def _triple(self, element: Element, attribute: str, where: str, default: Triple) -> Triple:
        numbers = self._numbers(element, attribute, where, 3)
        if numbers is None:
            return default
        x, y, z = numbers
        return x, y, z

    def _number(
        self, element: Element, attribute: str, where: str, default: Fraction | None = None
    ) -> Fraction | None:
        if attribute not in element.attributes:
            if default is None:
                self._missing(element, attribute, f"{where}, <{element.tag}>")
            return default
        numbers = self._numbers(element, attribute, where, 1)
        return None if numbers is None else numbers[0]

    def _numbers(
        self, element: Element, attribute: str, where: str, count: int
    ) -> tuple[Fraction, ...] | None:
        text = element.attributes.get(attribute)
        if text is None:
            return None
        numbers = read_numbers(text, count)
        if isinstance(numbers, Misread):
            self._report.error(
                element,
                f"{where}, <{element.tag}> {attribute}",
                numbers.what,
                numbers.expected,
                numbers.cure,
            )
            return None
        return numbers

    def _missing(self, element: Element, attribute: str, where: str) -> None:
        near = get_close_matches(attribute, element.attributes, 1, 0.6)
        if near:
            cure = f"Rename the attribute {near[0]!r}."
        elif element.text:
            cure = f'Write {attribute}="{element.text[:40]}" as an attribute, not as text.'
        else:
            cure = "Add it."
        self._report.error(element, where, f"has no attribute {attribute!r}", f'{attribute}="..."', cure)
