"""A JSON document that knows the place of each of its values, so that what is wrong can be told in one sentence."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from kanegen.errors import KanegenError
from kanegen.files import contents


class DamagedError(KanegenError, ValueError):
    """A document that is not what it should be; the message says where and how."""


@dataclass(frozen=True)
class Node:
    """A value of a document; ``place`` is the way to it, empty for the document itself."""

    value: object
    place: str = ""

    def __getitem__(self, key: str) -> Node:
        """A member.  Raises DamagedError where there is none."""
        members = self._members()
        if key not in members:
            raise DamagedError(f"{self._named()} lacks {key!r}")
        return Node(members[key], self._below(key))

    def get(self, key: str) -> Node | None:
        """A member, None where there is none."""
        return self[key] if key in self._members() else None

    def items(self) -> Iterator[tuple[str, Node]]:
        """The members with their names, in the order of the file."""
        for key in self._members():
            yield printable(key), self[key]

    def elements(self) -> tuple[Node, ...]:
        """The elements of a list."""
        if not isinstance(self.value, list):
            raise self._other_than("a list")
        return tuple(Node(value, f"{self.place}[{k}]") for k, value in enumerate(self.value))

    def text(self) -> str:
        """A string, in one line."""
        if not isinstance(self.value, str):
            raise self._other_than("a text")
        return printable(self.value)

    def text_or_none(self) -> str | None:
        """A string, or null."""
        return None if self.value is None else self.text()

    def texts(self) -> tuple[str, ...]:
        """A list of strings."""
        return tuple(element.text() for element in self.elements())

    def count(self) -> int:
        """An integer that is not negative."""
        if not isinstance(self.value, int) or isinstance(self.value, bool) or self.value < 0:
            raise self._other_than("a count")
        return self.value

    def number(self) -> float:
        """A finite number."""
        if not isinstance(self.value, int | float) or isinstance(self.value, bool):
            raise self._other_than("a number")
        try:
            number = float(self.value)
        except OverflowError:
            raise self._other_than("a number that fits") from None
        if not math.isfinite(number):
            raise self._other_than("a finite number")
        return number

    def number_or_none(self) -> float | None:
        """A finite number, or null."""
        return None if self.value is None else self.number()

    def duration(self) -> float:
        """A number greater than zero."""
        number = self.number()
        if number <= 0:
            raise self._other_than("a time")
        return number

    def scalar(self) -> str | int | float:
        """A string or a number."""
        return self.text() if isinstance(self.value, str) else self._integer_or_number()

    def _integer_or_number(self) -> int | float:
        number = self.number()
        return self.value if isinstance(self.value, int) else number

    def _members(self) -> dict[str, object]:
        if not isinstance(self.value, dict):
            raise self._other_than("an object")
        return self.value

    def _below(self, key: str) -> str:
        key = printable(key)
        return f"{self.place}.{key}" if self.place else key

    def _named(self) -> str:
        return self.place or "the document"

    def _other_than(self, expected: str) -> DamagedError:
        found = printable(repr(self.value))
        return DamagedError(
            f"{self._named()} is {found[:40]}{'...' * (len(found) > 40)}; expected {expected}"
        )


def load(path: Path) -> Node:
    """The document of a file.  Raises DamagedError."""
    try:
        return Node(json.loads(contents(path).decode("utf-8"), parse_constant=_refuse))
    except json.JSONDecodeError as error:
        raise DamagedError(f"line {error.lineno}: no JSON: {error.msg}") from None
    except UnicodeDecodeError:
        raise DamagedError("no JSON: the text is not UTF-8") from None
    except RecursionError:
        raise DamagedError("no result: nested too deeply") from None
    except OSError as error:
        raise DamagedError(f"cannot be read: {error.strerror or error}") from None
    except DamagedError:
        raise
    except ValueError as error:  # an integer of too many digits
        raise DamagedError(f"no JSON: {error}") from None


def printable(text: str) -> str:
    """The text in one line, without characters that a terminal would act upon."""
    return "".join(c if c.isprintable() else "?" for c in " ".join(text.split()))


def _refuse(constant: str) -> object:
    raise DamagedError(f"holds {constant}, which is no number of JSON")
