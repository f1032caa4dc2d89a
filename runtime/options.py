"""What a user may ask of a generation: one record, for ``load``, ``generate``, the command line and the generator alike.

An option is a field of ``Options`` with its default, what it means, how the command line takes it, and what values it has;
``Asked`` repeats its type for those who check types.  This module imports nothing of kanegen but the bottom modules.
"""

from __future__ import annotations

import dataclasses
import difflib
import inspect
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypedDict, TypeVar

from kanegen import option_values as values
from kanegen.limits import DERIVATIONS


class Asked(TypedDict, total=False):
    """The options as keywords; what is left out has the default of ``Options``."""

    kernels: Sequence[str] | None
    formulation: str | None
    speeds: str | None
    gravity: Sequence[float] | None
    base: Sequence[float] | None
    rename: Mapping[str, str] | None
    remove: Sequence[str]
    lock: Mapping[str, Any] | None
    payload: Mapping[str, Any] | None
    laws: Mapping[str, Any] | None
    live: Sequence[str] | str
    live_parameters: bool
    friction: bool
    floating_base: bool
    allow_unphysical: bool
    angle_tolerance: float | None
    arguments: Mapping[str, str] | None
    language: str
    float32: bool
    sincos: str
    search: int | str
    recipes: str | None
    verify: bool


@dataclass(frozen=True)
class Flag:
    """How the command line takes an option: its flag, with its words for the parser of arguments.

    ``of_files``: it says how a model file is read, so that every command that reads one takes it.
    """

    flag: str
    words: Mapping[str, Any] = field(default_factory=dict)
    of_files: bool = False


LIST: Mapping[str, Any] = {"nargs": "+", "action": "extend"}
"""How the command line takes a list: with spaces or commas between its values, and in several flags together."""


def _option(default: Any, meaning: str, flag: Flag | None, checked: Callable[[str, Any], Any]) -> Any:
    return field(default=default, metadata={"meaning": meaning, "flag": flag, "checked": checked})


def _formulation(name: str, given: Any) -> str:
    return values.text(name, given) or RECURSIVE


RECURSIVE = "recursive"
FREE = (RECURSIVE, "kane", "dual_vectors", "influence_coefficients")
"""Formulations whose derivations have decisions: in which frames and forms, and which body an inertia is counted with."""
LANGUAGES = ("c99", "cuda")
"""What kernels can be written in; the first is compiled and loaded."""
SINCOS = ("vector", "libm")
"""Where the sines of generated C can come from."""


@dataclass(frozen=True)
class Options:
    """What a user may ask of a generation; ``options`` makes one from keywords and checks them.

    The meaning of a field stands in its metadata, and is what the command line says of it.
    """

    kernels: tuple[str, ...] | None = _option(
        None, "only these kernels", Flag("--kernels", {**LIST, "metavar": "KERNEL"}), values.kernels
    )
    formulation: str = _option(
        RECURSIVE, "how the equations are derived", Flag("--formulation"), _formulation
    )
    speeds: str | None = _option(
        None,
        "generalized speeds of the mechanism by name, Kane's method; else the rates of the coordinates",
        Flag("--speeds"),
        values.text,
    )
    gravity: tuple[float, float, float] | None = _option(
        None,
        "acceleration of free fall in the base, m/s^2, in place of the model's own",
        Flag("--gravity", {"nargs": 3, "metavar": ("X", "Y", "Z")}, of_files=True),
        values.vector,
    )
    base: tuple[float, ...] | None = _option(
        None,
        "where the model stands in the base frame: X Y Z in m, or with ROLL PITCH YAW in rad",
        Flag("--base", {**LIST, "metavar": "X"}, of_files=True),
        values.placement,
    )
    rename: tuple[tuple[str, str], ...] = _option(
        (),
        "another name for a joint, link or frame, before all other changes; may be repeated",
        Flag("--rename", {"action": "append", "metavar": "OLD=NEW"}, of_files=True),
        values.texts,
    )
    remove: tuple[str, ...] = _option(
        (),
        "leave out links and all beyond them",
        Flag("--remove", {**LIST, "metavar": "LINK"}, of_files=True),
        values.names,
    )
    lock: tuple[tuple[str, tuple[float, ...]], ...] = _option(
        (),
        "hold a joint at a value, rad or m; may be repeated",
        Flag("--lock", {"action": "append", "metavar": "JOINT=VALUE"}, of_files=True),
        values.joint_values,
    )
    payload: tuple[tuple[str, tuple[float, ...]], ...] = _option(
        (),
        "a body held at a frame: its mass, or MASS,X,Y,Z,Ixx,Iyy,Izz,Ixy,Ixz,Iyz, in kg, m and kg m^2; may be repeated",
        Flag("--payload", {"action": "append", "metavar": "FRAME=MASS"}, of_files=True),
        values.payloads,
    )
    laws: tuple[tuple[str, str], ...] = _option(
        (),
        "a control law beside the model's own, compiled as the kernel NAME: 'pd(kp=100, kd=20)', pid, computed_torque or "
        "impedance; may be repeated",
        Flag("--add-law", {"action": "append", "metavar": "NAME=LAW"}, of_files=True),
        values.laws,
    )
    live: tuple[str, ...] = _option(
        (),
        "numbers that stay changeable, as fields of a C struct: groups (masses, centers, inertias, payload, gravity, "
        "lengths, damping, friction, rotors, springs, 'all declared'), or names (link.mass)",
        Flag("--live", {**LIST, "metavar": "GROUP"}, of_files=True),
        values.listed,
    )
    live_parameters: bool = _option(
        False,
        "keep the parameters that the model declares changeable: --live 'all declared'",
        Flag("--live-parameters", {"action": "store_true"}, of_files=True),
        values.truth,
    )
    friction: bool = _option(
        False,
        "damping and friction of the joints act, in inverse and forward dynamics alike",
        Flag("--friction", {"action": "store_true"}),
        values.truth,
    )
    floating_base: bool = _option(
        False,
        "let the root link move freely",
        Flag("--floating-base", {"action": "store_true"}, of_files=True),
        values.truth,
    )
    allow_unphysical: bool = _option(
        False,
        "let masses and inertias through that no body has",
        Flag("--allow-unphysical", {"action": "store_true"}, of_files=True),
        values.truth,
    )
    angle_tolerance: float | None = _option(
        None,
        "take angles this near to a multiple of pi/2 for it",
        Flag("--angle-tolerance", {"metavar": "RAD"}, of_files=True),
        values.not_negative,
    )
    arguments: tuple[tuple[str, str], ...] = _option(
        (),
        "an argument of a xacro file; may be repeated",
        Flag("--arg", {"action": "append", "metavar": "NAME:=VALUE"}, of_files=True),
        values.texts,
    )
    language: str = _option(
        LANGUAGES[0],
        "what the kernels are written in",
        Flag("--language", {"choices": LANGUAGES}),
        values.one_of(*LANGUAGES),
    )
    float32: bool = _option(
        False,
        "add every function in single precision, under its name with _f32",
        Flag("--float32", {"action": "store_true"}),
        values.truth,
    )
    sincos: str = _option(
        "vector",
        "where sines come from: all angles of a kernel together, or the C library",
        Flag("--sincos", {"choices": SINCOS}),
        values.one_of(*SINCOS),
    )
    search: int | str = _option(
        DERIVATIONS.value,
        "derivations tried for each kernel; or quick, normal or thorough, which goes on with what a recipe says or with a "
        "search of minutes among all definitions that values might have; or further, which searches on from the recipe",
        Flag("--search", {"metavar": "N"}),
        values.search,
    )
    recipes: str | None = _option(
        None,
        "a file of recipes, in which thorough searches are remembered; else the one beside what is generated",
        Flag("--recipes", {"metavar": "FILE"}),
        values.path,
    )
    verify: bool = _option(
        False,
        "compile the C, and compare it with what it was printed from",
        Flag("--verify", {"action": "store_true"}),
        values.truth,
    )
    with_residual: bool = _option(
        False,
        "the residual of the equations of position beside the kernels that are named",
        None,
        values.truth,
    )

    @property
    def recursive(self) -> bool:
        """Whether the recursions on joint rates are asked for."""
        return self.speeds is None and self.formulation == RECURSIVE

    @property
    def free(self) -> bool:
        """Whether there is something to search for.  Other formulations read frames and inertias as described."""
        return self.formulation in FREE

    @property
    def derivations(self) -> int:
        """How many are tried for each kernel."""
        return DERIVATIONS.value if isinstance(self.search, str) else self.search

    @property
    def thorough(self) -> bool:
        """Whether the search goes on among all definitions that values might have."""
        return self.search in (values.THOROUGH, values.FURTHER)

    @property
    def further(self) -> bool:
        """Whether it goes on from what it found before."""
        return self.search == values.FURTHER

    @property
    def live_names(self) -> tuple[str, ...]:
        """The groups and names of numbers that stay live."""
        return (*self.live, *(("all declared",) if self.live_parameters else ()))

    @property
    def loadable(self) -> bool:
        """Whether what is written can be compiled and loaded."""
        return self.language == LANGUAGES[0]

    @property
    def plain(self) -> bool:
        """Whether nothing but a choice of kernels is asked for."""
        return not self.asked().keys() - {"kernels", "with_residual"}

    @property
    def changes(self) -> bool:
        """Whether another mechanism is asked for than the model describes."""
        return any(getattr(self, name) != FIELDS[name].default for name in CHANGES)

    def asked(self) -> dict[str, Any]:
        """The options that are not at their defaults."""
        return {
            f.name: getattr(self, f.name)
            for f in dataclasses.fields(self)
            if getattr(self, f.name) != f.default
        }


CHANGES = ("gravity", "base", "rename", "remove", "lock", "payload", "laws")
"""The options that change the mechanism of a model."""

FIELDS = {f.name: f for f in dataclasses.fields(Options)}
OF_FILES = tuple(name for name, f in FIELDS.items() if f.metadata["flag"] and f.metadata["flag"].of_files)
"""Those that say how a model file is read."""
OF_MOTIONS = (*OF_FILES, "friction")
"""Those that say what moves."""
OF_EXPLANATIONS = tuple(dict.fromkeys((*OF_MOTIONS, "speeds", "live_parameters")))
"""Those that make a difference to Kane's method as it is explained."""


def options(given: Mapping[str, Any], names: Collection[str] = tuple(Asked.__annotations__)) -> Options:
    """The options for these keywords.

    Raises TypeError for one that is not among ``names``, and what a wrong value raises.
    """
    unknown = [name for name in given if name not in names]
    if unknown:
        near = difflib.get_close_matches(unknown[0], names, n=1)
        hint = f"; did you mean {near[0]!r}?" if near else f"; options are {', '.join(names)}"
        raise TypeError(f"there is no option {unknown[0]!r}{hint}")
    return Options(**{name: FIELDS[name].metadata["checked"](name, value) for name, value in given.items()})


F = TypeVar("F", bound=Callable[..., Any])


def with_options(function: F, names: Collection[str] = tuple(Asked.__annotations__)) -> F:
    """Let the signature of a function that takes ``**asked`` name these options with their defaults."""
    shown_first = [p for p in inspect.signature(function).parameters.values() if p.kind is not p.VAR_KEYWORD]
    asked = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=FIELDS[name].default, annotation=kind)
        for name, kind in Asked.__annotations__.items()
        if name in names
    ]
    signature = inspect.signature(function).replace(parameters=[*shown_first, *asked])
    function.__signature__ = signature  # type: ignore[attr-defined]  # every function may have one
    return function
