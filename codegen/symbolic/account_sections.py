"""The sections of an account of Kane's method: words, and tables of the derivation's results."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import sympy

from kanegen.codegen.derivation.kane.tables import KaneTables
from kanegen.codegen.mechanism.records import IDENTITY3, Mechanism
from kanegen.codegen.mechanism.speeds import GeneralizedSpeed, JointRate, described_speed
from kanegen.codegen.symbolic.documents import Printer
from kanegen.codegen.symbolic.kernels import vector
from kanegen.codegen.symbolic.pages import Cell, Formula, Section, Table

_AXES = "xyz"

_FRAMES = (
    "Each body has axes x, y, z fixed in it, along which the components of its vectors are, and an origin on the axis of "
    "its joint. A mass centre on the axis of the hinge that its body hangs on is a point of the inner body as well, and is "
    "followed along the axes of that one, which is shorter. Lengths are in m, masses in kg, moments of inertia in kg m^2, "
    "central and along the axes of the body."
)
_RATES = (
    "They are the rates of the coordinates. They determine the motion everywhere, and each moves its joint alone, so that "
    "partial velocities of bodies before that joint vanish. Other speeds can make equations shorter: components of the "
    "angular velocity of a body deep in a chain are simple there, whatever the joints before it do."
)
_CHOSEN = (
    "They are those that were asked for. A component of angular velocity that is a speed by definition needs no "
    "computation, and partial velocities beyond it are simple. The rates of the joints follow from the speeds wherever no "
    "denominator below vanishes."
)
_BALLS = (
    "Those of hinges and slides are their rates. A ball joint has the components of its angular velocity along the axes of "
    "the outer body, a floating one those of its velocity before them: the rates of the entries of a quaternion are not "
    "independent, these are, and they determine the rates everywhere."
)
_TIED = (
    "The tree has {joints} joints, tied by {constraints} independent constraints (prescribed joints among them), so that "
    "{speeds}. For each constraint there is an auxiliary speed, which says how fast it would be violated. It vanishes, and "
    "its partial velocities bring the force of the constraint into evidence."
)
_SOME = (
    "{count} speeds are independent; they are those of the description. All rates follow from them, and velocities are "
    "linear in them: what they are multiplied by are nonholonomic partial velocities"
)
_NONE = "no speed is left: all rates follow from where the joints are and from time"
_GENERALIZED = (
    "Forces in joints that do no work add nothing. Springs, dampers and friction act on joints and add their force times "
    "the rate of the joint for the speed = 1; rotors resist the accelerations of their joints and are among the inertia "
    "forces. The drives add "
)
_CONSTRAINED = (
    "The auxiliary speed of a constraint has partial velocities like the others, in the tables above. Its generalized "
    "inertia force and active force do not balance; what is missing is the force of the constraint, "
)
_COLUMN = (
    ". The last columns have the rates of the joints for this speed = 1, with which no other constraint is violated and the "
    "speeds vanish."
)
_LISTED = (
    "In an order in which they can be computed, {count} of them, each in terms of those before it. One that is named once "
    "stands for all that have the same value."
)
_MIXED = (
    "As they are written, the equations {names} put different units together (an angle and a length, or a time and a "
    "number). They have no unit, and neither have quantities that belong to them."
)


@dataclass(frozen=True)
class Quantity:
    """An intermediate quantity: ``symbol`` = ``equation``, in terms of those before it; ``unit`` is in SI, "" unknown.

    ``value`` is there where a state was given.
    """

    number: int
    symbol: sympy.Symbol
    latex: str
    meaning: str
    unit: str
    equation: sympy.Expr
    value: float | None = None

    @property
    def name(self) -> str:
        """The plain symbol: the variable of generated C where Kane's method is compiled as it is written."""
        return str(self.symbol.name)


class Sections:
    """The sections in the making.

    ``tables`` are arrays of expressions by name, ``values`` their numbers and ``state`` the arguments, where these are
    known.  ``mixed`` are equations of the user that have no unit.
    """

    def __init__(
        self,
        mechanism: Mechanism,
        found: KaneTables,
        speeds: Sequence[GeneralizedSpeed],
        inputs: Mapping[str, Sequence[sympy.Symbol]],
        quantities: Sequence[Quantity],
        tables: Mapping[str, Any],
        values: Mapping[str, Any],
        state: Mapping[str, Any] | None,
        printer: Printer,
        mixed: Sequence[str] = (),
    ) -> None:
        self.mechanism, self.found, self.speeds, self.inputs = mechanism, found, speeds, inputs
        self.quantities, self.tables, self.values, self.state = quantities, tables, values, state
        self.printer, self.mixed = printer, mixed
        self.bodies = [found.tree.bodies[i] for i in found.bodies]
        self.u = list(inputs["v"])
        names = [f"u_{{{len(self.u) + k + 1}}}" for k in range(len(found.auxiliary))]
        self.every = [*map(printer, self.u), *names]

    def sections(self) -> Iterator[Section]:
        """All of them, in the order of the method."""
        yield self._frames()
        yield self._coordinates()
        yield self._speeds()
        yield self._velocities()
        yield self._partial_velocities()
        yield self._accelerations()
        yield self._inertia()
        yield self._generalized_forces()
        if self.u:
            yield self._equations()
        if self.found.auxiliary:
            yield self._constraints()
        yield self._quantities()

    # -- what is described -------------------------------------------------------------------------------------------

    def _frames(self) -> Section:
        rows: list[list[Cell]] = []
        moved = []
        for i, body in zip(self.found.bodies, self.bodies, strict=True):
            inertia, turned = self.found.inertias[i], body.frame_rotation != IDENTITY3
            axis = f"{'' if body.sense > 0 else '-'}{_AXES[body.axis]}"
            rotation = "" if body.rotation == IDENTITY3 else f", turned by {_matrix(body.rotation)}"
            rows.append(
                [
                    body.name,
                    self._name(body.parent),
                    f"{body.joint}: {'turns about' if body.revolute else 'slides along'} {axis}",
                    vector(body.position) + rotation,
                    vector(inertia.center),
                    self._name(self.found.carrier(i)),
                    vector((inertia.mass,))[1:-1],
                    _matrix(inertia.tensor),
                ]
            )
            if turned or any(x != 0 for x in body.frame_position):
                axes = f", axes along the columns of {_matrix(body.frame_rotation)}" if turned else ""
                moved.append(f"{body.name} has its origin at {vector(body.frame_position)}{axes}")
        words: list[list[Cell]] = [[_FRAMES]]
        if moved:
            words.append([f"In the frames of the description, {'; '.join(moved)}."])
        head = ("body", "hangs on", "joint", "origin there", "mass centre", "followed in", "mass", "inertia")
        return Section("Bodies, frames and points", words, [Table("", head, rows)])

    def _name(self, i: int) -> str:
        return self.found.tree.bodies[i].name if i >= 0 else "base"

    def _coordinates(self) -> Section:
        names = list(self.mechanism.coordinates)
        rows = [self._given("q", k, name) for k, name in enumerate(names)]
        words = "They say where the bodies are: angles of hinges [rad], displacements of slides [m], quaternions of balls."
        return Section("Generalized coordinates", [[words]], [Table("", ("coordinate", "name"), rows)])

    def _given(self, argument: str, k: int, words: str) -> list[Cell]:
        value = None if self.state is None else float(self.state[argument][k])
        return [Formula(self.printer(self.inputs[argument][k]), value), words]

    def _speeds(self) -> Section:
        rows = [self._given("v", k, described_speed(speed)) for k, speed in enumerate(self.speeds)]
        rows += [
            [Formula(name), f"auxiliary: violates {constraint}, and vanishes"]
            for name, constraint in zip(self.every[len(self.u) :], self.found.auxiliary, strict=True)
        ]
        joints: list[list[Cell]] = [
            [joint, self._cell("joint_rates", j)] for j, joint in enumerate(self.found.joints)
        ]
        units: list[list[Cell]] = [
            [joint, Formula(u), self._cell("rates_for_speeds", j, r)]
            for j, joint in enumerate(self.found.joints)
            for r, u in enumerate(self.every)
            if self.tables["rates_for_speeds"][j, r] != 0
        ]
        return Section(
            "Generalized speeds",
            [self._why()],
            [
                Table("", ("speed", "what it is"), rows),
                Table("Rates of the joints", ("joint", "rate"), joints),
                Table("Rates of the joints for a speed = 1", ("joint", "speed", "rate"), units),
            ],
        )

    def _why(self) -> list[Cell]:
        n, m = len(self.u), len(self.found.auxiliary)
        plain = all(isinstance(speed, JointRate) for speed in self.speeds)
        if m:
            speeds = _SOME.format(count=n) if n else _NONE
            return [_TIED.format(joints=len(self.found.joints), constraints=m, speeds=speeds)]
        if self.mechanism.balls:
            return [_BALLS]
        if plain:
            return [_RATES]
        return [_CHOSEN]

    # -- kinematics --------------------------------------------------------------------------------------------------

    def _velocities(self) -> Section:
        words: list[list[Cell]] = [
            ["The angular velocity ", Formula(r"\omega"), " of each body, along its axes, and the velocity ", Formula("v"),
             " of its mass centre, along the axes that it is followed in. Both are linear in the speeds: ",
             Formula(r"\omega = \sum_r \omega_r u_r"), ", ", Formula("v = \\sum_r v_r u_r"),
             ", and what prescribed joints add."],
        ]  # fmt: skip
        return Section(
            "Velocities",
            words,
            [
                self._vectors("Angular velocities [rad/s]", "angular_velocity"),
                self._vectors("Velocities of mass centres [m/s]", "velocity"),
            ],
        )

    def _partial_velocities(self) -> Section:
        words: list[list[Cell]] = [
            ["What a speed is multiplied by in them: the partial angular velocity ", Formula(r"\omega_r"),
             " and the partial velocity ", Formula("v_r"), ". Rows that are not here vanish."]
        ]  # fmt: skip
        return Section(
            "Partial angular velocities and partial velocities",
            words,
            [
                self._partials("Partial angular velocities", "partial_angular_velocity"),
                self._partials("Partial velocities of mass centres", "partial_velocity"),
            ],
        )

    def _accelerations(self) -> Section:
        words: list[list[Cell]] = [
            ["The derivatives bring those of the speeds into evidence: ",
             Formula(r"\alpha = \sum_r \omega_r \dot{u}_r + \alpha_t"), ", ",
             Formula(r"a = \sum_r v_r \dot{u}_r + a_t"), "."]
        ]  # fmt: skip
        return Section(
            "Accelerations",
            words,
            [
                self._vectors(
                    "What is left of angular accelerations [rad/s^2]", "angular_acceleration_at_rest"
                ),
                self._vectors(
                    "What is left of accelerations of mass centres [m/s^2]", "acceleration_at_rest"
                ),
                self._vectors("Angular accelerations [rad/s^2]", "angular_acceleration"),
                self._vectors("Accelerations of mass centres [m/s^2]", "acceleration"),
            ],
        )

    # -- forces ------------------------------------------------------------------------------------------------------

    def _inertia(self) -> Section:
        words: list[list[Cell]] = [
            ["Of a body with mass m and central inertia I: ",
             Formula(r"T^* = - \alpha \cdot I - \omega \times I \cdot \omega"), ", ", Formula("R^* = - m a"),
             ", and its weight ", Formula("G = m g"), "."]
        ]  # fmt: skip
        return Section(
            "Inertia torques, inertia forces and weights",
            words,
            [
                self._vectors("Inertia torques [N m]", "inertia_torque"),
                self._vectors("Inertia forces [N]", "inertia_force"),
                self._vectors("Weights [N]", "weight"),
            ],
        )

    def _generalized_forces(self) -> Section:
        inertia, weight = self.tables["inertia_force_of_body"], self.tables["weight_of_body"]
        rows: list[list[Cell]] = [
            [
                body.name,
                Formula(u),
                self._cell("inertia_force_of_body", b, r),
                self._cell("weight_of_body", b, r),
            ]
            for b, body in enumerate(self.bodies)
            for r, u in enumerate(self.every)
            if inertia[b, r] != 0 or weight[b, r] != 0
        ]
        acting: list[list[Cell]] = [
            [joint, self._cell("resisting", j)]
            for j, joint in enumerate(self.found.joints)
            if self.tables["resisting"][j] != 0
        ]
        whole: list[list[Cell]] = [
            [
                Formula(u),
                self._cell("generalized_inertia_force", r),
                self._cell("generalized_active_force", r),
                self._cell("driving_force", r) if r < len(self.u) else "",
            ]
            for r, u in enumerate(self.every)
        ]
        words: list[list[Cell]] = [
            ["For each speed, a body adds ", Formula(r"\omega_r \cdot T^* + v_r \cdot R^*"),
             " to the generalized inertia force ", Formula("K^*_r"), " and ", Formula(r"v_r \cdot G"),
             " to the generalized active force ", Formula("K_r"), ". ", _GENERALIZED, Formula(r"\tau_r"),
             " to what is given here of ", Formula("K_r"), ", so that ", Formula("K_r + K^*_r = 0"), "."]
        ]  # fmt: skip
        return Section(
            "Generalized inertia forces and generalized active forces",
            words,
            [
                Table("Of each body", ("body", "speed", "inertia", "weight"), rows),
                Table("Springs, dampers and friction", ("joint", "force"), acting),
                Table("Of all", ("speed", "inertia", "active, given", "drives"), whole),
            ],
        )

    def _equations(self) -> Section:
        n = range(len(self.u))
        rows: list[list[Cell]] = [
            [Formula(self.every[r]), *(self._cell("mass", r, s) for s in n), self._cell("right_side", r)]
            for r in n
        ]
        head: list[Cell] = ["", *(Formula(self.printer(x)) for x in self.inputs["a"]), "right side b"]
        words: list[list[Cell]] = [
            ["With ", Formula(r"K^*_r = \sum_s X_{rs} \dot{u}_s + K^*_{r,t}"), " the equations of motion are ",
             Formula(r"\sum_s X_{rs} \dot{u}_s = b_r - \tau_r"), " for given forces of drives, and ",
             Formula(r"\tau_r = b_r - \sum_s X_{rs} \dot{u}_s"), " for a given motion."]
        ]  # fmt: skip
        return Section("Equations of motion", words, [Table("X, and the right sides", head, rows)])

    def _constraints(self) -> Section:
        n = len(self.u)
        rows: list[list[Cell]] = []
        for k, name in enumerate(self.found.auxiliary):
            column = [
                (joint, self._cell("rates_for_speeds", j, n + k))
                for j, joint in enumerate(self.found.joints)
                if self.tables["rates_for_speeds"][j, n + k] != 0
            ]
            for place, (joint, cell) in enumerate(column):
                first = place == 0
                rows.append(
                    [
                        name if first else "",
                        Formula(self.every[n + k]) if first else "",
                        self._cell("auxiliary_forces", k) if first else "",
                        joint,
                        cell,
                    ]
                )
        words: list[list[Cell]] = [[_CONSTRAINED, Formula(r"\lambda = -(K + K^*)"), _COLUMN]]
        head = ("constraint", "auxiliary speed", "force", "joint", "its rate for this speed = 1")
        return Section("Forces of constraint", words, [Table("", head, rows)])

    def _quantities(self) -> Section:
        rows: list[list[Cell]] = [
            [
                Formula(f"Z_{{{z.number}}}"),
                Formula(f"{z.latex} = {self.printer(z.equation)}"),
                "" if z.value is None else repr(z.value),
                z.unit or "–",
                z.meaning,
            ]
            for z in self.quantities
        ]
        head = ["", "equation", "value", "unit", "meaning"]
        if self.state is None:
            head, rows = [*head[:2], *head[3:]], [[*row[:2], *row[3:]] for row in rows]
        words: list[list[Cell]] = [[_LISTED.format(count=len(rows))]]
        if self.mixed:
            words.append([_MIXED.format(names=", ".join(self.mixed))])
        return Section("Intermediate quantities", words, [Table("", head, rows)])

    # -- helpers -----------------------------------------------------------------------------------------------------

    def _cell(self, name: str, *place: int) -> Formula:
        entry = self.tables[name][place]
        shown = name in self.values and not entry.is_integer
        return Formula(self.printer(entry), float(self.values[name][place]) if shown else None)

    def _vectors(self, caption: str, name: str) -> Table:
        rows: list[list[Cell]] = [
            [body.name, *(self._cell(name, b, k) for k in range(3))]
            for b, body in enumerate(self.bodies)
            if any(x != 0 for x in self.tables[name][b])
        ]
        return Table(caption, ("body", *_AXES), rows)

    def _partials(self, caption: str, name: str) -> Table:
        rows: list[list[Cell]] = [
            [body.name, Formula(u), *(self._cell(name, b, r, k) for k in range(3))]
            for b, body in enumerate(self.bodies)
            for r, u in enumerate(self.every)
            if any(x != 0 for x in self.tables[name][b, r])
        ]
        return Table(caption, ("body", "speed", *_AXES), rows)


def _matrix(rows: Sequence[Sequence[Any]]) -> str:
    """A matrix by rows; a diagonal one by its diagonal."""
    if all(x == 0 for i, row in enumerate(rows) for j, x in enumerate(row) if i != j):
        return f"diagonal {vector([row[i] for i, row in enumerate(rows)])}"
    return "; ".join(map(vector, rows))
