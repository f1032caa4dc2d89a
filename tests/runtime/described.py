"""Constrained mechanisms described by their equations: the kernels that follow from these by linear algebra, and robots.

Mass matrices are diagonal and few rows are independent, so that Cramer's rule serves: nothing of the generator's
derivations is used.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

import kanegen
from kanegen.codegen.derivation.kernels.catalogue import regular
from kanegen.codegen.emit import LiveParameter, Model, write_model
from kanegen.codegen.graph import Argument, Expression, Graph, Program, evaluate, inputs, total
from kanegen.codegen.passes.hoist import hoist
from kanegen.codegen.passes.schedule import schedule
from kanegen.kernels.interpreted import InterpretedBackend
from kanegen.manifest import Constraints, read_manifest

Vector = Sequence[Expression]
Row = Sequence[Expression | int | Fraction]


@dataclass(frozen=True)
class Described:
    """A mechanism with diagonal ``mass`` and constant ``speed_rows`` Y.

    ``bias(q, qdot)``: forces of the coordinates with d2q/dt2 = 0.  ``residual(q)`` and ``rows(q)``: phi, and A with
    the equations of velocity last.  ``drift(q, qdot)``: -dA/dt dq/dt.  The rows ``redundant`` are left out of the rest.
    """

    name: str
    coordinates: tuple[str, ...]
    speeds: tuple[str, ...]
    speed_rows: tuple[tuple[int, ...], ...]
    mass: tuple[Fraction, ...]
    bias: Callable[[Vector, Vector], Vector]
    potential: Callable[[Vector], Expression]
    residual: Callable[[Vector], Vector]
    rows: Callable[[Vector], Sequence[Row]]
    drift: Callable[[Vector, Vector], Vector]
    position: tuple[str, ...]
    velocity: tuple[str, ...]
    redundant: tuple[str, ...] = ()
    home: tuple[float, ...] = ()
    law: Callable[[Expression, Vector, Vector], Vector] | None = None
    parameters: Mapping[str, Fraction] = field(default_factory=dict)

    @property
    def nq(self) -> int:
        return len(self.coordinates)

    @property
    def nv(self) -> int:
        return len(self.speeds)


def product(rows: Sequence[Row], x: Sequence[Any], graph: Graph) -> list[Expression]:
    """Matrix times vector."""
    zero = Expression(graph, graph.constant(0))
    return [total(graph, [zero + a * b for a, b in zip(row, x, strict=True)]) for row in rows]


def determinant(rows: Sequence[Row]) -> Any:
    if not rows:
        return 1
    return sum(
        (-1) ** j * rows[0][j] * determinant([[*r[:j], *r[j + 1 :]] for r in rows[1:]])
        for j in range(len(rows))
    )


def solved(rows: Sequence[Row], right: Sequence[Any]) -> list[Any]:
    """The solution of a small system, by Cramer's rule."""
    below = determinant(rows)
    return [
        determinant([[*row[:j], b, *row[j + 1 :]] for row, b in zip(rows, right, strict=True)]) / below
        for j in range(len(rows))
    ]


def transposed(rows: Sequence[Row]) -> list[Row]:
    return [list(column) for column in zip(*rows, strict=True)]


def program(
    name: str,
    takes: Mapping[str, tuple[int, ...]],
    gives: Mapping[str, tuple[int, ...]],
    compute: Callable[..., Sequence[Any]],
) -> Program:
    """A program by hand: ``compute(graph, *inputs)`` returns the entries of each output."""
    graph = Graph()
    arguments, outputs = (
        tuple(Argument(a, shape, "SI", a) for a, shape in some.items()) for some in (takes, gives)
    )
    results = compute(graph, *(inputs(graph, argument.name, argument.size) for argument in arguments))
    zero = Expression(graph, graph.constant(0))
    refs = tuple(tuple((zero + x).ref for x in result) for result in results)
    return Program(name, name, "made by hand", arguments, outputs, graph, refs)


class Kernels:
    """The programs of a described mechanism."""

    def __init__(self, what: Described) -> None:
        self.what = what
        self.kept = [i for i, name in enumerate(what.velocity) if name not in what.redundant]

    def programs(self) -> list[Program]:
        w, n = self.what, self.what.nq
        m, k = len(w.velocity), len(w.position)
        q, qdot = {"q": (n,)}, {"qdot": (n,)}
        v, a, tau = ({name: (w.nv,)} for name in ("v", "a", "tau"))
        made = [
            program("inverse_dynamics", q | v | a, tau, self.inverse_dynamics),
            program("forward_dynamics", q | v | tau, a, self.forward_dynamics),
            program("coordinate_rates", q | v, qdot, lambda g, q, v: [self.rates(q, v)]),
            program("kinetic_energy", q | v, {"T": ()}, self.kinetic_energy),
            program("potential_energy", q, {"U": ()}, lambda g, q: [[w.potential(q)]]),
            program("constraint_jacobian", q, {"A": (m, n)}, self.jacobian),
            program("generalized_speeds", q | qdot, v, lambda g, q, qdot: [product(w.speed_rows, qdot, g)]),
            program(
                "multiplier_dynamics",
                q | qdot | tau,
                {"qddot": (n,), "lambda": (m,)},
                self.multiplier_dynamics,
            ),
            program("constraint_projection", q | qdot, {"q_next": (n,), "qdot_next": (n,)}, self.projection),
            program("constraint_forces", q | v | a, {"forces": (m,)}, self.forces),
        ]
        if k:
            made += [program("constraint_residual", q, {"phi": (k,)}, lambda g, q: [w.residual(q)])]
        if w.law is not None:
            law = w.law
            made += [program("law", {"t": ()} | q | v, tau, lambda g, t, q, v: [law(t[0], q, v)])]
        return made

    # ---- with speeds ----

    def kept_rows(self, q: Vector) -> list[Row]:
        rows = self.what.rows(q)
        return [rows[i] for i in self.kept]

    def rates(self, q: Vector, v: Vector) -> list[Expression]:
        rows = self.kept_rows(q)
        return solved([*self.what.speed_rows, *rows], [*v, *[0] * len(rows)])

    def acceleration(self, q: Vector, qdot: Vector, a: Sequence[Any]) -> list[Expression]:
        drift = self.what.drift(q, qdot)
        return solved([*self.what.speed_rows, *self.kept_rows(q)], [*a, *(drift[i] for i in self.kept)])

    def partial(self, q: Vector) -> list[list[Expression]]:
        """Columns of N."""
        unit = [[int(i == j) for j in range(self.what.nv)] for i in range(self.what.nv)]
        return [self.rates(q, row) for row in unit]

    def coordinate_forces(self, q: Vector, v: Vector, a: Sequence[Any]) -> list[Expression]:
        qdot = self.rates(q, v)
        bias = self.what.bias(q, qdot)
        qddot = self.acceleration(q, qdot, a)
        return [m * x + h for m, x, h in zip(self.what.mass, qddot, bias, strict=True)]

    def inverse_dynamics(self, g: Graph, q: Vector, v: Vector, a: Vector) -> list[Any]:
        return [product(self.partial(q), self.coordinate_forces(q, v, a), g)]

    def forward_dynamics(self, g: Graph, q: Vector, v: Vector, tau: Vector) -> list[Any]:
        columns = self.partial(q)
        matrix = [
            product(columns, [m * x for m, x in zip(self.what.mass, c, strict=True)], g) for c in columns
        ]
        bias = product(columns, self.coordinate_forces(q, v, [0] * self.what.nv), g)
        return [solved(matrix, [f - h for f, h in zip(tau, bias, strict=True)])]

    def kinetic_energy(self, g: Graph, q: Vector, v: Vector) -> list[Any]:
        qdot = self.rates(q, v)
        return [[total(g, [m * x * x * Fraction(1, 2) for m, x in zip(self.what.mass, qdot, strict=True)])]]

    # ---- with multipliers ----

    def jacobian(self, g: Graph, q: Vector) -> list[Any]:
        return [[x for row in self.what.rows(q) for x in row]]

    def multiplier_dynamics(self, g: Graph, q: Vector, qdot: Vector, tau: Vector) -> list[Any]:
        rows, inverse = self.kept_rows(q), [1 / m for m in self.what.mass]
        applied = product(transposed(self.what.speed_rows), tau, g)
        free = [(f - h) * i for f, h, i in zip(applied, self.what.bias(q, qdot), inverse, strict=True)]
        drift = self.what.drift(q, qdot)
        matrix = [product(rows, [x * i for x, i in zip(row, inverse, strict=True)], g) for row in rows]
        missing = [drift[i] - p for i, p in zip(self.kept, product(rows, free, g), strict=True)]
        kept = solved(matrix, missing)
        pushed = product(transposed(rows), kept, g)
        qddot = [f + i * p for f, i, p in zip(free, inverse, pushed, strict=True)]
        return [qddot, self.all_rows(kept)]

    def forces(self, g: Graph, q: Vector, v: Vector, a: Vector) -> list[Any]:
        columns = transposed([*self.what.speed_rows, *self.kept_rows(q)])
        return [self.all_rows(solved(columns, self.coordinate_forces(q, v, a))[self.what.nv :])]

    def all_rows(self, kept: Sequence[Any]) -> list[Any]:
        found = dict(zip(self.kept, kept, strict=True))
        return [found.get(i, 0) for i in range(len(self.what.velocity))]

    def projection(self, g: Graph, q: Vector, qdot: Vector) -> list[Any]:
        rows = self.kept_rows(q)
        matrix = [product(rows, row, g) for row in rows]
        phi = [*self.what.residual(q), *[0] * (len(self.what.velocity) - len(self.what.position))]
        results = []
        for x, off in ((q, [phi[i] for i in self.kept]), (qdot, product(rows, qdot, g))):
            correction = product(transposed(rows), solved(matrix, off), g)
            results.append([a - b for a, b in zip(x, correction, strict=True)])
        return results


def emitted(what: Described) -> Model:
    """The model of a mechanism, ready to be written."""
    programs = Kernels(what).programs()
    hoisted = hoist(programs) if what.parameters else None
    return Model(
        name=what.name,
        prefix=what.name,
        hash="0123456789abcdef" * 4,
        nq=what.nq,
        nv=what.nv,
        coordinate_names=what.coordinates,
        joint_names=what.coordinates,
        body_names=("body",),
        frame_names=(),
        gravity=(0.0, -9.81, 0.0),
        kernels=tuple(schedule(p) for p in (hoisted.kernels if hoisted else programs)),
        parameters=tuple(LiveParameter(n, value, "SI", n) for n, value in what.parameters.items()),
        prepare=schedule(hoisted.prepare) if hoisted else None,
        regular=regular(program.name for program in programs),
        speed_names=what.speeds,
        home=what.home,
        constraints=Constraints(
            what.position,
            what.velocity,
            what.velocity,
            len(what.velocity) - len(what.redundant),
            what.redundant,
            what.redundant,
        ),
    )


class Evaluator:
    """The programs, evaluated by NumPy."""

    def __init__(self, what: Described) -> None:
        self._programs = {program.name: program for program in Kernels(what).programs()}

    def evaluate(
        self, kernel: str, arrays: Mapping[str, Any], parameters: Mapping[str, float]
    ) -> Mapping[str, Any]:
        return evaluate(self._programs[kernel], arrays, parameters)


_FOLDER = tempfile.TemporaryDirectory(prefix="kanegen-described-")
_ROBOTS: dict[tuple[str, bool], kanegen.Robot] = {}


def folder_of(what: Described) -> Path:
    """The generated files of the mechanism, written once in a run."""
    directory = Path(_FOLDER.name) / what.name
    if not directory.exists():
        write_model(emitted(what), directory)
    return directory


def robot(what: Described, *, interpreted: bool = False) -> kanegen.Robot:
    """The mechanism as a robot, the same one whenever it is asked for: nothing in a robot changes."""
    key = what.name, interpreted
    if key not in _ROBOTS:
        directory = folder_of(what)
        manifest = read_manifest(directory)
        _ROBOTS[key] = (
            kanegen.Robot(manifest, InterpretedBackend(manifest, Evaluator(what)))
            if interpreted
            else kanegen.load(directory)
        )
    return _ROBOTS[key]
