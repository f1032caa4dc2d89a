"""Kane's method: the paper's arm against the oracle, and turned trees against Newton-Euler at 40 digits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from kanegen.codegen.derivation.kane.forces import generalized_force, inertia_coefficient
from kanegen.codegen.derivation.kane.motion import KaneMotion
from kanegen.codegen.derivation.kane.rates import RatesOfSpeeds
from kanegen.codegen.derivation.placed_tree.choices import Choices
from kanegen.codegen.derivation.placed_tree.inertial_gauge import regroup
from kanegen.codegen.derivation.placed_tree.placement import place
from kanegen.codegen.graph import Expression, Graph, Program, constant, count, evaluate, inputs
from kanegen.codegen.mechanism import BASE, GeneralizedSpeed, MechanismBuilder, ModelError
from kanegen.codegen.mechanism.catalogue import mechanism
from kanegen.codegen.mechanism.catalogue.stanford_arm import kane_levinson_speeds
from kanegen.codegen.mechanism.folding import with_numbers
from tests.derivation.comparison import (
    ROUNDING,
    Array,
    derived,
    numbers,
    worst,
)
from tests.derivation.force_programs import program_of
from tests.derivation.speeds import (
    chosen_speeds,
    kane_kernels,
    matrix_of,
)
from tests.derivation.trees import random_states

ARM = mechanism("stanford_arm")
RATES, PAPER = kane_kernels(ARM), kane_kernels(ARM, kane_levinson_speeds)
Speeds = tuple[GeneralizedSpeed, ...]


def motion_of_the_arm() -> KaneMotion:
    """The arm at the paper's speeds u, inputs like q, with zeros for u': X_rs are then coefficients, and Z_r forces."""
    chosen = chosen_speeds(ARM, kane_levinson_speeds)
    rest = [constant(chosen.graph, 0)] * 6
    return KaneMotion(
        with_numbers(ARM), chosen.turns, RatesOfSpeeds(chosen, inputs(chosen.graph, "v", 6), rest)
    )


def program(graph: Graph, rows: Sequence[Sequence[Expression]]) -> Program:
    """Expressions as a program of q and v."""
    return program_of(graph, dict.fromkeys("qv", 6), [x for row in rows for x in row])


# -- the arm of the paper ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kernels", "v", "a"), [(RATES, "qd", "qdd"), (PAPER, "u", "udot")], ids=["rates", "paper"]
)
def test_forces_and_rates_of_the_arm(kernels: Any, v: str, a: str, states: dict[str, Array]) -> None:
    arguments = {"q": states["q"], "v": states[v], "a": states[a]}
    forces = evaluate(derived(kernels["actuator_forces"], ARM), arguments)["forces"]
    assert worst(forces, states["tau_paper"]) < 1e-13
    if kernels is RATES:
        tau = evaluate(derived(kernels["inverse_dynamics"], ARM), arguments)["tau"]
        assert worst(tau, states["Q_gen"]) < 1e-13
    rates = evaluate(derived(kernels["coordinate_rates"], ARM), {"q": states["q"], "v": states[v]})["qdot"]
    # q'_1 = (u1 s3 - u3 c3) / s2: rounding grows with 1 / s2
    assert worst(rates, states["qd"]) < ROUNDING / np.abs(np.sin(states["q"][:, 1])).min()


@pytest.mark.parametrize("paper", [False, True], ids=["rates", "paper"])
def test_motion_of_the_arm(paper: bool, states: dict[str, Array]) -> None:
    tau = states["fd_tau_paper"] * np.array([actuator.sign for actuator in ARM.actuators])
    if paper:
        W = matrix_of(chosen_speeds(ARM, kane_levinson_speeds), "rates_from_speeds")
        tau = np.einsum("bsr,bs->br", evaluate(W, {"q": states["q"]})["matrix"], tau)
    arguments = {"q": states["q"], "v": states["u" if paper else "qd"], "tau": tau}
    found = evaluate(derived((PAPER if paper else RATES)["forward_dynamics"], ARM), arguments)["a"]
    assert worst(found, states["fd_udot" if paper else "fd_qdd"]) < 1e-12


def test_energies_of_the_arm_in_the_papers_speeds(states: dict[str, Array]) -> None:
    arguments = {"q": states["q"], "v": states["u"]}
    kinetic = evaluate(derived(PAPER["kinetic_energy"], ARM), arguments)["T"]
    potential = evaluate(derived(PAPER["potential_energy"], ARM), {"q": states["q"]})["U"]
    momentum = evaluate(derived(PAPER["momentum"], ARM), arguments)["momentum"]
    # the two energies are up to 100 J and may cancel
    assert np.abs(kinetic + potential - states["energy"]).max() < 100 * ROUNDING
    assert np.abs(momentum[:, 4] - states["H_n2_W31"]).max() < 100 * ROUNDING


def test_operation_counts() -> None:
    """The paper's algorithm takes 641 / 407 and 4 divisions for the forces, 601 / 378 and 5 before the solution."""
    forces = count(derived(RATES["inverse_dynamics"], ARM))
    assert (forces.multiplications, forces.additions, forces.divisions) == (202, 146, 0)
    forces = count(derived(PAPER["actuator_forces"], ARM))
    assert (forces.multiplications, forces.additions, forces.divisions) == (218, 153, 1)
    motion = motion_of_the_arm()
    X = [[inertia_coefficient(motion, r, s) for s in range(r, 6)] for r in range(6)]
    Z = [generalized_force(motion, r) for r in range(6)]
    before_solution = count(program(motion.graph, [*X, Z, motion.speeds.rates]))
    assert (before_solution.multiplications, before_solution.additions) == (323, 211)
    assert before_solution.divisions == 1


def test_the_papers_simple_coefficients() -> None:
    """X15, X26, X45 and X56 vanish; X25 = -c4 F2, X35 = -s4 F2, X55 = -F2 and X66 = -(mC + mD + mE + mF)."""
    motion = motion_of_the_arm()
    q = inputs(motion.graph, "q", 6)
    for r, s in ((0, 4), (1, 5), (3, 4), (4, 5)):
        assert inertia_coefficient(motion, r, s).is_zero
        assert inertia_coefficient(motion, s, r).is_zero
    value = {parameter.name: parameter.value for parameter in ARM.parameters}
    assert inertia_coefficient(motion, 1, 4) == -q[3].cosine() * value["F2"]
    assert inertia_coefficient(motion, 2, 4) == -q[3].sine() * value["F2"]
    assert inertia_coefficient(motion, 4, 4) == -value["F2"]
    assert inertia_coefficient(motion, 5, 5) == -sum(value[f"m{body}"] for body in "CDEF")


def test_velocities_in_both_forms_and_the_bases_of_the_paper() -> None:
    """v = sum_r v_r u_r; B* is followed in A, D* in C, F* in E, and A* not at all (eqs 28 - 44)."""
    motion = motion_of_the_arm()
    u = inputs(motion.graph, "v", 6)
    name = [body.name for body in motion.tree.bodies]
    carriers = {name[i]: name[j] if j >= 0 else BASE for i in range(6) for j in [motion.carrier(i)[0]]}
    assert carriers == {"A": BASE, "B": "A", "C": "C", "D": "C", "E": "E", "F": "E"}
    forms: list[list[Expression]] = [[], []]
    for i in range(6):
        for k in range(3):
            forms[0] += [motion.velocity(i, k), motion.angular_velocity(i, k)]
            for part in (motion.partial_velocity, motion.partial_angular_velocity):
                forms[1].append(motion.turns.sum([part(i, r, k) * u[r] for r in range(6)]))
    q, v = random_states(1, 20, 6)[:2]
    found = evaluate(program(motion.graph, forms), {"q": q, "v": v})["tau"]
    implicit, explicit = np.moveaxis(found.reshape(20, 2, -1), 1, 0)
    assert worst(explicit, implicit) < ROUNDING / np.abs(np.sin(q[:, 1])).min()


def test_quantities_are_named_after_what_they_are() -> None:
    found = derived(PAPER["inverse_dynamics"], ARM)
    assert {"rate_q1", "pw_A_y_1", "w_E_x", "pvc_F_z_1", "ac_E_y", "T_B_x"} <= {
        name.removeprefix("-") for name in found.labels.values()
    }
    meant = {m.name: m.text for m in found.graph.meanings.values()}
    assert meant["pw_A_y_1"] == "partial angular velocity 1 of A, component y along the axes of A"
    assert meant["pvc_F_z_1"] == "partial velocity 1 of the mass centre of F, component z along the axes of E"


@pytest.mark.parametrize("speeds", [None, kane_levinson_speeds], ids=["rates", "paper"])
def test_live_parameters(speeds: Speeds | None) -> None:
    q, v, a, tau = random_states(5, 20, 6)
    arguments = {"q": q, "v": v, "a": a, "tau": tau}
    for kernel in ("inverse_dynamics", "forward_dynamics", "mass_matrix"):
        folded = derived(kane_kernels(ARM, speeds)[kernel], ARM)
        kept = derived(kane_kernels(ARM, speeds, live=True)[kernel], ARM, live_parameters=True)
        (output,) = (argument.name for argument in folded.outputs)
        expected = evaluate(folded, arguments)[output]
        found = evaluate(kept, arguments, numbers(ARM))[output]
        # accelerations: the condition of the mass matrix is at most 1e5 in these states
        assert worst(found, expected) < ROUNDING * (1e5 if kernel == "forward_dynamics" else 10)


# -- any tree ----------------------------------------------------------------------------------------------


def test_a_mechanism_without_inertia_at_its_end() -> None:
    """Inverse dynamics is defined, forward dynamics is refused by name; nothing is divided by zero."""
    builder = MechanismBuilder("hand")
    builder.body("arm", mass=1, center=(1, 0, 0))
    builder.body("marker")
    builder.revolute("shoulder", BASE, "arm", axis=(0, 1, 0))
    builder.revolute("wrist", "arm", "marker", axis=(0, 1, 0), position=(2, 0, 0))
    hand = builder.build()
    zero, one = np.zeros((1, 2)), np.ones((1, 2))
    tau = evaluate(derived(kane_kernels(hand)["inverse_dynamics"], hand), {"q": zero, "v": zero, "a": one})[
        "tau"
    ]
    assert tau == pytest.approx(np.array([[1 - 9.81, 0.0]]), abs=1e-14)
    with pytest.raises(ModelError, match="dwrist/dt"):
        derived(kane_kernels(hand)["forward_dynamics"], hand)


def test_regrouped_trees_serve_too() -> None:
    """Only the geometry of the placed tree is read."""
    tree = regroup(place(ARM, Choices()), Choices())
    q, v, a, _ = random_states(2, 20, 6)
    arguments = {"q": q, "v": v, "a": a}
    regrouped = evaluate(RATES["inverse_dynamics"](tree, ARM, Choices()), arguments)["tau"]
    assert np.array_equal(regrouped, evaluate(derived(RATES["inverse_dynamics"], ARM), arguments)["tau"])
