"""Dynamics at frames: against independent formulas, and what is asked for by rows.  All mechanisms are in the matrix."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import sympy

import kanegen
from kanegen import ModelError
from kanegen.codegen.derivation.kernels.catalogue import of_rows
from kanegen.codegen.kernel_sources import KernelSources
from kanegen.codegen.mechanism import BASE, Mechanism, MechanismBuilder, catalogue
from kanegen.codegen.mechanism.control_law import quantity
from kanegen.codegen.mechanism.edits import renamed, without_links
from kanegen.codegen.mechanism.findings import Finding
from kanegen.codegen.mechanism.names import c_names
from kanegen.codegen.mechanism.values import degrees
from kanegen.options import Options
from kanegen.rows import ROWS
from tests.derivation.influence_coefficients.support import random_arm
from tests.witnesses.pinocchio_trees import PinocchioTree

pytestmark = pytest.mark.few_passes

Array = np.ndarray[Any, Any]
RNG = np.random.default_rng(14)
LIMIT = 1e-13
"""Of the largest entry, times the condition number of J M^-1 J^T: a thousand roundings."""

PANDA = """
     0       0.333   0  4.970684   0.003875  0.002081 -0.175     0.70337  0.70661  0.009117 -0.000139  0.006772  0.019169
     0       0     -90  0.646926  -0.003141 -0.02872   0.003495  0.007962 0.02811  0.025995 -0.003925  0.010254  0.000704
     0       0.316  90  3.228604   0.027518  0.039252 -0.066502  0.037242 0.036155 0.01083  -0.004761 -0.011396 -0.012805
     0.0825  0      90  3.587895  -0.05317   0.104419  0.027454  0.025853 0.019552 0.028323  0.007796 -0.001332  0.008641
    -0.0825  0.384 -90  1.225946  -0.011953  0.041065 -0.038437  0.035549 0.029474 0.008627 -0.002117 -0.004037  0.000229
     0       0      90  1.666555   0.060149 -0.014117 -0.010517  0.001964 0.004354 0.005433  0.000109 -0.001158  0.000341
     0.088   0      90  0.735522   0.010517 -0.004252  0.061597  0.012516 0.010027 0.004815 -0.000428 -0.001196 -0.000741
"""
"""Franka's arm: a, d [m], alpha [deg] by Craig's convention; mass, centre, moments as Gaz et al. (2019) identified them."""


def panda() -> Mechanism:
    b = MechanismBuilder("panda")
    parent = BASE
    for k, line in enumerate(PANDA.strip().splitlines(), 1):
        a, d, alpha, mass, *rest = (float(x) for x in line.split())
        b.body(f"link{k}", mass, rest[:3], rest[3:])
        back = {0: (0, d), 90: (-d, 0), -90: (d, 0)}[int(alpha)]
        b.revolute(f"joint{k}", parent, f"link{k}", (0, 0, 1), (a, *back), (degrees(int(alpha)), 0, 0))
        parent = f"link{k}"
    b.frame("flange", parent, (0, 0, 0.107))
    return b.build()


def stanford() -> Mechanism:
    return catalogue.mechanism("stanford_arm")


def planar() -> Mechanism:
    return random_arm(8, 4, planar=True)


def five_bar() -> Mechanism:
    return catalogue.mechanism("five_bar")


def exact(J: Array, M: Array) -> Array:
    """(J M^-1 J^T)^-1 from the singular values of J L^-T, M = L L^T: no product squares what J has of digits."""
    left, sizes, _ = np.linalg.svd(J @ np.linalg.inv(np.linalg.cholesky(M)).T)
    found: Array = (left / sizes**2) @ left.T
    return found


@pytest.mark.parametrize(
    ("model", "frame", "rows"),
    [
        (panda, "flange", ROWS),
        (panda, "flange", ("rz", "x", "z")),
        (stanford, "F", ROWS),
        (planar, "hand", ("x", "y")),
        (planar, "hand", ("x", "y", "rz")),
        (five_bar, "outer1_tip", ("x", "y")),
    ],
)
def test_operational_space(model: Callable[[], Mechanism], frame: str, rows: tuple[str, ...]) -> None:
    """Inertia, and what forces of motion and gravity are there; on trees J, M, h and g are those of Pinocchio."""
    mechanism, places = model(), [ROWS.index(row) for row in rows]
    ending = f"{frame}_rows_{'_'.join(rows)}" if rows != ROWS else frame
    asked = [
        f"{kernel}_{ending}" for kernel in ("operational_inertia", "operational_bias", "operational_gravity")
    ]
    witness = (
        "frame_jacobian_rate_" + frame,
        "frame_jacobian_" + frame,
        "mass_matrix",
        "bias_forces",
        "gravity_forces",
    )
    tied = mechanism.constrained
    more = (*witness, "constraint_jacobian") if tied else witness[:1]
    robot = kanegen.load(mechanism, interpreted=True, kernels=[*asked, *more])
    peer: Any = robot if tied else PinocchioTree(mechanism)
    worst = 0.0
    for _ in range(20):
        q, v = RNG.uniform(-3, 3, robot.nq), RNG.uniform(-3, 3, robot.nv)
        if tied:
            q = robot.assemble(robot.home + 0.2 * RNG.uniform(-1, 1, robot.nq))
        J, M = peer.frame_jacobian(q, frame)[places], peer.mass_matrix(q)
        h, g = peer.bias_forces(q, v), peer.gravity_forces(q)
        drift = (robot.frame_jacobian_rate(q, v, frame) @ v)[places]
        inertia, through = exact(J, M), np.linalg.solve(M, J.T).T
        condition, size = np.linalg.cond(through @ J.T), abs(inertia).max()
        pairs = (
            (robot.operational_inertia(q, frame, rows), inertia, size),
            # forces may cancel in what the rows feel of them
            (
                robot.operational_bias(q, v, frame, rows),
                inertia @ (through @ h - drift),
                size * (abs(through) @ abs(h) + abs(drift)).max(),
            ),
            (
                robot.operational_gravity(q, frame, rows),
                inertia @ through @ g,
                size * (abs(through) @ abs(g)).max(),
            ),
        )
        for found, expected, scale in pairs:
            worst = max(worst, abs(found - expected).max() / scale / condition)
    assert worst <= LIMIT


def test_hand_coordinates_of_a_square_transfer() -> None:
    """P* gives the forces of inertia G^-T tau; C* is G^-T C G^-1 and K* the slope of G^-T T along G^-1, by differences."""
    b = MechanismBuilder("sprung", gravity=(0, 0, 0))
    for k in range(3):
        b.body(f"link{k}", 1 + k, (0.2, 0, 0), (0.1, 0.2, 0.3))
        b.revolute(
            f"q{k}",
            f"link{k - 1}" if k else BASE,
            f"link{k}",
            (0, 0, 1),
            (0.5 if k else 0, 0, 0),
            damping=1 + k,
        )
        b.torsional_spring(f"k{k}", f"q{k}", stiffness=3 + k, rest=0.1 * k, damping=0.5)
    b.frame("hand", "link2", (0.4, 0.1, 0))
    b.frame("post", BASE, (1, 1, 0))
    b.translational_spring("pull", "hand", "post", stiffness=7, rest=0.3)
    rows = ("x", "y", "rz")
    arm = kanegen.load(b.build(), interpreted=True, friction=True)
    q, v = np.array([0.4, 0.7, -0.9]), np.array([0.5, -0.2, 0.8])

    def inverse(q: Array) -> Array:
        return np.asarray(np.linalg.inv(arm.frame_jacobian(q, "hand")[[0, 1, 5]]))

    still = np.zeros(3)
    N, C = inverse(q), arm.hand_damping(q, "hand", rows)
    joints = (
        np.stack(
            [arm.inverse_dynamics(q, x, still) - arm.inverse_dynamics(q, -x, still) for x in np.eye(3)],
            axis=1,
        )
        / 2
    )
    np.testing.assert_allclose(C, N.T @ joints @ N, rtol=1e-12)
    e = np.linalg.solve(N, v)
    quadratic = (
        arm.inverse_dynamics(q, v, still) + arm.inverse_dynamics(q, -v, still)
    ) / 2 - arm.gravity_forces(q)
    drift = (arm.frame_jacobian_rate(q, v, "hand") @ v)[[0, 1, 5]]
    P = arm.hand_power(q, "hand", rows)
    np.testing.assert_allclose(e @ P @ e, N.T @ (quadratic - arm.mass_matrix(q) @ N @ drift), rtol=1e-12)
    step = 1e-6
    ends = [[inverse(x).T @ arm.gravity_forces(x) for x in (q + step * n, q - step * n)] for n in N.T]
    slopes = np.stack([(ahead - back) / (2 * step) for ahead, back in ends], axis=1)
    # central differences err by step^2 / 6 of third derivatives, and by 2e-16 / step of the forces
    np.testing.assert_allclose(arm.hand_stiffness(q, "hand", rows), slopes, atol=1e-8 * abs(slopes).max())


def test_arms_that_hold_one_object() -> None:
    """Their inertias, powers and gravity in the object's coordinates add up to those of the closed loop."""
    kernels = ("operational_inertia", "hand_power", "operational_gravity")

    def at(frame: str, mechanism: Mechanism) -> kanegen.Robot:
        names = [f"{kernel}_{frame}_rows_x_y_rz" for kernel in kernels]
        return kanegen.load(
            mechanism, kernels=[*names, *(["constraint_jacobian"] * mechanism.constrained)], interpreted=True
        )

    whole = catalogue.mechanism("cooperating_arms")
    closed = at("far_grip", whole)
    q = closed.assemble(closed.home + np.array([0.2, -0.1, 0.1, 0, 0, 0]))
    findings: list[Finding] = []
    parts = [without_links(whole, gone, findings) for gone in ("upper2", "upper1")]
    arms = (at("far_grip", parts[0]), q[:3], "far_grip"), (at("grip2", parts[1]), q[3:], "grip2")
    for kernel in kernels:
        together = getattr(closed, kernel)(q, "far_grip", ("x", "y", "rz"))
        apart = sum(getattr(arm, kernel)(part, frame, ("x", "y", "rz")) for arm, part, frame in arms)
        np.testing.assert_allclose(together, apart, atol=1e-12 * abs(together).max())


def test_names() -> None:
    """All six rows go without saying; a frame whose name ends like rows is called otherwise in C."""
    frames = c_names(["tip", "tip_rows_x", "tip_row"])
    assert frames["tip_rows_x"] == "tip_rows_x_1"
    found = of_rows("hand_power_tip_rows_z_rx", frames.values())
    assert found is not None
    assert (found.identifier, found.rows, found.kernel) == ("tip", ("z", "rx"), "hand_power_tip_rows_z_rx")
    every = of_rows("hand_power_tip", frames.values())
    assert every is not None and every.rows == ROWS
    for wrong in ("hand_power_tip_rows_x_x", "hand_power_top", "frame_pose_tip", "hand_power_tip_rows_u"):
        assert of_rows(wrong, frames.values()) is None, wrong


def test_what_is_listed_can_be_had() -> None:
    """Where the joints cannot move all six rows independently, no kernel of six is offered."""
    of = {
        name: KernelSources(catalogue.mechanism(name), Options()).builds_on_demand
        for name in ("stanford_arm", "five_bar")
    }
    assert "operational_inertia_F" in of["stanford_arm"]
    assert "operational_inertia_E" not in of["stanford_arm"]
    assert not [kernel for kernel in of["five_bar"] if kernel.startswith(("operational", "hand"))]


@pytest.mark.parametrize(
    ("kernel", "dependent"),
    [
        ("operational_inertia_outer1_tip", "z, rx, ry, rz"),
        ("hand_stiffness_outer1_tip_rows_rz_x_y", "y"),
        ("operational_bias_outer1_tip_rows_z", "z"),
    ],
)
def test_dependent_rows_are_named(kernel: str, dependent: str) -> None:
    with pytest.raises(ModelError, match=f"of which {dependent} cannot be moved"):
        KernelSources(five_bar(), Options(kernels=(kernel,))).wanted()


def test_laws_refer_to_rows() -> None:
    """A weight at the hand, and the same where its frame has another name."""
    b = MechanismBuilder("arm")
    b.body("link", 2, (0.5, 0, 0), (0, 0.1, 0.1))
    b.revolute("q", BASE, "link", (0, 0, 1))
    b.frame("hand", "link", (1, 0, 0))
    b.law(
        "lift",
        [quantity("operational_inertia_hand_rows_y")[0]],
        sympy.Symbol("t"),
        sympy.symbols("q:1"),
        sympy.symbols("v:1"),
    )
    mechanism = b.build()
    for one in (mechanism, renamed(mechanism, {"hand": "tool"})):
        found = kanegen.load(one, interpreted=True, kernels=["lift"]).call("lift", 0.0, [0.0], [0.0])
        np.testing.assert_allclose(found, [0.6])
    b.law(
        "wrong",
        [quantity("operational_inertia_hand_rows_z")[0]],
        sympy.Symbol("t"),
        sympy.symbols("q:1"),
        sympy.symbols("v:1"),
    )
    with pytest.raises(ModelError, match="of which z cannot be moved"):
        KernelSources(b.build(), Options()).wanted()


def test_without_inertia() -> None:
    """Nothing resists the second joint: there is no inertia at the frame, and the joint is named."""
    b = MechanismBuilder("light")
    for name, parent in (("heavy", BASE), ("light", "heavy")):
        b.body(
            name, 1 if name == "heavy" else 0, (0.5, 0, 0), (0, 0.1, 0.1) if name == "heavy" else (0, 0, 0)
        )
        b.revolute(f"j_{name}", parent, name, (0, 0, 1), (1, 0, 0))
    b.frame("tip", "light", (1, 0, 0))
    with pytest.raises(ModelError, match="j_light"):
        kanegen.load(b.build(), interpreted=True, kernels=["operational_inertia_tip_rows_x_y"])
