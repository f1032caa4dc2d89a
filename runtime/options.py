"""What a user may ask of a generation: one record, for ``load``, ``generate``, the command line and the generator alike.

An option is a field of ``Options`` with its default, what it means, how the command line takes it, and what values it has;
``Asked`` repeats its type for those who check types.  This module imports nothing of kanegen but the bottom modules.
"""

from __future__ import annotations

import dataclasses
import difflib
import inspect
import math
import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypedDict, TypeVar

from kanegen.errors import MissingKernelError, shown
from kanegen.limits import DERIVATIONS


class Asked(TypedDict, total=False):
    """The options as keywords; what is left out has the default of ``Options``."""

    kernels: Sequence[str] | None
    formulation: str | None
    speeds: str | None
    gravity: Sequence[float] | None
    live_parameters: bool
    friction: bool
    floating_base: bool
    allow_unphysical: bool
    angle_tolerance: float | None
    arguments: Mapping[str, str] | None
    language: str
    float32: bool
    sincos: str
    search: int
    verify: bool


@dataclass(frozen=True)
class Flag:
    """How the command line takes an option: its flag, with its words for the parser of arguments.

    ``of_files``: it says how a model file is read, so that every command that reads one takes it.
    """

    flag: str
    words: Mapping[str, Any] = field(default_factory=dict)
    of_files: bool = False


def _option(default: Any, meaning: str, flag: Flag | None, checked: Callable[[str, Any], Any]) -> Any:
    return field(default=default, metadata={"meaning": meaning, "flag": flag, "checked": checked})


def _kernels(name: str, given: Any) -> tuple[str, ...] | None:
    if given is None:
        return None
    if isinstance(given, str):
        raise TypeError(f"{name}: expected a list of names, got the string {given!r}; pass [{given!r}]")
    if not given:
        raise MissingKernelError(f"{name}: expected at least one name, got an empty list")
    return tuple(given)


def _truth(name: str, given: Any) -> bool:
    return bool(given)


def _text(name: str, given: Any) -> str | None:
    if given is None or isinstance(given, str):
        return given
    raise TypeError(f"{name}: expected a name, got {given!r}")


def _one_of(*words: str) -> Callable[[str, Any], str]:
    def checked(name: str, given: Any) -> str:
        if given in words and isinstance(given, str):
            return given
        raise ValueError(f"{name}: expected {' or '.join(map(repr, words))}, got {given!r}")

    return checked


def _vector(name: str, given: Any) -> tuple[float, float, float] | None:
    if given is None:
        return None
    try:
        x, y, z = map(_number, given)
    except (TypeError, ValueError):
        x = y = z = math.nan
    if not all(map(math.isfinite, (x, y, z))):
        raise ValueError(f"{name}: expected three finite numbers [m/s^2], got {shown(given)}")
    return x, y, z


def _not_negative(name: str, given: Any) -> float | None:
    if given is None:
        return None
    number = _number(given)
    if not math.isfinite(number):
        raise ValueError(f"{name} must be a finite number, got {shown(given)}")
    if number < 0.0:
        raise ValueError(f"{name} must not be negative, got {shown(given)}")
    return number


def _number(given: Any) -> float:
    """A number, or NaN for what is none: truth values, NumPy's among them, and text are not."""
    truth = getattr(getattr(given, "dtype", None), "kind", None) == "b"
    try:
        return math.nan if truth or isinstance(given, bool | str | bytes | complex) else float(given)
    except (TypeError, ValueError, OverflowError):
        return math.nan


def _count(name: str, given: Any) -> int:
    try:
        number = operator.index(given)
    except TypeError:
        number = -1
    if number < 0 or isinstance(given, bool):
        raise ValueError(f"{name} must be a whole number that is not negative, got {shown(given)}")
    return number


def _arguments(name: str, given: Any) -> tuple[tuple[str, str], ...]:
    """Pairs in the order of the names: the cache knows them by their text."""
    pairs = tuple(sorted(dict(given or {}).items()))
    for key, value in pairs:
        if not isinstance(key, str) or not isinstance(value, str):
            raise TypeError(f"{name}: expected names and values that are text, got {key!r}: {value!r}")
    return pairs


def _formulation(name: str, given: Any) -> str:
    return _text(name, given) or RECURSIVE


RECURSIVE = "recursive"
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
        None, "only these kernels", Flag("--kernels", {"nargs": "+", "metavar": "KERNEL"}), _kernels
    )
    formulation: str = _option(
        RECURSIVE, "how the equations are derived", Flag("--formulation"), _formulation
    )
    speeds: str | None = _option(
        None,
        "generalized speeds of the mechanism by name, Kane's method; else the rates of the coordinates",
        Flag("--speeds"),
        _text,
    )
    gravity: tuple[float, float, float] | None = _option(
        None,
        "acceleration of free fall in the base, m/s^2, in place of the model's own",
        Flag("--gravity", {"nargs": 3, "metavar": ("X", "Y", "Z")}),
        _vector,
    )
    live_parameters: bool = _option(
        False,
        "keep parameters changeable, as fields of a C struct",
        Flag("--live-parameters", {"action": "store_true"}),
        _truth,
    )
    friction: bool = _option(
        False,
        "damping and friction of the joints act, in inverse and forward dynamics alike",
        Flag("--friction", {"action": "store_true"}),
        _truth,
    )
    floating_base: bool = _option(
        False,
        "let the root link move freely",
        Flag("--floating-base", {"action": "store_true"}, of_files=True),
        _truth,
    )
    allow_unphysical: bool = _option(
        False,
        "let masses and inertias through that no body has",
        Flag("--allow-unphysical", {"action": "store_true"}, of_files=True),
        _truth,
    )
    angle_tolerance: float | None = _option(
        None,
        "take angles this near to a multiple of pi/2 for it",
        Flag("--angle-tolerance", {"metavar": "RAD"}, of_files=True),
        _not_negative,
    )
    arguments: tuple[tuple[str, str], ...] = _option(
        (),
        "an argument of a xacro file; may be repeated",
        Flag("--arg", {"action": "append", "metavar": "NAME:=VALUE"}, of_files=True),
        _arguments,
    )
    language: str = _option(
        LANGUAGES[0],
        "what the kernels are written in",
        Flag("--language", {"choices": LANGUAGES}),
        _one_of(*LANGUAGES),
    )
    float32: bool = _option(
        False,
        "add every function in single precision, under its name with _f32",
        Flag("--float32", {"action": "store_true"}),
        _truth,
    )
    sincos: str = _option(
        "vector",
        "where sines come from: all angles of a kernel together, or the C library",
        Flag("--sincos", {"choices": SINCOS}),
        _one_of(*SINCOS),
    )
    search: int = _option(
        DERIVATIONS.value,
        "derivations tried for each kernel",
        Flag("--search", {"metavar": "N"}),
        _count,
    )
    verify: bool = _option(
        False,
        "compile the C, and compare it with what it was printed from",
        Flag("--verify", {"action": "store_true"}),
        _truth,
    )
    with_residual: bool = _option(
        False, "the residual of the equations of position beside the kernels that are named", None, _truth
    )

    @property
    def recursive(self) -> bool:
        """Whether the recursions on joint rates are asked for.

        Everything else reads inertias as described: no gauge, and little to search for.
        """
        return self.speeds is None and self.formulation == RECURSIVE

    @property
    def loadable(self) -> bool:
        """Whether what is written can be compiled and loaded."""
        return self.language == LANGUAGES[0]

    @property
    def plain(self) -> bool:
        """Whether nothing but a choice of kernels is asked for."""
        return not self.asked().keys() - {"kernels", "with_residual"}

    def asked(self) -> dict[str, Any]:
        """The options that are not at their defaults."""
        return {
            f.name: getattr(self, f.name)
            for f in dataclasses.fields(self)
            if getattr(self, f.name) != f.default
        }


FIELDS = {f.name: f for f in dataclasses.fields(Options)}


def options(given: Mapping[str, Any]) -> Options:
    """The options for these keywords.  Raises TypeError for an unknown one, and what a wrong value raises."""
    unknown = [name for name in given if name not in Asked.__annotations__]
    if unknown:
        near = difflib.get_close_matches(unknown[0], Asked.__annotations__, n=1)
        hint = f"; did you mean {near[0]!r}?" if near else f"; options are {', '.join(Asked.__annotations__)}"
        raise TypeError(f"there is no option {unknown[0]!r}{hint}")
    return Options(**{name: FIELDS[name].metadata["checked"](name, value) for name, value in given.items()})


F = TypeVar("F", bound=Callable[..., Any])


def with_options(function: F) -> F:
    """Let the signature of a function that takes ``**asked`` name the options with their defaults."""
    shown_first = [p for p in inspect.signature(function).parameters.values() if p.kind is not p.VAR_KEYWORD]
    asked = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=FIELDS[name].default, annotation=kind)
        for name, kind in Asked.__annotations__.items()
    ]
    signature = inspect.signature(function).replace(parameters=[*shown_first, *asked])
    function.__signature__ = signature  # type: ignore[attr-defined]  # every function may have one
    return function
