"""A mechanism with one of its kernels in the making: what moves, what resists, and the graph that they are written in.

A system is the dynamics of a tree, a map from the speeds of the mechanism to the joints of the tree, and what resists
these joints.  Kernels (kernels/) are written once over it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from kanegen.codegen.derivation.kernels.catalogue import contract_of
from kanegen.codegen.derivation.kernels.contract import Arguments, Contract, flat
from kanegen.codegen.derivation.meanings import mean_each
from kanegen.codegen.derivation.motion_maps.motion_map import MotionMap, Rows, TreeMotion, Vector
from kanegen.codegen.derivation.placed_tree.choices import Choices
from kanegen.codegen.derivation.placed_tree.deriver import Build
from kanegen.codegen.derivation.placed_tree.placement import PlacedTree
from kanegen.codegen.derivation.recursive.tree_dynamics import TreeDynamics
from kanegen.codegen.derivation.resistance.on_tree import Resistance
from kanegen.codegen.graph import Expression, Program, compose, constant, inputs
from kanegen.codegen.mechanism.records import Mechanism
from kanegen.codegen.mechanism.values import Lift
from kanegen.errors import ModelError

Dynamics = Callable[..., TreeDynamics]
"""Tree, its mechanism, choices, graph, q, and v and a where it moves -> its dynamics."""


class System:
    """One kernel in the making, on the inputs q, v, a and tau of its graph."""

    def __init__(
        self, foundation: Foundation, tree: PlacedTree | None, tree_mechanism: Mechanism, choices: Choices
    ) -> None:
        self.foundation, self.mechanism = foundation, foundation.mechanism
        self.arguments, self.dynamics = foundation.arguments, foundation.dynamics
        self.tree, self.tree_mechanism, self.choices = tree, tree_mechanism, choices
        self.graph = choices.graph()
        self.zero = constant(self.graph, 0)
        self.nq, self.nv = self.arguments.nq, self.arguments.nv
        self.joints = len(foundation.tree.coordinates)
        self.q = inputs(self.graph, "q", self.nq)
        self.lift = Lift(self.graph, self.mechanism.parameters, live=foundation.live)
        self.map = foundation.motion_map(self)
        self.resistance = Resistance(self.mechanism, foundation.tree)
        self.labels: dict[int, str] = {}
        self._sources: dict[str, None] = {}

    def input(self, name: str, count: int | None = None) -> tuple[Expression, ...]:
        """Entries of an input, as many as there are speeds unless told."""
        return inputs(self.graph, name, self.nv if count is None else count)

    @property
    def rest(self) -> list[Expression]:
        """No speeds, or none of their derivatives."""
        return [self.zero] * self.nv

    # -- the tree ----------------------------------------------------------------------------------------------------

    def of_tree(self, ask: Callable[..., Any], motion: TreeMotion, **more: Vector) -> Any:
        """What ``ask`` gets of the dynamics of the tree in a motion, and of ``more`` inputs by name: expressions, nested.

        It is derived in place where the motion is that of the mechanism's own coordinates and speeds, and otherwise in a
        graph of its own, from which it is carried here.
        """
        assert self.tree is not None, "only what needs no tree is built without one"
        given = {"q": motion.q, "v": motion.v, "a": None if motion.steady else motion.a}
        here = not self.map.placements() and all(map(self._is_input, given, given.values()))
        graph = self.graph if here else self.choices.graph("tree")
        moving = [x if x is None or here else inputs(graph, name, self.joints) for name, x in given.items()]
        besides = more if here else {name: inputs(graph, name, len(x)) for name, x in more.items()}
        dynamics = self.dynamics(self.tree, self.tree_mechanism, self.choices, graph, *moving)
        found = ask(dynamics, **besides)
        self._sources |= dynamics.sources
        if here:
            self.labels |= {node: x for node, x in dynamics.labels.items() if node not in self.labels}
            return found
        entries = flat(found)
        program = Program("", "", "", (), (), graph, (tuple(x.ref for x in entries),), dynamics.labels)
        arguments = {name: x for name, x in (*given.items(), *more.items()) if x is not None}
        placements = self.map.placements()
        known = self.choices.composed(arguments, placements)
        labels = self.labels if known is None else None
        carried = compose(program, self.graph, arguments, labels, placements, known)[0]
        return _nested(found, iter(carried))

    def _is_input(self, name: str, values: Vector | None) -> bool:
        """Whether these are the entries of the input of that name, or there are none."""
        if values is None:
            return True
        own = self.q if name == "q" else self.input(name)
        return [x.ref for x in values] == [x.ref for x in own]

    # -- forces and inertia ------------------------------------------------------------------------------------------

    def forces(self, motion: TreeMotion) -> list[Expression]:
        """Generalized forces on the joints of the tree in a motion, resistance overcome."""
        found = self.of_tree(lambda tree: tree.forces(), motion)
        mean_each(found, "on joint", self.foundation.tree.coordinates)
        return [x + y for x, y in zip(found, self.resisting(motion), strict=True)]

    def resisting(self, motion: TreeMotion) -> list[Expression]:
        """What overcomes springs and friction, on the joints of the tree."""
        return self.resistance.forces(motion, self.lift, self.map.placements())

    def driving(self, v: Vector | None = None, a: Vector | None = None) -> list[Expression]:
        """Generalized forces on the speeds that a motion with these speeds and their derivatives needs; at rest without."""
        return self.map.on_speeds(self.forces(self.map.motion(v, a)))

    def balance(self, v: Vector, tau: Vector) -> tuple[list[Expression], Vector]:
        """What accelerates the free rates, and derivatives of the speeds where nothing does."""
        motion, drift = self.map.drifting(v)
        return self.map.unbalanced(tau, self.forces(motion)), drift

    def spring_energy(self) -> Expression:
        """Energy stored in the springs."""
        return self.resistance.energy(self.map.motion(), self.lift, self.map.placements())

    def tree_inertia(self) -> list[list[Expression]]:
        """Mass matrix on the joints of the tree."""
        found: list[list[Expression]] = self.of_tree(lambda tree: tree.mass_matrix(), self.map.motion())
        return found

    def inertia(self) -> Rows:
        """Mass matrix on the speeds."""
        return self.map.on_both_sides(self.tree_inertia())

    def free_inertia(self) -> Rows:
        """Mass matrix on the free rates."""
        return self.map.free_inertia(self.tree_inertia())

    def resisted_inertia(self) -> Rows:
        """The same, where inertia resists every motion.  Raises NoInertiaError elsewhere."""
        inertia = self.free_inertia()
        self.foundation.require_inertia(self, inertia)
        return inertia

    # -- the result --------------------------------------------------------------------------------------------------

    def program(
        self,
        contract: Contract,
        results: Sequence[Any],
        *,
        source: str | None = None,
        name: str | None = None,
        **words: str,
    ) -> Program:
        """The program with these results.  Its source is that of all programs of the tree in it, unless given."""
        if source is None:
            source = "; ".join(self._sources) + (self.map.carried if contract.through_speeds else "")
        return contract.program(self.arguments, self.graph, results, source, self.labels, name=name, **words)


def _nested(like: Any, values: Iterator[Expression]) -> Any:
    """Values in the nested lists of others."""
    return next(values) if isinstance(like, Expression) else [_nested(part, values) for part in like]


Make = Callable[[System], Program]


@dataclass(frozen=True, eq=False)
class Foundation:
    """What all kernels of one mechanism are made from.

    ``mechanism`` and ``tree`` have numbers for parameters that are not ``live``; ``dynamics`` makes those of the tree.
    ``require_inertia`` raises NoInertiaError where no inertia resists a motion, given the mass matrix on the free rates.
    ``system`` is another one where a formulation forms forces on the speeds itself.  Such mechanisms have kernels of their
    ``own``, by name, and ``lack`` some of those on demand.  Their derivatives go ``through_tree``, from composites, or are
    those of whole programs.  ``finished`` takes the kernels to other coordinates than those that they are written in.
    """

    mechanism: Mechanism
    tree: Mechanism
    arguments: Arguments
    dynamics: Dynamics
    live: bool
    motion_map: Callable[[System], MotionMap]
    require_inertia: Callable[[System, Rows], None]
    system: type[System] = System
    own: Callable[[], Mapping[str, Make]] = dict
    lacks: Collection[Contract] = ()
    through_tree: bool = True
    finished: Callable[[dict[str, Build]], dict[str, Build]] | None = None


def kernels_of(foundation: Foundation, made: Mapping[str, Make]) -> dict[str, Build]:
    """Kernels by name, each from a function of its system.

    What gives nothing but forces on speeds, or derivatives by these, raises ModelError where there are no speeds.
    """

    def build(name: str, make: Make) -> Build:
        def built(tree: PlacedTree, mechanism: Mechanism, choices: Choices) -> Program:
            contract = contract_of(name)
            if contract is not None and not foundation.arguments.has_any(contract.gives):
                raise ModelError(
                    f"mechanism {foundation.mechanism.name!r}",
                    f"has no speeds, as its equations decide all of its motion, and {name} nothing to give",
                    "a degree of freedom",
                    "Ask for constraint_forces: they are the forces that drive it.",
                )
            return make(foundation.system(foundation, tree, mechanism, choices))

        return built

    builds = {name: build(name, make) for name, make in made.items()}
    return builds if foundation.finished is None else foundation.finished(builds)
