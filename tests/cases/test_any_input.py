"""Whatever comes in, an error of kanegen comes out (CASES 78, 95, 98 and 101): readers, commands, load and simulate."""

from __future__ import annotations

import io
import os
import pickle
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from unittest import mock

import numpy as np
import pytest
import sympy

import kanegen
from kanegen.boundary import boundary
from kanegen.codegen import cli, pipeline
from kanegen.codegen.commands.benchmark_json import DamagedError
from kanegen.codegen.commands.benchmark_json import load as load_results
from kanegen.codegen.graph import Graph
from kanegen.codegen.graph.sympy_bridge import UnsupportedExpressionError, from_sympy
from kanegen.codegen.mechanism import MechanismBuilder
from kanegen.codegen.mechanism.denavit_hartenberg import DHRow, from_dh
from kanegen.codegen.mechanism.importers import read_file
from tests.mechanism.importers.documents import pendulum
from tests.mechanism.importers.toml_models import PENDULUM

from .files import inertial

MJCF = '<mujoco><worldbody><body name="b\xff"><joint name="j"/><geom size="1"/></body></worldbody></mujoco>'
EQUATION = 'coordinates = ["q"]\n' + PENDULUM + '[[equation]]\nname = "e"\nposition = "{}"\n'

REFUSED: dict[str, tuple[str, bytes, str]] = {
    "a mass of 1e309": (".toml", PENDULUM.replace("= 2", "= 1e309").encode(), r":4: body 'rod', mass"),
    "a mass of many powers": (".toml", PENDULUM.replace("= 2", '= "(((9**16)**16)**16)**16"').encode(), "2000 digits"),
    "an integer of 5000 digits": (".toml", PENDULUM.replace("= 2", "= " + "9" * 5000).encode(), "cannot be read"),
    "a day that no month has": (".toml", PENDULUM.replace("= 2", "= 1979-02-31").encode(), "is not TOML|cannot be read"),
    "an axis of 400 digits": (".toml", PENDULUM.replace("[0, 1, 0]", f"[0, {'9' * 400}, 0]").encode(), "'q', axis"),
    "an axis of 400 digits in URDF": (".urdf", pendulum(f'<axis xyz="0 {"9" * 400} 0"/>').encode(), ":4: joint 'j'"),
    "a mass of 1e309 in URDF": (".urdf", pendulum(body=inertial(mass="1e309")).encode(), ":3: link 'b', <mass>"),
    "a byte 255 in a name": (".xml", MJCF.encode("latin-1"), "body number 1: has a name that is not UTF-8"),
    "a null in an encoding": (".urdf", b"<?xml version='1.0' encoding='x\0y'?><robot/>", ":1: declares the encoding"),
    "an exponent in an equation": (".toml", EQUATION.format("q - 1e999999999").encode(), "equation 'e', position"),
    "powers in an equation": (".toml", EQUATION.format("q - (((9**16)**16)**16)**16").encode(), "2000 digits"),
    "powers of a coordinate": (".toml", EQUATION.format("(((q**16)**16)**16)**16").encode(), "exponent"),
    "bytes of another encoding": (".toml", b"\xff\xfe" + PENDULUM.encode("utf-16-le"), "is not UTF-8"),
    "brackets without end": (".toml", b"a = " + b"[" * 100_000, "nested too deeply|is not TOML"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_readers_refuse(name: str, tmp_path: Path) -> None:
    """Case 98: the causes themselves are errors of the model, with file, line and element, in every way to read."""
    suffix, raw, message = REFUSED[name]
    if suffix == ".xml":
        pytest.importorskip("mujoco")
    path = tmp_path / f"model{suffix}"
    path.write_bytes(raw)
    for read in (read_file, kanegen.load):
        with pytest.raises(kanegen.ModelError, match=message) as caught:
            read(path)
        assert str(path) in str(caught.value)
    assert cli.main(["doctor", str(path)]) == 1


x = sympy.Symbol("x", real=True)


def nested(depth: int) -> sympy.Expr:
    """sin(sin(... x ...)), as deep as that."""
    found: sympy.Expr = x
    for _ in range(depth):
        found = sympy.sin(found, evaluate=False)
    return found


@pytest.mark.parametrize(
    "expression",
    [
        sympy.exp(sympy.exp(20)),  # 1e210704568
        sympy.exp(-(10**9)),
        sympy.Integer(10) ** 3000 * x,
        x ** (10**5000),
        x**2000,
        sympy.oo,
        sympy.zoo * x,
        nested(300),
    ],
    ids=lambda e: str(e.func.__name__),
)
def test_expressions_are_refused(expression: sympy.Expr) -> None:
    """Case 98: what has no end in exact arithmetic, or none in depth, is no expression of a model."""
    graph = Graph()
    symbols = {x: _input(graph)}
    limit = sys.getrecursionlimit()
    try:
        sys.setrecursionlimit(len_of_stack() + 250)
        with pytest.raises(UnsupportedExpressionError):
            from_sympy(graph, expression, symbols)
    finally:
        sys.setrecursionlimit(limit)


def _input(graph: Graph) -> object:
    from kanegen.codegen.graph import Expression

    return Expression(graph, graph.input("q"))


def len_of_stack() -> int:
    """How deep this call is."""
    frame, depth = sys._getframe(), 0
    while frame is not None:
        frame, depth = frame.f_back, depth + 1  # type: ignore[assignment]
    return depth


@pytest.mark.parametrize(
    "number", [1e309, 10**5000, np.array([1.0, 2.0]), sympy.oo, "9" * 10**6, b"1", None, object()],
    ids=lambda number: type(number).__name__,
)  # fmt: skip
def test_tables_and_builders_refuse(number: object) -> None:
    """Case 98: what people hand over in Python is found with its place, too."""
    with pytest.raises(kanegen.ModelError, match="link 1, a:"):
        from_dh([DHRow(a=number)])
    if number is not None:  # without a mass
        with pytest.raises(kanegen.ModelError, match="body 'b', mass:"):
            MechanismBuilder("arm").body("b", mass=number)


def test_arguments_keep_the_errors_of_numpy(load_text: Callable[..., kanegen.Robot]) -> None:
    """Case 98: numbers that no double holds are wrong arguments, as everywhere in NumPy."""
    arm = load_text(pendulum())
    for wrong in ({"duration": 10**400}, {"q0": [10**400]}, {"times": [10**400]}, {"rtol": 10**5000}):
        arguments = {"q0": [0.0], "v0": [0.0], "duration": 1.0} | wrong
        with pytest.raises(ValueError, match=next(iter(wrong))):
            kanegen.simulate(arm, **arguments)  # type: ignore[arg-type]
    for gravity in ((0, 0, 10**400), (0, 0, 1e70)):
        with pytest.raises(ValueError, match="gravity"):
            kanegen.load("stanford_arm", gravity=gravity, interpreted=True, kernels=["gravity_forces"])
    for model in (7, b"stanford_arm", None):
        with pytest.raises(TypeError, match="expected the name of a built-in, a path or a Mechanism"):
            kanegen.load(model)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["x" * 5000, "x" * 5000 + ".urdf", "a\0b", "\ud800", ""])
def test_names_that_no_file_can_have(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Case 98: and messages quote them by their beginning and end."""
    monkeypatch.chdir(tmp_path)
    with pytest.raises(kanegen.KanegenError) as caught:
        kanegen.load(name)
    assert len(str(caught.value)) < 1500
    assert cli.main(["generate", name, "-o", str(tmp_path / "out")]) == 1


def test_what_nobody_expected(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Case 98: is a fault of kanegen, with the name of the input and the cause; one line and exit code 1."""
    path = tmp_path / "arm.urdf"
    path.write_text(pendulum())
    monkeypatch.setenv("KANEGEN_CACHE_DIR", str(tmp_path / "cache"))
    with mock.patch.object(pipeline, "read", side_effect=IndexError("seven")):
        for call in (
            lambda: kanegen.load(path),
            lambda: kanegen.load(path, interpreted=True),
            lambda: kanegen.generate(path, tmp_path / "out"),
        ):
            with pytest.raises(
                kanegen.InternalError, match=r"arm.*IndexError: seven.*fault of kanegen"
            ) as caught:
                call()
            assert isinstance(caught.value.__cause__, IndexError)
            assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)
        assert cli.main(["generate", str(path), "-o", str(tmp_path / "out")]) == 1
        error, hint = capsys.readouterr().err.splitlines()
        assert "kanegen generate" in error
        assert "IndexError: seven" in error
        assert "KANEGEN_TRACEBACK=1" in hint
        monkeypatch.setenv("KANEGEN_TRACEBACK", "1")
        assert cli.main(["generate", str(path), "-o", str(tmp_path / "out")]) == 1
        assert "Traceback" in capsys.readouterr().err


def test_what_is_a_users_own_passes() -> None:
    """Case 98: exceptions of controllers, of signal handlers, warnings made errors, and what ends a process."""

    def raising(error: BaseException) -> None:
        raise error

    for own in (KeyError("mine"), TimeoutError("of a signal handler"), RecursionError()):
        with pytest.raises(type(own)) as caught, boundary("testing", "it"):
            raising(own)
        assert caught.value is own
    for passing in (
        KeyboardInterrupt(),
        SystemExit(3),
        MemoryError(),
        RuntimeWarning("w"),
        kanegen.ModelWarning("w"),
    ):
        with pytest.raises(type(passing)), boundary("testing", "it"):
            mock.Mock(side_effect=passing)()
    with pytest.raises(kanegen.InternalError), boundary("testing", "it"):
        mock.Mock(side_effect=RecursionError())()
    with (
        pytest.raises(kanegen.FileError, match="there: Permission denied") as told,
        boundary("testing", "it"),
    ):
        mock.Mock(side_effect=PermissionError(13, "Permission denied", "there"))()
    assert told.value.errno == 13
    with pytest.raises(ValueError, match="wrong"), boundary("testing", "it", TypeError, ValueError):
        mock.Mock(side_effect=ValueError("wrong"))()


@pytest.mark.parametrize("interpreted", [False, True])
def test_simulations_pass_what_controllers_raise(interpreted: bool) -> None:
    """Case 98: of any type, also of a controller that an installed package brings; the rest is a fault of kanegen."""
    arm = kanegen.load("stanford_arm", interpreted=interpreted)
    q0, v0 = np.full(6, 0.1), np.zeros(6)
    for error in (KeyError("mine"), IndexError(), OSError("x"), ZeroDivisionError()):
        installed = mock.Mock(side_effect=error)  # its frames are those of a library
        with pytest.raises(type(error)) as caught:
            kanegen.simulate(arm, q0, v0, 0.1, installed)
        assert caught.value is error
    with (
        mock.patch("kanegen.simulation.recognize_controller", side_effect=IndexError("seven")),
        pytest.raises(kanegen.InternalError, match="simulating stanford_arm"),
    ):
        kanegen.simulate(arm, q0, v0, 0.1)


DEEP = "<robot>" + "<a>" * 300 + "</a>" * 300 + "</robot>"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("<!DOCTYPE robot>\n<robot/>", ":1: has a document type"),
        (DEEP, "nested 201 deep"),
        ("<?xml version='1.0' encoding='klingon'?><robot/>", "'klingon', which is unknown"),
    ],
)
@pytest.mark.parametrize("suffix", [".urdf", ".xacro"])
def test_the_reason_is_the_reason(text: str, message: str, suffix: str, tmp_path: Path) -> None:
    """Case 95: a ModelError is a ValueError, and must not be taken for the failure of an encoding."""
    path = tmp_path / f"model{suffix}"
    path.write_text(text)
    with pytest.raises(kanegen.ModelError, match=message) as caught:
        read_file(path)
    assert ("encoding cannot be read" in str(caught.value)) is False
    assert caught.value.where.startswith(str(path))


def test_a_document_type_in_an_included_file(tmp_path: Path) -> None:
    """Case 95: MuJoCo would skip it and read its entities as letters, in included files as in the model."""
    pytest.importorskip("mujoco")
    (tmp_path / "part.xml").write_text("<!DOCTYPE mujoco [<!ENTITY a '1'>]>\n<mujocoinclude/>")
    model = tmp_path / "model.xml"
    model.write_text(MJCF.replace("\xff", "").replace("<worldbody>", '<include file="part.xml"/><worldbody>'))
    with pytest.raises(kanegen.ModelError, match=r"part\.xml:1: has a document type"):
        read_file(model)


def special(folder: Path, name: str) -> list[Path]:
    """A pipe, a link to an endless device, and a folder, under names of a model."""
    pipe, endless, inside = (folder / kind / name for kind in ("pipe", "device", "folder"))
    for path in (pipe, endless):
        path.parent.mkdir()
    os.mkfifo(pipe)
    endless.symlink_to("/dev/zero")
    inside.mkdir(parents=True)
    return [pipe, endless, inside]


@pytest.mark.skipif(os.name == "nt", reason="pipes have no names there")
@pytest.mark.parametrize("name", ["m.urdf", "m.xacro", "m.xml", "m.toml", "m", "manifest.json"])
def test_what_is_no_file_is_not_read(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Case 101: at once, and with the reason; a pipe would wait for ever, a device would fill the memory."""
    for path in special(tmp_path, name):
        for read in (read_file, kanegen.load, lambda p: kanegen.load(p, interpreted=True)):
            with pytest.raises(
                kanegen.KanegenError, match=r"is a (pipe|device|directory)|neither a built-in"
            ):
                read(path)
        assert cli.main(["doctor", str(path)]) == 1
        assert cli.main(["generate", str(path), "-o", str(tmp_path / "out")]) == 1
        with pytest.raises(DamagedError, match=r"is a (pipe|device)|[Dd]irectory"):
            load_results(path)
    capsys.readouterr()


@pytest.mark.skipif(os.name == "nt", reason="pipes have no names there")
def test_included_files_are_files(tmp_path: Path) -> None:
    """Case 101: what a model includes is looked at in the same way: xacro, MJCF and its meshes."""
    pytest.importorskip("xacro")
    pytest.importorskip("mujoco")
    os.mkfifo(tmp_path / "pipe")
    xacro, xml, mesh = (tmp_path / name for name in ("m.xacro", "m.xml", "mesh.xml"))
    xacro.write_text(
        '<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro"><xacro:include filename="pipe"/></robot>'
    )
    plain = MJCF.replace("\xff", "")
    xml.write_text(plain.replace("<worldbody>", '<include file="pipe"/><worldbody>'))
    mesh.write_text(plain.replace("<worldbody>", '<asset><mesh name="m" file="pipe"/></asset><worldbody>'))
    for path in (xacro, xml, mesh):
        with pytest.raises(kanegen.ModelError, match="pipe"):
            read_file(path)


def test_a_generated_folder_without_its_c(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Case 98: a manifest whose C is gone says so."""
    monkeypatch.setenv("KANEGEN_CACHE_DIR", str(tmp_path / "cache"))
    folder = kanegen.generate("four_bar", tmp_path / "out", kernels=["mass_matrix"])
    next(folder.glob("*.c")).unlink()
    with pytest.raises(kanegen.ManifestError, match=r"\.c: .*Generate the mechanism again"):
        kanegen.load(folder)


def run(*arguments: str, **options: object) -> subprocess.CompletedProcess[bytes]:
    """The command in a process of its own, with few locks on what it prints."""
    program = "import sys; from kanegen.codegen.cli import main; raise SystemExit(main(sys.argv[1:]))"
    return subprocess.run([sys.executable, "-c", program, *arguments], check=False, **options)  # type: ignore[call-overload, no-any-return]


@pytest.mark.skipif(os.name == "nt", reason="pipes end in another way there")
def test_a_closed_pipe_is_no_error() -> None:
    """Case 78: `kanegen list | head`: nobody reads on, nothing is said, and the code is that of other tools."""
    reading, writing = os.pipe()
    os.close(reading)
    done = run("list", stdout=writing, stderr=subprocess.PIPE)
    os.close(writing)
    assert done.stderr == b""
    assert done.returncode == 141


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
def test_other_ends_of_standard_output(tmp_path: Path) -> None:
    """Cases 78 and 98: a full disk, no output at all, and a terminal that knows no letters beyond ASCII."""
    with Path("/dev/full").open("wb") as full:
        done = run("list", stdout=full, stderr=subprocess.PIPE)
    assert done.returncode == 1
    assert done.stderr.count(b"\n") == 1
    assert b"No space left" in done.stderr
    path = tmp_path / "arm.urdf"
    path.write_text(pendulum(kind="continuouß").replace('"a"', '"é"'), encoding="utf-8")
    environment = {**os.environ, "PYTHONIOENCODING": "ascii:strict"}
    done = run("doctor", str(path), stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment)
    assert (done.returncode, done.stderr) == (1, b"")
    assert rb"continuou\xdf" in done.stdout
    command = f"{sys.executable} -m kanegen list >&- 2>&-; echo $?"
    closed = subprocess.run(["/bin/sh", "-c", command], capture_output=True, check=True)
    assert closed.stdout == b"0\n"


def test_progress_without_a_stream() -> None:
    """Case 98: standard error may be closed."""
    from kanegen.codegen.commands.progress import Progress

    with Progress(None) as progress:
        progress.stage("x")
        progress.line("y")
    assert isinstance(io.StringIO().isatty(), bool)
