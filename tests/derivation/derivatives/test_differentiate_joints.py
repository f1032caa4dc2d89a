"""Derivatives for ball joints, mimics, springs and friction: two derivations, and Pinocchio's free-flyer."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from kanegen.codegen.derivation.derivatives.kernels import differentiated
from kanegen.codegen.derivation.motion_maps.spanning_tree import derivation_tree
from kanegen.codegen.derivation.placed_tree.deriver import Deriver
from kanegen.codegen.graph import Program, count, evaluate
from kanegen.codegen.kernel_sources import KernelSources
from kanegen.codegen.mechanism import BASE, Mechanism, MechanismBuilder
from kanegen.options import Options
from tests.derivation.comparison import ROUNDING, Array
from tests.derivation.tree_kernels import derivatives_among
from tests.witnesses.pinocchio_trees import pinocchio as engine

BODIES = {
    "A": (1.3, (0.1, -0.05, 0.2), (0.11, 0.09, 0.07, 0.01, -0.02, 0.015)),
    "B": (0.8, (-0.12, 0.07, 0.03), (0.05, 0.06, 0.04, -0.005, 0.01, 0.002)),
    "C": (0.6, (0.02, 0.11, -0.09), (0.03, 0.02, 0.035, 0.004, 0.003, -0.006)),
    "D": (1.1, (0.0, 0.06, 0.14), (0.07, 0.05, 0.06, 0.0, 0.007, 0.0)),
}


def builder(name: str) -> MechanismBuilder:
    b = MechanismBuilder(name, gravity=(0.4, -1.1, -9.7))
    for body, (mass, center, inertia) in BODIES.items():
        b.body(body, mass=mass, center=center, inertia=inertia)
    return b


def mimic() -> Mechanism:
    b = builder("mimic")
    b.revolute(
        "q1", BASE, "A", (0, 0, 1), rotation=(0.3, 0.1, -0.7), damping=0.3, friction=0.2, rotor_inertia=0.02
    )
    b.revolute("q2", "A", "B", (1, 0, 0), position=(0.3, 0, 0.1), damping=0.1)
    b.prismatic("q3", "B", "C", (0, 1, 0), position=(0, 0.2, 0), rotation=(0, 0.4, 0), friction=0.5)
    b.revolute("q4", "B", "D", (0, 0.6, 0.8), position=(0.1, 0, -0.2))
    b.mimic("q4", "q2", multiplier=-0.5, offset=0.2)
    return b.build()


def spherical() -> Mechanism:
    b = builder("spherical")
    b.revolute("q1", BASE, "A", (0, 0, 1), rotation=(0.3, 0.1, -0.7), damping=0.4)
    b.spherical("ball", "A", "B", position=(0.2, -0.1, 0.3), rotation=(0.5, -0.2, 0.9))
    b.revolute("q2", "B", "C", (0, 1, 0), position=(0.1, 0.2, 0), friction=0.1)
    b.prismatic("q3", "A", "D", (1, 0, 0), position=(-0.2, 0, 0.1))
    return b.build()


def floating() -> Mechanism:
    b = builder("floating")
    b.floating("root", BASE, "A", position=(0.1, 0.2, 0.3), rotation=(0.4, -0.3, 0.2))
    b.revolute("q1", "A", "B", (0, 0, 1), position=(0.2, -0.1, 0.3), rotation=(0.5, -0.2, 0.9))
    b.prismatic("q2", "B", "C", (0, 1, 0), position=(0.1, 0.2, 0))
    b.revolute("q3", "A", "D", (1, 0, 0), position=(-0.2, 0, 0.1))
    return b.build()


def sprung() -> Mechanism:
    b = builder("sprung")
    b.revolute("q1", BASE, "A", (0, 0, 1), rotation=(0.3, 0.1, -0.7))
    b.spherical("ball", "A", "B", position=(0.2, -0.1, 0.3))
    b.revolute("q2", "B", "C", (0, 1, 0), position=(0.1, 0.2, 0))
    b.fixed("f", "C", "D", position=(0.1, 0.1, 0))
    b.frame("anchor", BASE, position=(0.5, 0.5, 1.0))
    b.frame("hook", "B", position=(0.2, 0.1, 0.1))
    b.translational_spring("spring", "anchor", "hook", stiffness=30, damping=1.5, rest=0.4)
    return b.build()


MECHANISMS = {f.__name__: f for f in (mimic, spherical, floating, sprung)}
every_mechanism = pytest.mark.parametrize("name", MECHANISMS)


@cache
def programs(name: str) -> dict[str, Program]:
    mechanism = MECHANISMS[name]()
    sources = KernelSources(mechanism, Options(friction=True))
    builds = sources.builds
    wanted = {
        kernel: builds[kernel] for kernel in ("inverse_dynamics", "forward_dynamics", "coordinate_rates")
    }
    wanted |= derivatives_among(sources.builds_on_demand)
    wanted["whole"] = differentiated(
        builds["inverse_dynamics"], builds["mass_matrix"], builds["coordinate_rates"]
    )
    tree = derivation_tree(mechanism, live=False)
    return {
        kernel: Deriver(tree.mechanism, b, live_parameters=tree.live)({})[0] for kernel, b in wanted.items()
    }


def state(mechanism: Mechanism, seed: int) -> dict[str, Array]:
    """q with quaternions of length one but for rounding, v, a and tau."""
    random = np.random.default_rng([3, seed])
    q = random.uniform(-1.0, 1.0, len(mechanism.coordinates))
    for at in mechanism.quaternions:
        q[at : at + 4] /= np.linalg.norm(q[at : at + 4])
    v, a, tau = random.uniform(-1.0, 1.0, (3, mechanism.dof))
    return {"q": q, "v": v, "a": a, "tau": tau}


@every_mechanism
def test_the_cheaper_derivation_is_taken_and_both_agree(name: str) -> None:
    mechanism, found = MECHANISMS[name](), programs(name)
    assert count(found["inverse_dynamics_derivatives"]).total <= count(found["whole"]).total
    at = state(mechanism, 3)
    one, other = (evaluate(found[kernel], at) for kernel in ("inverse_dynamics_derivatives", "whole"))
    for key, expected in other.items():
        assert np.abs(one[key] - expected).max() < ROUNDING * max(1.0, float(np.abs(expected).max()))


def test_carrying_the_trees_derivatives_pays_for_ball_joints() -> None:
    found = programs("floating")
    assert 1.3 * count(found["inverse_dynamics_derivatives"]).total < count(found["whole"]).total


def test_a_floating_base_against_pinocchio() -> None:
    """Pinocchio's free-flyer has the same tangent space: velocities along the axes of the body that flies."""
    pinocchio = engine()
    mechanism = floating()
    model = pinocchio.Model()
    model.gravity.linear = np.array([0.4, -1.1, -9.7])

    def place(position: tuple[float, ...], turn: tuple[float, ...] = (0, 0, 0)) -> object:
        return pinocchio.SE3(pinocchio.rpy.rpyToMatrix(*turn), np.array(position, dtype=float))

    root = model.addJoint(
        0, pinocchio.JointModelFreeFlyer(), place((0.1, 0.2, 0.3), (0.4, -0.3, 0.2)), "root"
    )
    first = model.addJoint(root, pinocchio.JointModelRZ(), place((0.2, -0.1, 0.3), (0.5, -0.2, 0.9)), "q1")
    second = model.addJoint(first, pinocchio.JointModelPY(), place((0.1, 0.2, 0)), "q2")
    third = model.addJoint(root, pinocchio.JointModelRX(), place((-0.2, 0, 0.1)), "q3")
    for joint, body in ((root, "A"), (first, "B"), (second, "C"), (third, "D")):
        mass, center, (xx, yy, zz, xy, xz, yz) = BODIES[body]
        tensor = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        model.appendBodyToJoint(
            joint, pinocchio.Inertia(mass, np.array(center), tensor), pinocchio.SE3.Identity()
        )
    data = model.createData()
    at = state(mechanism, 4)
    pinocchio.computeRNEADerivatives(model, data, at["q"], at["v"], at["a"])
    found = evaluate(programs("floating")["inverse_dynamics_derivatives"], at)
    for name, expected in (("dq", data.dtau_dq), ("dv", data.dtau_dv)):
        assert np.abs(found[name] - expected).max() < ROUNDING * 50  # weights of 4 kg times 10 m/s^2


def test_symmetry_under_moving_the_whole() -> None:
    """Where a floating mechanism is makes no difference, and how it is turned only through its weight."""
    mechanism = floating()
    at = state(mechanism, 5)
    found = evaluate(programs("floating")["inverse_dynamics_derivatives"], at)
    assert np.abs(found["dq"][:, :3]).max() < ROUNDING * 50
