"""What resists the joints of a tree: springs and dampers, friction, and the rotors of ball joints as they are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from kanegen.codegen.derivation.motion_maps.leaning import rotors_do_not_lean
from kanegen.codegen.derivation.motion_maps.motion_map import TreeForces, TreeMotion, Vector
from kanegen.codegen.derivation.resistance.elastic import Elastic
from kanegen.codegen.derivation.resistance.friction import friction_forces
from kanegen.codegen.derivation.resistance.separation import by_direction
from kanegen.codegen.graph import Expression, Graph, Program, compose, constant, inputs
from kanegen.codegen.mechanism.records import Mechanism
from kanegen.codegen.mechanism.values import Lift


class Resistance:
    """What drives on the joints of a mechanism's ``tree`` must supply beyond what its bodies need.

    The mechanism and its tree have numbers for parameters that are not live.
    """

    def __init__(self, mechanism: Mechanism, tree: Mechanism) -> None:
        self.mechanism, self._tree = mechanism, tree
        joints = {joint.name: joint for joint in mechanism.joints}
        self.joints = [joints.get(name) for name in tree.coordinates]  # none for modes of flexible links
        self.tree = replace(tree, springs=mechanism.springs)

    def forces(
        self, motion: TreeMotion, lift: Lift, placements: Mapping[str, Expression]
    ) -> list[Expression]:
        """On each joint in a motion; springs alone at rest.

        With the correction for rotors of ball joints, which the tree takes for those of its joints.
        """
        found = self._springs(motion, lift.graph, placements)
        if motion.v is None:
            return found
        rubbing = friction_forces(self.joints, motion.v, lift)
        found = [x + y for x, y in zip(found, rubbing, strict=True)]
        for j, x in rotors_do_not_lean(self.mechanism, motion.v, lift).items():
            found[j] = found[j] + x
        return found

    def by_direction(self) -> tuple[Resistance, Resistance]:
        """Without the springs whose forces have no direction where their ends meet, and with these springs alone."""
        directed, undirected = by_direction(self.mechanism, live=True)
        return Resistance(directed, self._tree), Resistance(undirected, self._tree)

    def with_springs(
        self, forces: TreeForces, motion: TreeMotion, graph: Graph, placements: Mapping[str, Expression]
    ) -> TreeForces:
        """Forces on the tree's joints and those of springs between points, with their derivatives."""
        if not self.mechanism.springs:
            return forces
        elastic, rates = self._elastic()
        n = len(rates)
        by_q, by_rates = elastic.derivatives(rates)
        results = [*elastic.forces(rates), *(x for row in (*by_q, *by_rates) for x in row)]
        found = _composed(results, motion, graph, placements)
        values, *slopes = [found[k : k + n] for k in range(0, len(found), n)]
        derivatives = dict(forces.derivatives)
        for name, rows in (("q", slopes[:n]), ("v", slopes[n:])):
            derivatives[name] = [_added(x, y) for x, y in zip(derivatives[name], rows, strict=True)]
        return replace(forces, values=_added(forces.values, values), derivatives=derivatives)

    def energy(self, motion: TreeMotion, lift: Lift, placements: Mapping[str, Expression]) -> Expression:
        """Energy stored in the springs."""
        if not self.mechanism.springs:
            return constant(lift.graph, 0)
        elastic, _ = self._elastic()
        return _composed([elastic.energy()], motion, lift.graph, placements)[0]

    def _springs(
        self, motion: TreeMotion, graph: Graph, placements: Mapping[str, Expression]
    ) -> list[Expression]:
        if not self.mechanism.springs:
            return [constant(graph, 0)] * len(self.joints)
        elastic, rates = self._elastic()
        return _composed(elastic.forces(None if motion.v is None else rates), motion, graph, placements)

    def _elastic(self) -> tuple[Elastic, tuple[Expression, ...]]:
        """The springs on the tree's joints, over a graph of its own with inputs q and v of these."""
        graph, n = Graph(), len(self.joints)
        lift = Lift(graph, self.tree.parameters, live=True)
        return Elastic(self.tree, inputs(graph, "q", n), lift), inputs(graph, "v", n)


def _added(u: Vector, v: Vector) -> list[Expression]:
    return [x + y for x, y in zip(u, v, strict=True)]


def _composed(
    results: Vector, motion: TreeMotion, graph: Graph, placements: Mapping[str, Expression]
) -> list[Expression]:
    program = Program("", "", "", (), (), results[0].graph, (tuple(x.ref for x in results),))
    given = {"q": motion.q} if motion.v is None else {"q": motion.q, "v": motion.v}
    return compose(program, graph, given, None, placements)[0]
