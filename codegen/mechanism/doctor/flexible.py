"""What rides on the end of a flexible link though its place is elsewhere."""

from __future__ import annotations

from collections.abc import Iterator

from kanegen.codegen.mechanism.findings import Finding, Severity
from kanegen.codegen.mechanism.flexible_validation import INSIDE, attachments
from kanegen.codegen.mechanism.records import Mechanism


def check_attachments(mechanism: Mechanism) -> Iterator[Finding]:
    """A warning for each joint and frame that is attached beside a flexible link or behind its hub: the end carries it."""
    for link in mechanism.flexible:
        for found in attachments(mechanism, link):
            if found.share < INSIDE:
                yield Finding(
                    Severity.WARNING,
                    found.where,
                    f"is {found.share:.3g} of the way to the end of flexible link {link.body!r}, "
                    "and rides on that end all the same",
                    "what the end carries",
                    "What rides on the hub needs a hub that is a body of its own; masses along the link are appendages, "
                    "frames there are stations.",
                )
