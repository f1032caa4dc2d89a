"""Describe in Python what ties the joints together, drives them or resists them, and the speeds, home and laws."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import sympy

from kanegen.codegen.mechanism.constraints import (
    Constraint,
    KnifeEdge,
    Loop,
    LoopKind,
    PositionConstraint,
    PrescribedRate,
    RollingContact,
    SpringDamper,
    TorsionalSpringDamper,
    TranslationalSpringDamper,
    VelocityConstraint,
)
from kanegen.codegen.mechanism.control_law import ControlLaw
from kanegen.codegen.mechanism.readers import read_list, read_value
from kanegen.codegen.mechanism.records import BASE, Value
from kanegen.codegen.mechanism.speeds import GeneralizedSpeed
from kanegen.codegen.mechanism.validation import check_new_name
from kanegen.codegen.mechanism.values import Scalar


class MotionBuilder:
    """How the joints of a mechanism may move, and what moves them.

    Every method raises ModelError for a value that is wrong by itself.
    """

    def __init__(self) -> None:
        self._laws: list[tuple[ControlLaw, Mapping[str, sympy.Expr] | None]] = []
        self._loops: list[Loop] = []
        self._constraints: list[Constraint] = []
        self._prescribed: list[PrescribedRate] = []
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

    def position_constraint(self, name: str, expression: sympy.Expr, q: Sequence[sympy.Symbol]) -> None:
        """An equation of position: ``expression`` = 0 in symbols ``q`` for all coordinates.

        Symbols that are called like coordinates may come in any order; others stand for the coordinate of their place.
        """
        self._new_constraint(name)
        symbols = read_list(f"constraint {name!r}, q", q, sympy.Expr, "symbol")
        self._constraints.append(PositionConstraint(name, symbols, expression))

    def velocity_constraint(
        self, name: str, expression: sympy.Expr, q: Sequence[sympy.Symbol], qdot: Sequence[sympy.Symbol]
    ) -> None:
        """An equation of velocity: ``expression`` = 0, linear in the rates ``qdot`` of the coordinates ``q``.

        A rate is that of the coordinate beside it, unless its name says another one, as dq1, q1_dot or rate(q1) do.
        """
        self._new_constraint(name)
        symbols = read_list(f"constraint {name!r}, q", q, sympy.Expr, "symbol")
        rates = read_list(f"constraint {name!r}, qdot", qdot, sympy.Expr, "symbol")
        self._constraints.append(VelocityConstraint(name, symbols, rates, expression))

    def _new_constraint(self, name: str) -> None:
        known = [constraint.name for constraint in self._constraints]
        check_new_name("constraint", name, [*known, *(loop.name for loop in self._loops)])

    def prescribe(self, joint: str, rate: Scalar = 0) -> None:
        """A joint that is no coordinate but moves at a constant rate [rad/s, m/s].  See ``PrescribedRate``."""
        self._prescribed.append(PrescribedRate(joint, read_value(f"prescribed joint {joint!r}, rate", rate)))

    def torsional_spring(
        self, name: str, joint: str, stiffness: Scalar = 0, damping: Scalar = 0, rest: Scalar = 0
    ) -> None:
        """A spring [N m/rad, N/m] and damper on a joint.  See ``TorsionalSpringDamper``."""
        k, c, at = (read_value(f"spring {name!r}", x) for x in (stiffness, damping, rest))
        check_new_name("spring", name, [spring.name for spring in self._springs])
        self._springs.append(TorsionalSpringDamper(name, joint, k, c, at))

    def translational_spring(
        self, name: str, first: str, second: str, stiffness: Scalar = 0, damping: Scalar = 0, rest: Scalar = 0
    ) -> None:
        """A spring [N/m] and damper [N s/m] between two frames.  See ``TranslationalSpringDamper``."""
        k, c, at = (read_value(f"spring {name!r}", x) for x in (stiffness, damping, rest))
        check_new_name("spring", name, [spring.name for spring in self._springs])
        self._springs.append(TranslationalSpringDamper(name, first, second, k, c, at))

    def speeds(self, speeds: Iterable[GeneralizedSpeed]) -> None:
        """The independent generalized speeds v of a constrained mechanism, as many as it has degrees of freedom."""
        self._speeds = read_list("speeds", speeds, GeneralizedSpeed, "generalized speed")

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
        forces: Sequence[sympy.Expr | float] | Mapping[str, sympy.Expr | float],
        time: sympy.Symbol,
        q: Sequence[sympy.Symbol],
        v: Sequence[sympy.Symbol],
        title: str = "control law",
        source: str = "",
    ) -> None:
        """A control law, compiled as the kernel ``name`` (t, q, v -> tau) together with the dynamics.

        ``forces`` are the generalized forces [N m, N] on the speeds (the rates of the coordinates, unless ``speeds`` chose
        others), in their order or by the names of their joints: SymPy expressions in ``time`` [s], ``q``, ``v``, and symbols
        named like parameters.  Symbols called like coordinates or their rates may come in any order, if forces are given by
        name; others stand for what has their place.  See ``ControlLaw``.
        """

        def exact(force: Any) -> Any:
            return sympy.sympify(force) if isinstance(force, int | float) else force

        at, rates = (
            read_list(f"law {name!r}, {what}", x, sympy.Expr, "symbol") for what, x in (("q", q), ("v", v))
        )
        if isinstance(forces, Mapping):
            by_name = {str(joint): exact(force) for joint, force in forces.items()}
            self._laws.append((ControlLaw(name, title, source, time, at, rates, ()), by_name))
        else:
            listed = tuple(map(exact, read_list(f"law {name!r}, forces", forces, object, "expression")))
            self._laws.append((ControlLaw(name, title, source, time, at, rates, listed), None))
