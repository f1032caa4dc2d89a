"""Robots from the packages rtb-data and example-robot-data, as URDF text that both sides read.

Where a file is changed, it is changed for both:

- All: angles that are a multiple of pi/2 but for 1e-11 are written in full.  kanegen takes them for it (see
  docs/guide/importing.md), Pinocchio does not, and the two would differ by 1e-10 where a force is small.
- Panda: the joints of the two fingers are fixed, so that the arm's seven axes remain.
- iiwa 14: the file has no masses; those of the LBR iiwa 14 in iiwa_stack (github.com/IFL-CAMP/iiwa_stack, BSD licence, also
  in Drake) are put in, turned into the axes of the file's frames, which are parallel to the base at zero.
- Kinova: its endless joints count as revolute ones: the coordinate is the angle for both, where Pinocchio would
  otherwise be given cosine and sine.
- Talos and G1: as they are, standing on a fixed base.
"""

from __future__ import annotations

import math
import xml.etree.ElementTree as ET
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from benchmarks.corpus.robots import robot_files
from kanegen.codegen.mechanism.importers import ANGLE_TOLERANCE
from kanegen.extras import install_command

RobotKernel = Literal[
    "inverse_dynamics",
    "mass_matrix",
    "forward_dynamics",
    "inverse_dynamics_derivatives",
    "forward_dynamics_derivatives",
]

DYNAMICS: tuple[RobotKernel, ...] = ("inverse_dynamics", "mass_matrix", "forward_dynamics")
DERIVATIVES: tuple[RobotKernel, ...] = ("inverse_dynamics_derivatives", "forward_dynamics_derivatives")

Element = ET.Element


class RobotMissing(RuntimeError):
    """The package with a robot's file is not installed; the message says which."""


@dataclass(frozen=True)
class BenchmarkRobot:
    """A robot to be timed.

    Attributes:
        name: how the tables call it; a C identifier.
        package: where its file lies.
        file: the file, as ``corpus.robots.RobotFile.name`` has it.
        change: what is done to the document before both sides read it.
        kernels: what is generated and timed.
    """

    name: str
    package: str
    file: str
    change: Callable[[Element], None]
    kernels: tuple[RobotKernel, ...] = DYNAMICS + DERIVATIVES

    def urdf(self) -> str:
        """The text that both sides read.  Raises RobotMissing."""
        for candidate in robot_files((self.package,)):
            if candidate.name == self.file:
                root = ET.fromstring(candidate.path.read_text(encoding="utf-8"))
                root.set("name", self.name)
                _angles_in_full(root)
                self.change(root)
                return ET.tostring(root, encoding="unicode")
        raise RobotMissing(f"{self.name}: {self.package} is not installed ({install_command('corpus')})")


def _angles_in_full(root: Element) -> None:
    for origin in root.iter("origin"):
        if "rpy" in origin.attrib:
            origin.set(
                "rpy", " ".join(repr(_in_full(float(angle))) for angle in origin.attrib["rpy"].split())
            )


def _in_full(angle: float) -> float:
    whole = round(angle / (math.pi / 2)) * (math.pi / 2)
    return whole if abs(angle - whole) <= ANGLE_TOLERANCE else angle


def _unchanged(_: Element) -> None:
    """The file as it is."""


def _fingers_locked(root: Element) -> None:
    for joint in root.iter("joint"):
        if joint.get("type") == "prismatic":
            joint.set("type", "fixed")
            for mimic in joint.findall("mimic"):
                joint.remove(mimic)


def _endless_joints_revolute(root: Element) -> None:
    for joint in root.iter("joint"):
        if joint.get("type") == "continuous":
            joint.set("type", "revolute")


# kg; mass centre in the axes of the link's frame in the file, m; central moments about these axes, kg m^2
_IIWA_INERTIAS: dict[str, tuple[float, tuple[float, float, float], tuple[float, float, float]]] = {
    "link_1": (5.76, (0.0, -0.03, 0.2775), (0.033, 0.0333, 0.0123)),
    "link_2": (6.35, (-0.0003, 0.042, 0.059), (0.0305, 0.011, 0.0304)),
    "link_3": (3.5, (0.0, 0.03, 0.3345), (0.025, 0.0238, 0.0076)),
    "link_4": (3.5, (0.0, -0.034, 0.067), (0.017, 0.006, 0.0164)),
    "link_5": (3.5, (-0.0001, -0.021, 0.2605), (0.01, 0.0087, 0.00449)),
    "link_6": (1.8, (0.0, 0.0004, 0.0006), (0.0049, 0.0036, 0.0047)),
    "link_7": (1.2, (0.0, 0.0, 0.101), (0.001, 0.001, 0.001)),
}


def _iiwa_inertias(root: Element) -> None:
    for link in root.iter("link"):
        name = link.get("name") or ""
        if name in _IIWA_INERTIAS:
            mass, centre, moments = _IIWA_INERTIAS[name]
            inertial = ET.SubElement(link, "inertial")
            ET.SubElement(inertial, "origin", xyz=" ".join(map(repr, centre)), rpy="0 0 0")
            ET.SubElement(inertial, "mass", value=repr(mass))
            diagonal = dict(zip(("ixx", "iyy", "izz"), map(repr, moments), strict=True))
            ET.SubElement(inertial, "inertia", diagonal | {"ixy": "0", "ixz": "0", "iyz": "0"})


ROBOTS = (
    BenchmarkRobot("panda", "example-robot-data", "panda_description/urdf/panda.urdf", _fingers_locked),
    BenchmarkRobot("ur5", "example-robot-data", "ur_description/urdf/ur5_robot.urdf", _unchanged),
    BenchmarkRobot(
        "iiwa14", "rtb-data", "kuka_description/kuka_lbr_iiwa/urdf/lbr_iiwa_14_r820.urdf", _iiwa_inertias
    ),
    BenchmarkRobot(
        "kinova", "example-robot-data", "kinova_description/robots/kinova.urdf", _endless_joints_revolute
    ),
    BenchmarkRobot(
        "talos",
        "example-robot-data",
        "talos_data/robots/talos_reduced.urdf",
        _unchanged,
        kernels=DYNAMICS,
    ),
    BenchmarkRobot(
        "g1",
        "example-robot-data",
        "g1_description/urdf/g1_29dof_rev_1_0.urdf",
        _unchanged,
        kernels=(*DYNAMICS, "inverse_dynamics_derivatives"),
    ),
)
