"""Control laws of every kind of mechanism (cases 68 and 71): they are kernels, right ones, and their names are their own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
import sympy
from numpy.testing import assert_allclose

import kanegen
from kanegen.codegen.derivation.formulations import FLEXIBLE, RIGID
from kanegen.codegen.kernel_sources import BEGINNINGS, RESERVED, KernelSources
from kanegen.codegen.mechanism import (
    AngularVelocityComponent,
    JointRate,
    LoopKind,
    Mechanism,
    MechanismBuilder,
    ModelError,
    catalogue,
)
from kanegen.codegen.mechanism.flexible import Beam, BeamFunction, Mode
from kanegen.options import Options
from kanegen.simulation.arm import SIMULATION_KERNELS

T = sympy.Symbol("t")
X, Y, Z = (1, 0, 0), (0, 1, 0), (0, 0, 1)


def chain(*parents: str) -> MechanismBuilder:
    """Hinges j0, j1, … about y, 0.4 m apart along x, on the bodies b0, b1, …, of 1 kg each in their middles."""
    builder = MechanismBuilder("linkage")
    for k, parent in enumerate(parents):
        at = (0, 0, 0) if parent == "base" and k == 0 else ("0.4", 0, 0)
        builder.body(f"b{k}", mass=1, center=("0.2", 0, 0), inertia=("0.01", "0.02", "0.02"))
        builder.revolute(f"j{k}", parent, f"b{k}", axis=Y, position=at)
    return builder


def four_bar() -> MechanismBuilder:
    builder = chain("base", "b0", "b1")
    builder.frame("tip", "b2", position=("0.4", 0, 0), rotation=(-sympy.pi / 2, 0, 0))
    builder.frame("pin", "base", position=("0.5", 0, 0), rotation=(-sympy.pi / 2, 0, 0))
    builder.loop("closing", LoopKind.SPHERICAL, "tip", "pin")
    builder.home({"j0": -1, "j1": 1, "j2": 1})
    builder.speeds([JointRate("j0")])
    return builder


def prescribed() -> MechanismBuilder:
    builder = chain("base", "b0", "b1")
    builder.prescribe("j2", 0)
    return builder


def chosen_speeds() -> MechanismBuilder:
    builder = chain("base", "b0")
    builder.speeds([JointRate("j0"), AngularVelocityComponent("b1", Y)])
    return builder


def gear() -> MechanismBuilder:
    builder = chain("base", "b0")
    j0, j1 = sympy.symbols("j0 j1")
    builder.position_constraint("gear", j0 - 2 * j1, (j0, j1))
    builder.speeds([JointRate("j0")])
    return builder


def following() -> MechanismBuilder:
    builder = chain("base", "b0", "b1")
    builder.mimic("j2", "j0", "0.5", "0.1")
    return builder


def sprung() -> MechanismBuilder:
    builder = chain("base", "b0")
    builder.torsional_spring("spring", "j1", stiffness=5, damping="0.1", rest="0.2")
    builder.frame("end", "b1", position=("0.4", 0, 0))
    builder.frame("hook", "base", position=(0, 0, 1))
    builder.translational_spring("strut", "end", "hook", stiffness=30, damping=1, rest="0.3")
    return builder


def ball() -> MechanismBuilder:
    builder = chain("base")
    builder.body("bob", mass=2, center=("0.1", "0.2", "-0.3"), inertia=("0.02", "0.03", "0.04"))
    builder.spherical("ball", "b0", "bob", position=("0.4", 0, 0))
    return builder


def floating() -> MechanismBuilder:
    builder = MechanismBuilder("floating")
    builder.body("hull", mass=3, center=("0.1", 0, 0), inertia=("0.1", "0.2", "0.25"))
    builder.floating("free", "base", "hull")
    builder.body("b1", mass=1, center=("0.2", 0, 0), inertia=("0.01", "0.02", "0.02"))
    builder.revolute("j1", "hull", "b1", axis=Y)
    return builder


def rolling() -> MechanismBuilder:
    builder = MechanismBuilder("rolling")
    builder.body("disc", mass=1, inertia=("0.0225", "0.045", "0.0225"))
    builder.floating("free", "base", "disc")
    builder.frame("axle", "disc", rotation=(-sympy.pi / 2, 0, 0))
    builder.rolling("rolling", "axle", "0.3")
    builder.speeds([JointRate(f"free_w{axis}") for axis in "xyz"])
    builder.home({"free_z": "0.3"})
    return builder


def flexible() -> MechanismBuilder:
    builder = MechanismBuilder("flexible")
    modes = [Mode("bend", y=BeamFunction("clamped-free", 1)), Mode("sag", z=BeamFunction("clamped-free", 1))]
    builder.flexible("link", Beam(length=1, mass_per_length=1, modes=modes, EI_y=100, EI_z=100))
    builder.revolute("hub", "base", "link", axis=Z)
    builder.body("tip", mass="0.5", inertia=("0.01", "0.01", "0.01"))
    builder.revolute("wrist", "link", "tip", axis=Y, position=(1, 0, 0))
    builder.torsional_spring("spring", "wrist", stiffness=2)
    return builder


KINDS: list[Callable[[], MechanismBuilder]] = [
    four_bar,
    prescribed,
    chosen_speeds,
    gear,
    following,
    sprung,
    ball,
    floating,
    rolling,
    flexible,
]


def with_law(make: Callable[[], MechanismBuilder], name: str = "pd") -> Mechanism:
    """The mechanism with a law on all its speeds, of time, all coordinates and all speeds, and of a parameter."""
    plain = make().build()
    builder = make()
    gain = sympy.Symbol("gain")
    builder.parameter("gain", "1.5", "N m/rad")
    q = [sympy.Symbol(name) for name in plain.coordinates]
    v = sympy.symbols(f"speed1:{plain.dof + 1}")
    forces = [sympy.sin(T) / 8 - gain * sympy.sin(sum(q) + k) / 4 - u / 2 for k, u in enumerate(v)]
    builder.law(name, forces, T, q, v)
    return builder.build()


def kernels_of_motion(model: Mechanism, *laws: str) -> list[str]:
    """The kernels that a simulation under these laws calls."""
    found = [*laws, *(f"closed_loop_{law}" for law in laws), "forward_dynamics", "coordinate_rates"]
    of_loops = ["constraint_jacobian", *SIMULATION_KERNELS]  # the residual comes along where there is one
    return found + of_loops * bool(model.loops or model.constraints)


def law_in_numpy(t: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    return np.sin(t) / 8 - 1.5 * np.sin(q.sum() + np.arange(len(v))) / 4 - v / 2


@pytest.mark.parametrize("make", KINDS, ids=lambda make: make.__name__)
def test_laws_are_kernels_of_every_kind(make: Callable[[], MechanismBuilder]) -> None:
    """Case 68: the forces are those of the same law in NumPy; the accelerations are those that inverse dynamics, another
    formulation (no mass matrix is solved), needs these forces for.
    """
    model = with_law(make)
    arm = kanegen.load(model, interpreted=True, kernels=["pd", "closed_loop_pd", "inverse_dynamics"])
    arm = arm.with_open_loops("ignore")  # the same equations hold at any q
    rng = np.random.default_rng(68)
    for t in (0.0, 1.25):
        q, v = arm.home + 0.02 * rng.standard_normal(arm.nq), rng.standard_normal(arm.nv)
        tau = arm.call("pd", t, q, v)
        # some ten roundings of terms below 2 N m
        assert_allclose(tau, law_in_numpy(t, q, v), atol=10 * 2 * 2**-53)
        a = arm.call("closed_loop_pd", t, q, v)
        needed = arm.inverse_dynamics(q, v, a)
        # the mass matrices' condition numbers are below 1e3, forces below 1e2: a thousand roundings of these
        assert_allclose(needed, tau, atol=1e3 * 1e2 * 2**-53)


@pytest.mark.parametrize(
    ("make", "live"),
    [(four_bar, True), (floating, False), (flexible, True)],
    ids=lambda make: getattr(make, "__name__", None),
)
def test_compiled_laws_move_every_kind(make: Callable[[], MechanismBuilder], live: bool) -> None:
    """Case 68: a simulation with the compiled law is that with the same law as a Python function."""
    model = with_law(make)
    arm = kanegen.load(model, kernels=kernels_of_motion(model, "pd"), live_parameters=live)
    q0 = arm.assemble() if arm.constraints is not None else arm.home
    motions = [
        kanegen.simulate(
            arm, q0, np.zeros(arm.nv), 0.3, controller=law, rtol=1e-10, atol=1e-12, times=[0, 0.3]
        )
        for law in ("pd", law_in_numpy)
    ]
    assert motions[0].statistics.compiled
    # errors of integration are some ten times the tolerance each
    assert_allclose(motions[0].q, motions[1].q, atol=1e-8)
    assert_allclose(motions[0].tau[-1], law_in_numpy(0.3, motions[0].q[-1], motions[0].v[-1]), atol=1e-12)
    assert np.abs(motions[0].q[-1] - q0).max() > 1e-3  # something happened
    if live:
        other = arm.with_parameters({"gain": 3.0})
        assert_allclose(
            other.call("pd", 0.0, q0, np.zeros(arm.nv)), 2 * arm.call("pd", 0.0, q0, np.zeros(arm.nv))
        )


def test_laws_stay_in_other_formulations() -> None:
    """Case 68: the formulation makes no difference to a law, and none to the motion under it."""
    found = [
        kanegen.load(
            with_law(four_bar), interpreted=True, formulation=name, kernels=["closed_loop_pd"]
        ).with_open_loops("ignore")
        for name in ("recursive", "kane", "euler_parameters", "influence_coefficients")
    ]
    q, v = found[0].home, [0.3]
    expected = found[0].call("closed_loop_pd", 0.2, q, v)
    for arm in found[1:]:
        assert_allclose(arm.call("closed_loop_pd", 0.2, q, v), expected, rtol=1e-12)


TAKEN = [
    *(
        "mass_matrix",
        "Mass_Matrix",
        "center_of_mass",
        "full_regressor",
        "inverse_mass_matrix",
        "elastic_energy",
    ),
    *("frame_forces_A", "frame_pose_b0", "frame_jacobian_rate_x", "influence_G_tip", "effective_inertia"),
    *("constraint_projection", "dead_centre_margin", "body_mass_matrix", "prescribed_motion_forces"),
    *("forward_dynamics_derivatives", "my_derivatives", "closed_loop_pd"),
]


@pytest.mark.parametrize("name", TAKEN)
def test_names_of_kernels_are_taken(name: str) -> None:
    """Case 71: a law may not be called like a kernel of this mechanism or any other, usual or on demand."""
    with pytest.raises(ModelError, match=f"control law '{name}': a kernel has this name"):
        kanegen.load(with_law(lambda: chain("base"), name), interpreted=True, kernels=["mass_matrix"])


@pytest.mark.parametrize(
    "model", ["stanford_arm", "four_bar", "rolling_disc", "flexible_two_link", "plate_disk"]
)
def test_all_kernels_are_known_by_name(model: str) -> None:
    """Case 71: whatever a mechanism of the catalogue has in any formulation is a name that no law may have."""
    mechanism = replace(catalogue.mechanism(model), laws=())
    for name in FLEXIBLE if mechanism.flexible else RIGID:
        sources = KernelSources(mechanism, Options(formulation=name, live_parameters=True))
        for kernel in (*sources.builds, *sources.builds_on_demand):
            assert kernel in RESERVED or kernel.lower().startswith(BEGINNINGS), kernel
