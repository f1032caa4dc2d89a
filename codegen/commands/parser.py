"""What the command line is read with: a parser whose errors say what was meant, and values of flags."""

from __future__ import annotations

import argparse
import math
import re
import sys
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

from kanegen.errors import did_you_mean, nearest

MOST_THINGS = 10**9
"""Counts beyond it, of rows for example, are slips of the keyboard: no machine holds so many."""

_COMMA = re.compile(r',(?=(?:[^"]*"[^"]*")*[^"]*$)')
"""Between two parts of a list: outside of double quotes."""
_ASSIGNMENT = re.compile(r"[^=<>!()]*=(?!=)")
"""What NAME=VALUE begins with."""
_NEGATIVE = re.compile(r"-\.?\d")
"""What a word begins with that is a number, and no flag."""
_CHOICE = re.compile(r"(argument .+: invalid choice: '(.*)') \(choose from (.*)\)")


class Parser(argparse.ArgumentParser):
    """A parser whose errors are about the command that was given, in two lines, and say what was meant.

    argparse has the main command refuse flags that a subcommand does not know, and prints all flags there are.
    """

    def add_model(self, called: str = "MODEL") -> None:
        """The model that a command is about."""
        self.add_argument("model", metavar=called, help="a built-in name or a model file")

    def add_json(self) -> None:
        """The flag of commands whose results programs read."""
        self.add_argument("--json", action="store_true", help="for a program to read")

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Take lists apart, and refuse what this parser does not know."""
        words = self._one_by_one(sys.argv[1:] if args is None else list(args))
        found, unknown = super().parse_known_args(words, namespace)
        if unknown:
            flags = [flag for action in self._actions for flag in action.option_strings]
            given = unknown[0].partition("=")[0]
            meant = nearest(given, flags) if given.startswith("-") else None
            cure = f"; did you mean {meant!r}?" if meant else ""
            self.error(f"unrecognized arguments: {' '.join(unknown)}{cure}")
        return found, unknown

    def _one_by_one(self, given: Sequence[str]) -> list[str]:
        """The words that were given, lists with commas apart.  What a command is about may come after a list, as its end."""
        found: list[str] = []
        most = left = 0.0  # so many values the last flag takes, and still takes
        free = since = 0  # words that are of no flag, and those after the last one
        for word in given:
            apart = [word]
            if word.startswith("-") and not _NEGATIVE.match(word):
                flag, assigned, value = word.partition("=")
                most, since = self._most_values(flag), 0
                left = 0.0 if assigned else most
                if assigned and most > 1:
                    values = separated(value)
                    apart = [f"{flag}={x}" for x in values] if most == math.inf else [flag, *values]
            elif left > 0:
                apart = separated(word) if most > 1 else apart
                left, since = left - len(apart), since + 1
            else:
                free += 1
            found += apart
        needed = sum(not x.option_strings and x.required and x.nargs is None for x in self._actions)
        if left == math.inf and free == 0 < needed < since:
            return self._one_by_one([*given[-needed:], *given[:-needed]])
        return found

    def _most_values(self, flag: str) -> float:
        """How many values a flag takes, which may be abbreviated."""
        known = self._option_string_actions
        longer = (known[name] for name in known if name.startswith(flag) and len(flag) > 2)
        action = known.get(flag) or next(longer, None)
        if action is None:
            return 0
        return (
            action.nargs if isinstance(action.nargs, int) else math.inf if action.nargs in ("+", "*") else 1
        )

    def error(self, message: str) -> NoReturn:
        """End with what is wrong."""
        wrong = _CHOICE.fullmatch(message)
        if wrong is not None:
            names = [name.strip(" '") for name in wrong[3].split(",")]
            cure = did_you_mean(wrong[2], names, "Give one of these.")
            message = f"{wrong[1]}, expected one of {', '.join(names)}. {cure}"
        if "required" in message and "MODEL" in message:
            message += " (it comes first, or last)"
        self.exit(2, f"{self._shortly()}{self.prog}: error: {message}\n`{self.prog} --help` says more\n")

    def _shortly(self) -> str:
        """The usage without flags that may be left out."""
        needed = [x for x in self._actions if (x.required and x.option_strings) or not x.option_strings]
        words = " ".join(
            " ".join([*x.option_strings[:1], str(x.metavar or "|".join(x.choices or [x.dest]))])
            for x in needed
        )
        return f"usage: {self.prog} [OPTIONS] {words}\n"


def separated(text: str) -> list[str]:
    """The values of a list with commas between them.

    One in double quotes may have commas of its own, and so may the name and the value of NAME=VALUE, which ends where the
    next assignment begins.
    """
    found: list[str] = []
    for part in _COMMA.split(text):
        begins = _ASSIGNMENT.match(part) is not None
        if found and begins != ("=" in found[-1]):
            found[-1] += f",{part}"
        else:
            found.append(part)
    return [part[1:-1] if re.fullmatch('"[^"]*"', part) else part for part in map(str.strip, found)]


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


def positive_count(text: str) -> int:
    """A number of things, one at least."""
    if not 0 < (number := count(text)) <= MOST_THINGS:
        raise argparse.ArgumentTypeError(f"expected a whole number from 1 to {MOST_THINGS}, got {text!r}")
    return number


def one_of(names: Sequence[str]) -> Callable[[str], str]:
    """One of some names."""

    def chosen(text: str) -> str:
        if text not in names:
            cure = did_you_mean(text, names, "Give one of these.")
            raise argparse.ArgumentTypeError(f"expected one of {', '.join(names)}, got {text!r}. {cure}")
        return text

    return chosen
