"""The kernels of a constrained mechanism: those of its tree, carried to the generalized speeds.

The tree's own programs (inverse dynamics, mass matrix, energies, poses) come from any formulation for trees; their inputs
are replaced by the motion that the speeds allow, and their forces are projected on the speeds.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial

from kanegen.codegen.derivation.choices import Choices
from kanegen.codegen.derivation.constraints.ball_kernels import on_quaternions
from kanegen.codegen.derivation.constraints.chart import folded_chart, on_chart
from kanegen.codegen.derivation.constraints.constraint_kernels import (
    constraint_forces,
    constraint_jacobian,
    constraint_residual,
    coordinate_rates,
    dead_centre_margin,
    generalized_speeds,
)
from kanegen.codegen.derivation.constraints.dynamics_kernels import (
    bias_forces,
    forward_dynamics,
    gravity_forces,
    inverse_dynamics,
    kinetic_energy,
    mass_matrix,
    momentum,
    potential_energy,
)
from kanegen.codegen.derivation.constraints.frame_kernels import frame_jacobian, frame_pose
from kanegen.codegen.derivation.constraints.influence_kernels import (
    effective_inertia,
    inertia_power,
    influence_G,
    influence_H,
)
from kanegen.codegen.derivation.constraints.margins import margins
from kanegen.codegen.derivation.constraints.plan import Plan, make_plan, perturbed
from kanegen.codegen.derivation.constraints.setting import Basis, Make, Projected, Setting
from kanegen.codegen.derivation.constraints.simulation_kernels import (
    constraint_projection,
    multiplier_dynamics,
)
from kanegen.codegen.derivation.constraints.spanning_tree import (
    spanning_tree,
)
from kanegen.codegen.derivation.kernels.catalogue import (
    FRAME_JACOBIAN,
    FRAME_JACOBIAN_RATE,
    FRAME_POSE,
    INFLUENCE_G,
    INFLUENCE_H,
)
from kanegen.codegen.derivation.kernels.contract import Arguments
from kanegen.codegen.derivation.placement import PlacedTree
from kanegen.codegen.derivation.regularity import require_regular
from kanegen.codegen.derivation.standard import DYNAMICS, Build, FrameBuilds
from kanegen.codegen.graph import Program
from kanegen.codegen.mechanism.constraints import PositionConstraint, RollingContact
from kanegen.codegen.mechanism.folding import with_numbers
from kanegen.codegen.mechanism.records import Mechanism
from kanegen.errors import ModelError


class ConstrainedFormulation:
    """Builds the kernels of one mechanism.

    ``influence`` adds influence coefficients: it has the tree's rates of the Jacobians of frames, by kernel.
    """

    def __init__(
        self,
        mechanism: Mechanism,
        programs: Mapping[str, Build],
        frames: FrameBuilds,
        live: bool,
        projected: Projected | None = None,
        influence: FrameBuilds | None = None,
    ) -> None:
        """Raises ModelError for constraints that cannot be solved.  See ``Basis`` for programs and projected."""
        plan = make_plan(mechanism)
        if live and plan.redundant:
            _require_same_rank(mechanism, plan)
        self.mechanism = mechanism if live else with_numbers(mechanism)
        self.frames, self.influence = frames, influence
        self.basis = Basis(
            self.mechanism,
            Arguments.of(mechanism),
            plan,
            programs,
            projected,
            live,
            augmented=not _regular(spanning_tree(mechanism)),
        )
        self.ties = bool(plan.independent or plan.redundant)
        self.holonomic = bool(mechanism.loops) or any(
            isinstance(c, PositionConstraint) or (isinstance(c, RollingContact) and c.contact is None)
            for c in mechanism.constraints
        )

    def kernels(self) -> dict[str, Build]:
        """All kernels by name."""
        made: dict[str, Make] = {
            "inverse_dynamics": inverse_dynamics,
            "forward_dynamics": forward_dynamics,
            "mass_matrix": mass_matrix,
            "bias_forces": bias_forces,
            "gravity_forces": gravity_forces,
            "kinetic_energy": kinetic_energy,
            "potential_energy": potential_energy,
            "momentum": momentum,
            "coordinate_rates": coordinate_rates,
        }
        if self.influence is not None:
            made["effective_inertia"] = effective_inertia
            made["inertia_power"] = inertia_power
            rates = {
                rate.frame: rate for rate in self.influence.values() if rate.contract is FRAME_JACOBIAN_RATE
            }
            for build in self.frames.values():
                if build.contract is FRAME_JACOBIAN:
                    G, H = (
                        replace(
                            build, contract=one, name=one.named(build.name.removeprefix("frame_jacobian_"))
                        )
                        for one in (INFLUENCE_G, INFLUENCE_H)
                    )
                    made[G.name] = partial(influence_G, build=G)
                    made[H.name] = partial(influence_H, build=H, rate=rates[build.frame])
        if self.holonomic:
            made["constraint_residual"] = constraint_residual
        if self.ties:
            made["constraint_jacobian"] = constraint_jacobian
        probe = Setting(self.basis, None, self.mechanism, Choices())
        if margins(probe.motion):
            made["dead_centre_margin"] = dead_centre_margin
        if self.ties or self.mechanism.prescribed:
            made["constraint_forces"] = constraint_forces
        if self.ties:
            made["generalized_speeds"] = generalized_speeds
            made["multiplier_dynamics"] = multiplier_dynamics
            made["constraint_projection"] = constraint_projection
        for name, build in self.frames.items():
            made[name] = partial(frame_pose if build.contract is FRAME_POSE else frame_jacobian, build=build)
        return self.carried(made)

    def carried(self, made: Mapping[str, Make]) -> dict[str, Build]:
        """Kernels by name, each from a function of its setting."""
        return {name: partial(self._build, make=make) for name, make in made.items()}

    def _build(self, tree: PlacedTree, mechanism: Mechanism, choices: Choices, make: Make) -> Program:
        return make(Setting(self.basis, tree, mechanism, choices))


def carried_to_speeds(mechanism: Mechanism, live: bool, made: Mapping[str, Make]) -> dict[str, Build]:
    """Kernels of a constrained mechanism from functions of their setting, on the recursive kernels of its tree."""
    if not on_chart(mechanism):
        return ConstrainedFormulation(mechanism, DYNAMICS, {}, live).carried(made)
    chart = folded_chart(mechanism, live)
    return on_quaternions(mechanism, ConstrainedFormulation(chart, DYNAMICS, {}, True).carried(made), live)


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


def _regular(tree: Mechanism) -> bool:
    """Whether inertia resists every joint of a tree."""
    try:
        require_regular(tree)
    except ModelError:
        return False
    return True
