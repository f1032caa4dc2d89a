"""The kernels of derivatives of any mechanism, by name; they are generated only when asked for.

A plain tree has derivatives of its own, from composites.  Constraints, balls, mimics, springs and friction carry these to q
and v; where a mechanism is small, differentiating its whole program may be cheaper, and is tried.  Other formulations, and
other speeds, are differentiated as they are.
"""

from __future__ import annotations

from collections.abc import Mapping

from kanegen.codegen.derivation.derivatives.kernels import cheaper, derivative_kernels, differentiated
from kanegen.codegen.derivation.foundations import carried
from kanegen.codegen.derivation.kernels.catalogue import INVERSE_DYNAMICS_DERIVATIVES
from kanegen.codegen.derivation.kernels.derivatives import carried_derivatives, tree_derivatives
from kanegen.codegen.derivation.motion_maps.chart import on_chart
from kanegen.codegen.derivation.placed_tree.deriver import Build
from kanegen.codegen.derivation.recursive.tree_dynamics import TreeDynamics
from kanegen.codegen.derivation.resistance.separation import undirected_springs
from kanegen.codegen.derivation.system import Make
from kanegen.codegen.mechanism.records import Joint, Mechanism

_COMPARED = 24
"""Mechanisms with up to so many coordinates are derived both ways; with more, what composites save outweighs the rest."""


def kernels_of_derivatives(
    mechanism: Mechanism, builds: Mapping[str, Build], live_parameters: bool, recursive: bool = True
) -> dict[str, Build]:
    """Derivatives of inverse and forward dynamics by q, v, a or tau, and by live parameters where there are any.

    ``builds`` are the mechanism's kernels in its formulation; ``recursive`` says that this is recursive Newton-Euler on
    the joint rates, or on the speeds of a constrained mechanism.
    """
    whole = differentiated(builds["inverse_dynamics"], builds["mass_matrix"], builds["coordinate_rates"])
    if not recursive:
        derivatives = whole
    elif mechanism.plain_tree:
        derivatives = _derived(mechanism, live_parameters, tree_derivatives)
    elif on_chart(mechanism) and any(
        _resisted(mechanism.joint(name)) for b in mechanism.balls for name in b.joints
    ):
        derivatives = (
            whole  # off the middle of its chart, what resists a ball joint is more than its joints know
        )
    else:
        derivatives = _derived(mechanism, live_parameters, carried_derivatives)
        # what the whole program's derivatives save is digits of these
        if len(mechanism.coordinates) <= _COMPARED and not undirected_springs(mechanism, live_parameters):
            derivatives = cheaper(derivatives, whole)
    return derivative_kernels(builds, derivatives, mechanism.parameters if live_parameters else ())


def _resisted(joint: Joint) -> bool:
    return joint.rotor_inertia != 0 or joint.damping != 0 or joint.friction != 0


def _derived(mechanism: Mechanism, live: bool, make: Make) -> Build:
    name = INVERSE_DYNAMICS_DERIVATIVES.name
    return carried(mechanism, TreeDynamics, live, {name: make})[name]
