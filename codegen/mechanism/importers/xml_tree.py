"""XML as a tree of elements that know their line, read by Python's own expat and by nothing that it may be told to fetch.

A document type declaration is refused where it begins: no model format needs one, and every known attack by XML does
(entities that grow, files and addresses that are fetched).  Nothing outside the text is ever opened.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from xml.parsers import expat

from kanegen.codegen.mechanism.importers.model_file import model_bytes
from kanegen.errors import ModelError
from kanegen.limits import DEEPEST_XML, MOST_ELEMENTS

_UTF32 = (codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)
_BEGINNINGS = {
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
    codecs.BOM_UTF8: "utf-8",
    b"<\0": "utf-16le",
    b"\0<": "utf-16be",
}
"""What other files begin with, and expat's name of the encoding that this tells."""

_DECLARATION = re.compile(rb"\s*<\?xml[^>]*?\sencoding\s*=\s*[\"']\s*([^\"'>]*?)\s*[\"']")
_OF_EXPAT = {"utf-8": "utf-8", "iso8859-1": "iso-8859-1", "ascii": "us-ascii"}
"""Encodings that expat decodes by itself, by Python's name."""


class UnreadableEncodingError(Exception):
    """A file declares an encoding that nobody knows, or is not in the one that it declares."""


def for_expat(raw: bytes) -> tuple[bytes, str | None]:
    """The bytes of a file as expat can read them, and the encoding to tell it; None where it finds that out by itself.

    What the bytes begin with counts more than what they declare.  Raises UnreadableEncodingError.
    """
    if raw.startswith(_UTF32):  # looked for first: the mark of UTF-32 begins with that of UTF-16
        return _recoded(raw, "utf-32")
    for beginning, name in _BEGINNINGS.items():
        if raw.startswith(beginning):
            return raw, name
    declared = _DECLARATION.match(raw[:1024])
    if declared is None:
        return raw, None
    written = declared.group(1).decode("ascii", "replace")
    try:
        name = codecs.lookup(written).name
        "".encode(name)  # Python has codecs that are no encodings of text, too
    except (LookupError, ValueError):  # a null character in it
        raise UnreadableEncodingError(f"declares the encoding {written[:40]!r}, which is unknown") from None
    if name in _OF_EXPAT:
        return raw, _OF_EXPAT[name]
    if name.startswith(("utf-16", "utf-32")):  # it is not: its declaration was read byte by byte
        raise UnreadableEncodingError(f"declares the encoding {written!r}, and has one byte for a character")
    return _recoded(raw, name)


def _recoded(raw: bytes, name: str) -> tuple[bytes, str]:
    try:
        return raw.decode(name).encode("utf-8"), "utf-8"
    except UnicodeError:
        raise UnreadableEncodingError(
            f"declares the encoding {name!r}, and has bytes that are none of it"
        ) from None


_NOT_XML = re.compile(rb"[^<\s\x00\xef\xbb\xbf\xfe\xff][^\n]{0,40}")
_LEADING = re.compile(rb"[ \t\r\n]+(?=<\?xml)")
_EXPLAINED = {
    "no element found": "The file is empty or ends too early.",
    "not well-formed (invalid token)": "Mend what stands there: a stray <, & or quote, or bytes that are no UTF-8 in a file "
    "that declares no other encoding.",
    "mismatched tag": "Close every element by its own name, innermost first.",
    "undefined entity": "Only &lt; &gt; &amp; &quot; &apos; and numbers (&#228;) are known; write the character itself.",
    "encoding specified in XML declaration is incorrect": "Save the file in the encoding that its first line declares.",
}


_PREFIXES = {
    "http://drake.mit.edu": "drake",
    "http://www.ros.org/wiki/xacro": "xacro",
    "http://ros.org/wiki/xacro": "xacro",
    "http://wiki.ros.org/xacro": "xacro",
}
"""Prefixes of namespaces that are known, whatever a file calls them."""


@dataclass(frozen=True, slots=True)
class Element:
    """An element: its name, attributes in their order, and content (elements and pieces of text).

    The prefix in its name is the usual one for a namespace that is known, whatever the file calls it, and else as written.
    ``file`` and ``line`` say where it begins.
    """

    tag: str
    attributes: Mapping[str, str]
    content: tuple[Element | str, ...]
    file: str | None
    line: int | None

    @property
    def place(self) -> str:
        """``file:line``, or as much of it as there is."""
        if self.file is None:
            return f"line {self.line}"
        return self.file if self.line is None else f"{self.file}:{self.line}"

    @property
    def children(self) -> Iterator[Element]:
        """The elements in it."""
        return (part for part in self.content if isinstance(part, Element))

    @property
    def text(self) -> str:
        """The text directly in it, without the space around it."""
        return "".join(part for part in self.content if isinstance(part, str)).strip()

    def named(self, tag: str) -> list[Element]:
        """The elements of that name in it."""
        return [child for child in self.children if child.tag == tag]

    def walk(self) -> Iterator[Element]:
        """The element itself and all within, in the order of the text."""
        stack = [self]
        while stack:
            element = stack.pop()
            yield element
            stack.extend(reversed(list(element.children)))


def _from_declaration(raw: bytes) -> tuple[bytes, int]:
    """The bytes without the space before an XML declaration, and its lines: forbidden there, frequent and harmless."""
    leading = _LEADING.match(raw)
    return (raw, 0) if leading is None else (raw[leading.end() :], leading.group().count(b"\n"))


@dataclass(slots=True)
class _Open:
    """An element that has begun and not ended."""

    tag: str
    attributes: dict[str, str]
    content: list[Element | str]
    line: int
    prefixes: Mapping[str, str]


def parse_file(path: Path) -> Element:
    """The root element of a file.  Raises ModelError with file and line."""
    return parse_bytes(model_bytes(path), str(path))


def parse_text(text: str) -> Element:
    """The root element of a text; the encoding that it declares is that of a file, and does not matter here."""
    content, lines = _from_declaration(text.encode("utf-8", "surrogatepass"))
    return _Reader(None, "utf-8", lines).parse(content)


def parse_bytes(raw: bytes, file: str | None = None) -> Element:
    """The root element of the content of a file, in the encoding that it begins with or declares; else in UTF-8."""
    content, lines = _from_declaration(raw)
    try:
        readable, encoding = for_expat(content)
    except UnreadableEncodingError as error:
        raise ModelError(
            f"line {lines + 1}" if file is None else f"{file}:{lines + 1}",
            str(error),
            "UTF-8, or another encoding that it declares",
            "Save the file as UTF-8, and let its first line say so or nothing.",
        ) from None
    return _Reader(file, encoding, lines).parse(readable)


class _Reader:
    """Handlers of one parser."""

    def __init__(self, file: str | None, encoding: str | None, lines_before: int) -> None:
        self._file = file
        self._parser = expat.ParserCreate(encoding)
        self._parser.buffer_text = True
        self._parser.StartDoctypeDeclHandler = self._refuse_doctype
        self._parser.EntityDeclHandler = self._refuse_doctype
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.CharacterDataHandler = self._text
        self._open: list[_Open] = []
        self._root: Element | None = None
        self._lines_before = lines_before
        self._count = 0

    def parse(self, raw: bytes) -> Element:
        begins = _NOT_XML.match(raw.lstrip())
        if begins:
            raise self._error(
                1,
                f"is no XML: it begins with {begins.group().decode('utf-8', 'replace').strip()!r}",
                "XML, which begins with <",
                "Check that this is the right file.",
            )
        try:
            self._parser.Parse(raw, True)
        except expat.ExpatError as error:
            raise self._syntax(error) from None
        assert self._root is not None  # expat has seen a whole document
        return self._root

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        line = self._parser.CurrentLineNumber
        if len(self._open) >= DEEPEST_XML.value:
            raise self._error(
                line,
                f"element <{tag}> is nested {len(self._open) + 1} deep",
                f"at most {DEEPEST_XML.value} levels",
                "This is no model of a robot.",
            )
        self._count += 1
        if self._count > MOST_ELEMENTS.value:
            raise self._error(
                line,
                f"has more than {MOST_ELEMENTS.value:,} elements",
                "a model of a robot",
                "Leave out what is no part of it.",
            )
        prefixes = self._open[-1].prefixes if self._open else {}
        declared = {name[6:]: uri for name, uri in attributes.items() if name.startswith("xmlns:")}
        if declared:
            known = {
                prefix: _PREFIXES.get(uri.strip().rstrip("/"), prefix) for prefix, uri in declared.items()
            }
            prefixes = {**prefixes, **known}
        prefix, colon, name = tag.partition(":")
        usual = f"{prefixes.get(prefix, prefix)}:{name}" if colon else tag
        self._open.append(_Open(usual, attributes, [], line + self._lines_before, prefixes))

    def _end(self, _: str) -> None:
        done = self._open.pop()
        element = Element(done.tag, done.attributes, tuple(done.content), self._file, done.line)
        if self._open:
            self._open[-1].content.append(element)
        else:
            self._root = element

    def _text(self, text: str) -> None:
        if self._open:
            self._open[-1].content.append(text)

    def _refuse_doctype(self, name: str, *_: object) -> None:
        raise self._error(
            self._parser.CurrentLineNumber,
            f"has a document type or entity declaration ({name[:40]!r})",
            "plain XML: declarations can make a small file grow without bound, or fetch other files",
            "Remove <!DOCTYPE ...> and write out the entities that it declares.",
        )

    def _syntax(self, error: expat.ExpatError) -> ModelError:
        what = expat.ErrorString(error.code)
        return self._error(
            error.lineno,
            f"is not well-formed XML, column {error.offset + 1}: {what}",
            "XML",
            _EXPLAINED.get(what, "Mend what stands there."),
        )

    def _error(self, line: int, what: str, expected: str, cure: str) -> ModelError:
        number = line + self._lines_before
        where = f"line {number}" if self._file is None else f"{self._file}:{number}"
        return ModelError(where, what, expected, cure)
