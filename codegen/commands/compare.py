"""``kanegen compare``: one mechanism in every formulation that applies, side by side."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

import kanegen
from kanegen.codegen import pipeline
from kanegen.codegen.derivation.formulations import exact_formulations
from kanegen.codegen.graph import Argument, Program, Tangents, evaluate, inputs
from kanegen.codegen.kernel_sources import configurations
from kanegen.codegen.mechanism import catalogue
from kanegen.codegen.mechanism.records import Mechanism
from kanegen.codegen.passes.verify import relative_difference
from kanegen.model_warnings import once

FloatArray = NDArray[np.float64]

STATES = 200
_ROWS = 2000
_REPEATS = 15


@dataclass(frozen=True)
class Comparison:
    """Inverse dynamics in one formulation: operations of the C, the largest difference from the recursion, nanoseconds.

    ``difference`` is relative to the largest force of a state, the worst of all states.
    """

    formulation: str
    multiplications: int
    additions: int
    divisions: int
    square_roots: int
    difference: float
    nanoseconds: float


@once()
def compare_formulations(
    model: str | Mechanism,
    progress: Callable[[str], None] | None = None,
    options: pipeline.Options | None = None,
) -> list[Comparison]:
    """Inverse dynamics of a mechanism by every formulation that applies, compiled and timed in turn.

    All run over the same states: random ones, around home where loops must be closed.  Generalized speeds that a built-in
    brings along are compared through their own kinematics.  ``options`` say how a model file is read
    and changed.
    """
    options = options or pipeline.Options()
    mechanism = pipeline.read(model, options)
    if model not in catalogue.names() or options.changes:
        model = mechanism  # as it was read, with these options
    states = _states(mechanism)
    reference = _load(model, "recursive", None)
    expected = reference.inverse_dynamics(*states)
    found = []
    for name in exact_formulations(mechanism):
        if progress is not None:
            progress(name)
        robot = reference if name == "recursive" else _load(model, name, None)
        tau = robot.inverse_dynamics(*states)
        found.append(_comparison(name, robot, relative_difference(tau, expected, STATES), states))
    for speeds in catalogue.speeds_names(mechanism.name) if isinstance(model, str) else ():
        if progress is not None:
            progress(speeds)
        found.append(_with_speeds(str(model), speeds, reference, states))
    return found


def table(comparisons: list[Comparison]) -> str:
    """The comparison for people to read."""
    width = max([28, *(len(c.formulation) for c in comparisons)])
    lines = [
        f"{'inverse dynamics':{width}} {'x':>6} {'+':>6} {'/':>4} {'sqrt':>5} {'difference':>11} {'ns':>8}"
    ]
    lines += [
        f"{c.formulation:{width}} {c.multiplications:6} {c.additions:6} {c.divisions:4} {c.square_roots:5} "
        f"{c.difference:11.1e} {c.nanoseconds:8.0f}"
        for c in comparisons
    ]
    return "\n".join(lines)


def _load(model: str | Mechanism, formulation: str, speeds: str | None) -> kanegen.Robot:
    kernels = ["inverse_dynamics"] if speeds is None else ["inverse_dynamics", "coordinate_rates"]
    chosen = None if speeds is not None or formulation == "recursive" else formulation
    return kanegen.load(model, kernels=kernels, speeds=speeds, formulation=chosen)


def _states(mechanism: Mechanism) -> tuple[FloatArray, FloatArray, FloatArray]:
    generator = np.random.default_rng(1985)
    nq, nv = len(mechanism.coordinates), mechanism.dof
    given = configurations(mechanism)
    q = (
        generator.uniform(-np.pi, np.pi, (STATES, nq))
        if given is None
        else given[np.arange(STATES) % len(given)]
    )
    return q, generator.standard_normal((STATES, nv)), generator.standard_normal((STATES, nv))


def _with_speeds(
    model: str, speeds: str, reference: kanegen.Robot, states: tuple[FloatArray, FloatArray, FloatArray]
) -> Comparison:
    """Forces on the speeds u against W^T tau, with dq/dt = W u and d2q/dt2 differentiated exactly."""
    q, u, udot = states
    robot = _load(model, "kane", speeds)
    options = pipeline.Options(speeds=speeds, kernels=("coordinate_rates",))
    qdot, qddot = _motion(pipeline.interpret(model, options).programs["coordinate_rates"], q, u, udot)
    tau = reference.inverse_dynamics(q, qdot, qddot)
    n = u.shape[1]
    columns = [robot.coordinate_rates(q, np.broadcast_to(np.eye(n)[r], u.shape)) for r in range(n)]
    expected = np.stack([np.sum(column * tau, axis=-1) for column in columns], axis=-1)
    difference = relative_difference(robot.inverse_dynamics(q, u, udot), expected, STATES)
    return _comparison(f"kane, speeds {speeds}", robot, difference, states)


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
    name: str, robot: kanegen.Robot, difference: float, states: tuple[FloatArray, FloatArray, FloatArray]
) -> Comparison:
    counts = robot.operation_counts["inverse_dynamics"]
    return Comparison(
        name,
        counts.multiplications,
        counts.additions,
        counts.divisions,
        counts.square_roots,
        difference,
        _nanoseconds(robot, states),
    )


def _nanoseconds(robot: kanegen.Robot, states: tuple[FloatArray, FloatArray, FloatArray]) -> float:
    """Median time of one evaluation in a batch."""
    q, v, a = (np.ascontiguousarray(x[np.arange(_ROWS) % len(x)]) for x in states)
    out = np.empty((_ROWS, robot.nv))
    times = []
    for _ in range(_REPEATS):
        start = time.perf_counter()
        robot.inverse_dynamics(q, v, a, out=out)
        times.append((time.perf_counter() - start) / _ROWS * 1e9)
    return statistics.median(times)
