"""Building (CASES 39 to 42): no compiler, a wrong one, a broken cache; several processes at once, and nowhere to write."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
from pathlib import Path

import pytest

import kanegen
from tests.mechanism.importers import documents

from .files import inertial
from .machines import pendulum

ROOT = Path(__file__).parents[2]
LOAD = """\
import sys, kanegen
robot = kanegen.load(sys.argv[1], kernels=["mass_matrix"])
print(robot.target, robot.mass_matrix([0.3]).item())
"""


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("KANEGEN_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.mark.parametrize("cc", ["/no/such/cc", '"', "no-such-compiler -O2"])
def test_a_compiler_that_is_not_there(
    cc: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Case 39: the sentence names the variable, and NumPy serves."""
    monkeypatch.setenv("CC", cc)
    with caplog.at_level(logging.WARNING, logger="kanegen"):
        arm = kanegen.load(pendulum(), kernels=["mass_matrix"])
    assert arm.target is None
    assert arm.mass_matrix([0.3])[0, 0] == 0.5
    (record,) = caplog.records
    assert record.getMessage().startswith(f"no C compiler was found: $CC={cc} cannot be run.")


def test_a_compiler_that_fails(tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Case 42: command, output and the kept C; the next compiler begins anew."""
    script = tmp_path / "bad cc"
    script.write_text('#!/bin/sh\n[ "$1" = --version ] && exit 0\necho "boom: $*" >&2\nexit 3\n')
    script.chmod(0o755)
    with monkeypatch.context() as patch:
        patch.setenv("CC", f"'{script}'")
        with pytest.raises(kanegen.BuildError) as caught:
            kanegen.load(pendulum(), kernels=["mass_matrix"])
    error = caught.value
    assert str(script) in error.command
    assert "boom: " in error.output
    assert (error.source / "pendulum.c").is_file()
    assert [path for path in cache.iterdir() if path.is_dir()] == [error.source]
    assert kanegen.load(pendulum(), kernels=["mass_matrix"]).target


def test_two_processes_write_the_same_files(tmp_path: Path) -> None:
    """Case 40, for ``generate``: the directory holds one whole set of files afterwards."""
    program = (
        "import kanegen; from tests.cases.machines import pendulum\n"
        f"kanegen.generate(pendulum(), {str(tmp_path / 'out')!r}, kernels=['mass_matrix'])"
    )
    processes = [subprocess.Popen([sys.executable, "-c", program], cwd=ROOT) for _ in range(2)]
    assert [process.wait() for process in processes] == [0, 0]
    kanegen.generate(pendulum(), tmp_path / "alone", kernels=["mass_matrix"])
    one, other = (sorted(path.name for path in (tmp_path / name).iterdir()) for name in ("out", "alone"))
    assert one == other
    assert kanegen.load(tmp_path / "out").mass_matrix([0.3])[0, 0] == 0.5


def run(
    program: str, *arguments: str, cwd: Path = ROOT, **environment: str | None
) -> subprocess.CompletedProcess[str]:
    """A process; None takes a variable of the environment away."""
    paths = os.pathsep.join(filter(None, (str(ROOT), *sys.path)))
    inherited = {**os.environ, "PYTHONPATH": paths, "PYTHONDONTWRITEBYTECODE": "1", **environment}
    return subprocess.run(
        [sys.executable, "-c", program, *arguments],
        cwd=cwd,
        env={name: value for name, value in inherited.items() if value is not None},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A pendulum in a file, of 2 kg m^2 about its axis."""
    path = tmp_path / "arm.urdf"
    path.write_text(documents.pendulum('<axis xyz="0 1 0"/>', body=inertial()))
    return path


def test_no_compiler_at_all(file: Path, tmp_path: Path) -> None:
    """Case 39: one sentence on what to install, and NumPy runs the mechanism; the command writes its C all the same."""
    found = run(LOAD, str(file), PATH=str(tmp_path), CC=None)
    assert (found.returncode, found.stdout) == (0, "None 2.0\n")
    (line,) = (line for line in found.stderr.splitlines() if "compiler" in line)
    assert "no C compiler was found. Install one (Debian, Ubuntu: apt install gcc python3-dev" in line
    assert "is interpreted by NumPy, which is right but slow" in line
    command = "import sys; from kanegen.codegen import cli; sys.exit(cli.main(sys.argv[1:]))"
    arguments = ["generate", str(file), "-o", str(tmp_path / "out"), "--kernels", "mass_matrix"]
    assert run(command, *arguments, PATH=str(tmp_path), CC=None).returncode == 0
    assert (tmp_path / "out" / "manifest.json").is_file()


def test_eight_processes_make_one_build(file: Path, cache: Path) -> None:
    """Case 40: all succeed; one entry, whole, and nothing half-made beside it."""
    processes = [
        subprocess.Popen([sys.executable, "-c", LOAD, str(file)], cwd=ROOT, stdout=subprocess.PIPE, text=True)
        for _ in range(8)
    ]
    found = {process.communicate()[0] for process in processes}
    assert [process.returncode for process in processes] == [0] * 8
    (line,) = found
    assert line.endswith(" 2.0\n")
    assert not line.startswith("None")
    assert len([path for path in cache.iterdir() if path.is_dir()]) == 1
    assert len(list(cache.glob("*/_kernels*.so"))) == 1


@pytest.mark.skipif(sys.platform != "linux", reason="/proc takes no files, not even from root")
def test_a_working_directory_that_cannot_be_written(file: Path, cache: Path) -> None:
    """Case 41: everything goes into the cache that the environment names."""
    found = run(LOAD, str(file), cwd=Path("/proc"))
    assert found.returncode == 0, found.stderr
    assert found.stdout.endswith(" 2.0\n")
    assert list(cache.glob("*/_kernels*.so"))


@pytest.mark.skipif(sys.platform != "linux", reason="places of Linux")
@pytest.mark.parametrize("home", ["", "/proc/none", "home"])
def test_the_user_cache_directory(file: Path, tmp_path: Path, home: str) -> None:
    """Case 41: the user's cache, or where there is no home that can be written, a private one among temporary files."""
    temporary = tmp_path / "tmp"
    temporary.mkdir()
    (tmp_path / "home").mkdir()
    where = str(tmp_path / home) if home == "home" else home
    found = run(
        LOAD,
        str(file),
        HOME=where,
        XDG_CACHE_HOME=f"{where}/cache" if home else "/proc/none",
        KANEGEN_CACHE_DIR=None,
        TMPDIR=str(temporary),
    )
    assert found.returncode == 0, found.stderr
    assert found.stdout.endswith(" 2.0\n")
    place = tmp_path / "home" / "cache" / "kanegen" if home == "home" else temporary
    assert list(place.rglob("_kernels*.so"))


def test_the_installation_is_not_written(file: Path) -> None:
    """Case 41: loading a built-in and a file leaves the package as it is."""
    package = Path(kanegen.__file__).parent
    before = {path: path.stat().st_mtime_ns for path in package.rglob("*") if "__pycache__" not in path.parts}
    assert run(LOAD.replace("robot =", "kanegen.load('stanford_arm'); robot ="), str(file)).returncode == 0
    after = {path: path.stat().st_mtime_ns for path in package.rglob("*") if "__pycache__" not in path.parts}
    assert after == before
