"""The kernels of a mechanism with flexible links."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from kanegen.codegen.derivation.centroidal import CENTER
from kanegen.codegen.derivation.choices import Choices
from kanegen.codegen.derivation.control_law import CLOSED_LOOP, TIME, law_forces
from kanegen.codegen.derivation.flexible_links.algebra import is_zero, product, stretched, total
from kanegen.codegen.derivation.flexible_links.book import BookArm
from kanegen.codegen.derivation.flexible_links.energy import elastic_energy, first_moment, kinetic_energy
from kanegen.codegen.derivation.flexible_links.loads import Loads
from kanegen.codegen.derivation.flexible_links.poses import Poses
from kanegen.codegen.derivation.flexible_links.setting import Basis, Setting, basis_of
from kanegen.codegen.derivation.frame_rates import wrench_argument
from kanegen.codegen.derivation.inverse_mass_matrix import inverse_output
from kanegen.codegen.derivation.linear_inverse import inverse
from kanegen.codegen.derivation.linear_solve import solve
from kanegen.codegen.derivation.placement import PlacedTree
from kanegen.codegen.derivation.standard import Build
from kanegen.codegen.graph import Argument, Expression, Program
from kanegen.codegen.mechanism.control_law import ControlLaw
from kanegen.codegen.mechanism.records import Mechanism

Make = Callable[[Setting], Program]

SOURCE = "kinematics of Book (1983), virtual work of affine segments, composite moments"


def flexible_kernels(mechanism: Mechanism, live: bool, identifiers: Mapping[str, str]) -> dict[str, Build]:
    """Kernels by name; ``identifiers`` are the frames' names in C."""
    made: dict[str, Make] = {
        "inverse_dynamics": inverse_dynamics,
        "forward_dynamics": forward_dynamics,
        "mass_matrix": mass_matrix,
        "bias_forces": bias_forces,
        "gravity_forces": gravity_forces,
        "equations_of_motion": equations_of_motion,
        "prescribed_motion_forces": prescribed_motion_forces,
        "kinetic_energy": kinetic,
        "potential_energy": potential,
        "elastic_energy": elastic,
        "momentum": momentum,
        "coordinate_rates": coordinate_rates,
    }
    for frame, identifier in identifiers.items():
        for what, make in (("frame_pose", frame_pose), ("frame_jacobian", frame_jacobian)):
            made[f"{what}_{identifier}"] = partial(make, frame=frame, kernel=f"{what}_{identifier}")
    return _built(mechanism, live, made)


def optional_flexible_kernels(
    mechanism: Mechanism, live: bool, identifiers: Mapping[str, str]
) -> dict[str, Build]:
    """Kernels that are generated only when asked for, but for derivatives."""
    made: dict[str, Make] = {"inverse_mass_matrix": inverse_mass_matrix, "center_of_mass": center_of_mass}
    for frame, identifier in identifiers.items():
        kernel = f"frame_forces_{identifier}"
        made[kernel] = partial(frame_forces, frame=frame, kernel=kernel)
    return _built(mechanism, live, made)


def book_kernels(mechanism: Mechanism, live: bool, truncated: bool) -> dict[str, Build]:
    """Kernels from Book's own equations; ``truncated`` leaves out what he leaves out."""
    book = partial(_of_book, truncated=truncated)
    made: dict[str, Make] = {
        "inverse_dynamics": partial(inverse_dynamics, of=book),
        "forward_dynamics": partial(forward_dynamics, of=book),
        "mass_matrix": partial(mass_matrix, of=book),
        "bias_forces": partial(bias_forces, of=book),
        "gravity_forces": partial(gravity_forces, of=book),
        "equations_of_motion": partial(equations_of_motion, of=book),
    }
    return _built(mechanism, live, made)


def flexible_law_kernels(mechanism: Mechanism, live: bool) -> dict[str, Build]:
    """The control laws of a mechanism, alone and closed over the dynamics."""
    made: dict[str, Make] = {law.name: partial(control_law, law=law) for law in mechanism.laws}
    made |= {CLOSED_LOOP + law.name: partial(closed_loop, law=law) for law in mechanism.laws}
    return _built(mechanism, live, made)


def _built(mechanism: Mechanism, live: bool, made: Mapping[str, Make]) -> dict[str, Build]:
    basis = basis_of(mechanism, live)
    return {name: partial(_build, basis=basis, make=make) for name, make in made.items()}


def _build(tree: PlacedTree, mechanism: Mechanism, choices: Choices, basis: Basis, make: Make) -> Program:
    """``tree`` is that of the rigid arm, which has no part in it."""
    del tree, mechanism
    return make(Setting(basis, choices))


# -- where M and h come from ---------------------------------------------------------------------------------------------


class Equations:
    """M, and h with tau = M a + h, of a setting."""

    source = SOURCE

    def __init__(self, s: Setting) -> None:
        self.s = s

    def matrix(self) -> list[list[Any]]:
        """Rows of M."""
        return self.s.mass_matrix()

    def bias(self, v: Sequence[Expression] | None) -> list[Any]:
        """h; ``v`` None stands for rest."""
        return self.s.forces(v)

    def forces(self, v: Sequence[Expression], a: Sequence[Expression]) -> list[Any]:
        """M a + h."""
        return self.s.forces(v, a)


def _of_book(s: Setting, truncated: bool) -> BookArm:
    return BookArm(s, truncated)


Of = Callable[[Setting], Equations | BookArm]


# -- dynamics ------------------------------------------------------------------------------------------------------------


def inverse_dynamics(s: Setting, of: Of = Equations) -> Program:
    """tau for accelerations a."""
    equations = of(s)
    return s.program(
        "inverse_dynamics",
        "generalized forces that produce given accelerations of joints and modes",
        (s.arguments.q(), s.arguments.v(), s.arguments.a()),
        {s.arguments.tau(): equations.forces(s.input("v"), s.input("a"))},
        equations.source,
    )


def bias_forces(s: Setting, of: Of = Equations) -> Program:
    """h with tau = M a + h."""
    equations = of(s)
    return s.program(
        "bias_forces",
        "Coriolis, centrifugal and gravity forces, and those of stiffness, damping and springs",
        (s.arguments.q(), s.arguments.v()),
        {
            s.arguments.tau(
                "h", "generalized forces where rates do not change, tau = M a + h"
            ): equations.bias(s.input("v"))
        },
        equations.source,
    )


def gravity_forces(s: Setting, of: Of = Equations) -> Program:
    """g that holds the mechanism at rest."""
    equations = of(s)
    return s.program(
        "gravity_forces",
        "generalized forces that hold the mechanism at rest, stiffness included",
        (s.arguments.q(),),
        {s.arguments.tau("g", "generalized forces at rest"): equations.bias(None)},
        equations.source,
    )


def mass_matrix(s: Setting, of: Of = Equations) -> Program:
    """M."""
    equations = of(s)
    return s.program(
        "mass_matrix",
        "mass matrix",
        (s.arguments.q(),),
        {_matrix(s): [x for row in equations.matrix() for x in row]},
        equations.source,
    )


def _matrix(s: Setting) -> Argument:
    return s.arguments.square("M", "kg m^2, kg m, kg", "mass matrix")


def equations_of_motion(s: Setting, of: Of = Equations) -> Program:
    """M and R with M a = R (Book 1983, eq. 82)."""
    equations, tau = of(s), s.input("tau")
    right = [
        total([t, -x]) if not is_zero(x) else t
        for t, x in zip(tau, equations.bias(s.input("v")), strict=True)
    ]
    meaning = "what moves the mechanism, M a = R: tau less bias forces"
    return s.program(
        "equations_of_motion",
        "mass matrix and right-hand side of the equations of motion",
        (s.arguments.q(), s.arguments.v(), s.arguments.tau()),
        {_matrix(s): [x for row in equations.matrix() for x in row], s.arguments.tau("R", meaning): right},
        equations.source,
    )


def forward_dynamics(s: Setting, of: Of = Equations) -> Program:
    """a for generalized forces tau."""
    equations = of(s)
    a = _accelerations(s, equations, s.input("tau"))
    return s.program(
        "forward_dynamics",
        "accelerations of joints and modes that generalized forces produce",
        (s.arguments.q(), s.arguments.v(), s.arguments.tau()),
        {s.arguments.a(): a},
        f"{equations.source}; L D L^T from the tips",
    )


def control_law(s: Setting, law: ControlLaw) -> Program:
    """tau of a law."""
    tau = law_forces(s.graph, law, s.basis.mechanism, s.basis.live)
    given = (TIME, s.arguments.q(), s.arguments.v())
    return s.program(law.name, law.title, given, {s.arguments.tau(): tau}, law.source)


def closed_loop(s: Setting, law: ControlLaw) -> Program:
    """a under a law: law and forward dynamics in one graph."""
    tau = law_forces(s.graph, law, s.basis.mechanism, s.basis.live)
    return s.program(
        CLOSED_LOOP + law.name,
        f"accelerations of joints and modes under {law.name}",
        (TIME, s.arguments.q(), s.arguments.v()),
        {s.arguments.a(): _accelerations(s, Equations(s), tau)},
        f"{SOURCE}; L D L^T from the tips; {law.source}",
    )


def _accelerations(s: Setting, equations: Equations | BookArm, tau: Sequence[Any]) -> list[Expression]:
    matrix = [s.expressions(row) for row in equations.matrix()]
    right = s.expressions([total([t, -x]) for t, x in zip(tau, equations.bias(s.input("v")), strict=True)])
    return solve(matrix, right, _tips_first(s))


def _tips_first(s: Setting) -> list[list[int]]:
    """Unknowns from the tips to the base: entries that are zero stay zero."""
    order: list[int] = []
    for segment in reversed(s.basis.arm.segments):
        order += reversed(segment.modes)
        if segment.coordinate is not None:
            order.append(segment.coordinate)
    return [[k] for k in order]


def prescribed_motion_forces(s: Setting) -> Program:
    """Inverse dynamics for joints that move as they are told while the links swing as they must."""
    names = s.basis.mechanism.coordinates
    joints = [k for k, name in enumerate(names) if name in s.arguments.joints]
    modes = [k for k in range(s.n) if k not in joints]
    given = dict(zip(joints, s.input("a_joints", len(joints)), strict=True))
    v = s.input("v")
    a = [given.get(k, 0) for k in range(s.n)]
    matrix = [s.expressions(row) for row in s.mass_matrix()]
    forces = s.expressions(s.forces(v, s.expressions(a)))
    places = {k: n for n, k in enumerate(modes)}
    order = [[places[k]] for (k,) in _tips_first(s) if k in places]
    swinging = solve([[matrix[r][c] for c in modes] for r in modes], [-forces[r] for r in modes], order)
    driving = [
        total(
            [
                forces[r],
                *(matrix[r][c] * x for c, x in zip(modes, swinging, strict=True) if not matrix[r][c].is_zero),
            ]
        )
        for r in joints
    ]
    order_of_modes = "in the order " + ", ".join(names[k] for k in modes)
    return s.program(
        "prescribed_motion_forces",
        "forces of the drives that move the joints as prescribed, with no other load on the links",
        (
            s.arguments.q(),
            s.arguments.v(),
            s.arguments.of_joints("a_joints", ("rad/s^2", "m/s^2"), "accelerations of the joints"),
        ),
        {
            s.arguments.of_joints("tau_joints", ("N m", "N"), "forces of the drives"): driving,
            Argument(
                "a_modes", (len(modes),), "m/s^2", f"accelerations of the modes, {order_of_modes}"
            ): swinging,
        },
        f"{SOURCE}; modes eliminated",
    )


def inverse_mass_matrix(s: Setting) -> Program:
    """M^-1."""
    found = inverse([s.expressions(row) for row in s.mass_matrix()], _tips_first(s))
    return s.program(
        "inverse_mass_matrix",
        "inverse of the mass matrix",
        (s.arguments.q(),),
        {inverse_output(s.n): [x for row in found for x in row]},
        f"{SOURCE}; L D L^T",
    )


# -- energy and momentum -------------------------------------------------------------------------------------------------


def _scalar(s: Setting, name: str, symbol: str, title: str, what: str, value: Any, moving: bool) -> Program:
    given = (s.arguments.q(), s.arguments.v()) if moving else (s.arguments.q(),)
    return s.program(name, title, given, {Argument(symbol, (), "J", what): [value]}, SOURCE)


def kinetic(s: Setting) -> Program:
    """T."""
    value = kinetic_energy(s.motion(s.input("v"), weight=False))
    return _scalar(s, "kinetic_energy", "T", "kinetic energy", "kinetic energy", value, True)


def potential(s: Setting) -> Program:
    """U of weight, links and springs."""
    motion = s.motion(described=True)
    _, moment = first_moment(motion)
    weight = product(stretched(-1, motion.lifted(s.basis.described.gravity)), moment)
    value = total([weight, elastic_energy(motion), s.spring_energy()])
    what = "energy of weight, zero at the origin of the base, of bent links and of springs"
    return _scalar(s, "potential_energy", "U", "potential energy", what, value, False)


def elastic(s: Setting) -> Program:
    """U of the links."""
    value = elastic_energy(s.motion())
    return _scalar(
        s, "elastic_energy", "U_e", "elastic energy of the links", "energy stored in bent links", value, False
    )


def momentum(s: Setting) -> Program:
    """p and l about the base's origin."""
    linear, angular = Loads(s.motion(s.input("v"), weight=False, described=True)).momentum()
    return s.program(
        "momentum",
        "linear and angular momentum",
        (s.arguments.q(), s.arguments.v()),
        {
            Argument(
                "momentum",
                (6,),
                "kg m/s, kg m^2/s",
                "linear momentum, then angular momentum about the origin of the base, in the base frame",
            ): [*linear, *angular]
        },
        SOURCE,
    )


def center_of_mass(s: Setting) -> Program:
    """Of everything that moves."""
    mass, moment = first_moment(s.motion(described=True))
    return s.program(
        "center_of_mass",
        "mass centre of the moving bodies",
        (s.arguments.q(),),
        {CENTER: [0 if is_zero(x) else x / mass for x in moment]},
        SOURCE,
    )


def coordinate_rates(s: Setting) -> Program:
    """dq/dt = v."""
    return s.program(
        "coordinate_rates",
        "rates of the coordinates",
        (s.arguments.q(), s.arguments.v()),
        {s.arguments.qdot(): s.input("v")},
        "definition of the rates",
    )


# -- frames --------------------------------------------------------------------------------------------------------------

_SMALL = "exact where nothing bends, to first order in the deflections elsewhere"


def frame_pose(s: Setting, frame: str, kernel: str) -> Program:
    """X of a frame."""
    pose = Poses(s.motion()).placed(s.basis.described.frames[frame])
    rows = [[*pose.axes[m], pose.origin[m]] for m in range(3)]
    what = f"p_base = X p, p in the frame {frame}; axes behind bent links are 1 + skew(theta), not made orthogonal"
    return s.program(
        kernel,
        f"pose of the frame {frame} in the base frame",
        (s.arguments.q(),),
        {Argument("X", (4, 4), "1, m", what): [x for row in (*rows, [0, 0, 0, 1]) for x in row]},
        "joints and links in turn (Book 1983, eqs 3 to 7)",
    )


def frame_jacobian(s: Setting, frame: str, kernel: str) -> Program:
    """J of a frame."""
    rows = Poses(s.motion()).jacobian(s.basis.described.frames[frame])
    what = (
        f"velocity of the origin of {frame}, then its angular velocity ({_SMALL}), in the base frame, for a unit rate of"
        " each coordinate"
    )
    return s.program(
        kernel,
        f"Jacobian of the frame {frame}",
        (s.arguments.q(),),
        {Argument("J", (6, s.n), "m, 1", what): [x for row in rows for x in row]},
        "joint axes and mode shapes, carried by what is before them",
    )


def frame_forces(s: Setting, frame: str, kernel: str) -> Program:
    """J^T wrench."""
    rows = Poses(s.motion()).jacobian(s.basis.described.frames[frame])
    wrench = s.input("wrench", 6)
    tau = [product([row[k] for row in rows], wrench) for k in range(s.n)]
    return s.program(
        kernel,
        f"generalized forces of a force and a moment at the frame {frame}",
        (s.arguments.q(), wrench_argument(frame)),
        {s.arguments.tau("tau", "generalized forces that the force and the moment are equal to"): tau},
        "transposed Jacobian",
    )
