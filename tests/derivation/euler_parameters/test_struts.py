"""Struts between two points in body coordinates (35), (36): derivatives, forces, bodies that they keep."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from kanegen.codegen.derivation.euler_parameters import kernels, names_of_bodies, names_of_struts
from kanegen.codegen.mechanism import BASE, DistanceRate, JointRate, Mechanism, MechanismBuilder
from kanegen.codegen.mechanism.catalogue import mechanism
from tests.constrained.strut_models import MODELS, boom
from tests.witnesses.constrained_witness import ConstrainedWitness

from .support import ROUNDING, Array, Bodies, derivative

every_model = pytest.mark.parametrize("name", MODELS)


@cache
def built(name: str) -> Bodies:
    return Bodies(MODELS[name]())


def lengths(bodies: Bodies, q: Array) -> Array:
    """Distances of the struts' ends from the tree's own poses."""
    other = ConstrainedWitness(bodies.mechanism)
    struts = [speed for speed in bodies.mechanism.speeds if isinstance(speed, DistanceRate)]
    ends = [[other.frame_pose(q, end)[:3, 3] for end in (s.first, s.second)] for s in struts]
    return np.array([np.linalg.norm(two - one) for one, two in ends])


@every_model
def test_constraints_are_squares_of_lengths(name: str) -> None:
    bodies = built(name)
    m = bodies.random_motion(1)
    expected = lengths(bodies, m.q)
    given = np.arange(1.0, 1 + expected.size)
    found = bodies("strut_constraints", x=m.x, l=given)
    scale = 10 * (1 + expected.max() ** 2 + given.max() ** 2)
    assert np.abs(found - (expected**2 - given**2)).max() <= ROUNDING * scale
    assert np.abs(bodies("strut_constraints", x=m.x, l=expected)).max() <= ROUNDING * scale


@every_model
def test_jacobian_and_gamma_are_derivatives_wherever_the_bodies_are(name: str) -> None:
    """Off the joints and off |p| = 1, with lengths that have nothing to do with the bodies."""
    bodies = built(name)
    rng = np.random.default_rng(3)
    m = bodies.random_motion(3)
    x, xdot = m.x + rng.normal(size=m.x.size), rng.normal(size=m.x.size)
    l, v, a = rng.uniform(0.5, 2, (3, len(names_of_struts(bodies.mechanism))))
    jacobian = bodies("strut_constraint_jacobian", x=x)
    program = bodies.programs["strut_constraints"]
    scale = 1 + np.abs(jacobian).max() ** 2
    along = derivative(program, {"x": x, "l": l}, {"x": xdot})
    assert np.abs(jacobian @ xdot - along).max() <= ROUNDING * scale
    bend = derivative(bodies.programs["strut_constraint_jacobian"], {"x": x}, {"x": xdot})
    # d2Phi/dt2 at d2x/dt2 = 0, and -2 (v^2 + l a) of the driven length
    second = bend.reshape(jacobian.shape) @ xdot - 2 * (v * v + l * a)
    gamma = bodies("strut_constraint_gamma", x=x, xdot=xdot, l=l, v=v, a=a)
    assert np.abs(gamma + second).max() <= 10 * ROUNDING * scale


def test_forces_are_those_that_the_paper_extracts_from_the_bodies() -> None:
    """(29) and (30) give the force on the second body; (36) its magnitude, with the sign of its component along l."""
    bodies = built("excavator")
    m = bodies.random_motion(6)
    multipliers = np.array([-3.0, 2.0])
    found = bodies("strut_forces", x=m.x, multipliers=multipliers)
    exerted = -bodies("strut_constraint_jacobian", x=m.x) * multipliers[:, None]
    other = ConstrainedWitness(bodies.mechanism)
    names = names_of_bodies(bodies.mechanism)
    for k, (first, second, body) in enumerate((("foot", "eye", "boom"), ("horn", "mast", "turret"))):
        at = 7 * names.index(body)
        force = exerted[k, at : at + 3]
        line = other.frame_pose(m.q, second)[:3, 3] - other.frame_pose(m.q, first)[:3, 3]
        signed = np.linalg.norm(force) * np.sign(force @ line)
        assert found[k] == pytest.approx(signed, rel=1e-13)
    # a negative multiplier pushes
    assert found[0] > 0 > found[1]


def test_struts_do_not_care_which_end_is_first() -> None:
    model = MODELS["boom"]()
    one, two = Bodies(model), Bodies(replace(model, speeds=(DistanceRate("eye", "foot"),)))
    m = one.random_motion(7)
    given = {"x": m.x, "xdot": m.xdot, "l": np.ones(1), "v": np.ones(1), "a": np.ones(1)}
    for kernel in ("strut_constraints", "strut_constraint_jacobian", "strut_constraint_gamma"):
        np.testing.assert_allclose(one(kernel, **given), two(kernel, **given), rtol=0, atol=1e-15)
    force = [b("strut_forces", x=m.x, multipliers=np.ones(1)) for b in (one, two)]
    np.testing.assert_allclose(force[0], force[1], rtol=0, atol=1e-15)


def test_no_force_and_no_gradient_where_the_points_coincide() -> None:
    """Numbers all the same: the rank of the rows tells the rest."""
    place = (0.9, 0.0, 0.0)
    bodies = Bodies(boom(foot=place, eye=place))
    m = bodies.motion(np.zeros(1), np.ones(1), np.ones(1))
    assert not bodies("strut_constraint_jacobian", x=m.x).any()
    assert bodies("strut_forces", x=m.x, multipliers=np.ones(1)) == pytest.approx([0.0])


def test_a_body_without_inertia_on_which_a_strut_acts_keeps_its_coordinates() -> None:
    def arm(strut: bool) -> Mechanism:
        builder = MechanismBuilder("arm")
        builder.body("cross")
        builder.body("arm", mass=1, center=(0.5, 0, 0), inertia=(0.1, 0.1, 0.1))
        builder.revolute("first", BASE, "cross", (0, 0, 1))
        builder.revolute("second", "cross", "arm", (0, 1, 0))
        builder.frame("post", BASE, (1, 1, 0))
        builder.frame("lug", "cross", (0.2, 0, 0.1))
        builder.speeds([DistanceRate("post", "lug") if strut else JointRate("first"), JointRate("second")])
        return builder.build()

    assert names_of_bodies(arm(False)) == ["arm"]
    assert names_of_bodies(arm(True)) == ["cross", "arm"]


def test_kernels_of_struts_are_there_where_struts_are() -> None:
    assert not [name for name in kernels(mechanism("four_bar")) if name.startswith("strut")]
    names = [name for name in kernels(MODELS["boom"]()) if name.startswith("strut")]
    assert names == [
        "strut_constraints",
        "strut_constraint_jacobian",
        "strut_constraint_gamma",
        "strut_forces",
    ]
    assert names_of_struts(MODELS["boom"]()) == ["rate of the distance from foot to eye"]
    shapes = {
        n: [(a.name, a.shape) for a in (*p.inputs, *p.outputs)]
        for n, p in built("excavator").programs.items()
    }
    x, xdot, l, v, a = ("x", (21,)), ("xdot", (21,)), ("l", (2,)), ("v", (2,)), ("a", (2,))
    assert shapes["strut_constraints"] == [x, l, ("phi", (2,))]
    assert shapes["strut_constraint_jacobian"] == [x, ("J", (2, 21))]
    assert shapes["strut_constraint_gamma"] == [x, xdot, l, v, a, ("gamma", (2,))]
    assert shapes["strut_forces"] == [x, ("lambda", (2,)), ("f", (2,))]
