"""Slides and hinges along them change places: nothing that kanegen reports may change."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import mpmath
import numpy as np
import pytest

from kanegen.codegen.derivation.placed_tree import exchange
from kanegen.codegen.derivation.placed_tree.deriver import Derivation
from kanegen.codegen.graph import Program, evaluate_entries, multiprecision
from kanegen.codegen.kernel_sources import KernelSources
from kanegen.codegen.mechanism import BASE, JointKind, Mechanism, MechanismBuilder, catalogue
from kanegen.options import Options
from tests.derivation.comparison import DIGITS, EXACT
from tests.derivation.structured_trees import derive_by_chance

HALF = "1.57079632679489661923132169163975144209858469968755291487"


def machine(
    place: str, *, oblique: bool = False, live: bool = False, loaded: bool = False, hinge_first: bool = False
) -> Mechanism:
    """Slides with hinges along them, or ``hinge_first``, somewhere in a tree of hinges; what is between lies on the axes.

    ``loaded``: rotors, friction, springs in and across joints, a payload, and frames everywhere.
    """
    b = MechanismBuilder("machine", gravity=(1, "-2.5", -9))
    count = 0

    def joint(kind: str, parent: str, axis: Any, position: Any, center: Any, rotation: Any = None) -> str:
        nonlocal count
        count += 1
        body, more = f"b{count}", {}
        if loaded:
            more = {"rotor_inertia": f"0.{count}", "damping": "0.2", "friction": "0.1"}
        b.body(body, *(() if center is None else (mass(count), center, tensor(count))))
        getattr(b, kind)(f"j{count}", parent, body, axis, position, rotation, **more)
        return body

    def mass(k: int) -> Any:
        return b.parameter(f"m{k}", f"1.{k}", "kg") if live else f"1.{k}"

    def tensor(k: int) -> Any:
        xx = b.parameter(f"xx{k}", f"0.04{k}", "kg m^2") if live else f"0.04{k}"
        return (xx, "0.05", "0.06", "0.001", "-0.002", f"0.00{k}")

    def hinge(parent: str, axis: Any, k: int) -> str:
        return joint("revolute", parent, axis, ("0.3", f"0.{k}", "-0.2"), ("0.1", "-0.05", f"0.0{k}"))

    def pair(parent: str, slides: int = 1) -> str:
        """Slides, and a hinge on the last: along an axis of the frames, or aslant; the hinge points the other way."""
        if oblique:
            axis, back, place, turn = (3, 0, 4), (-3, 0, -4), ("0.4", "0.2", "-0.3"), None
            center = ["0.7", "0.2", "0.1"]
        else:
            axis, back, place, turn = (0, 1, 0), (0, 0, -1), ("0.2", "0.3", "-0.1"), (HALF, 0, 0)
            center = ["0.2", "-0.4", "-0.1"]
        away = b.parameter("away", "0.2", "m") if live and not oblique and slides == 1 and count < 3 else None
        if away is not None:
            place, center = (away, *place[1:]), [away, *center[1:]]
        if hinge_first:
            center = ["0.3", 0, "0.4"] if oblique else [0, "0.3", 0]
            parent = joint("revolute", parent, axis, ("0.1", "0.2", "0.3"), center)
            return joint("prismatic", parent, back, place, ("0.02", "-0.03", "0.15"), turn)
        for k in range(slides):
            last = k == slides - 1
            parent = joint("prismatic", parent, axis, ("0.1", "0.2", "0.3"), center if last else None)
        return joint("revolute", parent, back, place, ("0.02", "-0.03", "0.15"), turn)

    parent = BASE if place == "at the base" else hinge(hinge(BASE, (0, 0, 1), 1), (1, 0, 0), 2)
    turner = pair(parent, slides=2 if place == "two slides" else 1)
    tip = pair(hinge(turner, (1, 0, 0), 3)) if place == "twice" else hinge(turner, (1, 2, 0), 4)
    if place == "branches":
        pair(parent)
        hinge(turner, (0, 1, 0), 5)
    if loaded:
        b.frame("hand", tip, ("0.1", "0.2", "0.3"), rotation=("0.1", 0, "0.2"))
        b.frame("eye", turner, ("0.2", 0, "0.1"))
        b.payload("load", "hand", 2, ("0.1", 0, 0), ("0.01", "0.02", "0.02"))
        for k in range(1, count + 1):
            b.torsional_spring(f"k{k}", f"j{k}", "1.5", "0.2", "0.1")
        b.translational_spring("rope", "hand", BASE, 20, "0.3", "0.4")
        b.translational_spring("strut", "eye", f"b{1 + 2 * (place != 'at the base')}", 30)
        b.coordinates(f"j{k}" for k in reversed(range(1, count + 1)))
    return b.build()


def orders(points: Mapping[str, Any]) -> dict[str, int]:
    """Every exchange that is offered, made."""
    return {point: 1 for point in points if point.startswith(exchange.POINT)}


def made(derive: Callable[[Mapping[str, int]], Derivation], answers: Mapping[str, int]) -> Derivation:
    """What is derived with all exchanges made, those that are offered after others too."""
    program, points = derive(answers)
    while not (found := orders(points)).items() <= answers.items():
        answers = {**answers, **found}
        program, points = derive(answers)
    return program, points


def values(program: Program, described: Mechanism) -> list[list[Any]]:
    """All outputs at a state that depends on nothing but names, in mpmath numbers; live parameters at other numbers."""
    entries = {
        (argument.name, i): mpmath.mpf(x)
        for argument in program.inputs
        for i, x in enumerate(np.random.default_rng([*argument.name.encode()]).uniform(-1, 1, argument.size))
    }
    found = {p.name: mpmath.mpf(float(p.value) * 1.25) for p in described.parameters}
    return evaluate_entries(program, entries, multiprecision(), found)


def check(sources: KernelSources, kernel: str, seed: int) -> bool:
    """Compare a kernel for random answers with its plain derivation; whether joints were exchanged."""
    deriver = sources.deriver(kernel, searched=False)
    exchanged = False

    def derived(answers: Mapping[str, int]) -> Derivation:
        nonlocal exchanged
        program, points = made(deriver, answers)
        exchanged = bool(orders(points))
        return program, {point: x for point, x in points.items() if not point.startswith(exchange.POINT)}

    rng = np.random.default_rng(seed)
    program = derive_by_chance(derived, rng)[0] if rng.random() < 0.7 else derived({})[0]
    described = sources.mechanism
    for found, wanted in zip(
        values(program, described), values(sources.plain(kernel), described), strict=True
    ):
        # lengths, masses and rates are near 1; some results vanish but for rounding
        assert all(
            abs(x - y) < EXACT * max(1, *map(abs, wanted)) for x, y in zip(found, wanted, strict=True)
        ), kernel
    return exchanged


@pytest.mark.parametrize(
    ("place", "kind", "pairs"),
    [
        ("after two hinges", {"live": True}, 1),
        ("at the base", {"oblique": True, "loaded": True}, 1),
        ("twice", {"loaded": True}, 2),
        ("two slides", {"oblique": True, "loaded": True}, 2),
        ("branches", {"live": True, "loaded": True}, 2),
        ("after two hinges", {"hinge_first": True, "live": True}, 1),
        ("at the base", {"hinge_first": True}, 1),
        ("twice", {"hinge_first": True, "oblique": True}, 2),
    ],
)
def test_every_kernel(place: str, kind: dict[str, bool], pairs: int) -> None:
    """Those about a body that an exchange takes away keep the order of the description, and have no decision on it."""
    described = machine(place, **kind)
    sources = KernelSources(described, Options(live_parameters=kind.get("live", False)))
    assert len(orders(made(sources.deriver("inverse_dynamics"), {})[1])) == pairs
    slides = [joint for joint in described.joints if joint.kind is JointKind.PRISMATIC]
    between = {slide.parent if "hinge_first" in kind else slide.child for slide in slides}
    with mpmath.workdps(DIGITS):
        for number, kernel in enumerate([*sources.builds, *sources.builds_on_demand]):
            assert check(sources, kernel, number) != (kernel.rpartition("_")[2] in between), kernel


@pytest.mark.parametrize("formulation", ["kane", "dual_vectors", "influence_coefficients"])
def test_other_formulations(formulation: str) -> None:
    sources = KernelSources(machine("after two hinges", loaded=True), Options(formulation=formulation))
    with mpmath.workdps(DIGITS):
        for seed in range(3):
            for kernel in ("inverse_dynamics", "forward_dynamics", "mass_matrix"):
                check(sources, kernel, seed)


def test_speeds_of_ones_choice() -> None:
    """Among them are components of the angular velocity of the slide, which has the place of another body then."""
    for speeds in catalogue.speeds_names("stanford_arm"):
        sources = KernelSources(catalogue.mechanism("stanford_arm"), Options(speeds=speeds))
        with mpmath.workdps(DIGITS):
            for kernel in ("inverse_dynamics", "forward_dynamics"):
                check(sources, kernel, 1)


@pytest.mark.parametrize(
    "why", ["mass beside the axis", "another direction", "another hinge", "an equation", None]
)
def test_where_there_is_no_decision(why: str | None) -> None:
    b = MechanismBuilder("slide")
    b.body("slide", 1, (0, "0.1" if why == "mass beside the axis" else 0, "0.4"), ("0.1", "0.2", "0.25"))
    b.body("arm", 2, ("0.3", 0, 0), ("0.1", "0.2", "0.25"))
    b.prismatic("out", BASE, "slide", (0, 0, 1))
    b.revolute("turn", "slide", "arm", (1, 0, 1) if why == "another direction" else (0, 0, 1))
    if why == "another hinge":
        b.body("other", 1, ("0.3", 0, 0))
        b.revolute("second", "slide", "other", (0, 0, 1))
    if why == "an equation":
        b.prescribe("out", 0)
    sources = KernelSources(b.build(), Options())
    assert bool(orders(sources.deriver("inverse_dynamics")({})[1])) == (why is None)
