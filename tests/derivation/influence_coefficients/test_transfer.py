"""Transfer of generalized coordinates: whatever stays the same whichever coordinates describe it."""

from __future__ import annotations

from typing import Any

import mpmath
import numpy as np
import pytest

from kanegen.codegen.derivation.influence_coefficients import (
    Influence,
    dynamic_model,
    frame_influence,
    from_matrix,
    hand_influence,
    reversed_influence,
    reversed_with_least_energy,
    transferred,
    transferred_damping,
    transferred_influence,
    transferred_stiffness,
    transferred_to,
)
from kanegen.codegen.derivation.influence_coefficients.equations import motion_at
from kanegen.codegen.derivation.recursive.kinematics import Kinematics
from kanegen.codegen.graph import Graph, constant, inputs, partial
from kanegen.codegen.graph import linear as vec
from kanegen.codegen.mechanism import Mechanism
from tests.derivation.comparison import EXACT, derived
from tests.derivation.tree_kernels import inverse_dynamics

from .support import (
    DERIVATIVE,
    DIGITS,
    derivative,
    exact_numbers,
    flat,
    frame_of,
    gap,
    influence_results,
    model_results,
    placed,
    program,
    random_arm,
    unit,
    values,
)

SPATIAL, PLANAR = (0, 1, 2, 3, 4, 5), (0, 1, 5)
ARMS = [
    (random_arm(1, 6), SPATIAL),
    (random_arm(2, 6), SPATIAL),
    (random_arm(3, 3, planar=True), PLANAR),
    (random_arm(4, 4), (0, 1, 2, 4)),
    (random_arm(5, 2), (1, 2)),
    (random_arm(6, 1), (2,)),
]
REDUNDANT = [(random_arm(7, 7), SPATIAL), (random_arm(8, 4, planar=True), PLANAR), (random_arm(9, 5), (0, 2))]


class Case:
    """An arm, its hand, and the transfer from its joints to the hand, as one program in q."""

    def __init__(self, arm: Mechanism, rows: tuple[int, ...]) -> None:
        n, k = len(arm.coordinates), len(rows)
        tree, graph = placed(arm), Graph()
        q = inputs(graph, "q", n)
        self.arm, self.n, self.k = arm, n, k
        model = dynamic_model(arm, graph, q)
        hand = hand_influence(Kinematics(tree, motion_at(tree, graph, q)), frame_of(tree, "hand"), rows)
        reverse = (
            reversed_influence(graph, hand) if n == k else reversed_with_least_energy(graph, hand, model)
        )
        moved = transferred(graph, model, reverse)
        direct = transferred_to(graph, model, hand, reverse.G)
        results = {
            **model_results(model),
            **{f"direct_{name}": found for name, found in model_results(direct).items()},
            **{f"hand_{name}": found for name, found in model_results(moved).items()},
            **influence_results(hand),
            **{f"back_{name}": found for name, found in influence_results(reverse).items()},
        }
        self.program = program(graph, {"q": n}, **results)

    def at(self, q: list[Any]) -> dict[str, Any]:
        """All matrices and arrays at q, in their shapes."""
        return self.shaped(values(self.program, q=q))

    def shaped(self, found: dict[str, Any]) -> dict[str, Any]:
        n, k = self.n, self.k
        shapes = {"I": (n, n), "P": (n, n, n), "hand_I": (k, k), "hand_P": (k, k, k)}
        shapes |= {"direct_I": (k, k), "direct_P": (k, k, k)}
        shapes |= {"G": (k, n), "H": (k, n, n), "back_G": (n, k), "back_H": (n, k, k)}
        return {name: x.reshape(shapes[name]) if name in shapes else x for name, x in found.items()}


every_arm = pytest.mark.parametrize(("arm", "rows"), ARMS, ids=lambda x: x.name if hasattr(x, "name") else "")
every_redundant_arm = pytest.mark.parametrize(
    ("arm", "rows"), REDUNDANT, ids=lambda x: x.name if hasattr(x, "name") else ""
)


def quadratic(array: Any, x: Any) -> Any:
    return np.array([x @ plane @ x for plane in array], dtype=object)


@every_arm
def test_energy_power_and_forces_of_a_hand(arm: Mechanism, rows: tuple[int, ...]) -> None:
    """Kinetic energy and power are the same, and inverse dynamics in hand coordinates is G^-T of the joints' forces."""
    case = Case(arm, rows)
    with mpmath.workdps(DIGITS):
        q, v, a = (np.array(x, dtype=object) for x in exact_numbers(11, case.n, case.n, case.n))
        m = case.at(list(q))
        e, de = m["G"] @ v, m["G"] @ a + quadratic(m["H"], v)
        assert gap([e @ m["hand_I"] @ e], [v @ m["I"] @ v]) < DERIVATIVE
        force = m["hand_I"] @ de + quadratic(m["hand_P"], e) - m["hand_loads"]
        tau = values(derived(inverse_dynamics, arm), q=q, v=v, a=a)["tau"]
        assert gap(m["G"].T @ force, tau) < DERIVATIVE
        assert gap([force @ e], [tau @ v]) < DERIVATIVE


@every_arm
def test_reversed_influence(arm: Mechanism, rows: tuple[int, ...]) -> None:
    """From hand to joints and back again changes nothing, to second order."""
    case = Case(arm, rows)
    with mpmath.workdps(DIGITS):
        q, v, a = (np.array(x, dtype=object) for x in exact_numbers(12, case.n, case.n, case.n))
        m = case.at(list(q))
        assert gap(m["G"] @ m["back_G"], np.eye(case.k)) < DERIVATIVE
        e, de = m["G"] @ v, m["G"] @ a + quadratic(m["H"], v)
        assert gap(m["back_G"] @ e, v) < DERIVATIVE
        assert gap(m["back_G"] @ de + quadratic(m["back_H"], e), a) < DERIVATIVE


@every_redundant_arm
def test_redundant_arms(arm: Mechanism, rows: tuple[int, ...]) -> None:
    """N reverses G, leaves no kinetic energy in internal motion, and H is its derivative along the motion."""
    case = Case(arm, rows)
    with mpmath.workdps(DIGITS):
        q, e, de = (np.array(x, dtype=object) for x in exact_numbers(13, case.n, case.k, case.k))
        m = case.at(list(q))
        N = m["back_G"]
        assert gap(m["G"] @ N, np.eye(case.k)) < DERIVATIVE
        # momenta of the motion N e are combinations of the rows of G: no work on any motion with G v = 0
        internal = np.eye(case.n) - N @ m["G"]
        assert gap(internal.T @ m["I"] @ N, np.zeros((case.n, case.k))) < DERIVATIVE
        for i in range(case.k):
            along = case.shaped(derivative(case.program, list(N @ unit(case.k, i)), q=list(q)))
            assert gap(m["back_H"][:, i, :], along["back_G"]) < DERIVATIVE
        # forces at the hand are those of the joints' motion, projected
        v, a = N @ e, N @ de + quadratic(m["back_H"], e)
        tau = values(derived(inverse_dynamics, arm), q=q, v=v, a=a)["tau"]
        assert gap(m["hand_I"] @ de + quadratic(m["hand_P"], e) - m["hand_loads"], N.T @ tau) < DERIVATIVE


@pytest.mark.parametrize("arm_and_rows", [*ARMS, *REDUNDANT], ids=lambda case: case[0].name)
def test_a_hand_needs_no_second_order_coefficients_of_the_joints(arm_and_rows: Any) -> None:
    """``transferred_to`` is ``transferred``, for redundant arms by the weight I*."""
    case = Case(*arm_and_rows)
    with mpmath.workdps(DIGITS):
        m = case.at(exact_numbers(14, case.n)[0])
        for name in ("I", "P", "loads"):
            assert gap(m[f"direct_{name}"], m[f"hand_{name}"]) < DERIVATIVE


def test_transfer_of_kinematics() -> None:
    """The influence of the hand on a link, through the joints, is what the joints' own time states make of it."""
    arm, n = ARMS[0][0], 6
    tree, graph = placed(arm), Graph()
    q = inputs(graph, "q", n)
    kinematics = Kinematics(tree, motion_at(tree, graph, q))
    hand, link = (frame_influence(kinematics, frame_of(tree, name)) for name in ("hand", "link4"))
    through = transferred_influence(graph, link, reversed_influence(graph, hand))
    found = program(
        graph,
        {"q": n},
        **{
            f"{name}_{order}": flat(array)
            for name, influence in (("hand", hand), ("link", link), ("through", through))
            for order, array in (("G", influence.G), ("H", influence.H))
        },
    )
    with mpmath.workdps(DIGITS):
        q_, v, a = (np.array(x, dtype=object) for x in exact_numbers(15, n, n, n))
        m = {
            name: x.reshape((6, 6) if name.endswith("G") else (6, 6, 6))
            for name, x in values(found, q=q_).items()
        }
        e, de = m["hand_G"] @ v, m["hand_G"] @ a + quadratic(m["hand_H"], v)
        assert gap(m["through_G"] @ e, m["link_G"] @ v) < DERIVATIVE
        expected = m["link_G"] @ a + quadratic(m["link_H"], v)
        assert gap(m["through_G"] @ de + quadratic(m["through_H"], e), expected) < DERIVATIVE


def test_a_given_matrix_is_differentiated() -> None:
    """H_p,mn is dN_pn along column m, for a matrix that is no Jacobian of anything."""
    graph = Graph()
    u = inputs(graph, "q", 3)
    N = [
        [u[0] * u[1], u[2].sine()],
        [u[1] / (u[0] * u[0] + 2), u[2] * u[2] * 3],
        [u[0].cosine(), u[0] - u[2]],
    ]
    found = program(graph, {"q": 3}, **influence_results(from_matrix(graph, u, N)))
    with mpmath.workdps(DIGITS):
        (at,) = exact_numbers(16, 3)
        m = values(found, q=at)
        matrix, array = m["G"].reshape(3, 2), m["H"].reshape(3, 2, 2)
        for i in range(2):
            along = derivative(found, list(matrix[:, i]), q=at)["G"].reshape(3, 2)
            assert gap(array[:, i, :], along) < DERIVATIVE


def test_damping_and_stiffness() -> None:
    """C* keeps the dissipated power; K* is the derivative of the transferred loads, u given as a function of phi."""
    graph = Graph()
    phi = inputs(graph, "q", 2)
    x, y = phi
    u = [x * y, x.sine() + y * y, y.cosine() * x]
    slopes = [partial(graph, z) for z in phi]
    own = [[slope.first(z) for slope in slopes] for z in u]
    influence = Influence(own, [[[slope.first(g) for g in row] for slope in slopes] for row in own])
    # a spring at each u, and one between the first two: loads K u with constant K
    K = [[3, -2, 0], [-2, 5, 0], [0, 0, 4]]
    stiffness = [[constant(graph, k) for k in row] for row in K]
    loads = vec.apply_total(graph, stiffness, u)
    moved = transferred_stiffness(graph, stiffness, loads, influence)
    damping = transferred_damping(graph, stiffness, influence)
    through = vec.apply_total(graph, list(zip(*own, strict=True)), loads)
    p = program(graph, {"q": 2}, K=flat(moved), C=flat(damping), loads=through, G=flat(own))
    with mpmath.workdps(DIGITS):
        q, v = (np.array(x, dtype=object) for x in exact_numbers(17, 2, 2))
        found = values(p, q=q)
        for i in range(2):
            assert gap(found["K"].reshape(2, 2)[:, i], derivative(p, unit(2, i), q=q)["loads"]) < DERIVATIVE
        rates = found["G"].reshape(3, 2) @ v
        power = rates @ np.array(K, dtype=object) @ rates
        assert gap([v @ found["C"].reshape(2, 2) @ v], [power]) < EXACT
