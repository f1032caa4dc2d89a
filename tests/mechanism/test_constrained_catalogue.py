"""The constrained mechanisms of the catalogue: names, masses, and homes that close their loops, by plain multiplication."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest

from kanegen.codegen.mechanism import JointRate, LoopKind, Mechanism, RollingContact, numeric
from kanegen.codegen.mechanism.catalogue import mechanism
from kanegen.codegen.mechanism.catalogue.planar_linkages import four_bar_tilted

from . import witness
from .witness import Array

ORACLES = Path(__file__).parent.parent / "oracles"
ROUNDING = 32 * 2**-53
"""Products of some ten rotations with entries below 1 and sums of lengths below 3, each rounded a few times."""

SHAPES = {
    "two_link_space_arm": (("q1", "q2"), 2),
    "plate_disk": (("q1", "q2", "q3"), 2),
    "rolling_disc": (("yaw", "lean", "spin", "x", "y"), 3),
    "four_bar": (("q1", "q2", "q3"), 1),
    "four_bar_tilted": (("q1", "q2", "q2y", "q3"), 1),
    "five_bar": (("q1", "q2", "q3", "q4"), 2),
    "whipple_bicycle": (("x", "y", "yaw", "lean", "pitch", "steer", "rear", "front"), 3),
    "stewart_platform": (
        ("x", "y", "z", "yaw", "pitch", "roll", *(f"{c}{i}" for i in range(1, 7) for c in "abl")),
        6,
    ),
}
MASSES = {
    "two_link_space_arm": 15,
    "plate_disk": 3,
    "rolling_disc": 1,
    "four_bar": 0.3 + 0.9 + 0.7,
    "four_bar_tilted": 0.3 + 0.9 + 0.7,
    "five_bar": 4 * 0.5,
    "whipple_bicycle": 2 + 85 + 4 + 3,
    "stewart_platform": 20 + 12,
}


def oracle(name: str) -> dict[str, dict[str, float]]:
    """One of the files of numbers."""
    content: dict[str, dict[str, float]] = json.loads((ORACLES / f"{name}.json").read_text())
    return content


def parameters(model: Mechanism) -> dict[str, float]:
    """The parameters' numbers, by name."""
    return {p.name: float(p.value) for p in model.parameters}


def home(model: Mechanism) -> Array:
    """The home configuration in doubles."""
    return np.array([float(numeric(x, model)) for x in model.home])


def origin(model: Mechanism, q: Array, frame: str) -> Array:
    """The place of a frame."""
    place: Array = witness.frame_pose(model, q, frame)[:3, 3]
    return place


@pytest.mark.parametrize("name", SHAPES)
def test_coordinates_speeds_and_mass(name: str) -> None:
    model = mechanism(name)
    coordinates, speeds = SHAPES[name]
    assert (model.coordinates, model.dof) == (coordinates, speeds)
    assert not model.plain_tree
    masses = [numeric(body.inertia.mass, model) for body in model.bodies if body.inertia is not None]
    assert float(sum(masses)) == pytest.approx(MASSES[name], rel=1e-15)
    g = [float(numeric(x, model)) for x in model.gravity]
    assert math.hypot(*g) == 9.81


@pytest.mark.parametrize("name", ["four_bar", "four_bar_tilted", "five_bar", "stewart_platform"])
def test_home_closes_every_loop(name: str) -> None:
    model = mechanism(name)
    for loop in model.loops:
        first, second = (witness.frame_pose(model, home(model), frame) for frame in (loop.first, loop.second))
        np.testing.assert_allclose(first[:3, 3], second[:3, 3], rtol=0, atol=ROUNDING)
        if loop.kind is LoopKind.REVOLUTE:
            np.testing.assert_allclose(first[:3, 2], second[:3, 2], rtol=0, atol=ROUNDING)


@pytest.mark.parametrize("tilt", [0.2, -0.5])
def test_the_tilted_four_bar_closes_at_any_tilt(tilt: float) -> None:
    model = four_bar_tilted(tilt)
    q = home(model)
    np.testing.assert_allclose(
        origin(model, q, "coupler_tip"), origin(model, q, "rocker_tip"), rtol=0, atol=ROUNDING
    )
    axis = witness.body_poses(model, q)["rocker"][:3, 2]
    np.testing.assert_allclose(axis, [0, -math.sin(tilt), math.cos(tilt)], rtol=0, atol=ROUNDING)


def test_without_tilt_it_stands_as_the_plane_four_bar() -> None:
    plane, tilted = mechanism("four_bar"), four_bar_tilted(0)
    q1, q2, q2y, q3 = home(tilted)
    assert q2y == 0
    assert (q1, q2, q3) == tuple(home(plane))
    assert q1 == pytest.approx(math.pi / 3, rel=1e-15)
    assert origin(plane, home(plane), "coupler_tip")[1] > 0


def test_lengths_of_the_four_bar() -> None:
    model = mechanism("four_bar")
    q = home(model)
    crank, tip, rocker = (origin(model, q, frame) for frame in ("crank_tip", "coupler_tip", "rocker"))
    for ends, length in (
        ((np.zeros(3), crank), 0.3),
        ((crank, tip), 0.9),
        ((tip, rocker), 0.7),
        ((rocker, np.zeros(3)), 1.0),
    ):
        assert float(np.linalg.norm(ends[0] - ends[1])) == pytest.approx(length, abs=ROUNDING)


def test_the_five_bar_stands_symmetrically_with_its_elbows_outwards() -> None:
    model = mechanism("five_bar")
    q = home(model)
    left, right, tip = (origin(model, q, frame) for frame in ("inner1_tip", "inner2_tip", "outer1_tip"))
    np.testing.assert_allclose(tip, [0.3, 0.7, 0], rtol=0, atol=ROUNDING)
    np.testing.assert_allclose(left[:2], [0.6 - right[0], right[1]], rtol=0, atol=ROUNDING)
    assert left[0] < 0 < left[1]
    assert model.speeds == (JointRate("q1"), JointRate("q3"))


def test_legs_of_the_stewart_platform() -> None:
    model = mechanism("stewart_platform")
    q = home(model)
    assert q[:6].tolist() == [0, 0, 0.8, 0, 0, 0]
    poses = witness.body_poses(model, q)
    pairs = ((20, 40), (100, 80), (140, 160), (220, 200), (260, 280), (340, 320))
    for i, (at_base, at_platform) in enumerate(pairs, start=1):
        base = 0.6 * np.array([math.cos(math.radians(at_base)), math.sin(math.radians(at_base)), 0])
        turned = math.radians(at_platform)
        platform = np.array([0.35 * math.cos(turned), 0.35 * math.sin(turned), 0.8])
        np.testing.assert_allclose(poses[f"lower{i}"][:3, 3], base, rtol=0, atol=ROUNDING)
        np.testing.assert_allclose(origin(model, q, f"joint{i}"), platform, rtol=0, atol=ROUNDING)
        length = float(np.linalg.norm(platform - base))
        assert q[model.coordinates.index(f"l{i}")] == pytest.approx(length, abs=ROUNDING)
        np.testing.assert_allclose(
            poses[f"lower{i}"][:3, 2], (platform - base) / length, rtol=0, atol=ROUNDING
        )
    # by symmetry all legs are equally long, and pairs of them mirror each other
    lengths = [q[model.coordinates.index(f"l{i}")] for i in range(1, 7)]
    np.testing.assert_allclose(lengths, lengths[0], rtol=0, atol=ROUNDING)
    # each leg's two rods: mass centres 0.25 m from either end
    for i in range(1, 7):
        for body, along in ((f"lower{i}", 0.25), (f"upper{i}", -0.25)):
            inertia = model.body(body).inertia
            assert inertia is not None
            assert witness.vector(inertia.center, model).tolist() == [0, 0, along]


def test_the_disc_touches_the_ground_at_its_contact_frame() -> None:
    model = mechanism("rolling_disc")
    q = np.array([0.7, -0.4, 2.1, 1.3, -0.8])
    axle, contact = witness.frame_pose(model, q, "axle"), origin(model, q, "contact")
    np.testing.assert_allclose(contact, [1.3, -0.8, 0], rtol=0, atol=ROUNDING)
    arm = axle[:3, 3] - contact
    assert float(np.linalg.norm(arm)) == pytest.approx(0.3, abs=ROUNDING)
    assert float(arm @ axle[:3, 2]) == pytest.approx(0, abs=ROUNDING)
    assert arm[2] == pytest.approx(0.3 * math.cos(-0.4), abs=ROUNDING)
    np.testing.assert_allclose(
        axle[:3, 2], witness.body_poses(model, q)["disc"][:3, 1], rtol=0, atol=ROUNDING
    )
    inertia = model.body("disc").inertia
    assert inertia is not None
    moments = np.diag(witness.matrix(inertia.tensor, model))
    np.testing.assert_allclose(moments, [0.0225, 0.045, 0.0225], rtol=1e-15)


def test_the_edge_of_the_plate_disk() -> None:
    model = mechanism("plate_disk")
    assert parameters(model) == oracle("agrawal_1988")["disk"]["params"]
    q1, q2, q3 = q = np.array([0.4, -0.3, 0.9])
    pose = witness.frame_pose(model, q, "Dstar")
    np.testing.assert_allclose(
        pose[:3, 3], [q1 + 0.5 * math.cos(q3), q2 + 0.5 * math.sin(q3), 0], rtol=0, atol=ROUNDING
    )
    np.testing.assert_allclose(pose[:3, 0], [math.cos(q3), math.sin(q3), 0], rtol=0, atol=ROUNDING)
    assert [(given.joint, float(numeric(given.rate, model))) for given in model.prescribed] == [
        ("plates", 1.7)
    ]


def test_the_space_arm_has_the_papers_mass_matrix_and_energy() -> None:
    """The coefficients of u1', u2' in the corrected equations, and the potential whose gradient is their rest."""
    model = mechanism("two_link_space_arm")
    assert parameters(model) == oracle("two_link_space_arm")["params"]
    (q1, q2) = q = np.array([0.8, -1.1])
    s1, c1, s2, c2 = math.sin(q1), math.cos(q1), math.sin(q2), math.cos(q2)
    k = 5 * 1.25**2
    expected = k * np.array([[80 / 3 + 4 / 3 * s2**2, 4 * c2], [4 * c2, 4 / 3]])
    # sums of a dozen terms below 30 k
    np.testing.assert_allclose(witness.mass_matrix(model, q), expected, rtol=0, atol=12 * 30 * k * 2**-52)
    energy = 5 * 9.81 * 1.25 * (s1 * s2 - 8 * c1)
    assert witness.potential_energy(model, q) == pytest.approx(energy, rel=1e-14)
    assert [given.joint for given in model.prescribed] == ["T_c"]
    assert all(given.rate == 0 for given in model.prescribed)


def test_the_first_three_links_of_the_stanford_arm_have_the_papers_mass_matrix() -> None:
    """Agrawal 1988, the coefficients of the accelerations in equations 29 to 32."""
    model = mechanism("stanford_arm_rrp")
    p = oracle("agrawal_1988")["rrp"]["params"]
    assert parameters(model) == p
    assert model.gravity == (0, 0, 0)
    _, theta2, s3 = q = np.array([0.3, -0.7, 0.9])
    S, C = math.sin(theta2), math.cos(theta2)
    m3, d2 = p["m3"], p["d2"]
    A1 = p["m1"] * p["k13"] ** 2 + (p["m2"] + m3) * d2**2 + p["m2"] * (p["k21"] ** 2 + p["g2"] ** 2)
    A1 += (
        m3 * p["k33"] ** 2 * C**2 + m3 * s3**2 * S**2 - 2 * p["m2"] * p["g2"] * d2 + m3 * p["k31"] ** 2 * S**2
    )
    m22 = p["m2"] * p["k23"] ** 2 + m3 * s3**2 + m3 * p["k31"] ** 2
    expected = [[A1, m3 * s3 * d2 * C, m3 * d2 * S], [m3 * s3 * d2 * C, m22, 0], [m3 * d2 * S, 0, m3]]
    # sums of a dozen terms below 10
    np.testing.assert_allclose(witness.mass_matrix(model, q), expected, rtol=0, atol=12 * 10 * 2**-52)


def test_the_bicycle_has_the_benchmarks_parameters() -> None:
    assert parameters(mechanism("whipple_bicycle")) == oracle("whipple_bicycle")["parameters"]


def test_the_bicycle_stands_on_both_wheels() -> None:
    model = mechanism("whipple_bicycle")
    q = home(model)
    assert not q.any()
    ground = witness.frame_pose(model, q, "ground")
    np.testing.assert_allclose(ground[:3, 2], [0, 0, -1], rtol=0, atol=ROUNDING)
    for axle, radius, x in (("rear_axle", 0.3, 0), ("front_axle", 0.35, 1.02)):
        pose = witness.frame_pose(model, q, axle)
        np.testing.assert_allclose(pose[:3, 3], [x, 0, -radius], rtol=0, atol=ROUNDING)
        np.testing.assert_allclose(pose[:3, 2], [0, 1, 0], rtol=0, atol=ROUNDING)
    H = witness.body_poses(model, q)["H"]
    lam = math.pi / 10
    np.testing.assert_allclose(H[:3, 2], [math.sin(lam), 0, math.cos(lam)], rtol=0, atol=ROUNDING)
    np.testing.assert_allclose(H[:3, 3], [1.1, 0, 0], rtol=0, atol=ROUNDING)
    rolling = [item for item in model.constraints if isinstance(item, RollingContact)]
    assert [(item.name, item.contact) for item in rolling] == [
        ("rear_contact", "contact"),
        ("front_contact", None),
    ]
