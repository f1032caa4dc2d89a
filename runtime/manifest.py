"""The manifest of a generated mechanism: everything that a program must know of it, as records and as JSON.

These are the only records of it.  The generator fills them and writes them, the runtime reads them; ``json_records`` does
both by their fields.  What a program shall know of a mechanism is a field of ``GeneratedMechanism``.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from kanegen.errors import ManifestError
from kanegen.files import contents
from kanegen.json_records import ALWAYS, always, apart, from_json, key, to_json, within

LinkEnds = Mapping[str, Mapping[str, tuple[float, ...]]]
"""By flexible link and mode, what an amplitude of 1 does to the link's end: it turns it by the first three numbers [rad],
and moves it by the others times its distance from the near end."""

FORMAT = 1
FILE_NAME = "manifest.json"

_SIGNATURE = re.compile(r"(?:(?:const )?[A-Za-z_]\w* \*?[A-Za-z_]\w*(?:\[\d+\])?(?:, |$))+", re.ASCII)


@dataclass(frozen=True, slots=True, order=True)
class OperationCounts:
    """Arithmetic operations of one evaluation of a kernel; ``sincos`` counts pairs of a sine and a cosine.

    ``functions`` counts calls of further functions, ``selections`` comparisons and choices between two values.
    """

    multiplications: int = always(0, required=True)
    additions: int = always(0, required=True)
    divisions: int = always(0, required=True)
    square_roots: int = always(0, required=True)
    sincos: int = always(0, required=True)
    functions: int = 0
    selections: int = 0

    @property
    def total(self) -> int:
        """All operations but functions and selections."""
        return self.multiplications + self.additions + self.divisions + self.square_roots

    def __str__(self) -> str:
        text = f"{self.multiplications} / {self.additions}"
        if self.divisions:
            text += f" + {self.divisions} div"
        if self.square_roots:
            text += f" + {self.square_roots} sqrt"
        if self.functions:
            text += f" + {self.functions} functions"
        if self.selections:
            text += f" + {self.selections} selections"
        return text


@dataclass(frozen=True, slots=True)
class Argument:
    """One named input or output of a kernel, with what a user must know of it.

    ``shape`` is () for a scalar; entries are stored row by row.  ``description`` names meaning, frame and order.
    """

    name: str
    shape: tuple[int, ...]
    unit: str = always("")
    description: str = always("")

    @property
    def size(self) -> int:
        """Number of entries."""
        return math.prod(self.shape)


@dataclass(frozen=True, slots=True, kw_only=True)
class KernelSpec:
    """A kernel: its C functions for one state, for rows of states and for structures of arrays, and its arguments in order.

    ``batch_varied``: that for states with live parameters of their own, where there are any.  ``lanes``: the functions for
    many states compute as many at once as a vector has lanes, where the compiler has vectors.
    What goes not ``through_speeds`` means something also at a dead centre, where the speeds do not determine the motion.
    """

    name: str = key()
    function: str
    batch: str
    batch_soa: str = ""
    batch_varied: str = ""
    lanes: bool = False
    precision: str
    title: str = always("")
    source: str = always("")
    through_speeds: bool = True
    inputs: tuple[Argument, ...]
    outputs: tuple[Argument, ...]
    operation_counts: OperationCounts

    @property
    def arguments(self) -> tuple[Argument, ...]:
        """Inputs, then outputs, as in C."""
        return self.inputs + self.outputs


@dataclass(frozen=True, slots=True)
class FrameKernels:
    """The kernels of the pose and the Jacobian of a frame, None where they were not generated."""

    pose: str | None = always(None)
    jacobian: str | None = always(None)


@dataclass(frozen=True, slots=True)
class Parameter:
    """A live parameter: its name, the field of the C struct that holds it, its value, its unit, what it means.

    ``least`` is the least value that it can have, None where any number will do.
    """

    name: str
    field: str
    value: float
    unit: str = always("")
    description: str = always("")
    least: float | None = None

    @property
    def meaning(self) -> str:
        """What the number is, and in which axes."""
        return self.description

    @property
    def limits(self) -> tuple[float | None, float | None]:
        """The least and the greatest value; None where there is none."""
        return self.least, None


@dataclass(frozen=True, slots=True)
class JointLimits:
    """What a joint must not exceed: range [rad, m], speed [rad/s, m/s], force [N m, N].  None: the model gives none.

    ``stops_below`` and ``stops_above``: whether a force element of the model acts as a stop at that end of the range.
    """

    lower: float | None = None
    upper: float | None = None
    velocity: float | None = None
    effort: float | None = None
    stops_below: bool = False
    stops_above: bool = False


@dataclass(frozen=True, slots=True)
class Follower:
    """A joint that is no coordinate: it stands at multiplier * (the coordinate ``leader``) + offset [rad, m].

    Both are arithmetic of numbers and live parameters.
    """

    leader: str
    multiplier: str
    offset: str

    def __str__(self) -> str:
        factor = self.multiplier if re.fullmatch(r"-?[\w.]+", self.multiplier) else f"({self.multiplier})"
        times = self.leader if factor == "1" else f"{factor}*{self.leader}"
        return times if self.offset == "0" else f"{times} + {self.offset}".replace("+ -", "- ")


def number_text(value: float) -> str:
    """A number in arithmetic, without a decimal where it has none."""
    return repr(value).removesuffix(".0")


@dataclass(frozen=True, slots=True)
class NamedValue:
    """Name and value [SI] of what a column of a regressor belongs to."""

    name: str
    value: float


@dataclass(frozen=True, slots=True)
class LawRecord:
    """What a control law has beside time and the mechanism's state: states with their initial values, signals to follow."""

    states: tuple[NamedValue, ...] = ()
    references: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RoundedAngles:
    """Angles taken for what they are rounded from: how many, by up to how much [rad], and what that changes in forces."""

    count: int
    largest: float
    change: float


@dataclass(frozen=True, slots=True)
class Constraints:
    """What restricts the motion of a mechanism, by name.

    ``position``: the k equations of position, in the order of constraint_residual.  ``velocity``: the m rows of
    constraint_jacobian, which are the derivatives of these and then the equations of velocity.  ``forces``: the entries of
    constraint_forces, the multipliers of the m rows, then the forces that hold or drive joints whose motion is prescribed.
    ``rank`` rows are independent; the ``redundant`` ones follow from the others, and the reactions of the joints
    ``indeterminate`` are not unique for that reason.  ``sizes``: against what an equation of position is open, the lengths
    in its loop [m] or one radian; one where none are given.  ``units`` of equations of position and ``coordinate_units``
    are those in which a mechanism far from a metre is an ordinary one, its own unit of length or 1; else there are none.

    Raises ValueError where these do not fit together.
    """

    position: tuple[str, ...]
    velocity: tuple[str, ...]
    forces: tuple[str, ...]
    rank: int
    redundant: tuple[str, ...] = always((), required=True)
    indeterminate: tuple[str, ...] = always((), required=True)
    sizes: tuple[float, ...] = ()
    units: tuple[float, ...] = ()
    coordinate_units: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        """Check that the parts fit together."""
        rows, dependent = len(self.velocity), len(self.redundant)
        _require(
            len(self.position) <= rows <= len(self.forces),
            f"{len(self.position)} equations of position, {rows} rows, {len(self.forces)} forces",
        )
        _require(set(self.redundant) <= set(self.velocity), f"redundant rows {self.redundant} are no rows")
        _require(
            self.rank == rows - dependent, f"rank {self.rank} of {rows} rows, {dependent} of them redundant"
        )
        for found in (self.sizes, self.units):
            _require(len(found) in (0, len(self.position)), f"{len(found)} sizes of equations")
        for size in (*self.sizes, *self.units, *self.coordinate_units):
            _require(0.0 < size < math.inf, f"{size} as a size")

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
class Certificate:
    """What the kernels were checked against: a bound on the error of each, over a number of states.

    ``meaning`` is one sentence on what is bounded and against what it is measured.  ``checks`` are what the kernels satisfy
    besides, with the names of those concerned, to ``check_bound`` of the magnitudes that rounding errors are measured by.
    """

    bounds: Mapping[str, float]
    states: int
    meaning: str = always(
        "error of the largest component, divided by the largest component (of the state, or of a middling one where "
        "that is larger), against an independent evaluation"
    )
    check_bound: float = 0.0
    checks: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class GeneratedMechanism:
    """What is known of a mechanism and of what was asked of its generation.

    ``hash`` is the SHA-256 of the mechanism, 64 hex digits; ``prefix`` begins every name in the generated C.  ``mangled``
    maps names that are no identifiers of C to those used instead.  ``gravity`` is the acceleration of free fall [m/s^2] in
    the base.  ``options`` are those of the generation, ``asked`` the ones that a user gave.  ``kernels`` by name;
    ``frames`` names those of each frame.  ``unavailable`` has the reasons for kernels that cannot be had: a lack of inertia,
    but for those ``left_out``.  ``optional_kernels`` can be had beside those that are there.  ``warnings`` tell what was
    changed while the model was read.  ``actuator_signs``: one for each speed, None where nothing is said of actuators.

    ``speed_names`` are the joints' names, and ``home``, in which loops can be closed, is zero with quaternions that turn
    nothing, where they are not given and there are any.  ``quaternions`` are the places in q at which unit quaternions
    (x, y, z, w) begin.
    ``limits`` are those of joints by name, ``followers`` the joints that follow others.  ``modes`` of flexible links have an
    amplitude that is not too large for their link.  A mechanism is ``lossless`` if only works of forces change its energy.
    ``meeting_ends``: springs and dampers, by name, that have no direction where the two frames named with them meet.
    ``base_parameters`` belong to the columns of the kernel regressor, ``inertial_parameters`` to those of full_regressor;
    they are empty without these.  ``body_coordinates`` where there are kernels in the coordinates of bodies.
    ``rounded_angles`` where angles of a file were taken for others.  ``laws``: those with states or signals.
    Where the mechanism ``depends_on_time``, kernels take t before all else.

    Raises ValueError where these do not fit together.
    """

    format: int = always(FORMAT, required=True)
    generator: str = always("")
    name: str = within("model")
    prefix: str = within("model")
    hash: str = within("model")
    nq: int
    nv: int
    coordinate_names: tuple[str, ...]
    joint_names: tuple[str, ...]
    speed_names: tuple[str, ...] = ()
    home: tuple[float, ...] = ()
    quaternions: tuple[int, ...] = ()
    rounded_angles: RoundedAngles | None = None
    limits: Mapping[str, JointLimits] = field(default_factory=dict)
    followers: Mapping[str, Follower] = field(default_factory=dict)
    modes: Mapping[str, float] = field(default_factory=dict)
    link_ends: LinkEnds = field(default_factory=dict)
    lossless: bool = True
    meeting_ends: tuple[tuple[str, str, str], ...] = ()
    base_parameters: tuple[NamedValue, ...] = ()
    inertial_parameters: tuple[NamedValue, ...] = ()
    optional_kernels: tuple[str, ...] = ()
    frame_names: tuple[str, ...]
    body_names: tuple[str, ...] = always(())
    mangled: Mapping[str, str] = always({})
    gravity: tuple[float, float, float]
    options: Mapping[str, Any] = always({})
    kernels: Any
    unavailable: Mapping[str, str] = always({})
    left_out: tuple[str, ...] = ()
    asked: Mapping[str, Any] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    frames: Mapping[str, FrameKernels] = always({}, required=True)
    actuator_signs: tuple[float, ...] | None = always(None, required=True)
    constraints: Constraints | None = None
    body_coordinates: BodyCoordinates | None = None
    laws: Mapping[str, LawRecord] = field(default_factory=dict)
    depends_on_time: bool = False

    def __post_init__(self) -> None:
        """Check that the parts fit together."""
        _require(self.prefix.isidentifier(), f"prefix {self.prefix[:40]!r} is no identifier of C")
        _require(
            re.fullmatch(r"[0-9a-f]{64}", self.hash) is not None, f"hash {self.hash[:80]!r} is no SHA-256"
        )
        coordinates, speeds, signs = len(self.coordinate_names), self.speed_names, self.actuator_signs
        _require(self.nq == coordinates, f"{coordinates} names for {self.nq} coordinates")
        names = speeds or self.joint_names * bool(self.nv)
        _require(len(names) == self.nv, f"{len(names)} names for {self.nv} speeds")
        _require(
            not self.home or (len(self.home) == self.nq and all(map(math.isfinite, self.home))),
            f"home: expected {self.nq} finite coordinates, got {self.home}",
        )
        _require(signs is None or len(signs) == self.nv, f"actuator signs: expected {self.nv}, got {signs}")
        lost = [one.leader for one in self.followers.values() if one.leader not in self.coordinate_names]
        _require(not lost, f"followers: {lost[:1]} is no coordinate")


@dataclass(frozen=True, kw_only=True)
class Manifest(GeneratedMechanism):
    """What was generated, and what is known of its mechanism.

    ``parameters`` are the live ones, ``prepared`` the fields of the struct that is made of them.  ``functions`` has the
    parameters in C of every function, as they stand in the header.  ``files`` are the other generated files by name, with
    their SHA-256.  ``waiting`` are the kernels that are made when they are first called, each with the name of the group it
    is made with; files of generated C have none.  ``digest`` is the SHA-256 of the manifest file, by which compiled kernels
    know it.
    """

    kernels: Mapping[str, KernelSpec]
    parameters: tuple[Parameter, ...]
    prepared: tuple[str, ...] = always(())
    functions: Mapping[str, str]
    certificate: Certificate | None = field(default=None, metadata=ALWAYS)
    files: Mapping[str, str] = always({})
    waiting: Mapping[str, str] = field(default_factory=dict)
    digest: str = apart("")

    def __post_init__(self) -> None:
        """Check that the parts fit together."""
        super().__post_init__()
        for name, parameters in self.functions.items():
            plain = name.isidentifier() and _SIGNATURE.fullmatch(parameters) is not None
            _require(plain, f"{name[:40]!r} with the parameters {parameters[:40]!r} is no function of C")
        odd = [name for name in self.kernels if not name.isidentifier()]
        _require(not odd, f"{odd[:1]} is no name of a kernel")
        named = {
            x
            for kernel in self.kernels.values()
            for x in (kernel.function, kernel.batch, kernel.batch_soa)
            if x
        }
        missing = sorted(named - set(self.functions))
        _require(not missing, f"functions lack {missing[:1]}")

    @property
    def speeds_chosen(self) -> bool:
        """Whether v is what the user or the mechanism chose, and not the rates of joints."""
        return self.options.get("speeds") is not None

    @property
    def coulomb_friction(self) -> bool:
        """Whether it acts in the joints."""
        return bool(self.options.get("coulomb_friction", False))

    @property
    def nonlinear_resistance(self) -> tuple[str, ...]:
        """Force elements beside Coulomb friction of joints whose resistance is not linear in rates, by name."""
        return tuple(self.options.get("nonlinear_resistance", ()))

    def identifier(self, frame: str) -> str:
        """How the name of a frame ends those of its kernels."""
        kernels = self.frames[frame]
        for name, beginning in ((kernels.pose, "frame_pose_"), (kernels.jacobian, "frame_jacobian_")):
            if name is not None:
                return name.removeprefix(beginning)
        return self.mangled.get(frame, frame)


def _require(condition: bool, message: str) -> None:
    if not condition:
        raise ValueError(message)


def manifest_from(data: Any, digest: str, where: str) -> Manifest:
    """The manifest of parsed JSON, with what follows where nothing is said.  ``where`` names its origin in errors.

    Raises ManifestError.
    """
    if not isinstance(data, Mapping):
        raise ManifestError(f"{where}: {str(data)[:40]} is no manifest. Generate the mechanism again")
    if data.get("format") != FORMAT:
        raise ManifestError(
            f"{where}: manifest format {data.get('format')!r}; expected {FORMAT}. Generate the mechanism again"
        )
    try:
        return _completed(from_json(Manifest, data), digest)
    except (LookupError, TypeError, ValueError, AttributeError, OverflowError, MemoryError) as error:
        raise ManifestError(
            f"{where}: the manifest is incomplete ({error}). Generate the mechanism again"
        ) from error


def _completed(found: Manifest, digest: str) -> Manifest:
    """The manifest with names of speeds, a home, and sizes of constraints."""
    home = [0.0] * found.nq
    for start in found.quaternions:
        home[start + 3] = 1.0
    constraints = found.constraints
    if constraints is not None and not constraints.sizes:
        constraints = replace(constraints, sizes=(1.0,) * len(constraints.position))
    return replace(
        found,
        digest=digest,
        speed_names=found.speed_names or found.joint_names * bool(found.nv),
        home=found.home or tuple(home),
        constraints=constraints,
    )


def parse_manifest(content: bytes, where: str) -> Manifest:
    """The manifest of the content of ``manifest.json``.  ``where`` names its origin.  Raises ManifestError."""
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


def manifest_text(manifest: Manifest) -> str:
    """JSON in ASCII, in the order of the fields."""
    return json.dumps(to_json(manifest), indent=1, ensure_ascii=True, allow_nan=False) + "\n"
