"""A damaged cache (CASE 92): never a crash, a wrong robot or a dead end; what differs from its record is made anew.

Right values are hand formulas: a bob of 1.5 kg at 0.7 m needs 1.5 * 0.7^2 a + 9.81 * 1.5 * 0.7 sin q, and one of 2 kg at
0.5 m has the moment of inertia 0.5 kg m^2.
"""

from __future__ import annotations

import json
import logging
import math
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import kanegen
from kanegen.builds import cache, cache_place, extensions

from .damages import DAMAGES, MODEL, TEXTS, damage
from .machines import pendulum

pytestmark = pytest.mark.all_passes

ROOT = Path(__file__).parents[2]
POSIX = pytest.mark.skipif(os.name != "posix", reason="links, pipes and modes of POSIX")
LOAD = """\
import kanegen
from tests.cases.machines import pendulum
print(kanegen.load(pendulum(), kernels=["mass_matrix"]).mass_matrix([0.3]).item())
"""


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(cache_place.VARIABLE, str(tmp_path / "cache"))
    return tmp_path / "cache"


def process(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *arguments], cwd=ROOT, capture_output=True, text=True, check=False, timeout=300
    )


@POSIX
def test_every_damage(place: Path) -> None:
    """Case 92: every kind of damage, to every kind of file.

    Each is found before the library is opened, told once, set aside and made anew, and the torque is right.
    """
    number = len(DAMAGES)
    made = process("-m", "tests.cases.damages", "make", str(number))
    assert made.returncode == 0, made.stderr
    for i in range(number):
        damage(place, i)
    loaded = process("-m", "tests.cases.damages", "load", str(number))
    lines = [line.split() for line in loaded.stdout.splitlines()]
    assert len(lines) == number, f"ended in the midst of damage {len(lines) % len(DAMAGES)}: {loaded.stderr}"
    assert loaded.returncode == 0, loaded.stderr
    torque = 1.5 * 0.7**2 * 1.0 + 9.81 * 1.5 * 0.7 * math.sin(0.3)
    for i, told, whole, found in lines:
        assert (told, whole) == ("1", "True"), f"damage {int(i) % len(DAMAGES)}"
        assert float(found) == pytest.approx(torque, rel=4 * sys.float_info.epsilon)  # four roundings
    aside = [path for path in place.iterdir() if path.suffix == ".damaged"]
    assert len(aside) == number


@pytest.mark.parametrize("what", ["flipped bytes", "manifest"])
def test_a_load_after_damage(place: Path, what: str) -> None:
    """Case 92, the way a user meets it: one line on stderr, and the right value, in a process of its own."""
    assert process("-c", LOAD).stdout == "0.5\n"
    library = next(path for path in place.glob("*/_kernels*") if path.suffix in (".so", ".pyd"))
    if what == "flipped bytes":
        library.write_bytes(bytes(x ^ 0xFF if i % 97 == 0 else x for i, x in enumerate(library.read_bytes())))
    else:
        (library.parent / "manifest.json").write_text("[]")
    done = process("-c", LOAD)
    assert done.returncode == 0, f"signal or error: {done.stderr}"
    assert done.stdout == "0.5\n"
    (line,) = done.stderr.splitlines()
    assert line.endswith(f"It is set aside as {library.parent}.damaged, and made anew")
    again = process("-c", LOAD)
    assert (again.stdout, again.stderr) == ("0.5\n", "")


def test_what_was_damaged_is_checked_like_anything_new(place: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Case 92: an entry made anew beside one of another compiler takes its C only if that is as it was recorded."""
    written: list[Path] = []

    def generate(directory: Path) -> None:
        written.append(directory)
        extensions.copy_generated(MODEL, directory)

    made = extensions.compiled_entry("arm", {"model": "x"}, generate).directory
    other = made.with_name(f"{made.name[:-8]}00000000")
    made.rename(other)  # as if another compiler had made it; its record says otherwise
    extensions.compiled_entry("arm", {"model": "x"}, generate)
    assert len(written) == 2
    assert "belongs to" in caplog.text


@POSIX
@pytest.mark.skipif(os.name == "posix" and os.geteuid() == 0, reason="root may write everything")
def test_damage_that_cannot_be_set_aside(place: Path) -> None:
    """Case 92: in a cache that cannot be written, the error has the reason, and what to delete or to set."""
    made = extensions.compiled_entry(
        "arm", {"model": "x"}, lambda directory: extensions.copy_generated(MODEL, directory)
    )
    (made.directory / "manifest.json").write_bytes(b"")
    (place / f"{made.directory.name}.lock").touch()
    place.chmod(0o500)
    try:
        with pytest.raises(kanegen.CacheError, match=r"manifest\.json has 0 bytes,"):
            extensions.compiled_entry("arm", {"model": "x"}, lambda directory: None)
    finally:
        place.chmod(0o700)


def test_damage_where_nothing_can_be_moved(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Case 92: as above, for whoever may write everything."""
    made = extensions.compiled_entry(
        "arm", {"model": "x"}, lambda directory: extensions.copy_generated(MODEL, directory)
    )
    (made.directory / "manifest.json").write_bytes(b"")

    def refuse(self: Path, target: Path) -> None:
        raise PermissionError(13, "Permission denied", str(self))

    monkeypatch.setattr(Path, "rename", refuse)
    with pytest.raises(
        kanegen.CacheError,
        match=r"manifest\.json has 0 bytes, .* cannot be set aside",
    ):
        extensions.compiled_entry("arm", {"model": "x"}, lambda directory: None)


def test_without_a_compiler(
    place: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Case 92: where nothing can be made anew, NumPy serves; a damaged library is not loaded for want of another."""
    assert process("-c", LOAD).returncode == 0
    library = next(path for path in place.glob("*/_kernels*") if path.suffix in (".so", ".pyd"))
    library.write_bytes(library.read_bytes()[:-100])
    monkeypatch.setenv("CC", "/no/such/compiler")
    with caplog.at_level(logging.WARNING, logger="kanegen"):
        arm = kanegen.load(pendulum(), kernels=["mass_matrix"])
    assert arm.target is None
    assert arm.mass_matrix([0.3]).item() == 0.5
    assert f"{library} has" in caplog.text


TOTAL: dict[str, Callable[[dict[str, object]], object]] = {
    "kernels is a list": lambda data: data.update(kernels=[]),
    "a kernel is null": lambda data: data.update(kernels={"mass_matrix": None}),
    "nq is infinite": lambda data: data.update(nq=float("inf")),
    "nq is immense": lambda data: data.update(nq=10**30),
    "nv is a word": lambda data: data.update(nv="many"),
    "a quaternion begins behind the end": lambda data: data.update(quaternions=[99]),
    "the prefix leads elsewhere": lambda data: data["model"].update(prefix="../../etc/passwd"),  # type: ignore[attr-defined]
    "no model": lambda data: data.pop("model"),
    "limits of a list": lambda data: data.update(limits=[1]),
}


@pytest.mark.parametrize("what", [*TOTAL, *(f"text {i}" for i in range(len(TEXTS)))])
def test_a_manifest_that_is_none(tmp_path: Path, what: str) -> None:
    """Case 92, for a directory of generated C, which has no record: an error of ours says to generate again."""
    folder = tmp_path / "model"
    shutil.copytree(MODEL, folder)
    if what in TOTAL:
        data = json.loads((folder / "manifest.json").read_text())
        TOTAL[what](data)
        (folder / "manifest.json").write_text(json.dumps(data))
    else:
        (folder / "manifest.json").write_text(TEXTS[int(what.removeprefix("text "))])
    with pytest.raises(kanegen.ManifestError, match="Generate the mechanism again"):
        kanegen.load(folder)


@pytest.mark.parametrize("name", ["live_pendulum.c", "live_pendulum.h", "live_pendulum.cdef"])
def test_generated_files_that_are_missing(tmp_path: Path, name: str) -> None:
    """Case 92: one of the set is gone."""
    folder = tmp_path / "model"
    shutil.copytree(MODEL, folder)
    (folder / name).unlink()
    with pytest.raises(kanegen.ManifestError, match=rf"{name}: .* belongs to manifest\.json beside it"):
        kanegen.load(folder)


@pytest.mark.skipif(sys.platform != "linux", reason="signals as on Linux")
def test_a_generation_that_was_killed(tmp_path: Path) -> None:
    """Case 92: what is half written over an older mechanism has no manifest, and load says what to do."""
    program = (
        "import os, signal, sys, kanegen\nfrom pathlib import Path\nfrom tests.cases.machines import pendulum\n"
        "rename, out = Path.replace, Path(sys.argv[1])\n"
        "kanegen.generate(pendulum(), out, kernels=['mass_matrix'])\n"
        "def replace(self, target):\n"
        "    if target.name == 'pendulum.h':\n"
        "        os.kill(os.getpid(), signal.SIGKILL)\n"
        "    return rename(self, target)\n"
        "Path.replace = replace\n"
        "kanegen.generate(pendulum(), out, kernels=['gravity_forces'])\n"
    )
    done = process("-c", program, str(tmp_path / "out"))
    assert done.returncode == -signal.SIGKILL, done.stderr
    assert "gravity_forces" in (tmp_path / "out" / "pendulum.c").read_text()
    assert "gravity_forces" not in (tmp_path / "out" / "pendulum.h").read_text()
    with pytest.raises(kanegen.UnknownModelError, match=r"without manifest\.json: .* was interrupted"):
        kanegen.load(tmp_path / "out")
    kanegen.generate(pendulum(), tmp_path / "out", kernels=["mass_matrix"])
    assert kanegen.load(tmp_path / "out").mass_matrix([0.3]).item() == 0.5


def test_records_are_of_what_is_there(place: Path) -> None:
    """Case 92: the record names every file of the entry beside itself, with its size and SHA-256."""
    import hashlib

    made = extensions.compiled_entry(
        "arm", {"model": "x"}, lambda directory: extensions.copy_generated(MODEL, directory)
    )
    data = json.loads((made.directory / cache.RECORD_FILE).read_text())
    there = {
        path.name: path.read_bytes() for path in made.directory.iterdir() if path.name != cache.RECORD_FILE
    }
    assert data["entry"] == made.directory.name
    assert data["files"] == {name: [len(x), hashlib.sha256(x).hexdigest()] for name, x in there.items()}
