"""C* and K*: derivatives of the springs' potential energy, and the power of the dampers, from poses alone."""

from __future__ import annotations

from functools import partial
from typing import Any

import mpmath
import numpy as np
import pytest

from kanegen.codegen.derivation.influence_coefficients.programs import (
    effective_damping,
    effective_stiffness,
    spring_forces,
)
from kanegen.codegen.derivation.placed_tree.choices import Choices
from kanegen.codegen.derivation.placed_tree.placement import place
from kanegen.codegen.graph import Program, evaluate
from kanegen.codegen.mechanism import (
    BASE,
    Mechanism,
    MechanismBuilder,
    TorsionalSpringDamper,
    TranslationalSpringDamper,
)
from tests.derivation.comparison import EXACT, derived
from tests.derivation.tree_kernels import frame_pose

from .support import DERIVATIVE, DIGITS, derivative, exact_numbers, gap, unit, values


def sprung_tree() -> Mechanism:
    """Four joints, two branches; springs on a hinge and a slide, to the base, between branches, with and without rest."""
    builder = MechanismBuilder("sprung")
    for name in ("trunk", "slider", "left", "right"):
        builder.body(name, mass=1, center=(0.1, 0, 0.2), inertia=(0.1, 0.2, 0.2))
    builder.revolute("turn", BASE, "trunk", (1, 2, 2), position=(0, 0.1, 0))
    builder.prismatic("slide", "trunk", "slider", (2, -1, 2), position=(0.2, 0, 0.3), rotation=(0.3, 0, 1))
    builder.revolute("swing", "slider", "left", (0, -1, 0), position=(0, 0.4, 0))
    builder.revolute("nod", "trunk", "right", (2, 3, 6), position=(0.3, -0.2, 0))
    builder.frame("left_tip", "left", position=(0.1, 0.2, -0.4))
    builder.frame("right_tip", "right", position=(0.2, 0.5, 0.1))
    builder.torsional_spring("hinge", "swing", stiffness=3, damping=0.2, rest=0.4)
    builder.torsional_spring("stop", "slide", stiffness=50, damping=4, rest=-0.1)
    builder.translational_spring("to_base", BASE, "left_tip", stiffness=80, damping=3, rest=0.7)
    builder.translational_spring("between", "left_tip", "right_tip", stiffness=40, damping=5)
    builder.translational_spring("damper", "right_tip", "slider", damping=7)
    builder.coordinates(["nod", "turn", "swing", "slide"])
    return builder.build()


TREE = sprung_tree()


def pose(name: str) -> Program | None:
    """The program of a frame's pose; None for the base."""
    frames = {frame.name: frame for frame in place(TREE, Choices()).frames}
    return None if name == BASE else derived(partial(frame_pose, frame=frames[name], kernel="pose"), TREE)


def place_of(name: str, q: list[Any], rates: list[Any] | None = None) -> Any:
    """Position of a frame's origin; with ``rates`` its velocity instead."""
    found = pose(name)
    if found is None:
        return np.array([mpmath.mpf(0)] * 3, dtype=object)
    X = values(found, q=q)["X"] if rates is None else derivative(found, rates, q=q)["X"]
    return X[:3, 3]


def loads_of(q: list[Any]) -> list[Any]:
    """Generalized forces of all springs from the principle of virtual work: stretch times its derivatives."""
    found = np.array([mpmath.mpf(0)] * 4, dtype=object)
    for spring in TREE.springs:
        if isinstance(spring, TorsionalSpringDamper):
            joint = TREE.coordinates.index(spring.joint)
            found[joint] += exact(spring.stiffness) * (q[joint] - exact(spring.rest))
        else:
            assert isinstance(spring, TranslationalSpringDamper)
            d = place_of(spring.second, q) - place_of(spring.first, q)
            length = mpmath.sqrt(d @ d)
            for i in range(4):
                moved = place_of(spring.second, q, unit(4, i)) - place_of(spring.first, q, unit(4, i))
                found[i] += exact(spring.stiffness) * (length - exact(spring.rest)) * (d @ moved) / length
    return list(found)


def exact(value: Any) -> mpmath.mpf:
    return mpmath.mpf(value.numerator) / value.denominator


def test_stiffness_is_the_derivative_of_the_loads() -> None:
    """(22), and (23) against virtual work."""
    loads, stiffness = derived(spring_forces, TREE), derived(effective_stiffness, TREE)
    still = [mpmath.mpf(0)] * 4
    with mpmath.workdps(DIGITS):
        for seed in range(3):
            (q,) = exact_numbers(seed, 4)
            assert gap(values(loads, q=q, v=still)["tau"], loads_of(q)) < DERIVATIVE
            K = values(stiffness, q=q)["K"]
            for i in range(4):
                assert gap(K[:, i], derivative(loads, unit(4, i), q=q, v=still)["tau"]) < DERIVATIVE
            assert gap(K, K.T) < EXACT


def test_damping_takes_the_power_of_the_dampers() -> None:
    with mpmath.workdps(DIGITS):
        q, v = exact_numbers(9, 4, 4)
        power = mpmath.mpf(0)
        for spring in TREE.springs:
            if isinstance(spring, TorsionalSpringDamper):
                rate = v[TREE.coordinates.index(spring.joint)]
            else:
                assert isinstance(spring, TranslationalSpringDamper)
                d = place_of(spring.second, q) - place_of(spring.first, q)
                moved = place_of(spring.second, q, v) - place_of(spring.first, q, v)
                rate = (d @ moved) / mpmath.sqrt(d @ d)
            power += exact(spring.damping) * rate**2
        C = values(derived(effective_damping, TREE), q=q)["C"]
        rates = np.array(v, dtype=object)
        assert gap([rates @ C @ rates], [power]) < DERIVATIVE
        assert gap(C, C.T) < EXACT
        # (19) is the difference that the rates make to the loads
        loads = derived(spring_forces, TREE)
        moving, still = (values(loads, q=q, v=rates * factor)["tau"] for factor in (1, 0))
        assert gap(moving - still, C @ rates) < EXACT


def test_a_spring_without_rest_length_has_a_rate_where_its_ends_meet() -> None:
    builder = MechanismBuilder("collapsed")
    builder.body("rod", mass=1)
    builder.revolute("hinge", BASE, "rod", (0, 0, 1))
    builder.frame("tip", "rod", position=(2, 0, 0))
    builder.body("anchor", mass=1)
    builder.prismatic("rail", BASE, "anchor", (1, 0, 0), position=(2, 0, 0))
    builder.translational_spring("spring", "anchor", "tip", stiffness=5)
    tree = builder.build()
    # U = 5/2 |tip - anchor|^2 with tip = 2 (cos q, sin q), anchor = (2 + x, 0): at 0 the Hessian is 5 diag(4, 1)
    K = evaluate(derived(effective_stiffness, tree), {"q": np.zeros(2)})["K"]
    assert pytest.approx(np.diag([20.0, 5.0]), abs=1e-14) == K


def test_without_springs_nothing_resists() -> None:
    tree = MechanismBuilder("free")
    tree.body("rod", mass=1)
    tree.revolute("hinge", BASE, "rod", (0, 0, 1))
    for build, name in ((effective_stiffness, "K"), (effective_damping, "C")):
        assert evaluate(derived(build, tree.build()), {"q": np.ones(1)})[name] == 0


@pytest.mark.parametrize("live", [True, False])
def test_parameters_of_springs(live: bool) -> None:
    """They stay live or take their values, as the rest of the mechanism does."""
    builder = MechanismBuilder("tunable")
    k = builder.parameter("k", 4, "N m/rad")
    builder.body("rod", mass=1)
    builder.revolute("hinge", BASE, "rod", (0, 0, 1))
    builder.torsional_spring("spring", "hinge", stiffness=k)
    tree = builder.build()
    build = partial(effective_stiffness, live_parameters=live)
    found = build(place(tree, Choices(), live), tree, Choices())
    parameters = {"k": 7.0} if live else None
    assert evaluate(found, {"q": np.zeros(1)}, parameters)["K"][0, 0] == (7.0 if live else 4.0)
