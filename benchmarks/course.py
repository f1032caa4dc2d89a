"""What all sections of a run share: how much is measured, of which machines, and what could not take part."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.drivers.build import BuildFailed, NativeProgram, build
from benchmarks.protocol import DriverFailed
from kanegen.codegen.commands.benchmark_records import Column, Shown


@dataclass(frozen=True)
class Course:
    """How a run measures.

    Attributes:
        machines: the names of those that are timed.
        folder: for files that are needed while it runs.
        states: random states of each machine.
        rounds: turns of every contestant.
        quick: only tries whether everything works: one instruction set, few states and turns, no peers in C++ that
            would have to be compiled first.
        left_out: a sentence for each contestant that could not take part.
    """

    machines: tuple[str, ...]
    folder: Path
    states: int = 1024
    rounds: int = 10
    quick: bool = False
    left_out: list[str] = field(default_factory=list)

    def missing(self, reason: object) -> None:
        """Note once what could not take part."""
        if str(reason) not in self.left_out:
            self.left_out.append(str(reason))

    def built(self, program: Callable[[], NativeProgram], slow: bool = False) -> Path | None:
        """The executable of a program, None with a note where it cannot be had.

        ``slow`` ones, which compile for minutes, are left out of a quick run.
        """
        try:
            if slow and self.quick:
                raise BuildFailed("peers in C++ are not part of a quick run")
            return build(program())
        except BuildFailed as reason:
            self.missing(reason)
            return None


def in_a_process(module: str, *arguments: str) -> dict[str, float]:
    """What ``python -m module`` prints, a JSON object of numbers, in a process whose cache is empty.

    Raises:
        DriverFailed: when it ends with an error.
    """
    with tempfile.TemporaryDirectory() as cache:
        environment = os.environ | {"KANEGEN_CACHE_DIR": cache, "PYTHONPATH": os.pathsep.join(sys.path)}
        command = [sys.executable, "-m", module, *arguments]
        finished = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    if finished.returncode != 0:
        raise DriverFailed(f"{module} failed: {without_paths(finished.stderr.strip().splitlines()[-1])}")
    found: dict[str, float] = json.loads(finished.stdout.splitlines()[-1])
    return found


def columns(*names: str) -> tuple[Column, ...]:
    """Columns of a table: text first; "... x" are ratios, "difference" a difference, the others numbers."""

    def column(place: int, name: str) -> Column:
        if place == 0:
            return Column(name, Shown.TEXT)
        if name.endswith(" x"):
            return Column(name.removesuffix(" x"), Shown.RATIO)
        return Column(name, Shown.DIFFERENCE if name == "difference" else Shown.NUMBER)

    return tuple(column(place, name) for place, name in enumerate(names))


def say(text: str) -> None:
    """Tell on standard error what takes its time."""
    print(text, file=sys.stderr, flush=True)


def ratio(over: float | None, under: float | None) -> float | None:
    """``over / under``, None where one of them was not measured."""
    return None if over is None or under is None else over / under


def without_paths(text: str) -> str:
    """The first line of a message of another program, without paths of this machine."""
    lines = text.strip().splitlines() or [""]
    return " ".join("..." if "/" in word else word for word in lines[0].split())[:160]
