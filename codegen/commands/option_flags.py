"""The options of ``kanegen.options`` as flags of the command line."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from kanegen.codegen.commands.parser import count, finite, one_of
from kanegen.codegen.derivation.formulations import FORMULATIONS
from kanegen.errors import KanegenError
from kanegen.option_values import SEARCHES
from kanegen.options import FIELDS, Flag, Options, options

FLAGS = tuple(name for name, field in FIELDS.items() if field.metadata["flag"] is not None)
"""All options that have a flag."""


def searched(text: str) -> int | str:
    """A number of derivations, or how thorough a search is to be."""
    return text if text in SEARCHES else count(text)


def argument(text: str) -> tuple[str, str]:
    """An argument of a xacro file."""
    name, assigned, value = text.partition(":=")
    if not name or not assigned:
        raise argparse.ArgumentTypeError(f"expected NAME:=VALUE, got {text!r}")
    return name, value


def named(text: str) -> tuple[str, str]:
    """A name and what is given for it."""
    name, assigned, value = text.rpartition("=")
    if not name or not assigned or not value:
        raise argparse.ArgumentTypeError(f"expected NAME=VALUE, got {text!r}")
    return name, value


def named_law(text: str) -> tuple[str, str]:
    """A name and the text of a law; without one, the law's own name."""
    name, assigned, law = text.partition("=")
    return (name.strip(), law) if assigned and "(" not in name else (text.partition("(")[0].strip(), text)


def named_numbers(text: str) -> tuple[str, float | tuple[float, ...]]:
    """A name and one number, or several with commas between them."""
    name, value = named(text)
    try:
        numbers = tuple(map(finite, value.split(",")))
    except ValueError:
        raise argparse.ArgumentTypeError(
            f"expected NAME=NUMBER or NAME=NUMBER,NUMBER,..., got {text!r}"
        ) from None
    return name, numbers[0] if len(numbers) == 1 else numbers


_TYPES: Mapping[str, Callable[[str], Any]] = {
    "formulation": one_of(FORMULATIONS),
    "gravity": finite,
    "base": finite,
    "rename": named,
    "lock": named_numbers,
    "payload": named_numbers,
    "laws": named_law,
    "angle_tolerance": finite,
    "arguments": argument,
    "search": searched,
}


def add_options(parser: argparse.ArgumentParser, names: Iterable[str]) -> None:
    """Give a command the flags of these options."""
    for name in names:
        field = FIELDS[name]
        flag: Flag = field.metadata["flag"]
        words: dict[str, Any] = {"dest": name, "help": field.metadata["meaning"], **flag.words}
        if name in _TYPES:
            words["type"] = _TYPES[name]
        if name == "formulation":
            words["choices"] = FORMULATIONS
        if words.get("action") == "extend":
            words["help"] += "; spaces or commas between them"
        elif words.get("action") == "append":
            words["default"] = []
        elif "action" not in words:
            words["default"] = field.default
            if field.default is not None:
                words["help"] += " (default %(default)s)"
        parser.add_argument(flag.flag, **words)


def asked_options(given: argparse.Namespace, names: Iterable[str]) -> Options:
    """What was asked for by the flags of these options, as far as the command has them.

    Raises KanegenError for values that are no values of their options.
    """
    try:
        return options({name: getattr(given, name) for name in names if hasattr(given, name)})
    except (TypeError, ValueError) as error:
        raise KanegenError(str(error)) from None
