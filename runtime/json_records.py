"""Frozen dataclasses to JSON and back, by their fields: what is read has their types, or an error says where not.

Values are numbers, text, tuples, mappings by name, other such records, and None where a field allows it.  A field without a
default has to be there; one with a default may be missing, and is written where it has another value.
"""

from __future__ import annotations

import dataclasses
import functools
import math
import types
import typing
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar, Union

R = TypeVar("R")

ALWAYS = {"always": True}
"""What tells, in the metadata of a field, that it is written even where it has its default."""


class RecordError(ValueError):
    """What is read is no such record: ``what`` is wrong at a place, which is found on the way out."""

    def __init__(self, what: str, place: str = "") -> None:
        super().__init__(what)
        self.what, self.place = what, place

    def __str__(self) -> str:
        return f"{self.place.lstrip('.') or 'it'} {self.what}"

    def under(self, step: str) -> RecordError:
        """The error as seen from one step further out."""
        return RecordError(self.what, step + self.place)


def always(default: Any, *, required: bool = False) -> Any:
    """A field that is written even where it has its default, and that has to be there if ``required``."""
    meta = ALWAYS | ({"required": True} if required else {})
    if isinstance(default, dict):
        return dataclasses.field(default_factory=dict, metadata=meta)
    return dataclasses.field(default=default, metadata=meta)


def within(name: str) -> Any:
    """A field that is an entry of an object of this name."""
    return dataclasses.field(metadata={"within": name})


def key() -> Any:
    """A field that has the name under which the record stands."""
    return dataclasses.field(metadata={"key": True})


def apart(default: Any) -> Any:
    """A field that is not written."""
    return dataclasses.field(default=default, metadata={"apart": True})


def to_json(record: Any) -> dict[str, Any]:
    """The object of a record, in the order of its fields."""
    found: dict[str, Any] = {}
    for field in dataclasses.fields(record):
        given, meta = getattr(record, field.name), field.metadata
        if "apart" in meta or "key" in meta or ("always" not in meta and given == _default(field)):
            continue
        place = found.setdefault(meta["within"], {}) if "within" in meta else found
        place[field.name] = _plain(given)
    return found


def _default(field: dataclasses.Field[Any]) -> Any:
    """The default of a field; for one that has none, what equals nothing."""
    if field.default_factory is not dataclasses.MISSING:
        return field.default_factory()
    return field.default


def _plain(value: Any) -> Any:
    if dataclasses.is_dataclass(value):
        return to_json(value)
    if isinstance(value, Mapping):
        return {name: _plain(x) for name, x in value.items()}
    if isinstance(value, tuple | list):
        return [_plain(x) for x in value]
    return value


def from_json(record: type[R], data: Any) -> R:
    """The record of an object.

    Raises RecordError, which names the place; besides, what the record raises where its values do not fit together.
    """
    found: R = _reader(typing.cast("Any", record))(data, "")
    return found


Reader = Callable[[Any, str], Any]
"""Reads a value that stands under a name."""


@functools.cache
def _reader(kind: Any) -> Reader:
    """What reads values of a kind: of a type that fields have."""
    if kind in _SCALARS:
        return _SCALARS[kind]
    if kind is Any:
        return lambda value, name: value
    origin, of = typing.get_origin(kind), typing.get_args(kind)
    if origin in (Union, types.UnionType):
        (inner,) = [_reader(x) for x in of if x is not type(None)]
        return lambda value, name: None if value is None else inner(value, name)
    if origin is tuple:
        return _tuples(of)
    if origin is not None and issubclass(origin, Mapping):
        return _mappings(_reader(of[1]))
    return _records(kind)


def _tuples(of: Sequence[Any]) -> Reader:
    repeated = of[-1] is ...
    readers = [_reader(kind) for kind in of if kind is not ...]

    def read(value: Any, name: str) -> tuple[Any, ...]:
        if not isinstance(value, Sequence) or isinstance(value, str | bytes):
            raise RecordError(f"is {_shown(value)}, no list")
        if not repeated and len(value) != len(readers):
            raise RecordError(f"has {len(value)} entries in place of {len(readers)}")
        found: list[Any] = []
        try:
            for reader, entry in zip(readers * len(value) if repeated else readers, value, strict=True):
                found.append(reader(entry, ""))
        except RecordError as error:
            raise error.under(f"[{len(found)}]") from None
        return tuple(found)

    return read


def _mappings(reader: Reader) -> Reader:
    def read(value: Any, name: str) -> dict[str, Any]:
        found = {}
        for one, entry in _object(value).items():
            try:
                found[one] = reader(entry, one)
            except RecordError as error:
                raise error.under(f".{one}") from None
        return found

    return read


def _records(record: Any) -> Reader:
    hints = typing.get_type_hints(record)
    fields = [
        (
            field.name,
            _reader(hints[field.name]),
            "required" in field.metadata or field.default is field.default_factory is dataclasses.MISSING,
            field.metadata.get("within"),
        )
        for field in dataclasses.fields(record)
        if not {"key", "apart"} & set(field.metadata)
    ]
    keys = [field.name for field in dataclasses.fields(record) if "key" in field.metadata]

    def read(value: Any, name: str) -> Any:
        data = _object(value)
        given: dict[str, Any] = dict.fromkeys(keys, name)
        place = ""
        try:
            for field, reader, required, outer in fields:
                place, source = f".{field}", data
                if outer is not None:
                    place = f".{outer}"
                    if outer not in data:
                        raise RecordError("is missing")
                    source, place = _object(data[outer]), f".{outer}.{field}"
                if field in source:
                    given[field] = reader(source[field], field)
                elif required:
                    raise RecordError("is missing")
        except RecordError as error:
            raise error.under(place) from None
        return record(**given)

    return read


def _object(value: Any) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise RecordError(f"is {_shown(value)}, no object")
    return value


def _scalar(kind: type, what: str) -> Reader:
    def read(value: Any, name: str) -> Any:
        if isinstance(value, kind) and (kind is bool or not isinstance(value, bool)):
            return value
        raise RecordError(f"is {_shown(value)}, {what}")

    return read


def _number(value: Any, name: str) -> float:
    if isinstance(value, int | float) and not isinstance(value, bool):
        try:
            number = float(value)
        except OverflowError:
            number = math.inf
        if math.isfinite(number):
            return number
    raise RecordError(f"is {_shown(value)}, no finite number")


_SCALARS: Mapping[Any, Reader] = {
    str: _scalar(str, "no text"),
    bool: _scalar(bool, "neither true nor false"),
    int: _scalar(int, "no whole number"),
    float: _number,
}


def _shown(value: Any) -> str:
    """The beginning of a value, for messages."""
    try:
        return repr(value)[:40]
    except (ValueError, RecursionError):  # a number of very many digits, or what is nested very deeply
        return f"a very large {type(value).__name__}"
