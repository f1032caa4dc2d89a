"""Kane's method of any mechanism in tables, bodies by speeds: every step of the derivation, and not only what it ends in.

    w = sum_r w_r u_r,  v = sum_r v_r u_r                                   (Kane & Levinson 1983, eqs 23, 44)
    alpha = sum_r w_r u'_r + alpha_t,  a = sum_r v_r u'_r + a_t             (eqs 56 - 60, 71 - 75)
    T* = -alpha . I - w x I . w,  R* = -m a                                 (eq 79)
    (K*_r)_B = w_r . T* + v_r . R*,  (K_r)_B = v_r . m g                    (eqs 78, 90)
    K*_r = sum_s X_rs u'_s + (K*_r)_t                                       (eq 88)
    K*_r + K_r = 0:  sum_s X_rs u'_s = -(K*_r)_t - K_r                      (eqs 117 - 123)

Springs and friction act on joints, rotors resist their accelerations; both meet the rates of the joints for u_r = 1.  The
speeds of a mechanism are followed by auxiliary ones, of which there is one for each independent constraint and prescribed
joint: how fast it would be violated.  They vanish, with their derivatives, and are there for their partial velocities.
The generalized force of an auxiliary speed is what the constraint exerts.

What is here is the textbook's derivation in the frames of the description, without any choice of what is cheaper.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from kanegen.codegen.derivation.kane.body_tables import BodyTables, MotionAtConstantSpeeds, Table, of_force
from kanegen.codegen.derivation.kane.motion import bodies_of, is_on_axis, turns_of
from kanegen.codegen.derivation.kane.rates import GivenRates, RatesOfSpeeds
from kanegen.codegen.derivation.kernels.catalogue import A, Q, V
from kanegen.codegen.derivation.kernels.constraints import columns_across
from kanegen.codegen.derivation.kernels.contract import TIME, flat
from kanegen.codegen.derivation.meanings import mean_each, meaning
from kanegen.codegen.derivation.motion_maps.chosen_speeds import ChosenSpeeds
from kanegen.codegen.derivation.motion_maps.constrained import ConstrainedMap
from kanegen.codegen.derivation.motion_maps.motion_map import Rows, Vector
from kanegen.codegen.derivation.placed_tree.central_inertia import CentralInertia, central_inertias
from kanegen.codegen.derivation.placed_tree.choices import Choices
from kanegen.codegen.derivation.placed_tree.deriver import Build
from kanegen.codegen.derivation.placed_tree.placement import PlacedTree, place
from kanegen.codegen.derivation.recursive.tree_dynamics import TreeDynamics
from kanegen.codegen.derivation.system import Foundation, Make, System
from kanegen.codegen.graph import Argument, Expression, Program, constant, total
from kanegen.codegen.graph import linear as vec
from kanegen.codegen.mechanism.constraints import KnifeEdge, RollingContact
from kanegen.codegen.mechanism.records import JointKind, Mechanism

SOURCE = "Kane's dynamical equations (Kane & Levinson 1983)"

_INERTIA = ("kg m^2", "kg m", "kg")
"""Units of X by how many of its two speeds are in m/s."""


class TreeInTables(TreeDynamics):
    """A tree in a motion whose tables ``System.of_tree`` asks for; ``live`` is what it was placed with."""

    def __init__(self, *given: Any, live: bool) -> None:
        super().__init__(*given)
        self.sources[SOURCE] = None
        self._live = live

    def tables(self, columns: Vector, u_dot: Vector, *, sliding: Sequence[bool | None]) -> list[Table]:
        """The tables of bodies; ``columns`` has the rates of the joints for each speed = 1, row by row."""
        n = len(sliding)
        rows = [columns[i : i + n] for i in range(0, len(columns), n)]
        rates = GivenRates(self.v or self.rest, self.a or self.rest, rows)
        turns = turns_of(self.tree, self.graph, self.q)
        bodies = bodies_of(self.mechanism, self._live)
        return BodyTables(MotionAtConstantSpeeds(bodies, turns, rates, sliding), u_dot).tables()


@dataclass(frozen=True, eq=False)
class KaneTables:
    """The tables of a mechanism: ``program`` gives them, and this says of which bodies, axes, speeds and constraints.

    ``bodies`` are numbers of those of ``tree`` that are in the tables; ``inertias`` are those of all its bodies, central and
    along placed axes.  ``joints`` are coordinates of the tree, ``sliding`` says which speeds are in m/s, auxiliary ones
    included; None of those whose unit is not known.
    """

    program: Program
    tree: PlacedTree
    inertias: tuple[CentralInertia, ...]
    joints: tuple[str, ...]
    sliding: tuple[bool | None, ...]
    auxiliary: tuple[str, ...]

    @property
    def bodies(self) -> list[int]:
        """Numbers of the bodies in the tables: all but carriers."""
        return [i for i, body in enumerate(self.tree.bodies) if not body.carrier]

    def shape(self, table: str) -> tuple[int, ...]:
        """The shape of a table, all of which may be 0."""
        found = (x.shape for x in self.program.outputs if x.name == table)
        return next(found, (0,))

    def carrier(self, i: int) -> int:
        """The body in whose axes the mass centre of a body is followed; -1 is the base."""
        body = self.tree.bodies[i]
        return body.parent if is_on_axis(body, self.inertias[i].center) else i


def tables_from(
    foundation: Foundation, tree: Mechanism, live: bool, make: Callable[[Make], Build]
) -> KaneTables:
    """The tables of a mechanism whose kernels have a ``foundation`` and are made by ``make``, in frames as described."""
    placed = place(tree, Choices(), live)
    s = foundation.system(foundation, placed, tree, Choices())
    return KaneTables(
        make(kane_tables)(placed, tree, Choices()),
        placed,
        central_inertias(bodies_of(tree, live), placed),
        foundation.tree.coordinates,
        _sliding(s),
        auxiliary_names(s),
    )


def kane_tables(s: System) -> Program:
    """Kane's method of a system, step by step: ``BODY_TABLES`` and ``TABLES``.

    Its inputs are q, v and a, derivatives dv/dt of the speeds, after the time where the mechanism depends on it.
    """
    v, a = s.input("v"), s.input("a")
    names, more = auxiliary_names(s), _auxiliary_columns(s)
    sliding = _sliding(s)
    if isinstance(s.map, ChosenSpeeds):
        rates = RatesOfSpeeds(s.map, v, s.rest)
        bodies = bodies_of(s.tree_mechanism, s.foundation.live)
        of_bodies = BodyTables(MotionAtConstantSpeeds(bodies, s.map.turns, rates, sliding), a).tables()
        whole = _Whole(s, sliding, rates.rates_from_speeds, a)
        rate: Vector = rates.rates
    else:
        still = s.map.motion(v, s.rest)
        assert still.v is not None
        assert still.a is not None
        columns = [[*row, *added] for row, added in zip(s.map.columns(), more, strict=True)]
        of_bodies = s.of_tree(
            lambda tree, columns, u_dot: tree.tables(columns, u_dot, sliding=sliding),
            still,
            columns=flat(columns),
            u_dot=a,
        )
        whole = _Whole(s, sliding, columns, a, s.resisting(still), still.a)
        rate = still.v
    *tables, x, rest = of_bodies
    found = dict(zip(BODY_TABLES, tables, strict=True))
    found |= {"joint_rates": rate, "rates_for_speeds": whole.columns, "resisting": whole.resisting}
    found |= whole.tables(found["inertia_force_of_body"], found["weight_of_body"], x, rest)
    found["auxiliary_forces"] = whole.auxiliary_forces(found, names)
    sizes = {
        "bodies": len(found["weight"]),
        "joints": s.joints,
        "speeds": len(a),
        "all speeds": len(sliding),
        "auxiliary": len(names),
        "axes": 3,
    }
    outputs = {}
    for name, (shape, unit, words) in (BODY_TABLES | TABLES).items():
        argument = Argument(name, tuple(sizes[size] for size in shape), unit, words)
        if argument.size:
            outputs[argument] = flat(found[name])
    return Program.of(
        s.graph,
        "kane_tables",
        "Kane's method in tables",
        tuple(s.arguments(slot) for slot in (*[TIME] * s.arguments.timed, Q, V, A)),
        outputs,
        SOURCE,
        {},
    )


def auxiliary_names(s: System) -> tuple[str, ...]:
    """Names of what has an auxiliary speed: independent equations of velocity, and prescribed joints."""
    if not isinstance(s.map, ConstrainedMap):
        return ()
    return (*(row.name for row in s.map.rows), *s.mechanism.prescribed_joints)


def _sliding(s: System) -> tuple[bool | None, ...]:
    """Of each speed, auxiliary ones included, whether it is one in m/s; None where equations of the user are violated."""
    own = s.arguments.sliding
    if not isinstance(s.map, ConstrainedMap):
        return own
    m = s.mechanism
    known = {f"{loop.name} {part}": part == "place" for loop in m.loops for part in ("place", "axes")}
    known |= {x.name: True for x in m.constraints if isinstance(x, RollingContact | KnifeEdge)}
    prescribed = (m.joint(name).kind is JointKind.PRISMATIC for name in m.prescribed_joints)
    return (*own, *(known.get(row.group) for row in s.map.rows), *prescribed)


def _auxiliary_columns(s: System) -> Rows:
    """Rates of the joints (rows) for each auxiliary speed = 1.

    That of an equation violates it and no other, that of a prescribed joint moves it and violates none; speeds vanish.
    """
    if not isinstance(s.map, ConstrainedMap):
        return [[]] * s.joints
    violating, graph = s.map.violating(), s.graph
    by_row = [violating.get(i, [s.zero] * s.nq) for i in range(len(s.map.system.rows))]
    rates = [*by_row, *vec.transpose(s.map.N)]
    prescribed = range(len(s.mechanism.prescribed_joints))
    columns = [[*column, *[s.zero] * len(prescribed)] for column in violating.values()]
    for p, across in enumerate(columns_across(s, s.map.motion())):
        moved = [
            total(graph, [-x * column[j] for x, column in zip(across, rates, strict=True)])
            for j in range(s.nq)
        ]
        columns.append([*moved, *(constant(graph, int(k == p)) for k in prescribed)])
    for r, column in enumerate(columns, start=s.nv + 1):
        mean_each(column, "auxiliary", s.foundation.tree.coordinates, str(r))
    return vec.transpose(columns) if columns else [[]] * s.joints


class _Whole:
    """What follows from the tables of bodies for the whole mechanism: rotors, springs and friction, and all sums.

    ``columns`` are the rates of the joints for each speed = 1, ``resisting`` what overcomes springs and friction of joints,
    ``still`` the accelerations of the joints for du/dt = 0.
    """

    def __init__(
        self,
        s: System,
        sliding: Sequence[bool | None],
        columns: Rows,
        a: Vector,
        resisting: Vector | None = None,
        still: Vector | None = None,
    ) -> None:
        none = [s.zero] * s.joints
        self.s, self.sliding, self.columns, self.a = s, sliding, columns, a
        joints = s.foundation.tree.coordinates
        self.resisting = mean_each([-x for x in resisting or none], "resisting", joints)
        self.still = still or none
        self.rotors = {
            j: s.lift(joint.rotor_inertia)
            for j, joint in enumerate(s.resistance.joints)
            if joint is not None and joint.rotor_inertia != 0
        }

    def tables(self, of_inertia: Table, of_weight: Table, x: Table, rest: Table) -> dict[str, Table]:
        """X, K*, K of what is given, the right sides and the driving forces."""
        inertia, given, at_rest, right, driving = [], [], [], [], []
        for r in range(len(self.sliding)):
            inertia.append(self._inertia([row[r] for row in of_inertia], r))
            given.append(self._given([row[r] for row in of_weight], r))
        for r, still in enumerate(rest):
            at_rest.append(self._force("K* t", r, [still, *self._of_rotors(r, self.still)]))
            right.append(self._force("rest", r, [-at_rest[r], -given[r]]))
            driving.append(self._force("driving", r, [-inertia[r], -given[r]]))
        return {
            "mass": [[self._coefficient(x[r][s], r, s) for s in range(len(x))] for r in range(len(x))],
            "inertia_force_at_rest": at_rest,
            "generalized_inertia_force": inertia,
            "generalized_active_force": given,
            "right_side": right,
            "driving_force": driving,
        }

    def auxiliary_forces(self, found: Mapping[str, Table], names: Sequence[str]) -> list[Expression]:
        """What each constraint exerts."""
        n = len(self.a)
        both = zip(found["generalized_inertia_force"][n:], found["generalized_active_force"][n:], strict=True)
        slides = self.sliding[n:]
        meant = [
            of_force(meaning("constraint", (), (name,)), x) for name, x in zip(names, slides, strict=True)
        ]
        return [(-x - y).mean(m) for (x, y), m in zip(both, meant, strict=True)]

    def _inertia(self, bodies: Sequence[Expression], r: int) -> Expression:
        moving = [
            total(self.s.graph, [self.still[j], *(self.columns[j][k] * x for k, x in enumerate(self.a))])
            if j in self.rotors
            else self.s.zero
            for j in range(self.s.joints)
        ]
        return self._force("K* whole", r, [*bodies, *self._of_rotors(r, moving)])

    def _given(self, bodies: Sequence[Expression], r: int) -> Expression:
        springs = [row[r] * x for row, x in zip(self.columns, self.resisting, strict=True)]
        return self._force("K given", r, [*bodies, *springs])

    def _coefficient(self, of_bodies: Expression, r: int, s: int) -> Expression:
        rotors = self._of_rotors(r, [row[s] for row in self.columns])
        meant = meaning("X", (), (str(r + 1), str(s + 1)))
        slides = [x for x in (self.sliding[r], self.sliding[s]) if x is not None]
        return total(self.s.graph, [of_bodies, *rotors]).mean(replace(meant, unit=_INERTIA[sum(slides)]))

    def _of_rotors(self, r: int, accelerations: Vector) -> list[Expression]:
        return [-(self.columns[j][r] * (rotor * accelerations[j])) for j, rotor in self.rotors.items()]

    def _force(self, quantity: str, r: int, terms: Sequence[Expression]) -> Expression:
        meant = meaning(quantity, (), ("", str(r + 1)))
        return total(self.s.graph, terms).mean(of_force(meant, self.sliding[r]))


_Row = tuple[tuple[str, ...], str, str]

BODY_TABLES: dict[str, _Row] = {
    "angular_velocity": (("bodies", "axes"), "rad/s", "angular velocities w, along the axes of the body"),
    "angular_acceleration_at_rest": (("bodies", "axes"), "rad/s^2", "angular accelerations for dv/dt = 0"),
    "angular_acceleration": (("bodies", "axes"), "rad/s^2", "angular accelerations"),
    "velocity": (("bodies", "axes"), "m/s", "velocities of the mass centres, along the axes of carriers"),
    "acceleration_at_rest": (("bodies", "axes"), "m/s^2", "accelerations of the mass centres for dv/dt = 0"),
    "acceleration": (("bodies", "axes"), "m/s^2", "accelerations of the mass centres"),
    "inertia_torque": (("bodies", "axes"), "N m", "inertia torques T*, along the axes of the body"),
    "inertia_force": (("bodies", "axes"), "N", "inertia forces R*, along the axes of carriers"),
    "weight": (("bodies", "axes"), "N", "weights, along the axes of carriers"),
    "partial_angular_velocity": (
        ("bodies", "all speeds", "axes"),
        "1, 1/m",
        "partial angular velocities w_r, along the axes of the body",
    ),
    "partial_velocity": (
        ("bodies", "all speeds", "axes"),
        "m, 1",
        "partial velocities v_r of the mass centres, along the axes of carriers",
    ),
    "inertia_force_of_body": (
        ("bodies", "all speeds"),
        "N m, N",
        "what each body adds to the generalized inertia forces",
    ),
    "weight_of_body": (
        ("bodies", "all speeds"),
        "N m, N",
        "what the weight of each body adds to the generalized active forces",
    ),
}
"""What there is of each body, by the names of outputs: shapes, units and words."""

TABLES: dict[str, _Row] = {
    "joint_rates": (("joints",), "rad/s, m/s", "rates of the joints of the tree"),
    "rates_for_speeds": (("joints", "all speeds"), "", "rates of the joints for each speed = 1"),
    "resisting": (("joints",), "N m, N", "forces of springs and friction on the joints"),
    "mass": (("speeds", "speeds"), "kg m^2, kg m, kg", "X, what dv/dt is multiplied by in K*"),
    "inertia_force_at_rest": (("speeds",), "N m, N", "K* for dv/dt = 0"),
    "generalized_inertia_force": (("all speeds",), "N m, N", "K*"),
    "generalized_active_force": (("all speeds",), "N m, N", "K of weight, springs and friction"),
    "right_side": (("speeds",), "N m, N", "b of X dv/dt = b - tau"),
    "driving_force": (("speeds",), "N m, N", "tau, what the drives add to K so that K + K* = 0"),
    "auxiliary_forces": (("auxiliary",), "", "forces of the constraints"),
}
"""What there is of the whole mechanism; speeds are followed by auxiliary ones where ``all`` are meant."""
