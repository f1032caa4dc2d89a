"""A serial chain of rigid links with revolute joints, as URDF text: what a rigid-body engine would be given instead of an
arm with flexible links that has as many coordinates.

Nothing in it is special: every joint frame is turned about all three axes and set off in all three directions, every link
has its mass centre off the axis and a full tensor of inertia.  All axes are the z axes of their frames, the case for
which rigid-body engines have their fastest joints.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET

import numpy as np

from benchmarks.peers.engines import Array
from benchmarks.states import SEED


def revolute_chain(name: str, joints: int) -> str:
    """The same text for the same number of joints, on every machine.

    Offsets reach 0.3 m in each direction, angles half a turn, masses lie between 1 and 5 kg, mass centres within 0.1 m in
    each direction, radii of gyration between 5 and 20 cm.
    """
    random = np.random.default_rng(SEED)
    root = ET.Element("robot", name=name)
    ET.SubElement(root, "link", name="base")
    parent = "base"
    for number in range(1, joints + 1):
        link = ET.SubElement(root, "link", name=f"link{number}")
        inertial = ET.SubElement(link, "inertial")
        mass = float(random.uniform(1.0, 5.0))
        ET.SubElement(inertial, "origin", xyz=_numbers(random.uniform(-0.1, 0.1, 3)), rpy="0 0 0")
        ET.SubElement(inertial, "mass", value=repr(mass))
        moments = _central_inertia(mass, random)
        entries = {f"i{'xyz'[r]}{'xyz'[c]}": float(moments[r, c]) for r in range(3) for c in range(r, 3)}
        ET.SubElement(inertial, "inertia", {key: repr(value) for key, value in entries.items()})
        joint = ET.SubElement(root, "joint", name=f"q{number}", type="revolute")
        offset, turn = random.uniform(-0.3, 0.3, 3), random.uniform(-np.pi, np.pi, 3)
        ET.SubElement(joint, "origin", xyz=_numbers(offset), rpy=_numbers(turn))
        ET.SubElement(joint, "parent", link=parent)
        ET.SubElement(joint, "child", link=f"link{number}")
        ET.SubElement(joint, "axis", xyz="0 0 1")
        ET.SubElement(joint, "limit", lower="-3.1415", upper="3.1415", effort="100", velocity="10")
        parent = f"link{number}"
    return ET.tostring(root, encoding="unicode")


def _central_inertia(mass: float, random: np.random.Generator) -> Array:
    """A tensor (3, 3) [kg m^2] that a body can have: from second moments of mass along three axes turned at random."""
    axes, _ = np.linalg.qr(random.normal(size=(3, 3)))
    second = axes @ np.diag(mass * random.uniform(0.05, 0.2, 3) ** 2 / 2) @ axes.T
    inertia: Array = np.trace(second) * np.eye(3) - (second + second.T) / 2
    return inertia


def _numbers(values: Array) -> str:
    return " ".join(repr(float(value)) for value in values)
