"""The Stanford Arm of the catalogue against the published conventions and independently computed states."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from kanegen.codegen.mechanism import AngularVelocityComponent, JointKind, JointRate, ModelError, numeric
from kanegen.codegen.mechanism.catalogue import mechanism, names
from kanegen.codegen.mechanism.catalogue.stanford_arm import kane_levinson_speeds

from . import witness

ORACLES = Path(__file__).parent.parent / "oracles"
ARM = mechanism("stanford_arm")


def test_chain_order_and_signs() -> None:
    assert ARM.coordinates == ("q1", "q2", "q3", "q4", "q5", "q6")
    assert [joint.name for joint in ARM.joints] == ["q1", "q2", "q6", "q3", "q4", "q5"]
    assert [joint.child for joint in ARM.joints] == list("ABCDEF")
    assert [j.name for j in ARM.joints if j.kind is JointKind.PRISMATIC] == ["q6"]
    assert [frame.name for frame in ARM.frames] == list("ABCDEF")
    assert [(a.joint, a.name, a.sign) for a in ARM.actuators] == [
        ("q1", "tau1", 1),
        ("q2", "tau2", -1),
        ("q3", "tau3", -1),
        ("q4", "tau4", -1),
        ("q5", "tau5", -1),
        ("q6", "sigma", -1),
    ]
    assert [float(numeric(g, ARM)) for g in ARM.gravity] == [0, -9.81, 0]


@pytest.mark.parametrize(("q2", "expected"), [(0, (0.1, 0.9, 0)), (np.pi / 2, (0.1, 0.1, 0.8))])
def test_place_of_the_hands_mass_centre(q2: float, expected: tuple[float, float, float]) -> None:
    pose = witness.body_poses(ARM, np.array([0, q2, 0, 0, 0, 0]))["F"]
    inertia = ARM.body("F").inertia
    assert inertia is not None
    center = pose @ np.append(witness.vector(inertia.center, ARM), 1)
    # sums of five lengths below 1, rounded: a few ulp of 1
    np.testing.assert_allclose(center[:3], expected, rtol=0, atol=8 * 2**-53)


def test_parameters_are_those_of_appendix_3() -> None:
    expected = json.loads((ORACLES / "stanford_arm_states.json").read_text())["params"]
    ours = {p.name: float(p.value) for p in ARM.parameters}
    renamed = {name.replace("CC", "C"): value for name, value in expected.items()}
    assert ours == renamed


def test_energies_of_independent_states() -> None:
    """Kinetic + potential energy, zero at A*, of 100 states, from engines that know nothing of these
    records."""
    states = json.loads((ORACLES / "stanford_arm_states.json").read_text())["vectors"]
    for state in states:
        q, v = np.array(state["q"]), np.array(state["qd"])
        kinetic = v @ witness.mass_matrix(ARM, q) @ v / 2
        energy = kinetic + witness.potential_energy(ARM, q)
        # some 300 terms: the potentials of the bodies, below 21 kg * g * 1 m in all, and the kinetic part
        scale = 21 * 9.81 + kinetic
        assert energy == pytest.approx(state["energy"], rel=0, abs=300 * scale * 2**-53)


def test_generalized_speeds_of_the_paper() -> None:
    assert [type(u) for u in kane_levinson_speeds] == [AngularVelocityComponent] * 3 + [JointRate] * 3
    directions = [[int(c) for c in u.direction] for u in kane_levinson_speeds[:3]]
    assert directions == np.eye(3, dtype=int).tolist()
    assert {u.body for u in kane_levinson_speeds[:3]} == {"D"}
    assert [u.joint for u in kane_levinson_speeds[3:]] == ["q4", "q5", "q6"]

    # u1, u2, u3 as printed in the paper (its equations for the speeds), from D's angular velocity
    rng = np.random.default_rng(2)
    q, v = rng.uniform(-2, 2, 6), rng.uniform(-2, 2, 6)
    poses = witness.body_poses(ARM, q)
    omega = sum(
        poses[joint.child][:3, :3] @ witness.vector(joint.axis, ARM) * v[ARM.coordinates.index(joint.name)]
        for joint in ARM.joints
        if joint.name in ("q1", "q2", "q3")
    )
    s2, c2, s3, c3 = np.sin(q[1]), np.cos(q[1]), np.sin(q[2]), np.cos(q[2])
    printed = [v[0] * s2 * s3 + v[1] * c3, v[0] * c2 + v[2], -v[0] * s2 * c3 + v[1] * s3]
    # sums of two or three products below 4
    np.testing.assert_allclose(poses["D"][:3, :3].T @ omega, printed, rtol=0, atol=20 * 4 * 2**-53)


def test_the_catalogue_lists_what_there_is() -> None:
    assert "stanford_arm" in names()
    for name in names():
        assert mechanism(name).name == name
    with pytest.raises(ModelError, match=r"mechanism 'stanford': is not built in"):
        mechanism("stanford")
