"""``kanegen explain``: Kane's method of a model step by step, to be read."""

from __future__ import annotations

import argparse
from pathlib import Path

from kanegen.codegen.commands.option_flags import add_options, asked_options
from kanegen.codegen.commands.pages import printed
from kanegen.codegen.commands.parser import Parser
from kanegen.codegen.explaining import explain, read_state
from kanegen.options import OF_EXPLANATIONS


def arguments(parser: Parser) -> None:
    """The flags of the command."""
    parser.add_model()
    parser.add_argument(
        "--state",
        type=Path,
        metavar="FILE",
        help="q, v and a in TOML or JSON, for the values of all quantities",
    )
    parser.add_argument(
        "--format", choices=("markdown", "html"), default="markdown", help="of the page (default %(default)s)"
    )
    parser.add_argument("-o", "--output", type=Path, metavar="FILE", help="write it into a file")
    add_options(parser, OF_EXPLANATIONS)


def run(given: argparse.Namespace) -> int:
    """Print the page, or write it into a file."""
    state = None if given.state is None else read_state(given.state)
    found = explain(given.model, asked_options(given, OF_EXPLANATIONS), state)
    return printed(found.html() if given.format == "html" else found.markdown(), given.output)
