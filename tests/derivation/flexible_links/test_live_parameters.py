"""Live parameters of flexible links in compiled code."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

import kanegen
from kanegen.codegen.mechanism import Mechanism, MechanismBuilder
from kanegen.codegen.mechanism.flexible import Appendage, Beam, BeamFunction, Mode

from .arms import CUBIC, Kernels, apart, states

VALUES = {"l": "1.1", "mu": "2", "EI": "60", "load": "0.7"}


def arm(changes: Mapping[str, str] | None = None, live: bool = True) -> Mechanism:
    """A rigid link on a hinge, behind it a beam with a load, its values parameters or their numbers."""
    values: dict[str, Any] = {name: Fraction((changes or {}).get(name, x)) for name, x in VALUES.items()}
    builder = MechanismBuilder("parametric", gravity=(1, -9, -3))
    if live:
        values = {name: builder.parameter(name, x, "1") for name, x in values.items()}
    builder.body("first", 2, ("0.2", 0, 0), ("0.1", "0.2", "0.2"))
    builder.revolute("q1", "base", "first", (0, 0, 1))
    length = values["l"]
    modes = [Mode("d1", y=CUBIC), Mode("d2", z=BeamFunction("clamped-free", 1))]
    beam = Beam(
        length,
        values["mu"],
        modes,
        EI_y=values["EI"],
        EI_z=values["EI"] * 2,
        damping_time="0.01",
        appendages=[Appendage(length / 2, values["load"], (0, "0.1", 0)), Appendage(length, "0.3")],
    )
    builder.flexible("second", beam, {"middle": length / 2})
    builder.revolute("q2", "first", "second", (0, 1, 0), position=("0.4", 0, 0))
    builder.frame("tip", "second", (length, 0, "0.1"))
    return builder.build()


def test_live_parameters_in_compiled_code() -> None:
    """With other values it computes what the arm with these numbers does: the values of its own are not folded in."""
    kernels = (
        "inverse_dynamics",
        "mass_matrix",
        "potential_energy",
        "frame_pose_middle",
        "frame_jacobian_tip",
        "center_of_mass",
    )
    robot = kanegen.load(arm(), live_parameters=True, kernels=kernels)
    at = states(arm(), 4, seed=9)
    before = robot.mass_matrix(at["q"])
    for changes in ({}, {"EI": "15"}, {"mu": "3.5"}, {"l": "0.7"}, {"load": "2", "l": "1.3"}):
        changed = robot.with_parameters({name: float(x) for name, x in changes.items()})
        witness = Kernels(arm(changes, live=False))
        q, v, a = at["q"], at["v"], at["a"]
        assert apart(changed.inverse_dynamics(q, v, a), witness("inverse_dynamics", q=q, v=v, a=a)) < 1e-12
        assert apart(changed.mass_matrix(q), witness("mass_matrix", q=q)) < 1e-12
        assert apart(changed.potential_energy(q), witness("potential_energy", q=q)) < 1e-12
        assert apart(changed.center_of_mass(q), witness("center_of_mass", q=q)) < 1e-12
        for kernel in ("frame_pose_middle", "frame_jacobian_tip"):
            assert apart(changed.call(kernel, q), witness(kernel, q=q)) < 1e-12
    assert np.array_equal(before, robot.mass_matrix(at["q"]))
