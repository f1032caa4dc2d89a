"""What is left of coordinates, equations, speeds, springs and laws when joints of a mechanism are held or gone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any

import numpy as np

from kanegen.codegen.graph.late import sympy
from kanegen.codegen.mechanism.constraints import (
    Constraint,
    FrameCoordinate,
    Loop,
    LoopKind,
    PositionConstraint,
    VelocityConstraint,
)
from kanegen.codegen.mechanism.control_law import ControlLaw
from kanegen.codegen.mechanism.findings import Finding, Severity
from kanegen.codegen.mechanism.force_elements import JointSum, coordinates_of
from kanegen.codegen.mechanism.force_laws import symbolic
from kanegen.codegen.mechanism.frame_coordinates import place_of
from kanegen.codegen.mechanism.importers.loop_speeds import LOOPS, independent_speeds
from kanegen.codegen.mechanism.poses import body_motions, moving_joints
from kanegen.codegen.mechanism.records import BASE, Mechanism
from kanegen.codegen.mechanism.references import (
    Equation,
    by_names,
    frames_of,
    refitted_constraint,
    refitted_law,
)
from kanegen.codegen.mechanism.sizes import unit_of_length
from kanegen.codegen.mechanism.speeds import (
    AngularVelocityComponent,
    CombinedSpeed,
    GeneralizedSpeed,
    JointRate,
    on_equation,
)
from kanegen.codegen.mechanism.validation.constraints import Carriers, driven_joints
from kanegen.codegen.mechanism.validation.exact import title_of
from kanegen.codegen.mechanism.values import home_numbers
from kanegen.errors import ModelError

_CLOSED = 1e-9
"""Units of length that the ends of a loop may be apart: more than rounding, and less than anything meant."""

_MEETING = {LoopKind.SPHERICAL, LoopKind.REVOLUTE, LoopKind.UNIVERSAL, LoopKind.FIXED}
"""The loops whose ends have the same origin."""

_FULFILLED = 1e-9
"""What an equation of position may leave open where all its coordinates are held: more than the rounding of doubles."""


@dataclass
class Remaining:
    """The parts of ``before`` that go with joints, links and frames of ``after``, which is the same but for these.

    ``held`` has the numbers of coordinates that are held; others are gone without one.  ``change`` says what was asked, for
    errors; what is left out is told in ``findings``.
    """

    before: Mechanism
    after: Mechanism
    held: Mapping[str, sympy.Expr]
    change: str
    findings: list[Finding]
    _loosened: list[str] = field(default_factory=list)

    def mechanism(self) -> Mechanism:
        """What is left.  Raises ModelError where that is not one mechanism alone."""
        self.before = by_names(self.before)
        left = {*moving_joints(self.after), *self.after.modes}
        left |= {name for ball in self.after.balls for name in ball.coordinates}
        home = [x for name, x in zip(self.before.coordinates, self.before.home, strict=False) if name in left]
        found = replace(
            self.after,
            coordinates=tuple(name for name in self.before.coordinates if name in left),
            home=tuple(home),
            prescribed=tuple(p for p in self.after.prescribed if p.joint in left),
            springs=tuple(s for s in map(partial(self._spring, left), self.after.springs) if s is not None),
        )
        self.after = found = replace(found, speeds=())
        found = replace(found, loops=tuple(filter(self._loop_stays, found.loops)))
        found = replace(found, constraints=tuple(self._constraints(found)))
        self.after = found = replace(found, speeds=self._speeds(found))
        laws = [law for law in map(self._law, self.before.laws) if law is not None]
        driven = driven_joints(found)
        return replace(
            found, laws=tuple(laws), actuators=tuple(a for a in found.actuators if a.joint in driven)
        )

    @cached_property
    def _frames(self) -> set[str]:
        return {BASE, *(frame.name for frame in self.after.frames)}

    def _tell(self, record: Any, what: str, expected: str, severity: Severity = Severity.WARNING) -> None:
        where = title_of(record)
        self.findings.append(
            Finding(severity, where, what, expected, f"Nothing, if that is meant by {self.change}.")
        )

    def _frames_stay(self, record: Any) -> bool:
        """Whether all frames that a record names are left; it is told of one that goes."""
        gone = [name for name in frames_of(record) if name not in self._frames]
        if gone:
            self._tell(record, f"is left out with {gone[0]!r}, to which it was attached", "frames that stay")
            self._loosened.append(title_of(record))
        return not gone

    def _spring(self, left: set[str], spring: Any) -> Any:
        """What is left of a spring or element; None where that is nothing.

        An element on several joints, some of which are held, acts on the others from there.
        """
        share = coordinates_of(spring)
        lost = [name for name, _ in share if name not in left]
        if not lost:
            return spring if self._frames_stay(spring) and not self._idle(spring) else None
        joints = {joint.name for joint in self.after.joints}
        gone = [name for name in lost if name not in joints]
        if gone or len(lost) == len(share):
            what = "which is gone" if gone else "which is held"
            what = f"is left out with the joint {(gone or lost)[0]!r}, {what}"
            self._tell(spring, what, "a joint that moves", Severity.WARNING if gone else Severity.NOTE)
            return None
        by = sympy.Add(*(symbolic(c) * self.held[name] for name, c in share if name in lost))
        names, coefficients = zip(*((name, c) for name, c in share if name in left), strict=True)
        return replace(spring, displacement=JointSum(names, coefficients), law=spring.law.moved(by))

    def _idle(self, spring: Any) -> bool:
        """Whether nothing moves the ends of a spring apart any more; it is told of it."""
        carriers = Carriers(self.after)
        ends = {carriers.of_body(self.after.frame(name).body) for name in frames_of(spring)}
        if len(ends) != 1:
            return False
        self._tell(
            spring, "is left out: all joints between its ends are held", "ends that move", Severity.NOTE
        )
        return True

    def _loop_stays(self, loop: Loop) -> bool:
        if not self._frames_stay(loop):
            return False
        carriers = Carriers(self.after)
        first, second = (self.after.frame(name) for name in (loop.first, loop.second))
        if carriers.of_body(first.body) != carriers.of_body(second.body):
            return True
        motions = body_motions(self.after, {})
        ends = [motions.frame_pose(frame)[:3, 3] for frame in (first, second)]
        apart = float(np.linalg.norm(ends[1] - ends[0])) if loop.kind in _MEETING else 0.0
        what = "is left out: all its joints are held"
        if apart > _CLOSED * unit_of_length(self.before):
            self._tell(loop, f"{what}, with its ends {apart:.3g} m apart", "values that close it")
        else:
            self._tell(loop, what, "a joint in it that moves", Severity.NOTE)
        return False

    def _constraints(self, found: Mechanism) -> Iterator[Constraint]:
        rates = {f"rate({name})": sympy.Integer(0) for name in self.held}
        values = {**self.held, **rates}
        gone = {*self.before.coordinates} - {*found.coordinates}
        carriers = Carriers(found)
        for item in self.before.constraints:
            if not self._frames_stay(item):
                continue
            if not isinstance(item, Equation):
                yield item
                continue
            known = {s: values[s.name] for s in item.expression.free_symbols if s.name in values}
            expression = item.expression.xreplace(known)
            names = {
                symbol.name.removeprefix("rate(").removesuffix(")") for symbol in expression.free_symbols
            }
            symbols = {*item.q, *(item.qdot if isinstance(item, VelocityConstraint) else ())}
            symbols |= {part.symbol for part in item.frames if _apart(part, found, carriers)}
            if names & gone:
                self._tell(item, f"is left out with {min(names & gone)!r}", "coordinates that stay")
                self._loosened.append(title_of(item))
            elif expression.free_symbols & symbols:
                yield refitted_constraint(replace(item, expression=expression), found.coordinates)
            else:
                self._check_fulfilled(item, expression)

    def _check_fulfilled(self, item: Equation, expression: sympy.Expr) -> None:
        """Raise ModelError for an equation that held coordinates contradict."""
        numbers = {p.name: sympy.Rational(*p.value.as_integer_ratio()) for p in self.before.parameters}
        numbers |= {part.symbol.name: self._number(part) for part in item.frames}
        if any(symbol.name not in numbers for symbol in expression.free_symbols):
            raise ModelError(
                title_of(item),
                f"leaves an equation in time alone with {self.change}",
                "joints that can move as it says",
                "Hold others, or take the equation out.",
            )
        rest = expression.xreplace({s: numbers[s.name] for s in expression.free_symbols})
        if abs(complex(rest)) > _FULFILLED:
            raise ModelError(
                title_of(item),
                f"is {float(sympy.re(rest)):.3g} with {self.change}, and has to be 0",
                "values that fulfil it",
                "Hold one of its joints alone: the others follow.",
            )

    def _number(self, part: FrameCoordinate) -> sympy.Expr:
        """A coordinate of a frame that is fixed to the one that it is seen from."""
        motions = body_motions(self.after, {})
        frame, seen_from = (
            motions.frame_pose(self.after.frame(name)) for name in (part.frame, part.relative_to)
        )
        pose = np.linalg.inv(seen_from) @ frame
        return sympy.Float(0.0 if part.rate else pose[place_of(part.entry)])

    def _speeds(self, found: Mechanism) -> tuple[GeneralizedSpeed, ...]:
        """The speeds that are left.  Raises ModelError where others would have to be chosen."""
        before = self.before
        if not before.speeds:
            return ()
        kept = tuple(speed for speed in before.speeds if self._speed_stays(speed, found))
        rates = all(isinstance(speed, JointRate) for speed in kept)
        if not (found.loops or found.constraints):
            if rates:
                return ()
            freedom = len(found.rates)
        else:
            solved = sum(isinstance(item, Equation) for item in before.constraints)
            solved -= sum(isinstance(item, Equation) for item in found.constraints)
            freedom = len(before.speeds) - (len(before.rates) - len(found.rates) - solved)
        if freedom < 1:
            raise ModelError(
                self.change, "leaves nothing that can move", "a degree of freedom", "Let more of it move."
            )
        if len(kept) == freedom and not self._loosened:
            return tuple(
                on_equation(speed, lambda item: refitted_constraint(item, found.coordinates))
                for speed in kept
            )
        equations = tuple(item for item in found.constraints if isinstance(item, PositionConstraint))
        known = equations == found.constraints and not any(item.frames for item in equations)
        known &= all(loop.kind in LOOPS for loop in found.loops)
        if rates and known and not (found.quaternions or found.prescribed):
            preferred = [speed.joint for speed in kept if isinstance(speed, JointRate)]
            home = dict(zip(found.coordinates, home_numbers(found), strict=True))
            names, _ = independent_speeds(found, found.loops, preferred, equations, home)
            return tuple(JointRate(name) for name in names)
        named = ", ".join(title_of(speed).removeprefix("speed, ") for speed in before.speeds)
        loosened = f", and {self._loosened[0]} ties nothing any more" if self._loosened else ""
        raise ModelError(
            self.change,
            f"is not among the speeds that were chosen, {named}{loosened}: which of them stay independent is not known",
            "joints whose rates are among the speeds, or that are tied to nothing",
            "Choose the speeds anew: MechanismBuilder.from_mechanism opens a model.",
        )

    def _speed_stays(self, speed: GeneralizedSpeed, found: Mechanism) -> bool:
        if isinstance(speed, JointRate):
            return speed.joint in found.rates
        if isinstance(speed, AngularVelocityComponent):
            return any(body.name == speed.body for body in found.bodies)
        if isinstance(speed, CombinedSpeed):
            if not all(name in self._frames for name in frames_of(speed)):
                return False
            gone = {*self.before.coordinates} - {*found.coordinates}
            used = {symbol.name for symbol in speed.equation.expression.free_symbols}
            return not used & {*gone, *(f"rate({name})" for name in gone)}
        return all(name in self._frames for name in frames_of(speed))

    def _law(self, law: ControlLaw) -> ControlLaw | None:
        gone = {*self.before.coordinates} - {*self.after.coordinates}
        values = {s: self.held[s.name] for s in law.q if s.name in self.held}
        resting = {f"rate({name})" for name in {*self.before.rates} - {*self.after.rates}}
        values |= {s: sympy.Integer(0) for s in law.v if s.name in resting and self.held}
        law = law.replaced(lambda expression: expression.xreplace(values))
        if law.quantities() and gone:
            what = f"is left out: entries of {law.quantities()[0].kernel} are others now"
            self._tell(law, what, "laws without quantities of the mechanism")
            return None
        after = refitted_law(law, self.before, self.after)
        used = {s.name for found in after.results for s in found.free_symbols} & (gone | resting)
        changed = {*self.after.generalized_speeds} - {*self.before.generalized_speeds}
        if used or changed:
            what = (
                f"is left out with {min(used)!r}, on which it depends"
                if used
                else "is left out with its speeds"
            )
            self._tell(law, what, "coordinates and speeds that stay")
            return None
        return after


def _apart(part: FrameCoordinate, mechanism: Mechanism, carriers: Carriers) -> bool:
    """Whether a frame can move relative to the one that it is seen from."""
    one, other = (mechanism.frame(name).body for name in (part.frame, part.relative_to))
    return carriers.of_body(one) != carriers.of_body(other)
