"""The kernels of a mechanism with ball joints, mimics, springs or friction: those of its tree, carried to q and v.

With x the coordinates of the tree's joints, dx/dt = T v for a constant matrix T (``JointCoordinates``),

    tau = T^T (tau_tree + resistance),    M = T^T M_tree T,    J = J_tree T.

Without mimics T has one entry in every row and column, and forward dynamics is that of the tree.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache, partial

from kanegen.codegen.derivation.choices import Choices
from kanegen.codegen.derivation.joint_motion.setting import Basis, Setting, Vector
from kanegen.codegen.derivation.joint_motion.tree import keeps_parameters, tree_of_joints
from kanegen.codegen.derivation.kernels.catalogue import (
    BIAS_FORCES,
    COORDINATE_RATES,
    FORWARD_DYNAMICS,
    FRAME_POSE,
    GRAVITY_FORCES,
    INVERSE_DYNAMICS,
    KINETIC_ENERGY,
    MASS_MATRIX,
    MOMENTUM,
    POTENTIAL_ENERGY,
)
from kanegen.codegen.derivation.kernels.contract import Arguments
from kanegen.codegen.derivation.linear_solve import blockings, elimination_orders, solve
from kanegen.codegen.derivation.placement import PlacedTree, place
from kanegen.codegen.derivation.regularity import require_regular_matrix
from kanegen.codegen.derivation.standard import Build, FrameBuild, FrameBuilds
from kanegen.codegen.graph import Expression, Program
from kanegen.codegen.mechanism.folding import with_numbers
from kanegen.codegen.mechanism.records import Mechanism

Make = Callable[[Setting], Program]


def joint_kernels(
    mechanism: Mechanism, programs: Mapping[str, Build], frames: FrameBuilds, live: bool
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
        made[name] = partial(frame_pose if build.contract is FRAME_POSE else frame_jacobian, build=build)
    return carried(mechanism, programs, live, made)


def carried(
    mechanism: Mechanism, programs: Mapping[str, Build], live: bool, made: Mapping[str, Make]
) -> dict[str, Build]:
    """Kernels by name, each from a function of its setting; ``programs`` are kernels of the tree."""
    numbers = mechanism if live else with_numbers(mechanism)
    tree = tree_of_joints(mechanism, live)
    joints = {joint.name: joint for joint in numbers.joints}
    basis = Basis(
        numbers, tuple(joints[name] for name in tree.coordinates), Arguments.of(mechanism), programs, live
    )
    return {name: partial(_build, basis=basis, make=make) for name, make in made.items()}


def _build(tree: PlacedTree, mechanism: Mechanism, choices: Choices, basis: Basis, make: Make) -> Program:
    return make(Setting(basis, tree, mechanism, choices))


# -- dynamics ------------------------------------------------------------------------------------------------------------


def inverse_dynamics(s: Setting) -> Program:
    """tau for derivatives a of the speeds."""
    tau = s.forces(s.input("v", s.nv), s.input("a", s.nv))
    return s.program(
        INVERSE_DYNAMICS, tau, "forces on the tree's joints (recursive Newton-Euler), carried to the speeds"
    )


def bias_forces(s: Setting) -> Program:
    """h with tau = M a + h."""
    source = "forces on the tree's joints where the speeds do not change, carried to the speeds"
    return s.program(BIAS_FORCES, _bias(s), source)


def gravity_forces(s: Setting) -> Program:
    """g that holds the mechanism at rest, springs included."""
    g = s.on_speeds(s.of_tree("gravity_forces")[0], None)
    return s.program(GRAVITY_FORCES, g, "forces on the tree's joints at rest, carried to the speeds")


def mass_matrix(s: Setting) -> Program:
    """M = T^T M_tree T."""
    source = "composite inertias (Walker & Orin 1982), carried to the speeds"
    return s.program(MASS_MATRIX, mass_matrix_entries(s), source)


def forward_dynamics(s: Setting) -> Program:
    """a for generalized forces tau: by the tree's own forward dynamics, or with T^T M_tree T where joints follow others."""
    v, tau = s.input("v", s.nv), s.input("tau", s.nv)
    a = _by_elimination(s, v, tau) if s.mechanism.mimics else _by_the_tree(s, v, tau)
    return s.program(FORWARD_DYNAMICS, a, "forward dynamics of the tree's joints, carried to the speeds")


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
    energy = s.of_tree("kinetic_energy", s.input("v", s.nv))[0]
    return s.program(KINETIC_ENERGY, energy, "sum over the bodies of (v . p + w . l) / 2")


def potential_energy(s: Setting) -> Program:
    """U of gravity and springs."""
    energy = s.of_tree("potential_energy")[0][0]
    if s.mechanism.springs:
        energy = energy + s.spring_energy()
    return s.program(POTENTIAL_ENERGY, energy, "weight of the composite first moment")


def momentum(s: Setting) -> Program:
    """Momentum of the tree."""
    momenta = s.of_tree("momentum", s.input("v", s.nv))[0]
    return s.program(MOMENTUM, momenta, "momenta carried from the tips to the base")


def coordinate_rates(s: Setting) -> Program:
    """dq/dt = N(q) v."""
    qdot = s.coordinates.coordinate_rates(s.input("v", s.nv))
    return s.program(COORDINATE_RATES, qdot, "dq/dt = N(q) v; for a quaternion p, dp/dt = p (0, w) / 2")


def frame_pose(s: Setting, build: FrameBuild) -> Program:
    """The tree's pose of a frame."""
    return s.of_frame(build, s.of_tree(build)[0], "chain of joint rotations")


def frame_jacobian(s: Setting, build: FrameBuild) -> Program:
    """J_tree T."""
    flat, n = s.of_tree(build)[0], len(s.basis.joints)
    entries = [s.coordinates.on_speeds(flat[n * m : n * m + n]) for m in range(6)]
    return s.of_frame(build, entries, "joint axes crossed with lever arms")
