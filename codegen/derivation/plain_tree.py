"""What formulations of open chains ask of a mechanism: that its joints alone determine its motion."""

from __future__ import annotations

from kanegen.codegen.mechanism.records import Mechanism
from kanegen.errors import ModelError


def require_plain_tree(mechanism: Mechanism, what: str) -> None:
    """Raise ModelError where a mechanism has anything beside joints, bodies and gravity.

    ``what`` names the tool that knows of nothing else.
    """
    held = (
        ("loops", mechanism.loops),
        ("constraints", mechanism.constraints),
        ("prescribed joints", mechanism.prescribed),
        ("generalized speeds of its own", mechanism.speeds),
        ("ball joints", mechanism.balls),
        ("mimics", mechanism.mimics),
        ("flexible links", mechanism.flexible),
        ("springs, dampers or friction", mechanism.resisted),
    )
    found = [name for name, has in held if has]
    if found:
        raise ModelError(
            f"mechanism {mechanism.name!r}",
            f"has {', '.join(found)}",
            f"a plain tree of hinges and slides for {what}",
            "Take the kernels of kanegen.load, which know these, or give the tree without them.",
        )
