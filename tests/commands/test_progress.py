"""Progress of long commands: on a terminal alone, stage by stage."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from kanegen.codegen import pipeline
from kanegen.progress import Progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def seen(text: str) -> list[str]:
    """Lines as they stand on a terminal that knows the carriage return and the erasure of a line."""
    return [line.rpartition("\r\x1b[K")[2] for line in text.split("\n")]


def test_stages_give_way_to_lines() -> None:
    stream = Terminal()
    with Progress(stream) as progress:
        progress.stage("first")
        progress.stage("second")
        assert seen(stream.getvalue()) == ["second ..."]
        progress.line("second is done")
        progress.stage("third")
    assert seen(stream.getvalue()) == ["second is done", ""]


def test_nothing_is_left_behind_after_an_error() -> None:
    stream = Terminal()

    def fail() -> None:
        with Progress(stream) as progress:
            progress.stage("first")
            raise ValueError("wrong")

    with pytest.raises(ValueError, match="wrong"):
        fail()
    assert seen(stream.getvalue()) == [""]


@pytest.mark.parametrize(("stream", "quiet"), [(io.StringIO(), False), (Terminal(), True)])
def test_quiet(stream: io.StringIO, quiet: bool) -> None:
    with Progress(stream, quiet=quiet) as progress:
        progress.stage("first")
        progress.line("first is done")
    assert stream.getvalue() == ""


def test_a_generation_tells_what_begins_before_it_is_done(tmp_path: Path) -> None:
    told: list[str] = []
    options = pipeline.Options(kernels=("gravity_forces", "potential_energy"), search=1)
    pipeline.generate(
        "stanford_arm",
        tmp_path,
        options,
        lambda name, kernel: told.append(f"done {name}"),
        told.append,
    )
    assert told == [
        "reading the model",
        "deriving gravity_forces, 1 of 2",
        "done gravity_forces",
        "deriving potential_energy, 2 of 2",
        "done potential_energy",
        "checking the kernels against each other",
        "ordering statements, and writing",
    ]
