"""Newton's and Euler's equations link by link, and composite bodies: Luh, Walker & Paul (1980), Walker & Orin (1982).

Everything is along the axes of the link itself.  Silver (1982) comes to the same recursion from Lagrange's equations, once
the motion of a link is its angular velocity and not the derivative of a matrix.
"""

from __future__ import annotations

from collections.abc import Iterator

from kanegen.codegen.derivation.historical.links import (
    Link,
    Scalar,
    Some,
    Tree,
    matrix_total,
    some,
    total,
)
from kanegen.codegen.graph import linear as vec
from kanegen.codegen.graph.linear import Matrix, Vector


def luh_walker_paul(tree: Tree) -> list[Scalar]:
    """Generalized forces of the links: velocities and accelerations outwards, forces and moments inwards."""
    f: dict[int, Vector] = {}
    n: dict[int, Vector] = {}
    forces = [tree.zero] * len(tree.links)
    motions = _motions(tree)
    for i, link in tree.inwards():
        (w, dw, acceleration), own = motions[i], link.inertia
        s = own.center
        center = total(some(vec.cross, dw, s), some(vec.cross, w, some(vec.cross, w, s)), acceleration)
        force = vec.scale(own.mass, center)
        moment = total(some(vec.apply, own.tensor, dw), some(vec.cross, w, some(vec.apply, own.tensor, w)))
        carried = [(tree.links[k].joint, f[k], n[k]) for k in link.children]
        turned = [(joint, vec.apply(joint.turn, x), vec.apply(joint.turn, y)) for joint, x, y in carried]
        f[i] = total(force, *(x for _, x, _ in turned))
        n[i] = total(
            moment,
            vec.cross(s, force),
            *(y for _, _, y in turned),
            *(vec.cross(joint.position, x) for joint, x, _ in turned),
        )
        forces[i] = vec.dot(link.joint.axis, n[i] if link.hinge else f[i])
    return tree.in_order(forces)


def _motions(tree: Tree) -> list[tuple[Some, Some, Vector]]:
    """Angular velocities and accelerations, and accelerations of origins in a base that falls upwards."""
    found: list[tuple[Some, Some, Vector]] = []
    for _, link in tree.outwards():
        joint, back = link.joint, vec.transpose(link.joint.turn)
        w, dw, acceleration = (
            (None, None, tuple(-x for x in tree.gravity)) if link.parent < 0 else found[link.parent]
        )
        d = joint.position
        origin = total(some(vec.cross, dw, d), some(vec.cross, w, some(vec.cross, w, d)), acceleration)
        w, dw, origin = some(vec.apply, back, w), some(vec.apply, back, dw), vec.apply(back, origin)
        rate, onwards = vec.scale(joint.rate, joint.axis), vec.scale(joint.acceleration, joint.axis)
        if link.hinge:
            dw = total(dw, onwards, some(vec.cross, w, rate))
            w = total(w, rate)
        else:
            origin = total(origin, onwards, some(vec.scale, 2, some(vec.cross, w, rate)))
        found.append((w, dw, origin))
    return found


def composite_bodies(tree: Tree) -> list[list[Scalar]]:
    """The mass matrix: each joint accelerates what comes after it as one body, and all joints before it hold that."""
    size = len(tree.links)
    matrix = [[tree.zero] * size for _ in range(size)]
    for j, (mass, center, tensor) in _composites(tree):
        link = tree.links[j]
        axis, column = link.joint.axis, link.coordinate
        force: Some
        if link.hinge:
            force, moment = some(vec.scale, mass, some(vec.cross, axis, center)), vec.apply(tensor, axis)
        else:
            force, moment = vec.scale(mass, axis), None
        moment = total(moment, some(vec.cross, center, force))
        path = [tree.links[i] for i in tree.path(j)]
        for before, onto in zip([None, *path], path, strict=False):
            if before is not None:
                carrier = before.joint
                force = some(vec.apply, carrier.turn, force)
                moment = total(
                    some(vec.apply, carrier.turn, moment), some(vec.cross, carrier.position, force)
                )
            row = onto.coordinate
            found = some(vec.dot, onto.joint.axis, moment if onto.hinge else force)
            found = tree.zero if found is None else found if onto.sense == link.sense else -found
            matrix[row][column] = matrix[column][row] = found
    return matrix


def _composites(tree: Tree) -> Iterator[tuple[int, tuple[Scalar, Some, Matrix]]]:
    """From the tips: mass, mass centre and tensor about it of a link with all after it, in its own frame.

    The mass centre is None where there is no mass.
    """
    found: dict[int, tuple[Scalar, Some, Matrix]] = {}
    for j, link in tree.inwards():
        own, center = link.inertia, None
        parts = [(own.mass, own.center, own.tensor), *(_seen(tree.links[k], found[k]) for k in link.children)]
        mass = vec.add(*[(m,) for m, _, _ in parts])[0]
        heavy = [(m, c) for m, c, _ in parts if not m.is_zero]
        tensor = matrix_total(*(x for _, _, x in parts))
        if len(parts) == 1:
            center = own.center if heavy else None
        elif heavy:
            center = vec.scale(1 / mass, total(*(vec.scale(m, c) for m, c in heavy)))
            tensor = matrix_total(tensor, *(_steiner(m, vec.subtract(c, center)) for m, c in heavy))
        found[j] = mass, center, tensor
        yield j, found[j]


def _seen(link: Link, composite: tuple[Scalar, Some, Matrix]) -> tuple[Scalar, Some, Matrix]:
    """A composite body in the frame before the joint of its link."""
    mass, center, tensor = composite
    joint = link.joint
    moved = None if center is None else vec.add(vec.apply(joint.turn, center), joint.position)
    return mass, moved, vec.congruence(joint.turn, tensor)


def _steiner(mass: Scalar, d: Vector) -> Matrix:
    """m (d . d 1 - d d^T), by the six entries that differ."""
    x, y, z = d
    xx, yy, zz = x * x, y * y, z * z
    xy, xz, yz = (-(mass * (a * b)) for a, b in ((x, y), (x, z), (y, z)))
    return (mass * (yy + zz), xy, xz), (xy, mass * (zz + xx), yz), (xz, yz, mass * (xx + yy))
