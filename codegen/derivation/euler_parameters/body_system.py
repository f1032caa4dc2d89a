"""A mechanism in body coordinates with one of its kernels in the making: the model, its graph and arguments."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from kanegen.codegen.derivation.euler_parameters.body_model import BodyModel
from kanegen.codegen.derivation.euler_parameters.library import Library, Motion
from kanegen.codegen.derivation.euler_parameters.rows import Normalisation, Row, SquaredDistance
from kanegen.codegen.derivation.euler_parameters.states import SIZE, Point, States
from kanegen.codegen.derivation.kernels.contract import Arguments, Contract
from kanegen.codegen.graph import Expression, Graph, Program, constant, inputs
from kanegen.codegen.mechanism.values import Lift

SOURCE = "Euler parameters and multipliers (Sim, Yoo & Lee 1985)"

NORMALISATION = "normalisation"
HELD = "held"


class BodySystem:
    """Rows of all constraints, and inputs by name; what is not an input of the program is never asked for."""

    def __init__(self, model: BodyModel) -> None:
        self.model, self.mechanism = model, model.chain.mechanism
        self.arguments = _arguments(model)
        self.graph = Graph()
        self.lift = Lift(self.graph, live=True)  # what is still symbolic in the chain stays live
        self.library = Library(self.lift, model.places)
        self.count, self.nq = len(model.kept), len(self.mechanism.coordinates)
        self.zero = constant(self.graph, 0)
        self._asked: list[str] = []

    # -- inputs ------------------------------------------------------------------------------------------------------

    def states(self, moving: bool = False) -> States:
        """Inputs x, and xdot if ``moving``."""
        x = self.input("x", "x")
        return States(self.graph, x, self.input("xdot", "x") if moving else ())

    def joint_vector(self, name: str) -> Sequence[Expression]:
        """Input q, v or a: coordinates of the tree and their derivatives."""
        return self.input(name, "nq")

    def strut_vector(self, name: str) -> Sequence[Expression]:
        """Input l, v or a: lengths of the struts and their derivatives."""
        return self.input(name, "struts")

    def input(self, name: str, size: str) -> Sequence[Expression]:
        """An input, as large as the size of that name."""
        self._asked.append(name)
        return inputs(self.graph, name, self.arguments.sizes[size])

    # -- rows --------------------------------------------------------------------------------------------------------

    def joint_rows(self) -> list[tuple[str, str, Row]]:
        """Name, kind and row of every joint's constraints, then of the normalisations."""
        found: list[tuple[str, str, Row]] = []
        for connection in self.model.connections:
            rows = self.library.joint_rows(connection)
            held = sum(drive.coordinate is None for drive in connection.drives)
            for place, row in enumerate(rows):
                kind = connection.kind.value if place < len(rows) - held else HELD
                found.append((connection.name, kind, row))
        for body, link in enumerate(self.model.bodies):
            found.append((link.name, NORMALISATION, Normalisation(body)))
        return found

    def driving_rows(
        self, q: Sequence[Expression], v: Sequence[Expression] = (), a: Sequence[Expression] = ()
    ) -> list[Row]:
        """The driving constraint of every coordinate; v and a matter to gamma alone."""
        rates, accelerations = v or [self.zero] * self.nq, a or [self.zero] * self.nq
        return [
            self.library.drive_row(connection, drive, Motion(q[k], rates[k], accelerations[k]))
            for k, (connection, drive) in enumerate(self.model.driven())
        ]

    def strut_rows(
        self, l: Sequence[Expression] = (), v: Sequence[Expression] = (), a: Sequence[Expression] = ()
    ) -> list[SquaredDistance]:
        """The driving constraint (35) of every strut; l matters to the value and to gamma, v and a to gamma alone."""
        none = [self.zero] * len(self.model.struts)
        return [
            SquaredDistance(self.point(strut.first), self.point(strut.second), *motion)
            for strut, *motion in zip(self.model.struts, l or none, v or none, a or none, strict=True)
        ]

    def point(self, frame: str) -> Point:
        """The origin of a named frame."""
        placed = self.mechanism.frame(frame)
        link = self.model.chain.index(placed.body)
        arm = self.lift.vector(self.model.chain.from_center(link, placed.position))
        return Point(self.model.places[link], arm)

    # -- results -----------------------------------------------------------------------------------------------------

    def program(self, contract: Contract, entries: Any, **words: str) -> Program:
        """The program with the entries of its output; inputs are those that were asked for, in that order."""
        slots = {slot.name: slot for slot in contract.takes}
        taken = replace(contract, takes=tuple(slots[name] for name in dict.fromkeys(self._asked)))
        return taken.program(self.arguments, self.graph, [entries], SOURCE, **words)


def _arguments(model: BodyModel) -> Arguments:
    """The arguments of the tree's coordinates, with those of bodies and struts."""
    struts = ", ".join(f"from {strut.first} to {strut.second}" for strut in model.struts)
    return Arguments.of(model.chain.mechanism).more(
        {"x": SIZE * len(model.kept), "struts": len(model.struts)},
        bodies="in the order " + ", ".join(link.name for link in model.bodies),
        struts=f"in the order {struts}",
        connections=", ".join(connection.name for connection in model.connections),
    )
