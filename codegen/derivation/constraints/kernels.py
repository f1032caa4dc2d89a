"""The kernels of a constrained mechanism: those of its tree, carried to the generalized speeds.

The tree's own programs (inverse dynamics, mass matrix, energies, poses) come from any formulation for trees; their inputs
are replaced by the motion that the speeds allow, and their forces are projected on the speeds.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial

from kanegen.codegen.derivation.choices import Choices
from kanegen.codegen.derivation.constraints.arguments import Arguments, described
from kanegen.codegen.derivation.constraints.elastic import Elastic
from kanegen.codegen.derivation.constraints.elimination import gram, solve_positive
from kanegen.codegen.derivation.constraints.equations import equations
from kanegen.codegen.derivation.constraints.motion import ConstrainedMotion
from kanegen.codegen.derivation.constraints.plan import Plan, make_plan, perturbed
from kanegen.codegen.derivation.constraints.regularity import require_resisted
from kanegen.codegen.derivation.constraints.spanning_tree import (
    spanning_tree,
    tree_accelerations,
    tree_positions,
    tree_rates,
)
from kanegen.codegen.derivation.placement import PlacedTree
from kanegen.codegen.derivation.regularity import require_regular
from kanegen.codegen.derivation.standard import DYNAMICS, Build
from kanegen.codegen.graph import Argument, Expression, Graph, Program, compose, constant, inputs, total
from kanegen.codegen.graph import partial as differentiated
from kanegen.codegen.mechanism.constraints import PositionConstraint, RollingContact
from kanegen.codegen.mechanism.errors import ModelError
from kanegen.codegen.mechanism.folding import with_numbers
from kanegen.codegen.mechanism.records import Mechanism
from kanegen.codegen.mechanism.reduction import without_fixed_joints
from kanegen.codegen.mechanism.values import Lift

Vector = Sequence[Expression]
Projected = Callable[
    [Mechanism, Graph, Vector, Vector, Vector, Sequence[Vector]],
    list[Expression],
]
"""Tree, graph, q, dq/dt, d2q/dt2 and N -> generalized forces on the speeds."""


class Setting:
    """One kernel in the making: its graph, the motion of the mechanism, and the programs of the tree."""

    def __init__(
        self,
        formulation: ConstrainedFormulation,
        tree: PlacedTree | None,
        tree_mechanism: Mechanism,
        choices: Choices,
    ) -> None:
        self.mechanism, self.arguments = formulation.mechanism, formulation.arguments
        self.formulation, self.tree, self.tree_mechanism, self.choices = (
            formulation,
            tree,
            tree_mechanism,
            choices,
        )
        self.graph = Graph()
        self.zero = constant(self.graph, 0)
        self.nq, self.nv = self.arguments.nq, self.arguments.nv
        self.q = inputs(self.graph, "q", self.nq)
        self.lift = Lift(self.graph, formulation.mechanism.parameters, live=formulation.live)
        self.motion = ConstrainedMotion(self.mechanism, self.q, self.lift, formulation.plan)
        self.elastic = Elastic(self.mechanism, self.q, self.lift)
        self.labels: dict[int, str] = {}

    def input(self, name: str, count: int) -> tuple[Expression, ...]:
        """Entries of an input."""
        return inputs(self.graph, name, count)

    def of_tree(
        self, build: Build, qdot: Vector | None = None, qddot: Vector | None = None, moving: bool = True
    ) -> list[list[Expression]]:
        """Outputs of a program of the tree in a motion; prescribed joints stand still where ``moving`` is False."""
        rest = [self.zero] * self.nq
        rates = tree_rates(self.mechanism, self.lift, rest if qdot is None else qdot)
        if not moving:
            rates = [self.zero] * len(rates)
        arguments = {
            "q": tree_positions(self.mechanism, self.graph, self.q),
            "v": rates,
            "a": tree_accelerations(self.mechanism, self.graph, rest if qddot is None else qddot),
        }
        return compose(self.tree_program(build), self.graph, arguments, self.labels)

    def tree_program(self, build: Build) -> Program:
        """A program of the tree, with inputs of its own."""
        assert self.tree is not None, "only what needs no tree is built without one"
        return build(self.tree, self.tree_mechanism, self.choices)

    def forces(
        self, qdot: Vector | None = None, qddot: Vector | None = None, moving: bool = True
    ) -> list[Expression]:
        """Generalized forces on the joints of the tree, springs and dampers overcome."""
        found = self.of_tree(self.formulation.programs["inverse_dynamics"], qdot, qddot, moving)[0]
        springs = self.elastic.forces(qdot)
        return [x + s for x, s in zip(found, springs, strict=False)] + found[self.nq :]

    def on_speeds(self, qdot: Vector, qddot: Vector) -> list[Expression]:
        """Generalized forces on the speeds in a motion."""
        if self.formulation.projected is None:
            return self.motion.on_speeds(self.forces(qdot, qddot)[: self.nq])
        reduced = without_fixed_joints(self.tree_mechanism)
        found = self.formulation.projected(
            reduced if self.formulation.live else with_numbers(reduced),
            self.graph,
            tree_positions(self.mechanism, self.graph, self.q),
            tree_rates(self.mechanism, self.lift, qdot),
            tree_accelerations(self.mechanism, self.graph, qddot),
            [*self.motion.N, *[[self.zero] * self.nv] * len(self.mechanism.prescribed)],
        )
        springs = self.motion.on_speeds(self.elastic.forces(qdot))
        return [x + y for x, y in zip(found, springs, strict=True)]

    def tree_inertia(self) -> list[list[Expression]]:
        """Mass matrix of the tree on the coordinates."""
        n = len(self.tree_mechanism.coordinates)
        flat = self.of_tree(self.formulation.programs["mass_matrix"])[0]
        return [flat[n * i : n * i + self.nq] for i in range(self.nq)]

    def free_inertia(self) -> list[list[Expression]]:
        """Mass matrix on the plan's free rates: P^T M P."""
        return congruence(self.graph, self.tree_inertia(), self.motion.P)

    def program(
        self,
        name: str,
        title: str,
        inputs_: tuple[Argument, ...],
        outputs: Mapping[Argument, Vector],
        source: str = "tree forces on nonholonomic partial velocities (Kane)",
    ) -> Program:
        """The program with these results."""
        return Program(
            name=name,
            title=title,
            source=source,
            inputs=inputs_,
            outputs=tuple(outputs),
            graph=self.graph,
            results=tuple(tuple(x.ref for x in values) for values in outputs.values()),
            labels=self.labels,
        )


Make = Callable[[Setting], Program]


class ConstrainedFormulation:
    """Builds the kernels of one mechanism.

    ``programs`` are inverse_dynamics and mass_matrix of the tree.  ``projected`` gives forces on the speeds directly, from
    the tree's motion and N, where a formulation forms nonholonomic partial velocities itself.  ``power`` adds the kernels
    effective_inertia and inertia_power.
    """

    def __init__(
        self,
        mechanism: Mechanism,
        programs: Mapping[str, Build],
        frames: Mapping[str, Build],
        live: bool,
        projected: Projected | None = None,
        power: bool = False,
    ) -> None:
        self.projected, self.power = projected, power
        self.mechanism = mechanism if live else with_numbers(mechanism)
        self.programs, self.frames, self.live = programs, frames, live
        self.plan: Plan = make_plan(mechanism)
        if live and self.plan.redundant:
            _require_same_rank(mechanism, self.plan)
        self.arguments = Arguments(mechanism)
        self.ties = bool(self.plan.independent or self.plan.redundant)
        self.holonomic = bool(mechanism.loops) or any(
            isinstance(c, PositionConstraint) or (isinstance(c, RollingContact) and c.contact is None)
            for c in mechanism.constraints
        )
        self.augmented = not _regular(spanning_tree(mechanism))

    def kernels(self) -> dict[str, Build]:
        """All kernels by name."""
        made: dict[str, Make] = {
            "inverse_dynamics": inverse_dynamics,
            "forward_dynamics": forward_dynamics,
            "mass_matrix": mass_matrix,
            "bias_forces": bias_forces,
            "gravity_forces": gravity_forces,
            "kinetic_energy": kinetic_energy,
            "potential_energy": potential_energy,
            "momentum": momentum,
            "coordinate_rates": coordinate_rates,
        }
        if self.power:
            made["effective_inertia"] = effective_inertia
            made["inertia_power"] = inertia_power
        if self.holonomic:
            made["constraint_residual"] = constraint_residual
        if self.ties:
            made["constraint_jacobian"] = constraint_jacobian
        probe = Setting(self, None, self.mechanism, Choices())
        if probe.motion.elimination.margins or probe.motion.speeds.margins:
            made["dead_centre_margin"] = dead_centre_margin
        if self.ties or self.mechanism.prescribed:
            made["constraint_forces"] = constraint_forces
        if self.ties:
            made["generalized_speeds"] = generalized_speeds
            made["multiplier_dynamics"] = multiplier_dynamics
            made["constraint_projection"] = constraint_projection
        for name, build in self.frames.items():
            make = frame_pose if name.startswith("frame_pose_") else frame_jacobian
            made[name] = partial(make, build=build)
        return {name: partial(self._build, make=make) for name, make in made.items()}

    def _build(self, tree: PlacedTree, mechanism: Mechanism, choices: Choices, make: Make) -> Program:
        return make(Setting(self, tree, mechanism, choices))


def _require_same_rank(mechanism: Mechanism, plan: Plan) -> None:
    """Raise ModelError where equations repeat others only at the default numbers of live parameters."""
    try:
        same = make_plan(perturbed(mechanism)).redundant == plan.redundant
    except ModelError:
        same = False
    if not same:
        raise ModelError(
            f"mechanism {mechanism.name!r}",
            "has equations that repeat others only at the default numbers of its parameters",
            "as many independent equations whatever the live parameters are",
            "Generate it without live parameters, or use a joint that leaves free what the repeated equations hold.",
        )


def _regular(tree: Mechanism) -> bool:
    """Whether inertia resists every joint of a tree."""
    try:
        require_regular(tree)
    except ModelError:
        return False
    return True


def inverse_dynamics(s: Setting) -> Program:
    """tau for derivatives a of the speeds."""
    v, a = s.input("v", s.nv), s.input("a", s.nv)
    qdot = s.motion.rates(v)
    tau = s.on_speeds(qdot, s.motion.accelerations(qdot, a))
    return s.program(
        "inverse_dynamics",
        "generalized forces that produce given derivatives of the speeds",
        (s.arguments.q(), s.arguments.v(), s.arguments.a()),
        {s.arguments.tau(): tau},
    )


def bias_forces(s: Setting) -> Program:
    """h with tau = M a + h."""
    qdot = s.motion.rates(s.input("v", s.nv))
    found = s.on_speeds(qdot, s.motion.accelerations(qdot, [s.zero] * s.nv))
    h = s.arguments.tau("h", "generalized forces where the speeds do not change, tau = M a + h; on v =")
    return s.program(
        "bias_forces",
        "Coriolis, centrifugal and gravity forces",
        (s.arguments.q(), s.arguments.v()),
        {h: found},
    )


def effective_inertia(s: Setting) -> Program:
    """I* of Freeman & Tesar (1988, eq 15), transferred to the speeds: the mass matrix on them."""
    found = mass_matrix(s)
    inertia = Argument("I", (s.nv, s.nv), "kg m^2, kg m, kg", "effective inertia on the speeds")
    return replace(found, name="effective_inertia", title="effective inertia", outputs=(inertia,))


def inertia_power(s: Setting) -> Program:
    """P* of Freeman & Tesar (1988, eq 16), transferred to the speeds: half the second derivatives of the bias forces."""
    v = s.input("v", s.nv)
    qdot = s.motion.rates(v)
    bias = s.on_speeds(qdot, s.motion.accelerations(qdot, [s.zero] * s.nv))
    slopes = [differentiated(s.graph, x) for x in v]
    entries = [
        slopes[max(m, k)].first(slopes[min(m, k)].first(h)) * Fraction(1, 2)
        for h in bias
        for m in range(s.nv)
        for k in range(s.nv)
    ]
    power = Argument(
        "P",
        (s.nv, s.nv, s.nv),
        "kg m^2, kg m, kg",
        "inertia power: forces v^T P[n] v, symmetric in the last two",
    )
    return s.program("inertia_power", "inertia power array", (s.arguments.q(),), {power: entries})


def gravity_forces(s: Setting) -> Program:
    """g that holds the mechanism at rest."""
    forces = s.forces(moving=False)
    g = s.arguments.tau("g", "generalized forces at rest, on v =")
    return s.program(
        "gravity_forces",
        "generalized forces that hold the mechanism at rest",
        (s.arguments.q(),),
        {g: s.motion.on_speeds(forces[: s.nq])},
    )


def mass_matrix(s: Setting) -> Program:
    """M on the speeds: J^-T (P^T M_tree P) J^-1."""
    inertia = s.free_inertia()
    half = [s.motion.speeds.solve_transposed(row) for row in inertia]
    columns = [s.motion.speeds.solve_transposed([row[r] for row in half]) for r in range(s.nv)]
    entries = [columns[max(r, c)][min(r, c)] for r in range(s.nv) for c in range(s.nv)]
    m = Argument(
        "M", (s.nv, s.nv), "kg m^2, kg m, kg", "mass matrix, rows and columns in the order of the speeds"
    )
    return s.program("mass_matrix", "mass matrix on the generalized speeds", (s.arguments.q(),), {m: entries})


def forward_dynamics(s: Setting) -> Program:
    """a from tau: the free accelerations from P^T M P, then the derivatives of the speeds."""
    v, tau = s.input("v", s.nv), s.input("tau", s.nv)
    qdot = s.motion.rates(v)
    still, bias = s.motion.bias_acceleration(qdot)
    reduced = s.motion.elimination.reduce(s.forces(qdot, still)[: s.nq])
    J = s.motion.J
    right = [total(s.graph, [*(J[r][c] * tau[r] for r in range(s.nv)), -reduced[c]]) for c in range(s.nv)]
    inertia = s.free_inertia()
    require_resisted(s.mechanism, s.graph, inertia, s.formulation.plan)
    w = solve_positive(inertia, right)
    a = [total(s.graph, [*(J[r][c] * w[c] for c in range(s.nv)), bias[r]]) for r in range(s.nv)]
    return s.program(
        "forward_dynamics",
        "derivatives of the speeds that generalized forces produce",
        (s.arguments.q(), s.arguments.v(), s.arguments.tau()),
        {s.arguments.a(): a},
    )


def kinetic_energy(s: Setting) -> Program:
    """T."""
    found = s.of_tree(DYNAMICS["kinetic_energy"], s.motion.rates(s.input("v", s.nv)))
    return s.program(
        "kinetic_energy",
        "kinetic energy",
        (s.arguments.q(), s.arguments.v()),
        {Argument("T", (), "J", "kinetic energy"): found[0]},
    )


def potential_energy(s: Setting) -> Program:
    """U of gravity and springs."""
    found = s.of_tree(DYNAMICS["potential_energy"])[0][0] + s.elastic.energy()
    u = Argument(
        "U", (), "J", "potential energy of gravity, zero for mass at the base origin, and of springs"
    )
    return s.program("potential_energy", "potential energy", (s.arguments.q(),), {u: [found]})


def momentum(s: Setting) -> Program:
    """Linear momentum, then angular momentum about the base origin."""
    found = s.of_tree(DYNAMICS["momentum"], s.motion.rates(s.input("v", s.nv)))
    p = Argument(
        "momentum",
        (6,),
        "kg m/s, kg m^2/s",
        "linear momentum, then angular momentum about the base origin, in the base frame",
    )
    return s.program(
        "momentum", "linear and angular momentum", (s.arguments.q(), s.arguments.v()), {p: found[0]}
    )


def coordinate_rates(s: Setting) -> Program:
    """dq/dt = N v."""
    qdot = s.arguments.q("qdot", "rates of the coordinates", "/s")
    return s.program(
        "coordinate_rates",
        "rates of the coordinates from the generalized speeds",
        (s.arguments.q(), s.arguments.v()),
        {qdot: s.motion.rates(s.input("v", s.nv))},
        "equations of velocity, eliminated block by block",
    )


def constraint_residual(s: Setting) -> Program:
    """phi(q) of all equations of position."""
    positions = s.motion.system.positions
    names = ", ".join(p.name for p in positions)
    phi = Argument("phi", (len(positions),), "m, 1", f"equations of position, zero where they hold: {names}")
    return s.program(
        "constraint_residual",
        "how far the equations of position are from holding",
        (s.arguments.q(),),
        {phi: [p.value for p in positions]},
        "poses along the chains of joints",
    )


def constraint_jacobian(s: Setting) -> Program:
    """A(q) of all equations of velocity."""
    rows = s.motion.system.rows
    a = Argument(
        "A", (len(rows), s.nq), "m, 1", f"coefficients of dq/dt, one row each: {described(s.motion.system)}"
    )
    return s.program(
        "constraint_jacobian",
        "equations of velocity: derivatives of those of position, then the nonholonomic ones",
        (s.arguments.q(),),
        {a: [c for row in rows for c in row.coefficients]},
        "derivatives of the equations",
    )


def constraint_forces(s: Setting) -> Program:
    """Multipliers of the equations, and forces of the prescribed joints."""
    v, a = s.input("v", s.nv), s.input("a", s.nv)
    qdot = s.motion.rates(v)
    forces = s.forces(qdot, s.motion.accelerations(qdot, a))
    tau = s.motion.on_speeds(forces[: s.nq])
    multipliers = s.motion.multipliers(forces[: s.nq], tau)
    held = [x + y for x, y in zip(forces[s.nq :], across_prescribed(s, qdot, multipliers), strict=True)]
    found = [*multipliers, *held]
    names = described(s.motion.system, [p.joint for p in s.mechanism.prescribed])
    force = Argument(
        "lambda", (len(found),), "N, N m", f"constraint forces, on each equation as it is written: {names}"
    )
    return s.program(
        "constraint_forces",
        "multipliers of the equations (zero for redundant ones) and forces of prescribed joints",
        (s.arguments.q(), s.arguments.v(), s.arguments.a()),
        {force: found},
    )


def across_prescribed(s: Setting, qdot: Vector, multipliers: Vector) -> list[Expression]:
    """What springs and constraints that reach across prescribed joints add to the forces that these must supply."""
    if not s.mechanism.prescribed:
        return []
    free = replace(
        s.mechanism, coordinates=s.tree_mechanism.coordinates, prescribed=(), speeds=(), actuators=(), home=()
    )
    n = len(free.coordinates)
    graph = Graph()
    q, v = inputs(graph, "q", n), inputs(graph, "v", n)
    lift = Lift(graph, s.mechanism.parameters, live=s.formulation.live)
    rows = equations(free, q, lift).rows
    springs = Elastic(free, q, lift).forces(v)
    results = [springs[s.nq :], *([row.coefficients[j] for row in rows] for j in range(s.nq, n))]
    outputs = tuple(Argument(f"r{k}", (len(r),), "", "") for k, r in enumerate(results))
    program = Program(
        name="across",
        title="",
        source="",
        inputs=(Argument("q", (n,), "", ""), Argument("v", (n,), "", "")),
        outputs=outputs,
        graph=graph,
        results=tuple(tuple(x.ref for x in r) for r in results),
    )
    arguments = {
        "q": tree_positions(s.mechanism, s.graph, s.q),
        "v": tree_rates(s.mechanism, s.lift, qdot),
    }
    pulls, *columns = compose(program, s.graph, arguments)
    return [
        total(s.graph, [pull, *(-a * x for a, x in zip(column, multipliers, strict=True))])
        for pull, column in zip(pulls, columns, strict=True)
    ]


def dead_centre_margin(s: Setting) -> Program:
    """How far the speeds are from not determining the motion: 0 at a dead centre, at most 1."""
    margins = [*s.motion.elimination.margins, *s.motion.speeds.margins]
    margin = Argument(
        "margin",
        (len(margins),),
        "1",
        "squares of sines that vanish at dead centres and in singular configurations, for each block of equations",
    )
    return s.program(
        "dead_centre_margin",
        "distance from dead centres of the speeds",
        (s.arguments.q(),),
        {margin: margins},
        "determinants over the lengths of rows",
    )


def generalized_speeds(s: Setting) -> Program:
    """v from dq/dt."""
    qdot = s.input("qdot", s.nq)
    return s.program(
        "generalized_speeds",
        "generalized speeds of a motion",
        (s.arguments.q(), s.arguments.q("qdot", "rates of the coordinates", "/s")),
        {s.arguments.v(): s.motion.generalized_speeds(qdot)},
        "definition of the speeds",
    )


def multiplier_dynamics(s: Setting) -> Program:
    """d2q/dt2 and lambda: M q'' + h = Y^T tau + A^T lambda with A q'' = gamma, regular at dead centres of the speeds.

    M + A^T A replaces M on both sides, which changes neither result and stays regular where the tree alone is not.
    """
    qdot, tau = s.input("qdot", s.nq), s.input("tau", s.nv)
    rows = [row.coefficients for row in s.motion.rows]
    gamma = s.motion.required(qdot)
    bias = s.forces(qdot)[: s.nq]
    driven = s.motion.on_coordinates(tau)
    inertia = s.tree_inertia()
    right = [d - b for d, b in zip(driven, bias, strict=True)]
    if s.formulation.augmented:
        inertia = [
            [total(s.graph, [inertia[i][j], *(r[i] * r[j] for r in rows)]) for j in range(s.nq)]
            for i in range(s.nq)
        ]
        right = [
            total(s.graph, [right[i], *(r[i] * g for r, g in zip(rows, gamma, strict=True))])
            for i in range(s.nq)
        ]
    unloaded = solve_positive(inertia, right)
    per_row = [solve_positive(inertia, list(row)) for row in rows]
    effective = [
        [total(s.graph, [x * y for x, y in zip(row, column, strict=True)]) for column in per_row]
        for row in rows
    ]
    effective = [[effective[max(i, j)][min(i, j)] for j in range(len(rows))] for i in range(len(rows))]
    missing = [
        total(s.graph, [g, *(-x * y for x, y in zip(row, unloaded, strict=True))])
        for row, g in zip(rows, gamma, strict=True)
    ]
    force = solve_positive(effective, missing)
    qddot = [
        total(s.graph, [unloaded[j], *(f * column[j] for f, column in zip(force, per_row, strict=True))])
        for j in range(s.nq)
    ]
    multipliers = s.motion.spread(force)
    return s.program(
        "multiplier_dynamics",
        "accelerations of the coordinates and multipliers, for rates that satisfy the equations",
        (s.arguments.q(), s.arguments.q("qdot", "rates of the coordinates", "/s"), s.arguments.tau()),
        {
            s.arguments.q("qddot", "accelerations of the coordinates", "/s^2"): qddot,
            Argument(
                "lambda", (len(multipliers),), "N, N m", f"multipliers: {described(s.motion.system)}"
            ): multipliers,
        },
        "Lagrange multipliers eliminated through A M^-1 A^T",
    )


def constraint_projection(s: Setting) -> Program:
    """One Gauss-Newton step: q <- q - A+ phi with the equations of position, qdot <- qdot - A+ (A qdot + rest)."""
    qdot = s.input("qdot", s.nq)
    k = len(s.motion.system.positions)
    rows = s.motion.rows
    holonomic = [
        (s.motion.system.positions[i].value, row)
        for i, row in zip(s.motion.plan.independent, rows, strict=True)
        if i < k
    ]
    q = _least_change(s, s.q, [value for value, _ in holonomic], [row.coefficients for _, row in holonomic])
    slip = [
        total(s.graph, [*(c * r for c, r in zip(row.coefficients, qdot, strict=True)), row.rest])
        for row in rows
    ]
    rates = _least_change(s, qdot, slip, [row.coefficients for row in rows])
    return s.program(
        "constraint_projection",
        "one step of the state towards the equations of position and velocity, of least change",
        (s.arguments.q(), s.arguments.q("qdot", "rates of the coordinates", "/s")),
        {
            s.arguments.q("q_next", "joint coordinates after the step"): q,
            s.arguments.q("qdot_next", "rates after the step", "/s"): rates,
        },
        "Gauss-Newton with A^T (A A^T)^-1",
    )


def _least_change(s: Setting, x: Vector, error: Vector, rows: Sequence[Vector]) -> list[Expression]:
    share = solve_positive(gram(s.graph, rows), error)
    return [
        total(s.graph, [x[j], *(-row[j] * y for row, y in zip(rows, share, strict=True))])
        for j in range(s.nq)
    ]


def frame_pose(s: Setting, build: Build) -> Program:
    """The tree's pose of a frame."""
    program = s.tree_program(build)
    return s.program(
        program.name,
        program.title,
        (s.arguments.q(),),
        {program.outputs[0]: s.of_tree(build)[0]},
        program.source,
    )


def frame_jacobian(s: Setting, build: Build) -> Program:
    """The tree's Jacobian of a frame on the speeds: J_tree N."""
    program = s.tree_program(build)
    n = len(s.tree_mechanism.coordinates)
    flat = s.of_tree(build)[0]
    entries: list[Expression] = []
    for m in range(6):
        entries += s.motion.on_speeds(flat[n * m : n * m + s.nq])
    jacobian = Argument(
        "J",
        (6, s.nv),
        "m, 1",
        "velocity of the frame's origin, then its angular velocity, in the base frame, for each generalized speed = 1",
    )
    return s.program(program.name, program.title, (s.arguments.q(),), {jacobian: entries}, program.source)


def congruence(graph: Graph, m: Sequence[Vector], columns: Sequence[Vector]) -> list[list[Expression]]:
    """P^T M P for the columns of P; symmetric."""
    turned = [
        [total(graph, [x * y for x, y in zip(row, column, strict=True) if not y.is_zero]) for row in m]
        for column in columns
    ]
    n = len(columns)
    found = [[constant(graph, 0)] * n for _ in range(n)]
    for i in range(n):
        for j in range(i, n):
            terms = [x * y for x, y in zip(columns[i], turned[j], strict=True) if not x.is_zero]
            found[i][j] = found[j][i] = total(graph, terms)
    return found
