"""The manifest, entry by entry."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from typing import Any

from emitted.live import live_model
from emitted.programs import double_pendulum, model

from kanegen.codegen.emit import (
    Model,
    generated_files,
)
from kanegen.codegen.version import GENERATOR
from kanegen.manifest import BodyCoordinates, Certificate, Constraints, FrameKernels


def manifest(generated: Model) -> dict[str, Any]:
    content: dict[str, Any] = json.loads(generated_files(generated)["manifest.json"])
    return content


def test_entries() -> None:
    generated = model(
        replace(double_pendulum(), name="frame_pose_hand"),
        frame_names=("hand",),
        frames={"hand": FrameKernels("frame_pose_hand", None)},
        actuator_signs=(1, -1),
        mangled={"left elbow": "left_elbow"},
        options={"speeds": "joint", "kernels": ("a", "b")},
        certificate=Certificate({"frame_pose_hand": 1e-13}, 1000, "largest error"),
        single_precision=True,
        unavailable={"forward_dynamics": "no inertia"},
    )
    found = manifest(generated)
    kernels = found.pop("kernels")
    files = found.pop("files")
    functions = found.pop("functions")
    assert found == {
        "format": 1,
        "generator": GENERATOR,
        "model": {"name": "arm", "prefix": "arm", "hash": "0123456789abcdef" * 4},
        "nq": 2,
        "nv": 2,
        "coordinate_names": ["shoulder", "elbow"],
        "joint_names": ["shoulder", "elbow"],
        "frame_names": ["hand"],
        "body_names": ["upper", "lower"],
        "mangled": {"left elbow": "left_elbow"},
        "gravity": [0.0, 0.0, -9.81],
        "options": {"speeds": "joint", "kernels": ["a", "b"], "sincos": "vector", "single_precision": True},
        "unavailable": {"forward_dynamics": "no inertia"},
        "frames": {"hand": {"pose": "frame_pose_hand", "jacobian": None}},
        "actuator_signs": [1, -1],
        "parameters": [],
        "prepared": [],
        "certificate": {"bounds": {"frame_pose_hand": 1e-13}, "states": 1000, "meaning": "largest error"},
    }
    assert (
        functions["arm_frame_pose_hand"]
        == "const double q[2], const double v[2], const double a[2], double tau[2]"
    )
    batch = "size_t count, const float *q, const float *v, const float *a, float *tau"
    assert functions["arm_frame_pose_hand_batch_f32"] == batch
    assert list(kernels) == ["frame_pose_hand", "frame_pose_hand_f32"]
    double, single = kernels.values()
    assert double["function"] == "arm_frame_pose_hand"
    assert double["batch"] == "arm_frame_pose_hand_batch"
    assert single["function"] == "arm_frame_pose_hand_f32"
    assert single["batch"] == "arm_frame_pose_hand_batch_f32"
    assert (double["precision"], single["precision"]) == ("double", "single")
    assert double["inputs"][0] == {"name": "q", "shape": [2], "unit": "rad", "description": "the input q"}
    assert [output["name"] for output in double["outputs"]] == ["tau"]
    assert double["operation_counts"] == {
        "multiplications": 12,
        "additions": 7,
        "divisions": 0,
        "square_roots": 0,
        "sincos": 3,
    }
    expected = {n: hashlib.sha256(c).hexdigest() for n, c in generated_files(generated).items()}
    assert files == {name: digest for name, digest in expected.items() if name != "manifest.json"}


def test_constrained_entries() -> None:
    plain = manifest(model(double_pendulum()))
    assert not {"speed_names", "home", "constraints", "body_coordinates"} & set(plain)
    found = manifest(
        model(
            double_pendulum(),
            speed_names=("u1", "u2"),
            home=(0.5, 1.0),
            constraints=Constraints(("pin x",), ("pin x", "blade"), ("pin x", "blade", "motor"), 2),
            body_coordinates=BodyCoordinates(("upper",), ("hinge",), ("hinge 1", "hinge 2")),
        )
    )
    assert {name: found[name] for name in found if name not in plain} == {
        "speed_names": ["u1", "u2"],
        "home": [0.5, 1.0],
        "constraints": {
            "position": ["pin x"],
            "velocity": ["pin x", "blade"],
            "forces": ["pin x", "blade", "motor"],
            "rank": 2,
            "redundant": [],
            "indeterminate": [],
        },
        "body_coordinates": {"bodies": ["upper"], "joints": ["hinge"], "rows": ["hinge 1", "hinge 2"]},
    }


def test_live_parameters() -> None:
    found = manifest(live_model())
    names = [(entry["name"], entry["field"], entry["value"]) for entry in found["parameters"]]
    assert names == [
        ("m", "m_live", 2.0),
        ("l", "l_live", 0.75),
        ("double", "double_live", 9.81),
        ("tilt", "tilt_live", 0.1),
    ]
    assert found["parameters"][0]["unit"] == "kg"
    assert len(found["prepared"]) == len(set(found["prepared"])) > 0


def test_functions_never_share_a_name() -> None:
    """A frame called A_batch: its pose would meet the batch of the pose of A."""
    kernels = [
        replace(double_pendulum(), name=name) for name in ("pose_A", "pose_A_batch", "prepare", "pose_A_f32")
    ]
    found = manifest(model(*kernels, single_precision=True))["kernels"].values()
    functions = [entry[kind] for entry in found for kind in ("function", "batch")]
    assert len(set(functions)) == len(functions)
    assert "arm_prepare" not in functions
