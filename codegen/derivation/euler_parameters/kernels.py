"""What other rooms use: the kernels of a mechanism in body coordinates, and the names of their entries."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from kanegen.codegen.derivation.euler_parameters.body_model import BodyModel, body_model
from kanegen.codegen.derivation.euler_parameters.programs import kernels_of
from kanegen.codegen.derivation.euler_parameters.setting import Setting
from kanegen.codegen.derivation.placed_tree.choices import Choices
from kanegen.codegen.derivation.placed_tree.deriver import Build
from kanegen.codegen.derivation.placed_tree.placement import PlacedTree
from kanegen.codegen.graph import Program
from kanegen.codegen.mechanism.records import Mechanism
from kanegen.codegen.mechanism.speeds import described_speed

Make = Callable[[BodyModel], Program]


def kernels(mechanism: Mechanism, live_parameters: bool = False) -> dict[str, Build]:
    """All kernels by name.  Loops and springs are those of ``mechanism``, whatever tree they are built with.

    Raises ModelError where the mechanism has constraints that are no joints.
    """
    model = body_model(mechanism, live_parameters)
    return {name: partial(_build, model, make) for name, make in kernels_of(model).items()}


def programs(mechanism: Mechanism, live_parameters: bool = False) -> dict[str, Program]:
    """The programs of all kernels by name.  Raises ModelError as ``kernels`` does."""
    model = body_model(mechanism, live_parameters)
    return {name: make(model) for name, make in kernels_of(model).items()}


def names_of_constraints(mechanism: Mechanism) -> list[tuple[str, str]]:
    """Joint or body, and kind, of every row of joint_constraints.

    Joints that share a body without inertia are one, called "first+second".  Kinds are those of ``LoopKind``, "held" for
    the row that holds a prescribed joint at zero, and "normalisation", where the name is a body's.
    """
    return [(name, kind) for name, kind, _ in Setting(body_model(mechanism)).joint_rows()]


def names_of_joints(mechanism: Mechanism) -> list[str]:
    """The rows of joint_reactions: joints of the tree, then loops."""
    return [connection.name for connection in body_model(mechanism).connections]


def names_of_bodies(mechanism: Mechanism) -> list[str]:
    """The bodies that have coordinates, in the order of x."""
    return [link.name for link in body_model(mechanism).bodies]


def names_of_struts(mechanism: Mechanism) -> list[str]:
    """The translational actuators between two points, by the names that their rates have among the speeds."""
    return [described_speed(strut) for strut in body_model(mechanism).struts]


def names_of_massless_bodies(mechanism: Mechanism) -> list[str]:
    """Those of them whose block of M vanishes.

    M cannot be inverted body by body with them.  (10) and (22) together still determine the accelerations as long as every
    motion that the joints allow moves a body with inertia.
    """
    model = body_model(mechanism)
    return [link.name for link in model.bodies if link.inertia is None]


def _build(model: BodyModel, make: Make, tree: PlacedTree, mechanism: Mechanism, choices: Choices) -> Program:
    del tree, mechanism, choices
    return make(model)
