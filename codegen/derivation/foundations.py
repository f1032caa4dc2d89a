"""What the kernels of a mechanism are made from: its tree's dynamics, and the map from its speeds to the tree's joints."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

from kanegen.codegen.derivation.flexible_links.dynamics import FlexibleDynamics
from kanegen.codegen.derivation.flexible_links.segments import arm_of, regrouped
from kanegen.codegen.derivation.kernels.catalogue import (
    ACTUATOR_FORCES,
    CENTROIDAL_MOMENTUM_MATRIX,
    CORIOLIS_MATRIX,
    FRAME_JACOBIAN_RATE,
    FULL_REGRESSOR,
    MASS_MATRIX,
    REGRESSOR,
)
from kanegen.codegen.derivation.kernels.constraints import constraint_kernels
from kanegen.codegen.derivation.kernels.contract import Arguments
from kanegen.codegen.derivation.kernels.dynamics import actuator_forces
from kanegen.codegen.derivation.kernels.flexible import flexible_kernels
from kanegen.codegen.derivation.motion_maps.chart import folded_chart, on_chart, resisted_balls
from kanegen.codegen.derivation.motion_maps.chosen_speeds import ChosenSpeeds
from kanegen.codegen.derivation.motion_maps.constrained import ConstrainedMap
from kanegen.codegen.derivation.motion_maps.joint_tree import keeps_parameters, tree_of_joints
from kanegen.codegen.derivation.motion_maps.joints import JointMap
from kanegen.codegen.derivation.motion_maps.motion_map import Rows, Vector
from kanegen.codegen.derivation.motion_maps.plan import Plan, make_plan, perturbed
from kanegen.codegen.derivation.motion_maps.quaternions import on_quaternions
from kanegen.codegen.derivation.motion_maps.resolved_speeds import joint_rates
from kanegen.codegen.derivation.motion_maps.spanning_tree import spanning_tree
from kanegen.codegen.derivation.placed_tree.choices import Choices
from kanegen.codegen.derivation.placed_tree.placement import PlacedTree, place
from kanegen.codegen.derivation.recursive.motion import Motion
from kanegen.codegen.derivation.recursive.regularity import require_regular_matrix, require_resisted
from kanegen.codegen.derivation.recursive.tree_dynamics import TreeDynamics
from kanegen.codegen.derivation.system import Dynamics, Foundation, Make, System
from kanegen.codegen.graph import Graph, inputs
from kanegen.codegen.mechanism.folding import with_numbers
from kanegen.codegen.mechanism.records import Mechanism
from kanegen.codegen.mechanism.speeds import GeneralizedSpeed, described_speed
from kanegen.codegen.mechanism.values import Lift
from kanegen.errors import ModelError, NoInertiaError


def on_chosen_speeds(
    mechanism: Mechanism,
    live: bool,
    speeds: Sequence[GeneralizedSpeed] | None,
    system: type[System],
) -> Foundation:
    """A plain tree on generalized speeds of one's choice, or on the rates of its joints.

    Raises ModelError for speeds that do not determine the rates.
    """
    chosen = joint_rates(mechanism) if speeds is None else speeds

    def motion_map(s: System) -> ChosenSpeeds:
        assert s.tree is not None, "speeds are those of a placed tree"
        rest = [s.zero] * len(s.q)
        return ChosenSpeeds(Motion(s.tree, s.graph, Choices(), s.q, rest, rest), chosen, s.q)

    def require_inertia(_: System, inertia: Rows) -> None:
        for r, speed in enumerate(chosen):
            if inertia[r][r].is_zero:
                raise NoInertiaError(
                    f"generalized speed u{r + 1} = {described_speed(speed)}",
                    "moves no inertia, so its derivative is undefined",
                    "a body with mass or inertia that it moves",
                    "Give the bodies beyond it their inertia; inverse dynamics works as it is.",
                )

    numbers = mechanism if live else with_numbers(mechanism)
    return Foundation(
        numbers,
        numbers,
        Arguments.of(mechanism, speeds),
        TreeDynamics,
        live,
        motion_map,
        require_inertia,
        system,
        own=lambda: {ACTUATOR_FORCES.name: actuator_forces},
        through_tree=speeds is None,
    )


def on_segments(mechanism: Mechanism, live: bool, arm: Callable[..., Any] = FlexibleDynamics) -> Foundation:
    """A mechanism with flexible links, whose joints and modes are the coordinates of its ``arm``."""
    numbers = mechanism if live else with_numbers(mechanism)
    described = arm_of(numbers)
    shifted = regrouped(described)

    def dynamics(_: PlacedTree, __: Mechanism, ___: Choices, graph: Graph, q: Vector, *moving: Vector) -> Any:
        return arm(described, shifted, graph, Lift(graph, numbers.parameters, live=live), q, *moving)

    return Foundation(
        numbers,
        numbers,
        Arguments.of(mechanism),
        dynamics,
        live,
        lambda s: JointMap(s.mechanism, s.q, s.lift),
        _require_regular,
        own=lambda: flexible_kernels(mechanism),
        lacks=_BESIDE_SEGMENTS,
        through_tree=False,
    )


_BESIDE_SEGMENTS = frozenset(
    (CORIOLIS_MATRIX, CENTROIDAL_MOMENTUM_MATRIX, REGRESSOR, FULL_REGRESSOR, FRAME_JACOBIAN_RATE)
)
"""Kernels on demand that arms with flexible links do not have."""


def on_joints(mechanism: Mechanism, dynamics: Dynamics, live: bool) -> Foundation:
    """Joints, balls and mimics, springs, friction."""
    return Foundation(
        mechanism if live else with_numbers(mechanism),
        tree_of_joints(mechanism, live),
        Arguments.of(mechanism),
        dynamics,
        live,
        lambda s: JointMap(s.mechanism, s.q, s.lift),
        _require_regular,
    )


def on_constraints(
    mechanism: Mechanism, dynamics: Dynamics, live: bool, system: type[System] = System
) -> Foundation:
    """Loops, contacts, prescribed joints, chosen speeds.  A formulation may have a ``system`` of its own for these.

    Raises ModelError for constraints that cannot be solved.
    """
    charted = on_chart(mechanism)
    moving, kept = (folded_chart(mechanism, live), True) if charted else (mechanism, live)
    plan = make_plan(moving)
    if kept and plan.redundant:
        _require_same_rank(moving, plan)
    numbers = moving if kept else with_numbers(moving)

    def own() -> dict[str, Make]:
        graph = Graph()
        q = inputs(graph, "q", len(numbers.coordinates))
        return constraint_kernels(
            ConstrainedMap(numbers, q, Lift(graph, numbers.parameters, live=kept), plan)
        )

    return Foundation(
        numbers,
        spanning_tree(numbers),
        Arguments.of(moving),
        dynamics,
        kept,
        lambda s: ConstrainedMap(s.mechanism, s.q, s.lift, plan),
        lambda s, inertia: require_resisted(s.mechanism, s.graph, inertia, plan),
        system,
        own=own,
        through_tree=not (charted and resisted_balls(mechanism)),
        finished=(lambda builds: on_quaternions(mechanism, builds, live)) if charted else None,
    )


def _require_regular(s: System, inertia: Rows) -> None:
    """Raise NoInertiaError where no inertia resists a speed, the joints that follow it included."""
    del inertia  # that of another choice
    _require_regular_once(s.foundation, s.tree_mechanism)


@lru_cache(maxsize=8)
def _require_regular_once(foundation: Foundation, tree: Mechanism) -> None:
    live = keeps_parameters(foundation.mechanism, foundation.live)
    s = System(foundation, place(tree, Choices(), live), tree, Choices())
    assert s.tree is not None and isinstance(s.map, JointMap)
    tips_first = [s.map.speed_of(body.coordinate) for body in reversed(s.tree.bodies)]
    require_regular_matrix(
        s.program(MASS_MATRIX, [s.free_inertia()]),
        s.mechanism.rates,
        tuple(dict.fromkeys(tips_first)),
        s.mechanism.parameters,
        s.nq,
    )


def _require_same_rank(mechanism: Mechanism, plan: Plan) -> None:
    """Raise ModelError where equations repeat others only at the default numbers of live parameters."""
    try:
        same = make_plan(perturbed(mechanism)).redundant == plan.redundant
    except ModelError:
        same = False
    if not same:
        raise ModelError(
            f"mechanism {mechanism.name!r}",
            "has equations that repeat others only at the default numbers of its parameters",
            "as many independent equations whatever the live parameters are",
            "Generate it without live parameters, or use a joint that leaves free what the repeated equations hold.",
        )
