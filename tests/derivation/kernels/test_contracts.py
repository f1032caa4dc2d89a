"""Contracts of kernels: every derivation keeps to them, and so do the robot's methods and the guide."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
import sympy

import kanegen
from kanegen.codegen.derivation.formulations import FLEXIBLE, RIGID
from kanegen.codegen.derivation.kernels.catalogue import (
    BODY_ACTUATOR_FORCES,
    CONTRACTS,
    FRAME_JACOBIAN,
    FRAME_JACOBIAN_RATE,
    GENERALIZED_SPEEDS,
    Q,
    contract_of,
)
from kanegen.codegen.derivation.kernels.contract import FRAME, Arguments, Contract
from kanegen.codegen.kernel_sources import KernelSources
from kanegen.codegen.mechanism import BASE, DistanceRate, Mechanism, MechanismBuilder
from kanegen.codegen.mechanism.flexible import Beam, Mode
from kanegen.options import Options

GUIDE = Path(__file__).parents[3] / "docs" / "guide" / "kernels.md"


def pendulum(name: str) -> MechanismBuilder:
    builder = MechanismBuilder(name)
    mass = builder.parameter("p", 1, "kg")
    builder.body("first", mass, (1, 0, 0), (1, 1, 1))
    builder.revolute("j", BASE, "first", (0, 1, 0))
    builder.frame("tip", "first", (1, 0, 0))
    return builder


def top() -> Mechanism:
    builder = pendulum("top")
    builder.body("second", 1, (1, 0, 0), (1, 1, 1))
    builder.spherical("ball", "first", "second")
    return builder.build()


def tied() -> Mechanism:
    """Two pendulums geared together, a prescribed joint, and a speed that has dead centres."""
    builder = pendulum("tied")
    for name, joint in (("second", "k"), ("held", "l")):
        builder.body(name, 1, (1, 0, 0), (1, 1, 1))
        builder.revolute(joint, "first", name, (0, 1, 0))
    builder.prescribe("l")
    builder.frame("pin", BASE, (0, 0, 1))
    j, k = sympy.symbols("j k")
    builder.position_constraint("gear", j - 2 * k, (j, k))
    builder.speeds([DistanceRate("tip", "pin")])
    return builder.build()


def flexible() -> Mechanism:
    builder = MechanismBuilder("flexible")
    builder.flexible("link", Beam(1, 1, [Mode("bend", y=(0, 0, 1))], EI_z=1))
    builder.revolute("j", BASE, "link", (0, 0, 1))
    return builder.build()


MECHANISMS = {"pendulum": pendulum("pendulum").build(), "top": top(), "tied": tied(), "flexible": flexible()}


def derived() -> Iterator[tuple[str, str]]:
    for name, mechanism in MECHANISMS.items():
        for formulation in FLEXIBLE if mechanism.flexible else RIGID:
            yield name, formulation


@pytest.mark.parametrize(("model", "formulation"), [*derived()])
def test_every_kernel_keeps_to_its_contract(model: str, formulation: str) -> None:
    """Name, arguments in order, and every result as large as its shape; no word in braces is left."""
    mechanism = MECHANISMS[model]
    options = Options(formulation=formulation, live_parameters=model == "pendulum")
    sources = KernelSources(mechanism, options)
    on_demand = sources.builds_on_demand if formulation == "recursive" else {}
    for name in sources.builds | on_demand:
        program = sources.plain(name)
        contract = contract_of(name)
        assert contract is not None
        if name == "actuator_forces" and formulation == "euler_parameters":
            contract = BODY_ACTUATOR_FORCES
        assert program.name == name
        given = [argument.name for argument in program.inputs]
        assert given == [slot for slot in contract.given if slot in given]
        assert set(contract.given) - set(given) <= ({"q"} if name == "body_forces" else set())
        assert tuple(argument.name for argument in program.outputs) == contract.found
        assert [len(refs) for refs in program.results] == [argument.size for argument in program.outputs]
        texts = [program.title, *(a.description for a in (*program.inputs, *program.outputs))]
        assert not any("{" in text or not text for text in texts), texts


def test_what_a_name_is_of() -> None:
    assert contract_of("frame_jacobian_rate_of_arm") is FRAME_JACOBIAN_RATE
    assert contract_of("frame_jacobian_tip") is FRAME_JACOBIAN
    assert contract_of("frame_jacobian") is None
    assert contract_of("feedback") is None
    assert (
        len({contract.name for contract in CONTRACTS}) == len(CONTRACTS) - 1
    )  # actuator_forces, of two formulations


def test_words_and_units_of_a_mechanism() -> None:
    arguments = Arguments.of(MECHANISMS["top"])
    assert arguments(Q).unit == "rad, 1"
    assert arguments(Q).shape == (5,)
    (v,) = GENERALIZED_SPEEDS.gives
    assert Arguments.of(MECHANISMS["tied"])(v).unit == "m/s"


def shown(contract: Contract) -> str:
    """A call of the robot's method."""
    return f"{contract.name}({', '.join(arguments(contract))})"


def arguments(contract: Contract) -> list[str]:
    """Those of the robot's method, but for ``out``."""
    return [*contract.given, *["frame"] * (contract.each == FRAME), *["rows"] * contract.rows]


METHODS = [c for c in CONTRACTS if inspect.isfunction(getattr(kanegen.Robot, c.name, None))]


@pytest.mark.parametrize("contract", METHODS, ids=lambda contract: contract.name)
def test_methods_of_the_robot_take_what_the_contract_says(contract: Contract) -> None:
    parameters = list(inspect.signature(getattr(kanegen.Robot, contract.name)).parameters)[1:]
    wanted = arguments(contract)
    assert parameters[: len(wanted)] == wanted
    assert parameters[len(wanted)] == "out"
    assert inspect.getdoc(getattr(kanegen.Robot, contract.name))


def test_the_guide_lists_the_kernels_of_the_robot() -> None:
    usual, on_demand = (
        dict(re.findall(r"^\| `(\w+\([\w, ]*\))` \|.*\| ([^|]*) \| [^|]*\|$", part, re.MULTILINE))
        for part in GUIDE.read_text(encoding="utf-8").split("## Kernels made on demand")
    )
    of_trees = [c for c in METHODS if shown(c) in usual | on_demand]
    assert set(usual) == {shown(contract) for contract in of_trees if not contract.on_demand}
    assert set(on_demand) == {shown(contract) for contract in METHODS if contract.on_demand}
    for contract in of_trees:
        shape = contract.gives[0].shape
        words = {
            "nv": "n",
            "rows": "k",
            "columns": "parameters" if contract.name == "regressor" else "10 bodies",
        }
        expected = " × ".join(words.get(str(size), str(size)) for size in shape) or "scalar"
        assert (usual | on_demand)[shown(contract)].removesuffix(" each") == expected
