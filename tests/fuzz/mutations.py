"""Damage: bytes, numbers, texts, lines and elements of a model, a few at a time, all of it decided by one seed."""

from __future__ import annotations

import codecs
import random
import re
from collections.abc import Callable

NUMBERS = (
    *("2", "-0.5", "3.14159", "100", "1e-9", "1e9", "1e20", "1e-20", "1e-40", "1e40", "0.1", "7"),
    *("0", "-0", "-1", "1e59", "1e60", "1e61", "-1e309", "1e309", "1e400", "1e-60", "1e-400", "1e999999999"),
    *("1.7976931348623157e308", "5e-324", "nan", "-inf", "9" * 400, "0." + "1" * 4000, "1e-999999999"),
    *("0x10", "1_000", "١", "1,5", "1/0", "1/3", "2**0.5", "true", "[]", '""', "1979-05-27", "1e59*1e59"),
    *("((((1.1**16)**16)**16)**16)**16", "(((9**16)**16)**16)**16", "(" * 60 + "1" + ")" * 60),
)
TEXTS = (
    *("", " ", "base", "root_joint", "b", "j1", "free", "a b", "é", "\u202e", "\ud800", "x" * 5000, "'", "${", "$("),
    *("${1/0}", "${nothing}", "$(find nothing)", "$(arg nothing)", "${half**half**9}", "$(eval 1/0)", "${[0]*9}"),
    *("carrier of q", "revolute", "fixed", "spherical", "0 0 0", "0 0 1", "1 1 1 1", "&#0;", "&x;", "&#x110000;"),
    *('"', "]]>", "<![CDATA[", "<!--", "${xacro}", "world", "/dev/zero", ".", "../..", "clamped-free 99"),
)  # fmt: skip
PIECES = (
    *("<a>" * 300, "[" * 300, "(" * 300, "{" * 50, "]]", "</robot>", "<link/>", "<joint/>", "[[body]]", "[[joint]]"),
    *("<!DOCTYPE robot [<!ENTITY a 'b'>]>", "<?xml version='1.0' encoding='utf-7'?>", "<?x?>", "\0", "\x0b", "\n" * 99),
    *("<xacro:macro name='m'><xacro:m/></xacro:macro><xacro:m/>", "<xacro:include filename='.'/>", "\n[parameters]\n"),
)  # fmt: skip

_NUMBER = re.compile(r"-?\d+\.?\d*(?:e-?\d+)?")
_QUOTED = re.compile(r"\"[^\"\n]*\"|'[^'\n]*'")
_ELEMENT = re.compile(r"<(\w[\w:]*)\b[^<>]*/>|<(link|joint|inertial|body|xacro:\w+)\b.*?</\2>", re.DOTALL)
_WORD = re.compile(r"\w+")


def _spot(pattern: re.Pattern[str], text: str, chance: random.Random) -> tuple[int, int]:
    """Where something of a kind stands; the whole of a text that has none of it is a spot, too."""
    spots = [match.span() for match in pattern.finditer(text)]
    return chance.choice(spots) if spots else (0, len(text))


def _number(text: str, chance: random.Random) -> str:
    begin, end = _spot(_NUMBER, text, chance)
    return text[:begin] + chance.choice(NUMBERS) + text[end:]


def _text(text: str, chance: random.Random) -> str:
    begin, end = _spot(_QUOTED, text, chance)
    known = [match.group()[1:-1] for match in _QUOTED.finditer(text)] or [""]
    return text[: begin + 1] + chance.choice((*TEXTS, *NUMBERS, *known)) + text[end - 1 :]


def _line(text: str, chance: random.Random) -> str:
    lines = text.split("\n")
    k, other = chance.randrange(len(lines)), chance.randrange(len(lines))
    what = chance.randrange(3)
    if what == 0:
        del lines[k]
    elif what == 1:
        lines.insert(other, lines[k])
    else:
        lines[k], lines[other] = lines[other], lines[k]
    return "\n".join(lines)


def _element(text: str, chance: random.Random) -> str:
    begin, end = _spot(_ELEMENT, text, chance)
    piece, rest = text[begin:end], text[:begin] + text[end:]
    at = chance.randrange(len(rest) + 1)
    return chance.choice((rest, text[:end] + piece + text[end:], rest[:at] + piece + rest[at:]))


def _word(text: str, chance: random.Random) -> str:
    begin, end = _spot(_WORD, text, chance)
    other, last = _spot(_WORD, text, chance)
    return text[:begin] + text[other:last] + text[end:]


def _piece(text: str, chance: random.Random) -> str:
    at = chance.randrange(len(text) + 1)
    return text[:at] + chance.choice(PIECES) + text[at:]


def _flipped(raw: bytes, chance: random.Random) -> bytes:
    found = bytearray(raw or b"x")
    for _ in range(chance.choice((1, 1, 8, 64))):
        found[chance.randrange(len(found))] = chance.choice((0, 0xFF, chance.randrange(256)))
    return bytes(found)


def _cut(raw: bytes, chance: random.Random) -> bytes:
    begin, end = sorted(chance.randrange(len(raw) + 1) for _ in range(2))
    return chance.choice((raw[:begin], raw[end:], raw[:begin] + raw[end:], raw[:end] + raw[begin:]))


def _encoded(raw: bytes, chance: random.Random) -> bytes:
    text = raw.decode("utf-8", "replace")
    return chance.choice(
        (
            text.encode("utf-16"),
            text.encode("utf-32"),
            text.encode("latin-1", "replace") + b"\xff",
            codecs.BOM_UTF8 * chance.randrange(1, 3) + raw,
            b"<?xml version='1.0' encoding='"
            + chance.choice((b"hex", b"x\0y", b"big5", b"utf-16"))
            + b"'?>"
            + raw,
        )
    )


_OF_TEXT: tuple[Callable[[str, random.Random], str], ...] = (
    _number,
    _number,
    _text,
    _text,
    _line,
    _element,
    _word,
    _piece,
)
_OF_BYTES: tuple[Callable[[bytes, random.Random], bytes], ...] = (_flipped, _cut, _encoded)


def mutated(text: str, chance: random.Random) -> bytes:
    """The text with one to four of its parts damaged, and now and then its bytes."""
    for _ in range(chance.choice((1, 1, 1, 1, 2, 2, 3, 4))):
        text = chance.choice(_OF_TEXT)(text, chance)
    raw = text.encode("utf-8", "surrogatepass")
    return chance.choice(_OF_BYTES)(raw, chance) if chance.random() < 0.1 else raw
