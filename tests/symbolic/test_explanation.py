"""Kane's method as a page: what is printed balances, gives the torques, and every quantity is what its line says."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from functools import cache
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest
import sympy

from kanegen.codegen import cli
from kanegen.codegen.certificate.reference import Reference
from kanegen.codegen.certificate.sample import Sample
from kanegen.codegen.explaining import explain
from kanegen.codegen.graph import evaluate
from kanegen.codegen.kernel_sources import KernelSources
from kanegen.codegen.mechanism import Mechanism
from kanegen.codegen.mechanism.catalogue import mechanism
from kanegen.codegen.studies.kane_levinson_1983 import appendix_rows, momentum_rows, quantities
from kanegen.codegen.symbolic.account import Explanation
from kanegen.errors import KanegenError
from kanegen.options import Options
from tests.constrained import time_models
from tests.constrained.ball_models import spatial_linkage
from tests.derivation.comparison import ROUNDING, Array

MODELS: dict[str, Callable[[], tuple[Mechanism, str | None]]] = {
    "tree, speeds of the paper": lambda: (mechanism("stanford_arm"), "kane_levinson"),
    "loop": lambda: (mechanism("five_bar"), None),
    "rolling contacts": lambda: (mechanism("whipple_bicycle"), None),
    "prescribed joint": lambda: (mechanism("two_link_space_arm"), None),
    "balls, springs and damping in a loop": lambda: (spatial_linkage(ball=True), None),
}


@cache
def explained(name: str) -> tuple[Explanation, Sample]:
    """The page in a random state, and the state."""
    described, speeds = MODELS[name]()
    options = Options(speeds=speeds, friction=True)
    sample = Sample(KernelSources(described, options).kernel_set(), 1)
    state = {x: getattr(sample, x)[0] for x in "qva"}
    return explain(described, options, state), sample


def printed(page: str, caption: str) -> list[list[str]]:
    """The rows of the table under a caption; none where there is no such table."""
    found = re.search(rf"^{re.escape(caption)}:\n\n\|.*\n\|.*\n((?:\|.*\n)*)", page, re.MULTILINE)
    return (
        [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in found[1].splitlines()]
        if found
        else []
    )


def number(cell: str) -> float:
    """What is printed behind the sign of equality, or the number that the formula is."""
    return float(cell.rpartition(" = ")[2].strip("$").replace(" ", "") if cell else 0.0)


def vectors(page: str, caption: str) -> dict[tuple[str, ...], Array]:
    """Rows of names before three components."""
    rows = printed(page, caption)
    return {tuple(row[:-3]): np.array([number(cell) for cell in row[-3:]]) for row in rows}


def dotted(
    partials: dict[tuple[str, ...], Array], forces: dict[tuple[str, ...], Array]
) -> dict[tuple[str, str], float]:
    """By body and speed, the products of what is there."""
    return {
        (body, u): float(partial @ forces[(body,)])
        for (body, u), partial in partials.items()
        if (body,) in forces
    }


@pytest.mark.parametrize("name", MODELS)
def test_what_is_printed_balances_and_gives_the_torques(name: str) -> None:
    """K_r + K*_r = 0 from the printed vectors alone; the torques by Newton's and Euler's equations for the records."""
    found, sample = explained(name)
    page = found.markdown()
    w = vectors(page, "Partial angular velocities")
    v = vectors(page, "Partial velocities of mass centres")
    torque, force = (
        dotted(w, vectors(page, "Inertia torques [N m]")),
        dotted(v, vectors(page, "Inertia forces [N]")),
    )
    weight = dotted(v, vectors(page, "Weights [N]"))
    acting = {row[0]: number(row[1]) for row in printed(page, "Springs, dampers and friction")}
    columns = {(j, u): number(x) for j, u, x in printed(page, "Rates of the joints for a speed = 1")}
    for body, u, inertia, active in printed(page, "Of each body"):
        key = (body, u)
        assert number(inertia) == pytest.approx(
            torque.get(key, 0) + force.get(key, 0), rel=1e-12, abs=ROUNDING
        )
        assert number(active) == pytest.approx(weight.get(key, 0), rel=1e-12, abs=ROUNDING)
    assert isinstance(sample.reference, Reference)
    expected = sample.reference.inverse_dynamics(sample.q, sample.v, sample.a)
    bound = 10 * ROUNDING * float(expected.scale[0])
    rotors = any(joint.rotor_inertia != 0 for joint in sample.kernel_set.mechanism.joints)
    whole = printed(page, "Of all")
    assert len(whole) == len(found.speeds) + len(found.auxiliary)
    for r, (u, inertia, active, drives) in enumerate(whole):
        of_bodies = [x for part in (torque, force) for (_, one), x in part.items() if one == u]
        given = [x for (_, one), x in weight.items() if one == u]
        given += [columns[j, u] * x for j, x in acting.items() if (j, u) in columns]
        if not rotors:
            assert abs(number(inertia) - sum(of_bodies)) < bound
        assert abs(number(active) - sum(given)) < bound
        if drives:
            assert abs(number(inertia) + number(active) + number(drives)) < bound
            assert abs(number(drives) - expected.value[0, r]) < bound


@pytest.mark.parametrize("name", MODELS)
def test_every_quantity_is_what_its_line_says(name: str) -> None:
    """Equations, evaluated one after another, give the values; nothing comes without a meaning."""
    found, sample = explained(name)
    known: dict[sympy.Symbol, float] = {}
    for argument in "qva":
        names = sample.kernel_set.mechanism.coordinates if argument == "q" else ()
        symbols = [sympy.Symbol(x) for x in names] or [
            sympy.Symbol(x if argument == "v" else x.replace("u", "udot", 1)) for x in found.speeds
        ]
        known |= dict(zip(symbols, map(float, getattr(sample, argument)[0]), strict=True))
    for z in found.quantities:
        used = sorted(z.equation.free_symbols, key=str)
        value = float(sympy.lambdify(used, z.equation, "math")(*(known[x] for x in used)))
        assert z.value == pytest.approx(value, rel=1e-9, abs=1e-12), z
        assert z.meaning
        assert z.unit or z.meaning.startswith("shared"), z
        known[z.symbol] = value
    assert [z.number for z in found.quantities] == list(range(1, len(found.quantities) + 1))
    assert f"| $Z_{{{len(found.quantities)}}}$ |" in found.markdown()


class Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.add(tag)
        if tag != "meta":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_a_page_of_html_is_complete_in_itself() -> None:
    page = explained("rolling contacts")[0].html()
    tags = Tags()
    tags.feed(page)
    assert tags.open == []
    assert {"math", "table", "caption"} <= tags.seen
    assert not tags.seen & {"script", "link", "img", "iframe"}
    assert "$" not in page
    assert "\\mathrm" not in page


def test_rows_of_1983_are_in_the_page_with_their_values() -> None:
    found, sample = explained("tree, speeds of the paper")
    page = found.markdown()
    rows = (*appendix_rows(), *momentum_rows())
    values = evaluate(quantities().program, {"q": sample.q, "v": sample.v})["rows"][0]
    section = page[page.index("## The quantities of Kane & Levinson 1983") :]
    lines = [line for line in section.splitlines() if line.startswith("| $")]
    assert len(lines) == len(rows) == 252
    for line, row, value in zip(lines, rows, values, strict=True):
        assert f"| {float(value)!r} | {row.unit} | {row.equation} | {row.meaning} |" in line
    assert "there it is $u_{2} c_{4} + u_{3} s_{4} + u_{4}$" in section


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    state, page = tmp_path / "state.json", tmp_path / "page.html"
    state.write_text(json.dumps({"q": {"q2": 0.3}, "v": [1.0]}), encoding="utf-8")
    assert cli.main(["explain", "four_bar", "--state", str(state), "--format", "html", "-o", str(page)]) == 0
    assert "0.3" in page.read_text(encoding="utf-8")
    assert cli.main(["explain", "plate_disk"]) == 0
    assert "auxiliary: violates edge" in capsys.readouterr().out
    state.write_text('{"q": [0, 1], "w": 3}', encoding="utf-8")
    assert cli.main(["explain", "four_bar", "--state", str(state)]) == 1
    assert "'w' is not known" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("state", "message"),
    [
        ({"q": [0.0, 1.0]}, "expected 3 finite numbers"),
        ({"v": {"u2": 1}}, "no 'u2'"),
        ({"a": {"q1": "fast"}}, "state, a: could not convert"),
    ],
)
def test_states_that_do_not_fit_are_refused(state: dict[str, object], message: str) -> None:
    with pytest.raises(KanegenError, match=message):
        explain("four_bar", Options(), state)


@pytest.mark.parametrize("described", [time_models.shaken_disc, time_models.strut])
def test_time_enters(described: Callable[[], Mechanism]) -> None:
    """At some time the drives are those of the recursion, and they are others at another time."""
    driven = described()
    speeds = np.linspace(0.3, 0.9, driven.dof)
    found = [
        explain(driven, Options(friction=True), {"v": speeds, "t": t}).values["driving_force"]
        for t in (0.4, 0.9)
    ]
    program = KernelSources(driven, Options(friction=True)).plain("inverse_dynamics")
    q = np.array([float(x) for x in driven.home] or [0.0] * len(driven.coordinates))
    tau = evaluate(program, {"t": np.array(0.4), "q": q, "v": speeds, "a": 0 * speeds})["tau"]
    assert np.abs(found[0] - tau).max() < 10 * ROUNDING * np.abs(tau).max()
    assert np.abs(found[1] - tau).max() > 1e-3 * np.abs(tau).max()
