"""On which line of a TOML text each table, key and array element stands.

The text has been parsed already, so that this needs to follow valid TOML only; Python's ``tomllib`` says no lines.
"""

from __future__ import annotations

import json

Path = tuple[str | int, ...]
"""Keys and indices from the root: ("joint", 2, "axis", 0)."""

_BLANK = " \t"
_ENDS = ",]}\n#\r"


def lines_of(text: str) -> dict[Path, int]:
    """Lines from 1 by path; tables by their headers, inline ones and elements by where they begin."""
    return _Scanner(text).run()


class _Scanner:
    def __init__(self, text: str) -> None:
        self._text = text
        self._at, self._line = 0, 1
        self._counts: dict[Path, int] = {}
        self._found: dict[Path, int] = {(): 1}

    def run(self) -> dict[Path, int]:
        table: Path = ()
        while self._skip_to_something():
            if self._peek() == "[":
                table = self._header()
            else:
                self._pair(table)
        return self._found

    def _peek(self) -> str:
        return self._text[self._at : self._at + 1]

    def _advance(self, count: int = 1) -> None:
        self._line += self._text.count("\n", self._at, self._at + count)
        self._at += count

    def _skip_to_something(self) -> bool:
        """Past blanks, line ends and comments; whether anything is left."""
        while self._at < len(self._text):
            character = self._peek()
            if character == "#":
                end = self._text.find("\n", self._at)
                self._at = len(self._text) if end < 0 else end
            elif character in " \t\r\n":
                self._advance()
            else:
                return True
        return False

    def _header(self) -> Path:
        line, double = self._line, self._text.startswith("[[", self._at)
        self._advance(2 if double else 1)
        keys = self._keys()
        self._advance(2 if double else 1)
        path: Path = ()
        for number, key in enumerate(keys):
            path = (*path, key)
            if double and number == len(keys) - 1:
                self._counts[path] = self._counts.get(path, -1) + 1
            if path in self._counts:
                self._found.setdefault(path, line)
                path = (*path, self._counts[path])
        self._found[path] = line
        return path

    def _keys(self) -> list[str]:
        """A dotted key, up to what follows it."""
        keys = []
        while True:
            self._blank()
            if self._peek() in "\"'":
                keys.append(self._string())
            else:
                begin = self._at
                while self._peek() not in (*_BLANK, ".", "=", "]"):
                    self._at += 1
                keys.append(self._text[begin : self._at])
            self._blank()
            if self._peek() != ".":
                return keys
            self._at += 1

    def _blank(self) -> None:
        while self._peek() and self._peek() in _BLANK:
            self._at += 1

    def _pair(self, table: Path) -> None:
        line, path = self._line, table
        for key in self._keys():
            path = (*path, key)
            self._found.setdefault(path, line)
        self._advance()  # the equals sign
        self._value(path)

    def _value(self, path: Path) -> None:
        self._blank()
        first = self._peek()
        if first in ("'", '"'):
            self._string()
        elif first == "[":
            self._array(path)
        elif first == "{":
            self._inline_table(path)
        else:
            while self._peek() and self._peek() not in _ENDS:
                self._at += 1

    def _array(self, path: Path) -> None:
        self._advance()
        index = 0
        while self._skip_to_something() and self._peek() != "]":
            self._found[*path, index] = self._line
            self._value((*path, index))
            index += 1
            self._skip_to_something()
            if self._peek() == ",":
                self._advance()
        self._advance()

    def _inline_table(self, path: Path) -> None:
        self._advance()
        while self._skip_to_something() and self._peek() != "}":
            self._pair(path)
            self._skip_to_something()
            if self._peek() == ",":
                self._advance()
        self._advance()

    def _string(self) -> str:
        """Past a string of any of the four kinds; its content, as far as keys need it."""
        quote = self._peek()
        ending = quote * 3 if self._text.startswith(quote * 3, self._at) else quote
        begin = self._at + len(ending)
        end = begin
        while not self._text.startswith(ending, end):
            end += 2 if quote == '"' and self._text[end] == "\\" else 1
        while len(ending) == 3 and self._text.startswith(quote, end + 3):
            end += 1  # up to two quotes may stand before the closing three
        raw = self._text[begin:end]
        self._advance(end + len(ending) - self._at)
        if quote == '"' and "\\" in raw and len(ending) == 1:
            try:
                return str(json.loads(f'"{raw}"'))
            except ValueError:
                return raw
        return raw
