"""Between this package's elements and the document objects that xacro works on; places survive the expansion."""

from __future__ import annotations

import re
from types import TracebackType
from typing import Any
from xml.dom.minidom import Document
from xml.dom.minidom import Element as Node

from kanegen.codegen.mechanism.importers.xml_tree import Element

Place = tuple[str | None, int | None]
"""File and line."""

_KEY = "kanegen-place"
_NAMED = re.compile(r"\$\(\s*arg\s+([^\s()]+)\s*\)|\bxacro\.arg\(\s*['\"]([^'\"]+)['\"]")


class _Copied:
    """Hands the place of a node on to its copies: macros and conditions make them."""

    def handle(self, operation: int, key: str, data: Any, src: Any, dst: Any) -> None:
        if dst is not None:
            dst.setUserData(key, data, self)


_COPIED = _Copied()


def document_of(root: Element) -> Document:
    """A document of nodes that know where they were written."""
    document = Document()
    document.appendChild(_node(root, document))
    return document


def element_of(node: Node, above: Element | None = None) -> Element:
    """The element of a node, with its place, or that of what it is in where xacro has made it anew."""
    file, line = place_of(node) or ((above.file, above.line) if above else (None, None))
    attributes = {str(name): str(value) for name, value in node.attributes.items()}
    shell = Element(node.tagName, attributes, (), file, line)
    content: list[Element | str] = []
    for child in node.childNodes:
        if child.nodeType == child.ELEMENT_NODE:
            content.append(element_of(child, shell))
        elif child.nodeType in (child.TEXT_NODE, child.CDATA_SECTION_NODE):
            content.append(str(child.data))
    return Element(node.tagName, attributes, tuple(content), file, line)


def place_of(node: Node) -> Place | None:
    """Where a node was written, if it is known."""
    place: Place | None = node.getUserData(_KEY)
    return place


def place_of_failure(trace: TracebackType | None) -> Place | None:
    """Where the node was written that was worked on when an error was raised: the innermost one that a call had at hand."""
    found: Place | None = None
    while trace is not None:
        known = trace.tb_frame.f_locals
        for value in (
            list(known.values()) if isinstance(known, dict) else ()
        ):  # xacro evaluates in a mapping of its own
            if isinstance(value, Node):
                found = place_of(value) or found
        trace = trace.tb_next
    return found


def argument_names(root: Element) -> set[str]:
    """The arguments that a file declares or asks for."""
    found: set[str] = set()
    for element in root.walk():
        if element.tag == "xacro:arg":
            found.add(element.attributes.get("name", ""))
        for text in (*element.attributes.values(), element.text):
            found.update(name for names in _NAMED.findall(text) for name in names)
    return found - {""}


def text_of(root: Element) -> str:
    """An element as XML."""
    return str(document_of(root).toxml())


def _node(element: Element, document: Document) -> Node:
    node = document.createElement(element.tag)
    for name, value in element.attributes.items():
        node.setAttribute(name, value)
    place: Any = (element.file, element.line)
    node.setUserData(_KEY, place, _COPIED)
    for part in element.content:
        node.appendChild(
            _node(part, document) if isinstance(part, Element) else document.createTextNode(part)
        )
    return node
