"""``python -m kanegen``: the command line."""

from __future__ import annotations

import sys


def main() -> int:
    """Run the command ``kanegen``.  Returns its exit code."""
    from kanegen.codegen.cli import main as command

    return command()


if __name__ == "__main__":
    sys.exit(main())
