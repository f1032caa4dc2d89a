"""One damaged input after another through read, validate and doctor; some go on to an interpreted robot.

Whatever an input is: it is read, or refused with an error of kanegen, within a few seconds.  Anything else is a failure.
"""

from __future__ import annotations

import math
import random
import signal
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
import sympy

import kanegen
from kanegen.codegen.commands import doctor
from kanegen.codegen.mechanism.denavit_hartenberg import CONVENTIONS, DHRow, from_dh
from kanegen.codegen.mechanism.importers import read_file
from kanegen.errors import NotCompiledError

from .mutations import NUMBERS, TEXTS, mutated
from .seeds import GENERATED, SEEDS

SECONDS = 10.0
"""In which an input is read; in which it is derived: three times as many.  Machines may be busy."""

LOADED = 4
"""Each such many inputs, one goes on to an interpreted robot."""

_KERNELS = {
    ".urdf": "gravity_forces",
    ".xacro": "gravity_forces",
    ".toml": "potential_energy",
    ".xml": "mass_matrix",
}
_SCALARS: tuple[Any, ...] = (
    *(*NUMBERS, *TEXTS),
    *(0, 1, -1, 0.5, 1e308, 1e-308, math.inf, math.nan, True, None, 10**5000, -(10**61), Fraction(1, 3), b"1", 1j),
    *(Fraction(1, 10**4000), Decimal("1e400"), Decimal("nan"), sympy.pi, sympy.Integer(10) ** 400, sympy.oo, sympy.I),
    *(sympy.Symbol("x"), sympy.exp(sympy.exp(20)), sympy.exp(-(10**9)), np.float32(0.1), np.float64("nan"), [], {}),
    *(np.array([1.0, 2.0]), np.array(3), object(), sympy.Rational(1, 3) ** 3000, sympy.zoo, sympy.nan),
)  # fmt: skip


class TooSlow(BaseException):
    """An input took too long."""


@dataclass
class Outcomes:
    """How many inputs were read, refused, derived; and what failed: seed, kind of input, and how."""

    counts: Counter[str] = field(default_factory=Counter)
    failures: list[tuple[int, str, str]] = field(default_factory=list)


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """Raise TooSlow when the time is over."""

    def over(number: int, frame: FrameType | None) -> None:
        raise TooSlow(f"more than {seconds} s")

    before = signal.signal(signal.SIGALRM, over)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def fuzz(first: int, count: int, folder: Path) -> Outcomes:
    """Inputs by their seeds, from ``first`` on; files are written to the folder."""
    found = Outcomes()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", kanegen.ModelWarning)
        for seed in range(first, first + count):
            chance = random.Random(seed)
            kind = chance.choice((*SEEDS, "table", "manifest"))
            others = {"table": _table, "manifest": _manifest(folder)}
            attempt = others.get(kind) or _file(kind, folder, seed % LOADED == 0)
            try:
                found.counts[f"{kind} {attempt(chance)}"] += 1
            except kanegen.KanegenError as error:
                if fault := _fault(error):
                    found.failures.append((seed, kind, fault))
                found.counts[f"{kind} refused"] += 1
            except (Exception, TooSlow) as error:  # noqa: BLE001  (these are what is looked for)
                found.failures.append((seed, kind, f"{type(error).__name__}: {str(error)[:200]}"))
    return found


def _file(kind: str, folder: Path, load: bool) -> Callable[[random.Random], str]:
    """What becomes of a damaged file."""

    def attempt(chance: random.Random) -> str:
        path = folder / f"case{kind}"
        path.write_bytes(mutated(chance.choice(SEEDS[kind]), chance))
        options = {"floating_base": chance.random() < 0.1, "allow_unphysical": chance.random() < 0.1}
        with within(SECONDS):
            doctor.diagnose(str(path))
            read_file(path, **options)
        if not load:
            return "read"
        with within(3 * SECONDS):
            kanegen.load(path, interpreted=True, kernels=[_KERNELS[kind]], **options)
        return "derived"

    return attempt


def _table(chance: random.Random) -> str:
    """What becomes of a table of Denavit and Hartenberg with odd numbers."""
    names = ("theta", "d", "a", "alpha", "mass", "damping", "friction", "rotor_inertia", "gear_ratio")
    given: dict[str, Any] = {
        name: chance.choice(_SCALARS) for name in chance.sample(names, chance.choice((1, 1, 2)))
    }
    if chance.random() < 0.3:
        given["center"] = [chance.choice(_SCALARS) for _ in range(3)]
    if chance.random() < 0.3:
        given["inertia"] = [chance.choice(_SCALARS) for _ in range(chance.choice((3, 6, 2)))]
    if chance.random() < 0.2:
        given["link"] = chance.choice(TEXTS)
    rows = [DHRow(d=1, a="0.5", mass=1, inertia=(1, 1, 1)), DHRow(**given)]
    with within(SECONDS):
        from_dh(rows, chance.choice(CONVENTIONS), name=chance.choice(("arm", *TEXTS)))
    return "read"


def _manifest(folder: Path) -> Callable[[random.Random], str]:
    """What becomes of generated C whose manifest is damaged; it is read, with the files it names, and not compiled."""

    def attempt(chance: random.Random) -> str:
        for name in ("stanford_arm.c", "stanford_arm.h", "stanford_arm.cdef"):
            (folder / name).write_bytes((GENERATED / name).read_bytes())
        text = (GENERATED / "manifest.json").read_text(encoding="utf-8")
        (folder / "manifest.json").write_bytes(mutated(text, chance))
        try:
            with within(SECONDS):
                kanegen.load(folder, interpreted=True)
        except NotCompiledError:  # C is compiled, not interpreted: the manifest was taken
            return "read"
        raise AssertionError("C without a model has been interpreted")

    return attempt


def _fault(error: kanegen.KanegenError) -> str | None:
    """What is wrong with a refusal: it blames kanegen, or its message has no bounds."""
    if isinstance(error, kanegen.InternalError | kanegen.CertificateError):
        return f"{type(error).__name__}: {error}"
    return None if 0 < len(str(error)) < 6000 else f"a message of {len(str(error))} characters"
