"""The coefficients -X_rs of the speeds' derivatives (Kane & Levinson 1983, eq 88) over bodies that two speeds move as one.

Where neither u_r nor u_s moves a joint, the bodies on both of its sides have the velocities of one body, and count as one,
with mass m, first moment h and second moments S about the origin of the innermost of them (composite_inertia.py):

    -X_rs = sum over such groups of  v_r . (m v_s + w_s x h) + w_r . (h x v_s + J w_s),   J = tr(S) 1 - S

with the partial velocities of that body.  For joint rates there is one group, everything beyond the outer of the two joints.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from functools import partial

from kanegen.codegen.derivation.kane.partial_velocities import PartialVelocities, collected_products
from kanegen.codegen.derivation.recursive.composite_inertia import CompositeInertia
from kanegen.codegen.derivation.recursive.motion import Motion
from kanegen.codegen.graph import Expression


class _Groups(CompositeInertia):
    """Composite inertias of bodies between joints that are ``moved``."""

    def __init__(self, motion: Motion, moved: Collection[int]) -> None:
        super().__init__(motion.tree, motion, *moved)
        self.moved = moved

    def beyond(self, i: int) -> Sequence[int]:
        return [j for j in self.tree.children(i) if j not in self.moved]


def inertia_over_groups(partials: PartialVelocities, r: int, s: int) -> Expression:
    """-X_rs."""
    return collected_products(partials.turns, _products(partials, r, s))


def _products(
    partials: PartialVelocities, r: int, s: int
) -> Iterator[tuple[Expression, Callable[[], Expression]]]:
    rates = partials.speeds.rates_from_speeds
    moved = [
        i
        for i, body in enumerate(partials.tree.bodies)
        if not (rates[body.coordinate][r].is_zero and rates[body.coordinate][s].is_zero)
    ]
    groups = _Groups(partials.turns, moved)
    for i in moved:
        for k in range(3):
            yield partials.partial_angular_velocity(i, r, k), partial(_moment, partials, groups, i, s, k)
            yield partials.origin_partial(i, r, k), partial(_force, partials, groups, i, s, k)


def _force(partials: PartialVelocities, groups: _Groups, i: int, s: int, k: int) -> Expression:
    """m v_s + w_s x h, component k."""
    w, v = partials.partial_angular_velocity, partials.origin_partial
    a, b = (k + 1) % 3, (k + 2) % 3
    terms = _times(groups.mass(i), v(i, s, k))
    terms += _times(groups.first(i, b), w(i, s, a)) + _times(-groups.first(i, a), w(i, s, b))
    return groups.motion.sum(terms)


def _moment(partials: PartialVelocities, groups: _Groups, i: int, s: int, k: int) -> Expression:
    """h x v_s + J w_s, component k."""
    w, v = partials.partial_angular_velocity, partials.origin_partial
    a, b = (k + 1) % 3, (k + 2) % 3
    terms = _times(groups.first(i, a), v(i, s, b)) + _times(-groups.first(i, b), v(i, s, a))
    if not w(i, s, k).is_zero:
        terms += _times(groups.second(i, a, a) + groups.second(i, b, b), w(i, s, k))
    terms += [
        x for c in (a, b) if not w(i, s, c).is_zero for x in _times(-groups.second(i, k, c), w(i, s, c))
    ]
    return groups.motion.sum(terms)


def _times(x: Expression, y: Expression) -> list[Expression]:
    return [] if x.is_zero or y.is_zero else [x * y]
