"""The ``kanegen`` command.

Exit codes: 0 done, 1 the model or the request is wrong (one clear message), or kanegen itself is, 2 wrong usage, 130
interrupted, 141 where nobody reads on what is printed.
"""

from __future__ import annotations

import argparse
import atexit
import contextlib
import gc
import io
import os
import sys
import traceback
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Any

from kanegen.boundary import boundary
from kanegen.codegen.commands.notices import warnings_as_lines
from kanegen.codegen.commands.parser import Parser
from kanegen.codegen.core import is_compiled
from kanegen.errors import InternalError, KanegenError
from kanegen.model_warnings import once
from kanegen.version import VERSION

COMMANDS: Mapping[str, str] = {
    "list": "the built-in mechanisms",
    "generate": "write the C of a mechanism",
    "equations": "the equations of kernels, to be read",
    "explain": "Kane's method of a model step by step, to be read",
    "convert": "write a model as URDF, MJCF or TOML",
    "simulate": "the motion of a model, or a scenario of it",
    "sweep": "many runs with values that differ, into a folder; again: goes on",
    "trajectory": "the forces that a path of joints or of a frame needs",
    "doctor": "what is wrong or doubtful in a model, and how to mend it",
    "compare": "one mechanism in several ways, or against another engine",
    "reproduce": "the claims of the papers, printed beside computed",
    "cache": "compiled mechanisms: where they are, which, and making room",
    "report": "the results of benchmarks in one report",
}
"""What each command does.  Its flags and its work are in the module of its name, ``arguments`` and ``run``."""

_TRACEBACK = "KANEGEN_TRACEBACK"
"""Environment variable that asks for the traceback of an error that nobody expected."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; returns the exit code."""
    atexit.register(gc.freeze)  # a process that ends need not look for cycles in all that it has made
    try:
        options = _parser().parse_args(arguments)  # which imports what the command needs
        run: Callable[[argparse.Namespace], int] = options.run
        with (
            boundary(f"kanegen {options.command}", getattr(options, "model", "")),
            once(),
            warnings_as_lines(lambda line: print(line, file=sys.stderr)),
        ):
            return _told(run, options)
    except KanegenError as error:
        print(f"kanegen: {error}", file=sys.stderr)
        if isinstance(error, InternalError):
            _trace(error)
        return 1
    except MemoryError:
        print("kanegen: there is not enough memory for this", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("kanegen: interrupted", file=sys.stderr)
        return 130  # as shells count it: 128 and the number of SIGINT


def _told(run: Callable[[argparse.Namespace], int], options: argparse.Namespace) -> int:
    """What a command returns, when all that it printed has been taken."""
    out = sys.stdout  # None where it was closed: nothing is printed then
    if isinstance(out, io.TextIOWrapper):
        out.reconfigure(errors="backslashreplace")  # names of models that the terminal cannot show
    try:
        code = run(options)
        if out is not None:
            out.flush()
    except BrokenPipeError:  # `kanegen list | head`: nobody reads on, and nobody is to be told
        with contextlib.suppress(OSError, ValueError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), out.fileno())  # for the flush at exit
        return 141  # as shells count it: 128 and the number of SIGPIPE
    return code


def _trace(error: InternalError) -> None:
    """Where it happened, for those who ask."""
    if os.environ.get(_TRACEBACK):
        traceback.print_exception(error.__cause__)
    else:
        print(f"kanegen: {_TRACEBACK}=1 shows where it happened", file=sys.stderr)


def _version() -> str:
    """The version, and which core derives."""
    return f"kanegen {VERSION}{' (compiled core)' if is_compiled() else ''}"


def _parser() -> argparse.ArgumentParser:
    parser = Parser(prog="kanegen", description="Equations of motion as the smallest, fastest C.")
    parser.add_argument("--version", action="version", version=_version())
    commands = parser.add_subparsers(
        required=True, metavar="COMMAND", dest="command", parser_class=_CommandParser
    )
    for name, meaning in COMMANDS.items():
        commands.add_parser(name, help=meaning)
    return parser


class _CommandParser(Parser):
    """The parser of a command, whose module is imported when it is the one that was given."""

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Refuse what this command does not know."""
        command = import_module(f"kanegen.codegen.commands.{self.prog.split()[-1]}")
        command.arguments(self)
        self.set_defaults(run=command.run)
        return super().parse_known_args(args, namespace)


if __name__ == "__main__":
    raise SystemExit(main())
