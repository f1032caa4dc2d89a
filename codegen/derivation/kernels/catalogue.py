"""The contracts of all kernels: their names, and those of their arguments and results, are written here and nowhere else.

Whoever derives a kernel takes its contract from here; what must know kernels by name asks ``contract_of``.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from kanegen.codegen.derivation.kernels.contract import BASE_AXES, BODY_AXES, FRAME, LAW, TIME, Contract, Slot
from kanegen.codegen.graph import Argument
from kanegen.rows import ROWS, rows_of

# -- the arguments of most kernels ---------------------------------------------------------------------------------------

Q = Slot("q", ("nq",), ("rad", "m", "1"), "{q}")
V = Slot("v", ("nv",), ("rad/s", "m/s"), "{v}")
A = Slot("a", ("nv",), ("rad/s^2", "m/s^2"), "{a}")
TAU = Slot("tau", ("nv",), ("N m", "N"), "{tau}")
QDOT = Slot("qdot", ("nq",), ("rad/s", "m/s", "1/s"), "rates of the coordinates, in their order")
WRENCH = Slot(
    "wrench", (6,), "N, N m", "force on {frame} at its origin, then moment, along the axes of the base frame"
)

_INERTIA = "kg m^2, kg m, kg"
_ROWS_AND_COLUMNS = "rows and columns in the order of the {index}"
_TWIST = "velocity of the origin of {frame}, then its angular velocity"
M = Slot("M", ("nv", "nv"), _INERTIA, f"mass matrix, {_ROWS_AND_COLUMNS}")

# -- dynamics ------------------------------------------------------------------------------------------------------------

INVERSE_DYNAMICS = Contract(
    "inverse_dynamics", "generalized forces that produce given accelerations", (Q, V, A), (TAU,)
)
FORWARD_DYNAMICS = Contract(
    "forward_dynamics", "{accelerations} that generalized forces produce", (Q, V, TAU), (A,), solves=True
)
MASS_MATRIX = Contract("mass_matrix", "mass matrix", (Q,), (M,))
BIAS_FORCES = Contract(
    "bias_forces",
    "Coriolis, centrifugal and gravity forces{resisting}",
    (Q, V),
    (Slot("h", ("nv",), ("N m", "N"), "generalized forces at zero acceleration, tau = M a + h, {order}"),),
)
GRAVITY_FORCES = Contract(
    "gravity_forces",
    "generalized forces that hold the mechanism at rest",
    (Q,),
    (Slot("g", ("nv",), ("N m", "N"), "generalized forces at rest, {order}"),),
)
KINETIC_ENERGY = Contract("kinetic_energy", "kinetic energy", (Q, V), (Slot("T", (), "J", "kinetic energy"),))
POTENTIAL_ENERGY = Contract(
    "potential_energy",
    "potential energy of gravity, zero for mass at the base origin{beside}",
    (Q,),
    (Slot("U", (), "J", "potential energy, zero for mass at the base origin{beside}"),),
    through_speeds=False,
)
MOMENTUM = Contract(
    "momentum",
    "linear and angular momentum",
    (Q, V),
    (
        Slot(
            "momentum",
            (6,),
            "kg m/s, kg m^2/s",
            "linear momentum, then angular momentum about the base origin, in the base frame",
        ),
    ),
    axes=BASE_AXES,
)
COORDINATE_RATES = Contract("coordinate_rates", "rates of the coordinates", (Q, V), (QDOT,))

# -- frames --------------------------------------------------------------------------------------------------------------

FRAME_POSE = Contract(
    "frame_pose",
    "pose of the frame {frame} in the base frame",
    (Q,),
    (Slot("X", (4, 4), "1, m", "homogeneous matrix, p_base = X p, p in the frame {frame}{axes}"),),
    each=FRAME,
    through_speeds=False,
    axes=BODY_AXES,
)
FRAME_JACOBIAN = Contract(
    "frame_jacobian",
    "Jacobian of the frame {frame}",
    (Q,),
    (Slot("J", (6, "nv"), "m, 1", f"{_TWIST}{{exactly}} in the base frame, for {{unit}}"),),
    each=FRAME,
    axes=BASE_AXES,
)
FRAME_JACOBIAN_RATE = Contract(
    "frame_jacobian_rate",
    "time derivative of the Jacobian of the frame {frame}",
    (Q, V),
    (
        Slot(
            "Jdot",
            (6, "nv"),
            "m/s, 1/s",
            "time derivative of the Jacobian of {frame}: of the velocity of its origin, then of its angular velocity, in "
            "the base frame, for each {rate} = 1",
        ),
    ),
    each=FRAME,
    on_demand=True,
    axes=BASE_AXES,
)
FRAME_FORCES = Contract(
    "frame_forces",
    "generalized forces of a force and a moment at the frame {frame}",
    (Q, WRENCH),
    (
        Slot(
            "tau",
            ("nv",),
            ("N m", "N"),
            "generalized forces that the force and the moment are equal to, {order}",
        ),
    ),
    each=FRAME,
    on_demand=True,
    axes=BASE_AXES,
)

# -- rows of a frame's twist ---------------------------------------------------------------------------------------------


def _of_rows(
    name: str, title: str, takes: tuple[Slot, ...], result: str, planes: int, unit: str, meaning: str
) -> Contract:
    """A kernel of chosen rows of the twist of a frame, whose one result has so many dimensions."""
    gives = Slot(result, ("rows",) * planes, unit, meaning)
    return Contract(
        name, title, takes, (gives,), FRAME, rows=True, on_demand=True, solves=True, axes=BASE_AXES
    )


_AT = "on the rows {rows} of {frame}, at its origin along the axes of the base"

OPERATIONAL_INERTIA = _of_rows(
    "operational_inertia",
    "inertia at the frame {frame}",
    (Q,),
    "Lambda",
    2,
    _INERTIA,
    f"(J M^-1 J^T)^-1 {_AT}: forces by accelerations",
)
OPERATIONAL_BIAS = _of_rows(
    "operational_bias",
    "Coriolis, centrifugal and gravity forces at the frame {frame}{resisting}",
    (Q, V),
    "F",
    1,
    "N, N m",
    f"forces {_AT} without which these would be accelerated",
)
OPERATIONAL_GRAVITY = _of_rows(
    "operational_gravity",
    "forces at the frame {frame} that hold it at rest",
    (Q,),
    "F",
    1,
    "N, N m",
    f"forces {_AT} without which these would be accelerated from rest",
)
HAND_INERTIA = _of_rows(
    "hand_inertia",
    "effective inertia at the frame {frame}",
    (Q,),
    "I",
    2,
    _INERTIA,
    f"effective inertia {_AT}, joints following with the least kinetic energy",
)
HAND_POWER = _of_rows(
    "hand_power",
    "inertia power array at the frame {frame}",
    (Q,),
    "P",
    3,
    _INERTIA,
    f"inertia power array: forces e^T P[k] e at constant rates e {_AT}; planes are symmetric",
)
HAND_DAMPING = _of_rows(
    "hand_damping",
    "effective damping at the frame {frame}",
    (Q,),
    "C",
    2,
    "N s/m, N s, N m s",
    f"effective damping: the dampers oppose C e to the rates e {_AT}",
)
HAND_STIFFNESS = _of_rows(
    "hand_stiffness",
    "effective spring rate at the frame {frame}",
    (Q,),
    "K",
    2,
    "N/m, N, N m",
    f"effective spring rate: derivatives of the forces that the springs oppose {_AT}, by these (columns)",
)

# -- matrices ------------------------------------------------------------------------------------------------------------

CORIOLIS_MATRIX = Contract(
    "coriolis_matrix",
    "Coriolis matrix",
    (Q, V),
    (
        Slot(
            "C",
            ("nv", "nv"),
            "kg m^2/s, kg m/s, kg/s",
            f"matrix of Coriolis and centrifugal forces C v, dM/dt - 2 C skew-symmetric, {_ROWS_AND_COLUMNS}",
        ),
    ),
    on_demand=True,
)
INVERSE_MASS_MATRIX = Contract(
    "inverse_mass_matrix",
    "inverse of the mass matrix",
    (Q,),
    (
        Slot(
            "Minv",
            ("nv", "nv"),
            "1/(kg m^2), 1/(kg m), 1/kg",
            f"inverse of the mass matrix, {_ROWS_AND_COLUMNS}",
        ),
    ),
    on_demand=True,
    solves=True,
)
CENTER_OF_MASS = Contract(
    "center_of_mass",
    "mass centre of the moving bodies",
    (Q,),
    (Slot("c", (3,), "m", "mass centre of the moving bodies, in the base frame"),),
    on_demand=True,
    through_speeds=False,
    axes=BODY_AXES,
)
CENTROIDAL_MOMENTUM_MATRIX = Contract(
    "centroidal_momentum_matrix",
    "centroidal momentum matrix",
    (Q,),
    (
        Slot(
            "A",
            (6, "nv"),
            "kg m, kg, kg m^2",
            "linear momentum, then angular momentum about the mass centre, in the base frame, for each {rate} = 1",
        ),
    ),
    on_demand=True,
    axes=BASE_AXES,
)
REGRESSOR = Contract(
    "regressor",
    "regressor of the base parameters",
    (Q, V, A),
    (Slot("Y", ("nv", "columns"), "SI", "tau = Y p with p the base parameters, listed in the manifest"),),
    on_demand=True,
    axes=BODY_AXES,
)
FULL_REGRESSOR = Contract(
    "full_regressor",
    "regressor of all inertial parameters",
    (Q, V, A),
    (
        Slot(
            "Y",
            ("nv", "columns"),
            "SI",
            "tau = Y p with p the inertial parameters of the moving bodies one after another, {parts} of each: inertia "
            "about the origin of the body's frame, Ixy = - sum x y dm",
        ),
    ),
    on_demand=True,
    axes=BODY_AXES,
)

# -- derivatives ---------------------------------------------------------------------------------------------------------

_FORCES = ("generalized forces", "N m, N")
_ACCELERATIONS = ("derivatives a of the speeds", "rad/s^2, m/s^2")


def _by(name: str, of: tuple[str, str], meaning: str, unit: str) -> Slot:
    """Derivatives of forces or accelerations; ``unit`` is that of what they are taken by."""
    text = f"derivatives of the {of[0]} (rows, one for each speed) by {meaning} (columns)"
    return Slot(name, ("nv", "parameters" if name == "dp" else "nv"), f"({of[1]}) / ({unit})", text)


def _by_state(of: tuple[str, str]) -> tuple[Slot, Slot]:
    return (
        _by("dq", of, "the coordinates, along unit speeds", "rad, m"),
        _by("dv", of, "the speeds", "rad/s, m/s"),
    )


def _by_parameters(of: tuple[str, str]) -> Slot:
    return _by("dp", of, "the parameters {parameters}", "unit of the parameter")


INVERSE_DYNAMICS_DERIVATIVES = Contract(
    "inverse_dynamics_derivatives",
    "derivatives of the generalized forces that produce given accelerations",
    (Q, V, A),
    (
        *_by_state(_FORCES),
        _by("da", _FORCES, "their derivatives a (the mass matrix)", "rad/s^2, m/s^2"),
    ),
    on_demand=True,
)
FORWARD_DYNAMICS_DERIVATIVES = Contract(
    "forward_dynamics_derivatives",
    "derivatives of the accelerations that generalized forces produce",
    (Q, V, TAU),
    (
        *_by_state(_ACCELERATIONS),
        _by(
            "dtau",
            _ACCELERATIONS,
            "the generalized forces (the inverse of the mass matrix)",
            "N m, N",
        ),
    ),
    on_demand=True,
    solves=True,
)
INVERSE_DYNAMICS_PARAMETER_DERIVATIVES = Contract(
    "inverse_dynamics_parameter_derivatives",
    "derivatives of the generalized forces by live parameters",
    (Q, V, A),
    (_by_parameters(_FORCES),),
    on_demand=True,
)
FORWARD_DYNAMICS_PARAMETER_DERIVATIVES = Contract(
    "forward_dynamics_parameter_derivatives",
    "derivatives of the accelerations that generalized forces produce, by live parameters",
    (Q, V, TAU),
    (_by_parameters(_ACCELERATIONS),),
    on_demand=True,
    solves=True,
)

# -- constraints ---------------------------------------------------------------------------------------------------------

_ON_Q = ("rad/s^2", "m/s^2", "1/s^2")

CONSTRAINT_RESIDUAL = Contract(
    "constraint_residual",
    "how far the equations of position are from holding",
    (Q,),
    (Slot("phi", ("rows",), "m, 1", "equations of position, zero where they hold: {rows}"),),
    through_speeds=False,
    axes=BASE_AXES,
)
CONSTRAINT_JACOBIAN = Contract(
    "constraint_jacobian",
    "equations of velocity: derivatives of those of position, then the nonholonomic ones",
    (Q,),
    (Slot("A", ("rows", "nq"), "m, 1", "coefficients of dq/dt, one row each: {rows}"),),
    through_speeds=False,
    axes=BASE_AXES,
)
CONSTRAINT_FORCES = Contract(
    "constraint_forces",
    "multipliers of the equations (zero for redundant ones) and forces of prescribed joints",
    (Q, V, A),
    (Slot("lambda", ("rows",), "N, N m", "constraint forces, on each equation as it is written: {rows}"),),
    axes=BASE_AXES,
)
DEAD_CENTRE_MARGIN = Contract(
    "dead_centre_margin",
    "distance from dead centres of the speeds",
    (Q,),
    (
        Slot(
            "margin",
            ("blocks",),
            "1",
            "x / (x + x0) for squares x of determinants that vanish at dead centres and in singular configurations, x0 "
            "their largest values near home{sines}",
        ),
    ),
    through_speeds=False,
    axes=BASE_AXES,
)
GENERALIZED_SPEEDS = Contract(
    "generalized_speeds", "generalized speeds of a motion", (Q, QDOT), (V,), through_speeds=False
)
MULTIPLIER_DYNAMICS = Contract(
    "multiplier_dynamics",
    "accelerations of the coordinates and multipliers, for rates that satisfy the equations",
    (Q, QDOT, TAU),
    (
        Slot("qddot", ("nq",), _ON_Q, "accelerations d2q/dt2 of the coordinates, in their order"),
        Slot("lambda", ("rows",), "N, N m", "multipliers: {rows}"),
    ),
    solves=True,
    through_speeds=False,
    axes=BASE_AXES,
)
CONSTRAINT_PROJECTION = Contract(
    "constraint_projection",
    "one step of the state towards the equations of position and velocity, of least change",
    (Q, QDOT),
    (
        Slot("q_next", ("nq",), Q.unit, "coordinates after the step, in their order"),
        Slot("qdot_next", ("nq",), QDOT.unit, "rates dq/dt after the step, in their order"),
    ),
    through_speeds=False,
    axes=BASE_AXES,
)

# -- flexible links ------------------------------------------------------------------------------------------------------

EQUATIONS_OF_MOTION = Contract(
    "equations_of_motion",
    "mass matrix and right-hand side of the equations of motion",
    (Q, V, TAU),
    (
        M,
        Slot(
            "R",
            ("nv",),
            ("N m", "N"),
            "what moves the mechanism, M a = R: tau less bias forces, {order}",
        ),
    ),
)
PRESCRIBED_MOTION_FORCES = Contract(
    "prescribed_motion_forces",
    "forces of the drives that move the joints as prescribed, with no other load on the links",
    (
        Q,
        V,
        Slot(
            "a_joints",
            ("joints",),
            ("rad/s^2", "m/s^2"),
            "accelerations of the joints, {of_joints}",
        ),
    ),
    (
        Slot("tau_joints", ("joints",), ("N m", "N"), "forces of the drives, {of_joints}"),
        Slot("a_modes", ("modes",), "m/s^2", "accelerations of the modes, {of_modes}"),
    ),
    solves=True,
)
ELASTIC_ENERGY = Contract(
    "elastic_energy",
    "elastic energy of the links",
    (Q,),
    (Slot("U_e", (), "J", "energy stored in bent links"),),
    through_speeds=False,
)
GRAVITY_ENERGY = Contract(
    "gravity_energy",
    "energy of weight",
    (Q,),
    (Slot("U_g", (), "J", "energy of weight, zero at the origin of the base"),),
    through_speeds=False,
)

# -- influence coefficients (Freeman & Tesar 1988) -----------------------------------------------------------------------

_POWER = "inertia power array: generalized forces v^T P[k] v at constant speeds v, without gravity; planes are symmetric"

INFLUENCE_G = Contract(
    "influence_G",
    "first-order influence coefficients of the frame {frame}",
    (Q,),
    (Slot("G", (6, "nv"), "m, 1", f"{_TWIST}, in the base frame, for {{unit}}"),),
    each=FRAME,
)
INFLUENCE_H = Contract(
    "influence_H",
    "second-order influence coefficients of the frame {frame}",
    (Q,),
    (
        Slot(
            "H",
            (6, "nv", "nv"),
            "m, 1",
            "acceleration of the origin of {frame}, then its angular acceleration, in the base frame, are G a + v^T H v; "
            "{planes}",
        ),
    ),
    each=FRAME,
)
EFFECTIVE_INERTIA = Contract(
    "effective_inertia",
    "effective inertia",
    (Q,),
    (Slot("I", ("nv", "nv"), _INERTIA, f"effective inertia matrix, {_ROWS_AND_COLUMNS}"),),
    solves=True,
)
INERTIA_POWER = Contract(
    "inertia_power", "inertia power array", (Q,), (Slot("P", ("nv", "nv", "nv"), _INERTIA, _POWER),)
)
EFFECTIVE_DAMPING = Contract(
    "effective_damping",
    "effective damping",
    (Q,),
    (
        Slot(
            "C",
            ("nv", "nv"),
            "N m s, N s, N s/m",
            "effective damping: the dampers oppose C v to the rates v",
        ),
    ),
)
EFFECTIVE_STIFFNESS = Contract(
    "effective_stiffness",
    "effective spring rate",
    (Q,),
    (
        Slot(
            "K",
            ("nv", "nv"),
            "N m, N, N/m",
            "effective spring rate: derivative by q of the generalized forces that the springs oppose",
        ),
    ),
)
SPRING_FORCES = Contract(
    "spring_forces",
    "generalized forces that springs and dampers oppose",
    (Q, V),
    (
        Slot(
            "tau",
            ("nv",),
            ("N m", "N"),
            "generalized forces that hold and move the springs and dampers, {order}",
        ),
    ),
)
# -- actuators, and the coordinates of bodies (Sim, Yoo & Lee 1985) ------------------------------------------------------

ACTUATOR_FORCES = Contract(
    "actuator_forces",
    "actuator forces that produce given accelerations",
    (Q, V, A),
    (
        Slot(
            "forces",
            ("nq",),
            ("N m", "N", "N m"),
            "torques and forces of the actuators, in the order {actuators}",
        ),
    ),
)

X = Slot(
    "x",
    ("x",),
    "m, 1",
    "mass centre in the base frame and Euler parameters e0 ... e3 of the frame of each body, {bodies}",
)
XDOT = Slot("xdot", ("x",), "m/s, 1/s", "rates of x, {bodies}")
JOINT_V = Slot("v", ("nq",), QDOT.unit, "their rates dq/dt, {in_q}")
JOINT_A = Slot("a", ("nq",), _ON_Q, "their second derivatives, {in_q}")
STRUT_L = Slot("l", ("struts",), "m", "lengths of the struts, {struts}")
STRUT_V = Slot("v", ("struts",), "m/s", "their rates, {struts}")
STRUT_A = Slot("a", ("struts",), "m/s^2", "their second derivatives, {struts}")


def _multipliers(size: str, of: str) -> Slot:
    return Slot("lambda", (size,), "N m, N", f"multipliers of {of}")


def _gradient() -> Slot:
    return Slot("J", ("rows", "x"), "1, m", "a row for each constraint, a column for each of x")


def _gamma(unit: str = "m/s^2, 1/s^2") -> Slot:
    return Slot("gamma", ("rows",), unit, "what the Jacobian times d2x/dt2 must be")


BODY_COORDINATES = Contract("body_coordinates", "body coordinates of the tree", (Q,), (X,))
BODY_RATES = Contract("body_rates", "rates of the body coordinates of the tree", (Q, JOINT_V), (XDOT,))
BODY_ACCELERATIONS = Contract(
    "body_accelerations",
    "second derivatives of the body coordinates of the tree",
    (Q, JOINT_V, JOINT_A),
    (Slot("xddot", ("x",), "m/s^2, 1/s^2", "second derivatives of x, {bodies}"),),
)
JOINT_CONSTRAINTS = Contract(
    "joint_constraints",
    "constraints of joints and normalisation",
    (X,),
    (Slot("phi", ("rows",), "m, 1", "zero where joints are closed and |p| = 1: {rows}"),),
)
JOINT_CONSTRAINT_JACOBIAN = Contract(
    "joint_constraint_jacobian",
    "derivatives of joint_constraints with respect to x (7)",
    (X,),
    (_gradient(),),
)
JOINT_CONSTRAINT_GAMMA = Contract(
    "joint_constraint_gamma",
    "right-hand side of the joints' accelerations (10)",
    (X, XDOT),
    (_gamma(),),
)
DRIVING_CONSTRAINTS = Contract(
    "driving_constraints",
    "constraints of the drives",
    (X, Q),
    (Slot("phi", ("nq",), "1, m", "zero where the bodies are where q drives them"),),
)
DRIVING_CONSTRAINT_JACOBIAN = Contract(
    "driving_constraint_jacobian",
    "derivatives of driving_constraints with respect to x (7); times xdot they are the rates of q",
    (X, Q),
    (_gradient(),),
)
DRIVING_CONSTRAINT_GAMMA = Contract(
    "driving_constraint_gamma",
    "right-hand side of the drives' accelerations (10)",
    (X, XDOT, Q, JOINT_V, JOINT_A),
    (_gamma(),),
)
BODY_MASS_MATRIX = Contract(
    "body_mass_matrix",
    "mass matrix in body coordinates (20)",
    (X,),
    (
        Slot(
            "M",
            ("x", "x"),
            "kg, kg m^2",
            "mass matrix of all bodies, a block of 7 for each; singular along p",
        ),
    ),
)
BODY_FORCES = Contract(
    "body_forces",
    "gravity, springs, dampers and velocity-dependent terms in body coordinates (21)",
    (X, XDOT, Q),
    (Slot("g", ("x",), "N, N m", "generalized forces on x, with the terms quadratic in xdot"),),
)
BODY_ACTUATOR_FORCES = Contract(
    "actuator_forces",
    "forces of the actuators (30) to (36)",
    (X, Q, _multipliers("nq", "the driving constraints, in the order of q")),
    (
        Slot(
            "tau",
            ("nq",),
            ("N m", "N", "N m"),
            "generalized forces of the actuators on the coordinates, {in_q}",
        ),
    ),
)
JOINT_REACTIONS = Contract(
    "joint_reactions",
    "forces and moments of the joints",
    (X, _multipliers("joint_rows", "the joint constraints, in their order")),
    (
        Slot(
            "R",
            ("connections", 6),
            "N, N m",
            "force and moment on the child at each joint, in the base frame; rows are {connections}",
        ),
    ),
)
STRUT_CONSTRAINTS = Contract(
    "strut_constraints",
    "constraints of the struts (35)",
    (X, STRUT_L),
    (Slot("phi", ("struts",), "m^2", "squares of the struts' lengths less those of l, {struts}"),),
)
STRUT_CONSTRAINT_JACOBIAN = Contract(
    "strut_constraint_jacobian",
    "derivatives of strut_constraints with respect to x; times xdot they are 2 l dl/dt of each strut's length l",
    (X,),
    (_gradient(),),
)
STRUT_CONSTRAINT_GAMMA = Contract(
    "strut_constraint_gamma",
    "right-hand side of the struts' accelerations (10)",
    (X, XDOT, STRUT_L, STRUT_V, STRUT_A),
    (_gamma("m^2/s^2"),),
)
STRUT_FORCES = Contract(
    "strut_forces",
    "forces of the translational actuators (29), (30), (36)",
    (X, _multipliers("struts", "the struts' constraints")),
    (
        Slot(
            "f",
            ("struts",),
            "N",
            "forces of the struts, positive where they push their ends apart, {struts}",
        ),
    ),
)

# -- control laws --------------------------------------------------------------------------------------------------------

LAW_X = Slot("x", ("law_states",), "SI", "states of the law: {law_states}")
LAW_XDOT = Slot("xdot", ("law_states",), "SI", "rates of the states of the law by time, in their order")
LAW_R = Slot(
    "r",
    ("signals", 3),
    "SI",
    "signals that the law follows, {signals}: of each its value, its first and its second derivative by time",
)

CLOSED_LOOP = Contract(
    "closed_loop", "{accelerations} under {law}", (TIME, Q, V), (A,), each=LAW, solves=True
)

CONTRACTS: tuple[Contract, ...] = tuple(value for value in globals().values() if isinstance(value, Contract))
"""All of them, in the order here; control laws themselves have names of their own."""

AT_ROWS = tuple(contract for contract in CONTRACTS if contract.rows)
"""The kernels of chosen rows of a frame's twist."""


def of_speeds(slot: Slot, nv: int, parameters: Sequence[str] = ()) -> Argument:
    """The argument of a matrix of derivatives, for that many speeds and live parameters of these names."""
    return slot.argument({"nv": nv, "parameters": len(parameters)}, {"parameters": ", ".join(parameters)}, {})


_BY_NAME = {contract.name: contract for contract in reversed(CONTRACTS)}
_FAMILIES = sorted((c for c in CONTRACTS if c.each), key=lambda c: -len(c.name))


def contract_of(kernel: str) -> Contract | None:
    """The contract of a kernel of this name; None for a control law, which is called as its author likes."""
    found = _BY_NAME.get(kernel)
    if found is not None and not found.each:
        return found
    return next((c for c in _FAMILIES if kernel.startswith(f"{c.name}_")), None)


@dataclass(frozen=True, slots=True)
class OfRows:
    """A kernel of a frame, by its name as an identifier, and of rows of its twist."""

    contract: Contract
    identifier: str
    rows: tuple[str, ...] = ROWS

    @property
    def kernel(self) -> str:
        """The name of the kernel."""
        return self.contract.named(self.identifier, self.rows)


def of_rows(kernel: str, identifiers: Iterable[str]) -> OfRows | None:
    """What a kernel is of, by its name; None for one that is not of rows of one of these frames, each row once."""
    contract, (stem, rows) = contract_of(kernel), rows_of(kernel)
    if contract is None or not contract.rows or len(set(rows)) < len(rows):
        return None
    identifier = stem.removeprefix(contract.named())
    return OfRows(contract, identifier, rows or ROWS) if identifier in identifiers else None


def regular(kernels: Iterable[str]) -> frozenset[str]:
    """Those of some kernels that mean something also where the speeds do not determine the motion."""
    found = {name: contract_of(name) for name in kernels}
    return frozenset(name for name, contract in found.items() if contract and not contract.through_speeds)


def solves(kernel: str) -> bool:
    """Whether rounding errors of a kernel grow with the condition number of the mass matrix."""
    contract = contract_of(kernel)
    return contract is not None and contract.solves


def forces_of_motion(nv: int) -> Contract:
    """The kernel of the forces that a motion needs: those on its so many speeds, or on equations that decide all of it."""
    return INVERSE_DYNAMICS if nv else CONSTRAINT_FORCES


def law_contract(name: str, title: str, states: bool = False, signals: bool = False) -> Contract:
    """The contract of a control law, which may have states of its own and follow signals."""
    return of_law(Contract(name, title, (TIME, Q, V), (TAU,)), states, signals)


def of_law(contract: Contract, states: bool, signals: bool) -> Contract:
    """The contract with what a law has beside time and the state of the mechanism."""
    return replace(
        contract,
        takes=contract.takes + (LAW_X,) * states + (LAW_R,) * signals,
        gives=contract.gives + (LAW_XDOT,) * states,
    )
