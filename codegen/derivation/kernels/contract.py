"""What a kernel is, whatever the mechanism and the formulation: its name, its arguments, and what is known of it.

A ``Contract`` has a ``Slot`` for each argument, with sizes by name and words in braces.  ``Arguments`` has the sizes and the
words of one mechanism; both together give the arguments of a program.  This module imports no other of derivation, and
catalogue.py, with the contracts of all kernels, imports this one alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import Any

from kanegen.codegen.graph import Argument, Expression, Graph, Program
from kanegen.codegen.mechanism.records import JointKind, Mechanism
from kanegen.codegen.mechanism.speeds import (
    CombinedSpeed,
    DistanceRate,
    GeneralizedSpeed,
    JointRate,
    PointVelocityComponent,
    described_speed,
    slides,
)
from kanegen.rows import ROWS, with_rows

FRAME = "frame"
"""What stands for a kernel that there is once for each frame."""

LAW = "law"
"""What stands for a kernel that there is once for each control law."""

BASE_AXES = "base"
"""What has arguments or results along the axes of the base, or of a body in which equations of loops are written."""

BODY_AXES = "bodies"
"""What has results that belong to frames of bodies, or to numbers in these, and to no equation."""


@dataclass(frozen=True, slots=True)
class Slot:
    """An argument of a kernel, for any mechanism.

    ``shape`` has numbers and names of sizes: "nq" coordinates, "nv" speeds, "joints" without the modes of flexible links,
    "parameters" that are live, or another one that the entries of a result tell.  Several units are those of turns and of
    slides, and on coordinates of quaternions; a mechanism has those of what it has.  ``meaning`` may hold words of a
    mechanism in braces.
    """

    name: str
    shape: tuple[int | str, ...]
    unit: str | tuple[str, ...]
    meaning: str

    def argument(self, sizes: Mapping[str, int], words: Mapping[str, str], units: Units) -> Argument:
        """The argument of a mechanism with these sizes, words and kinds of units."""
        shape = tuple(n if isinstance(n, int) else sizes[n] for n in self.shape)
        unit = self.unit
        if not isinstance(unit, str):
            used = units[str(self.shape[0])]
            unit = ", ".join(one for one, has in zip(unit, used, strict=True) if has)
        return Argument(self.name, shape, unit, self.meaning.format_map(words))


TIME = Slot("t", (), "s", "time")
"""What kernels of mechanisms that depend on time take before all else."""

Units = Mapping[str, tuple[bool, ...]]
"""By size, whether turns, slides and quaternions are among what it counts."""


@dataclass(frozen=True, eq=False)
class Arguments:
    """The sizes, the words and the kinds of units of one mechanism, and whether it depends on time (``timed``)."""

    sizes: Mapping[str, int]
    words: Mapping[str, str]
    units: Units
    sliding: tuple[bool, ...] = ()
    """Of each speed, whether it is one in m/s."""
    timed: bool = False

    @classmethod
    def of(cls, mechanism: Mechanism, speeds: Sequence[GeneralizedSpeed] | None = None) -> Arguments:
        """Those of a mechanism; ``speeds`` are chosen ones in place of its own, Kane's method."""
        nq, modes = len(mechanism.coordinates), set(mechanism.modes)
        turned = set(mechanism.ball_parts)
        joints = [name for name in mechanism.rates if name not in modes]
        slides = {name for name in joints if mechanism.joint(name).kind is JointKind.PRISMATIC}
        hinges = any(name not in slides | turned for name in joints)
        sliding = _sliding(speeds or mechanism.generalized_speeds, slides | modes, mechanism.coordinates)
        on_joints = (len(slides) < len(joints), bool(slides))
        return cls(
            {"nq": nq, "nv": len(sliding), "joints": len(joints), "parameters": len(mechanism.parameters)},
            _words(mechanism, speeds or mechanism.speeds, turned),
            {
                "nq": (hinges, bool(slides or modes), bool(turned)),
                "nv": (not all(sliding), any(sliding)),
                "joints": on_joints,
            },
            tuple(sliding),
            mechanism.depends_on_time,
        )

    @property
    def nq(self) -> int:
        """How many coordinates there are."""
        return self.sizes["nq"]

    @property
    def nv(self) -> int:
        """How many speeds there are."""
        return self.sizes["nv"]

    def has_any(self, slots: Iterable[Slot]) -> bool:
        """Whether any of these has an entry: those of speeds have none where equations decide all of the motion."""
        return any(all(self.sizes.get(str(n)) != 0 for n in slot.shape) for slot in slots)

    def more(self, sizes: Mapping[str, int], **words: str) -> Arguments:
        """These with further sizes and words."""
        return replace(self, sizes={**self.sizes, **sizes}, words={**self.words, **words})

    def __call__(self, slot: Slot, **words: str) -> Argument:
        """The argument of a slot, all of whose sizes are known."""
        return slot.argument(self.sizes, {**self.words, **words}, self.units)


def _sliding(speeds: Sequence[GeneralizedSpeed], joints: set[str], coordinates: Sequence[str]) -> list[bool]:
    return [
        speed.joint in joints
        if isinstance(speed, JointRate)
        else slides(speed, coordinates, joints)
        if isinstance(speed, CombinedSpeed)
        else isinstance(speed, PointVelocityComponent | DistanceRate)
        for speed in speeds
    ]


def _words(mechanism: Mechanism, chosen: Sequence[GeneralizedSpeed], turned: set[str]) -> dict[str, str]:
    """What coordinates, speeds, their derivatives and forces are called, in which order they are, and what acts."""
    in_q = f"in the order {', '.join(mechanism.coordinates)}"
    order = in_q if not turned else f"in the order {', '.join(mechanism.rates)}"
    along = ", those of balls along the child's axes"
    words = {
        "q": f"joint coordinates, {in_q}",
        "v": f"joint rates dq/dt, {order}",
        "a": f"joint accelerations dv/dt, {order}",
        "tau": f"generalized forces (power = tau . v), {order}",
        "accelerations": "joint accelerations",
        "unit": "a unit rate of each coordinate",
        "rate": "joint rate",
        "index": "coordinates",
        "beside": ", and of springs" if mechanism.springs else "",
        "exactly": ",",
        "axes": "",
    }
    if turned:
        words["q"] = (
            f"coordinates, {in_q}; quaternions (qx, qy, qz, qw) from child to joint axes, of any length but zero"
        )
    if mechanism.modes:
        words |= {
            "q": f"coordinates of joints and modes, {in_q}",
            "v": f"rates dq/dt, {order}",
            "a": f"accelerations dv/dt, {order}",
            "tau": f"generalized forces (power = tau . v): drives on joints, loads on modes, {order}",
            "accelerations": "accelerations of joints and modes",
            "rate": "rate",
            "beside": ", and of springs and bent links" if mechanism.springs else ", and of bent links",
            "exactly": ", exact where nothing bends, to first order in the deflections elsewhere,",
            "axes": "; axes behind bent links are 1 + skew(theta), not made orthogonal",
        }
    elif turned or chosen:
        kind = "generalized speeds" if chosen else "speeds"
        if chosen:
            names = [
                x.joint if isinstance(x, JointRate) and x.joint in turned else described_speed(x)
                for x in chosen
            ]
            order = f"v = ({', '.join(names)})"
            along = along if turned.intersection(names) else ""
        words |= {
            "v": f"{kind}, {order}{along}",
            "a": f"derivatives dv/dt of the {kind}, {order}{along}",
            "tau": f"generalized forces (power = tau . v), {order}{along}",
            "accelerations": "derivatives of the speeds",
            "unit": "each speed = 1",
            "rate": "speed",
            "index": "speeds",
        }
        order += along
    actuators = {actuator.joint: actuator.name for actuator in mechanism.actuators}
    return words | {
        "in_q": in_q,
        "order": order,
        "actuators": ", ".join(actuators.get(joint, joint) for joint in mechanism.coordinates),
        "resisting": ", and those that overcome springs, damping and friction" if mechanism.resisted else "",
    }


@dataclass(frozen=True, eq=False)
class Contract:
    """A kernel: what it is called, what it takes and gives in this order, and what holds for it everywhere.

    ``title`` is one line on what is computed, which may hold words in braces.  There is one kernel ``each`` frame or law,
    with its name at the end of that of the kernel, or one alone.  One of a frame may be of ``rows`` of the frame's twist: of
    all, or of those that its name ends with.  A kernel ``on_demand`` is derived when it is asked for by name.  What
    ``solves`` with a mass matrix has rounding errors that grow with the condition number of this.  What goes not
    ``through_speeds`` means something also where the speeds do not determine the motion, at a dead centre.  ``axes`` are
    those of frames that its arguments or results are along, "" where in whatever frames a mechanism is described they are
    the same.
    """

    name: str
    title: str
    takes: tuple[Slot, ...]
    gives: tuple[Slot, ...]
    each: str = ""
    rows: bool = False
    on_demand: bool = False
    solves: bool = False
    through_speeds: bool = True
    axes: str = ""

    def named(self, one: str = "", rows: Sequence[str] = ROWS) -> str:
        """The name of the kernel of this frame or law, whose name is an identifier, and of these rows."""
        return with_rows(f"{self.name}_{one}", rows) if self.each else self.name

    @property
    def given(self) -> tuple[str, ...]:
        """Names of the inputs."""
        return tuple(slot.name for slot in self.takes)

    @property
    def found(self) -> tuple[str, ...]:
        """Names of the outputs."""
        return tuple(slot.name for slot in self.gives)

    def program(
        self,
        arguments: Arguments,
        graph: Graph,
        results: Sequence[Any],
        source: str,
        labels: Mapping[int, str] | None = None,
        /,
        *,
        name: str | None = None,
        **words: str,
    ) -> Program:
        """The program of a mechanism with these ``arguments``; ``results`` has the entries of each output, nested or not.

        ``name`` is that of a kernel of a frame or a law.  A size that the arguments do not know is what the entries fill.
        """
        known = {**arguments.words, **words}
        outputs: dict[Argument, list[Expression]] = {}
        for slot, entries in zip(self.gives, map(flat, results), strict=True):
            if not entries:
                continue
            outputs[slot.argument(_sizes(slot, arguments.sizes, len(entries)), known, arguments.units)] = (
                entries
            )
        takes = self.takes if TIME in self.takes or not arguments.timed else (TIME, *self.takes)
        inputs = tuple(arguments(slot, **words) for slot in takes if arguments.has_any([slot]))
        title = self.title.format_map(known)
        return Program.of(graph, name or self.name, title, inputs, outputs, source, labels or {})


def flat(entries: Any) -> list[Expression]:
    """The entries of an array of any dimension, row by row."""
    return [entries] if isinstance(entries, Expression) else [x for part in entries for x in flat(part)]


def _sizes(slot: Slot, sizes: Mapping[str, int], count: int) -> Mapping[str, int]:
    """Sizes with the one that is not known, as what makes a result of so many entries."""
    unknown = [n for n in slot.shape if isinstance(n, str) and n not in sizes]
    if not unknown:
        return sizes
    (name,) = unknown
    rest = prod(n if isinstance(n, int) else sizes[n] for n in slot.shape if n != name)
    return {**sizes, name: count // rest}
