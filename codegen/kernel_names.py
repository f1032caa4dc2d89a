"""Names that a control law cannot have, since kernels have them."""

from __future__ import annotations

from kanegen.codegen.derivation.kernels.catalogue import CLOSED_LOOP, CONTRACTS
from kanegen.codegen.mechanism.records import Mechanism
from kanegen.errors import ModelError

_DERIVATIVES = "_derivatives"
"""How the names of kernels end that are taken for derivatives of others."""

RESERVED = frozenset(contract.name.lower() for contract in CONTRACTS if not contract.each)
"""Names of kernels in lower case."""

BEGINNINGS = tuple(contract.named("").lower() for contract in CONTRACTS if contract.each)
"""How the names of those begin of which there is one for each frame or law."""


def check_names_of_laws(mechanism: Mechanism) -> None:
    """Raise ModelError for a control law that is named like a kernel, of this mechanism or of any other."""
    closed = {CLOSED_LOOP.named(law.name).lower() for law in mechanism.laws}
    for law in mechanism.laws:
        name = law.name.lower()
        if name in RESERVED | closed or name.startswith(BEGINNINGS) or name.endswith(_DERIVATIVES):
            raise ModelError(
                f"control law {law.name!r}",
                "a kernel has this name, or its names begin or end like this",
                "another name",
                "Rename it, say, to feedback_law.",
            )
