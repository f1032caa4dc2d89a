"""Struts between two points in body coordinates (35), (36): order of ends, ends that meet, bodies that they keep."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from kanegen.codegen.derivation.euler_parameters import kernels, names_of_bodies, names_of_struts
from kanegen.codegen.mechanism import BASE, DistanceRate, JointRate, Mechanism, MechanismBuilder
from kanegen.codegen.mechanism.catalogue import mechanism
from tests.constrained.strut_models import MODELS, boom

from .support import Bodies


@cache
def built(name: str) -> Bodies:
    return Bodies(MODELS[name]())


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
