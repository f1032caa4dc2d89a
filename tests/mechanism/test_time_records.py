"""Motions in time and equations that contain it, as they are described, read, written and refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sympy
from scipy.interpolate import CubicSpline

from kanegen.codegen.mechanism import JointRate, Mechanism, MechanismBuilder, PrescribedMotion, PrescribedRate
from kanegen.codegen.mechanism.constraints import PositionConstraint
from kanegen.codegen.mechanism.edits.renaming import renamed
from kanegen.codegen.mechanism.fingerprint import fingerprint
from kanegen.codegen.mechanism.importers.toml import from_toml
from kanegen.codegen.mechanism.motion_tables import tabular_motion
from kanegen.codegen.mechanism.poses import prescribed_at
from kanegen.codegen.mechanism.writers import to_toml
from kanegen.errors import ModelError

t, A, x, turn = sympy.symbols("t A x turn")


def crane(**drive: Any) -> MechanismBuilder:
    b = MechanismBuilder("crane")
    b.parameter("A", "0.2", "rad")
    b.body("mast", 5, inertia=(1, 1, 1))
    b.body("trolley", 2)
    b.body("hook", 1)
    b.revolute("turn", "base", "mast", (0, 0, 1))
    b.prismatic("x", "mast", "trolley", (1, 0, 0))
    b.prismatic("y", "trolley", "hook", (0, 0, -1))
    b.prescribe("turn", **(drive or {"motion": A * sympy.sin(t)}))
    return b


@pytest.mark.parametrize("n", [2, 3, 4, 7])
def test_tables_are_the_spline_of_scipy(n: int) -> None:
    """Not-a-knot, values and two derivatives; straight beyond the ends."""
    times = np.array([0.0, 0.3, 1.0, 1.4, 2.0, 2.2, 3.0])[:n]
    values = np.array([0.1, -0.2, 0.5, 0.4, -0.3, 0.0, 0.2])[:n]
    motion = tabular_motion("table", zip(times, values, strict=True), t)
    spline = CubicSpline(times, values, bc_type="not-a-knot")
    inside = np.linspace(times[0], times[-1], 23)[1:-1]
    for order in range(3):
        found = [float(motion.diff(t, order).subs(t, at)) for at in inside]
        assert np.allclose(found, spline(inside, order), rtol=0, atol=1e-12)
    for end, side in ((times[0], -1.0), (times[-1], 1.0)):
        there = [float(motion.diff(t, order).subs(t, end + side)) for order in range(3)]
        assert np.allclose(there, [spline(end) + side * spline(end, 1), spline(end, 1), 0.0], atol=1e-12)


@pytest.mark.parametrize(
    ("drive", "found"),
    [
        ({}, PrescribedRate),
        ({"rate": 0.5}, PrescribedRate),
        ({"motion": 0.3}, PrescribedMotion),
        ({"motion": sympy.Symbol("time") ** 2}, PrescribedMotion),
        ({"table": [(0, 0), (1, 2)]}, PrescribedMotion),
    ],
)
def test_prescribed_joints_move_as_described(drive: Any, found: type) -> None:
    b = MechanismBuilder("one", gravity=(0, 0, 0))
    b.body("a", 1, inertia=(1, 1, 1))
    b.body("c", 1)
    b.revolute("turn", "base", "a", (0, 0, 1))
    b.prismatic("s", "a", "c", (1, 0, 0))
    b.prescribe("turn", **drive)
    (given,) = b.build().prescribed
    assert isinstance(given, found)


def driven() -> Mechanism:
    b = crane()
    b.position_constraint("reach", x - turn**2 - A * t)
    b.speeds([JointRate("y")])
    return b.build()


def test_records_of_driven_mechanisms() -> None:
    m = driven()
    assert m.depends_on_time and m.prescribed_joints == ("turn",)
    (item,) = m.constraints
    assert isinstance(item, PositionConstraint) and item.time == t
    assert {s.name for s in item.expression.free_symbols} == {"x", "turn", "A", "t"}
    assert prescribed_at(m, 0.5) == {"turn": pytest.approx(0.2 * np.sin(0.5))}
    other = renamed(m, {"turn": "slew"})
    assert {s.name for s in other.constraints[0].expression.free_symbols} == {"x", "slew", "A", "t"}
    assert fingerprint(other) != fingerprint(m) == fingerprint(driven())
    assert not crane(rate=0).build().depends_on_time
    assert not crane(motion=0.3).build().depends_on_time


def test_toml_has_motions_tables_and_equations_in_time(tmp_path: Path) -> None:
    written = to_toml(driven())
    path = tmp_path / "crane.toml"
    path.write_text(written.text, encoding="utf-8")
    again = from_toml(path)
    assert fingerprint(again) == fingerprint(driven())
    table = path.read_text(encoding="utf-8").replace(
        'motion = "A*sin(t)"', "table = [[0, 0], [1, 0.2], [2, 0]]"
    )
    path.write_text(table, encoding="utf-8")
    assert prescribed_at(from_toml(path), 1.0)["turn"] == pytest.approx(0.2, abs=1e-15)


@pytest.mark.parametrize(
    ("drive", "said"),
    [
        ({"rate": 1, "motion": t}, "several motions"),
        ({"motion": sympy.Symbol("z") * t}, "depends on the symbol 'z'"),
        ({"motion": x * t}, "depends on the symbol 'x'"),
        ({"motion": sympy.gamma(t)}, "not supported"),
        ({"motion": "2 t"}, "arithmetic"),
        ({"table": [(0, 0)]}, "two points"),
        ({"table": [(1, 0), (0, 1)]}, "do not increase"),
    ],
)
def test_motions_that_are_none_are_refused(drive: Any, said: str) -> None:
    with pytest.raises(ModelError, match=said):
        crane(**drive).build()


def test_equations_cannot_depend_on_joints_of_constant_rates() -> None:
    b = crane(rate=0.5)
    b.position_constraint("reach", x - turn)
    with pytest.raises(ModelError, match="constant rate"):
        b.build()
