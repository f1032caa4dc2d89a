"""What a mechanism may have beside rigid bodies on hinges and slides, and what a tool does that knows not all of it."""

from __future__ import annotations

from collections.abc import Collection
from enum import Enum

from kanegen.codegen.mechanism.force_elements import Bushing, lines_of
from kanegen.codegen.mechanism.records import Mechanism
from kanegen.errors import ModelError


class Feature(Enum):
    """What a mechanism may have; the value is its name in messages."""

    LOOPS = "loops"
    CONSTRAINTS = "constraints"
    PRESCRIBED = "prescribed joints"
    SPEEDS = "generalized speeds of its own"
    BALLS = "ball joints"
    MIMICS = "mimics"
    FLEXIBLE_LINKS = "flexible links"
    SPRINGS_OF_JOINTS = "springs or dampers on joints"
    SPRINGS_BETWEEN_FRAMES = "springs or dampers between frames"
    BUSHINGS = "bushings"
    LOSSES_OF_JOINTS = "damping or friction of joints"
    ROTORS = "rotors"


TIES = frozenset({Feature.LOOPS, Feature.CONSTRAINTS, Feature.PRESCRIBED, Feature.SPEEDS})
"""What ties the joints together."""

SPRINGS = frozenset({Feature.SPRINGS_OF_JOINTS, Feature.SPRINGS_BETWEEN_FRAMES})


def features_of(mechanism: Mechanism) -> tuple[Feature, ...]:
    """What a mechanism has."""
    bushings = [spring for spring in mechanism.springs if isinstance(spring, Bushing)]
    between = [bool(lines_of(spring)) for spring in mechanism.springs if spring not in bushings]
    held = {
        Feature.LOOPS: mechanism.loops,
        Feature.CONSTRAINTS: mechanism.constraints,
        Feature.PRESCRIBED: mechanism.prescribed,
        Feature.SPEEDS: mechanism.speeds,
        Feature.BALLS: mechanism.balls,
        Feature.MIMICS: mechanism.mimics,
        Feature.FLEXIBLE_LINKS: mechanism.flexible,
        Feature.SPRINGS_OF_JOINTS: not all(between),
        Feature.SPRINGS_BETWEEN_FRAMES: any(between),
        Feature.BUSHINGS: bushings,
        Feature.LOSSES_OF_JOINTS: any(j.damping != 0 or j.friction != 0 for j in mechanism.joints),
        Feature.ROTORS: any(j.rotor_inertia != 0 for j in mechanism.joints),
    }
    return tuple(feature for feature, has in held.items() if has)


def unknown_to(known: Collection[Feature], mechanism: Mechanism) -> list[Feature]:
    """What a mechanism has beside what is ``known``."""
    return [feature for feature in features_of(mechanism) if feature not in known]


def require_known(known: Collection[Feature], mechanism: Mechanism, expected: str, cure: str) -> None:
    """Raise ModelError where a mechanism has anything beside what is ``known`` to a tool that expects it so."""
    if found := unknown_to(known, mechanism):
        names = ", ".join(feature.value for feature in found)
        raise ModelError(f"mechanism {mechanism.name!r}", f"has {names}", expected, cure)
