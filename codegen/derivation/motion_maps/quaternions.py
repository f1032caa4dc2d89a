"""Kernels of a constrained mechanism with ball joints, from those of its chart (chart.py).

On the chart q is zero for the joints of balls, and the parameters of their placements are the entries that q gives.  Rates
of the chart's coordinates are the speeds there, accelerations differ from their derivatives by what leaning axes add
(motion_maps/joints.py).  Only kernels whose arguments are on the coordinates themselves need more than that.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial

from kanegen.codegen.derivation.kernels.catalogue import (
    CONSTRAINT_JACOBIAN,
    CONSTRAINT_PROJECTION,
    COORDINATE_RATES,
    MULTIPLIER_DYNAMICS,
    QDOT,
    Q,
)
from kanegen.codegen.derivation.kernels.contract import Arguments
from kanegen.codegen.derivation.motion_maps.joints import JointMap
from kanegen.codegen.derivation.motion_maps.leaning import turning
from kanegen.codegen.derivation.placed_tree.choices import Choices
from kanegen.codegen.derivation.placed_tree.deriver import Build
from kanegen.codegen.derivation.placed_tree.placement import PlacedTree
from kanegen.codegen.graph import Argument, Expression, Graph, Program, compose, constant, inputs, total
from kanegen.codegen.graph import linear as vec
from kanegen.codegen.mechanism.folding import with_numbers
from kanegen.codegen.mechanism.records import Mechanism
from kanegen.codegen.mechanism.values import Lift

Vector = Sequence[Expression]
Results = dict[Argument, list[Expression]]


def on_quaternions(mechanism: Mechanism, builds: Mapping[str, Build], live: bool) -> dict[str, Build]:
    """The kernels of a mechanism by name, from ``builds`` of its chart."""
    folded = mechanism if live else with_numbers(mechanism)
    return {name: partial(_build, mechanism=folded, build=build, live=live) for name, build in builds.items()}


def _build(
    tree: PlacedTree,
    tree_mechanism: Mechanism,
    choices: Choices,
    mechanism: Mechanism,
    build: Build,
    live: bool,
) -> Program:
    return _Carrier(mechanism, live).carried(build(tree, tree_mechanism, choices))


class _Carrier:
    """One kernel in the making: its graph, q, and how q moves the chart."""

    def __init__(self, mechanism: Mechanism, live: bool) -> None:
        self.mechanism, self.graph = mechanism, Graph()
        self.arguments = Arguments.of(mechanism)
        self.zero = constant(self.graph, 0)
        self.q = inputs(self.graph, "q", len(mechanism.coordinates))
        lift = Lift(self.graph, mechanism.parameters, live=live)
        self.coordinates = JointMap(mechanism, self.q, lift)
        self.u: list[Expression] = []

    def carried(self, program: Program) -> Program:
        """The program in terms of q."""
        given: dict[str, Vector] = {"q": self.coordinates.positions()}
        arguments = {x.name: x for x in program.inputs}
        if "qdot" in arguments:
            self.u = self.coordinates.speeds(inputs(self.graph, "qdot", len(self.q)))
            given["qdot"] = self.u
        labels: dict[int, str] = {}
        found = compose(program, self.graph, given, labels, self.coordinates.placements())
        results: Results = dict(zip(program.outputs, found, strict=True))
        if program.name in _ON_COORDINATES:
            results = _ON_COORDINATES[program.name](self, results)
        own = {slot.name: self.arguments(slot) for slot in (Q, QDOT)}
        given_arguments = tuple(own.get(x.name, x) for x in program.inputs)
        return Program.of(
            self.graph, program.name, program.title, given_arguments, results, program.source, labels
        )

    # -- kernels on the coordinates ----------------------------------------------------------------------------------

    def rates(self, results: Results) -> Results:
        """dq/dt = N u."""
        (u,) = results.values()
        return {self.arguments(QDOT): self.coordinates.coordinate_rates(u)}

    def jacobian(self, results: Results) -> Results:
        """A_u L with u = L dq/dt: a row for each unit rate of q."""
        ((argument, flat),) = results.items()
        n, nq = len(self.mechanism.rates), len(self.q)
        one = constant(self.graph, 1)
        columns = [
            self.coordinates.speeds([one if k == j else self.zero for k in range(nq)]) for j in range(nq)
        ]
        rows = [flat[i : i + n] for i in range(0, len(flat), n)]
        entries = [vec.dot_total(self.graph, row, column) for row in rows for column in columns]
        return {replace(argument, shape=(len(rows), nq)): entries}

    def accelerations(self, results: Results) -> Results:
        """d2q/dt2 of accelerations on the chart.

        A position is on the chart's fixed axes; for a quaternion Q, d2Q/dt2 = Q (dw/dt, 0) / 2 - |w|^2 Q / 4.
        """
        (_, chart), *others = results.items()
        rates = list(chart)
        for j, extra in turning(self.mechanism, self.u).items():
            if self._angular(j):
                rates[j] = rates[j] - extra
        found = self.coordinates.coordinate_rates(rates)
        for ball, at in zip(self.mechanism.balls, self.mechanism.quaternions, strict=True):
            first = self.mechanism.rates.index(ball.joints[-3])
            w = self.u[first : first + 3]
            square = vec.dot_total(self.graph, w, w) * Fraction(1, 4)
            for k in range(at, at + 4):
                found[k] = found[k] - square * self.q[k]
        return {self.arguments(MULTIPLIER_DYNAMICS.gives[0]): found, **dict(others)}

    def projection(self, results: Results) -> Results:
        """q moved by the chart's coordinates, quaternions of length 1 again, and dq/dt of the chart's rates there."""
        moved, u = results.values()
        positions = self.coordinates.positions()
        steps = [x - y for x, y in zip(moved, positions, strict=True)]
        change = self.coordinates.coordinate_rates(steps)
        q = [x + y for x, y in zip(self.q, change, strict=True)]
        for at in self.mechanism.quaternions:
            length = total(self.graph, [x * x for x in q[at : at + 4]]).square_root()
            q[at : at + 4] = [x / length for x in q[at : at + 4]]
        there = JointMap(self.mechanism, q, self.coordinates.lift).coordinate_rates(u)
        here = self.coordinates.coordinate_rates(u)
        turning = {at + k for at in self.mechanism.quaternions for k in range(4)}
        qdot = [there[k] if k in turning else here[k] for k in range(len(q))]
        return dict(zip(map(self.arguments, CONSTRAINT_PROJECTION.gives), (q, qdot), strict=True))

    def _angular(self, joint: int) -> bool:
        name = self.mechanism.rates[joint]
        return any(name in ball.joints[-3:] for ball in self.mechanism.balls)


_ON_COORDINATES: Mapping[str, Callable[[_Carrier, Results], Results]] = {
    COORDINATE_RATES.name: _Carrier.rates,
    CONSTRAINT_JACOBIAN.name: _Carrier.jacobian,
    MULTIPLIER_DYNAMICS.name: _Carrier.accelerations,
    CONSTRAINT_PROJECTION.name: _Carrier.projection,
}
"""Kernels with arguments on the coordinates beside q and dq/dt."""
