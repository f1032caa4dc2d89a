"""What rides on the end of a flexible link though its place is elsewhere."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from kanegen.codegen.mechanism.findings import Finding, Severity
from kanegen.codegen.mechanism.records import Mechanism
from kanegen.codegen.mechanism.values import numeric

_BEFORE = 0.99
"""Part of the way to the end up to which a place is doubted."""


def check_attachments(mechanism: Mechanism) -> Iterator[Finding]:
    """A warning for each joint and frame that is attached beside a flexible link or behind its hub: the end carries it."""
    for link in mechanism.flexible:
        end = np.array([float(numeric(x, mechanism)) for x in link.end.position])
        if not end.any():
            continue
        own = {name for name, _ in link.stations} | {link.body}
        attached = [(f"joint {j.name!r}", j.position) for j in mechanism.joints if j.parent == link.body]
        attached += [
            (f"frame {f.name!r}", f.position)
            for f in mechanism.frames
            if f.body == link.body and f.name not in own
        ]
        for where, position in attached:
            share = float(np.array([float(numeric(x, mechanism)) for x in position]) @ end / (end @ end))
            if share < _BEFORE:
                yield Finding(
                    Severity.WARNING,
                    where,
                    f"is {share:.3g} of the way to the end of flexible link {link.body!r}, "
                    "and rides on that end all the same",
                    "what the end carries",
                    "What rides on the hub needs a hub that is a body of its own; masses along the link are appendages, "
                    "frames there are stations.",
                )
