"""What users change of a model when they load it: pure functions from a mechanism to another one.

``edited`` makes all changes that options ask for, in one order: names, joints held, links left out, the place of the whole,
gravity, payloads, control laws, and what of all this stays live.  Each function refuses by name what it cannot do, and says
what goes with a change.
"""

from __future__ import annotations

from dataclasses import replace

from kanegen.codegen.mechanism.edits.attaching import attached
from kanegen.codegen.mechanism.edits.living import with_live
from kanegen.codegen.mechanism.edits.locking import locked
from kanegen.codegen.mechanism.edits.payloads import with_payloads
from kanegen.codegen.mechanism.edits.placing import placed_at
from kanegen.codegen.mechanism.edits.removing import without_links
from kanegen.codegen.mechanism.edits.renaming import renamed
from kanegen.codegen.mechanism.findings import Finding
from kanegen.codegen.mechanism.laws_library import with_laws
from kanegen.codegen.mechanism.readers import read_vector
from kanegen.codegen.mechanism.records import Mechanism
from kanegen.codegen.mechanism.rounded_angles import ANGLE_TOLERANCE, AngleRule
from kanegen.codegen.mechanism.validation import validated
from kanegen.laws import from_text
from kanegen.options import Options

__all__ = [
    "attached",
    "edited",
    "locked",
    "placed_at",
    "renamed",
    "with_live",
    "with_payloads",
    "without_links",
]


def edited(mechanism: Mechanism, options: Options) -> tuple[Mechanism, tuple[Finding, ...]]:
    """The mechanism with the changes asked for, validated, and what is to be said of them.  Raises ModelError."""
    if not (options.changes or options.live_names):
        return mechanism, ()
    findings: list[Finding] = []
    tolerance = ANGLE_TOLERANCE if options.angle_tolerance is None else options.angle_tolerance
    changed = _changed(mechanism, options, AngleRule(tolerance), findings)
    found = validated(changed, options.allow_unphysical)
    if mechanism.rounded is not None:
        written = _changed(mechanism.rounded.written, options, AngleRule(0.0), [])
        found = replace(found, rounded=replace(mechanism.rounded, written=written))
    return found, tuple(findings)


def _changed(mechanism: Mechanism, options: Options, angles: AngleRule, findings: list[Finding]) -> Mechanism:
    if options.rename:
        mechanism = renamed(mechanism, dict(options.rename))
    if options.lock:
        mechanism = locked(mechanism, dict(options.lock), angles, findings)
    for name in options.remove:
        mechanism = without_links(mechanism, name, findings)
    if options.base is not None:
        mechanism = placed_at(mechanism, options.base, angles)
    if options.gravity is not None:
        mechanism = replace(mechanism, gravity=read_vector("gravity", options.gravity))
    mechanism = with_payloads(mechanism, dict(options.payload))
    if options.laws:
        mechanism = with_laws(mechanism, {name: from_text(law) for name, law in options.laws})
    return with_live(mechanism, options.live_names, options.friction) if options.live_names else mechanism
