"""Sweeps: what runs are given, tables to the bit of ``simulate_many`` wherever they are computed, going on after a kill."""

from __future__ import annotations

import asyncio
import errno
import functools
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import sympy

import kanegen
from kanegen import workers
from kanegen.codegen.mechanism import MechanismBuilder
from kanegen.errors import KanegenError, ModelError, TargetError
from kanegen.sweeps import chunks, results, run
from kanegen.sweeps.draws import draw, drawn
from kanegen.sweeps.sources import sources_of

pytestmark = [pytest.mark.needs("pyarrow", "pandas"), pytest.mark.all_passes]

LATIN, RANDOM = {"latin": [1.0, 3.0]}, {"random": [0.5, 50.0], "scale": "log"}
GIVEN: dict[str, Any] = {
    "parameters": {"m": LATIN, "k": RANDOM},
    "q0": {"shoulder": 0.3, "elbow": {"grid": [0, 1], "count": 3}},
    "v0": {"elbow": 0.5},
    "samples": 20,
    "seed": 7,
    "chunk": 16,
    "outputs": ["kinetic_energy", "spring"],
    "times": [0.05, 0.1],
}
"""60 runs, in three chunks of 16 and one of 12."""


@functools.cache
def arm() -> Any:
    """Two joints under a law with a gain."""
    builder = MechanismBuilder("arm")
    builder.parameter("k", 30, "N m/rad")
    mass = builder.parameter("m", 2, "kg")
    for name, parent, place in (("shoulder", "base", 0), ("elbow", "upper", 1)):
        child = "upper" if parent == "base" else "lower"
        builder.body(child, mass=mass, center=("0.5", 0, 0), inertia=("0.1", "0.1", "0.1"))
        builder.revolute(name, parent, child, axis=(0, 1, 0), position=(place, 0, 0))
    k, shoulder, delbow = sympy.symbols("k shoulder delbow")
    builder.law("spring", {"shoulder": -k * shoulder, "elbow": -delbow})
    kernels = ["forward_dynamics", "kinetic_energy", "spring", "closed_loop_spring"]
    return kanegen.load(builder.build(), live=["all declared"], kernels=kernels)


def swept(output: Path, **changes: Any) -> kanegen.Sweep:
    given: dict[str, Any] = {"method": "rk4", "step": 0.005, **GIVEN, **changes}
    return kanegen.sweep(arm(), 0.1, "spring", output=output, **given)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> kanegen.Sweep:
    return swept(tmp_path_factory.mktemp("whole"))


# ---- what runs are given ----


@pytest.mark.parametrize("samples", [1, 7, 1000])
def test_a_latin_hypercube_has_a_sample_in_every_stratum(samples: int) -> None:
    draws = [draw("", name, {"latin": [2, 6]}) for name in ("a", "b")] + [draw("", "c", {"grid": [1, 2]})]
    found = drawn(draws, samples, 3, 0, 2 * samples)
    for name in ("a", "b"):
        strata = np.floor((found[name] - 2) / 4 * samples).astype(int)
        assert sorted(strata[:samples]) == list(range(samples))
        assert np.array_equal(found[name][:samples], found[name][samples:])  # the same samples at each point
    assert samples == 1 or not np.array_equal(found["a"], found["b"])
    assert np.array_equal(found["c"], np.repeat([1, 2], samples))


def test_what_a_run_is_given_depends_on_its_number_alone() -> None:
    draws = [
        draw("", "a", {"grid": [3, 1]}),
        draw("", "b", LATIN),
        draw("", "c", RANDOM),
        draw("", "d", {"grid": [1, 100], "count": 3, "scale": "log"}),
    ]
    found = drawn(draws, 1000, 11, 0, 6000)
    for first, last in ((0, 1), (255, 257), (700, 4321), (5999, 6000)):
        some = drawn(draws, 1000, 11, first, last)
        assert all(np.array_equal(some[name], found[name][first:last]) for name in "abcd")
    assert found["d"][::1000].tolist() == [1, 10, 100] * 2
    # A study that is gone on with relies on them: no version of anything may change them.
    assert [found[name][4].hex() for name in "bc"] == PINNED


PINNED = ["0x1.20f1b1c16424dp+0", "0x1.1eb274f8b8e29p+4"]


def test_a_scale_of_factors() -> None:
    one = draw("", "a", RANDOM)
    u = np.linspace(0, 1, 1001)
    exact = np.array(
        [float(sympy.Float(0.5, 40) * sympy.Integer(100) ** sympy.Rational(i, 1000)) for i in range(1001)]
    )
    # The exponent is rounded three times (u, its product with the octaves, these), the series and the product add 4 eps.
    assert np.abs(one.at(u) / exact - 1).max() < np.finfo(float).eps * (3 * one.octaves + 4)
    assert one.at(u).min() == 0.5
    assert one.at(u).max() <= 50.0


@pytest.mark.parametrize(
    ("given", "where", "what"),
    [
        ({"parameters": {"m": {"latin": [3, 1]}}}, "parameters, m, latin", "LOW < HIGH"),
        ({"parameters": {"m": {"random": [1, 1]}}}, "parameters, m, random", "LOW < HIGH"),
        ({"parameters": {"m": {"random": [1, float("nan")]}}}, "parameters, m, random", "finite"),
        ({"parameters": {"m": {"random": [0, 1], "scale": "log"}}}, "parameters, m, random", "positive"),
        ({"parameters": {"m": {"random": [0, 1], "scale": "odd"}}}, "parameters, m, scale", "linear or log"),
        ({"parameters": {"m": {"grid": []}}}, "parameters, m, grid", "empty"),
        ({"parameters": {"m": {"grid": [1, 2, 1]}}}, "parameters, m, grid", "twice"),
        ({"parameters": {"m": {"grid": [1, 2], "count": 1}}}, "parameters, m, count", "from 2 on"),
        ({"parameters": {"m": {"grid": [1, 2], "scale": "log"}}}, "parameters, m", "count"),
        ({"parameters": {"m": {"latin": [1, 2], "count": 3}}}, "parameters, m", "'count'"),
        ({"parameters": {"m": {"normal": [1, 2]}}}, "parameters, m", "grid, latin, random"),
        ({"parameters": {"m": {"latin": [1, 2], "grid": [1]}}}, "parameters, m", "grid, latin, random"),
        ({"parameters": {"m": {"grid": [1, -1]}}, "samples": None, "q0": {}}, "body", "mass"),
        ({"parameters": 3}, "parameters", "by name"),
        ({"samples": None}, "samples", "missing"),
        ({"samples": 0}, "samples", "from 1 on"),
        ({"seed": -1}, "seed", "from 0 on"),
        ({"chunk": 2.5}, "chunk", "from 1 on"),
        ({"q0": {}, "parameters": {}}, "sweep", "nothing differs"),
        ({"parameters": {}}, "samples", "grid alone"),
        ({"outputs": ["spring", "spring"]}, "outputs", "twice"),
        ({"outputs": ["forward_dynamics"]}, "outputs, forward_dynamics", "tau"),
        ({"outputs": "spring"}, "outputs", "list"),
    ],
)
def test_refusals(tmp_path: Path, given: dict[str, Any], where: str, what: str) -> None:
    with pytest.raises(ModelError, match=what) as refused:
        swept(tmp_path, **given)
    assert where in refused.value.where
    assert not (tmp_path / "study.json").exists()


@pytest.mark.parametrize(
    ("given", "error", "what"),
    [
        ({"parameters": {"mm": LATIN}}, KanegenError, "no live parameter 'mm'"),
        ({"parameters": {"m": LATIN, "kk": 1.0}}, KanegenError, "no live parameter 'kk'"),
        ({"q0": {"elbo": {"grid": [1]}}}, ValueError, "'elbow'"),
        ({"v0": {"elbo": 1.0}}, ValueError, "'elbow'"),
        ({"outputs": ["kinetic"]}, KanegenError, "kinetic_energy"),
        ({"method": "gauss4"}, ValueError, "rk4"),
        ({"stepp": 1}, TypeError, "stepp"),
        ({"references": {"s": object()}}, TypeError, "settings of numbers"),
        ({"executor": "cloud"}, ValueError, "executor"),
        ({"threads": 0}, ValueError, "threads"),
    ],
)
def test_refusals_of_others(tmp_path: Path, given: dict[str, Any], error: type[Exception], what: str) -> None:
    with pytest.raises(error, match=what):
        swept(tmp_path, **given)


# ---- tables ----


def test_the_table_is_what_simulate_many_gives(whole: kanegen.Sweep) -> None:
    table = whole.to_pandas()
    assert whole.complete
    assert len(whole) == len(table) == 60
    own = {name: whole[f"p.{name}"] for name in ("m", "k")}
    q0 = np.stack([np.full(60, 0.3), whole["q0.elbow"]], axis=1)
    more: dict[str, Any] = {"step": 0.005, "times": [0.05, 0.1], "parameters": own}
    motions = kanegen.simulate_many(arm(), q0, [0, 0.5], 0.1, "spring", "rk4", **more)
    at_end = [motions.reached, motions.final_q, motions.final_v]
    assert np.array_equal(table[["q.shoulder", "q.elbow"]], motions.final_q)
    assert np.array_equal(table[["v.shoulder", "v.elbow"]], motions.final_v)
    assert np.array_equal(table[["spring.1", "spring.2"]], arm().call("spring", *at_end, parameters=own))
    assert np.array_equal(table["kinetic_energy"], arm().call("kinetic_energy", *at_end[1:], parameters=own))
    assert set(table["status"]) == {"DONE"}
    assert np.array_equal(table["accepted"], motions.accepted)
    assert np.array_equal(whole["rows.tau.shoulder"], motions.tau[:, :, 0])
    assert whole.rows().loc[(7, 0.05), "q.elbow"] == motions.q[7, 0, 1]
    assert [whole.units[name] for name in ("p.k", "q0.elbow", "v.elbow", "spring.1")][:3] == [
        "N m/rad",
        "rad",
        "rad/s",
    ]
    assert whole.to_arrow().field("p.m").metadata == {b"unit": b"kg"}
    with pytest.raises(KanegenError, match=r"Did you mean 'q\.elbow'"):
        whole["q.elbo"]


@pytest.mark.parametrize("changes", [{"chunk": 7}, {"chunk": 1000}, {"threads": 2}])
def test_neither_chunks_nor_threads_change_a_number(
    whole: kanegen.Sweep, tmp_path: Path, changes: dict[str, Any]
) -> None:
    assert swept(tmp_path, **changes).to_arrow().equals(whole.to_arrow())


def test_a_run_that_fails_ends_alone(tmp_path: Path) -> None:
    found = swept(
        tmp_path,
        method="dopri5",
        step=None,
        max_steps=3000,
        times=None,
        outputs=[],
        samples=None,
        q0={"shoulder": 0.3},
        parameters={"k": {"grid": [1, 1e60]}},
    )
    assert found["status"].tolist()[0] == "DONE"
    assert found["status"].tolist()[1] != "DONE"
    assert found["t"][0] == 0.1 > found["t"][1]
    with pytest.raises(KanegenError, match="times="):
        found.rows()


# ---- going on ----


def bytes_of(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted((folder / "runs").iterdir())}


def log_of(folder: Path) -> list[int]:
    return [json.loads(line)["chunk"] for line in (folder / "chunks.jsonl").read_text().splitlines()]


def kill(folder: Path) -> None:
    """When chunks 0 and 1 are written."""
    log = folder / "chunks.jsonl"
    while not log.exists() or log.read_bytes().count(b"\n") < 2:
        time.sleep(0.001)
    os.kill(os.getpid(), signal.SIGKILL)


def die(folder: Path, when: str) -> None:
    """Sweep, and be killed when chunk 2 is computed or written."""
    add, place, simulate = results.Writer.add, results._place, chunks.simulate_many
    calls = []

    def dying_place(path: Path, content: bytes) -> None:
        if "00002" in path.name and when == "in a file":
            path.with_name(f"{path.name}.part").write_bytes(content[:100])
            kill(folder)
        place(path, content)
        if "00002" in path.name and when == "before the line":
            kill(folder)

    def dying_add(self: Any, index: int, content: bytes) -> None:
        add(self, index, content)
        if index == 2 and when == "in the line":
            os.truncate(folder / "chunks.jsonl", (folder / "chunks.jsonl").stat().st_size - 20)
            kill(folder)

    def dying_chunk(*given: Any, **more: Any) -> Any:
        calls.append(given)
        return kill(folder) if len(calls) == 3 and when == "in a chunk" else simulate(*given, **more)

    run._WRITERS = 1  # in order
    results._place, results.Writer.add, chunks.simulate_many = dying_place, dying_add, dying_chunk
    swept(folder)


WAYS_TO_DIE = ("in a chunk", "in a file", "before the line", "in the line")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the killed are forked")
def test_going_on_after_a_kill(whole: kanegen.Sweep, tmp_path: Path) -> None:
    """Nothing is lost, nothing is there twice, and what is there is not computed again."""
    program = (
        "import os, sys, pathlib, test_sweeps as t\n"
        "t.swept(pathlib.Path(sys.argv[1], 'before'))  # reads the model once for all\n"
        "for k, when in enumerate(t.WAYS_TO_DIE):\n"
        "    if not os.fork(): t.die(pathlib.Path(sys.argv[1], str(k)), when)\n"
        "    assert os.waitstatus_to_exitcode(os.wait()[1]) == -9, when\n"
    )
    subprocess.run([sys.executable, "-c", program, str(tmp_path)], check=True, cwd=Path(__file__).parent)
    for k, when in enumerate(WAYS_TO_DIE):
        folder = tmp_path / str(k)
        part = kanegen.Sweep(str(folder))  # a text, as in the guide
        assert 0 < len(part) < 60, when
        assert part.to_arrow().equals(whole.to_arrow().slice(0, len(part)))
        before = {name: (folder / "runs" / name).stat().st_mtime_ns for name in bytes_of(folder)}
        done = [results.chunk_file(folder, index).name for index in part.done]
        assert swept(folder).to_arrow().equals(whole.to_arrow())
        assert bytes_of(folder) == bytes_of(whole.directory)
        assert sorted(log_of(folder)) == [0, 1, 2, 3]
        assert all((folder / "runs" / name).stat().st_mtime_ns == before[name] for name in done)


def test_what_is_damaged_is_computed_again(whole: kanegen.Sweep, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(whole.directory, tmp_path / "copy"))
    first, second = (results.chunk_file(folder, index) for index in (0, 1))
    first.write_bytes(first.read_bytes()[:-1])
    second.write_bytes(second.read_bytes()[:-1] + b"?")
    assert len(kanegen.Sweep(folder)) == 44
    with pytest.raises(KanegenError, match="is not what was written"):
        kanegen.Sweep(folder).to_arrow()
    second.unlink()
    assert swept(folder).to_arrow().equals(whole.to_arrow())


def test_a_process_ends_well_that_read_a_table_last(tmp_path: Path) -> None:
    """Arrow's threads may outlive Python by a moment: with an object of Python in their hands four of five such processes
    ended by an abort."""
    swept(tmp_path, chunk=60)
    code = f"import kanegen; kanegen.Sweep({str(tmp_path)!r}).to_arrow()"
    ended = [subprocess.run([sys.executable, "-c", code], capture_output=True, check=False) for _ in range(3)]
    assert [(one.returncode, one.stderr) for one in ended] == [(0, b"")] * 3


@pytest.mark.parametrize("changes", [{"seed": 8}, {"chunk": 8}, {"step": 0.01}, {"parameters": {"m": LATIN}}])
def test_another_study_is_refused(whole: kanegen.Sweep, changes: dict[str, Any]) -> None:
    before = bytes_of(whole.directory)
    with pytest.raises(KanegenError, match=r"another study, which differs in \w*.*Name another folder"):
        swept(whole.directory, **changes)
    assert bytes_of(whole.directory) == before


def test_what_is_refused_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where no chunk is done there is nothing to go on with, and the next study may have the folder."""
    chunk = run.chunks_of

    def failing(*given: Any) -> Any:
        yield next(chunk(*given))
        raise KanegenError("the second chunk")

    no_mass: dict[str, Any] = {"parameters": {"m": {"grid": [1, -1]}}, "samples": None, "q0": {}}
    (tmp_path / "there" / "runs").mkdir(parents=True)
    for folder, left in (("new/below", ["there", "there/runs"]), ("there", ["there", "there/runs"])):
        with pytest.raises(ModelError, match="mass"):  # found before the first run
            swept(tmp_path / folder, **no_mass)
        with monkeypatch.context() as patch:
            patch.setattr(chunks, "simulate_many", _refusing)
            with pytest.raises(KanegenError, match="row 1 of q0"):  # found where the first runs begin
                swept(tmp_path / folder)
        with monkeypatch.context() as patch:
            patch.setattr(results, "write_new", _full)
            with pytest.raises(OSError, match="is full"):
                swept(tmp_path / folder)
        assert sorted(str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*")) == left
    (tmp_path / "there" / "of_others.part").touch()
    monkeypatch.setattr(run, "chunks_of", failing)
    with pytest.raises(KanegenError, match="the second chunk"):
        swept(tmp_path / "there")
    assert list(kanegen.Sweep(tmp_path / "there").done) == [0]
    assert (tmp_path / "there" / "of_others.part").exists()


def _refusing(*given: Any, **more: Any) -> Any:
    raise ValueError("row 1 of q0")


def _full(path: Path, content: bytes) -> None:
    path.write_bytes(content[:10])
    raise OSError(errno.ENOSPC, "the disk is full", str(path))


def test_a_folder_that_is_taken(tmp_path: Path) -> None:
    with results.writing(tmp_path, None), pytest.raises(KanegenError, match="another process"):  # type: ignore[arg-type]
        swept(tmp_path)
    (tmp_path / "runs" / "old.parquet").touch()
    with pytest.raises(KanegenError, match="without a study"):
        swept(tmp_path)
    with pytest.raises(KanegenError, match=r"study\.json"):
        len(kanegen.Sweep(tmp_path))


def test_progress(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    swept(tmp_path / "silent")
    assert capsys.readouterr().err == ""
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    swept(tmp_path / "told")
    told = capsys.readouterr().err
    assert "32 of 60 runs, " in told
    assert "a second, " in told
    assert " s left ..." in told


def test_without_pyarrow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(KanegenError, match="pip install 'pyarrow"):
        swept(tmp_path)


# ---- elsewhere ----

KILLED = """
import os, pathlib, signal, threading
import kanegen.sweeps.{module} as module

def chunk(arm, study, index, threads, real=module.chunk):
    flag = pathlib.Path({flag!r})
    if index == 2 and not flag.exists():
        flag.touch()
        threading.Timer(0.05, os.kill, (os.getpid(), signal.SIGKILL)).start()
        while True:
            real(arm, study, index, threads)
    return real(arm, study, index, threads)

module.chunk = chunk
"""
"""Has the process that computes chunk 2 first be killed amid that."""


def by_processes(folder: Path, monkeypatch: pytest.MonkeyPatch) -> kanegen.Sweep:
    start = "sys.path[:] = pickle.load(sys.stdin.buffer)\n"
    killed = KILLED.format(module="executors", flag=str(folder / "killed"))
    monkeypatch.setattr(workers, "_PROGRAM", workers._PROGRAM.replace(start, start + killed))
    return swept(folder / "out", executor="processes", threads=2)


def by_dask(folder: Path, monkeypatch: pytest.MonkeyPatch) -> kanegen.Sweep:
    import distributed

    given = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": None, "local_directory": folder}
    with distributed.LocalCluster(**given) as cluster, distributed.Client(cluster) as client:
        before = set(client.run(os.getpid).values())
        client.run(exec, KILLED.format(module="dask", flag=str(folder / "killed")), {})
        found = swept(folder / "out", executor=cluster.scheduler_address)
        client.wait_for_workers(2)
        assert len(before & set(client.run(os.getpid).values())) == 1
    return found


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are killed by signals")
@pytest.mark.filterwarnings("ignore")  # of Dask
@pytest.mark.parametrize(
    "elsewhere", [by_processes, pytest.param(by_dask, marks=pytest.mark.needs("distributed"))]
)
def test_two_one_of_which_is_killed(
    whole: kanegen.Sweep, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, elsewhere: Any
) -> None:
    """Nothing is lost, nothing is there twice, and the table is that of one process to the bit."""
    found = elsewhere(tmp_path, monkeypatch)
    assert (tmp_path / "killed").exists()
    assert found.to_arrow().equals(whole.to_arrow())
    assert bytes_of(found.directory) == bytes_of(whole.directory)
    assert sorted(log_of(found.directory)) == [0, 1, 2, 3]


def test_processes_that_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "_PROGRAM", "raise SystemExit(1)")
    with pytest.raises(KanegenError, match="all processes"):
        swept(tmp_path, executor="processes")
    assert not any(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("changes", "error", "said"),
    [
        ({"target": "avx9"}, TargetError, "the study is for avx9.*Usable here: .*KANEGEN_TARGET=baseline"),
        ({"machine": "vax"}, TargetError, "the study for vax"),
        ({"version": "0.0"}, KanegenError, "the study is of 0.0.*same version"),
    ],
)
def test_machines_that_do_not_serve(
    whole: kanegen.Sweep, changes: dict[str, Any], error: type[KanegenError], said: str
) -> None:
    study, sources = replace(whole.study, **changes), sources_of(arm(), ["forward_dynamics"])
    with pytest.raises(error, match=said):
        sources.robot(study)
    if find_spec("distributed"):
        from kanegen.sweeps.dask import Robots

        plugin = Robots(study, sources)
        asyncio.run(plugin.setup(SimpleNamespace(address="tcp://10.0.0.7:1234")))
        with pytest.raises(KanegenError, match=f"worker tcp://10.0.0.7:1234: .*{said}"):
            plugin.chunk(0, 1)


def test_the_instruction_set_is_that_of_the_study(whole: kanegen.Sweep) -> None:
    sources = sources_of(arm(), ["forward_dynamics"])
    assert sources.robot(whole.study).target == whole.study.target
    assert sources.robot(replace(whole.study, target="baseline")).target == "baseline"


def test_kernels_that_were_made_apart(tmp_path: Path) -> None:
    """Those of a robot without live parameters are made one by one, and sent so."""
    builder = MechanismBuilder("pendulum")
    builder.body("rod", mass=1, center=(0, 0, "-0.5"), inertia=("0.1", "0.1", "0.1"))
    builder.revolute("phi", "base", "rod", axis=(0, 1, 0))
    robot = kanegen.load(builder.build())
    given: dict[str, Any] = {
        "q0": {"phi": {"latin": [0, 1]}},
        "samples": 6,
        "chunk": 4,
        "outputs": ["momentum"],
    }
    found = [
        kanegen.sweep(robot, 0.1, output=tmp_path / kind, executor=kind, **given)
        for kind in ("threads", "processes")
    ]
    assert len(sources_of(robot, ["forward_dynamics", "momentum"]).sets) == 2
    assert found[0].to_arrow().equals(found[1].to_arrow())


def test_orientations_are_not_drawn(tmp_path: Path) -> None:
    builder = MechanismBuilder("free")
    builder.body("hull", mass=1, inertia=(1, 2, 3))
    builder.floating("free", "base", "hull")
    robot = kanegen.load(builder.build(), interpreted=True)
    for name, what in (("free", "more than a number"), ("free_qx", "quaternion")):
        with pytest.raises(ModelError, match=what):
            kanegen.sweep(robot, 0.1, output=tmp_path, q0={name: {"grid": [0, 1]}})
    with pytest.raises(KanegenError, match="in lanes are compiled"):
        kanegen.sweep(robot, 0.1, output=tmp_path, q0={"free_x": {"grid": [0, 1]}})
