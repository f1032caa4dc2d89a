"""Whatever comes in, an error of kanegen comes out (cases 78, 90, 95, 98 to 101): expressions, numbers, names, files."""

from __future__ import annotations

import inspect
import io
import os
import pickle
import shutil
import subprocess
import sys
from decimal import Decimal
from functools import partial
from pathlib import Path
from unittest import mock

import numpy as np
import pytest
import sympy

import kanegen
from kanegen import errors
from kanegen.boundary import boundary
from kanegen.codegen import pipeline
from kanegen.codegen.commands.benchmark_json import DamagedError
from kanegen.codegen.commands.benchmark_json import load as load_results
from kanegen.codegen.graph import Expression, Graph
from kanegen.codegen.graph.sympy_bridge import UnsupportedExpressionError, from_sympy
from kanegen.codegen.mechanism import MechanismBuilder
from kanegen.codegen.mechanism.denavit_hartenberg import DHRow, from_dh
from kanegen.codegen.mechanism.importers import from_toml, from_urdf, read_file
from kanegen.limits import LARGEST_NUMBER
from kanegen.progress import Progress
from tests.mechanism.importers.documents import pendulum
from tests.mechanism.importers.toml_models import PENDULUM
from tests.refusals import refused

from .damages import MODEL
from .files import command, inertial, written

POSIX = pytest.mark.skipif(os.name == "nt", reason="pipes are others there")
MJCF = '<mujoco><worldbody><body name="b"><joint name="j"/>{}</body></worldbody></mujoco>'


def test_all_errors_are_one_family():
    """Case 90."""
    raised = [
        found for _, found in inspect.getmembers(errors, inspect.isclass) if issubclass(found, Exception)
    ]
    assert all(issubclass(found, kanegen.KanegenError | Warning) for found in raised)
    assert issubclass(kanegen.ModelError, ValueError)
    assert issubclass(kanegen.CertificateError, ArithmeticError)
    assert issubclass(UnsupportedExpressionError, kanegen.KanegenError)
    assert issubclass(kanegen.ModelWarning, UserWarning)


x = sympy.Symbol("x", real=True)


def nested(depth: int) -> sympy.Expr:
    """sin(sin(... x ...)), as deep as that."""
    found: sympy.Expr = x
    for _ in range(depth):
        found = sympy.sin(found, evaluate=False)
    return found


EXPRESSIONS = {
    "1e210704568": sympy.exp(sympy.exp(20)),
    "exp of a large number": sympy.exp(-(10**9)),
    "a factor of 3000 digits": sympy.Integer(10) ** 3000 * x,
    "a power of 5000 digits": x ** (10**5000),
    "the power 2000": x**2000,
    "infinity": sympy.oo,
    "complex infinity": sympy.zoo * x,
    "300 sines": nested(300),
}


@pytest.mark.parametrize("name", EXPRESSIONS)
def test_expressions_are_refused(name):
    """Case 98: what has no end in exact arithmetic, or none in depth, is no expression of a model."""
    graph = Graph()
    symbols = {x: Expression(graph, graph.input("q"))}
    limit, depth = sys.getrecursionlimit(), len(inspect.stack(0))
    try:
        sys.setrecursionlimit(depth + 250)
        refused(partial(from_sympy, graph, EXPRESSIONS[name], symbols), kind=UnsupportedExpressionError)
    finally:
        sys.setrecursionlimit(limit)


@pytest.mark.parametrize(
    "number", [1e309, 10**5000, np.array([1.0, 2.0]), sympy.oo, "9" * 10**6, b"1", object(), Decimal("1e-5000")],
    ids=lambda number: type(number).__name__,
)  # fmt: skip
def test_tables_and_builders_refuse(number):
    """Case 98: what is handed over in Python is found with its place, too; a number that a double would lose is refused."""
    refused(partial(from_dh, [DHRow(a=number)]), where="link 1, a")
    refused(partial(MechanismBuilder("arm").body, "b", mass=number), where="body 'b', mass")


def _mass_in_builder(number: str) -> None:
    builder = MechanismBuilder("arm")
    builder.body("b", mass=float(number), center=(0, 0, 0), inertia=(1, 1, 1))
    builder.revolute("j", "base", "b", (0, 0, 1))
    builder.build()


def _mass_in_mjcf(number: str) -> None:
    pytest.importorskip("mujoco")
    from kanegen.codegen.mechanism.importers import from_mjcf

    from_mjcf(MJCF.format(f'<inertial pos="0 0 0" mass="{number}" diaginertia="1 1 1"/>'))


@pytest.mark.parametrize(
    "read",
    [
        lambda number: from_urdf(pendulum(body=inertial(mass=number))),
        lambda number: from_toml(PENDULUM.replace("mass = 2", f"mass = {number}")),
        lambda number: from_dh([DHRow(mass=number, inertia=(1, 1, 1))]),
        _mass_in_mjcf,
        _mass_in_builder,
    ],
)
def test_one_range_for_all_formats(read):
    """Case 100: what is below 1e60 is taken, what is not is refused where it stands, whatever the format."""
    assert LARGEST_NUMBER.value == 10**60
    read("9e59")
    for number in ("1e60", "1e300"):
        refused(partial(read, number), "mass")


def test_large_and_long_numbers_are_exact(load_text):
    """Cases 99 and 100: 1.1^16 rounded once; a mass of 1e59 kg gives forces, m g l = 1e59 * 9.81 * 0.5 at a right angle."""
    arm = load_text(PENDULUM.replace("mass = 2", 'mass = "1.1**16"'), "mass_matrix", suffix=".toml")
    # the moment of inertia about the hinge: 0.1 + m 0.5^2
    assert arm.mass_matrix([0.0])[0, 0] == pytest.approx(0.1 + 0.25 * 11**16 / 10**16, rel=1e-15)
    arm = load_text(PENDULUM.replace("mass = 2", "mass = 1e59"), "gravity_forces", suffix=".toml")
    force = abs(arm.gravity_forces([1.5707963267948966])[0])
    assert force == pytest.approx(1e59 * 9.81 * 0.5, rel=1e-14)


@pytest.mark.parametrize("name", ["x" * 5000, "x" * 5000 + ".urdf", "a\0b", "\ud800", ""])
def test_names_that_no_file_can_have(name, tmp_path, monkeypatch):
    """Case 98: messages quote them by their beginning and end; an empty one is no path of the folder one works in."""
    shutil.copytree(MODEL, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    error = refused(partial(kanegen.load, name), kind=kanegen.KanegenError)
    assert len(str(error)) < 1500
    refused(partial(kanegen.generate, name, tmp_path / "out"), kind=kanegen.KanegenError)
    assert command("generate", name, "-o", tmp_path / "out")[0] == 1
    assert not (tmp_path / "out").exists()


def test_what_nobody_expected(tmp_path, monkeypatch):
    """Case 98: is a fault of kanegen, with the name of the input and the cause; one line and exit code 1."""
    path = written(tmp_path, ".urdf", pendulum())
    monkeypatch.setenv("KANEGEN_CACHE_DIR", str(tmp_path / "cache"))
    with mock.patch.object(pipeline, "read", side_effect=IndexError("seven")):
        for call in (
            partial(kanegen.load, path),
            partial(kanegen.load, path, interpreted=True),
            partial(kanegen.generate, path, tmp_path / "out"),
        ):
            error = refused(call, "model", "IndexError: seven", kind=kanegen.InternalError)
            assert isinstance(error.__cause__, IndexError)
            assert str(pickle.loads(pickle.dumps(error))) == str(error)
        code, told = command("generate", path, "-o", tmp_path / "out")
        line, hint = told.splitlines()
        assert code == 1 and "kanegen generate" in line and "IndexError: seven" in line
        assert "KANEGEN_TRACEBACK=1" in hint
        monkeypatch.setenv("KANEGEN_TRACEBACK", "1")
        code, told = command("generate", path, "-o", tmp_path / "out")
        assert code == 1 and "Traceback" in told


def test_what_is_a_users_own_passes():
    """Case 98: exceptions of controllers, of signal handlers, warnings made errors, and what ends a process."""

    def crossing(call: object, *kinds: type[Exception]) -> None:
        with boundary("testing", "it", *kinds):
            call()  # type: ignore[operator]

    def raising(error: BaseException) -> None:
        raise error

    for own in (KeyError("mine"), TimeoutError("of a signal handler"), RecursionError()):
        assert refused(partial(crossing, partial(raising, own)), kind=type(own)) is own
    warning = (RuntimeWarning("w"), kanegen.ModelWarning("w"))
    for passing in (KeyboardInterrupt(), SystemExit(3), MemoryError(), *warning):
        refused(partial(crossing, mock.Mock(side_effect=passing)), kind=type(passing))
    refused(partial(crossing, mock.Mock(side_effect=RecursionError())), kind=kanegen.InternalError)
    denied = mock.Mock(side_effect=PermissionError(13, "Permission denied", "there"))
    error = refused(partial(crossing, denied), "there: Permission denied", kind=kanegen.FileError)
    assert error.errno == 13
    refused(
        partial(crossing, mock.Mock(side_effect=ValueError("wrong")), TypeError, ValueError), kind=ValueError
    )


@pytest.mark.needs("mujoco", "xacro")
@POSIX
@pytest.mark.parametrize(
    ("suffix", "text"),
    [
        (
            ".xacro",
            '<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro"><xacro:include filename="{}"/></robot>',
        ),
        (".xml", '<mujoco><include file="{}"/><worldbody/></mujoco>'),
        (".xml", '<mujoco><asset><mesh name="m" file="{}"/></asset><worldbody/></mujoco>'),
    ],
)
def test_included_files_are_looked_at_like_models(tmp_path, suffix, text):
    """Cases 95 and 101: no pipe is read, nor a document type, which MuJoCo would skip and read its entities as letters."""
    os.mkfifo(tmp_path / "pipe")
    refused(partial(read_file, written(tmp_path, suffix, text.format("pipe"))), "pipe")
    (tmp_path / "part.xml").write_text("<!DOCTYPE mujoco [<!ENTITY a '1'>]>\n<mujocoinclude/>")
    if "include" in text:
        refused(
            partial(read_file, written(tmp_path, suffix, text.format("part.xml"))),
            "document type",
            where="part.xml:1",
        )


@POSIX
@pytest.mark.parametrize("kind", ["pipe", "device", "directory"])
@pytest.mark.parametrize("name", ["m.urdf", "m.xacro", "m.xml", "m.toml", "m", "manifest.json"])
def test_what_is_no_file_is_not_read(name, kind, tmp_path):
    """Case 101: at once, and with the reason; a pipe would wait for ever, a device would fill the memory."""
    path = tmp_path / name
    {"pipe": os.mkfifo, "device": lambda p: p.symlink_to("/dev/zero"), "directory": Path.mkdir}[kind](path)
    for read in (read_file, kanegen.load, partial(kanegen.load, interpreted=True)):
        error = refused(partial(read, path), kind=kanegen.KanegenError)
        assert f"is a {kind}" in str(error) or "neither a built-in" in str(error)
    assert command("doctor", path)[0] == 1
    assert command("generate", path, "-o", tmp_path / "out")[0] == 1
    error = refused(partial(load_results, path), kind=DamagedError)
    assert kind in str(error).lower()


def run(*arguments: str, **options: object) -> subprocess.CompletedProcess[bytes]:
    """The command in a process of its own, with few locks on what it prints."""
    program = "import sys; from kanegen.codegen.cli import main; raise SystemExit(main(sys.argv[1:]))"
    return subprocess.run(
        [sys.executable, "-c", program, *arguments], check=False, stderr=subprocess.PIPE, **options
    )


@POSIX
def test_a_closed_pipe_is_no_error():
    """Case 78: `kanegen list | head`: nobody reads on, nothing is said, and the code is that of other tools."""
    reading, writing = os.pipe()
    os.close(reading)
    done = run("list", stdout=writing)
    os.close(writing)
    assert (done.returncode, done.stderr) == (141, b"")


FULL = pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")


@FULL
@pytest.mark.parametrize(
    ("words", "name"),
    [
        (("equations", "--output"), "page.md"),
        (("explain", "--output"), "page.html"),
        (("convert",), "other.toml"),
        (("simulate", "--time", "0.01", "--csv"), "motion.csv"),
        (("simulate", "--time", "0.01", "--parquet"), "motion.parquet"),
        (("simulate", "--time", "0.01", "--plot"), "motion.png"),
    ],
)
def test_outputs_that_are_no_files(words, name, tmp_path):
    """Case 102: devices are written to and stay what they are; of a full one the message says the path."""
    if name.endswith(("parquet", "png")):
        pytest.importorskip("pandas" if name.endswith("parquet") else "matplotlib")
    path = written(tmp_path, ".urdf", pendulum())
    out = tmp_path / name
    for device in ("/dev/null", "/dev/full"):
        out.unlink(missing_ok=True)
        out.symlink_to(device)
        code, told = command(words[0], path, *words[1:], out)
        assert out.readlink() == Path(device)
        assert (code, "No space left" in told, f"{out}: No" in told or f"{out} cannot" in told) == (
            (0, False, False) if device == "/dev/null" else (1, True, True)
        )


@POSIX
def test_generated_files_replace_no_pipes(tmp_path):
    """Case 101: what is no file in the folder is named and stays, and no file is written."""
    path = written(tmp_path, ".urdf", pendulum())
    folder = tmp_path / "out"
    assert command("generate", path, "-o", folder, "--kernels", "gravity_forces")[0] == 0
    source = next(folder.glob("*.c"))
    before = {file.name: file.read_bytes() for file in folder.iterdir() if file != source}
    source.unlink()
    os.mkfifo(source)
    code, told = command("generate", path, "-o", folder, "--kernels", "mass_matrix")
    assert (code, f"{source} cannot be written: is a pipe, not a file" in told) == (1, True)
    assert source.is_fifo()
    assert {file.name: file.read_bytes() for file in folder.iterdir() if file != source} == before


@FULL
def test_other_ends_of_standard_output(tmp_path):
    """Cases 78 and 98: a full disk, no output at all, and a terminal that knows no letters beyond ASCII."""
    with Path("/dev/full").open("wb") as full:
        done = run("list", stdout=full)
    assert (done.returncode, done.stderr.count(b"\n")) == (1, 1)
    assert b"No space left" in done.stderr
    path = written(tmp_path, ".urdf", pendulum(kind="continuouß").replace('"a"', '"é"'))
    environment = {**os.environ, "PYTHONIOENCODING": "ascii:strict"}
    done = run("doctor", str(path), stdout=subprocess.PIPE, env=environment)
    assert (done.returncode, done.stderr) == (1, b"")
    assert rb"continuou\xdf" in done.stdout
    shell = f"{sys.executable} -m kanegen list >&- 2>&-; echo $?"
    assert subprocess.run(["/bin/sh", "-c", shell], capture_output=True, check=True).stdout == b"0\n"
    with Progress(None) as progress:
        progress.stage("x")
        progress.line("y")
    assert isinstance(io.StringIO().isatty(), bool)
