"""One table of a TOML file: its values by key, and errors that say the line."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from typing import Any

from kanegen.arithmetic import Arithmetic, NotArithmetic
from kanegen.codegen.graph import Expression
from kanegen.codegen.graph.exact import quantity
from kanegen.codegen.mechanism.findings import Finding
from kanegen.codegen.mechanism.importers.toml import schema
from kanegen.codegen.mechanism.importers.toml.lines import Path
from kanegen.codegen.mechanism.records import Value
from kanegen.codegen.mechanism.rounded_angles import AngleRule
from kanegen.codegen.mechanism.values import (
    FUNCTIONS_IN_TEXT,
    chosen,
    cosine,
    degrees,
    function_of,
    plain,
    sine,
    square_root,
    to_value,
)
from kanegen.errors import ModelError, shown


@dataclass
class Document:
    """A file as it was parsed: lines by path, the names that numbers may use, and which angles are meant."""

    file: str | None
    lines: Mapping[Path, int]
    names: dict[str, Value]
    angles: AngleRule
    findings: list[Finding] = field(default_factory=list)

    def line(self, path: Path) -> int | None:
        """The line of a path, or of the nearest thing around it."""
        while path not in self.lines and path:
            path = path[:-1]
        return self.lines.get(path)

    def place(self, path: Path) -> str:
        """file:line of a path, or of the nearest thing around it."""
        line = self.line(path)
        if self.file is None:
            return f"line {line}"
        return f"{self.file}:{line}"


class Table:
    """A table with the path to it and the name by which messages call it."""

    def __init__(self, document: Document, content: Mapping[str, Any], path: Path, title: str) -> None:
        self.document, self.content, self.path = document, content, path
        name = content.get("name")
        self.title = f"{title} {name!r}" if isinstance(name, str) and name else title

    def __contains__(self, key: str) -> bool:
        return key in self.content

    def error(self, key: str | None, what: str, expected: str, cure: str) -> ModelError:
        """The error about a key, or about the table."""
        path = self.path if key is None else (*self.path, key)
        where = self.title if key is None else f"{self.title}, {key}" if self.title else key
        return ModelError(f"{self.document.place(path)}: {where}", what, expected, cure)

    @contextmanager
    def located(self) -> Iterator[None]:
        """Puts the line of this table in front of errors from inside that say none."""
        try:
            yield
        except ModelError as error:
            if error.where.startswith(f"{self.document.file}:" if self.document.file else "line "):
                raise
            where = f"{self.document.place(self.path)}: {error.where}"
            raise ModelError(where, error.what, error.expected, error.cure) from None

    def check(self, keys: str) -> None:
        """Raise ModelError for keys that are unknown or missing; ``keys`` as in ``schema``."""
        known = [key.rstrip("!") for key in keys.split()]
        for key in self.content:
            if key not in known:
                near = difflib.get_close_matches(key, known, 1)
                raise self.error(
                    key,
                    "is not a key of this table",
                    f"one of {', '.join(known)}",
                    f"Did you mean {near[0]!r}?" if near else "Remove it, or mend its spelling.",
                )
        for key in keys.split():
            if key.endswith("!") and key[:-1] not in self.content:
                raise self.error(None, f"has no {key[:-1]!r}", f"the key {key[:-1]!r}", "Add it.")

    def text(self, key: str, default: str = "") -> str:
        """A text."""
        if key not in self.content:
            return default
        value = self.content[key]
        if not isinstance(value, str) or not value:
            raise self.error(key, f"is {value!r}", "a text", "Write a name in quotes.")
        return value

    def choice(self, key: str, choices: Mapping[str, Any] | tuple[str, ...], default: str = "") -> str:
        """A text that is one of a few."""
        value = self.text(key, default)
        if value not in choices:
            meant = schema.WORDS.get(value.lower())
            near = [meant] if meant in choices else difflib.get_close_matches(value, list(choices), 1)
            cure = f"Did you mean {near[0]!r}?" if near else "Choose one of these."
            raise self.error(key, f"is {value!r}", f"one of {', '.join(choices)}", cure)
        return value

    def number(self, key: str, default: int = 0) -> Value:
        """A number, or arithmetic in the parameters."""
        return self._number(key, self.content[key]) if key in self.content else Fraction(default)

    def plain_number(self, key: str) -> Fraction | None:
        """A number that depends on no parameter, or None where there is none."""
        if key not in self.content:
            return None
        value = self.number(key)
        if isinstance(value, Expression):
            raise self.error(key, "depends on parameters", "a number", "Give the number.")
        return value

    def numbers(self, key: str, default: Any = (0, 0, 0)) -> Any:
        """An array of numbers or of arrays of numbers; the default where there is none."""
        return self._numbers(key, self.content[key]) if key in self.content else default

    def angle(self, key: str) -> Value:
        """An angle [rad], the one that is meant."""
        value: Value = self.document.angles.meant_by(self.number(key), self.content.get(key))
        return value

    def rotation(self, key: str) -> Any:
        """Three angles [rad], those that are meant, or the rows of a matrix; None where there is nothing."""
        if key not in self.content:
            return None
        numbers = self.numbers(key)
        self.document.angles.seen(row for row in numbers if isinstance(row, list))
        return [self.document.angles.meant_by(*pair) for pair in zip(numbers, self.content[key], strict=True)]

    def direction(self, key: str) -> Any:
        """An array of the components of a direction, without those that turn it by noise."""
        numbers = self.numbers(key)
        fixed = numbers and any(numbers) and all(isinstance(x, Fraction) for x in numbers)
        return self.document.angles.cleared(numbers) if fixed else numbers

    def names(self, key: str) -> list[str]:
        """An array of texts."""
        value = self.content.get(key, [])
        if not isinstance(value, list) or not all(isinstance(name, str) and name for name in value):
            raise self.error(key, f"is {value!r}", "an array of names", 'Write ["q1", "q2"].')
        return value

    def table(self, key: str) -> Table | None:
        """The table under a key."""
        if key not in self.content:
            return None
        value = self.content[key]
        if not isinstance(value, dict):
            raise self.error(key, f"is {value!r}", "a table", f"Write {key} = {{ … }}.")
        return Table(self.document, value, (*self.path, key), f"{self.title}, {key}" if self.title else key)

    def tables(self, key: str) -> list[Table]:
        """The array of tables under a key."""
        value = self.content.get(key, [])
        inside = "".join(f"{part}." for part in self.path if isinstance(part, str))
        if not isinstance(value, list) or not all(isinstance(entry, dict) for entry in value):
            raise self.error(
                key, f"is {value!r}", "an array of tables", f"Begin each with [[{inside}{key}]]."
            )
        outer = f"{self.title}, " if self.title else ""
        return [
            Table(self.document, entry, (*self.path, key, index), f"{outer}{key.replace('_', ' ')}")
            for index, entry in enumerate(value)
        ]

    def _numbers(self, key: str, value: Any) -> Any:
        if not isinstance(value, list):
            raise self.error(key, f"is {value!r}", "an array of numbers", f"Write {key} = [ … ].")
        return [self._numbers(key, e) if isinstance(e, list) else self._number(key, e) for e in value]

    def _number(self, key: str, value: Any) -> Value:
        try:
            if isinstance(value, str):
                return _quantity(plain(algebra(self.document.names).value(value)))
            if not isinstance(value, int | float):
                raise ValueError(f"not a number, {shown(value)}")
            return _quantity(to_value(value))
        except ZeroDivisionError:
            what, cure = f"{value!r} divides by zero", "Mend the arithmetic."
        except NotArithmetic as error:
            what, cure = (
                f"{value!r} is not arithmetic: {error}",
                "Mend the arithmetic, or declare the parameter.",
            )
        except ModelError as error:
            what, cure = error.what, error.cure
        except ValueError as error:
            what, cure = str(error), "Give a number."
        raise self.error(key, what, "a number, or text with + - * / in parameters of the file", cure)


def algebra(names: Mapping[str, Value]) -> Arithmetic:
    """Numbers and parameters, with pi and ``deg``, the degree in radians."""
    constants: dict[str, Value] = {"pi": degrees(180), "deg": degrees(1)}
    functions: dict[str, Callable[..., Value]] = {"sqrt": square_root, "sin": sine, "cos": cosine}
    functions |= {
        "tan": lambda x: plain(sine(x) / cosine(x)),
        "atan": lambda x: function_of("atan2", x, Fraction(1)),
    }
    functions |= {name: partial(function_of, known) for name, known in FUNCTIONS_IN_TEXT.items()}
    return Arithmetic(to_value, {**constants, **names}, functions, chosen)


def _quantity(value: Value) -> Value:
    """The value, if its magnitude is one of mechanics.  Raises ValueError."""
    return quantity(value) if isinstance(value, Fraction) else value
