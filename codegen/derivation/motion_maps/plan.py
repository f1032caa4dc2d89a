"""How a constrained mechanism is solved: decided once, from numbers, at configurations in which its loops are closed.

Which equations are independent, which coordinates follow from which, and in what blocks: properties of the mechanism that
hold wherever it is not at a dead centre.  They are found in the mechanism's own unit of length (mechanism/sizes.py).  The
formulas themselves are then symbolic and the same in every state.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import combinations
from typing import NoReturn

import numpy as np
from numpy.typing import NDArray

from kanegen.codegen.derivation.motion_maps.chart import charted
from kanegen.codegen.derivation.motion_maps.equations import Equations, Row, equations
from kanegen.codegen.derivation.motion_maps.joint_tree import placement_names
from kanegen.codegen.derivation.motion_maps.reactions import indeterminate_joints
from kanegen.codegen.graph import Argument, Graph, Program, evaluate, inputs
from kanegen.codegen.mechanism.constraints import RollingContact
from kanegen.codegen.mechanism.folding import with_numbers
from kanegen.codegen.mechanism.records import Mechanism
from kanegen.codegen.mechanism.sizes import unit_for, unit_of_length, units_of
from kanegen.codegen.mechanism.speeds import JointRate
from kanegen.codegen.mechanism.values import Lift, numeric
from kanegen.errors import ModelError, counted

FloatArray = NDArray[np.float64]

STATES = 100
_ATTEMPTS = 10
_SPREAD = 0.15
"""Standard deviation [rad, units of length] of the configurations around home from which loops are closed."""
_OPEN = 1e-2
"""How far [rad, units of length] configurations for checking are from closed ones: programs must agree there too."""
_CLOSED = 1e-11
_DEPENDENT = 1e-8
"""Rows (of unit length) whose smallest singular value lies below this depend on one another."""
_SINGULAR = 1e-6
"""The same in a singular configuration itself, which Newton's method finds to the square root of rounding errors."""
_AGREED = 1e-6
"""Rests of equations that no rates balance, over the largest rest, in states that are closed to rounding errors."""
_REGULAR = 1e-2
"""Configurations for checking have at least this smallest singular value of equations and speeds together."""
_APART = 5e-2
"""Roots of the margins of distances in configurations for checking: where points nearly coincide, digits are lost."""
_SAME = 1e-9
"""Of the largest coefficient: equations in other frames agree to rounding, and others in one digit of nine."""
_COMPARED = 20
"""Configurations in which ways to solve the equations are compared."""
_LARGEST_BLOCK = 3
_LONGEST_STEP = 0.1
"""Seconds from one state of a path in time to the next, at most; where something moves fast, until it has by _SPREAD."""


def inputs_at(states: FloatArray, n: int) -> dict[str, FloatArray]:
    """The inputs q, and t where they have it, of programs in states (..., n) or (..., n + 1)."""
    found = {"q": states[..., :n]}
    return found if states.shape[-1] == n else {**found, "t": states[..., n]}


@dataclass(frozen=True)
class Block:
    """Rows that are solved for the rates of as many coordinates; ``unit`` is their determinant where it is +1 or -1."""

    rows: tuple[int, ...]
    columns: tuple[int, ...]
    unit: int | None


@dataclass(frozen=True, eq=False)
class Plan:
    """What follows from what.

    ``independent`` are the rows of the equations that are used, ``redundant`` those that repeat them; ``blocks`` solve the
    independent rows for the rates of all coordinates but the ``free`` ones, in this order.  ``unit`` is the determinant
    of the speeds in terms of the free rates where it is +1 or -1.  ``states`` (k, nq) are configurations for checking, open
    by about a hundredth, and ``closed`` (j, nq) some that are not; with ball joints, in the coordinates of the chart.  Where
    the mechanism depends on time they have it as one entry more, the last, on a path from 0 on.
    """

    independent: tuple[int, ...]
    redundant: tuple[int, ...]
    blocks: tuple[Block, ...]
    free: tuple[int, ...]
    unit: int | None
    indeterminate: tuple[str, ...]
    states: FloatArray
    closed: FloatArray


@lru_cache(maxsize=16)
def make_plan(mechanism: Mechanism) -> Plan:
    """The plan of a mechanism, or of its chart where it has ball joints, at its parameters' numbers.

    Raises ModelError for loops that cannot be closed near home, for a wrong number of speeds, and for speeds that do not
    determine the motion.
    """
    mechanism = charted(mechanism)
    numeric = equations_of(mechanism)
    numbers, system = numeric.mechanism, numeric.system
    states = numeric.closed_states()
    rows, speeds = numeric.rows(states)
    rank = Counter(int(np.linalg.matrix_rank(_unit_rows(a), _DEPENDENT)) for a in rows).most_common(1)[0][0]
    generic = [k for k, a in enumerate(rows) if np.linalg.matrix_rank(_unit_rows(a), _DEPENDENT) == rank]
    states, rows, speeds = states[generic], rows[generic], speeds[generic]
    independent = _independent(rows, rank)
    _check_speeds(numbers, system, rank, rows[:, independent], speeds, numeric)
    together = [
        np.linalg.svd(_unit_rows(np.vstack([a, y])), compute_uv=False)[-1]
        for a, y in zip(rows[:, independent], speeds, strict=True)
    ]
    order = np.argsort(together)[::-1]
    apart = numeric.apart(states)
    good = [k for k in order if together[k] > _REGULAR and apart[k]]
    good = good or list(order[: max(1, len(order) // 2)])
    states, rows, speeds = states[good], rows[good], speeds[good]
    numeric.require_agreement(states)
    anywhere = _anywhere(mechanism)
    blocks, free = _blocks(numbers, system, independent, rows[:, independent], anywhere[0][:, independent])
    redundant = tuple(i for i in range(len(system.rows)) if i not in independent)
    checked = states[np.arange(STATES) % len(states)]
    generator = np.random.default_rng(1985)
    return Plan(
        tuple(independent),
        redundant,
        blocks,
        free,
        _unit_of_speeds(anywhere[0][:, independent], anywhere[1], free),
        indeterminate_joints(numbers, system, rows, rank),
        checked + _OPEN * numeric.moved(generator, len(checked)),
        states,
    )


def same_equations(mechanism: Mechanism, other: Mechanism, one_by_one: bool) -> bool:
    """Whether the equations of a mechanism that was described anew, on the same coordinates, are the same.

    ``one_by_one``, or taken together: what is one's rows of independent equations are the other's times a constant matrix,
    so that the motion is the same off closed configurations, too.
    """
    if not mechanism.constrained:
        return True
    try:
        plans = make_plan(mechanism), make_plan(other)
    except ModelError:
        return False
    if one_by_one and any(
        getattr(plans[0], name) != getattr(plans[1], name)
        for name in ("independent", "redundant", "blocks", "free", "unit")
    ):
        return False
    q = plans[0].states[:_COMPARED]
    first, second = (
        equations_of(one).values(q)["A"][:, plan.independent]
        for one, plan in zip((mechanism, other), plans, strict=True)
    )
    ratios = first @ np.linalg.pinv(second)
    expected = np.broadcast_to(np.eye(first.shape[1]) if one_by_one else ratios[:1], ratios.shape)
    largest = float(np.abs(first).max(initial=0.0))
    return bool(np.allclose(expected @ second, first, rtol=0.0, atol=_SAME * largest))


def perturbed(mechanism: Mechanism) -> Mechanism:
    """The same mechanism with every parameter a little different, zeros included; placements of ball joints stay."""
    placements = placement_names(mechanism.balls)
    changed = [
        p
        if p.name in placements
        else replace(p, value=p.value * (1 + Fraction(k + 1, 7919)) if p.value else Fraction(k + 1, 7919))
        for k, p in enumerate(mechanism.parameters)
    ]
    return replace(mechanism, parameters=tuple(changed))


def _anywhere(mechanism: Mechanism) -> tuple[FloatArray, FloatArray]:
    """Rows of equations and speeds at open configurations and other parameters: what is one here is one identically.

    Near home alone a determinant may be one that is minus one in another way to assemble the mechanism.
    """
    numbers = with_numbers(perturbed(mechanism))
    graph = Graph()
    n = len(numbers.coordinates)
    system = equations(numbers, inputs(graph, "q", n), Lift(graph))
    random = np.random.default_rng(1988)
    q = random.uniform(-np.pi, np.pi, (_COMPARED, n))
    if numbers.depends_on_time:
        q = np.hstack([q, random.uniform(0, np.pi, (_COMPARED, 1))])
    found = NumericEquations(numbers, system).values(q)
    rows, speeds = found["A"], found["Y"]
    # an equation need not have a value everywhere: sqrt(q) has none where q is negative
    finite = np.isfinite(rows).all(axis=(1, 2)) & np.isfinite(speeds).all(axis=(1, 2))
    return rows[finite], speeds[finite]


def equations_of(mechanism: Mechanism) -> NumericEquations:
    """The equations of a mechanism, or of its chart, in its numbers."""
    numbers = with_numbers(charted(mechanism))
    system = equations(numbers, inputs(graph := Graph(), "q", len(numbers.coordinates)), Lift(graph))
    return NumericEquations(numbers, system)


class NumericEquations:
    """The equations of a mechanism in numbers.

    Rows, gaps and steps are in its own units, ``columns`` those of coordinates (n,) and ``heights`` those of equations;
    configurations are in metres.
    """

    def __init__(self, mechanism: Mechanism, system: Equations) -> None:
        self.mechanism, self.system = mechanism, system
        self.n = len(system.q)
        self._unit = unit_of_length(mechanism)
        self.columns = np.array(units_of(mechanism, mechanism.coordinates, self._unit))
        self._driven = np.array(units_of(mechanism, [*system.prescribed], self._unit))
        results = (
            tuple(p.value.ref for p in system.positions),
            tuple(c.ref for row in system.rows for c in row.coefficients),
            tuple(c.ref for row in system.speeds for c in row.coefficients),
            tuple(x.ref for x in system.margins),
            tuple(row.rest.ref for row in system.rows),
            tuple(given.rate.ref for given in system.prescribed.values()),
        )
        shapes = (
            (len(system.positions),),
            (len(system.rows), self.n),
            (len(system.speeds), self.n),
            (len(system.margins),),
            (len(system.rows),),
            (len(system.prescribed),),
        )
        names = ("phi", "A", "Y", "margins", "rest", "driven")
        self._empty = {name: np.zeros(shape) for name, shape in zip(names, shapes, strict=True) if 0 in shape}
        outputs = tuple(Argument(n, s, "", "") for n, s in zip(names, shapes, strict=True))
        kept = [(o, r) for o, r in zip(outputs, results, strict=True) if o.size]
        self._program = Program(
            name="equations",
            title="",
            source="",
            inputs=(
                Argument("q", (self.n,), "", ""),
                *[Argument("t", (), "", "")] * mechanism.depends_on_time,
            ),
            outputs=tuple(o for o, _ in kept),
            graph=system.graph,
            results=tuple(r for _, r in kept),
        )

    def values(self, q: FloatArray) -> dict[str, FloatArray]:
        """Arrays by name at configurations (..., n), or (..., n + 1) with the time."""
        found = evaluate(self._program, inputs_at(q, self.n))
        lead = q.shape[:-1]
        return found | {
            name: np.broadcast_to(none, (*lead, *none.shape)) for name, none in self._empty.items()
        }

    def rows(self, q: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Coefficients of the equations of velocity and of the speeds at configurations."""
        found = self._in_units(q)
        return found["A"], found["Y"]

    def _in_units(self, q: FloatArray) -> dict[str, FloatArray]:
        found = self.values(q)
        return found | {
            "phi": found["phi"] / self.heights[: found["phi"].shape[-1]],
            "A": found["A"] / self.heights[:, None] * self.columns,
            "Y": found["Y"] * self.columns,
            "rest": found["rest"] / self.heights,
            "driven": found["driven"] / self._driven,
        }

    @cached_property
    def heights(self) -> FloatArray:
        """One for each equation: the unit of length for places, 1 for cosines, what one's own changes by at home."""
        unit, rows = self._unit, self.system.rows
        if unit == 1.0:
            return np.ones(len(rows))
        places = {f"{loop.name} place" for loop in self.mechanism.loops}
        places |= {c.name for c in self.mechanism.constraints if isinstance(c, RollingContact)}
        axes = {f"{loop.name} axes" for loop in self.mechanism.loops}
        changes = np.abs(self.values(self.home())["A"] * self.columns).max(axis=1, initial=0.0)
        known = {**dict.fromkeys(places, unit), **dict.fromkeys(axes, 1.0)}
        return np.array([known.get(row.group) or unit_for(x) for row, x in zip(rows, changes, strict=True)])

    def rank_at_home(self) -> int:
        """How many equations are independent in the closed configuration that is nearest to home."""
        q, _ = self._close(self.home())
        return int(np.linalg.matrix_rank(_unit_rows(self.rows(q)[0]), _SINGULAR))

    def home(self) -> FloatArray:
        """The configuration given, or zero; with the time 0 where the mechanism depends on it."""
        home = [float(numeric(x, self.mechanism)) for x in self.mechanism.home] or [0.0] * self.n
        return np.array(home + [0.0] * self.mechanism.depends_on_time)

    def moved(self, generator: np.random.Generator, *count: int) -> FloatArray:
        """Random numbers (*count, n), normally distributed; time stays."""
        found = generator.standard_normal((*count, self.n)) * self.columns
        return np.concatenate([found, np.zeros((*count, 1))], -1) if self.mechanism.depends_on_time else found

    def path(self, begin: FloatArray) -> list[FloatArray]:
        """Closed configurations from one on, along a path in time, as far as it can be followed."""
        found = [begin]
        while self.mechanism.depends_on_time and len(found) < STATES:
            there = self._in_units(found[-1])
            pushed = np.linalg.pinv(there["A"], rcond=_DEPENDENT) @ there["rest"]
            fastest = float(np.abs(np.concatenate([pushed, there["driven"]])).max(initial=0.0))
            step = min(_LONGEST_STEP, _SPREAD / fastest) if fastest > 0 else _LONGEST_STEP
            q, gap = self._close(np.append(found[-1][:-1], found[-1][-1] + step))
            if not gap <= _CLOSED:
                break
            found.append(q)
        return found

    def apart(self, q: FloatArray) -> NDArray[np.bool_]:
        """Whether the ends of distances are well apart, for each configuration (k, n)."""
        margins = self.values(q)["margins"]
        return np.array([bool((each >= _APART**2).all()) for each in margins])

    def closed_states(self) -> FloatArray:
        """Configurations in which loops are closed, the first one near home."""
        home = self.home()
        self._check_defined(home)
        generator = np.random.default_rng(1983)
        found = []
        nearest, gap = self._close(home)
        if gap > _CLOSED:
            worst = self.system.positions[int(np.abs(self.values(nearest)["phi"]).argmax())]
            raise ModelError(
                f"loop or contact {worst.name!r}",
                f"cannot be closed near home: {gap:.3g} is left",
                "a configuration in which all equations of position hold",
                "Give such a configuration, or one near it, as home; check frames and lengths.",
            )
        rows, speeds = self.rows(nearest)
        self._check_rates("equation", self.system.rows, rows, nearest)
        path = self.path(nearest)
        for k in range(_ATTEMPTS * STATES):
            q, gap = self._close(path[k % len(path)] + _SPREAD * self.moved(generator))
            if gap <= _CLOSED and self._finite(q):
                found.append(q)
            if len(found) == STATES:
                break
        if not found:  # speeds may lack a value at home itself, where a distance is zero, but not around it
            self._check_rates("generalized speed", self.system.speeds, speeds, nearest)
        return np.array(found or [nearest])

    def require_agreement(self, states: FloatArray) -> None:
        """Raise ModelError where equations contradict each other at regular states (k, nq + 1): no rates satisfy all."""
        found = self._in_units(states)
        A, rest = found["A"], found["rest"][..., None]
        missed = np.abs(rest - A @ (np.linalg.pinv(A, rcond=_DEPENDENT) @ rest))[..., 0]
        size = np.abs(found["rest"]).max(axis=1, initial=0.0)
        apart = (missed > _AGREED * size[:, None]).all(axis=0)
        if apart.any():
            names = [row.name for row, x in zip(self.system.rows, apart, strict=True) if x]
            raise ModelError(
                f"constraints {', '.join(map(repr, names))}",
                "contradict each other as time goes on: no rates of the coordinates satisfy all of them",
                "equations that can hold together",
                "Remove those that say again what follows from others, or mend what they say.",
            )

    def _check_defined(self, home: FloatArray) -> None:
        """Raise ModelError for an equation of position that has no value at home, or no derivatives."""
        found = self.values(home)
        for k, position in enumerate(self.system.positions):
            undefined = [
                what
                for what, x in (("value", found["phi"][k]), ("derivatives", found["A"][k]))
                if not np.isfinite(x).all()
            ]
            if undefined:
                self._refuse(f"equation {position.name!r}", undefined[0], home)

    def _check_rates(self, what: str, rows: Sequence[Row], found: FloatArray, q: FloatArray) -> None:
        """Raise ModelError for an equation or a speed without coefficients in the closed configuration nearest home."""
        for row, coefficients in zip(rows, found, strict=True):
            if not np.isfinite(coefficients).all():
                self._refuse(f"{what} {row.name!r}", "coefficients", q)

    def _refuse(self, where: str, what: str, q: FloatArray) -> NoReturn:
        raise ModelError(
            where,
            f"has no finite {what} in the configuration home, "
            + ", ".join(f"{n} = {x:.6g}" for n, x in zip(self.mechanism.coordinates, q, strict=True)),
            "a home in which, and near which, every equation and every speed has a value, and equations of position "
            "derivatives: no distance is zero that has a rate",
            "Give one with MechanismBuilder.home, or home in TOML; without it home is zero.",
        )

    def _finite(self, q: FloatArray) -> bool:
        rows, speeds = self.rows(q)
        return bool(np.isfinite(rows).all() and np.isfinite(speeds).all())

    def _close(self, q: FloatArray) -> tuple[FloatArray, float]:
        k = len(self.system.positions)
        if k == 0:
            return q, 0.0
        gap = np.inf
        for _ in range(60):
            found = self._in_units(q)
            gap = float(np.abs(found["phi"]).max())
            if not np.isfinite(gap) or gap <= 1e-15 or not np.isfinite(found["A"][:k]).all():
                break
            step = np.linalg.pinv(found["A"][:k], rcond=1e-9) @ found["phi"]
            q = q.copy()
            q[: self.n] -= step * min(1.0, 0.5 / max(float(np.abs(step).max()), 1e-300)) * self.columns
        gap = float(np.abs(self._in_units(q)["phi"]).max())
        return q, gap if np.isfinite(gap) else np.inf


def _unit_rows(a: FloatArray) -> FloatArray:
    lengths = np.linalg.norm(a, axis=1, keepdims=True)
    return np.where(lengths > 1e-12, a / np.where(lengths > 1e-12, lengths, 1.0), 0.0)


def _independent(rows: FloatArray, rank: int) -> list[int]:
    """The first rows that determine all others, the same ones in every state."""
    chosen: list[int] = []
    few = rows[:7]
    for i in range(rows.shape[1]):
        trial = [*chosen, i]
        smallest = min(np.linalg.svd(_unit_rows(a[trial]), compute_uv=False)[-1] for a in few)
        if smallest > 1e-6 and len(chosen) < rank:
            chosen = trial
    if len(chosen) < rank:
        raise ModelError(
            "constraints",
            f"{len(chosen)} of {counted(rank, 'equation')} stay independent in every configuration near home",
            "a home away from dead centres",
            "Choose another home configuration.",
        )
    return chosen


def _check_speeds(
    mechanism: Mechanism,
    system: Equations,
    rank: int,
    rows: FloatArray,
    speeds: FloatArray,
    numeric: NumericEquations,
) -> None:
    n = len(system.q)
    if rank == n and not mechanism.depends_on_time:
        raise ModelError(
            f"mechanism {mechanism.name!r}",
            f"its loops and constraints leave no freedom: {counted(n, 'coordinate')}, "
            + counted(rank, "independent equation"),
            "fewer equations than coordinates",
            "Remove a loop or a constraint, or add the joint that is missing. Equations that contain time may decide all of "
            "the motion.",
        )
    if len(system.speeds) != n - rank:
        at_home = numeric.rank_at_home()
        if at_home < rank and len(system.speeds) == n - at_home:
            raise ModelError(
                f"mechanism {mechanism.name!r}",
                f"its home is singular: {at_home} of {rank} equations are independent there, so that "
                f"{len(system.speeds)} speeds seem to be free where {n - rank} "
                f"{'is' if n - rank == 1 else 'are'}",
                "a home away from dead centres, such as a chain that is bent",
                "Choose another home: by pos, quat or euler of bodies in MJCF, by MechanismBuilder.home, or by home in "
                "TOML. A chain that only reaches its end when it is straight cannot move: mend its lengths or anchors.",
            )
        names = ", ".join(row.name for row in system.speeds)
        raise ModelError(
            f"mechanism {mechanism.name!r}",
            f"has {counted(n - rank, 'degree of freedom', 'degrees of freedom')} ({counted(n, 'coordinate')}, "
            f"{counted(rank, 'independent equation')}), "
            f"but {counted(len(system.speeds), 'generalized speed')}" + f": {names}" * bool(names),
            counted(n - rank, "speed"),
            "Choose as many generalized speeds as there are degrees of freedom.",
        )
    best = max(
        np.linalg.svd(_unit_rows(np.vstack([a, y])), compute_uv=False)[-1]
        for a, y in zip(rows, speeds, strict=True)
    )
    if best < 1e-6:
        raise ModelError(
            f"mechanism {mechanism.name!r}",
            f"its speeds {', '.join(row.name for row in system.speeds)} do not determine its motion",
            "independent speeds",
            "Choose the rates of joints that can be driven independently.",
        )


def _blocks(
    mechanism: Mechanism,
    system: Equations,
    independent: Sequence[int],
    rows: FloatArray,
    anywhere: FloatArray,
) -> tuple[tuple[Block, ...], tuple[int, ...]]:
    """Blocks of rows, and for each the columns to solve for: those of its own first, then those that are no speeds."""
    own = {
        mechanism.coordinates.index(s.joint) for s in mechanism.generalized_speeds if isinstance(s, JointRate)
    }
    rows = rows[:_COMPARED]
    left, wild = np.array(rows), np.array(anywhere)
    blocks: list[Block] = []
    used: set[int] = set()
    for group in _grouped([system.rows[i].group for i in independent]):
        later = [
            i for i in range(len(independent)) if i not in group and not any(i in b.rows for b in blocks)
        ]
        best: tuple[tuple[float, ...], tuple[int, ...]] | None = None
        active = [
            j for j in range(left.shape[2]) if j not in used and np.abs(left[:, group, j]).max() > 1e-12
        ]
        others = [i for i in range(len(independent)) if i not in group]
        shared = {j for j in active if others and np.abs(rows[:, others, j]).max() > 1e-12}
        norms = np.linalg.norm(left[:, group], axis=2).prod(axis=1)
        for columns in combinations(active, len(group)):
            square = left[:, group][:, :, columns]
            determinant = np.linalg.det(square)
            quality = float((np.abs(determinant) / norms).min())
            if quality < 1e-9:
                continue
            constant = float(np.ptp(square, axis=0).max()) < 1e-12
            score = (
                0.0 if quality > 1e-2 else 1.0 if quality > 1e-4 else 2.0,
                float(len(shared.intersection(columns))),
                float(len(own.intersection(columns))),
                0.0 if constant else 1.0,
                -round(quality, 6),
            )
            if best is None or score < best[0]:
                best = (score, columns)
        if best is None:
            raise ModelError(
                f"constraint {system.rows[independent[group[0]]].group!r}",
                "no choice of coordinates follows from it in every configuration near home",
                "equations that are independent away from dead centres",
                "Choose another home configuration or other generalized speeds.",
            )
        columns = best[1]
        blocks.append(Block(tuple(group), columns, _unit(np.linalg.det(wild[:, group][:, :, columns]))))
        used.update(columns)
        for a in (left, wild):
            factors = a[:, later][:, :, columns] @ np.linalg.pinv(a[:, group][:, :, columns])
            a[:, later] -= factors @ a[:, group]
    return tuple(blocks), tuple(j for j in range(left.shape[2]) if j not in used)


def _grouped(names: Sequence[str]) -> list[list[int]]:
    """Places of equal names, at most three together."""
    groups: dict[str, list[int]] = {}
    for i, name in enumerate(names):
        groups.setdefault(name, []).append(i)
    return [
        places[k : k + _LARGEST_BLOCK]
        for places in groups.values()
        for k in range(0, len(places), _LARGEST_BLOCK)
    ]


def _unit(determinant: FloatArray) -> int | None:
    if not determinant.size:
        return None
    for sign in (1, -1):
        if float(np.abs(determinant - sign).max()) < 1e-12:
            return sign
    return None


def _unit_of_speeds(rows: FloatArray, speeds: FloatArray, free: Sequence[int]) -> int | None:
    """The determinant of the speeds in terms of the free rates, where it is +1 or -1 in every state."""
    dependent = [j for j in range(rows.shape[2]) if j not in free]
    whole = speeds[:, :, free]
    if dependent:
        follow = -np.linalg.pinv(rows[:, :, dependent]) @ rows[:, :, free]
        whole = whole + speeds[:, :, dependent] @ follow
    return _unit(np.linalg.det(whole)) if len(free) else 1
