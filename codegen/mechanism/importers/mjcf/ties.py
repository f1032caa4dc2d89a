"""Equalities between joints as what they say together: which joints stand still, and which follow which.

Each is affine in two coordinates, y - y0 = c0 + c1 (x - x0), with y0 and x0 the reference values; with one joint alone it
holds y at y0 + c0.  Joints that are tied form groups, in which one joint leads: every other one is a multiple of it and a
constant.  An equality within a group repeats what is known, fixes the leader, or contradicts the others.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from kanegen.codegen.mechanism.findings import Finding, Severity
from kanegen.codegen.mechanism.importers.mjcf.kinds import equality_kind
from kanegen.codegen.mechanism.importers.mjcf.names import Names
from kanegen.codegen.mechanism.importers.mjcf.placing import to_fraction
from kanegen.codegen.mechanism.importers.mjcf.unsupported import disabled
from kanegen.errors import ModelError

LINEAR = "connect, weld, and joint equalities of the first degree"


@dataclass(frozen=True, slots=True)
class Affine:
    """factor * (the coordinate of ``leader``) + constant [rad, m]."""

    leader: int
    factor: Fraction
    constant: Fraction


@dataclass(frozen=True, slots=True)
class Ties:
    """By numbers of joints: values [rad, m] of those that are held, and what the others follow; and what was noticed."""

    held: Mapping[int, Fraction] = field(default_factory=dict)
    follows: Mapping[int, Affine] = field(default_factory=dict)
    findings: tuple[Finding, ...] = ()


def active_equalities(mujoco: Any, model: Any) -> list[int]:
    """The equalities that hold from the start."""
    if disabled(mujoco, model, "EQUALITY"):
        return []
    return [e for e in range(model.neq) if model.eq_active0[e]]


def bodies_of(mujoco: Any, model: Any, e: int) -> tuple[int, int]:
    """The bodies at the ends of a connect or a weld."""
    one, other = int(model.eq_obj1id[e]), int(model.eq_obj2id[e])
    if int(model.eq_objtype[e]) == int(mujoco.mjtObj.mjOBJ_SITE):
        return int(model.site_bodyid[one]), int(model.site_bodyid[other])
    return one, other


def joint_ties(mujoco: Any, model: Any, names: Names) -> Ties:
    """What the active equalities between joints say together.  Raises ModelError for contradictions and higher degrees."""
    system = _System(model, names)
    for e in active_equalities(mujoco, model):
        if equality_kind(mujoco, model, e) == "JOINT":
            system.add(e)
    return system.solved()


class _System:
    """The equalities so far: direct ties between joints, and the values of leaders that are fixed."""

    def __init__(self, model: Any, names: Names) -> None:
        self._model, self._names = model, names
        self._ties: dict[int, Affine] = {}
        self._fixed: dict[int, Fraction] = {}
        self._findings: list[Finding] = []

    def add(self, e: int) -> None:
        """One more equality: y = c x + d, or y = d."""
        model, where = self._model, self._names.described("equality", e)
        y, x = int(model.eq_obj1id[e]), int(model.eq_obj2id[e])
        c0, c1, *higher = (to_fraction(c) for c in model.eq_data[e][:5])
        if x < 0:
            c, d = Fraction(0), self._reference(y) + c0
        elif any(higher):
            listed = " ".join(f"{c:g}" for c in model.eq_data[e][:5])
            raise ModelError(where, f"its polycoef {listed} is not linear", LINEAR, "Keep two coefficients.")
        else:
            c, d = c1, self._reference(y) + c0 - c1 * self._reference(x)
        first = self._seen(y)
        second = Affine(y, Fraction(0), Fraction(0)) if c == 0 else self._seen(x)
        # first.factor * leader of y + (its constant) = c * (second.factor * leader of x + its constant) + d
        rest = c * second.constant + d - first.constant
        if first.factor == 0 or c * second.factor == 0 or first.leader == second.leader:
            slope = first.factor - c * second.factor
            leader = first.leader if first.factor != 0 else second.leader
            self._fix(where, leader, slope, rest)
        elif y not in self._ties:
            self._ties[y] = Affine(x, c, d)
        else:
            self._tell(
                where, f"gives joint {self._names.joints[y]!r}, which another equality ties, a second leader"
            )
            if x not in self._ties:
                self._ties[x] = Affine(y, 1 / c, -d / c)
            else:
                slope = c * second.factor
                self._ties[second.leader] = Affine(first.leader, first.factor / slope, -rest / slope)

    def _fix(self, where: str, leader: int, slope: Fraction, value: Fraction) -> None:
        """slope * (the coordinate of a leader) = value."""
        if slope != 0:
            self._fixed[leader] = value / slope
        elif value == 0:
            self._tell(where, "repeats what other equalities say already")
        else:
            raise ModelError(
                where,
                f"contradicts other equalities of its joints: they differ by {float(abs(value)):.3g}",
                "equalities that hold together",
                "Remove one of them, or set its active to false.",
            )

    def solved(self) -> Ties:
        """Joints of groups with a fixed leader are held, and all others follow as their equalities say."""
        joints = {*self._ties, *self._fixed}
        seen = {joint: self._seen(joint) for joint in sorted(joints)}
        held = {joint: at.constant for joint, at in seen.items() if at.factor == 0}
        follows = {joint: tie for joint, tie in self._ties.items() if joint not in held}
        return Ties(held, follows, tuple(self._findings))

    def _seen(self, joint: int) -> Affine:
        """A coordinate by the leader of its group; factor 0 where that is fixed."""
        factor, constant = Fraction(1), Fraction(0)
        while joint in self._ties:
            tie = self._ties[joint]
            joint, factor, constant = tie.leader, factor * tie.factor, factor * tie.constant + constant
        if joint in self._fixed:
            return Affine(joint, Fraction(0), factor * self._fixed[joint] + constant)
        return Affine(joint, factor, constant)

    def _reference(self, joint: int) -> Fraction:
        return to_fraction(self._model.qpos0[int(self._model.jnt_qposadr[joint])])

    def _tell(self, where: str, what: str) -> None:
        self._findings.append(
            Finding(
                Severity.WARNING,
                where,
                what,
                "one equality for each joint that follows another",
                "Remove it if it is not meant; the mechanism moves as all of them say together.",
            )
        )
