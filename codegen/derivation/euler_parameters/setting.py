"""One program in the making: the model, its graph and arguments."""

from __future__ import annotations

from collections.abc import Sequence

from kanegen.codegen.derivation.euler_parameters.library import Library, Motion
from kanegen.codegen.derivation.euler_parameters.model import BodyModel
from kanegen.codegen.derivation.euler_parameters.rows import Normalisation, Row, SquaredDistance
from kanegen.codegen.derivation.euler_parameters.states import SIZE, Point, States
from kanegen.codegen.graph import Argument, Expression, Graph, Program, constant, inputs
from kanegen.codegen.mechanism.records import JointKind, Mechanism
from kanegen.codegen.mechanism.values import Lift

SOURCE = "Euler parameters and multipliers (Sim, Yoo & Lee 1985)"

NORMALISATION = "normalisation"
HELD = "held"


class Setting:
    """Rows of all constraints, and inputs by name; what is not an input of the program is never asked for."""

    def __init__(self, model: BodyModel) -> None:
        self.model, self.mechanism = model, model.chain.mechanism
        self.graph = Graph()
        self.lift = Lift(self.graph, live=True)  # what is still symbolic in the chain stays live
        self.library = Library(self.lift, model.places)
        self.count, self.nq = len(model.kept), len(self.mechanism.coordinates)
        self.zero = constant(self.graph, 0)
        self._arguments: dict[str, Argument] = {}

    # -- inputs ------------------------------------------------------------------------------------------------------

    def states(self, moving: bool = False) -> States:
        """Inputs x, and xdot if ``moving``."""
        x = self._input(coordinates_argument(self.model))
        return States(self.graph, x, self._input(rates_argument(self.model)) if moving else ())

    def joint_vector(self, name: str) -> Sequence[Expression]:
        """Input q, v or a: coordinates of the tree and their derivatives."""
        units = {"q": ("rad", "m"), "v": ("rad/s", "m/s"), "a": ("rad/s^2", "m/s^2")}[name]
        meaning = {"q": "joint coordinates", "v": "their rates dq/dt", "a": "their second derivatives"}[name]
        return self._input(on_coordinates(self.mechanism, name, units, meaning))

    def strut_vector(self, name: str) -> Sequence[Expression]:
        """Input l, v or a: lengths of the struts and their derivatives."""
        unit = {"l": "m", "v": "m/s", "a": "m/s^2"}[name]
        meaning = {"l": "lengths of the struts", "v": "their rates", "a": "their second derivatives"}[name]
        return self._input(on_struts(self.model, name, unit, meaning))

    def multipliers(self, count: int, meaning: str) -> Sequence[Expression]:
        """Input lambda, one for each row of a constraint kernel."""
        return self._input(Argument("lambda", (count,), "N m, N", meaning))

    def _input(self, argument: Argument) -> Sequence[Expression]:
        self._arguments[argument.name] = argument
        return inputs(self.graph, argument.name, argument.size)

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
        self, l: Sequence[Expression], v: Sequence[Expression] = (), a: Sequence[Expression] = ()
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

    def program(self, name: str, title: str, output: Argument, values: Sequence[Expression]) -> Program:
        """The program with one output; inputs are those that were asked for, in that order."""
        return Program(
            name=name,
            title=title,
            source=SOURCE,
            inputs=tuple(self._arguments.values()),
            outputs=(output,),
            graph=self.graph,
            results=(tuple(value.ref for value in values),),
        )


def coordinates_argument(model: BodyModel) -> Argument:
    """x."""
    text = "mass centre in the base frame and Euler parameters e0 ... e3 of the frame of each body"
    return Argument("x", (SIZE * len(model.kept),), "m, 1", f"{text}, {_order(model)}")


def rates_argument(model: BodyModel) -> Argument:
    """xdot."""
    return Argument("xdot", (SIZE * len(model.kept),), "m/s, 1/s", f"rates of x, {_order(model)}")


def on_coordinates(mechanism: Mechanism, name: str, units: tuple[str, str], meaning: str) -> Argument:
    """A vector with one entry for each coordinate of the tree; ``units`` are those of turns and of slides."""
    kinds = [mechanism.joint(joint).kind for joint in mechanism.coordinates]
    both = zip(units, (JointKind.REVOLUTE, JointKind.PRISMATIC), strict=True)
    unit = ", ".join(u for u, kind in both if kind in kinds)
    order = ", ".join(mechanism.coordinates)
    return Argument(name, (len(kinds),), unit, f"{meaning}, in the order {order}")


def on_struts(model: BodyModel, name: str, unit: str, meaning: str) -> Argument:
    """A vector with one entry for each strut."""
    struts = model.struts
    order = ", ".join(f"from {strut.first} to {strut.second}" for strut in struts)
    return Argument(name, (len(struts),), unit, f"{meaning}, in the order {order}")


def _order(model: BodyModel) -> str:
    return "in the order " + ", ".join(link.name for link in model.bodies)
