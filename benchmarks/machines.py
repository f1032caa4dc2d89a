"""What is timed: the Stanford Arm, a Panda and a humanoid, the same text for kanegen and for other engines."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.drivers.build import BUILD_FOLDER
from benchmarks.peers.stanford_arm_models import JOINTS, STANFORD_ARM_URDF
from benchmarks.robot_files import DYNAMICS, ROBOTS, BenchmarkRobot, RobotKernel
from benchmarks.states import SEED, States, stanford_arm_states
from kanegen.codegen import pipeline
from kanegen.codegen.mechanism.importers import from_urdf
from kanegen.manifest import Manifest, read_manifest

INPUTS: dict[str, tuple[str, ...]] = {
    "inverse_dynamics": ("q", "v", "a"),
    "forward_dynamics": ("q", "v", "tau"),
    "mass_matrix": ("q",),
    "inverse_dynamics_derivatives": ("q", "v", "a"),
    "forward_dynamics_derivatives": ("q", "v", "tau"),
}
"""The arguments of kernels, by the names that they have in :class:`benchmarks.states.States`."""


@dataclass(frozen=True)
class Machine:
    """A mechanism to be timed.

    Attributes:
        name: how tables call it.
        model: what kanegen loads: a built-in name or a file.
        urdf: the text that other engines read.
        joints: the joints in it, in the order of the coordinates.
        kernels: what is timed.
    """

    name: str
    model: str | Path
    urdf: str
    joints: tuple[str, ...]
    kernels: tuple[RobotKernel, ...]

    @property
    def dof(self) -> int:
        """How many coordinates there are."""
        return len(self.joints)

    @property
    def folder(self) -> Path:
        """Where its C is generated."""
        return BUILD_FOLDER / "machines" / self.name

    def states(self, count: int) -> States:
        """Random states, the same in every run."""
        return stanford_arm_states(count) if self.name == STANFORD_ARM.name else robot_states(self.dof, count)

    def sources(self, kernels: tuple[RobotKernel, ...]) -> tuple[Path, Manifest]:
        """The generated C of kernels in double and single precision, and its manifest.

        The folder stays, so that C which did not change is compiled once.
        """
        folder = self.folder
        pipeline.generate(self.model, folder, pipeline.Options(kernels=kernels, float32=True))
        return folder, read_manifest(folder)


STANFORD_ARM = Machine(
    "stanford_arm", "stanford_arm", STANFORD_ARM_URDF, JOINTS, (*DYNAMICS, "inverse_dynamics_derivatives")
)


def robot_states(dof: int, count: int) -> States:
    """Random states, the same in every run: angles over the full turn, v and a to 3 rad/s and rad/s^2, tau to 20 N m."""
    random = np.random.default_rng(SEED)
    q = random.uniform(-np.pi, np.pi, (count, dof))
    v, a = random.uniform(-3.0, 3.0, (2, count, dof))
    return States(q=q, v=v.copy(), a=a.copy(), tau=random.uniform(-20.0, 20.0, (count, dof)))


def machine(name: str) -> Machine:
    """The machine of a name.  Raises RobotMissing where the package with its file is not installed."""
    if name == STANFORD_ARM.name:
        return STANFORD_ARM
    robot: BenchmarkRobot = next(robot for robot in ROBOTS if robot.name == name)
    urdf = robot.urdf()
    path = BUILD_FOLDER / "machines" / f"{name}.urdf"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(urdf, encoding="utf-8")
    return Machine(name, path, urdf, tuple(from_urdf(urdf).coordinates), robot.kernels)


NAMES = (STANFORD_ARM.name, *(robot.name for robot in ROBOTS))
USUAL = ("stanford_arm", "panda", "g1")
"""Those that are timed unless others are named."""
