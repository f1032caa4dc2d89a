"""A mechanism in body coordinates: which bodies have coordinates, which joints tie them together."""

from __future__ import annotations

from dataclasses import dataclass

from kanegen.codegen.derivation.euler_parameters.chain import Chain, Link, chain_of
from kanegen.codegen.derivation.euler_parameters.connections import Connection, Drive, connections_of
from kanegen.codegen.mechanism.records import Mechanism
from kanegen.codegen.mechanism.speeds import DistanceRate
from kanegen.codegen.mechanism.values import numeric
from kanegen.errors import ModelError


@dataclass(frozen=True, slots=True)
class BodyModel:
    """``kept`` are the links of the chain that have coordinates, in order; loops follow the tree in ``connections``."""

    chain: Chain
    kept: tuple[int, ...]
    connections: tuple[Connection, ...]

    @property
    def places(self) -> dict[int, int]:
        """From links of the chain to bodies; the base stays -1."""
        return {-1: -1} | {link: body for body, link in enumerate(self.kept)}

    @property
    def bodies(self) -> list[Link]:
        """The bodies with coordinates."""
        return [self.chain.links[i] for i in self.kept]

    @property
    def struts(self) -> list[DistanceRate]:
        """The translational actuators between two points, in the order of the speeds."""
        return [speed for speed in self.chain.mechanism.speeds if isinstance(speed, DistanceRate)]

    def driven(self) -> list[tuple[Connection, Drive]]:
        """Connection and drive of every coordinate, in the order of q."""
        found = {
            drive.coordinate: (connection, drive)
            for connection in self.connections
            for drive in connection.drives
        }
        return [found[k] for k in range(len(self.chain.mechanism.coordinates))]


def body_model(mechanism: Mechanism, live_parameters: bool = False) -> BodyModel:
    """The mechanism in body coordinates.

    Raises ModelError where it has other constraints than joints, as contacts, blades, equations and joints moved at a rate
    are, and where it has ball joints, mimics or flexible links.
    """
    unknown = (
        ("ball joints", mechanism.balls),
        ("mimics", mechanism.mimics),
        ("flexible links", mechanism.flexible),
    )
    if held := [name for name, has in unknown if has]:
        raise ModelError(
            f"mechanism {mechanism.name!r}",
            f"has {', '.join(held)}",
            "rigid bodies on hinges and slides, each with a coordinate of its own, in the coordinates of bodies",
            "Use another formulation for this mechanism.",
        )
    for constraint in mechanism.constraints:
        raise ModelError(
            f"constraint {constraint.name!r}",
            "is no joint between two bodies",
            "joints and loops alone: the constraint library of Euler parameters has no contacts and no equations",
            "Use another formulation for this mechanism.",
        )
    for given in mechanism.prescribed:
        if numeric(given.rate, mechanism) != 0:
            raise ModelError(
                f"prescribed joint {given.joint!r}",
                "moves without a coordinate",
                "rate zero: bodies are followed in the base frame, where this motion shows",
                "Make the joint a coordinate and drive it.",
            )
    chain = chain_of(mechanism, live_parameters)
    connections = connections_of(chain)
    kept = tuple(sorted(c.second.body for c in connections if c.drives))
    return BodyModel(chain, kept, tuple(connections))
