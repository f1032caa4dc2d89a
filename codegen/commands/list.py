"""``kanegen list``: the built-in mechanisms."""

from __future__ import annotations

import argparse
import json

from kanegen.codegen.commands.parser import Parser
from kanegen.codegen.mechanism import catalogue


def arguments(parser: Parser) -> None:
    """The flags of the command."""
    parser.add_json()


def run(given: argparse.Namespace) -> int:
    """Print their names, degrees of freedom and coordinates."""
    mechanisms = [catalogue.mechanism(name) for name in catalogue.names()]
    if given.json:
        print(
            json.dumps(
                [{"name": m.name, "dof": m.dof, "coordinates": m.coordinates} for m in mechanisms], indent=2
            )
        )
        return 0
    width = max(len(mechanism.name) for mechanism in mechanisms)
    for mechanism in mechanisms:
        freedoms = f"{mechanism.dof:2} degree{' ' if mechanism.dof == 1 else 's'} of freedom"
        print(f"{mechanism.name:{width}} {freedoms}: {', '.join(mechanism.coordinates)}")
    return 0
