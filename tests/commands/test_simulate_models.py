"""``kanegen simulate`` for any model: words, loops, files, what has to stay constant, and what goes wrong."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest

import kanegen
from kanegen.codegen.cli import main
from kanegen.codegen.commands.constants_of_motion import quantities
from kanegen.codegen.commands.simulation_words import table_file
from kanegen.codegen.mechanism import MechanismBuilder

PENDULUM = """
[[body]]
name = "rod"
mass = 1
center = [0, 0, -0.5]
inertia = [0.1, 0.1, 0.1]
[[joint]]
name = "hinge"
type = "revolute"
parent = "base"
child = "rod"
axis = [0, 1, 0]
limits = { lower = -0.5, upper = 0.5 }
"""


def test_words_of_flags_and_files_are_the_same(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words, by_flags, by_file = tmp_path / "s.toml", tmp_path / "flags.csv", tmp_path / "file.csv"
    words.write_text('time = 9\nlaw = "feedback_law"\nrtol = 1e-8\nrows = 5\n[q]\nq2 = 1.5\n[v]\nq3 = 0.1\n')
    flags = [
        "--time",
        "0.5",
        "--law",
        "feedback_law",
        "--rtol",
        "1e-8",
        "--rows",
        "5",
        "--set",
        "q.q2=1.5",
        "v.q3=0.1",
    ]
    assert main(["simulate", "stanford_arm", *flags, "--csv", str(by_flags)]) == 0
    # What the command line says holds over the file.
    scenario = ["--scenario", str(words), "--time", "0.5"]
    assert main(["simulate", "stanford_arm", *scenario, "--constants", "--csv", str(by_file)]) == 0
    assert by_flags.read_bytes() == by_file.read_bytes()
    with by_file.open() as stream:
        rows = list(csv.DictReader(stream))
    assert len(rows) == 5
    assert list(rows[0])[:2] == ["t", "q.q1"]
    assert float(rows[0]["v.q3"]) == 0.1
    assert rows[-1]["t"] == "0.500000000000"
    text = capsys.readouterr().out
    assert "constant: energy less work of drives" in text
    assert "work of the drive on q2 [J]" in text


def test_friction_acts_where_it_is_asked_for(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "pendulum.toml"
    path.write_text(PENDULUM.replace("limits", "damping = 0.2\nlimits"))
    words = ["simulate", str(path), "--time", "0.3", "--set", "q.hinge=0.3", "--constants"]
    assert main(words) == 0
    assert "constant: energy, to" in capsys.readouterr().out
    assert main([*words, "--friction"]) == 0
    assert "nothing has to stay constant" in capsys.readouterr().out


def test_a_law_follows_signals_of_a_file(tmp_path: Path) -> None:
    table = tmp_path / "r.csv"
    table.write_text("t,other\n0,0\n1,1\n")
    with pytest.raises(kanegen.KanegenError, match="other"):
        simulate("--time", "0.1", "--law", "feedback_law", "--reference", str(table))


def test_a_law_is_added_to_a_file_that_has_none(tmp_path: Path) -> None:
    model = tmp_path / "pendulum.toml"
    model.write_text(PENDULUM)
    law, written = (
        kanegen.laws.pid(9, 4, 2, gravity=True, limit=5),
        "pid(kp=9, ki=4, kd=2, gravity=True, limit=5)",
    )
    robot = kanegen.load(model, laws={"hold": law}, interpreted=True)
    expected = kanegen.simulate(robot, [0.3], [0.0], 0.5, controller="hold", step=0.05, method="rk4").q[-1, 0]
    for words in (["--law", written], ["--add-law", f"hold={written}", "--law", "hold"]):
        table = tmp_path / "m.csv"
        more = [
            "--set",
            "q.hinge=0.3",
            "--time",
            "0.5",
            "--step",
            "0.05",
            "--method",
            "rk4",
            "--csv",
            str(table),
        ]
        assert main(["simulate", str(model), *words, *more]) == 0
        with table.open() as stream:
            assert abs(float([*csv.DictReader(stream)][-1]["q.hinge"]) - expected) < 1e-11  # 12 digits


def test_loops_keep_what_is_set(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert (
        main(["simulate", "four_bar", "--time", "0.1", "--set", "q.q1=1.0", "--csv", str(tmp_path / "m.csv")])
        == 0
    )
    assert "closing the loops moved q2 from" in capsys.readouterr().out
    with (tmp_path / "m.csv").open() as stream:
        assert float(next(csv.DictReader(stream))["q.q1"]) == 1.0
    assert main(["simulate", "four_bar", "--time", "0", "--set", "q.q1=1.0", "q.q2=3.0"]) == 0
    assert "cannot be closed with q.q1 = 1" in capsys.readouterr().err


def test_a_passed_limit_is_said_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model = tmp_path / "pendulum.toml"
    model.write_text(PENDULUM)
    assert main(["simulate", str(model), "--time", "2", "--set", "q.hinge=0.4,v.hinge=3"]) == 0
    told = capsys.readouterr().err
    assert told.count("passes a limit: joint hinge") == 1


def test_live_numbers_are_set(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A pendulum of other mass: its energy without weight, and the torque that holds it, both by hand."""
    model, words, path = tmp_path / "pendulum.toml", tmp_path / "s.toml", tmp_path / "p.csv"
    model.write_text(PENDULUM)
    words.write_text("time = 0.2\n[v]\nhinge = 1\n[p]\ngravity_z = 0\nrod_mass = 7\n")
    live = [str(model), "--live", "gravity,rod.mass,damping", "--friction"]
    assert main(["simulate", *live, "--scenario", str(words), "--set", "p.rod_mass=2", "--constants"]) == 0
    rows = [line.split() for line in capsys.readouterr().out.splitlines()]
    energy = next(float(row[3]) for row in rows if row[:3] == ["kinetic", "energy", "[J]"])
    # (I + m l^2) v^2 / 2, printed to nine digits.
    assert energy == pytest.approx(0.5 * (0.1 + 2 * 0.5**2), rel=1e-8)
    assert any(row[:2] == ["constant:", "energy,"] for row in rows)  # damping is live, and 0
    path.write_text("t,hinge\n0,0.3\n1,0.3\n")
    assert main(["trajectory", *live, "--path", str(path), "--set", "p.rod_mass=2", "--rows", "3"]) == 0
    held = float(capsys.readouterr().out.splitlines()[-1].split()[-1])
    assert held == pytest.approx(2 * 9.81 * 0.5 * np.sin(0.3), rel=1e-8)
    for setting, told in (("p.rod_mass=-1", "mass"), ("p.mass=1", "rod_mass"), ("p.rod_mass=inf", "finite")):
        assert main(["simulate", *live, "--time", "1", "--set", setting]) == 1
        assert told in capsys.readouterr().err
    assert main(["simulate", str(model), "--time", "1", "--set", "p.rod_mass=1"]) == 1
    assert "--live" in capsys.readouterr().err


def simulate(*words: str, model: str = "stanford_arm") -> None:
    from kanegen.codegen.cli import _parser

    options = _parser().parse_args(["simulate", model, *words])
    options.run(options)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--time", "1", "--set", "q.nothing=1"), "q1, q2"),
        (("--time", "1", "--set", "q1=1"), "q.NAME=VALUE"),
        (
            ("--time", "1", "--law", "feedback"),
            "It has feedback_law, free_swivel_law. Did you mean 'feedback_law'",
        ),
        (("--time", "1", "--law", "mass_matrix"), "no control law.*It has feedback_law, free_swivel_law"),
        (("--time", "1", "--lock", "q1=0", "--law", "pp"), "It has feedback_law"),
        (("--time", "1", "--method", "rk4"), "step"),
        (("--time", "1", "--set", "q.q1=1,2"), "q1: expected one number"),
        (("--time", "1", "--animate", "m.png"), "gif"),
        (("--scenario", "feedback", "--time", "1"), "time"),
        (("--scenario", "none.toml"), "none.toml"),
        (("--time", "1", "--set", "q.q1=1", "q.q1=2"), r"q\.q1 is given twice"),
        (("--time", "1", "--wrench", "F=0,0,0,0,0,0", "--wrench", "F=1,0,0,0,0,0"), "F is given twice"),
    ],
)
def test_what_goes_wrong(words: tuple[str, ...], told: str) -> None:
    with pytest.raises((kanegen.KanegenError, OSError), match=told):
        simulate(*words)


@pytest.mark.needs("matplotlib")
def test_a_figure_that_fails_leaves_no_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(self: object, path: Path) -> None:
        raise OSError("the disk is full")

    monkeypatch.setattr(kanegen.simulation.Motion, "plot", full)
    with pytest.raises(OSError, match="full"):
        simulate("--time", "0.01", "--plot", str(tmp_path / "new" / "below" / "motion.png"))
    assert not any(tmp_path.iterdir())


def test_wrong_files_of_scenarios(tmp_path: Path) -> None:
    with pytest.raises(kanegen.KanegenError, match="built-in mechanisms"):
        simulate("--scenario", "feedback", model="arm.urdf")
    path = tmp_path / "s.toml"
    for text, told in (
        ("tiem = 1", "did you mean|Did you mean"),
        ("time = 'a'", "time"),
        ("[q]\nq1 = true", "q1"),
        ("=", "TOML"),
        (f"time = 1{'0' * 400}", "time: expected a finite number"),
        ("rows = 0", "rows: expected 1 to"),
        (f"rows = 1{'0' * 30}", "rows: expected 1 to"),
    ):
        path.write_text(text)
        with pytest.raises(kanegen.KanegenError, match=told):
            simulate("--scenario", str(path))


@pytest.mark.parametrize("number", ["0", "-1", "1" + "0" * 30])
def test_numbers_of_rows(number: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(["simulate", "stanford_arm", "--time", "1", "--rows", number])
    assert "expected a whole number " in capsys.readouterr().err


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"\xff\xfe", "is no table"),
        (b"", "expected a line of names"),
        (b"t\n0\n1\n", "expected a line of names"),
        (b"x,t\n0,1\n1,1\n", "expected a line of names"),
        (b"t,q1,q1\n0,0,1\n1,0,1\n", "two columns 'q1'"),
        (b"t,q1,q2\n0,1\n1,2\n", "2 cells in row 2; expected 3"),
        (b"t,q1\n\n0,1\n1,2,3\n", "3 cells in row 4; expected 2"),
        (b"t,q1\n0,\n1,2\n", "expected numbers"),
        (b"t,q1\n0,1\n0,2\n", "ascending times"),
        (b"t,q1\n0,nan\n1,2\n", "finite values"),
    ],
)
def test_wrong_tables(content: bytes, told: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = tmp_path / "table.csv"
    table.write_bytes(content)
    assert main(["trajectory", "stanford_arm", "--path", str(table)]) == 1
    error = capsys.readouterr().err
    assert told in error
    assert str(table) in error


def test_empty_lines_of_tables(tmp_path: Path) -> None:
    table = tmp_path / "table.csv"
    table.write_text("t,q1\n\n0,1\n1,2\n\n")
    assert table_file(table) == {"q1": ([0, 1], [1, 2], "cubic")}


def two_bodies(gravity: tuple[int, int, int], joint: str) -> MechanismBuilder:
    b = MechanismBuilder("thrown", gravity=gravity)
    for name in ("trunk", "arm"):
        b.body(name, mass=1, center=(0, "0.1", "-0.2"), inertia=("0.1", "0.2", "0.15"))
    if joint in ("floating", "spherical"):
        getattr(b, joint)("root", "base", "trunk", position=("0.3", 0, 0))
    else:
        getattr(b, joint)("root", "base", "trunk", axis=(0, 0, 1), position=("0.3", 0, 0))
    b.revolute("hinge", "trunk", "arm", axis=(0, 1, 0), position=(0, "0.2", 0))
    return b


@pytest.mark.parametrize(
    ("gravity", "joint", "expected"),
    [
        # By hand: weight along z leaves x, y and rotation about z; without weight everything is left.
        ((0, 0, -9), "floating", ["momentum along x", "momentum along y", "angular momentum about z through the origin"]),
        ((0, 0, 0), "floating", [f"momentum along {x}" for x in "xyz"]
            + [f"angular momentum about {x} through the origin" for x in "xyz"]),
        ((0, 0, -9), "spherical", ["angular momentum about z through (0.3, 0, 0)"]),
        ((0, 0, -9), "revolute", ["angular momentum about z through (0.3, 0, 0)"]),
        ((0, -9, 0), "revolute", []),
        ((0, -9, 0), "prismatic", ["momentum along z"]),
        ((0, 0, -9), "prismatic", []),
    ],
)  # fmt: skip
def test_what_has_to_stay_constant_does(
    gravity: tuple[int, int, int], joint: str, expected: list[str]
) -> None:
    mechanism = two_bodies(gravity, joint).build()
    needed = ["forward_dynamics", "coordinate_rates", "kinetic_energy", "potential_energy", "momentum"]
    robot = kanegen.load(mechanism, kernels=needed, interpreted=True)
    v = np.linspace(0.3, 0.7, robot.nv)
    motion = kanegen.simulate(robot, robot.neutral, v, 0.3, rtol=1e-11, times=[0.0, 0.1, 0.3])
    q, v = motion.q, motion.v
    found = quantities(
        mechanism, motion, robot.kinetic_energy(q, v), robot.potential_energy(q), robot.momentum(q, v)
    )
    constant = [quantity for quantity in found if quantity.constant]
    assert [quantity.name.replace("about z", "about z") for quantity in constant] == ["energy", *expected]
    # Steps at rtol 1e-11 of quantities below ten, some tens of them.
    assert max(quantity.change for quantity in constant) < 1e-8
    changing = [q.change for q in found[3:9] if q.name.startswith("momentum") and q.change > 0]
    assert gravity == (0, 0, 0) or max(changing) > 1e-3


def test_wrenches_of_flags_and_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words, table, out = tmp_path / "s.toml", tmp_path / "push.csv", tmp_path / "out.csv"
    table.write_text("t,fz,mx\n0,0,0\n0.1,2,0.1\n0.3,2,0.1\n")
    words.write_text(
        'time = 0.2\nmethod = "gauss4"\nstep = 1e-3\n[wrenches]\nF = "push.csv"\nD = [0, 0, 1, 0, 0, 0]\n'
    )
    start = ["simulate", "stanford_arm", "--scenario", str(words), "--set", "q.q2=1.5", "--csv", str(out)]
    # What the command line says of a frame holds over the file; the other frame stays.
    assert main([*start, "--wrench", "D=1,0,10*t,0,0,0.1", "--constants"]) == 0
    text = capsys.readouterr().out
    assert "work of the wrench on F" in text
    assert "constant: energy less work of forces, to" in text
    arm, tables = kanegen.load("stanford_arm"), np.zeros((3, 6))
    tables[1:, 2], tables[1:, 3] = 2.0, 0.1
    expected = kanegen.simulate(
        arm, [0, 1.5, 0, 0, 0, 0], np.zeros(6), 0.2, method="gauss4", step=1e-3,
        wrenches={"F": ([0, 0.1, 0.3], tables), "D": lambda t, q, v: [1, 0, 10 * t, 0, 0, 0.1]},
    )  # fmt: skip
    with out.open() as stream:
        last = list(csv.DictReader(stream))[-1]
    for name, values in expected.columns():
        assert float(last[name]) == pytest.approx(values[-1], rel=1e-11, abs=1e-11)
    for wrong in ("F", "F=1,2", "F=1,2,x,0,0,0", "F=nothing.csv", "nowhere=0,0,0,0,0,0"):
        assert main([*start, "--wrench", wrong]) == 1
