"""Dynamics at a frame, in chosen rows of its twist, and Freeman & Tesar's models there, written once over other kernels.

With G the rows of the frame's Jacobian on the speeds v, M the mass matrix and h the bias forces, forces F on the rows give
these the accelerations

    de/dt = G M^-1 (G^T F - h) + b,    b that of unchanging speeds: dG/dt v, and what prescribed motions add,

so F = L de/dt + L (G M^-1 h - b) with the operational inertia L = (G M^-1 G^T)^-1 (Khatib 1987).  The speeds N e with

    N = M^-1 G^T L,    G N = 1,

have the least kinetic energy of all that move the rows at the rates e; where there are as many rows as speeds, N = G^-1.
N transfers a model on the speeds to the rows (Freeman & Tesar 1988), with H of the frame:

    I*_e = N^T I* N = L,    P*_e = N^T [N^T . P* - L . H] N,    C*_e = N^T C* N,    K*_e = dT_e/de,    T_e = N^T T,

for spring loads T.  Differentiating G N = 1 and M N = G^T L along a step of the speeds gives

    dN = W (dG^T L - dM N) - N dG N,    W = M^-1 - N G M^-1,

so that with f = W^T T, what springs do to internal motions, zero where G is square,

    K*_e = N^T (dT - dG^T T_e - dM f) N + L dG f N.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cached_property, partial
from typing import Any

from kanegen.codegen.derivation.derivatives.differentiate import along_speeds, cheapest, unit_rates
from kanegen.codegen.derivation.influence_coefficients.arrays import congruence, generalized_dot
from kanegen.codegen.derivation.kernels.catalogue import (
    BIAS_FORCES,
    COORDINATE_RATES,
    EFFECTIVE_DAMPING,
    EFFECTIVE_STIFFNESS,
    FRAME_JACOBIAN,
    GRAVITY_FORCES,
    HAND_DAMPING,
    HAND_INERTIA,
    HAND_POWER,
    HAND_STIFFNESS,
    INERTIA_POWER,
    INFLUENCE_H,
    MASS_MATRIX,
    OPERATIONAL_BIAS,
    OPERATIONAL_GRAVITY,
    OPERATIONAL_INERTIA,
    TAU,
    OfRows,
    Q,
    V,
    of_rows,
)
from kanegen.codegen.derivation.kernels.contract import Arguments, Contract, Slot, flat
from kanegen.codegen.derivation.kernels.influence import (
    Resting,
    frame_acceleration,
    inertia_power,
    influence_H,
    left_of,
    spring_kernels,
)
from kanegen.codegen.derivation.linear.inverse import inverse
from kanegen.codegen.derivation.linear.solve import Factors, chosen_blocks, solve
from kanegen.codegen.derivation.placed_tree.choices import Choices
from kanegen.codegen.derivation.placed_tree.deriver import Build
from kanegen.codegen.derivation.placed_tree.placement import PlacedTree
from kanegen.codegen.derivation.system import Make, System
from kanegen.codegen.graph import Expression, Graph, Program, compose, constant, inputs
from kanegen.codegen.graph import linear as vec
from kanegen.codegen.graph.jacobian import Given, Order, jacobian
from kanegen.codegen.mechanism.records import Frame, Mechanism
from kanegen.rows import ROWS

Vector = Sequence[Expression]
Rows = Sequence[Vector]

_DRIFT = Contract(
    "frame_drift",
    "acceleration of the frame {frame} where the speeds do not change",
    (Q, V),
    (Slot("b", (6,), "m/s^2, rad/s^2", "of its origin, then angular, in the base frame"),),
    each="frame",
)
_LOADS = Contract(
    "spring_loads", "forces that springs oppose at rest", (Q,), (replace(TAU, meaning="loads of springs"),)
)
"""What the kernels here need, and nobody asks for."""


def ingredients(frames: Mapping[str, Frame]) -> dict[str, Make]:
    """What the kernels at ``frames``, by their names as identifiers, need beside usual kernels."""
    found: dict[str, Make] = {MASS_MATRIX.name: _resisted_inertia, INERTIA_POWER.name: inertia_power}
    for identifier, frame in frames.items():
        found[_DRIFT.named(identifier)] = partial(_drift, frame=frame)
        name = INFLUENCE_H.named(identifier)
        found[name] = partial(influence_H, frame=frame, kernel=name)
    return found


def _resisted_inertia(s: System) -> Program:
    """The mass matrix, where inertia resists every motion.  Raises NoInertiaError elsewhere."""
    s.resisted_inertia()
    return s.program(MASS_MATRIX, [s.inertia()])


def _drift(s: System, frame: Frame) -> Program:
    return s.program(_DRIFT, [frame_acceleration(s, frame)], frame=frame.name)


class _AtFrame:
    """Rows of a frame's twist, in one graph with what moves them: formulas of ``builds`` of other kernels."""

    def __init__(
        self,
        of: OfRows,
        nv: int,
        builds: Mapping[str, Build],
        tree: PlacedTree,
        mechanism: Mechanism,
        choices: Choices,
    ) -> None:
        self.builds, self.identifier, self.n, self.k = builds, of.identifier, nv, len(of.rows)
        self.rows = [ROWS.index(row) for row in of.rows]
        self._derived, self.choices = (tree, mechanism, choices), choices
        self.graph, self.labels = Graph(), dict[int, str]()
        self.sources: dict[str, None] = {}

    # -- other kernels -----------------------------------------------------------------------------------------------

    def program(self, kernel: str) -> Program:
        """Another kernel."""
        found = self.builds[kernel](*self._derived)
        self.sources |= dict.fromkeys(found.source.split("; "))
        return found

    def vector(self, contract: Contract) -> Vector:
        """The entries of the first result of another kernel."""
        return compose(self.program(contract.named(self.identifier)), self.graph, {}, self.labels)[0]

    def of(self, contract: Contract, size: int) -> Rows:
        """The same in rows of that size."""
        entries = self.vector(contract)
        return [entries[k : k + size] for k in range(0, len(entries), size)]

    @cached_property
    def M(self) -> Rows:
        """The mass matrix."""
        return self.of(MASS_MATRIX, self.n)

    @cached_property
    def G(self) -> Rows:
        """The rows of the Jacobian."""
        rows = self.of(FRAME_JACOBIAN, self.n)
        return [rows[r] for r in self.rows]

    # -- the transfer ------------------------------------------------------------------------------------------------

    @cached_property
    def _factors(self) -> Factors:
        return Factors(self.M, chosen_blocks(self.M, self.choices))

    @cached_property
    def _reduced(self) -> Rows:
        """L^-1 G^T, by columns."""
        return [self._factors.forward(row) for row in self.G]

    @cached_property
    def _scaled(self) -> Rows:
        """D^-1 L^-1 G^T, by columns."""
        return [self._factors.scaled(x) for x in self._reduced]

    @cached_property
    def mobility(self) -> Rows:
        """G M^-1 G^T."""
        return vec.multiply_symmetric_total(self.graph, self._reduced, self._scaled)

    @cached_property
    def _blocks(self) -> Any:
        return chosen_blocks(self.mobility, self.choices, "the rows")

    @cached_property
    def inertia(self) -> Rows:
        """L."""
        return inverse(self.mobility, self._blocks)

    @cached_property
    def moved(self) -> Rows:
        """M^-1 G^T."""
        return vec.transpose([self._factors.substituted(x) for x in self._reduced])

    @cached_property
    def N(self) -> Rows:
        """M^-1 G^T L."""
        return vec.multiply_total(self.graph, self.moved, self.inertia)

    def internal(self, forces: Vector) -> list[Expression]:
        """M^-1 times forces."""
        return self._factors.substituted(self._factors.forward(forces))

    def steps(self) -> tuple[list[Expression], Given]:
        """Steps along the speeds, and how the coordinates depend on them."""
        columns = unit_rates(self.program(COORDINATE_RATES.name), self.graph)
        return along_speeds(columns, inputs(self.graph, "q", len(columns[0])))

    def felt(self, forces: Vector, drift: Vector | None = None) -> Vector:
        """L (G M^-1 h - b) for forces h on the speeds."""
        halfway = self._factors.forward(forces)
        found = [vec.dot_total(self.graph, x, halfway) for x in self._scaled]
        if drift is not None:
            found = list(vec.subtract(found, drift))
        return solve(self.mobility, found, self._blocks)


def _inertia(at: _AtFrame) -> Rows:
    return at.inertia


def _bias(at: _AtFrame) -> Vector:
    drift = at.vector(_DRIFT)
    return at.felt(at.vector(BIAS_FORCES), [drift[r] for r in at.rows])


def _gravity(at: _AtFrame) -> Vector:
    return at.felt(at.vector(GRAVITY_FORCES))


def _power(at: _AtFrame) -> list[Rows]:
    """N^T [N^T . P* - L . H] N, with symmetric planes H."""
    n, graph = at.n, at.graph
    on_speeds = at.of(INERTIA_POWER, n)
    planes = [on_speeds[n * k : n * (k + 1)] for k in range(n)]
    every = at.of(INFLUENCE_H, n)
    H = [_symmetric(every[n * r : n * (r + 1)]) for r in at.rows]
    turned = generalized_dot(graph, vec.transpose(at.N), planes)
    bent = generalized_dot(graph, at.inertia, H)
    return [
        congruence(graph, at.N, [vec.subtract(x, y) for x, y in zip(*both, strict=True)])
        for both in zip(turned, bent, strict=True)
    ]


def _symmetric(plane: Rows) -> Rows:
    """The half of a plane that a quadratic form has."""
    return [
        [x if x == plane[c][r] else (x + plane[c][r]) * Fraction(1, 2) for c, x in enumerate(row)]
        for r, row in enumerate(plane)
    ]


def _damping(at: _AtFrame) -> Rows:
    return congruence(at.graph, at.N, at.of(EFFECTIVE_DAMPING, at.n))


def _stiffness(at: _AtFrame) -> Rows:
    """N^T (dT - dG^T T_e - dM f) N + L dG f N, by steps along the speeds, with inputs in place of T_e and f."""
    n, k, graph = at.n, at.k, at.graph
    still = [constant(graph, 0)] * n
    T, springs = at.vector(_LOADS), at.of(EFFECTIVE_STIFFNESS, n)
    if all(x.is_zero for x in T):
        return congruence(graph, at.N, springs)
    T_e = vec.apply_total(graph, vec.transpose(at.N), T)
    f = still if k == n else at.internal(vec.subtract(T, vec.apply_total(graph, vec.transpose(at.G), T_e)))
    in_place = [inputs(graph, name, len(values)) for name, values in (("T_e", T_e), ("f", f))]
    pulled = vec.apply_total(graph, vec.transpose(at.G), in_place[0])
    resisted = vec.apply_total(graph, at.M, in_place[1])
    changing = [-x - y for x, y in zip(pulled, resisted, strict=True)]
    changing += vec.apply_total(graph, at.G, in_place[1])
    steps, given = at.steps()

    def derived(order: Order) -> Program:
        slopes = jacobian(graph, changing, steps, order, given)
        inside = [vec.add(x, y) for x, y in zip(springs, slopes[:n], strict=True)]
        half = vec.multiply_total(graph, vec.transpose(at.N), inside)
        if k < n:
            half = vec.matrix_add_total(graph, half, vec.multiply_total(graph, at.inertia, slopes[n:]))
        rows = vec.multiply_total(graph, half, at.N)
        into, labels = Graph(), dict[int, str]()
        known = dict(zip(("T_e", "f"), compose(_program(graph, T_e, f), into, {}, labels), strict=True))
        found = compose(_program(graph, flat(rows)), into, known, labels)
        return _program(into, *found)

    program = cheapest(derived)
    at.graph, at.labels = program.graph, {}
    found = [Expression(program.graph, ref) for ref in program.results[0]]
    return [found[k * r : k * (r + 1)] for r in range(k)]


def _program(graph: Graph, *results: Vector) -> Program:
    """Results without names."""
    return Program("", "", "", (), (), graph, tuple(tuple(x.ref for x in values) for values in results))


_FOUND: Mapping[Contract, Callable[[_AtFrame], Any]] = {
    OPERATIONAL_INERTIA: _inertia,
    OPERATIONAL_BIAS: _bias,
    OPERATIONAL_GRAVITY: _gravity,
    HAND_INERTIA: _inertia,
    HAND_POWER: _power,
    HAND_DAMPING: _damping,
    HAND_STIFFNESS: _stiffness,
}


def kernels_at_frames(
    frames: Mapping[str, Frame],
    asked: Iterable[str],
    arguments: Arguments,
    usual: Mapping[str, Build],
    resting: Resting,
) -> dict[str, Build]:
    """The kernels of all rows of ``frames``, by their names as identifiers, and those of other rows that are ``asked`` for.

    They are made from ``usual`` kernels, ``ingredients`` among them, and from what springs and dampers do alone.
    """
    loads = left_of(GRAVITY_FORCES.name, 0, (), _LOADS, resting, arguments)
    builds = {**usual, **spring_kernels(resting, arguments), _LOADS.name: loads}
    every = [OfRows(contract, identifier) for identifier in frames for contract in _FOUND]
    every += filter(None, (of_rows(kernel, frames) for kernel in asked))

    def built(of: OfRows) -> Build:
        def build(tree: PlacedTree, mechanism: Mechanism, choices: Choices) -> Program:
            at = _AtFrame(of, arguments.nv, builds, tree, mechanism, choices)
            results = _FOUND[of.contract](at)
            sizes, frame = {"rows": at.k}, frames[of.identifier].name
            return of.contract.program(
                arguments.more(sizes),
                at.graph,
                [results],
                "; ".join(at.sources),
                at.labels,
                name=of.kernel,
                frame=frame,
                rows=", ".join(of.rows),
            )

        return build

    return {of.kernel: built(of) for of in every}
