"""Springs and dampers whose ends nearly meet, against derivatives of their energy and power in 120 digits."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import mpmath
import numpy as np
import pytest

import kanegen
from kanegen.codegen.mechanism import BASE, Mechanism, MechanismBuilder, PathLength, force_laws
from kanegen.codegen.mechanism.speeds import JointRate

STIFFNESS, REST, DAMPING = 30.0, 0.05, 3.0
ROUNDING = 3e-14
"""Some 250 roundings of 1.1e-16 of terms that are not larger than the largest entry, were all of them to add up."""
DERIVATIVES = ("inverse_dynamics", "inverse_dynamics_derivatives", "potential_energy")
INFLUENCES = ("effective_stiffness", "effective_damping", "spring_forces")


def rotation(axis: Sequence[float], angle: Any) -> Any:
    """Rodrigues' formula."""
    x, y, z = map(mpmath.mpf, axis)
    k = mpmath.matrix([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return mpmath.eye(3) + mpmath.sin(angle) * k + (1 - mpmath.cos(angle)) * k * k


def vector(*entries: str) -> Any:
    """From decimals, exactly."""
    return mpmath.matrix([mpmath.mpf(x) for x in entries])


@dataclass(frozen=True)
class Case:
    """A mechanism without inertia, and the vector between the ends of its spring."""

    build: Callable[[], Mechanism]
    apart: Callable[[Sequence[Any]], Any]
    states: Callable[[float], list[float]]


def builder() -> MechanismBuilder:
    """With bodies a and b."""
    b = MechanismBuilder("short_spring", gravity=(0, 0, 0))
    b.body("a")
    return b


def sprung(b: MechanismBuilder) -> Mechanism:
    """With a spring between wall and tip."""
    b.translational_spring("spring", "wall", "tip", STIFFNESS, DAMPING, REST)
    return b.build()


def one_hinge() -> Mechanism:
    b = builder()
    b.revolute("j", BASE, "a", (0, 0, 1))
    b.frame("tip", "a", (0.3, 0.1, 0))
    b.frame("wall", BASE, (0.3, 0.1, 0))
    return sprung(b)


def skew_hinges(speeds: bool = False, law: bool = False) -> Mechanism:
    b = builder()
    b.body("b")
    b.revolute("j", BASE, "a", (0, 0, 1), position=(0.1, 0.2, 0.3))
    b.revolute("k", "a", "b", (0, 0.6, 0.8), position=(0.4, 0.1, 0))
    b.frame("tip", "b", (0.3, 0.1, 0))
    b.frame("wall", BASE, (0.8, 0.4, 0.3))
    if speeds:
        b.speeds([JointRate("j"), JointRate("k")])
    if law:
        own = force_laws.spring(STIFFNESS, REST) + force_laws.damper(DAMPING)
        b.force_element("spring", PathLength(("wall", "tip")), own)
        return b.build()
    return sprung(b)


def hinge_and_slide() -> Mechanism:
    """The ends part across the slide in the first order, and along it in the second."""
    b = builder()
    b.body("b")
    b.prismatic("x", BASE, "a", (1, 0, 0))
    b.revolute("k", BASE, "b", (0, 0, 1))
    b.frame("tip", "b", (0.3, 0, 0))
    b.frame("wall", "a", (0.3, 0, 0))
    return sprung(b)


def on_a_line() -> Mechanism:
    b = builder()
    b.prismatic("x", BASE, "a", (0.6, 0.8, 0))
    b.frame("tip", "a")
    b.frame("wall", BASE)
    return sprung(b)


def of_skew_hinges(q: Sequence[Any]) -> Any:
    tip = vector("0.4", "0.1", "0") + rotation((0, mpmath.mpf("0.6"), mpmath.mpf("0.8")), q[1]) * vector(
        "0.3", "0.1", "0"
    )
    return rotation((0, 0, 1), q[0]) * tip - vector("0.7", "0.2", "0")


CASES = {
    "one hinge": Case(
        one_hinge,
        lambda q: rotation((0, 0, 1), q[0]) * vector("0.3", "0.1", "0") - vector("0.3", "0.1", "0"),
        lambda s: [s],
    ),
    "skew hinges": Case(skew_hinges, of_skew_hinges, lambda s: [s, 1.3 * s]),
    "law": Case(lambda: skew_hinges(law=True), of_skew_hinges, lambda s: [s, 1.3 * s]),
    "speeds": Case(lambda: skew_hinges(speeds=True), of_skew_hinges, lambda s: [-s, 0.7 * s]),
    "hinge and slide": Case(
        hinge_and_slide,
        lambda q: (
            rotation((0, 0, 1), q[1]) * vector("0.3", "0", "0")
            - vector("0.3", "0", "0")
            - vector("1", "0", "0") * q[0]
        ),
        lambda s: [s * s, s],
    ),
    "on a line": Case(on_a_line, lambda q: vector("0.6", "0.8", "0") * q[0], lambda s: [-s]),
}


@cache
def robot(name: str, influence: bool) -> kanegen.Robot:
    """Without a compiler."""
    given = (
        dict[str, Any](kernels=INFLUENCES, formulation="influence_coefficients")
        if influence
        else {"kernels": DERIVATIVES}
    )
    return kanegen.load(CASES[name].build(), interpreted=True, **given)


def slopes(f: Callable[[Sequence[Any]], Any], q: Sequence[Any]) -> list[Any]:
    """Derivatives of what f gives (a number or a matrix) by all q: central differences with errors of 1e-60."""
    h = mpmath.mpf(10) ** -60
    found = []
    for j in range(len(q)):
        ahead, behind = ([x + sign * h * (i == j) for i, x in enumerate(q)] for sign in (1, -1))
        found.append((f(ahead) - f(behind)) / (2 * h))
    return found


@dataclass(frozen=True)
class Witness:
    """The spring of a case in many digits."""

    case: Case

    def energy(self, q: Sequence[Any]) -> Any:
        return mpmath.mpf(STIFFNESS) / 2 * (mpmath.norm(self.case.apart(q)) - mpmath.mpf("0.05")) ** 2

    def forces(self, q: Sequence[Any], v: Sequence[Any]) -> Any:
        """Those that overcome spring and damper."""
        length = slopes(lambda x: mpmath.norm(self.case.apart(x)), q)
        rate = sum(a * b for a, b in zip(length, v, strict=True))
        elastic = slopes(self.energy, q)
        return mpmath.matrix([e + DAMPING * rate * a for e, a in zip(elastic, length, strict=True)])


def close(found: Any, expected: Any) -> None:
    """Equal, but for roundings of the largest entry."""
    wanted = np.array([float(x) for x in expected]).reshape(np.shape(found))
    np.testing.assert_allclose(found, wanted, rtol=0, atol=ROUNDING * np.abs(wanted).max())


@pytest.mark.parametrize("exponent", [-4, -8, -10, -12])
@pytest.mark.parametrize("name", CASES)
def test_every_quantity_has_its_digits(name: str, exponent: int) -> None:
    case = CASES[name]
    state = case.states(10.0**exponent)
    n = len(state)
    rates = [0.7, -0.4][:n]
    with mpmath.workdps(200):
        q, v = [mpmath.mpf(x) for x in state], [mpmath.mpf(x) for x in rates]
        witness = Witness(case)
        none = [mpmath.mpf(0)] * n
        energy, tau = witness.energy(q), witness.forces(q, v)
        by_q = slopes(lambda x: witness.forces(x, v), q)
        by_v = slopes(lambda x: witness.forces(q, x), v)
        stiffness = slopes(lambda x: witness.forces(x, none), q)
        rows = [[[m[i] for m in matrix] for i in range(n)] for matrix in (by_q, by_v, stiffness)]
    flat = [[x for row in matrix for x in row] for matrix in rows]
    arm = robot(name, influence=False)
    close(arm.potential_energy(state), [energy])
    close(arm.inverse_dynamics(state, rates, [0.0] * n), tau)
    found = arm.inverse_dynamics_derivatives(state, rates, [0.0] * n)
    close(found.dq, flat[0])
    close(found.dv, flat[1])
    if name == "speeds":  # influence coefficients are on the coordinates
        return
    arm = robot(name, influence=True)
    close(arm.call("spring_forces", state, rates), tau)
    close(arm.call("effective_stiffness", state), flat[2])
    close(arm.call("effective_damping", state), flat[1])


@pytest.mark.parametrize("exponent", [-4, -8, -12])
def test_the_same_on_a_floating_body(exponent: int) -> None:
    """Steps of a ball joint move the child along its own axes; forces are along these as well."""
    b = builder()
    b.floating("f", BASE, "a")
    b.frame("tip", "a")
    b.frame("wall", BASE)
    b.home((0.4, 0, 0, 0, 0, 0, 1))
    arm = kanegen.load(sprung(b), interpreted=True, kernels=DERIVATIVES)
    s = 10.0**exponent
    state = [0.7 * s, -0.2 * s, 0.1 * s, 0.0, 0.0, 0.0, 1.0]
    v = [0.3, -0.2, 0.5, 0.1, 0.4, -0.6]
    with mpmath.workdps(200):
        place = mpmath.matrix([mpmath.mpf(x) for x in state[:3]])

        def forces(step: Sequence[Any], rates: Sequence[Any]) -> Any:
            """On the axes of the stepped child, whose turn is right to the first order in the step."""
            x, y, z = step[3:]
            turned = mpmath.eye(3) + mpmath.matrix([[0, -z, y], [z, 0, -x], [-y, x, 0]])
            d = place + mpmath.matrix(step[:3])
            own, length = turned.T * d, mpmath.norm(d)
            spreading = (own.T * mpmath.matrix(rates[:3]))[0]
            pull = STIFFNESS * (1 - mpmath.mpf("0.05") / length) + DAMPING * spreading / length**2
            return mpmath.matrix([*(pull * own), 0, 0, 0])

        none, rates = [mpmath.mpf(0)] * 6, [mpmath.mpf(x) for x in v]
        tau = forces(none, rates)
        by_step = slopes(lambda x: forces(x, rates), none)
        by_v = slopes(lambda x: forces(none, x), rates)
        flat = [[m[i] for i in range(6) for m in matrix] for matrix in (by_step, by_v)]
    found = arm.inverse_dynamics_derivatives(state, v, [0.0] * 6)
    close(arm.inverse_dynamics(state, v, [0.0] * 6), tau)
    close(found.dq, flat[0])
    close(found.dv, flat[1])
