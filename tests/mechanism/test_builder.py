"""The builder: what it accepts, what it makes exact, and every way in which a description can be wrong."""

from __future__ import annotations

import logging
import math
import pickle
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest

from kanegen.codegen.mechanism import JointKind, Mechanism, MechanismBuilder, ModelError, numeric

from . import witness

X, Y, Z = (1, 0, 0), (0, 1, 0), (0, 0, 1)
Step = Callable[[MechanismBuilder], object]


def hinge(**body: object) -> Mechanism:
    """One body on a revolute joint about x."""
    builder = MechanismBuilder("hinge")
    builder.body("link", **body)
    builder.revolute("q1", "base", "link", X)
    return builder.build()


def test_inertia_given_along_turned_axes() -> None:
    """Case 1: diag(1, 2, 2.5) turned by a yaw of 90 degrees presents 2 to an axis x."""
    mechanism = hinge(mass=1, inertia=(1, 2, 2.5), inertia_rotation=(0, 0, math.pi / 2))
    assert witness.mass_matrix(mechanism, np.zeros(1)).tolist() == [[2.0]]
    by_matrix = hinge(mass=1, inertia=(1, 2, 2.5), inertia_rotation=((0, -1, 0), (1, 0, 0), (0, 0, 1)))
    assert by_matrix.body("link").inertia == mechanism.body("link").inertia


def test_axes_are_normalised_with_a_note(caplog: pytest.LogCaptureFixture) -> None:
    """Case 2: (0, 0, 2) is z, never four times the inertia."""
    builder = MechanismBuilder("m")
    builder.body("link", mass=1, inertia=(1, 1, 1))
    with caplog.at_level(logging.INFO):
        builder.revolute("elbow", "base", "link", (0, 0, 2))
    assert builder.build().joint("elbow").axis == (0, 0, 1)
    assert "joint 'elbow'" in caplog.text
    assert "2 normalised" in caplog.text


def test_oblique_axes_are_normalised_exactly() -> None:
    builder = MechanismBuilder("m")
    builder.body("a", mass=1, inertia=(1, 1, 1))
    builder.body("b", mass=1, inertia=(1, 1, 1))
    builder.revolute("q1", "base", "a", (3, 0, -4))
    builder.revolute("q2", "a", "b", (1, 1, 1))
    mechanism = builder.build()
    assert mechanism.joint("q1").axis == (Fraction(3, 5), 0, Fraction(-4, 5))
    axis = mechanism.joint("q2").axis
    # numbers of 60 digits: the squares of three of them err by less than 1e-58
    assert abs(sum(numeric(c, mechanism) ** 2 for c in axis) - 1) < Fraction(1, 10**58)


def test_a_negative_axis_reverses_the_coordinate() -> None:
    """Case 3: the same motion with the opposite sign."""
    poses = []
    for axis, q in (((1, 0, 0), 0.3), ((-1, 0, 0), -0.3)):
        builder = MechanismBuilder("m")
        builder.body("link", mass=1, inertia=(1, 1, 1))
        builder.revolute("q1", "base", "link", axis)
        poses.append(witness.body_poses(builder.build(), np.array([q]))["link"])
    np.testing.assert_array_equal(*poses)


def test_joints_are_sorted_depth_first() -> None:
    builder = MechanismBuilder("tree")
    for name in ("hand", "left", "arm", "right", "finger"):
        builder.body(name, mass=1, inertia=(1, 1, 1))
    builder.revolute("j_finger", "hand", "finger", X)
    builder.revolute("j_hand", "arm", "hand", X)
    builder.prismatic("j_left", "base", "left", X)
    builder.revolute("j_arm", "left", "arm", Y)
    builder.fixed("j_right", "left", "right")
    mechanism = builder.build()
    order = ["j_left", "j_arm", "j_hand", "j_finger", "j_right"]
    assert [joint.name for joint in mechanism.joints] == order
    assert [body.name for body in mechanism.bodies] == ["left", "arm", "hand", "finger", "right"]
    assert mechanism.coordinates == tuple(order[:-1])
    assert mechanism.joint("j_right").kind is JointKind.FIXED
    assert [frame.name for frame in mechanism.frames] == [body.name for body in mechanism.bodies]
    builder.coordinates(["j_hand", "j_arm", "j_finger", "j_left"])
    assert builder.build().coordinates == ("j_hand", "j_arm", "j_finger", "j_left")


def test_quarter_turns_and_rounded_matrices_are_exact() -> None:
    c, s = math.cos(math.pi / 2), math.sin(math.pi / 2)  # c is 6e-17
    by_angles = _placed((math.pi / 2, 0, -math.pi))
    by_matrix = _placed(np.array([[-1, 0, 0], [0, -c, s], [0, s, c]]) + 0.0)
    assert by_angles == by_matrix == ((-1, 0, 0), (0, 0, 1), (0, 1, 0))


def test_a_rounded_matrix_becomes_orthonormal_and_keeps_its_zeros() -> None:
    a, b = 0.3, 1.1
    rounded = [
        [math.cos(a) * math.cos(b), -math.sin(a), math.cos(a) * math.sin(b)],
        [math.sin(a) * math.cos(b), math.cos(a), math.sin(a) * math.sin(b)],
        [-math.sin(b), 0.0, math.cos(b)],
    ]
    rotation = _placed(rounded)
    exact = [[Fraction(entry) for entry in row] for row in rotation]
    for i in range(3):
        for j in range(3):
            product = sum(exact[i][k] * exact[j][k] for k in range(3))
            assert abs(product - (i == j)) < Fraction(1, 10**55)
    assert exact[2][1] == 0
    # Gram-Schmidt moves entries by no more than the departure of the doubles, a few of 2^-53
    np.testing.assert_allclose(np.array(exact, dtype=float), rounded, rtol=0, atol=4 * 2**-52)


def _placed(rotation: object) -> object:
    builder = MechanismBuilder("m")
    builder.body("link", mass=1, inertia=(1, 1, 1))
    builder.revolute("q1", "base", "link", X, rotation=rotation)
    return builder.build().joint("q1").rotation


def test_roll_pitch_yaw_turn_about_fixed_axes() -> None:
    angles = (0.3, -0.7, 1.9)
    rotation = np.array([[float(entry) for entry in row] for row in _placed(angles)])
    expected = np.eye(3)
    for axis, angle in zip(np.eye(3), angles, strict=True):
        expected = witness.rotation_about(axis, angle) @ expected
    # products of two rotations of rounded sines: a few ulp of 1
    np.testing.assert_allclose(rotation, expected, rtol=0, atol=8 * 2**-53)


def test_six_entries_and_the_matrix_are_the_same_tensor() -> None:
    six = hinge(mass=1, inertia=(3, 4, 5, 0.1, 0.2, 0.3))
    matrix = hinge(mass=1, inertia=np.array([[3, 0.1, 0.2], [0.1, 4, 0.3], [0.2, 0.3, 5]]))
    assert six == matrix


def test_bodies_without_inertia_and_point_masses_are_told_apart() -> None:
    assert hinge().body("link").inertia is None
    point = hinge(mass=2, center=(0, 0, 0.5)).body("link").inertia
    assert point is not None
    assert all(entry == 0 for row in point.tensor for entry in row)


@pytest.mark.parametrize("moments", [(0, 1, 1), (1, 2, 3), (0.1, 0.2, 0.3), (2, 2, 2)])
def test_rods_and_plates_are_physical(moments: tuple[float, ...]) -> None:
    hinge(mass=1, inertia=moments, inertia_rotation=(0.3, 0.4, 0.5))


def test_unphysical_bodies_pass_on_request() -> None:
    """Case 12."""
    builder = MechanismBuilder("m")
    builder.body("link", mass=1, inertia=(1, 1, 5))
    builder.revolute("q1", "base", "link", X)
    with pytest.raises(ModelError, match="principal moments 1, 1, 5"):
        builder.build()
    assert builder.build(allow_unphysical=True).dof == 1


def test_live_parameters_may_stand_anywhere() -> None:
    builder = MechanismBuilder("m")
    m = builder.parameter("m", 2, "kg", "mass")
    length = builder.parameter("l", "0.5", "m")
    angle = builder.parameter("angle", math.pi / 2, "rad")
    builder.gravity((0, 0, -m * 4))
    builder.body("link", mass=m, center=(0, 0, length / 2), inertia=(m * length, m * length, 0))
    builder.revolute("q1", "base", "link", (length, 0, 0), position=(0, -length, 0), rotation=(angle, 0, 0))
    mechanism = builder.build()
    assert [numeric(c, mechanism) for c in mechanism.gravity] == [0, 0, -8]
    joint = mechanism.joint("q1")
    assert [[numeric(c, mechanism) for c in row] for row in joint.rotation] == [
        [1, 0, 0],
        [0, 0, -1],
        [0, 1, 0],
    ]
    assert [numeric(c, mechanism) for c in joint.axis] == [1, 0, 0]
    assert [p.value for p in mechanism.parameters[:2]] == [2, Fraction(1, 2)]


def good(builder: MechanismBuilder) -> None:
    """A body that moves, so that only the fault under test is wrong."""
    builder.body("ok", mass=1, inertia=(1, 1, 1))
    builder.revolute("fine", "base", "ok", X)


BAD: list[tuple[str, Step, str]] = [
    (
        "zero axis",
        lambda b: (b.body("a"), b.revolute("elbow", "ok", "a", (0, 0, 0))),
        r"joint 'elbow', axis: is the zero",
    ),
    ("short axis", lambda b: b.revolute("elbow", "base", "a", (0, 1)), r"joint 'elbow', axis: has 2 entries"),
    ("scalar axis", lambda b: b.revolute("elbow", "base", "a", 3), r"joint 'elbow', axis: is 3"),
    ("text axis", lambda b: b.revolute("elbow", "base", "a", "0 0 1"), r"joint 'elbow', axis: is '0 0 1'"),
    ("comma", lambda b: b.revolute("e", "base", "a", X, ("0,3", 0, 0)), "position: not a finite number"),
    ("nan", lambda b: b.body("a", mass=math.nan), r"body 'a', mass: not a finite number, nan"),
    ("infinite", lambda b: b.frame("f", "ok", (0, math.inf, 0)), "frame 'f', position: not a finite"),
    (
        "matrix",
        lambda b: b.fixed("e", "ok", "a", rotation=((1, 0, 0), (0, 1, 0), (0, 0.1, 1))),
        r"not orthonormal",
    ),
    (
        "mirror",
        lambda b: b.fixed("e", "ok", "a", rotation=((1, 0, 0), (0, 1, 0), (0, 0, -1))),
        r"a reflection",
    ),
    ("ragged", lambda b: b.fixed("e", "ok", "a", rotation=((1, 0, 0), (0, 1), (0, 0, 1))), r"has 2 entries"),
    ("mixed", lambda b: b.fixed("e", "ok", "a", rotation=((1, 0, 0), 0, 0)), r"rotation: is 0"),
    (
        "asymmetric",
        lambda b: b.body("a", 1, inertia=((1, 0.1, 0), (0.2, 1, 0), (0, 0, 1))),
        r"Ixy is 0\.1 and Iyx is 0\.2",
    ),
    ("four moments", lambda b: b.body("a", 1, inertia=(1, 1, 1, 0)), r"body 'a', inertia: has 4 entries"),
    ("no mass", lambda b: b.body("a", inertia=(1, 1, 1)), "body 'a': has a mass centre or an inertia but"),
    ("body twice", lambda b: b.body("ok", mass=1), r"body 'ok': the name is given twice"),
    ("joint twice", lambda b: b.revolute("fine", "base", "ok", X), r"joint 'fine': the name is given twice"),
    ("frame twice", lambda b: (b.frame("f", "ok"), b.frame("f", "ok")), "frame 'f': the name is given"),
    ("frame of a body", lambda b: b.frame("ok", "ok"), r"frame 'ok': the name is given twice"),
    (
        "parameter twice",
        lambda b: (b.parameter("p", 1, ""), b.parameter("p", 1, "")),
        r"parameter 'p': the name",
    ),
    (
        "parameter of another",
        lambda b: b.parameter("p", b.parameter("o", 1, ""), ""),
        r"its value is an expression",
    ),
    ("empty name", lambda b: b.body("", mass=1), r"body '': has no name"),
    (
        "name of the base",
        lambda b: (b.body("base", 1), b.fixed("e", "ok", "base")),
        r"body 'base': this name belongs",
    ),
    ("base moved", lambda b: b.fixed("e", "ok", "base"), r"joint 'e': its child is 'base'"),
    ("unknown parent", lambda b: (b.body("a"), b.fixed("e", "oq", "a")), "joint 'e': its parent 'oq' is"),
    ("unknown child", lambda b: b.fixed("e", "ok", "a"), r"joint 'e': its child 'a' is not a body"),
    ("orphan", lambda b: b.body("lonely", mass=1), r"body 'lonely': hangs on nothing"),
    (
        "two parents",
        lambda b: (b.body("a"), b.fixed("e1", "ok", "a"), b.fixed("e2", "base", "a")),
        r"body 'a': has two parents, by joints 'e1' \(from 'ok'\) and 'e2' \(from 'base'\).*loop",
    ),
    (
        "cycle",
        lambda b: (b.body("a"), b.body("c"), b.fixed("e1", "a", "c"), b.fixed("e2", "c", "a")),
        r"joints 'e1', 'e2': form a cycle",
    ),
    ("own parent", lambda b: (b.body("a"), b.fixed("e", "a", "a")), r"joints 'e': form a cycle"),
    ("coordinate missing", lambda b: b.coordinates([]), r"coordinates: are \(none\)"),
    ("coordinate twice", lambda b: b.coordinates(["fine", "fine"]), r"coordinates: are 'fine', 'fine'"),
    ("coordinate unknown", lambda b: b.coordinates(["fin"]), r"coordinates: are 'fin'"),
    ("actuator unknown", lambda b: b.actuator("fin"), "actuator 'fin': acts on 'fin', which is no"),
    ("actuator sign", lambda b: b.actuator("fine", 2), r"actuator 'fine': has the sign 2"),
    ("actuator twice", lambda b: (b.actuator("fine"), b.actuator("fine", 1, "m")), "actuator 'm': is the"),
    ("frame nowhere", lambda b: b.frame("f", "oq"), r"frame 'f': is fixed in 'oq'"),
    ("gravity", lambda b: b.gravity((0, 0)), r"gravity: has 2 entries"),
    (
        "negative mass",
        lambda b: (b.body("a", -1), b.fixed("e", "ok", "a")),
        r"body 'a', mass: is negative, -1\.0 kg",
    ),
    (
        "negative moment",
        lambda b: (b.body("a", 1, inertia=(1, 1, -2)), b.fixed("e", "ok", "a")),
        r"body 'a', inertia: principal moments -2, 1, 1 kg m\^2: one is negative",
    ),
    (
        "triangle",
        lambda b: (b.body("a", 1, inertia=(1, 1, 5)), b.fixed("e", "ok", "a")),
        r"body 'a', inertia: principal moments 1, 1, 5 kg m\^2: the largest exceeds",
    ),
    (
        "parameter of another mechanism",
        lambda b: (b.body("a", MechanismBuilder("other").parameter("p", 1, "kg")), b.fixed("e", "ok", "a")),
        r"body 'a', mass: depends on 'p'",
    ),
    (
        "value without a number",
        lambda b: (b.body("a", 1 / b.parameter("p", 0, "kg")), b.fixed("e", "ok", "a")),
        r"body 'a', mass: has no number",
    ),
    (
        "axis vanishing at the parameters' values",
        lambda b: (b.body("a"), b.revolute("e", "ok", "a", (b.parameter("p", 0, ""), 0, 0))),
        r"joint 'e', axis: has no number",
    ),
]


@pytest.mark.parametrize(("step", "message"), [case[1:] for case in BAD], ids=[case[0] for case in BAD])
def test_what_is_wrong_is_named(step: Step, message: str) -> None:
    builder = MechanismBuilder("m")
    good(builder)

    def attempt() -> None:
        step(builder)
        builder.build()

    with pytest.raises(ModelError, match=message) as caught:
        attempt()
    error = caught.value
    assert all((error.where, error.what, error.expected, error.cure))
    assert "\n" not in str(error)


def test_two_graphs_in_one_mechanism_are_refused() -> None:
    builder = MechanismBuilder("m")
    own = builder.parameter("p", 1, "kg")
    builder.body("a", own)
    builder.body("b", MechanismBuilder("other").parameter("p", 1, "kg"))
    builder.revolute("q1", "base", "a", X)
    builder.revolute("q2", "a", "b", X)
    with pytest.raises(ModelError, match="body 'b', mass: uses parameters of another mechanism"):
        builder.build()


def test_a_mechanism_must_move() -> None:
    builder = MechanismBuilder("rock")
    builder.body("a", mass=1)
    builder.fixed("weld", "base", "a")
    with pytest.raises(ModelError, match="mechanism 'rock': nothing in it can move"):
        builder.build()


def test_errors_cross_process_boundaries() -> None:
    error = ModelError("joint 'a'", "is odd", "even", "Mend it.")
    again = pickle.loads(pickle.dumps(error))
    assert (again.where, again.what, again.expected, again.cure) == (
        "joint 'a'",
        "is odd",
        "even",
        "Mend it.",
    )
    assert str(again) == str(error) == "joint 'a': is odd; expected even. Mend it."
