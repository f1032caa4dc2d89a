"""``kanegen compare``: one mechanism in every formulation that applies, side by side."""

from __future__ import annotations

import argparse
import json
import sys
import textwrap
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace

import numpy as np
from numpy.typing import NDArray

import kanegen
from kanegen.codegen import pipeline
from kanegen.codegen.commands import against_report
from kanegen.codegen.commands.against import compare_against
from kanegen.codegen.commands.option_flags import add_options, asked_options
from kanegen.codegen.commands.parser import Parser, one_of
from kanegen.codegen.commands.parser import count as number
from kanegen.codegen.derivation.formulations import exact_formulations
from kanegen.codegen.derivation.kernels.catalogue import INVERSE_DYNAMICS, forces_of_motion
from kanegen.codegen.graph import Argument, Program, Tangents, count, evaluate, inputs
from kanegen.codegen.kernel_sources import KernelSources, configurations
from kanegen.codegen.mechanism import catalogue
from kanegen.codegen.mechanism.records import Mechanism
from kanegen.codegen.passes.verify import relative_difference
from kanegen.model_warnings import once
from kanegen.options import LIST, OF_FILES

FloatArray = NDArray[np.float64]
States = tuple[FloatArray, ...]

ENGINES = ("pinocchio", "mujoco")
"""What ``--against`` knows."""

STATES = 200
_ROWS = 2000
_REPEATS = 25

ALLOWED = {
    "searched": "frames, inertias and forms are those that a search finds best, the order of the sum over bodies among them",
    "weighed": "frames and inertias suit the mechanism, and methods are weighed; programs are too long to search",
    "as written": "the method in the frames and with the inertias of the description; passes simplify it",
}
"""What a formulation is allowed beside what is written of it."""


@dataclass(frozen=True)
class Comparison:
    """Inverse dynamics in one formulation: operations of the C, the largest difference from the recursion, nanoseconds.

    ``kernel`` is inverse_dynamics, or constraint_forces for a mechanism without speeds.
    ``plain_multiplications`` and ``plain_additions`` are those of the method as it is written, before any choice and any
    pass; ``allowed`` says what came after, a word of ``ALLOWED``.  ``difference`` is relative to the largest force of a
    state, the worst of all states.  ``nanoseconds`` are those of the thread for one evaluation in a batch, the least of
    several rounds.
    """

    formulation: str
    plain_multiplications: int
    plain_additions: int
    allowed: str
    multiplications: int
    additions: int
    divisions: int
    square_roots: int
    difference: float
    nanoseconds: float
    kernel: str = INVERSE_DYNAMICS.name


def arguments(parser: Parser) -> None:
    """The flags of the command."""
    parser.add_model()
    ways = parser.add_mutually_exclusive_group(required=True)
    ways.add_argument(
        "--formulations",
        action="store_true",
        help="every formulation that applies: operations, agreement, nanoseconds",
    )
    ways.add_argument(
        "--against",
        type=one_of(ENGINES),
        choices=ENGINES,
        help="differences from its answers, by kernel",
    )
    parser.add_argument(
        "--states", type=number, default=100, metavar="N", help="random states (default %(default)s)"
    )
    parser.add_argument("--seed", type=number, default=1983, metavar="N", help="of the random states")
    parser.add_argument("--kernels", **LIST, metavar="KERNEL", help="compare only these with the engine")
    add_options(parser, OF_FILES)
    parser.add_json()


def run(given: argparse.Namespace) -> int:
    """Print what formulations cost, or how far another engine's answers are; 1 where these differ."""
    quiet = given.json or sys.stderr is None or not sys.stderr.isatty()
    progress = None if quiet else lambda name: print(name, file=sys.stderr)
    if given.against is not None:
        return _compare_against(given, progress)
    found = compare_formulations(given.model, progress, asked_options(given, OF_FILES))
    print(json.dumps([asdict(c) for c in found], indent=2) if given.json else table(found))
    return 0


def _compare_against(given: argparse.Namespace, progress: Callable[[str], None] | None) -> int:
    report = compare_against(
        given.model,
        given.against,
        states=given.states,
        seed=given.seed,
        kernels=given.kernels,
        options=asked_options(given, OF_FILES),
        progress=progress,
    )
    print(
        json.dumps(against_report.document(report), indent=2) if given.json else against_report.table(report)
    )
    return 0 if report.passes else 1


@once()
def compare_formulations(
    model: str | Mechanism,
    progress: Callable[[str], None] | None = None,
    options: pipeline.Options | None = None,
) -> list[Comparison]:
    """Inverse dynamics of a mechanism by every formulation that applies, compiled, and timed in turn.

    All run over the same inputs: random ones, around home where loops must be closed.  Generalized speeds that a built-in
    brings along are compared through their own kinematics.  ``options`` say how a model file is read
    and changed.
    """
    options = options or pipeline.Options()
    mechanism = pipeline.read(model, options)
    if model not in catalogue.names() or options.changes:
        model = mechanism  # as it was read, with these options
    kernel = forces_of_motion(mechanism.dof).name
    states = _states(mechanism)
    reference = _load(model, "recursive", kernel)
    expected = reference.call(kernel, *states)
    found: dict[str, Comparison] = {}
    robots: dict[str, kanegen.Robot] = {}
    for name in exact_formulations(mechanism):
        if progress is not None:
            progress(name)
        robots[name] = robot = reference if name == "recursive" else _load(model, name, kernel)
        difference = relative_difference(robot.call(kernel, *states), expected, STATES)
        asked = pipeline.Options(formulation=name, kernels=(kernel,))
        found[name] = _comparison(name, mechanism, asked, robot, difference)
    for speeds in catalogue.speeds_names(mechanism.name) if isinstance(model, str) else ():
        if progress is not None:
            progress(speeds)
        name = f"kane, speeds {speeds}"
        robots[name] = robot = _load(str(model), "kane", kernel, speeds)
        asked = pipeline.Options(formulation="kane", speeds=speeds, kernels=(kernel,))
        difference = _difference_on_speeds(str(model), speeds, robot, reference, states)
        found[name] = _comparison(name, mechanism, asked, robot, difference)
    times = _nanoseconds({name: robots[name] for name in found}, kernel, states)
    return [replace(comparison, nanoseconds=times[name]) for name, comparison in found.items()]


def table(comparisons: list[Comparison]) -> str:
    """The comparison for people to read."""
    width = max([24, *(len(c.formulation) for c in comparisons)])
    columns = f"{'x':>6} {'+':>6} {'/':>4} {'sqrt':>5} {'difference':>11} {'ns':>8}"
    kernel = " ".join(dict.fromkeys(c.kernel for c in comparisons)).replace("_", " ")
    lines = [f"{kernel:{width}} {'as written':>13}  {'allowed':10} {columns}"]
    for c in comparisons:
        plain = f"{c.plain_multiplications} / {c.plain_additions}"
        lines.append(
            f"{c.formulation:{width}} {plain:>13}  {c.allowed:10} {c.multiplications:6} {c.additions:6} "
            f"{c.divisions:4} {c.square_roots:5} {c.difference:11.1e} {c.nanoseconds:8.0f}"
        )
    for word in dict.fromkeys(c.allowed for c in comparisons):
        lines += textwrap.wrap(f"{word}: {ALLOWED[word]}", 110, subsequent_indent="    ")
    return "\n".join(lines)


def _load(model: str | Mechanism, formulation: str, kernel: str, speeds: str | None = None) -> kanegen.Robot:
    kernels = [kernel] if speeds is None else [kernel, "coordinate_rates"]
    chosen = None if speeds is not None or formulation == "recursive" else formulation
    robot = kanegen.load(model, kernels=kernels, speeds=speeds, formulation=chosen)
    return robot.with_open_loops("ignore")  # who looks at every state is timed with the kernel


def _states(mechanism: Mechanism) -> States:
    """q, v and a, after t where the mechanism depends on it, without v and a where there are no speeds."""
    generator = np.random.default_rng(1985)
    nq, nv = len(mechanism.coordinates), mechanism.dof
    given = configurations(mechanism)
    q = (
        generator.uniform(-np.pi, np.pi, (STATES, nq))
        if given is None
        else given[np.arange(STATES) % len(given)]
    )
    moving = (generator.standard_normal((STATES, nv)), generator.standard_normal((STATES, nv)))
    return (*q[:, nq:].T, q[:, :nq], *moving * bool(nv))


def _difference_on_speeds(
    model: str, speeds: str, robot: kanegen.Robot, reference: kanegen.Robot, states: States
) -> float:
    """Forces on the speeds u against W^T tau, with dq/dt = W u and d2q/dt2 differentiated exactly."""
    q, u, udot = states
    options = pipeline.Options(speeds=speeds, kernels=("coordinate_rates",))
    qdot, qddot = _motion(pipeline.interpret(model, options).programs["coordinate_rates"], q, u, udot)
    tau = reference.inverse_dynamics(q, qdot, qddot)
    n = u.shape[1]
    columns = [robot.coordinate_rates(q, np.broadcast_to(np.eye(n)[r], u.shape)) for r in range(n)]
    expected = np.stack([np.sum(column * tau, axis=-1) for column in columns], axis=-1)
    return relative_difference(robot.inverse_dynamics(q, u, udot), expected, STATES)


def _motion(
    program: Program, q: FloatArray, u: FloatArray, udot: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """dq/dt and d2q/dt2 of a motion given by speeds."""
    graph, n = program.graph, u.shape[1]
    rates = program.results[0]
    entries = {name: inputs(graph, name, n) for name in ("q", "v", "a")}
    expressions = [type(entries["q"][0])(graph, ref) for ref in rates]
    seeds = dict(zip(entries["q"], expressions, strict=True)) | dict(
        zip(entries["v"], entries["a"], strict=True)
    )
    tangents = Tangents(graph, seeds)
    more = Program(
        name="motion",
        title="",
        source="",
        inputs=(*program.inputs, Argument("a", (n,), "", "")),
        outputs=(program.outputs[0], Argument("qddot", (len(rates),), "", "")),
        graph=graph,
        results=(rates, tuple(tangents.first(x).ref for x in expressions)),
    )
    found = evaluate(more, {"q": q, "v": u, "a": udot})
    return found[program.outputs[0].name], found["qddot"]


def _comparison(
    name: str, mechanism: Mechanism, asked: pipeline.Options, robot: kanegen.Robot, difference: float
) -> Comparison:
    """What is known before the time."""
    sources = KernelSources(mechanism, asked)
    (kernel,) = asked.kernels or ()
    plain, counts = count(sources.plain(kernel)), robot.operation_counts[kernel]
    long = sources.trees.tied or mechanism.flexible
    return Comparison(
        name,
        plain.multiplications,
        plain.additions,
        "as written" if not asked.free else "weighed" if long else "searched",
        counts.multiplications,
        counts.additions,
        counts.divisions,
        counts.square_roots,
        difference,
        nanoseconds=0.0,
        kernel=kernel,
    )


def _nanoseconds(robots: Mapping[str, kanegen.Robot], kernel: str, states: States) -> dict[str, float]:
    """The least time of one evaluation in a batch, by turns, so that what disturbs one disturbs all."""
    arrays = tuple(np.ascontiguousarray(x[np.arange(_ROWS) % len(x)]) for x in states)
    least = dict.fromkeys(robots, float("inf"))
    out = np.empty_like(next(iter(robots.values())).call(kernel, *arrays))
    for _ in range(_REPEATS):
        for name, robot in robots.items():
            start = time.thread_time_ns()
            robot.call(kernel, *arrays, out=out)
            least[name] = min(least[name], (time.thread_time_ns() - start) / _ROWS)
    return least
