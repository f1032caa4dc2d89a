"""The kernels by name: programs that derive, optimize and agree with each other in double precision."""

from __future__ import annotations

from functools import partial

import mpmath
import numpy as np
import pytest

from kanegen.codegen.derivation.influence_coefficients import hand_influence, kernels
from kanegen.codegen.derivation.placed_tree.choices import Choices
from kanegen.codegen.derivation.placed_tree.deriver import Deriver
from kanegen.codegen.derivation.recursive.kinematics import frames_of, start
from kanegen.codegen.graph import Program, evaluate
from kanegen.codegen.mechanism import Mechanism, ModelError
from kanegen.codegen.mechanism.catalogue import mechanism
from kanegen.codegen.passes.optimize import optimize
from tests.derivation.comparison import Array, derived, worst
from tests.derivation.tree_kernels import frame_jacobian, inverse_dynamics
from tests.derivation.trees import random_states

from .support import DERIVATIVE, DIGITS, exact_numbers, frame_of, gap, placed, random_arm, values

ARM = random_arm(1, 6)
SPATIAL = (0, 1, 2, 3, 4, 5)


def all_kernels(arm: Mechanism) -> dict[str, Program]:
    tree = placed(arm)
    hands = [(frame_of(tree, "hand"), SPATIAL)]
    found = kernels(tree, {frame.name: frame.name for frame in frames_of(tree)}, hands=hands)
    return {name: optimize(Deriver(arm, build)({})[0])[0] for name, build in found.items()}


def test_names_and_arguments() -> None:
    found = all_kernels(ARM)
    frames = ("link1", "link2", "link3", "link4", "link5", "link6", "hand")
    expected = {f"influence_{order}_{frame}" for order in "GH" for frame in frames}
    expected |= {
        "effective_inertia",
        "inertia_power",
        "effective_damping",
        "effective_stiffness",
        "spring_forces",
    }
    expected |= {"hand_inertia_hand", "hand_power_hand", "hand_forces_hand"}
    assert set(found) == expected
    assert all(program.name == name for name, program in found.items())
    assert found["influence_G_hand"].outputs[0].shape == (6, 6)
    assert found["influence_H_hand"].outputs[0].shape == (6, 6, 6)
    assert [argument.name for argument in found["hand_forces_hand"].inputs] == ["q", "e", "de"]


def test_the_hand_in_double_precision() -> None:
    """J^T F = tau, away from singular configurations: forces lose the square of the Jacobian's condition."""
    found = all_kernels(ARM)
    q, v, a, _ = random_states(5, 20, 6)
    G, H = (
        evaluate(found["influence_G_hand"], {"q": q})["G"],
        evaluate(found["influence_H_hand"], {"q": q})["H"],
    )
    build = partial(frame_jacobian, frame=frame_of(placed(ARM), "hand"), kernel="J")
    J = evaluate(derived(build, ARM), {"q": q})["J"]
    assert worst(G, J) < 1e-14
    e = np.einsum("spn,sn->sp", G, v)
    de = np.einsum("spn,sn->sp", G, a) + np.einsum("sm,spmn,sn->sp", v, H, v)
    force = evaluate(found["hand_forces_hand"], {"q": q, "e": e, "de": de})["F"]
    inertia = evaluate(found["hand_inertia_hand"], {"q": q})["I"]
    power = evaluate(found["hand_power_hand"], {"q": q})["P"]
    tau = evaluate(derived(inverse_dynamics, ARM), {"q": q, "v": v, "a": a})["tau"]
    parts = largest(
        np.abs(inertia) @ np.abs(de)[..., None], np.einsum("spmn,sm,sn->sp", abs(power), abs(e), abs(e))
    )
    # 2,000 roundings of 1.1e-16 on terms of this size, times cond(J)^2
    tolerance = (
        2e-13 * np.linalg.cond(J) ** 2 * (parts + np.abs(tau).max(axis=1)) * np.abs(J).max(axis=(1, 2))
    )
    error = np.abs(np.einsum("spn,sp->sn", G, force) - tau).max(axis=1)
    assert (error <= tolerance).all()
    assert np.median(error / np.abs(tau).max(axis=1)) < 1e-9


@pytest.mark.parametrize(
    ("arm", "rows"), [(ARM, SPATIAL), (random_arm(8, 4, planar=True), (0, 1, 5))], ids=["whole", "redundant"]
)
def test_forces_at_the_hand_are_its_inertia_and_power(arm: Mechanism, rows: tuple[int, ...]) -> None:
    """What the time states add to the weights, from the three kernels at 50 digits."""
    tree, n, k = placed(arm), len(arm.coordinates), len(rows)
    found = kernels(tree, {f.name: f.name for f in frames_of(tree)}, hands=[(frame_of(tree, "hand"), rows)])
    forces, inertia, power = (
        derived(found[f"hand_{what}_hand"], arm) for what in ("forces", "inertia", "power")
    )
    with mpmath.workdps(DIGITS):
        q, e, de = (np.array(x, dtype=object) for x in exact_numbers(3, n, k, k))
        moving, still = (values(forces, q=q, e=e * s, de=de * s)["F"] for s in (1, 0))
        expected = values(inertia, q=q)["I"] @ de + [e @ plane @ e for plane in values(power, q=q)["P"]]
        assert gap(moving - still, expected) < DERIVATIVE


def largest(*terms: Array) -> Array:
    return np.asarray(sum(np.abs(term).reshape(len(term), -1).max(axis=1) for term in terms))


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ((0, 0), "controlled rows"),
        ((), "controlled rows"),
        ((0, 6), "controlled rows"),
        ((0, 1, 2, 3, 4, 5), "at most 3 rows"),
        ((0, 2), "cannot follow vx, vz"),
    ],
)
def test_rows_that_no_arm_follows(rows: tuple[int, ...], message: str) -> None:
    arm = random_arm(3, 3, planar=True)
    tree = placed(arm)
    with pytest.raises(ModelError, match=message):
        hand_influence(start(tree, Choices()), frame_of(tree, "hand"), rows)


def test_the_hand_of_the_stanford_arm() -> None:
    """A frame on the wrist's axis point: six rows are six joints' worth, and the kernels stay small enough to compile."""
    arm = mechanism("stanford_arm")
    tree = placed(arm)
    found = kernels(tree, {f.name: f.name for f in frames_of(tree)}, hands=[(frame_of(tree, "F"), SPATIAL)])
    program = optimize(Deriver(arm, found["hand_forces_F"])({})[0])[0]
    q, v, a, _ = random_states(6, 10, 6)
    first, second = (optimize(Deriver(arm, found[f"influence_{x}_F"])({})[0])[0] for x in "GH")
    G, H = evaluate(first, {"q": q})["G"], evaluate(second, {"q": q})["H"]
    e = np.einsum("spn,sn->sp", G, v)
    de = np.einsum("spn,sn->sp", G, a) + np.einsum("sm,spmn,sn->sp", v, H, v)
    force = evaluate(program, {"q": q, "e": e, "de": de})["F"]
    tau = evaluate(derived(inverse_dynamics, arm), {"q": q, "v": v, "a": a})["tau"]
    error = np.abs(np.einsum("spn,sp->sn", G, force) - tau).max(axis=1) / np.abs(tau).max(axis=1)
    assert (error < 2e-13 * np.linalg.cond(G) ** 2).all()
