"""Energies of an arm with flexible links, and where its mass is."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from kanegen.codegen.derivation.flexible_links.integrals import Shape
from kanegen.codegen.derivation.flexible_links.motion import Motion
from kanegen.codegen.graph import linear as vec
from kanegen.codegen.graph.linear import Vector
from kanegen.codegen.mechanism.flexible_records import Station

_HALF = Fraction(1, 2)


def kinetic_energy(motion: Motion) -> Any:
    """Half the integral of the square of dp/dt = do/dt + dB/dt h + B dh/dt."""
    terms: list[Any] = []
    for i, segment in enumerate(motion.arm.segments):
        at, shape = motion.axes(i), Shape(motion, i)
        velocity = at.velocity
        shifted = vec.add(vec.apply(at.dB, shape.first), vec.apply(at.B, shape.first_rate))
        doubled = [vec.dot(velocity, vec.scale(shape.mass, velocity)), 2 * vec.dot(velocity, shifted)]
        square = vec.multiply(vec.transpose(at.dB), at.dB)
        doubled.append(vec.double_dot(square, shape.second))
        if segment.bends:
            spinning, metric = (
                vec.multiply(vec.transpose(at.dB), at.B),
                vec.multiply(vec.transpose(at.B), at.B),
            )
            mixed = shape.mixed(motion.v)  # dh/dt h^T dm
            doubled.append(2 * vec.double_dot(spinning, vec.transpose(mixed)))
            for k, one in enumerate(segment.modes):
                for n, other in enumerate(segment.modes):
                    pair = shape.mode_product(k, n)
                    doubled.append(motion.v[one] * motion.v[other] * vec.double_dot(metric, pair))
        rotor = motion.number(segment.joint.rotor_inertia)
        if segment.coordinate is not None and rotor != 0:
            doubled.append(rotor * motion.v[segment.coordinate] * motion.v[segment.coordinate])
        terms += [_HALF * x for x in doubled if not vec.is_zero(x)]
    return sum(terms)


def first_moment(motion: Motion) -> tuple[Any, Vector]:
    """Mass of everything that moves, and its first moment about the base's origin, in the base."""
    segments = motion.arm.segments
    carried: dict[int, dict[Station, tuple[Any, Vector]]] = {}
    mass: Any = 0
    moment: Vector = vec.NONE
    for i in reversed(range(len(segments))):
        segment, shape = segments[i], Shape(motion, i)
        own: tuple[Any, Vector] = shape.mass, shape.first
        for station, (m, s) in carried.get(i, {}).items():
            if segment.bends:
                s = vec.add(
                    vec.apply(motion.bent(segment, station), s), vec.scale(m, motion.tip(segment, station))
                )
            own = own[0] + m, vec.add(own[1], s)
        seen = vec.add(vec.apply(motion.turn(i), own[1]), vec.scale(own[0], motion.offset(i)))
        if segment.parent < 0:
            mass, moment = mass + own[0], vec.add(moment, seen)
            continue
        there = carried.setdefault(segment.parent, {})
        station = segment.place.station
        before = there.get(station, (0, vec.NONE))
        there[station] = before[0] + own[0], vec.add(before[1], seen)
    return mass, moment


def elastic_energy(motion: Motion) -> Any:
    """Half of delta^T K delta of all links (Book 1983, eq. 46)."""
    terms: list[Any] = []
    for segment in motion.arm.segments:
        if segment.link is None:
            continue
        for k, one in enumerate(segment.modes):
            for n, other in enumerate(segment.modes):
                stiffness = motion.number(segment.link.stiffness[k][n])
                if stiffness != 0:
                    terms.append(_HALF * stiffness * motion.q[one] * motion.q[other])
    return sum(terms)
