"""Kane's method in tables against Newton's and Euler's equations for the described bodies, and against itself."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np
import pytest

from kanegen.codegen.certificate.body_motion import bodies
from kanegen.codegen.certificate.reference import Reference
from kanegen.codegen.certificate.sample import Sample
from kanegen.codegen.derivation.formulations import tables_of_kane
from kanegen.codegen.derivation.kane.tables import KaneTables
from kanegen.codegen.graph import evaluate
from kanegen.codegen.kernel_sources import KernelSources
from kanegen.codegen.mechanism import Mechanism
from kanegen.codegen.mechanism.catalogue import generalized_speeds, mechanism
from kanegen.errors import ModelError
from kanegen.options import Options
from tests.constrained.ball_models import spatial_linkage
from tests.derivation.comparison import ROUNDING, Array
from tests.derivation.compound_mechanisms import compound_tree

STATES = 6

MECHANISMS: dict[str, Callable[[], tuple[Mechanism, str | None]]] = {
    "speeds of the paper": lambda: (mechanism("stanford_arm"), "kane_levinson"),
    "joint rates": lambda: (mechanism("stanford_arm"), None),
    "loop": lambda: (mechanism("four_bar_tilted"), None),
    "rolling contacts": lambda: (mechanism("whipple_bicycle"), None),
    "blade and prescribed rate": lambda: (mechanism("plate_disk"), None),
    "prescribed joint": lambda: (mechanism("two_link_space_arm"), None),
    "balls in a loop, springs, damping": lambda: (spatial_linkage(ball=True), None),
    "floating tree, mimics, rotors": lambda: (compound_tree(4, 6), None),
}


class Case:
    """The tables of a mechanism in some states, and these."""

    def __init__(self, described: Mechanism, speeds: str | None) -> None:
        self.sources = KernelSources(described, Options(speeds=speeds))
        self.sample = Sample(self.sources.kernel_set(), STATES)
        chosen = None if speeds is None else generalized_speeds(described.name, speeds)
        self.found: KaneTables = tables_of_kane(described, chosen, False)
        self.at = {name: getattr(self.sample, name) for name in "qva"}
        self.tables = evaluate(self.found.program, self.at)
        assert isinstance(self.sample.reference, Reference)
        self.reference = self.sample.reference


@cache
def case(name: str) -> Case:
    return Case(*MECHANISMS[name]())


def off(found: Array, expected: Array) -> float:
    return float(np.abs(found - expected).max() / max(1.0, float(np.abs(expected).max())))


def numbers(rows: object) -> Array:
    return np.array(rows, dtype=object).astype(np.float64)


@pytest.mark.parametrize("name", MECHANISMS)
def test_vectors_of_bodies_against_newton_and_euler(name: str) -> None:
    """Velocities, accelerations, inertia torques and forces; partial velocities are what speeds are multiplied by."""
    one = case(name)
    motion = one.reference.speeds.motion(*one.at.values())
    described = bodies(one.reference.records, motion)
    tree, t = one.found.tree, one.tables
    axes = {-1: np.broadcast_to(np.eye(3), (STATES, 3, 3))}
    for i, body in enumerate(tree.bodies):
        if body.name in described:
            axes[i] = described[body.name].R @ numbers(body.frame_rotation)
    u = np.zeros((STATES, t["partial_velocity"].shape[2]))
    u[:, : one.at["v"].shape[1]] = one.at["v"]
    for b, i in enumerate(one.found.bodies):
        body, inertia = tree.bodies[i], one.found.inertias[i]
        truth, own, carrier = described[body.name], axes[i], axes[one.found.carrier(i)]
        center = numbers(body.frame_position) + numbers(body.frame_rotation) @ numbers(inertia.center)
        _, v, a = truth.point(center)

        def along(basis: Array, vector: Array) -> Array:
            return np.einsum("bji,bj->bi", basis, vector)

        w, alpha = along(own, truth.w), along(own, truth.alpha)
        tensor = numbers(inertia.tensor)
        torque = -alpha @ tensor - np.cross(w, w @ tensor)
        gravity = np.broadcast_to(numbers(tree.gravity), (STATES, 3))
        mass = float(inertia.mass)
        expected = {
            "angular_velocity": w,
            "angular_acceleration": alpha,
            "velocity": along(carrier, v),
            "acceleration": along(carrier, a),
            "inertia_torque": torque,
            "inertia_force": -mass * along(carrier, a),
            "weight": mass * along(carrier, gravity),
        }
        for quantity, value in expected.items():
            assert off(t[quantity][:, b], value) < 10 * ROUNDING, (body.name, quantity)
        if not one.sample.kernel_set.mechanism.prescribed:  # these move bodies without any speed
            for part, whole in (("partial_angular_velocity", w), ("partial_velocity", along(carrier, v))):
                assert off(np.einsum("brk,br->bk", t[part][:, b], u), whole) < 10 * ROUNDING, body.name


@pytest.mark.parametrize("name", MECHANISMS)
def test_generalized_forces_vanish_together_and_give_the_torques(name: str) -> None:
    """K + K* = 0 with what the drives add, from the vectors of bodies alone; X, right sides; constraint forces."""
    one, t = case(name), case(name).tables
    n = one.at["v"].shape[1]
    inertia = np.einsum("bBrk,bBk->bBr", t["partial_angular_velocity"], t["inertia_torque"])
    inertia += np.einsum("bBrk,bBk->bBr", t["partial_velocity"], t["inertia_force"])
    weight = np.einsum("bBrk,bBk->bBr", t["partial_velocity"], t["weight"])
    assert off(t["inertia_force_of_body"], inertia) < ROUNDING
    assert off(t["weight_of_body"], weight) < ROUNDING
    springs = np.einsum("bjr,bj->br", t["rates_for_speeds"], t["resisting"])
    assert off(t["generalized_active_force"], weight.sum(axis=1) + springs) < ROUNDING
    if not any(joint.rotor_inertia != 0 for joint in one.sample.kernel_set.mechanism.joints):
        assert off(t["generalized_inertia_force"], inertia.sum(axis=1)) < ROUNDING
    whole = t["generalized_inertia_force"] + t["generalized_active_force"]
    tau = t["driving_force"]
    assert off(whole[:, :n], -tau) < ROUNDING
    at_rest = np.einsum("brs,bs->br", t["mass"], one.at["a"]) + t["inertia_force_at_rest"]
    assert off(t["generalized_inertia_force"][:, :n], at_rest) < ROUNDING
    assert off(t["right_side"] - tau, np.einsum("brs,bs->br", t["mass"], one.at["a"])) < ROUNDING
    expected = one.reference.inverse_dynamics(*one.at.values())
    assert np.all(np.abs(tau - expected.value) < 10 * ROUNDING * expected.scale[:, None])
    if one.found.auxiliary:
        assert off(t["auxiliary_forces"], -whole[:, n:]) < ROUNDING
        (forces,) = evaluate(one.sources.plain("constraint_forces"), one.at).values()
        assert off(t["auxiliary_forces"], forces) < 10 * ROUNDING  # no row repeats others here


def test_flexible_links_are_refused_by_name() -> None:
    with pytest.raises(ModelError, match="flexible_one_link"):
        tables_of_kane(mechanism("flexible_one_link"), None, False)
