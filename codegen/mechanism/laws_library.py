"""The laws of ``kanegen.laws`` for a mechanism, in expressions: compiled together with its dynamics."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from kanegen.codegen.graph.exact import from_number
from kanegen.codegen.graph.late import sympy
from kanegen.codegen.mechanism.control_law import ControlLaw, LawState, quantity, reference
from kanegen.codegen.mechanism.names import frame_identifiers
from kanegen.codegen.mechanism.records import Mechanism
from kanegen.codegen.mechanism.validation import validated
from kanegen.codegen.mechanism.validation.symbols import names_of_speeds
from kanegen.errors import ModelError, did_you_mean
from kanegen.laws import Driven, Law


def with_laws(mechanism: Mechanism, laws: Mapping[str, Law]) -> Mechanism:
    """The mechanism with further control laws, by the names that their kernels get.  Raises ModelError."""
    more = tuple(law_of(name, law, mechanism) for name, law in laws.items())
    return validated(replace(mechanism, laws=mechanism.laws + more))


def law_of(name: str, law: Law, mechanism: Mechanism) -> ControlLaw:
    """A law of the library for a mechanism.  Raises ModelError where it does not fit."""
    if not isinstance(law, Law):
        raise ModelError(
            f"control law {name!r}",
            f"is {law!r}",
            "a law such as kanegen.laws.pd(kp=...)",
            "Give one, or describe your own with MechanismBuilder.law.",
        )
    of = _InExpressions(mechanism)
    time = sympy.Symbol("t", real=True)
    q = tuple(sympy.Symbol(f"coordinate({x})", real=True) for x in mechanism.coordinates)
    v = tuple(sympy.Symbol(f"speed({k})", real=True) for k in range(mechanism.dof))
    signals, states = law.references(of.joints), law.states(of.joints)
    x = [sympy.Symbol(state, real=True) for state in states]
    r = [reference(signal, order) for signal in signals for order in range(3)]
    tau, rates = law.found(of, q, v, x, r)
    return ControlLaw(
        name,
        law.title,
        "kanegen.laws",
        time,
        q,
        v,
        tuple(tau),
        tuple(LawState(symbol, rate) for symbol, rate in zip(x, rates, strict=True)),
        signals,
    )


class _InExpressions:
    """A mechanism at any state: see ``kanegen.laws.Mechanics``."""

    def __init__(self, mechanism: Mechanism) -> None:
        self.nq, self.nv = len(mechanism.coordinates), mechanism.dof
        self._frames = frame_identifiers(mechanism)
        coordinates, speeds = mechanism.coordinates, names_of_speeds(mechanism)
        followers: dict[str, tuple[str, ...]] = {}
        for mimic in mechanism.mimics:
            leader = mechanism.followed(mimic.joint).leader
            followers[leader] = (*followers.get(leader, ()), mimic.joint)
        inner = {name for ball in mechanism.balls for name in ball.coordinates} | set(mechanism.modes)
        joints = [
            Driven(name, (speeds.index(name),), (k,), followers.get(name, ()))
            for k, name in enumerate(coordinates)
            if name in speeds and name not in inner
        ]
        for ball in mechanism.balls:
            if not ball.free and all(name in speeds for name in ball.joints):
                places = tuple(speeds.index(name) for name in ball.joints)
                joints.append(Driven(ball.name, places, tuple(map(coordinates.index, ball.coordinates))))
        self.joints: Sequence[Driven] = sorted(joints, key=lambda joint: joint.coordinates)

    def number(self, value: Any) -> sympy.Rational:
        """A number of a law, by its shortest decimal."""
        exact = from_number(value)
        return sympy.Rational(exact.numerator, exact.denominator)

    def gravity_forces(self) -> Sequence[Any]:
        """Forces that hold the mechanism at rest."""
        return [quantity("gravity_forces")[k] for k in range(self.nv)]

    def inverse_dynamics(self, a: Sequence[Any]) -> Sequence[Any]:
        """Forces for accelerations."""
        forces = quantity("inverse_dynamics", a=a)
        return [forces[k] for k in range(self.nv)]

    def frame(self, frame: str) -> tuple[Sequence[Any], Sequence[Any]]:
        """The pose and the Jacobian of a frame."""
        if frame not in self._frames:
            raise ModelError(
                "law impedance",
                f"{frame!r} is not a frame",
                f"one of {', '.join(self._frames)}",
                did_you_mean(frame, self._frames, "Mend the name."),
            )
        pose, jacobian = (
            quantity(f"{kernel}_{self._frames[frame]}") for kernel in ("frame_pose", "frame_jacobian")
        )
        return [pose[k] for k in range(16)], [jacobian[k] for k in range(6 * self.nv)]

    def clipped(self, value: Any, limit: Any) -> Any:
        """The value, but no farther from zero than the limit."""
        return sympy.Max(-limit, sympy.Min(limit, value, evaluate=False), evaluate=False)
