"""The kernels of a mechanism with ball joints, mimics, springs or friction: those of its tree, carried to q and v.

With x the coordinates of the tree's joints, dx/dt = T v for a constant matrix T (``JointCoordinates``),

    tau = T^T (tau_tree + resistance),    M = T^T M_tree T,    J = J_tree T.

Without mimics T has one entry in every row and column, and forward dynamics is that of the tree.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache, partial

from kanegen.codegen.derivation.choices import Choices
from kanegen.codegen.derivation.joint_motion.arguments import Arguments
from kanegen.codegen.derivation.joint_motion.setting import Basis, Setting, Vector
from kanegen.codegen.derivation.joint_motion.tree import keeps_parameters, tree_of_joints
from kanegen.codegen.derivation.linear_solve import blockings, elimination_orders, solve
from kanegen.codegen.derivation.placement import PlacedTree, place
from kanegen.codegen.derivation.regularity import require_regular_matrix
from kanegen.codegen.derivation.standard import Build
from kanegen.codegen.graph import Argument, Expression, Program
from kanegen.codegen.mechanism.folding import with_numbers
from kanegen.codegen.mechanism.records import Mechanism

Make = Callable[[Setting], Program]


def joint_kernels(
    mechanism: Mechanism, programs: Mapping[str, Build], frames: Mapping[str, Build], live: bool
) -> dict[str, Build]:
    """All kernels by name, from those of the tree (``tree_of_joints``) and of its frames."""
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
    for name, build in frames.items():
        make = frame_pose if name.startswith("frame_pose_") else frame_jacobian
        made[name] = partial(make, build=build)
    return carried(mechanism, programs, live, made)


def carried(
    mechanism: Mechanism, programs: Mapping[str, Build], live: bool, made: Mapping[str, Make]
) -> dict[str, Build]:
    """Kernels by name, each from a function of its setting; ``programs`` are kernels of the tree."""
    numbers = mechanism if live else with_numbers(mechanism)
    tree = tree_of_joints(mechanism, live)
    joints = {joint.name: joint for joint in numbers.joints}
    basis = Basis(
        numbers, tuple(joints[name] for name in tree.coordinates), Arguments(mechanism), programs, live
    )
    return {name: partial(_build, basis=basis, make=make) for name, make in made.items()}


def _build(tree: PlacedTree, mechanism: Mechanism, choices: Choices, basis: Basis, make: Make) -> Program:
    return make(Setting(basis, tree, mechanism, choices))


# -- dynamics ------------------------------------------------------------------------------------------------------------


def inverse_dynamics(s: Setting) -> Program:
    """tau for derivatives a of the speeds."""
    tau = s.forces(s.input("v", s.nv), s.input("a", s.nv))
    return s.program(
        "inverse_dynamics",
        "generalized forces that produce given accelerations",
        (s.arguments.q(), s.arguments.v(), s.arguments.a()),
        {s.arguments.tau(): tau},
        "forces on the tree's joints (recursive Newton-Euler), carried to the speeds",
    )


def bias_forces(s: Setting) -> Program:
    """h with tau = M a + h."""
    meaning = "generalized forces where the speeds do not change, tau = M a + h"
    return s.program(
        "bias_forces",
        "Coriolis, centrifugal and gravity forces, and those that overcome springs and friction",
        (s.arguments.q(), s.arguments.v()),
        {s.arguments.tau("h", meaning): _bias(s)},
        "forces on the tree's joints where the speeds do not change, carried to the speeds",
    )


def gravity_forces(s: Setting) -> Program:
    """g that holds the mechanism at rest, springs included."""
    return s.program(
        "gravity_forces",
        "generalized forces that hold the mechanism at rest",
        (s.arguments.q(),),
        {
            s.arguments.tau("g", "generalized forces at rest"): s.on_speeds(
                s.of_tree("gravity_forces")[0], None
            )
        },
        "forces on the tree's joints at rest, carried to the speeds",
    )


def mass_matrix(s: Setting) -> Program:
    """M = T^T M_tree T."""
    entries = [x for row in mass_matrix_entries(s) for x in row]
    return s.program(
        "mass_matrix",
        "mass matrix",
        (s.arguments.q(),),
        {s.arguments.square("M", "kg m^2, kg m, kg", "mass matrix"): entries},
        "composite inertias (Walker & Orin 1982), carried to the speeds",
    )


def forward_dynamics(s: Setting) -> Program:
    """a for generalized forces tau: by the tree's own forward dynamics, or with T^T M_tree T where joints follow others."""
    v, tau = s.input("v", s.nv), s.input("tau", s.nv)
    a = _by_elimination(s, v, tau) if s.mechanism.mimics else _by_the_tree(s, v, tau)
    return s.program(
        "forward_dynamics",
        "derivatives of the speeds that generalized forces produce",
        (s.arguments.q(), s.arguments.v(), s.arguments.tau()),
        {s.arguments.a(): a},
        "forward dynamics of the tree's joints, carried to the speeds",
    )


def _by_the_tree(s: Setting, v: Vector, tau: Vector) -> list[Expression]:
    driving = [t - r for t, r in zip(tau, s.resistance(v), strict=True)]
    found = s.of_tree("forward_dynamics", v, more={"tau": driving})[0]
    turning = s.coordinates.turning(v)
    return [x - turning[j] if j in turning else x for j, x in enumerate(found)]


@lru_cache(maxsize=8)
def _require_regular(basis: Basis, tree: Mechanism) -> None:
    """Raise ModelError where no inertia resists a speed, the joints that follow it included."""
    live = keeps_parameters(basis.mechanism, basis.live)
    s = Setting(basis, place(tree, Choices(), live), tree, Choices())
    tips_first = [s.coordinates.speed_of(body.coordinate) for body in reversed(s.tree.bodies)]
    require_regular_matrix(
        mass_matrix(s),
        basis.mechanism.rates,
        tuple(dict.fromkeys(tips_first)),
        basis.mechanism.parameters,
        s.nq,
    )


def _by_elimination(s: Setting, v: Vector, tau: Vector) -> list[Expression]:
    _require_regular(s.basis, s.tree_mechanism)
    matrix = mass_matrix_entries(s)
    right = [t - h for t, h in zip(tau, _bias(s, v), strict=True)]
    orders = elimination_orders(
        [[not x.is_zero for x in row] for row in matrix], [[x.is_number for x in row] for row in matrix]
    )
    order = orders[s.choices.pick("elimination order", len(orders))]
    ways = blockings(order, matrix)
    return solve(matrix, right, ways[s.choices.pick("pivots of elimination", len(ways))])


def _bias(s: Setting, v: Vector | None = None) -> list[Expression]:
    speeds = s.input("v", s.nv) if v is None else v
    if s.mechanism.balls:
        return s.forces(speeds)
    return s.on_speeds(s.of_tree("bias_forces", speeds)[0], speeds)


def mass_matrix_entries(s: Setting) -> list[list[Expression]]:
    """T^T M_tree T by rows."""
    flat, n = s.of_tree("mass_matrix")[0], len(s.basis.joints)
    half = [s.coordinates.on_speeds(flat[n * j : n * j + n]) for j in range(n)]
    columns = [s.coordinates.on_speeds([row[r] for row in half]) for r in range(s.nv)]
    return [[columns[max(r, c)][min(r, c)] for c in range(s.nv)] for r in range(s.nv)]


# -- energies, momentum, kinematics --------------------------------------------------------------------------------------


def kinetic_energy(s: Setting) -> Program:
    """T of the tree, and of what its joints' drives turn."""
    return s.program(
        "kinetic_energy",
        "kinetic energy",
        (s.arguments.q(), s.arguments.v()),
        {Argument("T", (), "J", "kinetic energy"): s.of_tree("kinetic_energy", s.input("v", s.nv))[0]},
        "sum over the bodies of (v . p + w . l) / 2",
    )


def potential_energy(s: Setting) -> Program:
    """U of gravity and springs."""
    energy = s.of_tree("potential_energy")[0][0]
    meaning = "potential energy, zero for mass at the base origin"
    if s.mechanism.springs:
        energy = energy + s.spring_energy()
        meaning += " and springs at rest"
    return s.program(
        "potential_energy",
        meaning,
        (s.arguments.q(),),
        {Argument("U", (), "J", meaning): [energy]},
        "weight of the composite first moment",
    )


def momentum(s: Setting) -> Program:
    """Momentum of the tree."""
    build = s.basis.programs["momentum"]
    program = build(s.tree, s.tree_mechanism, s.choices)
    return s.program(
        program.name,
        program.title,
        (s.arguments.q(), s.arguments.v()),
        {program.outputs[0]: s.of_tree(build, s.input("v", s.nv))[0]},
        program.source,
    )


def coordinate_rates(s: Setting) -> Program:
    """dq/dt = N(q) v."""
    return s.program(
        "coordinate_rates",
        "rates of the coordinates",
        (s.arguments.q(), s.arguments.v()),
        {s.arguments.qdot(): s.coordinates.coordinate_rates(s.input("v", s.nv))},
        "dq/dt = N(q) v; for a quaternion p, dp/dt = p (0, w) / 2",
    )


def frame_pose(s: Setting, build: Build) -> Program:
    """The tree's pose of a frame."""
    program = build(s.tree, s.tree_mechanism, s.choices)
    return s.program(
        program.name,
        program.title,
        (s.arguments.q(),),
        {program.outputs[0]: s.of_tree(build)[0]},
        program.source,
    )


def frame_jacobian(s: Setting, build: Build) -> Program:
    """J_tree T."""
    program = build(s.tree, s.tree_mechanism, s.choices)
    flat, n = s.of_tree(build)[0], len(s.basis.joints)
    entries = [x for m in range(6) for x in s.coordinates.on_speeds(flat[n * m : n * m + n])]
    meaning = (
        "velocity of the frame's origin, then its angular velocity, in the base frame, for each speed = 1"
    )
    jacobian = Argument("J", (6, s.nv), "m, 1", meaning)
    return s.program(program.name, program.title, (s.arguments.q(),), {jacobian: entries}, program.source)
