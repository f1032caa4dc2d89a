"""What formulations of open chains ask of a mechanism: that its joints alone determine its motion."""

from __future__ import annotations

from collections.abc import Collection

from kanegen.codegen.mechanism.features import Feature, require_known
from kanegen.codegen.mechanism.records import Mechanism


def require_tree(mechanism: Mechanism, what: str, known: Collection[Feature] = ()) -> None:
    """Raise ModelError where a mechanism has anything beside joints, their rotors, bodies, gravity and what is ``known``.

    ``what`` names the tool that knows of nothing else.
    """
    require_known(
        {Feature.ROTORS, *known},
        mechanism,
        f"a plain tree of hinges and slides for {what}",
        "Take the kernels of kanegen.load, which know these, or give the tree without them.",
    )
