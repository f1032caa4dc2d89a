"""What the bytes of an XML file are as text: the encodings that Python knows, in every spelling of their names."""

from __future__ import annotations

import codecs
import re

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
