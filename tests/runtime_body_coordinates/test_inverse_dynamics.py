"""Inverse dynamics through multipliers: the published robot, an independent witness, redundant constraints."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import kanegen
from kanegen.body_coordinates import BodySystem
from kanegen.codegen.certificate.body_motion import bodies
from kanegen.codegen.certificate.numeric_tree import numeric_tree
from kanegen.codegen.certificate.speeds import TreeSpeeds
from kanegen.codegen.mechanism import catalogue
from tests.runtime_body_coordinates.robots import robot

ORACLE = json.loads((Path(__file__).parents[1] / "oracles" / "sim_yoo_lee_1985.json").read_text())


@pytest.fixture(scope="module")
def arm() -> BodySystem:
    return BodySystem(robot("sim_yoo_lee_robot"))


@pytest.fixture(scope="module")
def bar() -> BodySystem:
    return BodySystem(robot("four_bar"))


def test_torques_along_the_line(arm: BodySystem) -> None:
    """Multipliers of up to 5e4 N m, from some 42 operations each on numbers of that size, at 1.1e-16: 1e-9 N m."""
    for row in ORACLE["table"]:
        found = arm.inverse_dynamics(row["q"], row["qd"], row["qdd"])
        np.testing.assert_allclose(found.tau, row["torque_pin"], rtol=0, atol=1e-9)
        np.testing.assert_allclose(found.tau, row["torque_EP"], rtol=0, atol=1e-9)
        own = found.x.reshape(-1, 7)
        np.testing.assert_allclose(own[:, :3], row["r"], rtol=0, atol=1e-13)
        alike = np.abs(np.einsum("ij,ij->i", own[:, 3:], np.array(row["euler_params"])))
        np.testing.assert_allclose(alike, 1.0, rtol=0, atol=1e-14)
        assert found.indeterminate == ()


def test_the_published_signs_and_terms_would_show(arm: BodySystem) -> None:
    """Without the quadratic term of (19), corrected, the torques would be off by as much as the oracle says."""
    worst = 0.0
    for row in ORACLE["table"]:
        found = arm.inverse_dynamics(row["q"], row["qd"], row["qdd"])
        kernels = arm.kernels
        still = kernels.forces(found.x, np.zeros(kernels.size), np.array(row["q"]))
        rows = np.concatenate(
            [kernels.jacobian(found.x), kernels.drive_jacobian(found.x, np.array(row["q"]))]
        )
        without = np.linalg.solve(rows.T, still - kernels.mass_matrix(found.x) @ found.xddot)
        worst = max(worst, float(np.abs(found.tau + without[-6:]).max()))
    # The oracle's figure is the largest of 2001 states; these 27 are among them.
    assert (
        0.9 * ORACLE["eq19_variants"]["omitted"] <= worst <= ORACLE["eq19_variants"]["omitted"] * (1 + 1e-9)
    )


def test_every_link_obeys_newton_and_euler(arm: BodySystem) -> None:
    """Then a link's joint, the next one, weight and drives make up its momentum's rate."""
    mechanism = catalogue.mechanism("sim_yoo_lee_robot")
    tree, speeds = numeric_tree(mechanism), TreeSpeeds(mechanism)
    for q, v, a in np.random.default_rng(4).normal(size=(3, 3, 6)):
        found = arm.inverse_dynamics(q, v, a)
        moving = bodies(tree, speeds.motion(q, v, a))
        # A thousand roundings of the largest accelerations and forces.
        near = {"rtol": 0, "atol": 1e-13 * (1 + np.abs(found.reactions).max())}
        place, rate, acceleration = (x.reshape(-1, 7) for x in (found.x, found.xdot, found.xddot))
        force = moment = before = np.zeros(3)  # of the next link, about its hinge at ``before``
        for i in reversed(range(6)):
            joint, link = mechanism.joints[i], tree.links[i]
            body = moving[link.body]
            center, hinge = body.point(link.center), body.p
            for entries, expected in zip((place, rate, acceleration), center, strict=True):
                np.testing.assert_allclose(entries[i, :3], expected, **near)
            omega, alpha, (e0, *e) = body.w, body.alpha, place[i, 3:]
            for entries, expected in ((rate, omega), (acceleration, alpha)):
                d0, *d = entries[i, 3:]
                turned = 2 * (e0 * np.array(d) - d0 * np.array(e) + np.cross(e, d))
                np.testing.assert_allclose(turned, expected, **near)
            c, central = center[0], body.R @ link.tensor @ body.R.T
            axis = body.R @ [float(x) for x in joint.axis]
            own, torque = found.reactions[i, :3], found.reactions[i, 3:] + found.tau[i] * axis
            weight = link.mass * np.array([0, 0, -9.81])
            np.testing.assert_allclose(own - force + weight, link.mass * center[2], **near)
            total = torque - moment + np.cross(hinge - c, own) - np.cross(before - c, force)
            np.testing.assert_allclose(total, central @ alpha + np.cross(omega, central @ omega), **near)
            assert (
                abs(axis @ found.reactions[i, 3:]) <= near["atol"]
            )  # a hinge exerts no moment about its axis
            force, moment, before = own, torque, hinge


def test_actuators_supply_minus_their_multipliers(arm: BodySystem, bar: BodySystem) -> None:
    """(30) to (34) extract from forces on bodies what the rate of the coordinate makes of them by power."""
    random = np.random.default_rng(6)
    for system, angles in ((arm, random.normal(size=6)), (bar, np.array([0.7]))):
        found = system.inverse_dynamics(angles, np.ones_like(angles), np.ones_like(angles))
        scale = 1 + np.abs(found.joint_multipliers).max()
        np.testing.assert_allclose(found.tau, -found.drive_multipliers, rtol=0, atol=1e-13 * scale)


def test_a_redundant_loop(bar: BodySystem) -> None:
    """The crank's torque is that on its generalized speed although reactions across the plane are not unique."""
    crank, random = kanegen.load("four_bar"), np.random.default_rng(1)
    for away, v, a in random.uniform(-0.3, 0.3, (5, 3, 1)):
        q = crank.assemble(crank.home + np.array([away[0], 0, 0]))
        found = bar.inverse_dynamics(q[:1], v, a, bar.kernels.coordinates(q))
        np.testing.assert_allclose(found.tau, crank.inverse_dynamics(q, v, a), rtol=0, atol=1e-11)
        assert found.indeterminate == ("q1", "q2", "q3", "closure")
        assert np.isfinite(found.joint_multipliers).all()


def test_the_shortest_multipliers(bar: BodySystem) -> None:
    """They balance the bodies, and have no part in the null space of the transposed Jacobian."""
    found = bar.inverse_dynamics([1.3], [2.0], [3.0])
    kernels, x = bar.kernels, found.x
    q = bar.joint_coordinates(x)
    rows = np.concatenate([kernels.jacobian(x), kernels.drive_jacobian(x, q)[:1]])
    multipliers = np.concatenate([found.joint_multipliers, found.drive_multipliers])
    balance = kernels.forces(x, found.xdot, q) - kernels.mass_matrix(x) @ found.xddot
    np.testing.assert_allclose(rows.T @ multipliers, balance, rtol=0, atol=1e-12)
    left = np.linalg.svd(rows)[0]
    np.testing.assert_allclose(left[:, 21:].T @ multipliers, 0.0, atol=1e-12)
    # In the plane nothing pushes across it: the shortest reactions do not, either.
    np.testing.assert_allclose(found.reactions[:, 2:5], 0.0, atol=1e-12)


def test_rank_reports(bar: BodySystem, arm: BodySystem) -> None:
    report = bar.rank_report()
    assert (report.rows, report.rank, report.redundancy, report.degrees_of_freedom) == (23, 20, 3, 1)
    assert report.dependent == ("q1", "q2", "q3", "closure")
    assert str(report).endswith("3 redundant. Not unique are the reactions of q1, q2, q3, closure")
    # A gap of ten decades on either side of the threshold leaves no doubt.
    assert report.singular_values[19] > 1e10 * report.threshold > 1e-5
    tree = arm.rank_report(arm.kernels.coordinates([1, 2, 3, 4, 5, 6]))
    assert (tree.rows, tree.rank, tree.degrees_of_freedom, tree.dependent) == (36, 36, 6, ())
    assert str(tree).endswith("all reactions are unique")


def test_the_rank_does_not_depend_on_the_last_digits(bar: BodySystem) -> None:
    """From drifted starts, whose Newton solutions differ in rounding."""
    random = np.random.default_rng(7)
    x = bar.position([0.9])
    for _ in range(10):
        assert bar.rank_report(x + 1e-5 * random.normal(size=x.size)).rank == 20
