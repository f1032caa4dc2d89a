"""An entry of the cache is there whole and checked, or not at all (CASES 94 and 102): odd compilers, kills, faults of files,
full disks, disks that forbid execution, and waiting for another process.

Right values are those of a hand formula: a bob of 2 kg at 0.5 m has the moment of inertia 2 * 0.5^2 = 0.5 kg m^2.
"""

from __future__ import annotations

import errno
import logging
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import filelock
import pytest

import kanegen
from kanegen.builds import cache, cache_place
from kanegen.codegen.generation import Generated
from kanegen.errors import CacheError, CertificateError, FileError

from .machines import pendulum

ROOT = Path(__file__).parents[2]
LINUX = pytest.mark.skipif(sys.platform != "linux", reason="/proc, mounts and signals as on Linux")
LOAD = """\
import kanegen
from tests.cases.machines import pendulum
print(kanegen.load(pendulum(), kernels=["mass_matrix"]).mass_matrix([0.3]).item())
"""


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(cache_place.VARIABLE, str(tmp_path / "cache"))
    return tmp_path / "cache"


def inertia() -> float:
    arm = kanegen.load(pendulum(), kernels=["mass_matrix"])
    assert arm.target is not None
    return float(arm.mass_matrix([0.3]).item())


def published(place: Path) -> list[str]:
    """Names of entries, and of what could be taken for one."""
    return [path.name for path in place.iterdir() if path.suffix not in (".lock", ".failed")]


def script(path: Path, text: str) -> str:
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return f"'{path}'"


CRASHING = (
    'for word; do [ "$word" = -shared ] && set -- "$@" -Wl,-z,lazy {folder}/crash.c; done; exec cc -fPIC "$@"'
)

COMPILERS: dict[str, tuple[str, str]] = {
    "does nothing": ("true", "ended without an error, but did not make kernels_baseline.o|did not make"),
    "prints": ("gcc -E", r"did not make|cannot be loaded"),
    "looks only": ("gcc -fsyntax-only", "did not make"),
    "writes empty files": ("{empty}", "did not make"),
    "writes text": ("{text}", r"cannot be loaded: .*(invalid ELF header|file too short)"),
    "crashes when loaded": ("{crashing}", "cannot be loaded: loading it ends with SIGSEGV"),
}


@pytest.mark.skipif(shutil.which("gcc") is None, reason="needs gcc")
@pytest.mark.parametrize("kind", COMPILERS)
def test_a_compiler_that_is_none(
    kind: str, tmp_path: Path, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Case 94: a library must be there and load in another process before it is published; the next compiler begins anew."""
    if kind == "crashes when loaded" and sys.platform != "linux":
        pytest.skip("the name of the signal")
    last = 'for word; do [ "$before" = -o ] && made=$word; before=$word; done'
    (tmp_path / "crash.c").write_text(
        "__attribute__((constructor)) static void crash(void) { *(volatile int *)0 = 0; }\n"
    )
    scripts = {
        "empty": script(tmp_path / "empty", f'{last}; [ -z "$made" ] || : > "$made"'),
        "text": script(tmp_path / "text", f'{last}; [ -z "$made" ] || echo "not a library, but long enough: $*" > "$made"'),
        "crashing": script(tmp_path / "crashing", CRASHING.format(folder=tmp_path)),
    }  # fmt: skip
    command, message = COMPILERS[kind]
    with monkeypatch.context() as patch:
        patch.setenv("CC", command.format(**scripts))
        for _ in range(2):
            with pytest.raises(kanegen.BuildError, match=message) as caught:
                kanegen.load(pendulum(), kernels=["mass_matrix"])
            assert published(place) == []
            assert (caught.value.source / "pendulum.c").is_file()
    assert inertia() == 0.5


def test_kernels_that_fail_their_check(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Case 94: while kernels are compared with what they were printed from, nothing is published, nor when they differ."""
    during: list[list[str]] = []

    def refuse(self: Generated, call: object) -> None:
        during.append([name for name in published(place) if not name.startswith(".")])
        raise CertificateError("they differ")

    with monkeypatch.context() as patch:
        patch.setattr(Generated, "compiled_residuals", refuse)
        with pytest.raises(CertificateError, match="they differ"):
            kanegen.load(pendulum(), kernels=["mass_matrix"])
    assert during == [[]]
    assert published(place) == []
    assert inertia() == 0.5


@LINUX
def test_a_kill_while_kernels_are_checked(place: Path) -> None:
    """Case 94: what the killed process left is not an entry, and goes with the next load."""
    program = (
        "import os, signal\nfrom kanegen.codegen.generation import Generated\n"
        "Generated.compiled_residuals = lambda self, call: os.kill(os.getpid(), signal.SIGKILL)\n" + LOAD
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, check=False)
    assert done.returncode == -9
    (left,) = published(place)
    assert left.startswith(".pendulum-")
    again = [sys.executable, "-c", LOAD]  # with the same flags as the process before, so for the same entry
    assert subprocess.run(again, cwd=ROOT, capture_output=True, check=True).stdout == b"0.5\n"
    (entry,) = published(place)
    assert not entry.startswith(".")


@LINUX
@pytest.mark.parametrize("kind", ["cache", "writer"])
def test_a_fault_at_each_operation(kind: str, tmp_path: Path) -> None:
    """Cases 94 and 102: each operation on files fails in turn, or the process is killed there.

    No half entry is used, no files of two mechanisms have a manifest, no raw error comes out, and the next attempt is right.
    """
    done = subprocess.run(
        [sys.executable, "-m", "tests.cases.faults", kind, str(tmp_path / "work")],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    *wrong, number = done.stdout.splitlines() or [done.stderr]
    assert wrong == []
    assert int(number) >= 100, done.stderr


def mounted(options: str, folder: Path, program: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """A Python program for which ``folder`` is a file system in memory, mounted for it alone.  Skips where it may not."""
    folder.mkdir(exist_ok=True)
    if shutil.which("unshare") is None or os.geteuid() != 0:
        pytest.skip("mounting a file system needs root and unshare")
    mount = [
        "unshare",
        "--mount",
        "sh",
        "-c",
        'mount -t tmpfs -o "$1" none "$2" || exit 77; shift 2; exec "$@"',
        "sh",
    ]
    done = subprocess.run(
        [*mount, options, str(folder), sys.executable, "-c", program],
        cwd=ROOT,
        env=os.environ | environment,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode == 77:
        pytest.skip("this machine does not let a file system be mounted")
    return done


FULL = """\
import os, sys, kanegen, pathlib
from kanegen.builds import cache
from tests.cases.machines import pendulum
place, half_written, errors = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else os.environ["PLACE"]), 0, set()
arm = pendulum()
for free in range(0, 240_000, 24_000):
    ballast = place / "ballast"
    ballast.unlink(missing_ok=True)
    whole = os.statvfs(place)
    with ballast.open("wb") as file:
        file.write(bytes(max(0, whole.f_bavail * whole.f_frsize - free)))
    try:
        robot = kanegen.load(arm, kernels=["mass_matrix"])
    except (kanegen.CacheError, kanegen.BuildError) as error:
        assert str(place) in str(error) and "No space left" in str(error), str(error)
        errors.add(type(error).__name__)
        if not isinstance(error, kanegen.BuildError):
            assert "make room there, or" in str(error), str(error)
    else:
        break
assert errors, "the disk was never full"
ballast.unlink()
print(kanegen.load(arm, kernels=["mass_matrix"]).mass_matrix([0.3]).item(), *sorted(errors))
"""


@LINUX
def test_a_full_disk(tmp_path: Path) -> None:
    """Case 102: however little fits, the error has the path, the reason and the way out, and later the load is right."""
    disk = tmp_path / "disk"
    done = mounted("size=2m", disk, FULL, KANEGEN_CACHE_DIR=str(disk / "cache"), PLACE=str(disk))
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("0.5 ")
    assert "CacheError" in done.stdout


def test_no_room_for_generated_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Case 102, for ``generate``: the path, the reason, the way out; and no folder is left."""

    def full(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        with pytest.raises(
            FileError, match=r"out cannot be written: No space left .* make room there, or name another"
        ):
            kanegen.generate(pendulum(), tmp_path / "out", kernels=["mass_matrix"])
    assert not (tmp_path / "out").exists()


@LINUX
def test_a_disk_that_forbids_execution(tmp_path: Path) -> None:
    """Case 102: the message says so before anything is generated, and what to set."""
    disk = tmp_path / "disk"
    done = mounted("noexec", disk, LOAD, KANEGEN_CACHE_DIR=str(disk / "cache"))
    last = done.stderr.splitlines()[-1]
    assert "KANEGEN_CACHE_DIR=" in last
    assert "is on a file system that is mounted noexec, so that no code can be loaded from it" in last
    assert "Name another directory: one of your own, where code may run" in last
    assert "elete" not in last


@LINUX
def test_a_home_that_forbids_execution(tmp_path: Path) -> None:
    """Case 102: where nobody named a place, the temporary files serve, and one line says so."""
    disk, temporary = tmp_path / "disk", tmp_path / "tmp"
    temporary.mkdir()
    program = "import os; del os.environ['KANEGEN_CACHE_DIR']\n" + LOAD
    done = mounted("noexec", disk, program, XDG_CACHE_HOME=str(disk), HOME=str(disk), TMPDIR=str(temporary))
    assert done.returncode == 0, done.stderr
    assert done.stdout == "0.5\n"
    (line,) = done.stderr.splitlines()
    assert "mounted noexec" in line
    assert "go among the temporary files. KANEGEN_CACHE_DIR names another place" in line


@pytest.mark.parametrize("reason", ["failed to map segment from shared object", "Operation not permitted"])
def test_a_policy_that_forbids_execution(reason: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Case 102: a whole library that the system does not map is not to be deleted; and the mechanism is not to blame."""
    inertia()
    from kanegen.builds import extensions

    def refuse(*_: object) -> None:
        raise ImportError(f"_kernels.so: {reason}")

    monkeypatch.setattr(extensions, "_modules", {})
    monkeypatch.setattr(extensions.importlib.util, "module_from_spec", refuse)
    with pytest.raises(
        CacheError, match="This system forbids to run code from there, or set KANEGEN_CACHE_DIR"
    ) as caught:
        inertia()
    assert "elete" not in str(caught.value)


@pytest.fixture
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache, "PATIENCE", 0.2)


def test_a_waiting_lock(
    place: Path, patience: None, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Case 102: after a while one line says who is waited for, and what to do; then the load goes on."""
    cache_place.cache_directory()
    held, logged = threading.Event(), threading.Event()

    def hold() -> None:
        with filelock.FileLock(place / "arm.lock", thread_local=False):
            held.set()
            logged.wait(30)

    monkeypatch.setattr(cache, "_log", SimpleNamespace(warning=_telling(logged)))
    holder = threading.Thread(target=hold)
    holder.start()
    held.wait(30)
    with caplog.at_level(logging.WARNING, logger="kanegen"):
        found = cache.entry("arm", lambda directory: (directory / "file").write_text("") and None)
    holder.join()
    assert logged.is_set()
    assert set(found.files) == {"file"}
    (record,) = caplog.records
    message = record.getMessage()
    assert message.startswith(f"{place / 'arm.lock'} is held by another process, which makes this mechanism")
    assert "end that process, or set KANEGEN_CACHE_DIR to another directory" in message


def _telling(event: threading.Event) -> Callable[..., None]:
    def warning(*arguments: object) -> None:
        logging.getLogger("kanegen").warning(*arguments)  # type: ignore[arg-type]
        event.set()

    return warning


@pytest.mark.skipif(os.name != "posix", reason="links of POSIX")
@pytest.mark.parametrize("obstacle", ["link", "directory"])
def test_something_else_at_the_name_of_a_lock(place: Path, tmp_path: Path, obstacle: str) -> None:
    """Case 102: what to delete; and case 93: what a link leads to stays as it is."""
    cache_place.cache_directory()
    treasure = tmp_path / "treasure"
    treasure.write_text("mine")
    if obstacle == "link":
        (place / "arm.lock").symlink_to(treasure)
    else:
        (place / "arm.lock").mkdir()
    with pytest.raises(CacheError, match=r"arm\.lock cannot be written:"):
        cache.entry("arm", lambda directory: None)
    assert treasure.read_text() == "mine"
