"""The options of ``kanegen.options`` as flags of the command line."""

from __future__ import annotations

import argparse
import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NoReturn

from kanegen.codegen.derivation.formulations import FORMULATIONS
from kanegen.errors import KanegenError, did_you_mean, nearest
from kanegen.option_values import SEARCHES
from kanegen.options import FIELDS, Flag, Options, options

FLAGS = tuple(name for name, field in FIELDS.items() if field.metadata["flag"] is not None)
"""All options that have a flag."""


_CHOICE = re.compile(r"(argument .+: invalid choice: '(.*)') \(choose from (.*)\)")


class Parser(argparse.ArgumentParser):
    """A parser whose errors are about the command that was given, in two lines, and say what was meant.

    argparse has the main command refuse flags that a subcommand does not know, and prints all flags there are.
    """

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Refuse what this parser does not know."""
        found, unknown = super().parse_known_args(args, namespace)
        if unknown:
            flags = [flag for action in self._actions for flag in action.option_strings]
            given = unknown[0].partition("=")[0]
            meant = nearest(given, flags) if given.startswith("-") else None
            cure = f"; did you mean {meant!r}?" if meant else ""
            self.error(f"unrecognized arguments: {' '.join(unknown)}{cure}")
        return found, unknown

    def error(self, message: str) -> NoReturn:
        """End with what is wrong."""
        wrong = _CHOICE.fullmatch(message)
        if wrong is not None:
            names = [name.strip(" '") for name in wrong[3].split(",")]
            cure = did_you_mean(wrong[2], names, "Give one of these.")
            message = f"{wrong[1]}, expected one of {', '.join(names)}. {cure}"
        if "required" in message and "MODEL" in message:
            message += " (it comes before flags with several values)"
        self.exit(2, f"{self._shortly()}{self.prog}: error: {message}\n`{self.prog} --help` says more\n")

    def _shortly(self) -> str:
        """The usage without flags that may be left out."""
        needed = [x for x in self._actions if (x.required and x.option_strings) or not x.option_strings]
        words = " ".join(
            " ".join([*x.option_strings[:1], str(x.metavar or "|".join(x.choices or [x.dest]))])
            for x in needed
        )
        return f"usage: {self.prog} [OPTIONS] {words}\n"


def finite(text: str) -> float:
    """A finite number."""
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise argparse.ArgumentTypeError(f"expected a finite number, got {text!r}")
    return number


def count(text: str) -> int:
    """A number of things."""
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"expected a whole number that is not negative, got {text!r}")
    return int(text)


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


def one_of(names: Sequence[str]) -> Callable[[str], str]:
    """One of some names."""

    def chosen(text: str) -> str:
        if text not in names:
            cure = did_you_mean(text, names, "Give one of these.")
            raise argparse.ArgumentTypeError(f"expected one of {', '.join(names)}, got {text!r}. {cure}")
        return text

    return chosen


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
        if words.get("action") == "append":
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
