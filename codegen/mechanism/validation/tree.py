"""The tree of joints: its order, and everything that keeps a list of joints from being a tree."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from kanegen.codegen.mechanism.records import BASE, Joint
from kanegen.errors import ModelError


def depth_first(joints: Sequence[Joint], bodies: Iterable[str]) -> tuple[Joint, ...]:
    """The joints with every parent before its children, each joint followed by what hangs on it.

    Joints on the same parent keep their order.  Raises ModelError when a joint names an unknown body, when a
    body has two parents or none, and for a cycle.
    """
    names = tuple(bodies)
    known = {BASE, *names}
    above: dict[str, Joint] = {}
    hanging: dict[str, list[Joint]] = {name: [] for name in (BASE, *names)}
    for joint in joints:
        _check_ends(joint, known, above)
        above[joint.child] = joint
        hanging[joint.parent].append(joint)
    order: list[Joint] = []
    stack = list(reversed(hanging[BASE]))
    while stack:
        joint = stack.pop()
        order.append(joint)
        stack.extend(reversed(hanging[joint.child]))
    reached = {joint.child for joint in order}
    for name in names:
        if name not in above:
            raise ModelError(
                f"body {name!r}",
                "hangs on nothing",
                "one joint of which it is the child",
                f"Attach it with a joint, to {BASE!r} for example, or remove it.",
            )
    for name in names:
        if name not in reached:
            raise _cycle(name, above)
    return tuple(order)


def _check_ends(joint: Joint, known: set[str], above: dict[str, Joint]) -> None:
    where = f"joint {joint.name!r}"
    for role, name in (("parent", joint.parent), ("child", joint.child)):
        if name not in known:
            raise ModelError(
                where,
                f"its {role} {name!r} is not a body",
                f"one of {', '.join(map(repr, sorted(known)))}",
                "Mend the name or add the body.",
            )
    if joint.child == BASE:
        raise ModelError(
            where,
            f"its child is {BASE!r}, the fixed frame",
            "a body that the joint can move",
            "Swap parent and child.",
        )
    if joint.child in above:
        first = above[joint.child]
        raise ModelError(
            f"body {joint.child!r}",
            f"has two parents, by joints {first.name!r} (from {first.parent!r}) "
            f"and {joint.name!r} (from {joint.parent!r})",
            "a tree, in which each body is the child of exactly one joint",
            "Remove one of the joints; a loop is closed by a constraint between two frames, not by a joint.",
        )


def _cycle(start: str, above: dict[str, Joint]) -> ModelError:
    """The error for the cycle of joints that keeps ``start`` from the base."""
    seen: list[str] = []
    name = start
    while name not in seen:
        seen.append(name)
        name = above[name].parent
    ring = seen[seen.index(name) :]
    joints = ", ".join(repr(above[body].name) for body in reversed(ring))
    return ModelError(
        f"joints {joints}",
        f"form a cycle that never reaches {BASE!r}",
        "a tree on the fixed frame",
        f"Attach one of these bodies to {BASE!r} instead.",
    )
