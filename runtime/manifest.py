"""The manifest of a generated mechanism, read into records: everything that the runtime knows about a robot."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from kanegen.errors import ManifestError
from kanegen.files import contents

LinkEnds = Mapping[str, Mapping[str, tuple[float, ...]]]
"""By flexible link and mode, what an amplitude of 1 does to the link's end: it turns it by the first three numbers [rad],
and moves it by the others times its distance from the near end."""

FORMAT = 1
FILE_NAME = "manifest.json"


@dataclass(frozen=True, slots=True)
class OperationCounts:
    """Arithmetic operations of one evaluation of a kernel; ``sincos`` counts pairs of a sine and a cosine.

    ``functions`` counts calls of further functions, ``selections`` comparisons and choices between two values.
    """

    multiplications: int
    additions: int
    divisions: int
    square_roots: int
    sincos: int
    functions: int = 0
    selections: int = 0


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
    """The kernels of one frame, None where they were not generated, and how its name ends those of its other kernels."""

    pose: str | None
    jacobian: str | None
    identifier: str


@dataclass(frozen=True, slots=True)
class ParameterSpec:
    """A live parameter: its name, the field of the C struct that holds it, its value in the model, its unit."""

    name: str
    field: str
    value: float
    unit: str
    description: str


@dataclass(frozen=True, slots=True)
class JointLimits:
    """What a joint must not exceed: range [rad, m], speed [rad/s, m/s], force [N m, N].  None: the model gives none."""

    lower: float | None = None
    upper: float | None = None
    velocity: float | None = None
    effort: float | None = None


@dataclass(frozen=True, slots=True)
class NamedValues:
    """Numbers with names, in order: the parameters that a regressor is multiplied with."""

    names: tuple[str, ...] = ()
    values: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class Constraints:
    """What restricts the motion of a mechanism, by name.

    ``position``: the k equations of position.  ``velocity``: the m rows of velocity, which are the derivatives of these
    and then the equations of velocity.  ``forces``: the multipliers of the m rows, then the forces that hold or drive
    joints whose motion is prescribed.  ``sizes``: against what an equation of position is open, the lengths in its loop [m]
    or one radian.  ``rank`` rows are independent; the ``redundant`` ones follow from the others, and
    the reactions of the joints ``indeterminate`` are not unique for that reason.
    """

    position: tuple[str, ...]
    velocity: tuple[str, ...]
    forces: tuple[str, ...]
    rank: int
    redundant: tuple[str, ...]
    indeterminate: tuple[str, ...]
    sizes: tuple[float, ...] = ()

    @property
    def position_rank(self) -> int:
        """How many equations of position are independent."""
        rows = self.velocity[: len(self.position)]
        return sum(row not in self.redundant for row in rows)


@dataclass(frozen=True, slots=True)
class BodyCoordinates:
    """Names that belong to the kernels in the coordinates of bodies: bodies, joints, and rows of their equations.

    ``struts`` are those of the speeds that are rates of distances between two points.
    """

    bodies: tuple[str, ...]
    joints: tuple[str, ...]
    rows: tuple[str, ...]
    struts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Manifest:
    """What was generated.  ``digest`` is the SHA-256 of the manifest file, by which compiled kernels know it.

    ``speed_names`` are the joints' names, and ``home`` is zero with quaternions that turn nothing, where the file does not
    say otherwise.  ``quaternions`` are the places in q at which unit quaternions (x, y, z, w) begin.
    ``unavailable`` has the reasons for kernels that cannot be had: a lack of inertia, but for those ``left_out``.
    ``optional_kernels`` can be had beside those that are there.  ``speeds_chosen``: v is what the user or the mechanism
    chose, and not the rates of joints.  ``coulomb_friction``: it acts in the joints.  ``base_parameters`` belong to the
    kernel regressor, ``inertial_parameters`` to full_regressor; they are empty without these.  ``warnings`` tell what was
    changed while the model was read.
    ``meeting_ends``: springs and dampers, by name, that have no direction where the two frames named with them meet.
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
    left_out: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    speed_names: tuple[str, ...] = ()
    home: tuple[float, ...] = ()
    constraints: Constraints | None = None
    body_coordinates: BodyCoordinates | None = None
    optional_kernels: tuple[str, ...] = ()
    quaternions: tuple[int, ...] = ()
    limits: Mapping[str, JointLimits] = field(default_factory=dict)
    modes: Mapping[str, float] = field(default_factory=dict)
    link_ends: LinkEnds = field(default_factory=dict)
    meeting_ends: tuple[tuple[str, str, str], ...] = ()
    speeds_chosen: bool = False
    coulomb_friction: bool = False
    base_parameters: NamedValues = NamedValues()
    inertial_parameters: NamedValues = NamedValues()


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
    sizes = tuple(float(size) for size in entry.get("sizes", ())) or (1.0,) * len(entry["position"])
    return Constraints(rank=int(entry["rank"]), sizes=sizes, **{name: tuple(entry[name]) for name in names})


def _body_coordinates(entry: Mapping[str, Any]) -> BodyCoordinates:
    bodies, joints, rows = (tuple(entry[name]) for name in ("bodies", "joints", "rows"))
    return BodyCoordinates(bodies, joints, rows, tuple(entry.get("struts", ())))


def _frame(name: str, entry: Mapping[str, Any], mangled: Mapping[str, str]) -> FrameKernels:
    """The kernels of a frame; where the manifest does not say how its name ends theirs, those that are there do."""
    pose, jacobian = entry.get("pose"), entry.get("jacobian")
    identifier = entry.get("identifier")
    if identifier is None and pose is not None:
        identifier = pose.removeprefix("frame_pose_")
    if identifier is None and jacobian is not None:
        identifier = jacobian.removeprefix("frame_jacobian_")
    return FrameKernels(pose, jacobian, identifier or mangled.get(name, name))


def _limits(entry: Mapping[str, Any]) -> JointLimits:
    names = ("lower", "upper", "velocity", "effort")
    return JointLimits(*(None if entry.get(name) is None else float(entry[name]) for name in names))


def _named(entries: Sequence[Mapping[str, Any]]) -> NamedValues:
    return NamedValues(
        tuple(entry["name"] for entry in entries), tuple(float(entry["value"]) for entry in entries)
    )


def _identifier(prefix: str) -> str:
    """The prefix, with which names of files begin, too."""
    if not prefix.isidentifier():
        raise ValueError(f"{prefix[:40]!r} is no identifier of C")
    return prefix


def _names(names: Sequence[str]) -> tuple[str, ...]:
    if isinstance(names, str) or not all(isinstance(name, str) for name in names):
        raise TypeError(f"{str(names)[:40]} are no names")
    return tuple(names)


def _counted(data: Mapping[str, Any], count: str, things: Sequence[object], what: str) -> int:
    """A count, which belongs to a list of as many: nothing is made as large as a number that stands alone says."""
    if data[count] != len(things):
        raise ValueError(f"{count} is {str(data[count])[:20]}, and {what} are {len(things)}")
    return len(things)


def _home(data: Mapping[str, Any]) -> tuple[float, ...]:
    if data.get("home"):
        home = [float(q) for q in data["home"]]
        _counted(data, "nq", home, "home")
        return tuple(home)
    home = [0.0] * len(data["coordinate_names"])
    for start in data.get("quaternions", ()):
        home[start + 3] = 1.0
    return tuple(home)


def manifest_from(data: Mapping[str, Any], digest: str, where: str) -> Manifest:
    """Records from the parsed JSON.  ``where`` names its origin in errors.  Raises ManifestError."""
    if not isinstance(data, Mapping):
        raise ManifestError(f"{where}: {str(data)[:40]} is no manifest. Generate the mechanism again")
    if data.get("format") != FORMAT:
        raise ManifestError(
            f"{where}: manifest format {data.get('format')!r}; expected {FORMAT}. Generate the mechanism again"
        )
    try:
        signs = data["actuator_signs"]
        constraints, bodies = data.get("constraints"), data.get("body_coordinates")
        coordinates, joints = _names(data["coordinate_names"]), _names(data["joint_names"])
        speeds = _names(data.get("speed_names") or joints)
        return Manifest(
            name=data["model"]["name"],
            prefix=_identifier(data["model"]["prefix"]),
            model_hash=data["model"]["hash"],
            digest=digest,
            nq=_counted(data, "nq", coordinates, "coordinate_names"),
            nv=_counted(data, "nv", speeds, "speed_names"),
            coordinate_names=coordinates,
            joint_names=joints,
            frame_names=_names(data["frame_names"]),
            gravity=tuple(float(component) for component in data["gravity"]),
            kernels={name: _kernel(name, entry) for name, entry in data["kernels"].items()},
            frames={
                name: _frame(name, entry, data.get("mangled", {})) for name, entry in data["frames"].items()
            },
            actuator_signs=None if signs is None else tuple(float(sign) for sign in signs),
            parameters={entry["name"]: _parameter(entry) for entry in data["parameters"]},
            unavailable=dict(data.get("unavailable", {})),
            left_out=tuple(data.get("left_out", ())),
            warnings=tuple(str(warning) for warning in data.get("warnings", ())),
            speed_names=speeds,
            home=_home(data),
            constraints=None if constraints is None else _constraints(constraints),
            body_coordinates=None if bodies is None else _body_coordinates(bodies),
            optional_kernels=tuple(data.get("optional_kernels", ())),
            quaternions=tuple(int(start) for start in data.get("quaternions", ())),
            modes={name: float(reach) for name, reach in data.get("modes", {}).items()},
            link_ends={
                link: {mode: tuple(float(x) for x in end) for mode, end in modes.items()}
                for link, modes in data.get("link_ends", {}).items()
            },
            meeting_ends=tuple((name, one, two) for name, one, two in data.get("meeting_ends", ())),
            limits={name: _limits(entry) for name, entry in data.get("limits", {}).items()},
            speeds_chosen=data.get("options", {}).get("speeds") is not None,
            coulomb_friction=bool(data.get("options", {}).get("coulomb_friction", False)),
            base_parameters=_named(data.get("base_parameters", ())),
            inertial_parameters=_named(data.get("inertial_parameters", ())),
        )
    except (LookupError, TypeError, ValueError, AttributeError, OverflowError, MemoryError) as error:
        raise ManifestError(
            f"{where}: the manifest is incomplete ({error!r}). Generate the mechanism again"
        ) from error


def parse_manifest(content: bytes, where: str) -> Manifest:
    """Records from the content of ``manifest.json``.  ``where`` names its origin.  Raises ManifestError."""
    try:
        data = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise ManifestError(f"{where}: cannot be read ({error}). Generate the mechanism again") from error
    return manifest_from(data, hashlib.sha256(content).hexdigest(), where)


def read_manifest(directory: Path) -> Manifest:
    """Read ``manifest.json`` of a generated mechanism.  Raises ManifestError when it cannot be used."""
    path = directory / FILE_NAME
    try:
        content = contents(path)
    except OSError as error:
        raise ManifestError(f"{path}: cannot be read ({error}). Generate the mechanism again") from error
    return parse_manifest(content, str(path))
