"""Where frames are put is a matter of convenience: no result depends on it."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import mpmath
import numpy as np
import pytest

from kanegen.codegen.derivation.placed_tree.choices import Choices
from kanegen.codegen.derivation.placed_tree.deriver import Deriver
from kanegen.codegen.derivation.placed_tree.placement import POINT, place
from kanegen.codegen.graph import evaluate
from kanegen.codegen.mechanism import BASE, IDENTITY3, ZERO3, Joint, Mechanism, MechanismBuilder
from kanegen.codegen.mechanism.catalogue import mechanism
from kanegen.codegen.mechanism.vectors import add, matrix_multiply, matrix_vector, scale, subtract
from tests.derivation.comparison import DIGITS, EXACT, ROUNDING, Array, difference, exactly, worst
from tests.derivation.structured_trees import states, structured_tree
from tests.derivation.tree_kernels import DYNAMICS

ARM = mechanism("stanford_arm")
ANGLE = (Fraction(3, 5), Fraction(4, 5))


def values(described: Mechanism, kernel: str, digits: int = DIGITS) -> list[mpmath.mpf]:
    at = {name: value[0] for name, value in states(9, 1, described.dof).items()}
    program = Deriver(described, DYNAMICS[kernel], gauge=False)({})[0]
    with mpmath.workdps(digits):
        return exactly(program, **{argument.name: at[argument.name] for argument in program.inputs})


def slid(described: Mechanism, amount: Fraction) -> Mechanism:
    """Every joint frame moved along its own axis, and bodies with it: the same machine described otherwise."""
    shifts = {joint.child: scale(amount, joint.axis) for joint in described.joints}
    shifts[BASE] = (Fraction(0), Fraction(0), Fraction(0))

    def moved(joint: Joint) -> Joint:
        along = matrix_vector(joint.rotation, shifts[joint.child])
        return replace(joint, position=subtract(add(joint.position, along), shifts[joint.parent]))

    bodies = []
    for body in described.bodies:
        inertia = body.inertia
        if inertia is not None:
            inertia = replace(inertia, center=subtract(inertia.center, shifts[body.name]))
        bodies.append(replace(body, inertia=inertia))
    frames = tuple(replace(f, position=subtract(f.position, shifts[f.body])) for f in described.frames)
    joints = tuple(moved(joint) for joint in described.joints)
    return replace(described, bodies=tuple(bodies), joints=joints, frames=frames)


@pytest.mark.parametrize("kernel", ["inverse_dynamics", "mass_matrix", "potential_energy", "momentum"])
@pytest.mark.parametrize("seed", range(80, 86))
def test_described_frames_may_slide_along_their_axes(seed: int, kernel: str) -> None:
    described = structured_tree(seed, 3)
    wanted = values(described, kernel)
    if any(x != 0 for x in wanted):
        assert difference(values(slid(described, Fraction("0.37")), kernel), wanted) < EXACT


def based(described: Mechanism, turned: bool) -> Mechanism:
    """The machine on another base frame: moved, and turned about x with gravity."""
    c, s = ANGLE if turned else (Fraction(1), Fraction(0))
    turn = ((Fraction(1), Fraction(0), Fraction(0)), (Fraction(0), c, -s), (Fraction(0), s, c))
    shift = (Fraction(2), Fraction("-0.3"), Fraction("0.7"))
    joints = tuple(
        replace(
            joint,
            rotation=matrix_multiply(turn, joint.rotation),
            position=add(shift, matrix_vector(turn, joint.position)),
        )
        if joint.parent == BASE
        else joint
        for joint in described.joints
    )
    return replace(described, joints=joints, gravity=matrix_vector(turn, described.gravity))


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("described", [ARM, structured_tree(87, 4)], ids=["arm", "machine"])
@pytest.mark.parametrize("kernel", ["mass_matrix", "inverse_dynamics", "forward_dynamics", "kinetic_energy"])
def test_moving_the_base_changes_nothing(described: Mechanism, kernel: str, turned: bool) -> None:
    assert difference(values(based(described, turned), kernel), values(described, kernel)) < EXACT


def test_axes_of_the_arm_meet() -> None:
    """A and B share the point where their axes meet; D, E and F the wrist."""
    tree = place(ARM, Choices())
    for name in "EF":
        assert tree.bodies[tree.index(name)].position == ZERO3


@pytest.mark.parametrize("angle", [3.1416, 1e-3, 1e-7, 1e-12])
def test_nearly_parallel_axes_do_not_send_origins_away(angle: float) -> None:
    """Angles are often written with five digits; the point where such axes meet is kilometres away."""
    builder = MechanismBuilder("nearly")
    for k in range(3):
        builder.body(f"b{k}", mass=1 + k, center=(0.1, 0.2, 0.3), inertia=(1, 1.1, 1.2))
    builder.revolute("j0", BASE, "b0", (0, 0, 1))
    builder.revolute("j1", "b0", "b1", (0, 0, 1), position=(1, 0, 0), rotation=(angle, 0, 0))
    builder.revolute("j2", "b1", "b2", (0, 0, 1), position=(1, 0.2, 0), rotation=(angle, 1e-5, 0))
    described = builder.build()
    choices = Choices()
    place(described, choices)
    derive = Deriver(described, DYNAMICS["inverse_dynamics"], gauge=False)
    at = states(1, 20, 3)
    reference: Array | None = None
    for point, decision in choices.points.items():
        assert point.startswith(POINT)
        for answer in range(decision.alternatives):
            tree = place(described, Choices({point: answer}))
            assert max(abs(float(x)) for b in tree.bodies for x in b.frame_position) < 10  # type: ignore[arg-type]
            tau = evaluate(derive({point: answer})[0], at)["tau"]
            reference = tau if reference is None else reference
            assert worst(tau, reference) < ROUNDING
    assert reference is not None
    assert np.isfinite(reference).all()


def test_parallel_skew_axes() -> None:
    """Axes along (1, 2, 3) are irrational: that they are parallel shows only to 60 digits.

    Positions of 0.6 and 0.7 m and a centre 0.4 m away cannot put an origin farther off than their sum.
    """
    builder = MechanismBuilder("skew")
    builder.body("a", mass=1, center=(0.1, 0.2, 0.3))
    builder.body("b", mass=1, center=(0.1, 0.2, 0.3))
    builder.revolute("j0", BASE, "a", (1, 2, 3), position=(0.3, -0.145, 0.46))
    builder.revolute("j1", "a", "b", (1, 2, 3), position=(0.7, 0.1, 0.11), rotation=(0, 0, 0))
    tree = place(builder.build(), Choices())
    assert all(abs(float(x)) < 1.7 for body in tree.bodies for x in body.position)  # type: ignore[arg-type]
    assert tree.bodies[1].rotation == IDENTITY3
