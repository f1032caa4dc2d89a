"""The manifest of a generated mechanism, read into records: everything that the runtime knows about a robot."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from kanegen.errors import ManifestError

FORMAT = 1
FILE_NAME = "manifest.json"


@dataclass(frozen=True, slots=True)
class OperationCounts:
    """Arithmetic operations of one evaluation of a kernel; ``sincos`` counts pairs of a sine and a cosine."""

    multiplications: int
    additions: int
    divisions: int
    square_roots: int
    sincos: int


@dataclass(frozen=True, slots=True)
class ArgumentSpec:
    """An input or output of a kernel: its name, its shape (() for a scalar), its unit and what it means."""

    name: str
    shape: tuple[int, ...]
    unit: str
    description: str

    @property
    def size(self) -> int:
        """How many numbers it has."""
        size = 1
        for length in self.shape:
            size *= length
        return size


@dataclass(frozen=True, slots=True)
class KernelSpec:
    """A kernel: its C functions for one state and for rows of states, and its arguments in order."""

    name: str
    function: str
    batch: str
    precision: str
    inputs: tuple[ArgumentSpec, ...]
    outputs: tuple[ArgumentSpec, ...]
    operation_counts: OperationCounts

    @property
    def arguments(self) -> tuple[ArgumentSpec, ...]:
        """Inputs, then outputs, as in C."""
        return self.inputs + self.outputs


@dataclass(frozen=True, slots=True)
class FrameKernels:
    """The kernels of one frame; None where they were not generated."""

    pose: str | None
    jacobian: str | None


@dataclass(frozen=True, slots=True)
class ParameterSpec:
    """A live parameter: its name, the field of the C struct that holds it, its value in the model, its unit."""

    name: str
    field: str
    value: float
    unit: str
    description: str


@dataclass(frozen=True, slots=True)
class Constraints:
    """What restricts the motion of a mechanism, by name.

    ``position``: the k equations of position.  ``velocity``: the m rows of velocity, which are the derivatives of these
    and then the equations of velocity.  ``forces``: the multipliers of the m rows, then the forces that hold or drive
    joints whose motion is prescribed.  ``rank`` rows are independent; the ``redundant`` ones follow from the others, and
    the reactions of the joints ``indeterminate`` are not unique for that reason.
    """

    position: tuple[str, ...]
    velocity: tuple[str, ...]
    forces: tuple[str, ...]
    rank: int
    redundant: tuple[str, ...]
    indeterminate: tuple[str, ...]

    @property
    def position_rank(self) -> int:
        """How many equations of position are independent."""
        rows = self.velocity[: len(self.position)]
        return sum(row not in self.redundant for row in rows)


@dataclass(frozen=True, slots=True)
class BodyCoordinates:
    """Names that belong to the kernels in the coordinates of bodies: bodies, joints, and rows of their equations."""

    bodies: tuple[str, ...]
    joints: tuple[str, ...]
    rows: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Manifest:
    """What was generated.  ``digest`` is the SHA-256 of the manifest file, by which compiled kernels know it.

    ``speed_names`` are the joints' names, and ``home`` is zero, where the file does not say otherwise.
    """

    name: str
    prefix: str
    model_hash: str
    digest: str
    nq: int
    nv: int
    coordinate_names: tuple[str, ...]
    joint_names: tuple[str, ...]
    frame_names: tuple[str, ...]
    gravity: tuple[float, ...]
    kernels: Mapping[str, KernelSpec]
    frames: Mapping[str, FrameKernels]
    actuator_signs: tuple[float, ...] | None
    parameters: Mapping[str, ParameterSpec]
    unavailable: Mapping[str, str] = field(default_factory=dict)
    speed_names: tuple[str, ...] = ()
    home: tuple[float, ...] = ()
    constraints: Constraints | None = None
    body_coordinates: BodyCoordinates | None = None


def _argument(entry: Mapping[str, Any]) -> ArgumentSpec:
    shape = tuple(int(length) for length in entry["shape"])
    return ArgumentSpec(entry["name"], shape, entry.get("unit", ""), entry.get("description", ""))


def _parameter(entry: Mapping[str, Any]) -> ParameterSpec:
    return ParameterSpec(
        entry["name"],
        entry["field"],
        float(entry["value"]),
        entry.get("unit", ""),
        entry.get("description", ""),
    )


def _kernel(name: str, entry: Mapping[str, Any]) -> KernelSpec:
    return KernelSpec(
        name=name,
        function=entry["function"],
        batch=entry["batch"],
        precision=entry["precision"],
        inputs=tuple(_argument(argument) for argument in entry["inputs"]),
        outputs=tuple(_argument(argument) for argument in entry["outputs"]),
        operation_counts=OperationCounts(**entry["operation_counts"]),
    )


def _constraints(entry: Mapping[str, Any]) -> Constraints:
    names = ("position", "velocity", "forces", "redundant", "indeterminate")
    return Constraints(rank=int(entry["rank"]), **{name: tuple(entry[name]) for name in names})


def _body_coordinates(entry: Mapping[str, Any]) -> BodyCoordinates:
    return BodyCoordinates(*(tuple(entry[name]) for name in ("bodies", "joints", "rows")))


def manifest_from(data: Mapping[str, Any], digest: str, where: str) -> Manifest:
    """Records from the parsed JSON.  ``where`` names its origin in errors.  Raises ManifestError."""
    if data.get("format") != FORMAT:
        raise ManifestError(
            f"{where}: manifest format {data.get('format')!r}; expected {FORMAT}. Generate the mechanism again"
        )
    try:
        signs = data["actuator_signs"]
        constraints, bodies = data.get("constraints"), data.get("body_coordinates")
        return Manifest(
            name=data["model"]["name"],
            prefix=data["model"]["prefix"],
            model_hash=data["model"]["hash"],
            digest=digest,
            nq=int(data["nq"]),
            nv=int(data["nv"]),
            coordinate_names=tuple(data["coordinate_names"]),
            joint_names=tuple(data["joint_names"]),
            frame_names=tuple(data["frame_names"]),
            gravity=tuple(float(component) for component in data["gravity"]),
            kernels={name: _kernel(name, entry) for name, entry in data["kernels"].items()},
            frames={
                name: FrameKernels(entry.get("pose"), entry.get("jacobian"))
                for name, entry in data["frames"].items()
            },
            actuator_signs=None if signs is None else tuple(float(sign) for sign in signs),
            parameters={entry["name"]: _parameter(entry) for entry in data["parameters"]},
            unavailable=dict(data.get("unavailable", {})),
            speed_names=tuple(data.get("speed_names") or data["joint_names"]),
            home=tuple(float(q) for q in data.get("home") or [0.0] * int(data["nq"])),
            constraints=None if constraints is None else _constraints(constraints),
            body_coordinates=None if bodies is None else _body_coordinates(bodies),
        )
    except (KeyError, TypeError) as error:
        raise ManifestError(
            f"{where}: the manifest is incomplete ({error!r}). Generate the mechanism again"
        ) from error


def read_manifest(directory: Path) -> Manifest:
    """Read ``manifest.json`` of a generated mechanism.  Raises ManifestError when it cannot be used."""
    path = directory / FILE_NAME
    try:
        content = path.read_bytes()
        data = json.loads(content)
    except (OSError, ValueError) as error:
        raise ManifestError(f"{path}: cannot be read ({error}). Generate the mechanism again") from error
    return manifest_from(data, hashlib.sha256(content).hexdigest(), str(path))
