"""What emission is given: a model with its scheduled kernels, and all that the files say about it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from fractions import Fraction
from math import isfinite

from kanegen.codegen.emit.identifiers import is_prefix
from kanegen.codegen.graph.graph import Kind
from kanegen.codegen.graph.program import Argument, Program
from kanegen.codegen.graph.schedule import Schedule

OptionValue = str | int | float | bool | tuple[str, ...] | None


class SineCosineLibrary(Enum):
    """Where sines and cosines come from: one vector evaluation of all angles, or the C library."""

    VECTOR = "vector"
    LIBM = "libm"


@dataclass(frozen=True, slots=True)
class LiveParameter:
    """A model parameter that stays a field of the C parameter struct; ``value`` is its default."""

    name: str
    value: Fraction
    unit: str
    description: str


@dataclass(frozen=True, slots=True)
class FrameKernels:
    """Kernels that give the pose and the Jacobian of a frame; None for one that is not generated."""

    pose: str | None
    jacobian: str | None


@dataclass(frozen=True, slots=True)
class Certificate:
    """What the kernels were checked against: a bound on the error of each, over a number of states.

    ``meaning`` is one sentence on what is bounded and against what it is measured.  ``checks`` are what the kernels satisfy
    besides, with the names of those concerned, to ``check_bound`` of the magnitudes that rounding errors are measured by.
    """

    bounds: Mapping[str, float]
    states: int
    meaning: str = (
        "error of the largest component, divided by the largest component (of the state, or of a middling one where "
        "that is larger), against an independent evaluation"
    )
    checks: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    check_bound: float = 0.0


@dataclass(frozen=True, slots=True)
class ConstraintReport:
    """What a constrained mechanism's equations are called, and what is known of them as a whole.

    ``position`` names the k equations of position, in the order of constraint_residual.  ``velocity`` names the m rows of
    constraint_jacobian: the derivatives of these, then the equations of velocity.  ``forces`` names the entries of
    constraint_forces: the multipliers of the m rows, then the prescribed joints.  ``rank`` is the number of independent
    rows; the ``redundant`` ones follow from the others, and the reactions of the joints ``indeterminate`` are therefore
    not unique.  ``sizes`` are the lengths in the loop of each equation of position [m], or one radian.

    Raises ValueError where these do not fit together.
    """

    position: tuple[str, ...]
    velocity: tuple[str, ...]
    forces: tuple[str, ...]
    rank: int
    redundant: tuple[str, ...] = ()
    indeterminate: tuple[str, ...] = ()
    sizes: tuple[float, ...] = ()

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


@dataclass(frozen=True, slots=True)
class BodyCoordinates:
    """Names of another description of the same mechanism: its bodies, its joints, the rows of its equations, its struts."""

    bodies: tuple[str, ...]
    joints: tuple[str, ...]
    rows: tuple[str, ...]
    struts: tuple[str, ...] = ()


@dataclass(frozen=True)
class Limits:
    """What a joint must not exceed: range [rad, m], speed [rad/s, m/s], force [N m, N]; None where it is not given."""

    lower: float | None
    upper: float | None
    velocity: float | None
    effort: float | None


@dataclass(frozen=True)
class RoundedAngles:
    """Angles taken for what they are rounded from: how many, by up to how much [rad], and what that changes in forces."""

    count: int
    largest: float
    change: float


@dataclass(frozen=True)
class InertialParameter:
    """Name and value [SI] of what a column of a regressor belongs to."""

    name: str
    value: float


@dataclass(frozen=True)
class Model:
    """A mechanism ready to be printed.

    ``prefix`` begins every name in the generated C. ``hash`` is the SHA-256 of the mechanism, 64 hex digits.
    ``mangled`` maps original names that are no C identifiers to those used instead. ``gravity`` is the acceleration
    of free fall [m/s^2] in the base frame. ``asked`` has what a user asked for beyond the defaults, as JSON;
    ``options`` are recorded in the manifest as they are. ``frames`` maps frame names to kernel names, ``unavailable``
    kernels that this mechanism cannot have to the reason, which is a lack of inertia but for those ``left_out``.
    ``warnings`` tell what was changed while the model was read. With live parameters, the PARAMETER nodes of kernels
    name outputs of ``prepare``, and those of ``prepare`` name ``parameters``.

    For a mechanism whose speeds are not the rates of its coordinates: ``speed_names``; ``home``, a configuration in which
    its loops can be closed; ``constraints``; ``quaternions``, where in q they begin.  ``body_coordinates`` where there are
    kernels in the coordinates of bodies.  ``limits`` of joints by name are data.  ``modes`` of flexible links by name have
    an amplitude that is not too large for their link, and ``link_ends`` says, by link and mode, what an amplitude of 1 does
    to the link's end: its rotation [rad], and its displacement as a part of its distance.  ``meeting_ends`` are springs and
    dampers that have no direction where their two frames meet.  ``optional_kernels`` could be
    generated but were not asked for.  ``base_parameters`` and ``inertial_parameters`` belong to the columns of regressor
    and full_regressor, where these are kernels.  ``rounded_angles`` are there where angles of a file were taken for others.

    Raises ValueError where these do not fit together.
    """

    name: str
    prefix: str
    hash: str
    nq: int
    nv: int
    coordinate_names: tuple[str, ...]
    joint_names: tuple[str, ...]
    body_names: tuple[str, ...]
    frame_names: tuple[str, ...]
    gravity: tuple[float, float, float]
    kernels: tuple[Schedule, ...]
    mangled: Mapping[str, str] = field(default_factory=dict)
    options: Mapping[str, OptionValue] = field(default_factory=dict)
    asked: Mapping[str, str] = field(default_factory=dict)
    actuator_signs: tuple[int, ...] | None = None
    parameters: tuple[LiveParameter, ...] = ()
    prepare: Schedule | None = None
    frames: Mapping[str, FrameKernels] = field(default_factory=dict)
    certificate: Certificate | None = None
    single_precision: bool = False
    sincos: SineCosineLibrary = SineCosineLibrary.VECTOR
    unavailable: Mapping[str, str] = field(default_factory=dict)
    left_out: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    speed_names: tuple[str, ...] | None = None
    home: tuple[float, ...] | None = None
    quaternions: tuple[int, ...] = ()
    limits: Mapping[str, Limits] = field(default_factory=dict)
    modes: Mapping[str, float] = field(default_factory=dict)
    link_ends: Mapping[str, Mapping[str, tuple[float, ...]]] = field(default_factory=dict)
    meeting_ends: tuple[tuple[str, str, str], ...] = ()
    optional_kernels: tuple[str, ...] = ()
    base_parameters: tuple[InertialParameter, ...] = ()
    inertial_parameters: tuple[InertialParameter, ...] = ()
    constraints: ConstraintReport | None = None
    body_coordinates: BodyCoordinates | None = None
    rounded_angles: RoundedAngles | None = None

    def __post_init__(self) -> None:
        """Check that the parts fit together."""
        _require(is_prefix(self.prefix), f"prefix {self.prefix!r} cannot begin names in C")
        _require(re.fullmatch(r"[0-9a-f]{64}", self.hash) is not None, f"hash {self.hash!r} is no SHA-256")
        _require(
            len(self.coordinate_names) == self.nq,
            f"{len(self.coordinate_names)} names for {self.nq} coordinates",
        )
        speeds, home = self.speed_names, self.home
        _require(speeds is None or len(speeds) == self.nv, f"names for {self.nv} speeds: got {speeds}")
        _require(
            home is None or (len(home) == self.nq and all(map(isfinite, home))),
            f"home: expected {self.nq} finite coordinates, got {home}",
        )
        signs = self.actuator_signs
        _require(signs is None or len(signs) == self.nv, f"actuator signs: expected {self.nv}, got {signs}")
        _require(bool(self.kernels), "a model needs at least one kernel")
        names = [kernel.program.name for kernel in self.kernels]
        _require(len(set(names)) == len(names), f"two kernels have the same name: {sorted(names)}")
        for frame, kernels in self.frames.items():
            for name in (kernels.pose, kernels.jacobian):
                _require(
                    name is None or name in names,
                    f"frame {frame!r} names kernel {name!r}, which is not there",
                )
        _require(
            (self.prepare is None) == (not self.parameters),
            "live parameters and a prepare step come together",
        )
        prepared = (
            () if self.prepare is None else tuple(output.name for output in self.prepare.program.outputs)
        )
        for kernel in self.kernels:
            _check_kernel(kernel.program, frozenset(prepared))
        if self.prepare is not None:
            _check_prepare(self.prepare.program, frozenset(parameter.name for parameter in self.parameters))

    @property
    def programs(self) -> tuple[Program, ...]:
        """The programs of the kernels."""
        return tuple(kernel.program for kernel in self.kernels)


def _require(condition: bool, message: str) -> None:
    if not condition:
        raise ValueError(message)


def _check_kernel(program: Program, prepared: frozenset[str]) -> None:
    """Arguments have entries, and whatever depends on parameters alone has been moved to the prepare step."""
    graph = program.graph
    _check_arguments(program, program.inputs + program.outputs)
    sizes = {argument.name: argument.size for argument in program.inputs}
    for index in graph.reachable(program.roots):
        kind, payload = graph.kinds[index], graph.payloads[index]
        if kind is Kind.PARAMETER:
            _require(payload[0] in prepared, f"{program.name}: the value {payload[0]!r} is not prepared")
        elif kind is Kind.INPUT:
            name, entry = payload
            _require(
                entry < sizes.get(name, 0),
                f"{program.name}: there is no input {name!r} with an entry {entry}",
            )
        elif kind >= Kind.SUM:
            parametric = sum(graph.parametric[abs(operand)] for operand in payload)
            allowed = 1 if kind in (Kind.SUM, Kind.PRODUCT, Kind.QUOTIENT) else 0
            if kind >= Kind.FUNCTION:
                allowed = len(payload)  # which varies as a whole
            _require(
                parametric <= allowed and not graph.parametric[index],
                f"{program.name}: work on parameters alone has not been moved to the prepare step",
            )


def _check_prepare(program: Program, parameters: frozenset[str]) -> None:
    """The prepare step reads parameters and makes scalars."""
    graph = program.graph
    _check_arguments(program, program.outputs)
    _require(not program.inputs, f"{program.name}: the prepare step has no inputs, only parameters")
    _require(
        all(output.shape == () for output in program.outputs), f"{program.name}: prepared values are scalars"
    )
    for index in graph.reachable(program.roots):
        if graph.kinds[index] is Kind.PARAMETER:
            name = graph.payloads[index][0]
            _require(name in parameters, f"{program.name}: there is no parameter {name!r}")


def _check_arguments(program: Program, arguments: tuple[Argument, ...]) -> None:
    names = [argument.name for argument in arguments]
    _require(len(set(names)) == len(names), f"{program.name}: two arguments have the same name: {names}")
    _require(bool(program.outputs), f"{program.name}: there is no output")
    for argument in arguments:
        _require(
            argument.size > 0,
            f"{program.name}: argument {argument.name!r} of shape {argument.shape} is empty",
        )
    sizes = [output.size for output in program.outputs]
    _require(
        [len(refs) for refs in program.results] == sizes, f"{program.name}: results do not fill the outputs"
    )
