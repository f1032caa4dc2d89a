"""Operation counts that the guide quotes are those of today's derivations, and what it concludes from a measurement."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from benchmarks.report import RESULTS
from kanegen.codegen import pipeline
from kanegen.codegen.commands.benchmark_results import collect
from kanegen.codegen.commands.published import PUBLISHED
from kanegen.codegen.derivation.historical import METHODS, WALKER_ORIN, as_written
from kanegen.codegen.derivation.historical.as_written import counted as written
from kanegen.codegen.derivation.historical.newton_euler import composite_bodies
from kanegen.codegen.derivation.kane.rates import GivenRates
from kanegen.codegen.derivation.kane.shared_velocities import SharedVelocities
from kanegen.codegen.derivation.placed_tree.choices import Choices
from kanegen.codegen.derivation.placed_tree.deriver import Deriver
from kanegen.codegen.derivation.placed_tree.placement import PlacedTree
from kanegen.codegen.derivation.placed_tree.unit_gauge import with_unit_of_length
from kanegen.codegen.derivation.recursive.motion import Motion
from kanegen.codegen.deriving import derive
from kanegen.codegen.graph import Graph, OperationCounts, Program, constant, count, inputs
from kanegen.codegen.kernel_sources import KernelSources
from kanegen.codegen.mechanism import AngularVelocityComponent, JointKind, JointRate, Mechanism
from kanegen.codegen.mechanism.catalogue import mechanism
from kanegen.codegen.mechanism.folding import with_numbers
from kanegen.codegen.mechanism.speeds import PointVelocityComponent
from kanegen.codegen.passes.optimize import optimize
from kanegen.codegen.passes.search import search
from kanegen.codegen.pipeline import Options
from tests.derivation.comparison import derived
from tests.derivation.dual_vectors.test_cylindrical import ARM, separately
from tests.derivation.force_programs import program, program_of
from tests.derivation.historical.test_methods import hinges
from tests.derivation.kane.test_nonholonomic import counted, forces_first, partials_first
from tests.derivation.speeds import kane_kernels
from tests.derivation.test_forces_of_formulations import FORMULATIONS

AXES = tuple(tuple(Fraction(int(i == j)) for j in range(3)) for i in range(3))
GUIDE = Path(__file__).resolve().parents[1] / "docs" / "guide"


def pair(counts: OperationCounts, divider: str = " / ") -> str:
    return f"{counts.multiplications}{divider}{counts.additions}"


def optimized(found: Program) -> OperationCounts:
    return count(optimize(found)[0])


def page(name: str) -> str:
    """A page of the guide with its lines joined, since a sentence may run over several."""
    return " ".join((GUIDE / name).read_text(encoding="utf-8").split())


def test_frames_of_the_corpus() -> None:
    """Hardly a robot is dearer in the frames that are chosen than in those of its file; sums of the table's own rows."""
    table = (GUIDE.parent / "corpus.md").read_text(encoding="utf-8")
    cells = [line.split(" | ") for line in table.splitlines() if line.startswith("| ")]
    rows = [row for row in cells if len(row) > 9 and row[3].isdigit()]
    chosen, own = ([list(map(figures, row[first : first + 3])) for row in rows] for first in (4, 7))
    pairs = [list(zip(ours, theirs, strict=True)) for ours, theirs in zip(chosen, own, strict=True)]
    assert all(x <= 1.015 * y for robot in pairs for x, y in robot)  # a short search ends where it does
    cheaper = sum(any(x > y for x, y in robot) for robot in pairs)
    dearer = sum(any(x < y for x, y in robot) for robot in pairs)
    totals = [sum(map(sum, counts)) for counts in (chosen, own)]
    assert (
        f"{totals[0]} in the chosen frames, {totals[1]} in the files'; the files' are dearer in {dearer} of {len(rows)} "
        f"robots, the chosen ones in {cheaper}."
    ) in table
    assert (
        f"Of the {len(rows)} robots there, {dearer} cost more in the frames of their files, and one costs less, by 1 %: all "
        f"kernels together take {totals[1]:,} multiplications and additions in these, and {totals[0]:,} in the chosen ones."
    ) in page("how-it-counts.md")


def figures(cell: str) -> int:
    """Multiplications and additions."""
    return sum(map(int, cell.split(" / ")[:2])) if cell != "–" else 0


def test_sweeps_on_many_cores() -> None:
    """What follows from one measurement, which lies beside the guide."""
    found = json.loads((GUIDE / "data" / "sweeps.json").read_text(encoding="utf-8"))
    text, runs = page("sweeps.md"), found["runs"]
    for row, name in (
        ("what runs are given", "draw"),
        ("`simulate_many`", "simulate"),
        ("all of it, with table and file", "chunk"),
        (f"for whoever hands it out: writing the file of {found['bytes'] / 1e3:.0f} kB", "write"),
        ("a task of Dask, scheduler and client", "task"),
    ):
        milliseconds = 1e3 * found[name]
        assert f"| {row} | {milliseconds:.{1 if milliseconds < 10 else 0}f} |" in text
    hand, rate = found["write"] + found["task"], found["bytes"] / found["chunk"]
    served = found["chunk"] / hand
    for sentence in (
        f"in chunks of {runs:,} runs, on an {found['processor']}, CPU time:",
        f"A core does {found['1 thread']:,.0f} runs a second; two threads do {found['2 threads']:,.0f} for each second",
        f"A thousand cores, none waiting, would do {runs / found['chunk'] / 1e3:.1f} million.",
        f"A chunk takes {1e3 * hand:.1f} ms of the one process that hands it out, so that {served:.0f} cores keep it busy",
        f"chunks of {found['chunk']:.2f} s; with `chunk=65536` it is {served * 65536 / runs:,.0f}.",
        f"{rate / 1e6:.1f} MB for each second of a core here",
        f"of 1 GB/s serve {1e9 / rate:.0f} cores.",
        f"write a tenth of that, and {1e10 / rate:,.0f} cores are served.",
    ):
        assert sentence in text, sentence


def test_times_of_lanes() -> None:
    """Those of the run that is named there."""
    text = page("generated-c.md")
    (name,) = re.findall(r"`benchmarks/results/(\S+)\.md`", text)
    (result,) = collect([RESULTS / f"{name}.json"]).results
    tables = {table.title: table for table in result.contents.tables}

    def times(kernel: str, vectors: str) -> tuple[str, str]:
        rows = {str(row[0]): row for row in tables[f"stanford_arm, {kernel}"].rows}
        alone, together = (rows[f"kanegen, C, {vectors}, {form}"][1] for form in ("one state", "rows"))
        return f"{alone:.3g}", f"{together:.3g}"

    (a, b), (c, d) = times("inverse_dynamics", "avx512"), times("inverse_dynamics", "avx2")
    (e, f), (g, h) = times("forward_dynamics", "avx512"), times("forward_dynamics", "avx2")
    said = (
        f"the Stanford Arm {a} in a loop and {b} in rows with AVX-512 ({c} and {d} with AVX2), "
        f"forward dynamics {e} in a loop and {f} in rows ({g} and {h})."
    )
    assert said in text


def test_cylindrical_joints() -> None:
    slides = [joint.kind is JointKind.PRISMATIC for joint in ARM.joints]
    inclined = tuple(
        replace(joint, axis=(Fraction(3, 5), Fraction(0), Fraction(4, 5))) if slide else joint
        for joint, slide in zip(ARM.joints, slides, strict=True)
    )
    text = page("dual-vectors.md")
    assert f"| cylindrical joints | {pair(optimized(program(ARM)))} |" in text
    assert f"hinges and slides as six joints | {pair(optimized(program(ARM, separately)))} |" in text
    chain = optimized(program(replace(ARM, joints=inclined)))
    assert f"(no cylindrical joint) | {pair(chain)} |" in text


@pytest.mark.parametrize(
    "name", ["four_bar", "four_bar_tilted", "five_bar", "whipple_bicycle", "stewart_platform"]
)
def test_partial_velocities_first_or_last(name: str) -> None:
    first, last = (pair(counted(name, method)) for method in (partials_first, forces_first))
    assert f"| `{name}` | {first} | {last} |" in page("kane.md")


def test_speeds_of_kanes_method() -> None:
    arm = mechanism("stanford_arm")
    E, F = (
        [*(kind(frame, axis) for kind in kinds for axis in AXES)]
        for frame, kinds in (
            ("E", (PointVelocityComponent,)),
            ("F", (PointVelocityComponent, AngularVelocityComponent)),
        )
    )
    every = (None, (*E, *map(JointRate, ("q3", "q4", "q5"))), tuple(F))
    rates, of_E, of_F = (
        pair(optimized(derived(kane_kernels(arm, speeds)["inverse_dynamics"], arm)), " and ")
        for speeds in every
    )
    assert (
        f"the Stanford Arm take {rates.replace(' and', ' multiplications and')} additions; "
        f"with three components of the velocity of E's origin among the speeds {of_E}, "
        f"and with all six components of F's motion {of_F}, and a few divisions."
    ) in page("kane.md")


class Forced(SharedVelocities):
    """The sum over bodies with one decision for all: each has its own partial velocities, or all share."""

    all_own = False

    def has_own(self, i: int) -> bool:
        return self.all_own and self.tree.bodies[i].parent >= 0


class Own(Forced):
    all_own = True


@pytest.mark.parametrize(
    ("row", "sums", "gauge"),
    [
        ("each body its own partial velocities, second moments about origins, forms", Own, False),
        ("the same, frames, inertias and unit chosen", Own, True),
        ("partial velocities shared, nothing else chosen", Forced, False),
    ],
)
def test_freedom_of_kanes_method(row: str, sums: type[SharedVelocities], gauge: bool) -> None:
    """The column of the Stanford Arm, without what is decided after the passes."""

    def build(tree: PlacedTree, _: Mechanism, choices: Choices) -> Program:
        graph, n = Graph(), len(tree.bodies)
        q, v, a = (inputs(graph, name, n) for name in "qva")
        unit = [[constant(graph, int(r == s)) for r in range(n)] for s in range(n)]
        placed = with_unit_of_length(tree, choices)
        motion = Motion(placed, graph, choices, q, v, a, placed.gravity)
        found = sums(motion, GivenRates(v, a, unit))
        return program_of(graph, dict.fromkeys("qva", n), [found.on_speed(r) for r in range(n)])

    least = search(Deriver(with_numbers(mechanism("stanford_arm")), build, gauge=gauge), budget=1200)
    assert f"| {row} | {pair(optimized(least.program))} |" in page("kane.md")


def test_kanes_method_with_all_freedom(tmp_path: Path) -> None:
    asked = Options(kernels=("inverse_dynamics",), formulation="kane")
    (kernel,) = pipeline.generate("stanford_arm", tmp_path, asked).kernels.values()
    assert f'| everything chosen: `formulation="kane"` | {pair(count(kernel.program))} |' in page("kane.md")


def test_derivatives(tmp_path: Path) -> None:
    name = "inverse_dynamics_derivatives"
    counts = count(
        pipeline.generate("stanford_arm", tmp_path, Options(kernels=(name,))).kernels[name].program
    )
    assert f"take {pair(counts, ' multiplications and ')} additions" in page("derivatives.md")


def test_influence_coefficients() -> None:
    arm = with_numbers(mechanism("stanford_arm"))
    at_once, by_links = (
        optimized(program(arm, FORMULATIONS[name]))
        for name in ("influence_coefficients", "influence_link_by_link")
    )
    text = page("influence-coefficients.md")
    assert f"inverse dynamics so takes {pair(at_once, ' multiplications and ')} additions" in text
    assert f"it takes {pair(by_links, ' and ')}." in text


@pytest.mark.parametrize("model", ["stanford_arm", "general_6r"])
def test_historical_methods(model: str) -> None:
    quoted = {row.formulation: row for row in PUBLISHED["stanford_arm", "inverse_dynamics"]}
    text = page("historical-methods.md")
    for name in METHODS:
        kernels = ("bias_forces", "mass_matrix") if name == WALKER_ORIN else ("inverse_dynamics",)
        sources = KernelSources(mechanism(model), Options(formulation=name, kernels=kernels))
        counts = [count(derive(sources, kernel).program) for kernel in kernels]
        left = f"{sum(x.multiplications for x in counts)} / {sum(x.additions for x in counts)}"
        row = f"`{name}`{': bias forces and mass matrix' if name == WALKER_ORIN else ''}"
        published = f"{quoted[name][0]} / {quoted[name][1]}" if name in quoted else "–"
        cells = [row, *([published] if model == "stanford_arm" else [])]
        cells += [pair(as_written(name, mechanism(model))), left]
        assert f"| {' | '.join(cells)} |" in text


def test_historical_methods_on_any_number_of_hinges() -> None:
    """The polynomials of the page, and what it says of the quoted ones."""
    methods = {f"`{name}`": method for name, (method, _) in METHODS.items() if name != WALKER_ORIN}
    methods[f"composite bodies of `{WALKER_ORIN}`"] = composite_bodies
    lines = (GUIDE / "historical-methods.md").read_text(encoding="utf-8").splitlines()
    quoted = {}
    for name, method in methods.items():
        (cells,) = (
            [x.strip() for x in line.split("|")[2:6]]
            for line in lines
            if line.startswith(f"| {name} | ") and "n −" in line
        )
        ours, quoted[name] = [[polynomial(x) for x in part] for part in (cells[:2], cells[2:])]
        for n in range(2, 6):
            found = written(method, hinges(n))[0]
            assert [f(n) for f in ours] == [found.multiplications, found.additions], (name, n)
    at_six = {name: [f(6) for f in both] for name, both in quoted.items()}
    bias = [137 * 6 - 22, 101 * 6 - 11]
    composite = at_six[f"composite bodies of `{WALKER_ORIN}`"]
    rows = [row[:2] for row in PUBLISHED["stanford_arm", "inverse_dynamics"]]
    assert rows[0] == tuple(at_six["`hollerbach_1980_3x3`"])
    assert rows[1] == tuple(x + y for x, y in zip(bias, composite, strict=True))
    assert rows[2] == tuple(at_six["`luh_walker_paul_1980`"])
    assert [f(1) for f in quoted["`uicker_1965`"]] == [Fraction(431, 2), Fraction(1003, 6)]


def polynomial(text: str) -> Callable[[int], Fraction]:
    """A polynomial in n as the guide writes it: 27/2 n² + 213/2 n − 120."""
    terms = re.findall(r"(−?) ?(\d+(?:/\d+)?)( n[²³⁴]?)?", text)
    powers = {"": 0, " n": 1, " n²": 2, " n³": 3, " n⁴": 4}
    return lambda n: sum(
        ((-1 if sign else 1) * Fraction(number) * n ** powers[power] for sign, number, power in terms),
        Fraction(0),
    )
