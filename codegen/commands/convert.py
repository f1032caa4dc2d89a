"""``kanegen convert``: a model as URDF, MJCF or TOML."""

from __future__ import annotations

import argparse
from pathlib import Path

from kanegen.codegen.commands.option_flags import add_options, asked_options
from kanegen.codegen.commands.parser import Parser
from kanegen.codegen.converting import convert
from kanegen.options import OF_FILES


def arguments(parser: Parser) -> None:
    """The flags of the command."""
    parser.add_model("IN")
    parser.add_argument("output", metavar="OUT", type=Path, help="a file .urdf, .xml, .mjcf or .toml")
    parser.add_argument("--strict", action="store_true", help="refuse what the format cannot say")
    add_options(parser, OF_FILES)


def run(given: argparse.Namespace) -> int:
    """Write the file."""
    convert(given.model, given.output, asked_options(given, OF_FILES), given.strict)
    print(f"wrote {given.output}")
    return 0
