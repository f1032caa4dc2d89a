"""The joints of a mechanism as files have them: chains of simple joints on carriers are one joint again."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from kanegen.codegen.graph import Graph
from kanegen.codegen.mechanism.joint_builder import JointBuilder
from kanegen.codegen.mechanism.records import (
    Body,
    Joint,
    Matrix3,
    Mechanism,
    Mimic,
    Value,
    Vector3,
)


@dataclass(frozen=True, slots=True)
class Connection:
    """A joint between two bodies that are no carriers of it.

    ``type`` is a word of TOML: that of a kind, "spherical", "floating", "planar", "cylindrical", "universal" or
    "helical"; ``parts`` are its simple joints from the parent outwards.
    """

    type: str
    name: str
    parts: tuple[Joint, ...]
    pitch: Value | None = None

    @property
    def first(self) -> Joint:
        """The simple joint on the parent, which has the place of the whole."""
        return self.parts[0]

    @property
    def parent(self) -> str:
        """The body that carries it."""
        return self.parts[0].parent

    @property
    def child(self) -> str:
        """The body that it moves."""
        return self.parts[-1].child


class _Trial(JointBuilder):
    """One joint, as the builder would make it."""

    def __init__(self) -> None:
        super().__init__()
        self._graph = Graph()

    def makes(self, joints: tuple[Joint, ...], carriers: tuple[Body, ...], mimics: tuple[Mimic, ...]) -> bool:
        """Whether it is these records."""
        return (tuple(self._joints), tuple(self._bodies), tuple(self._mimics)) == (joints, carriers, mimics)


def connections(mechanism: Mechanism) -> tuple[Connection, ...]:
    """The joints in the order of the tree, as few as describe the same."""
    return tuple(_Connections(mechanism).found())


class _Connections:
    def __init__(self, mechanism: Mechanism) -> None:
        self._mechanism = mechanism
        self._joints = {joint.name: joint for joint in mechanism.joints}
        self._bodies = {body.name: body for body in mechanism.bodies}
        self._mimics = {mimic.joint: mimic for mimic in mechanism.mimics}
        self._balls = {ball.joints[0]: ball for ball in mechanism.balls}

    def found(self) -> Iterator[Connection]:
        done: set[str] = set()
        for joint in self._mechanism.joints:
            if joint.name not in done:
                found = self._at(joint)
                done.update(part.name for part in found.parts)
                yield found

    def _at(self, joint: Joint) -> Connection:
        """What begins with a joint."""
        if (ball := self._balls.get(joint.name)) is not None:
            parts = tuple(self._joints[name] for name in ball.joints)
            return Connection("floating" if ball.free else "spherical", ball.name, parts)
        for kind, ending, others in (
            ("planar", "_x", ("_y", "_angle")),
            ("cylindrical", "_angle", ("_slide",)),
            ("universal", "_1", ("_2",)),
            ("helical", "", ("_slide",)),
        ):
            name = joint.name.removesuffix(ending) if ending else joint.name
            names = [f"{name}{other}" for other in others]
            if (
                f"{name}{ending}" != joint.name
                or not name
                or any(other not in self._joints for other in names)
            ):
                continue
            found = self._compound(kind, name, (joint, *(self._joints[other] for other in names)))
            if found is not None:
                return found
        return Connection(joint.kind.value, joint.name, (joint,))

    def _compound(self, kind: str, name: str, parts: tuple[Joint, ...]) -> Connection | None:
        """The joint of several freedoms that these are, if the builder makes the very same of its description."""
        between = [self._bodies[part.child] for part in parts[:-1]]
        if not all(body.carrier for body in between):
            return None
        mimics = tuple(self._mimics[part.name] for part in parts if part.name in self._mimics)
        if bool(mimics) != (kind == "helical") or any(mimic.leader != name for mimic in mimics):
            return None
        first, trial = parts[0], _Trial()
        describe: Callable[..., None] = getattr(trial, kind)
        place: tuple[Vector3, Matrix3] = (first.position, first.rotation)
        rest: dict[str, object] = dict(zip(("position", "rotation"), place, strict=True))
        rest["axis"] = parts[-1].axis if kind == "planar" else first.axis
        if kind == "universal":
            rest["second_axis"] = parts[-1].axis
        if kind == "helical":
            rest["pitch"] = mimics[0].multiplier
        describe(name, first.parent, parts[-1].child, **rest)
        if not trial.makes(parts, tuple(between), mimics):
            return None
        return Connection(kind, name, parts, mimics[0].multiplier if mimics else None)


def carriers_of(found: tuple[Connection, ...]) -> set[str]:
    """The bodies that only belong to joints of several freedoms."""
    return {part.child for connection in found for part in connection.parts[:-1]}
