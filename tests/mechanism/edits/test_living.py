"""Numbers of a model that stay live: the same as in a model with them, at hardly more operations."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kanegen
from kanegen import CertificateError, MechanismBuilder, ModelError
from kanegen.codegen import candidates, deriving, pipeline
from kanegen.codegen.graph import OperationCounts, count
from kanegen.codegen.kernel_sources import KernelSources
from kanegen.codegen.mechanism import BASE, Mechanism, catalogue
from kanegen.codegen.passes.hoist import hoist
from kanegen.codegen.passes.optimize import optimize
from kanegen.options import options
from tests.mechanism.edits.test_changes import ROUNDING, finger, gripper_arm, states
from tests.refusals import refused

HELD = {"flange": (1.5, (0.01, 0.02, 0.1), (0.02, 0.03, 0.04, 0.001, 0.002, 0.003))}


@cache
def seven_axes() -> Mechanism:
    """The geometry of a Panda, with an inertia of full tensors for each link, and a flange."""
    b = MechanismBuilder("seven_axes")
    quarter = "1.5707963267948966"
    turns = (0, f"-{quarter}", quarter, quarter, f"-{quarter}", quarter, quarter)
    places: list[Any] = [(0, 0, "0.333"), (0, 0, 0), (0, "-0.316", 0), ("0.0825", 0, 0)]
    places += [("-0.0825", "0.384", 0), (0, 0, 0), ("0.088", 0, 0)]
    parent = BASE
    for k, (turn, place) in enumerate(zip(turns, places, strict=True), 1):
        tensor = [f"0.0{k}2", f"0.0{k}3", f"0.0{k}4", f"0.00{k}1", f"-0.00{k}2", f"0.00{k}3"]
        b.body(f"link{k}", f"{4 - k * 0.3:.1f}", (f"0.0{k}1", f"-0.0{k}2", f"0.0{k}3"), tensor)
        b.revolute(f"joint{k}", parent, f"link{k}", (0, 0, 1), place, (turn, 0, 0))
        parent = f"link{k}"
    b.frame("flange", parent, (0, 0, "0.107"), (0, 0, "0.7"))
    return b.build()


def counted(**asked: Any) -> OperationCounts:
    """Operations of inverse dynamics without a search, parameter-only ones hoisted."""
    chosen = options(asked)
    sources = KernelSources(pipeline.read(seven_axes(), chosen), chosen)
    program, _ = optimize(sources.deriver("inverse_dynamics", searched=False)({})[0])
    return count(hoist([program]).kernels[0])


def test_live_inertias_cost_little() -> None:
    """Ten numbers of a payload at most 8 % of the operations, all masses, centres and inertias at most 60 %."""
    bodies = ["masses", "centers", "inertias"]
    cases: list[dict[str, Any]] = [
        {},
        {"live": ["payload"]},
        {"live": bodies},
        {"live": [*bodies, "payload"]},
    ]
    found = [counted(payload=HELD, **asked) for asked in cases]
    assert [(c.multiplications, c.additions) for c in found] == [
        (279, 260),  # its last body turned, as its moments are numbers
        (289, 264),
        (292, 269),
        (292, 269),
    ]
    folded, payload, every, both = (c.multiplications + c.additions for c in found)
    assert payload <= 1.08 * folded
    assert every <= 1.6 * folded
    assert both <= 1.6 * folded


def body_changed(mechanism: Mechanism, name: str, **numbers: Any) -> Mechanism:
    builder = MechanismBuilder.from_mechanism(mechanism)
    builder.change_body(name, **numbers)
    return builder.build()


def joint_changed(mechanism: Mechanism, name: str, **numbers: Any) -> Mechanism:
    builder = MechanismBuilder.from_mechanism(mechanism)
    builder.change_joint(name, **numbers)
    return builder.build()


TENSOR = {"Ixx": 0.03, "Iyy": 0.04, "Izz": 0.05, "Ixy": 0.002, "Ixz": -0.001, "Iyz": 0.004}
LIVE: dict[str, tuple[Any, dict[str, Any], dict[str, float], Any, dict[str, Any]]] = {
    "masses": (
        gripper_arm,
        {"live": ["masses"]},
        {"fore_mass": 2.5},
        lambda: body_changed(gripper_arm(), "fore", mass=2.5),
        {},
    ),
    "centers and inertias": (
        gripper_arm,
        {"live": "centers, inertias"},
        {"fore_y": 0.2, **{f"fore_{name}": x for name, x in TENSOR.items()}},
        lambda: body_changed(
            gripper_arm(), "fore", center=("0.1", "0.2", "0.03"), inertia=[*TENSOR.values()]
        ),
        {},
    ),
    "payload": (
        gripper_arm,
        {"live": ["payload"], "payload": {"tool": 0}},
        {
            "payload_tool_mass": 1.5,
            "payload_tool_z": 0.1,
            **{f"payload_tool_{name}": x for name, x in TENSOR.items()},
        },
        gripper_arm,
        {"payload": {"tool": (1.5, (0, 0, 0.1), [*TENSOR.values()])}},
    ),
    "payload of a linkage": (
        finger,
        {"live": ["payload"], "payload": {"tip": 0}},
        {"payload_tip_mass": 1.5},
        finger,
        {"payload": {"tip": 1.5}},
    ),
    "payload of a flexible arm": (
        lambda: catalogue.mechanism("flexible_two_link"),
        {"live": ["payload"], "payload": {"tip": 0}},
        {"payload_tip_mass": 0.3, "payload_tip_x": 0.1},
        lambda: catalogue.mechanism("flexible_two_link"),
        {"payload": {"tip": (0.3, (0.1, 0, 0))}},
    ),
    "gravity": (
        gripper_arm,
        {"live": ["gravity"]},
        {"gravity_x": 1, "gravity_z": 3},
        gripper_arm,
        {"gravity": (1, 0, 3)},
    ),
    "losses": (
        gripper_arm,
        {"live": ["damping", "friction", "rotors"], "friction": True},
        {"elbow_damping": 3, "elbow_friction": 2, "elbow_rotor_inertia": 0.1},
        lambda: joint_changed(gripper_arm(), "elbow", damping=3, friction=2, rotor_inertia="0.1"),
        {"friction": True},
    ),
    "one number": (
        gripper_arm,
        {"live": ["hand.mass", "k"]},
        {"hand_mass": 3},
        lambda: body_changed(gripper_arm(), "hand", mass=3),
        {},
    ),
}


@pytest.mark.parametrize("case", LIVE)
def test_a_live_number_is_one_of_the_model(case: str) -> None:
    """Forces are those of the model with the new numbers, and as before with the old ones."""
    make, asked, values, expected, asked_of_expected = LIVE[case]

    def robot(mechanism: Mechanism, given: dict[str, Any]) -> kanegen.Robot:
        kernels = ["inverse_dynamics", "constraint_residual"] if mechanism.loops else ["inverse_dynamics"]
        return kanegen.load(mechanism, kernels=kernels, interpreted=True, **given)

    live = robot(make(), asked)
    assert {*values} <= {*live.parameters}
    q, v, a = (np.stack([*x.values()], axis=-1) for x in states(make()))
    state = (q, v, a)
    for changed, of_numbers in (
        (live, robot(make(), {key: x for key, x in asked.items() if key != "live"})),
        (live.with_parameters(values), robot(expected(), asked_of_expected)),
    ):
        tau = of_numbers.inverse_dynamics(*state)
        np.testing.assert_allclose(
            changed.inverse_dynamics(*state), tau, rtol=0, atol=ROUNDING * np.abs(tau).max()
        )
        assert changed.gravity == of_numbers.gravity


def test_the_table_says_what_numbers_mean() -> None:
    arm = kanegen.load(
        seven_axes(), payload=HELD, live=["payload", "gravity"], kernels=["gravity_forces"], interpreted=True
    )
    of_payload = [f"payload_flange_{x}" for x in ("mass", "x", "y", "z", *TENSOR)]
    assert list(arm.parameters) == [*of_payload, *(f"gravity_{x}" for x in "xyz")]
    row = arm.with_parameters({"payload_flange_mass": 2}).parameter_table["payload_flange_mass"]
    assert (row.value, row.unit, row.limits) == (2.0, "kg", (0.0, None))
    assert "payload at flange" in row.meaning
    assert arm.parameter_table["payload_flange_Ixy"].limits == (None, None)


def test_values_are_checked_as_files_are() -> None:
    arm = kanegen.load(
        gripper_arm(),
        payload={"tool": 0},
        live=["payload", "masses"],
        kernels=["gravity_forces"],
        interpreted=True,
    )
    arm.with_parameters({"payload_tool_mass": 0, "payload_tool_z": 1})
    refused(lambda: arm.with_parameters({"payload_tool_mass": -1}), "payload_tool", "negative")
    arm.with_parameters({"payload_tool_mass": -1}, allow_unphysical=True)
    refused(lambda: arm.with_parameters({"hand_mass": 0}), "cancel")
    with pytest.raises(kanegen.KanegenError, match="'payload_tool_mass'"):
        arm.with_parameters({"payload_tol_mass": 1})
    full = kanegen.load(gripper_arm(), live="inertias", kernels=["kinetic_energy"], interpreted=True)
    refused(lambda: full.with_parameters({"upper_Ixx": 9}), "upper", "exceeds the sum")


def test_what_is_not_asked_for_is_a_number() -> None:
    """Declared parameters that are not chosen are folded, those that are stay, whatever else is live."""
    found = pipeline.read(gripper_arm(), options({"live": ["upper.mass"]}))
    assert [p.name for p in found.parameters] == ["upper_mass"]
    assert not found.laws[0].parameter_symbols()
    both = pipeline.read(gripper_arm(), options({"live": ["k", "upper.mass"]}))
    assert [p.name for p in both.parameters] == ["k", "upper_mass"]
    assert [s.name for s in both.laws[0].parameter_symbols()] == ["k"]
    builder = MechanismBuilder.from_mechanism(gripper_arm())
    builder.change_body("upper", mass=builder.declared("k"))
    builder.change_body("fore", mass=2 * builder.parameter("m", 1, "kg"))
    mixed = builder.build()
    found = pipeline.read(mixed, options({"live": ["m", "masses"]}))
    assert [p.name for p in found.parameters] == ["m", "upper_mass", "hand_mass", "left_mass", "right_mass"]
    assert next(p.value for p in found.parameters if p.name == "upper_mass") == 2.5
    declared = pipeline.read(mixed, options({"live_parameters": True}))
    assert declared == pipeline.read(mixed, options({"live": "all declared"}))
    assert [p.name for p in declared.parameters] == ["k", "m"]


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"live": ["mases"]}, ("'masses'",)),
        ({"live": ["hnd.mass"]}, ("'hand.mass'",)),
        ({"live": ["payload"]}, ("payload={",)),
        ({"live": ["damping"]}, ("friction=True",)),
    ],
)
def test_what_cannot_be_live_is_refused(asked: dict[str, Any], words: tuple[str, ...]) -> None:
    refused(lambda: pipeline.read(gripper_arm(), options(asked)), *words, where="live")


def test_without_declared_parameters_groups_are_named() -> None:
    refused(lambda: pipeline.read(finger(), options({"live_parameters": True})), "live=[")
    with pytest.raises(ModelError, match="nothing of this group"):
        pipeline.read(finger(), options({"live": "springs"}))


def test_live_numbers_in_compiled_kernels_in_both_precisions_and_in_derivatives() -> None:
    """Forces are linear in the mass of a payload: their derivative is the difference."""
    kernels = ["inverse_dynamics", "inverse_dynamics_parameter_derivatives"]
    arm = kanegen.load(seven_axes(), payload=HELD, live=["payload"], search=1, float32=True, kernels=kernels)
    if arm.target is None:
        pytest.skip("there is no compiler")
    q, v, a = np.random.default_rng(2).uniform(-1, 1, (3, 7))
    heavier = arm.with_parameters({"payload_flange_mass": 2.5})
    derivative = arm.call("inverse_dynamics_parameter_derivatives", q, v, a)
    difference = heavier.inverse_dynamics(q, v, a) - arm.inverse_dynamics(q, v, a)
    column = list(arm.parameters).index("payload_flange_mass")
    scale = np.abs(arm.inverse_dynamics(q, v, a)).max()
    np.testing.assert_allclose(np.asarray(derivative)[..., column], difference, rtol=0, atol=ROUNDING * scale)
    single = heavier.call("inverse_dynamics_f32", *(x.astype(np.float32) for x in (q, v, a)))
    np.testing.assert_allclose(single, heavier.inverse_dynamics(q, v, a), rtol=0, atol=1e-4 * scale)


def test_what_was_asked_stands_in_manifest_header_and_structs(tmp_path: Path) -> None:
    asked: Any = {"payload": {"flange": 0.5}, "live": ["payload"], "lock": {"joint7": 0.25}, "search": 1}
    folder = kanegen.generate(seven_axes(), tmp_path / "c", kernels=["gravity_forces"], **asked)
    manifest = json.loads((folder / "manifest.json").read_text())
    assert manifest["asked"]["lock"] == [["joint7", [0.25]]]
    assert manifest["asked"]["payload"] == [["flange", [0.5, *[0.0] * 9]]]
    mass = {"name": "payload_flange_mass", "value": 0.5, "unit": "kg", "least": 0.0}
    assert mass.items() <= manifest["parameters"][0].items()
    header = " ".join((folder / "seven_axes.h").read_text().replace(" * ", " ").split())
    assert "lock joint7 = 0.25; payload flange = [0.5, 0.0" in header
    assert "; live payload; search 1" in header
    cuda = kanegen.generate(
        seven_axes(), tmp_path / "cuda", kernels=["gravity_forces"], language="cuda", **asked
    )
    assert any("payload_flange_mass" in path.read_text() for path in cuda.glob("*.cu*"))


def test_kernels_are_compared_where_a_payload_of_zero_tells(monkeypatch: pytest.MonkeyPatch) -> None:
    """Programs that forget the payload are the same at its value in the model, and are refused all the same."""
    chosen = options({"payload": {"flange": 0}, "live": ["payload"], "search": 1})
    sources = KernelSources(pipeline.read(seven_axes(), chosen), chosen)
    without = options({"search": 1})
    forgetful = KernelSources(pipeline.read(seven_axes(), without), without).plain("inverse_dynamics")
    deriving.derive(sources, "inverse_dynamics")
    monkeypatch.setattr(candidates, "optimize", lambda program: (forgetful, ()))
    with pytest.raises(CertificateError, match="differs from the plain derivation"):
        deriving.derive(sources, "inverse_dynamics")
