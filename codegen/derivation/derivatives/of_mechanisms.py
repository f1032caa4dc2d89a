"""The kernels of derivatives of any mechanism, by name; they are generated only when asked for.

A tree has derivatives of its own, from composites, which a motion map carries to q and v; where a mechanism is small,
differentiating its whole program may be cheaper, and is tried.  Speeds of one's choice on a tree, and arms with flexible
links, are differentiated as they are.
"""

from __future__ import annotations

from collections.abc import Mapping

from kanegen.codegen.derivation.derivatives.kernels import cheaper, derivative_kernels, differentiated
from kanegen.codegen.derivation.kernels.catalogue import INVERSE_DYNAMICS_DERIVATIVES
from kanegen.codegen.derivation.kernels.derivatives import inverse_dynamics_derivatives
from kanegen.codegen.derivation.placed_tree.deriver import Build
from kanegen.codegen.derivation.resistance.separation import undirected_springs
from kanegen.codegen.derivation.system import Foundation, kernels_of
from kanegen.codegen.mechanism.records import Mechanism

_COMPARED = 24
"""Mechanisms with up to so many coordinates are derived both ways; with more, what composites save outweighs the rest."""


def kernels_of_derivatives(
    mechanism: Mechanism, builds: Mapping[str, Build], live_parameters: bool, foundation: Foundation
) -> dict[str, Build]:
    """Derivatives of inverse and forward dynamics by q, v, a or tau, and by live parameters where there are any.

    ``builds`` are the mechanism's kernels on its ``foundation``.
    """
    derivatives = whole = differentiated(
        builds["inverse_dynamics"], builds["mass_matrix"], builds["coordinate_rates"]
    )
    if foundation.through_tree:
        name = INVERSE_DYNAMICS_DERIVATIVES.name
        derivatives = kernels_of(foundation, {name: inverse_dynamics_derivatives})[name]
        # what the whole program's derivatives save is digits of springs without a direction
        if len(mechanism.coordinates) <= _COMPARED and not undirected_springs(mechanism, live_parameters):
            derivatives = cheaper(derivatives, whole)
    return derivative_kernels(builds, derivatives, mechanism.parameters if live_parameters else ())
