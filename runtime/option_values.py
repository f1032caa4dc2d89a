"""What the values of options may be: functions of the name of an option and of what a user gave, which return what is kept.

What is kept is made of numbers, texts and tuples, so that options can be compared, and written down as they are.  All raise
TypeError or ValueError.
"""

from __future__ import annotations

import math
import operator
import os
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from kanegen.errors import MissingKernelError, shown
from kanegen.laws import Law, from_text
from kanegen.limits import DERIVATIONS

THOROUGH, FURTHER = "thorough", "further"
SEARCHES: Mapping[str, int | str] = {
    "quick": 60,
    "normal": DERIVATIONS.value,
    THOROUGH: THOROUGH,
    FURTHER: FURTHER,
}
"""How thorough a search can be, and what is kept of it: derivations of each kernel, or the word."""

_TRUTHS = ("bool", "bool_", "int")
"""Names of the types of truth values, NumPy's among them."""

INERTIAL = ("mass", "x", "y", "z", "Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz")
"""The numbers of a payload [kg, m, kg m^2]: its mass, its centre, and its inertia about that."""


def kernels(name: str, given: Any) -> tuple[str, ...] | None:
    """Names of kernels; None stands for all."""
    if given is None:
        return None
    found = names(name, given)
    if not found:
        raise MissingKernelError(f"{name}: expected at least one name, got an empty list")
    return found


def names(name: str, given: Any) -> tuple[str, ...]:
    """A list of names."""
    if isinstance(given, str):
        raise TypeError(f"{name}: expected a list of names, got the string {given!r}; pass [{given!r}]")
    found = tuple(given) if isinstance(given, Iterable) else () if given is None else (given,)
    if not all(isinstance(part, str) for part in found):
        raise TypeError(f"{name}: expected a list of names, got {shown(given)}")
    return found


def listed(name: str, given: Any) -> tuple[str, ...]:
    """A list of names, or a text of them with commas between them."""
    found = [part.strip() for part in given.split(",")] if isinstance(given, str) else names(name, given)
    if not all(isinstance(part, str) and part for part in found):
        raise TypeError(f"{name}: expected a list of names, got {shown(given)}")
    return tuple(dict.fromkeys(found))


def truth(name: str, given: Any) -> bool:
    """Whether it is wanted: True or False, or 1 or 0; None is False.  A text such as "false" would be true."""
    if given is None or (type(given).__name__ in _TRUTHS and given in (0, 1)):
        return bool(given)
    raise TypeError(f"{name}: expected True or False, got {shown(given)}")


def text(name: str, given: Any) -> str | None:
    """A name, or None."""
    if given is None or isinstance(given, str):
        return given
    raise TypeError(f"{name}: expected a name, got {given!r}")


def one_of(*words: str) -> Callable[[str, Any], str]:
    """One of these words."""

    def checked(name: str, given: Any) -> str:
        if given in words and isinstance(given, str):
            return given
        raise ValueError(f"{name}: expected {' or '.join(map(repr, words))}, got {given!r}")

    return checked


def vector(name: str, given: Any) -> tuple[float, float, float] | None:
    """Three numbers, or None."""
    if given is None:
        return None
    found = _numbers(given)
    if found is None or len(found) != 3:
        raise ValueError(f"{name}: expected three finite numbers [m/s^2], got {shown(given)}")
    x, y, z = found
    return x, y, z


def placement(name: str, given: Any) -> tuple[float, ...] | None:
    """Six numbers, of which the last three may be left out, or None."""
    if given is None:
        return None
    found = _numbers(given)
    if found is None or len(found) not in (3, 6):
        raise ValueError(
            f"{name}: expected (x, y, z) [m] or (x, y, z, roll, pitch, yaw) [m, rad], got {shown(given)}"
        )
    return (*found, 0.0, 0.0, 0.0)[:6]


def payloads(name: str, given: Any) -> tuple[tuple[str, tuple[float, ...]], ...]:
    """By frame a mass, or (mass, centre), or (mass, centre, inertia): the numbers of ``INERTIAL`` each."""
    found = []
    for frame, payload in _by_name(name, given):
        numbers = _payload(payload)
        if numbers is None:
            raise ValueError(
                f"{name}: expected a mass [kg], (mass, centre) or (mass, centre, inertia) at {frame!r}, the inertia "
                "[kg m^2] as three principal moments, (Ixx, Iyy, Izz, Ixy, Ixz, Iyz) or the rows of a symmetric matrix, got "
                f"{shown(payload)}"
            )
        found.append((frame, numbers))
    return tuple(found)


def _payload(given: Any) -> tuple[float, ...] | None:
    """The ten numbers of one payload; None where it is none."""
    if math.isfinite(mass := number(given)):
        return (mass, *(0.0,) * 9)
    flat = _numbers(given)
    if flat is not None:
        return (*flat, *(0.0,) * 9)[:10] if len(flat) in (4, 10) else None
    parts = _parts(given)
    if parts is None or len(parts) not in (2, 3):
        return None
    centre = _numbers(parts[1])
    inertia = (_inertia(parts[2]) or ()) if len(parts) == 3 else (0.0,) * 6
    found = (number(parts[0]), *(centre or ()), *inertia)
    return found if len(found) == 10 and math.isfinite(found[0]) else None


def _inertia(given: Any) -> tuple[float, ...] | None:
    """Six entries of a tensor; None for what is none."""
    flat = _numbers(given)
    if flat is not None:
        return (*flat, 0.0, 0.0, 0.0)[:6] if len(flat) in (3, 6) else None
    rows = [_numbers(row) for row in _parts(given) or ()]
    if len(rows) != 3 or any(row is None or len(row) != 3 for row in rows):
        return None
    (xx, xy, xz), (yx, yy, yz), (zx, zy, zz) = (row for row in rows if row is not None)
    return (xx, yy, zz, xy, xz, yz) if (xy, xz, yz) == (yx, zx, zy) else None


def joint_values(name: str, given: Any) -> tuple[tuple[str, tuple[float, ...]], ...]:
    """By joint a number, or the coordinates of a ball joint."""
    found = []
    for joint, value in _by_name(name, given):
        numbers = (number(value),) if math.isfinite(number(value)) else _numbers(value)
        if not numbers or len(numbers) not in (1, 4, 7):
            raise ValueError(
                f"{name}: expected a number [rad, m] for {joint!r}, of a ball joint a unit quaternion (x, y, z, w), of a "
                f"floating one (x, y, z) [m] before it, got {shown(value)}"
            )
        found.append((joint, numbers))
    return tuple(found)


def not_negative(name: str, given: Any) -> float | None:
    """A number of at least 0, or None."""
    if given is None:
        return None
    found = number(given)
    if not math.isfinite(found):
        raise ValueError(f"{name} must be a finite number, got {shown(given)}")
    if found < 0.0:
        raise ValueError(f"{name} must not be negative, got {shown(given)}")
    return found


def number(given: Any) -> float:
    """A number, or NaN for what is none: truth values, NumPy's among them, and text are not."""
    truth = getattr(getattr(given, "dtype", None), "kind", None) == "b"
    try:
        return math.nan if truth or isinstance(given, bool | str | bytes | complex) else float(given)
    except (TypeError, ValueError, OverflowError):
        return math.nan


def count(name: str, given: Any) -> int:
    """A number of things."""
    try:
        found = operator.index(given)
    except TypeError:
        found = -1
    if found < 0 or isinstance(given, bool):
        raise ValueError(f"{name} must be a whole number that is not negative, got {shown(given)}")
    return found


def search(name: str, given: Any) -> int | str:
    """A number of derivations, or how thorough a search is to be."""
    if not isinstance(given, str):
        return count(name, given)
    if given in SEARCHES:
        return SEARCHES[given]
    raise ValueError(
        f"{name}: expected a number, or one of {', '.join(map(repr, SEARCHES))}, got {shown(given)}"
    )


def path(name: str, given: Any) -> str | None:
    """The path of a file, or None."""
    if given is None or isinstance(given, str | os.PathLike):
        return given if given is None else str(os.fspath(given))
    raise TypeError(f"{name}: expected a path, got {shown(given)}")


def jobs(name: str, given: Any) -> int | None:
    """A number of processes, None for as many as there are cores."""
    found = None if given is None else count(name, given)
    if found == 0:
        raise ValueError(f"{name} must be at least 1, got 0")
    return found


def texts(name: str, given: Any) -> tuple[tuple[str, str], ...]:
    """Texts by name, in the order of the names: the cache knows them by their text."""
    pairs = tuple(sorted(_by_name(name, given)))
    for key, value in pairs:
        if not isinstance(value, str):
            raise TypeError(f"{name}: expected names and values that are text, got {key!r}: {value!r}")
    return pairs


def laws(name: str, given: Any) -> tuple[tuple[str, str], ...]:
    """Laws of ``kanegen.laws`` by the names of their kernels, or the texts of such laws: all as texts."""
    found = []
    for key, law in _by_name(name, given):
        try:
            found.append((key, str(law if isinstance(law, Law) else from_text(law))))
        except (AttributeError, TypeError, ValueError) as error:
            raise ValueError(f"{name}, {key!r}: {error}") from None
    return tuple(found)


def _by_name(name: str, given: Any) -> tuple[tuple[str, Any], ...]:
    """The pairs of a mapping, or of a list, each name once."""
    try:
        pairs = tuple(given.items()) if isinstance(given, Mapping) else tuple((k, v) for k, v in given or ())
    except (TypeError, ValueError):
        raise TypeError(f"{name}: expected values by name, as {{name: value}}, got {shown(given)}") from None
    for key, value in pairs:
        if not isinstance(key, str):
            raise TypeError(f"{name}: expected names and values that are text, got {key!r}: {value!r}")
        if [other for other, _ in pairs].count(key) > 1:
            raise ValueError(f"{name}: {key!r} is given twice")
    return pairs


def _parts(given: Any) -> tuple[Any, ...] | None:
    """The entries of a sequence, None for what is none."""
    return None if isinstance(given, str | Mapping) or not isinstance(given, Iterable) else tuple(given)


def _numbers(given: Any) -> tuple[float, ...] | None:
    """A sequence of finite numbers, None for what is none."""
    found = tuple(map(number, _parts(given) or (math.nan,)))
    return found if all(map(math.isfinite, found)) else None
