"""Between this package's elements and the document objects that xacro works on; lines survive the expansion."""

from __future__ import annotations

from xml.dom.minidom import Document
from xml.dom.minidom import Element as Node

from kanegen.codegen.mechanism.importers.xml_tree import Element

_MARK = "kanegen-origin"
"""Attribute by which an element remembers where it was written; macros copy it along."""


class Origins:
    """The places that marks stand for."""

    def __init__(self) -> None:
        self._places: list[tuple[str | None, int | None]] = []

    def document(self, root: Element) -> Document:
        """A document of marked nodes."""
        document = Document()
        document.appendChild(self._node(root, document))
        return document

    def element(self, node: Node, above: Element | None = None) -> Element:
        """The element of a node, with the place of its mark, or of what it is in where xacro has made it anew."""
        attributes = {str(name): str(value) for name, value in node.attributes.items()}
        mark = attributes.pop(_MARK, None)
        if mark is not None:
            file, line = self._places[int(mark)]
        else:
            file, line = (above.file, above.line) if above else (None, None)
        shell = Element(node.tagName, attributes, (), file, line)
        content: list[Element | str] = []
        for child in node.childNodes:
            if child.nodeType == child.ELEMENT_NODE:
                content.append(self.element(child, shell))
            elif child.nodeType in (child.TEXT_NODE, child.CDATA_SECTION_NODE):
                content.append(str(child.data))
        return Element(node.tagName, attributes, tuple(content), file, line)

    def _node(self, element: Element, document: Document) -> Node:
        node = _bare(element, document)
        if not element.tag.startswith("xacro:"):  # macros refuse attributes that are not theirs
            node.setAttribute(_MARK, str(len(self._places)))
            self._places.append((element.file, element.line))
        for part in element.content:
            child = self._node(part, document) if isinstance(part, Element) else document.createTextNode(part)
            node.appendChild(child)
        return node


def text_of(root: Element) -> str:
    """An element as XML."""
    document = Document()
    document.appendChild(_plain_node(root, document))
    return document.toxml()


def _plain_node(element: Element, document: Document) -> Node:
    node = _bare(element, document)
    for part in element.content:
        node.appendChild(
            _plain_node(part, document) if isinstance(part, Element) else document.createTextNode(part)
        )
    return node


def _bare(element: Element, document: Document) -> Node:
    node = document.createElement(element.tag)
    for name, value in element.attributes.items():
        node.setAttribute(name, value)
    return node
