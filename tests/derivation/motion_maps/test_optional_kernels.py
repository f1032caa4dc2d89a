"""Optional kernels on the speeds of constrained mechanisms: laws that tie them to the other kernels, to 25 digits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import mpmath
import numpy as np
import pytest

from kanegen.codegen.derivation.formulations import formulation, optional_kernels
from kanegen.codegen.derivation.motion_maps.plan import make_plan
from kanegen.codegen.derivation.motion_maps.spanning_tree import spanning_tree
from kanegen.codegen.derivation.parameters.base_parameters import base_parameters
from kanegen.codegen.derivation.parameters.inertial_parameters import inertial_parameters
from kanegen.codegen.derivation.placed_tree.choices import Choices
from kanegen.codegen.derivation.placed_tree.deriver import Build
from kanegen.codegen.derivation.placed_tree.placement import PlacedTree, place
from kanegen.codegen.graph import evaluate_entries, multiprecision
from kanegen.codegen.mechanism import Mechanism
from kanegen.codegen.mechanism.catalogue import mechanism

DIGITS = 60
EXACT = mpmath.mpf(10) ** -25
STEP = mpmath.mpf(10) ** -16
"""Central differences err by STEP^2 times third derivatives: 1e-32, the larger near singular configurations."""

FREE = ("two_link_space_arm", "rolling_disc", "four_bar", "four_bar_tilted", "five_bar", "whipple_bicycle")
EVERY = (*FREE, "plate_disk")
"""The disk's plates move as prescribed; what that adds to forces and momenta belongs to no speed."""


@dataclass(frozen=True)
class Machine:
    """A mechanism, its tree and all its kernels."""

    mechanism: Mechanism
    tree: Mechanism
    placed: PlacedTree
    kernels: Mapping[str, Build]

    def __call__(self, kernel: str, **arguments: Sequence[Any]) -> Any:
        """A kernel's first output as an array of 60-digit numbers."""
        program = self.kernels[kernel](self.placed, self.tree, Choices())
        entries = {
            (name, i): mpmath.mpf(x) for name, values in arguments.items() for i, x in enumerate(values)
        }
        flat = evaluate_entries(program, entries, multiprecision())[0]
        return np.array(flat, dtype=object).reshape(program.outputs[0].shape)


@cache
def machine(name: str) -> Machine:
    found = mechanism(name)
    tree = spanning_tree(found)
    placed = place(tree, Choices())
    names = {frame.name: frame.name for frame in tree.frames} | {b.name: b.name for b in tree.bodies}
    kernels = formulation("recursive", found, None, False, names) | optional_kernels(found, False, names)
    return Machine(found, tree, placed, kernels)


@cache
def state(name: str) -> tuple[list[Any], list[Any], list[Any]]:
    """q where the loops are closed, v and a."""
    found = machine(name).mechanism
    rng = np.random.default_rng(3)
    q = np.asarray(make_plan(found).states)[0]
    return [*map(float, q)], [*rng.uniform(-1, 1, found.dof)], [*rng.uniform(-1, 1, found.dof)]


def rate(one: Machine, kernel: str, q: list[Any], v: list[Any]) -> Any:
    """Time derivative of a kernel of q along the motion of v."""
    qdot = one("coordinate_rates", q=q, v=v)
    ahead, behind = (one(kernel, q=[x + s * STEP * y for x, y in zip(q, qdot, strict=True)]) for s in (1, -1))
    return (ahead - behind) / (2 * STEP)


def near(found: Any, wanted: Any) -> bool:
    return bool(np.abs(found - wanted).max() < EXACT * max(1, np.abs(wanted).max()))


@pytest.mark.parametrize("name", EVERY)
def test_inverse_mass_matrix(name: str) -> None:
    one, (q, _, _) = machine(name), state(name)
    with mpmath.workdps(DIGITS):
        assert near(one("inverse_mass_matrix", q=q) @ one("mass_matrix", q=q), np.eye(one.mechanism.dof))


@pytest.mark.parametrize("name", EVERY)
def test_coriolis_matrix(name: str) -> None:
    """dM/dt = C + C^T, and C v = h - g where nothing is prescribed."""
    one, (q, v, _) = machine(name), state(name)
    with mpmath.workdps(DIGITS):
        matrix = one("coriolis_matrix", q=q, v=v)
        assert near(matrix + matrix.T, rate(one, "mass_matrix", q, v))
        if name in FREE:
            speeds = np.array([mpmath.mpf(x) for x in v], dtype=object)
            forces = one("bias_forces", q=q, v=v) - one("gravity_forces", q=q)
            assert near(matrix @ speeds, forces)


@pytest.mark.parametrize("name", FREE)
def test_centroidal_momentum(name: str) -> None:
    one, (q, v, _) = machine(name), state(name)
    with mpmath.workdps(DIGITS):
        speeds = np.array([mpmath.mpf(x) for x in v], dtype=object)
        found = one("centroidal_momentum_matrix", q=q) @ speeds
        total, center = one("momentum", q=q, v=v), one("center_of_mass", q=q)
        p = total[:3]
        arm = [center[(m + 1) % 3] * p[(m + 2) % 3] - center[(m + 2) % 3] * p[(m + 1) % 3] for m in range(3)]
        assert near(found, np.array([*p, *(total[3:] - np.array(arm, dtype=object))], dtype=object))


@pytest.mark.parametrize("name", FREE)
def test_rates_of_jacobians_and_forces_at_frames(name: str) -> None:
    one, (q, v, _) = machine(name), state(name)
    wrench = [*np.random.default_rng(4).uniform(-1, 1, 6)]
    frames = [k.removeprefix("frame_forces_") for k in one.kernels if k.startswith("frame_forces_")]
    with mpmath.workdps(DIGITS):
        for frame in (frames[0], frames[-1]):
            jacobian = f"frame_jacobian_{frame}"
            assert near(one(f"frame_jacobian_rate_{frame}", q=q, v=v), rate(one, jacobian, q, v))
            tau = one(f"frame_forces_{frame}", q=q, wrench=wrench)
            assert near(tau, one(jacobian, q=q).T @ np.array([mpmath.mpf(x) for x in wrench], dtype=object))


@pytest.mark.parametrize("name", EVERY)
def test_regressors(name: str) -> None:
    """Both times their parameters are inverse dynamics."""
    one, (q, v, a) = machine(name), state(name)
    with mpmath.workdps(DIGITS):
        tau = one("inverse_dynamics", q=q, v=v, a=a)
        for kernel, values in (
            ("regressor", base_parameters(one.tree).values),
            ("full_regressor", inertial_parameters(one.tree).values),
        ):
            p = np.array([mpmath.mpf(x.numerator) / x.denominator for x in values], dtype=object)
            assert near(one(kernel, q=q, v=v, a=a) @ p, tau)
