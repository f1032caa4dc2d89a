"""Describe in Python what ties the joints together, drives them or resists them, and the speeds, home and laws."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from kanegen.codegen.graph import Graph
from kanegen.codegen.graph.late import sympy
from kanegen.codegen.mechanism.constraints import (
    Constraint,
    KnifeEdge,
    Loop,
    LoopKind,
    PositionConstraint,
    Prescribed,
    PrescribedMotion,
    PrescribedRate,
    RollingContact,
    SpringDamper,
    TorsionalSpringDamper,
    TranslationalSpringDamper,
    VelocityConstraint,
)
from kanegen.codegen.mechanism.control_law import ControlLaw, LawState, referred
from kanegen.codegen.mechanism.expression_text import from_text
from kanegen.codegen.mechanism.force_elements import Bushing, Displacement, ForceElement, ForceLaw, JointSum
from kanegen.codegen.mechanism.motion_tables import tabular_motion
from kanegen.codegen.mechanism.readers import read_list, read_term, read_value
from kanegen.codegen.mechanism.records import BASE, Value
from kanegen.codegen.mechanism.speeds import GeneralizedSpeed, on_equation
from kanegen.codegen.mechanism.validation import check_new_name
from kanegen.codegen.mechanism.validation.named_symbols import in_symbols
from kanegen.codegen.mechanism.values import Scalar
from kanegen.errors import ModelError
from kanegen.laws import Law


def _time() -> sympy.Symbol:
    """Time [s] where no symbol is given for it."""
    return sympy.Symbol("t")


def state(name: str, rate: sympy.Expr | float, initial: Scalar = 0) -> LawState:
    """A state of a control law, by its name: see ``MechanismBuilder.law``.  Raises ModelError."""
    expression = sympy.sympify(rate) if isinstance(rate, int | float) else rate
    begin = read_value(f"state {name!r}, initial", initial)
    if not isinstance(begin, Fraction):
        raise ModelError(f"state {name!r}, initial", "depends on parameters", "a number", "Give the number.")
    return LawState(sympy.Symbol(name, real=True), expression, begin)


class MotionBuilder:
    """How the joints of a mechanism may move, and what moves them.

    Every method raises ModelError for a value that is wrong by itself.
    """

    _graph: Graph
    """That of expressions in parameters."""

    def __init__(self) -> None:
        self._laws: list[tuple[ControlLaw, Mapping[str, sympy.Expr] | None]] = []
        self._laws_of_library: dict[str, Law] = {}
        self._loops: list[Loop] = []
        self._constraints: list[Constraint] = []
        self._prescribed: list[Prescribed] = []
        self._springs: list[SpringDamper] = []
        self._speeds: tuple[GeneralizedSpeed, ...] = ()
        self._home: tuple[Value, ...] | Mapping[str, Value] = ()

    def loop(self, name: str, kind: LoopKind, first: str, second: str) -> None:
        """Close a loop with a joint between two frames; its axis is the z axis of both.  See ``Loop``."""
        check_new_name("loop", name, [loop.name for loop in self._loops])
        self._loops.append(Loop(name, kind, first, second))

    def rolling(
        self, name: str, wheel: str, radius: Scalar, ground: str = BASE, contact: str | None = None
    ) -> None:
        """A thin wheel that rolls without slip on the xy plane of the frame ``ground``.  See ``RollingContact``."""
        self._new_constraint(name)
        r = read_value(f"rolling contact {name!r}, radius", radius)
        self._constraints.append(RollingContact(name, wheel, r, ground, contact))

    def knife_edge(self, name: str, edge: str, ground: str = BASE) -> None:
        """A sharp edge along x of the frame ``edge``: its origin does not move along y of it.  See ``KnifeEdge``."""
        self._new_constraint(name)
        self._constraints.append(KnifeEdge(name, edge, ground))

    def position_constraint(
        self, name: str, expression: sympy.Expr | str, q: Sequence[sympy.Expr] = ()
    ) -> None:
        """An equation of position: ``expression`` = 0 in coordinates and parameters, by their names; or a text, a = b.

        Time is t [s], and joints whose motion is a function of time go by their names, too.  So do coordinates of frames:
        hand.x, hand.y, hand.z [m] of the origin, hand.R11 to hand.R33 of the rotation matrix that carries components from
        the frame's axes to those of the base.  table.hand.x is seen from the frame table, along its axes.

        Or in symbols ``q`` for all coordinates: those that are called like coordinates may come in any order; others stand
        for the coordinate of their place.  Functions of time, q(t) of ``dynamicsymbols``, may stand for symbols.
        """
        self._new_constraint(name)
        where = f"constraint {name!r}"
        symbols = _symbols(f"{where}, q", q)
        self._constraints.append(
            PositionConstraint(name, symbols, in_symbols(where, from_text(where, expression)))
        )

    def velocity_constraint(
        self,
        name: str,
        expression: sympy.Expr | str,
        q: Sequence[sympy.Expr] = (),
        qdot: Sequence[sympy.Expr] = (),
    ) -> None:
        """An equation of velocity: ``expression`` = 0 in coordinates, parameters, and linear in rates, by their names.

        The rate of q1 may be called dq1, q1_dot or rate(q1), and be the derivative of q1(t); that of a coordinate of a frame
        is rate(hand.x).  Text is taken as for ``position_constraint``.  Or in symbols ``q`` for all
        coordinates and ``qdot`` for all rates: one is that of the coordinate beside it, unless its name says another one.
        """
        self._new_constraint(name)
        where = f"constraint {name!r}"
        symbols, rates = _symbols(f"{where}, q", q), _symbols(f"{where}, qdot", qdot)
        self._constraints.append(
            VelocityConstraint(name, symbols, rates, in_symbols(where, from_text(where, expression)))
        )

    def _new_constraint(self, name: str) -> None:
        known = [constraint.name for constraint in self._constraints]
        check_new_name("constraint", name, [*known, *(loop.name for loop in self._loops)])

    def prescribe(
        self,
        joint: str,
        rate: Scalar | None = None,
        motion: sympy.Expr | float | str | None = None,
        table: Iterable[Sequence[Scalar]] | None = None,
    ) -> None:
        """A joint that is no coordinate but moves as given, whatever force that takes.

        At a constant ``rate`` [rad/s, m/s], 0 by default: see ``PrescribedRate``.  Or its coordinate [rad, m] is a function
        of time: ``motion``, a SymPy expression or text in t [s] and parameters by their names, with two derivatives; or a
        ``table`` of points (t, x), see ``motion_tables.tabular_motion``.
        """
        where = f"prescribed joint {joint!r}"
        if sum(x is not None for x in (rate, motion, table)) > 1:
            raise ModelError(where, "has several motions", "a rate, a motion or a table", "Give one of them.")
        if motion is None and table is None:
            value = read_term(self._graph, f"{where}, rate", 0 if rate is None else rate)
            self._prescribed.append(PrescribedRate(joint, value))
            return
        given = from_text(where, motion) if table is None else tabular_motion(where, table, _time())
        expression = in_symbols(where, sympy.sympify(given) if isinstance(given, int | float) else given)
        self._prescribed.append(PrescribedMotion(joint, _time(), expression))

    def torsional_spring(
        self, name: str, joint: str, stiffness: Scalar = 0, damping: Scalar = 0, rest: Scalar = 0
    ) -> None:
        """A spring [N m/rad, N/m] and damper on a joint.  See ``TorsionalSpringDamper``."""
        k, c, at = (read_term(self._graph, f"spring {name!r}", x) for x in (stiffness, damping, rest))
        check_new_name("spring", name, [spring.name for spring in self._springs])
        self._springs.append(TorsionalSpringDamper(name, joint, k, c, at))

    def translational_spring(
        self, name: str, first: str, second: str, stiffness: Scalar = 0, damping: Scalar = 0, rest: Scalar = 0
    ) -> None:
        """A spring [N/m] and damper [N s/m] between two frames.  See ``TranslationalSpringDamper``."""
        k, c, at = (read_term(self._graph, f"spring {name!r}", x) for x in (stiffness, damping, rest))
        check_new_name("spring", name, [spring.name for spring in self._springs])
        self._springs.append(TranslationalSpringDamper(name, first, second, k, c, at))

    def force_element(self, name: str, displacement: Displacement | str, law: ForceLaw) -> None:
        """What resists a displacement, ``JointSum`` or ``PathLength``, or that of the joint of this name, by a law.

        Laws are in ``force_laws``, and add up.  See ``ForceElement``.
        """
        check_new_name("spring", name, [spring.name for spring in self._springs])
        if isinstance(displacement, str):
            displacement = JointSum((displacement,))
        self._springs.append(ForceElement(name, displacement, law))

    def bushing(
        self,
        name: str,
        first: str,
        second: str,
        stiffness: Iterable[Scalar] | Iterable[Iterable[Scalar]],
        damping: Iterable[Scalar] | Iterable[Iterable[Scalar]] = (0,) * 6,
    ) -> None:
        """A spring and damper against all relative motion of two frames, along the axes of the first.  See ``Bushing``.

        Six numbers (along x, y, z; about x, y, z) are a diagonal; else 6 x 6.
        """
        check_new_name("spring", name, [spring.name for spring in self._springs])
        k, c = (
            _matrix6(f"bushing {name!r}, {what}", x)
            for what, x in (("stiffness", stiffness), ("damping", damping))
        )
        self._springs.append(Bushing(name, first, second, k, c))

    def speeds(self, speeds: Iterable[GeneralizedSpeed]) -> None:
        """The independent generalized speeds v of a constrained mechanism, as many as it has degrees of freedom.

        There are none where equations with time decide all of the motion.
        """
        listed = read_list("speeds", speeds, GeneralizedSpeed, "generalized speed")
        self._speeds = tuple(on_equation(speed, _by_symbols) for speed in listed)

    def home(self, q: Sequence[Scalar] | Mapping[str, Scalar]) -> None:
        """A configuration [rad, m] in which or near which loops are closed: by the names of coordinates, or in their order.

        Coordinates that are not named stand at zero, quaternions at (0, 0, 0, 1).
        """
        if isinstance(q, Mapping):
            self._home = {str(name): read_value(f"home, {name}", x) for name, x in q.items()}
        else:
            self._home = tuple(read_value("home", x) for x in read_list("home", q, object, "number"))

    def law(
        self,
        name: str,
        forces: Law | Sequence[sympy.Expr | float] | Mapping[str, sympy.Expr | float],
        time: sympy.Symbol | None = None,
        q: Sequence[sympy.Expr] = (),
        v: Sequence[sympy.Expr] = (),
        title: str = "control law",
        source: str = "",
        states: Sequence[LawState] = (),
        references: Sequence[str] = (),
    ) -> None:
        """A control law, compiled as the kernel ``name`` (t, q, v -> tau) together with the dynamics.

        ``forces`` are the generalized forces [N m, N] on the speeds (the rates of the coordinates, unless ``speeds`` chose
        others), in their order or by the names of their joints: SymPy expressions in t [s] and in symbols named like
        coordinates q1, their rates dq1, q1_dot or rate(q1), and parameters.  In functions of time, too: q1(t) and its
        derivative, as ``dynamicsymbols`` makes them.  Or in symbols ``time``, ``q`` and ``v`` that are listed: those called
        like coordinates or their rates may come in any order, if forces are given by name; others stand for what has their
        place.

        ``states`` are those of the law itself, ``state("e", rate=q1 - 2, initial=0)``, whose symbols have their names: the
        kernel then takes x and gives xdot as well.  With ``reference("s")``, its rate ``reference("s", 1)`` and second
        derivative ``reference("s", 2)`` a law follows signals: the kernel takes r, three numbers for each, in the order of
        ``references`` (the alphabet by default).  ``quantity`` stands for what kernels of the mechanism give.  See
        ``ControlLaw``.  A law of ``kanegen.laws`` is taken as it is, in place of all of these.
        """
        if isinstance(forces, Law):
            check_new_name("law", name, [*self._laws_of_library, *(law.name for law, _ in self._laws)])
            self._laws_of_library[name] = forces
            return
        where = f"law {name!r}"

        def exact(force: Any) -> Any:
            return in_symbols(where, sympy.sympify(force) if isinstance(force, int | float) else force)

        own = tuple(
            LawState(in_symbols(where, s.symbol), exact(s.rate), s.initial)
            for s in read_list(f"{where}, states", states, LawState, "state(...)")
        )
        by_name = None
        if isinstance(forces, Mapping):
            by_name = {str(joint): exact(force) for joint, force in forces.items()}
            listed = tuple(by_name.values())
        else:
            listed = tuple(map(exact, read_list(f"{where}, forces", forces, object, "expression")))
        signals = read_list(f"{where}, references", references, str, "name")
        signals += tuple(s for s in referred((*listed, *(s.rate for s in own))) if s not in signals)
        at, rates = (_symbols(f"{where}, {what}", x) for what, x in (("q", q), ("v", v)))
        law = ControlLaw(
            name,
            title,
            source,
            in_symbols(where, _time() if time is None else time),
            at,
            rates,
            listed,
            own,
            signals,
        )
        self._laws.append((law, by_name))


def _by_symbols(item: VelocityConstraint) -> VelocityConstraint:
    where = f"speed {item.name!r}"
    return replace(item, expression=in_symbols(where, from_text(where, item.expression)))


def _symbols(where: str, given: Sequence[sympy.Expr]) -> tuple[sympy.Expr, ...]:
    return tuple(in_symbols(where, x) for x in read_list(where, given, sympy.Expr, "symbol"))


def _matrix6(where: str, given: Iterable[Any]) -> tuple[tuple[Value, ...], ...]:
    """Six rows of six, from these or from their diagonal."""
    rows = read_list(where, given, object, "number")
    nested = [isinstance(row, Iterable) and not isinstance(row, str) for row in rows]
    if any(nested) and all(nested):
        matrix = tuple(
            tuple(read_value(where, x) for x in read_list(where, row, object, "number")) for row in rows
        )
    else:
        diagonal = [read_value(where, x) for x in rows]
        matrix = tuple(
            tuple(x if i == j else Fraction(0) for j in range(len(rows))) for i, x in enumerate(diagonal)
        )
    if [len(row) for row in matrix] != [6] * 6:
        raise ModelError(where, f"has {len(matrix)} rows", "six numbers, or six rows of six", "Mend it.")
    return matrix
