"""Coaxial joints commute: a slide and a hinge along its direction, one on the other, change places.

Points on the hinge's axis do not feel its turn, and nothing turns by the slide.  So the body between the two gives all that
is of the axis to one side, and its second moments to the other:

    slide, then hinge   mass and first moment along the axis go outward, second moments to the body before
    hinge, then slide   mass, first and second moment along the axis go to the body before, the other second moments outward

as the gauge has it (inertial_gauge.py).  If nothing is left, the order of the two joints matters to nobody.  Accelerations,
forces and levers are then formed on the other side of the turn.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

from kanegen.codegen.derivation.placed_tree.choices import Choices
from kanegen.codegen.derivation.placed_tree.inertial_gauge import Amounts, receive, sent_inward, split
from kanegen.codegen.derivation.placed_tree.placement import (
    PlacedBody,
    PlacedTree,
    settled,
    settled_matrix,
    with_inertia,
)
from kanegen.codegen.graph import linear as vec
from kanegen.codegen.mechanism.records import IDENTITY3

POINT = "order of"
"""How the names of this module's decision points begin."""


def exchange_joints(tree: PlacedTree, choices: Choices) -> PlacedTree:
    """Exchange slides with hinges along them where the decision points say so, the outermost first."""
    if tree.tied:
        return tree  # equations stand along the joints as they are
    for i in reversed(range(len(tree.bodies))):
        exchanged = _exchanged(tree, i)
        if exchanged is None:
            continue
        before, after = tree.bodies[i], exchanged.bodies[i]
        child = tree.bodies[tree.children(i)[0]].name
        parent = tree.bodies[before.parent].name if before.parent >= 0 else child
        if choices.pick(
            f"{POINT} {before.name} and {child}",
            2,
            before.name,
            after.name,
            child,
            parent,
            coarse=True,
            early=True,
        ):
            tree = exchanged
    return tree


def _exchanged(tree: PlacedTree, i: int) -> PlacedTree | None:
    """The tree with the joint of body i behind that of the one body on it, where that is possible.

    In the place of body i there is then one that moves with its child, but for the joint that was before.
    """
    first, children = tree.bodies[i], tree.children(i)
    if len(children) != 1:
        return None
    second = tree.bodies[children[0]]
    if first.still or second.still or first.revolute == second.revolute:
        return None
    along = second.rotation[first.axis][second.axis]  # of the second joint's axis in the frame of the first
    if not isinstance(along, Fraction) or abs(along) != 1:
        return None
    if not second.revolute:
        tree = _with_origin_on_axis(tree, children[0], first.axis)
        second = tree.bodies[children[0]]
    exchanged = (_turn_first if second.revolute else _slide_first)(first, second, int(along))
    if exchanged is None:
        return None
    leaving, placed, carried = exchanged
    emptied = replace(
        with_inertia(first, Fraction(0), _NONE, (_NONE,) * 3),
        name=f"{second.name}_before_{first.joint}",
        instead_of=first.name,
        carrier=True,
        joint=second.joint,
        revolute=second.revolute,
        coordinate=second.coordinate,
        rotor_inertia=second.rotor_inertia,
        **placed,
    )
    tree = sent_inward(tree, i, emptied, leaving)
    bodies = list(tree.bodies)
    bodies[children[0]] = replace(
        carried,
        joint=first.joint,
        revolute=first.revolute,
        coordinate=first.coordinate,
        rotor_inertia=first.rotor_inertia,
    )
    return replace(tree, bodies=tuple(bodies))


_Exchanged = tuple[Amounts, dict[str, Any], PlacedBody]
"""What the first body sends inward, how the second joint is placed there, and the second body on the first joint."""


def _turn_first(slider: PlacedBody, turner: PlacedBody, along: int) -> _Exchanged | None:
    """A hinge on a slide goes before it: mass and first moment of the slider go outward.

    What is along the axis, of the places of both joints, comes with the slide: the turn does not feel it.
    """
    across = vec.subtract(slider.first_moment, vec.scale(slider.mass, turner.position))
    moment = settled(vec.apply(vec.transpose(turner.rotation), across))
    if _across(moment, turner.axis):
        return None
    left = receive(slider, turner, -slider.mass, vec.scale(Fraction(-1), moment), (_NONE,) * 3)
    direction = vec.transpose(slider.rotation)[slider.axis]
    to_hinge = vec.add(slider.position, vec.apply(slider.rotation, turner.position))
    level = vec.dot(direction, to_hinge)
    placed = {
        "axis": turner.axis,
        "sense": turner.sense,
        "offset": turner.offset,
        "rotation": settled_matrix(vec.multiply(slider.rotation, turner.rotation)),
        "position": settled(vec.subtract(to_hinge, vec.scale(level, direction))),
    }
    gained = with_inertia(
        turner, turner.mass + slider.mass, vec.add(turner.first_moment, moment), turner.second_moment
    )
    carried = replace(
        gained,
        sense=slider.sense * along,
        offset=Fraction(0),
        rotation=IDENTITY3,
        position=settled(tuple(level * along if r == turner.axis else Fraction(0) for r in range(3))),
    )
    return (Fraction(0), _NONE, left.second_moment), placed, carried


def _slide_first(turner: PlacedBody, slider: PlacedBody, along: int) -> _Exchanged | None:
    """A slide on a hinge goes before it: second moments of the body on the hinge go outward, but for that along the axis."""
    if _across(turner.first_moment, turner.axis):
        return None
    k = turner.axis
    left, leaving = split(turner, turner.mass, turner.first_moment[k], turner.second_moment[k][k])
    turned = vec.congruence(vec.transpose(slider.rotation), left.second_moment)
    placed = {
        "axis": k,
        "sense": slider.sense * along,
        "offset": Fraction(0),
        "position": settled(vec.add(turner.position, vec.apply(turner.rotation, slider.position))),
    }
    gained = with_inertia(
        slider,
        slider.mass,
        slider.first_moment,
        settled_matrix(vec.matrix_add(slider.second_moment, turned)),
    )
    carried = replace(gained, sense=turner.sense * along, offset=turner.offset * along, position=_NONE)
    return leaving, placed, carried


def _with_origin_on_axis(tree: PlacedTree, i: int, k: int) -> PlacedTree:
    """The tree with the origin of body i on axis k of the hinge that it hangs on: it slides, so that its origin is free."""
    bodies, body = list(tree.bodies), tree.bodies[i]
    beside = tuple(Fraction(0) if r == k else x for r, x in enumerate(body.position))
    back = settled(
        vec.apply(vec.transpose(body.rotation), beside)
    )  # where its origin was, seen from the new one
    empty = with_inertia(body, Fraction(0), _NONE, (_NONE,) * 3)
    there = replace(body, revolute=True, rotation=IDENTITY3, position=back)
    bodies[i] = replace(
        receive(empty, there, body.mass, body.first_moment, body.second_moment),
        position=settled(vec.subtract(body.position, beside)),
        frame_position=settled(vec.subtract(body.frame_position, vec.apply(body.frame_rotation, back))),
    )
    for j in tree.children(i):
        bodies[j] = replace(bodies[j], position=settled(vec.add(bodies[j].position, back)))
    return replace(tree, bodies=tuple(bodies))


_NONE = (Fraction(0), Fraction(0), Fraction(0))


def _across(vector: vec.Vector, axis: int) -> bool:
    """Whether a vector has components across an axis."""
    return any(x != 0 for r, x in enumerate(vector) if r != axis)
