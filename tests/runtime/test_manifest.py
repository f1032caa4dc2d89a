"""The manifest as records: what is written is read again, and what is damaged is refused with a reason."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest

import kanegen
from kanegen.errors import ManifestError
from kanegen.json_records import from_json, to_json
from kanegen.manifest import (
    BodyCoordinates,
    Certificate,
    Constraints,
    FrameKernels,
    JointLimits,
    KernelSpec,
    Manifest,
    NamedValue,
    OperationCounts,
    Parameter,
    RoundedAngles,
    manifest_from,
    manifest_text,
    parse_manifest,
)

ROOT = Path(__file__).parents[2]
FOLDERS = (ROOT / "generated" / "stanford_arm", *sorted((ROOT / "tests" / "runtime" / "models").iterdir()))

FULL = Manifest(
    name="a b",
    prefix="a_b",
    hash="0" * 64,
    nq=5,
    nv=4,
    coordinate_names=("x", "qx", "qy", "qz", "qw"),
    joint_names=("x", "ball"),
    speed_names=("x", "wx", "wy", "wz"),
    quaternions=(1,),
    rounded_angles=RoundedAngles(2, 1e-12, 1e-15),
    limits={"x": JointLimits(lower=-1.0, effort=5.0)},
    modes={"bend": 0.1},
    link_ends={"link": {"bend": (0.0, 0.1, 0.2)}},
    meeting_ends=(("spring", "one", "two"),),
    base_parameters=(NamedValue("m", 1.0),),
    optional_kernels=("coriolis_matrix",),
    frame_names=("a tip", "b"),
    mangled={"a tip": "a_tip"},
    gravity=(0.0, 0.0, -9.81),
    options={"speeds": "kane", "coulomb_friction": True},
    kernels={
        "frame_pose_b": KernelSpec(
            name="frame_pose_b",
            function="a_b_pose",
            batch="a_b_pose_batch",
            precision="double",
            through_speeds=False,
            inputs=(),
            outputs=(),
            operation_counts=OperationCounts(multiplications=3, functions=1),
        )
    },
    left_out=("momentum",),
    frames={"a tip": FrameKernels(), "b": FrameKernels("frame_pose_b")},
    asked={"arguments": [["a", "b"]]},
    constraints=Constraints(("p",), ("p", "q"), ("p", "q", "r"), 1, ("q",), ("x",)),
    body_coordinates=BodyCoordinates(("b",), ("x",), ("x 1",)),
    parameters=(Parameter("m", "m_live", 2.0, "kg"),),
    prepared=("p0",),
    functions={
        "a_b_pose": "const a_b_prepared *prepared, const double q[5], double X[16]",
        "a_b_pose_batch": "const a_b_prepared *prepared, size_t count, const double *q, double *X",
    },
    certificate=Certificate(
        {"frame_pose_b": 1e-11}, 100, checks={"M = M^T": ("mass_matrix",)}, check_bound=1e-12
    ),
)


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_files_are_read_and_written_as_they_are(folder: Path) -> None:
    data = json.loads((folder / "manifest.json").read_text(encoding="ascii"))
    written = to_json(from_json(Manifest, data))
    assert {name: written[name] for name in data if name != "kernels"} == {
        name: value for name, value in data.items() if name != "kernels"
    }
    for name, kernel in data["kernels"].items():
        assert kernel == {key: written["kernels"][name][key] for key in kernel}


def test_what_is_written_is_read_again_with_what_follows() -> None:
    found = parse_manifest(manifest_text(FULL).encode("ascii"), "here")
    assert from_json(Manifest, to_json(FULL)) == FULL
    assert found.home == (0.0, 0.0, 0.0, 0.0, 1.0)
    assert found.constraints is not None and found.constraints.sizes == (1.0,)
    assert (found.identifier("a tip"), found.speeds_chosen, found.coulomb_friction) == ("a_tip", True, True)


def test_what_has_its_default_is_not_written() -> None:
    data = to_json(FULL)
    assert data["limits"] == {"x": {"lower": -1.0, "effort": 5.0}}
    assert "selections" not in data["kernels"]["frame_pose_b"]["operation_counts"]
    assert not {"home", "digest", "inertial_parameters", "warnings"} & set(data)
    assert data["unavailable"] == {} and data["actuator_signs"] is None


DAMAGES: dict[str, tuple[str, Any]] = {
    "model is missing": ("model", ...),
    "model.hash is missing": ("model.hash", ...),
    "hash .* is no SHA-256": ("model.hash", "0" * 63),
    "is no identifier of C": ("model.prefix", "a-b"),
    "nq is True, no whole number": ("nq", True),
    "nq is inf, no whole number": ("nq", float("inf")),
    "5 names for 6 coordinates": ("nq", 6),
    "5 names for 10{30} coordinates": ("nq", 10**30),
    "coordinate_names is 'abcde', no list": ("coordinate_names", "abcde"),
    r"coordinate_names\[1\] is 1, no text": ("coordinate_names", ["x", 1, "a", "b", "c"]),
    "gravity has 2 entries in place of 3": ("gravity", [0, 0]),
    r"gravity\[0\] is nan, no finite number": ("gravity", [float("nan"), 0, 0]),
    r"gravity\[2\] is 1000.*, no finite number": ("gravity", [0, 0, 10**400]),
    r"kernels is \[\], no object": ("kernels", []),
    "kernels.frame_pose_b is None, no object": ("kernels.frame_pose_b", None),
    "kernels.frame_pose_b.operation_counts.additions is missing": (
        "kernels.frame_pose_b.operation_counts.additions",
        ...,
    ),
    "functions lack": ("functions", {}),
    "is no function of C": ("functions.a_b_pose", "void *x); system(0"),
    "2 rows, 2 of them redundant": ("constraints.redundant", ["p", "q"]),
    "actuator signs: expected 4": ("actuator_signs", [1]),
    "home: expected 5": ("home", [0.0]),
    "list assignment index out of range": ("quaternions", [9]),
    "manifest format '1'; expected 1": ("format", "1"),
}


@pytest.mark.parametrize("message", DAMAGES)
def test_damages_are_refused_with_a_reason(message: str) -> None:
    place, value = DAMAGES[message]
    data = copy.deepcopy(to_json(FULL))
    *way, last = place.split(".")
    parent = data
    for name in way:
        parent = parent[name]
    if value is ...:
        del parent[last]
    else:
        parent[last] = value
    with pytest.raises(ManifestError, match=f"here: .*{message}"):
        manifest_from(data, "", "here")


def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "manifest.json").write_text("{")
    with pytest.raises(ManifestError, match=r"manifest.json: cannot be read"):
        kanegen.load(tmp_path)
