"""``kanegen equations``: the equations of kernels, to be read."""

from __future__ import annotations

import argparse
from pathlib import Path

from kanegen.codegen.commands.option_flags import FLAGS, add_options, asked_options
from kanegen.codegen.commands.pages import printed
from kanegen.codegen.commands.parser import Parser
from kanegen.codegen.symbolic.kernels import equations

FORMATS = ("markdown", "latex", "html", "sympy")
"""What is written."""

OF_EQUATIONS = [name for name in FLAGS if name not in ("language", "float32", "sincos", "verify")]
"""Options that make a difference to equations."""


def arguments(parser: Parser) -> None:
    """The flags of the command."""
    parser.add_model()
    parser.add_argument(
        "--format", choices=FORMATS, default=FORMATS[0], help="of what is written (default %(default)s)"
    )
    parser.add_argument("-o", "--output", type=Path, metavar="FILE", help="write it into a file")
    ways = parser.add_mutually_exclusive_group()
    ways.add_argument(
        "--named",
        action="store_true",
        help="define only quantities that have a name of their own, and long shared expressions",
    )
    ways.add_argument("--expand", action="store_true", help="define sines alone, and multiply out")
    parser.add_argument("--as-compiled", action="store_true", help="as the C has them")
    add_options(parser, OF_EQUATIONS)


def run(given: argparse.Namespace) -> int:
    """Print the equations, or write them into a file."""
    found = equations(given.model, asked_options(given, OF_EQUATIONS), given.as_compiled, given.named)
    if given.expand:
        found = found.expanded(sines=True)
    text = {
        "markdown": found.markdown,
        "latex": found.latex,
        "html": found.html,
        "sympy": found.python,
    }[given.format]()
    return printed(text, given.output)
