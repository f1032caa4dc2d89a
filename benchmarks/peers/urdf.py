"""A chain of :mod:`benchmarks.peers.chain` as URDF."""

from __future__ import annotations

import math

from benchmarks.peers.chain import Chain, Vector

_AXES = {"x": "1 0 0", "y": "0 1 0", "z": "0 0 1"}


def _text(vector: Vector) -> str:
    return " ".join(repr(component) for component in vector)


def urdf_of(chain: Chain) -> str:
    """The chain as a URDF document whose root link has z up; its joints are called q1, q2, ...

    Raises:
        ValueError: when gravity does not point along -y of the chain's base frame (all that is needed here).
    """
    if chain.gravity[0] or chain.gravity[2] or chain.gravity[1] >= 0.0:
        raise ValueError(f"gravity must point along -y of the base frame, not {chain.gravity}")
    parts = [
        f'<robot name="{chain.name}"><link name="ground"/><link name="base"/><joint name="upright" type="fixed">',
        f'<parent link="ground"/><child link="base"/><origin rpy="{math.pi / 2!r} 0 0"/></joint>',
    ]
    parent = "base"
    for body in chain.bodies:
        xx, yy, zz = (repr(moment) for moment in body.moments)
        parts += [
            f'<link name="{body.name}"><inertial><origin xyz="{_text(body.centre)}"/><mass value="{body.mass!r}"/>',
            f'<inertia ixx="{xx}" iyy="{yy}" izz="{zz}" ixy="0" ixz="0" iyz="0"/></inertial></link>',
            f'<joint name="q{body.coordinate + 1}" type="{body.kind}"><parent link="{parent}"/><child link="{body.name}"/>',
            f'<origin xyz="{_text(body.offset)}"/><axis xyz="{_AXES[body.axis]}"/>',
            '<limit lower="-100" upper="100" effort="1e9" velocity="1e9"/></joint>',
        ]
        parent = body.name
    return "".join([*parts, "</robot>"])
