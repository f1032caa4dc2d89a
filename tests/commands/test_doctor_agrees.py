"""Doctor and load agree about every model text of the tests: what load refuses is an error, what it changes a warning."""

from __future__ import annotations

import hashlib
import importlib
import pkgutil
import re
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import kanegen
import tests.cases
import tests.commands
import tests.mechanism.doctor
import tests.mechanism.importers
from kanegen.codegen import pipeline
from kanegen.codegen.commands.doctor import diagnose
from kanegen.codegen.kernel_sources import configurations
from kanegen.codegen.mechanism.findings import Severity
from tests.cases import test_foreign_urdf as foreign
from tests.mechanism.doctor import test_doctor as doctored
from tests.mechanism.importers.documents import joint, link, pendulum, robot

KINDS = {
    "urdf": r"\s*(<\?xml.*?\?>\s*)?<robot\b",
    "xml": r"\s*<mujoco\b",
    "toml": r"(?s).*\[\[(body|joint)\]\]",
}
ROOMS = (tests.cases, tests.commands, tests.mechanism.doctor, tests.mechanism.importers)
INSIDE_A_JOINT = re.compile(r"\s*<(limit|axis|origin|dynamics|mimic|parent|child|inertial)\b")


def texts() -> Iterator[str]:
    """Texts that are models, among the constants and the parameters of the tests; and elements of joints in a pendulum."""
    for room in ROOMS:
        for module in pkgutil.iter_modules(room.__path__, f"{room.__name__}."):
            if module.name == __name__:
                continue
            members = vars(importlib.import_module(module.name)).values()
            marks = [mark for member in members for mark in getattr(member, "pytestmark", []) or []]
            given = [mark.args[1] for mark in marks if mark.name == "parametrize"]
            for text in strings([*(m for m in members if isinstance(m, str | list | tuple | dict)), *given]):
                yield pendulum(text) if INSIDE_A_JOINT.match(text) else text
    for element in (*foreign.REFUSED, *foreign.WARNED, *foreign.SILENT):
        yield foreign.linkage(element)
    for kind in ("planar", "floating", "spherical", "hinge"):
        yield robot(
            link("a", ""),
            link("b", doctored.SOUND),
            joint("j", "a", "b", '<dynamics damping="1"/>', kind=kind),
        )


def strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        yield from strings([*value, *value.values()])
    elif isinstance(value, list | tuple):
        for part in value:
            yield from strings(part)


def models() -> dict[str, tuple[str, str]]:
    """Kinds and texts by a short name."""
    found = {}
    for text in texts():
        for kind, pattern in KINDS.items():
            if re.match(pattern, text) and "\0" not in text:
                digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:8]
                found[f"{kind}-{digest}"] = kind, text
    return found


MODELS = models()


def loaded(path: Path) -> tuple[kanegen.ModelError | None, list[str]]:
    """What load says of a file before it derives: the error with which it refuses, and its warnings."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        try:
            mechanism = pipeline.read(path, pipeline.Options())
            if mechanism.constrained:
                configurations(mechanism)
        except kanegen.ModelError as error:
            return error, []
    return None, [str(warning.message) for warning in told]


def test_there_are_enough() -> None:
    assert len(MODELS) > 150
    kinds = [kind for kind, _ in MODELS.values()]
    assert all(kinds.count(kind) > 10 for kind in KINDS)


@pytest.mark.parametrize("name", MODELS)
def test_load_and_doctor_agree(tmp_path: Path, name: str) -> None:
    kind, text = MODELS[name]
    if kind == "xml":
        pytest.importorskip("mujoco")
    if "xacro:" in text:
        pytest.importorskip("xacro")
    path = tmp_path / f"model.{kind}"
    path.write_text(text, encoding="utf-8", errors="surrogatepass")
    refused, told = loaded(path)
    found = diagnose(str(path))
    errors = [finding for finding in found if finding.severity is Severity.ERROR]
    assert bool(errors) == (refused is not None), (refused, errors)
    if refused is None:
        assert sorted(told) == sorted(str(f) for f in found if f.severity is Severity.WARNING)
