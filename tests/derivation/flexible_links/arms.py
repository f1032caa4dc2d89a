"""Arms with flexible links: those of the oracle of Book 1983, and random ones; and their kernels in numbers."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kanegen.codegen.certificate.flexible_reference import FlexibleReference
from kanegen.codegen.certificate.point_masses import flexible_arm
from kanegen.codegen.certificate.speeds import TreeSpeeds
from kanegen.codegen.derivation.formulations import formulation, optional_kernels
from kanegen.codegen.derivation.motion_maps.spanning_tree import derivation_tree
from kanegen.codegen.derivation.placed_tree.choices import Choices
from kanegen.codegen.derivation.placed_tree.deriver import Build
from kanegen.codegen.derivation.placed_tree.placement import place
from kanegen.codegen.derivation.resistance.friction import SLIP_SPEED
from kanegen.codegen.graph import Program, evaluate
from kanegen.codegen.mechanism import Mechanism, MechanismBuilder
from kanegen.codegen.mechanism.flexible import Appendage, Beam, BeamFunction, Mode, RodFunction

Array = NDArray[np.float64]

ORACLE: Mapping[str, Any] = json.loads(
    (Path(__file__).parent.parent.parent / "oracles" / "book_1983.json").read_text(encoding="utf-8")
)

CUBIC = (0, 0, "1.5", "-0.5")


def planar() -> Mechanism:
    """The oracle's planar arm: q1, d11, q2, d21."""
    p = ORACLE["planar_params"]
    builder = MechanismBuilder("planar", gravity=p["g"])
    last, at = "base", 0
    for i, (length, mass) in enumerate(zip(p["l"], p["mu"], strict=True), start=1):
        builder.flexible(f"link{i}", Beam(length, mass, [Mode(f"d{i}1", y=CUBIC)], EI_z=p["EIz"]))
        builder.revolute(f"q{i}", last, f"link{i}", (0, 0, 1), position=(at, 0, 0))
        last, at = f"link{i}", length
    return builder.build()


def spatial() -> Mechanism:
    """The oracle's spatial arm of two links with two modes each: q1, d11, d12, q2, d21, d22."""
    p = ORACLE["spatial_2x2"]["params"]
    builder = MechanismBuilder("spatial", gravity=p["g"])
    last, at = "base", 0
    for i, (length, mass, alpha) in enumerate(zip(p["l"], p["mu"], p["alpha"], strict=True), start=1):
        modes = [Mode(f"d{i}1", y=CUBIC), Mode(f"d{i}2", z=(0, 0, 1), twist=(0, "0.7"))]
        builder.flexible(f"link{i}", Beam(length, mass, modes, EI_y=p["EIy"], EI_z=p["EIz"], GJ=p["GJ"]))
        builder.revolute(f"q{i}", last, f"link{i}", (0, 0, 1), position=(at, 0, 0), rotation=(alpha, 0, 0))
        last, at = f"link{i}", length
    return builder.build()


AXES = ((1, 0, 0), (0, 1, 0), (0, 0, 1), (0, 0, -1), (1, 2, 2), (2, -1, 2))


@dataclass
class RandomArm:
    """Links of every kind, with everything that they may carry; ``branches`` lets a link go on from any before."""

    seed: int
    links: int = 4
    branches: bool = False
    random: np.random.Generator = field(init=False)

    def __post_init__(self) -> None:
        self.random = np.random.default_rng(self.seed)

    def number(self, low: float, high: float) -> str:
        """A number of three decimals."""
        return f"{self.random.uniform(low, high):.3f}"

    def vector(self, size: float) -> tuple[str, str, str]:
        """Three of them."""
        return self.number(-size, size), self.number(-size, size), self.number(-size, size)

    def chance(self, share: float) -> bool:
        """Whether something that happens now and then happens."""
        return bool(self.random.random() < share)

    def tensor(self, size: float) -> list[Any]:
        """Six entries that a body has: moments that differ less than their products of inertia leave room for."""
        moments = [self.number(0.8 * size, size) for _ in range(3)]
        products = [self.number(-0.05 * size, 0.05 * size) for _ in range(3)]
        return [*moments, *products]

    def mechanism(self) -> Mechanism:
        """The arm."""
        builder = MechanismBuilder(f"random {self.seed}", gravity=self.vector(9))
        places = ["base"]
        for i in range(1, self.links + 1):
            name = f"link{i}"
            parent = places[int(self.random.integers(len(places)))] if self.branches else places[-1]
            if self.chance(0.65) or (i == self.links and not builder._flexible):
                length = self.flexible(builder, name, i)
            else:
                length = "0.4"
                builder.body(name, self.number(0.5, 3), self.vector(0.3), self.tensor(0.2))
            self.joint(builder, f"q{i}", parent, name)
            if self.chance(0.4):
                builder.frame(f"frame{i}", name, self.vector(0.3), self.vector(2))
            if self.chance(0.3):
                builder.body(f"held{i}", self.number(0.1, 1), self.vector(0.2), self.tensor(0.05))
                builder.fixed(f"clamp{i}", name, f"held{i}", (length, "0.1", 0), self.vector(1))
                name = f"held{i}" if self.chance(0.5) else name
            places.append(name)
        return builder.build()

    def joint(self, builder: MechanismBuilder, name: str, parent: str, child: str) -> None:
        """A hinge or a slide with a rotor and now and then a spring; a link may be clamped to what bends before it."""
        axis = AXES[int(self.random.integers(len(AXES)))]
        placed: dict[str, Any] = {"position": self.vector(0.8), "rotation": self.vector(2)}
        if parent != "base" and self.chance(0.1):
            builder.fixed(name, parent, child, placed["position"], placed["rotation"])
            return
        kind = builder.prismatic if self.chance(0.25) else builder.revolute
        kind(
            name,
            parent,
            child,
            axis,
            **placed,
            rotor_inertia=self.number(0.01, 0.2) if self.chance(0.3) else 0,
            damping=self.number(0, 1) if self.chance(0.4) else 0,
            friction=self.number(0, 1) if self.chance(0.2) else 0,
        )
        if self.chance(0.3):
            builder.torsional_spring(
                f"spring of {name}", name, self.number(1, 9), self.number(0, 1), self.number(-1, 1)
            )

    def flexible(self, builder: MechanismBuilder, name: str, i: int) -> str:
        """A beam with one to three modes, and what it may carry."""
        length = self.number(0.5, 1.2)
        kinds = [
            Mode(f"d{i}1", y=(0, 0, 1, self.number(-0.5, 0.5)), twist=(0, self.number(-1, 1))),
            Mode(f"d{i}2", z=BeamFunction("clamped-free", 1), y=(0, 0, 0, self.number(-1, 1))),
            Mode(f"d{i}3", twist=RodFunction(1)),
        ]
        modes = kinds[: int(self.random.integers(1, 4))]
        appendages = []
        for _ in range(int(self.random.integers(0, 3))):
            at = Fraction(int(self.random.integers(0, 11)), 10) * Fraction(length)
            appendages.append(Appendage(at, self.number(0.1, 2), self.vector(0.1), self.tensor(0.05)))
        beam = Beam(
            length,
            self.number(0.5, 3),
            modes,
            EI_y=self.number(20, 90),
            EI_z=self.number(20, 90),
            GJ=self.number(20, 90),
            section_y=self.number(0.01, 0.05),
            section_z=self.number(0.01, 0.05),
            damping_time="0.01" if self.chance(0.5) else 0,
            appendages=appendages,
        )
        stations = {f"station{i}": Fraction(3, 10) * Fraction(length)} if self.chance(0.5) else None
        builder.flexible(name, beam, stations)
        return length


class Kernels:
    """Kernels of a mechanism, evaluated."""

    def __init__(self, mechanism: Mechanism, formulation_name: str = "recursive", live: bool = False) -> None:
        self.mechanism = mechanism
        frames = {frame.name: frame.name for frame in mechanism.frames}
        builds = formulation(formulation_name, mechanism, None, live, frames)
        self._builds: dict[str, Build] = optional_kernels(mechanism, live, frames) | builds
        rigid = derivation_tree(mechanism, live)
        self._tree = place(rigid.mechanism, Choices(), rigid.live)
        self._programs: dict[str, Program] = {}

    def program(self, name: str) -> Program:
        """The kernel as derived."""
        if name not in self._programs:
            self._programs[name] = self._builds[name](self._tree, self.mechanism, Choices())
        return self._programs[name]

    def __call__(self, kernel: str, **arguments: ArrayLike) -> Any:
        """The first output."""
        program = self.program(kernel)
        given = {argument.name: arguments[argument.name] for argument in program.inputs}
        return evaluate(program, given)[program.outputs[0].name]

    def all(self, kernel: str, **arguments: ArrayLike) -> dict[str, Array]:
        """All outputs."""
        program = self.program(kernel)
        return evaluate(program, {argument.name: arguments[argument.name] for argument in program.inputs})


def states(mechanism: Mechanism, count: int, seed: int = 0, deflection: float = 0.2) -> dict[str, Array]:
    """Random q, v, a, tau (count, n): deflections of about ``deflection`` [m], where small angles are far from small."""
    random = np.random.default_rng(seed)
    n = len(mechanism.coordinates)
    found = {name: random.uniform(-1.5, 1.5, (count, n)) for name in ("q", "v", "a", "tau")}
    modes = [mechanism.coordinates.index(mode) for mode in mechanism.modes]
    found["q"][:, modes] *= deflection / 1.5
    return found


def point_masses(mechanism: Mechanism) -> FlexibleReference:
    """The certificate's reference."""
    return FlexibleReference(flexible_arm(mechanism), TreeSpeeds(mechanism), float(SLIP_SPEED))


def apart(found: ArrayLike, expected: ArrayLike) -> float:
    """Largest difference over the largest entry, the worst of the states (first axis)."""
    x, y = np.asarray(found), np.asarray(expected)
    rows = len(y)
    size = np.maximum(np.abs(y).reshape(rows, -1).max(axis=1), 1e-300)
    return float((np.abs(x - y).reshape(rows, -1).max(axis=1) / size).max())
