"""Whole kernel sets of arms at the edges, held to the certificate's checks: no joints, springs on modes, odd orders."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from kanegen.codegen import pipeline
from kanegen.codegen.kernel_sources import KernelSources
from kanegen.codegen.mechanism import Mechanism, MechanismBuilder
from kanegen.codegen.mechanism.flexible import Appendage, Beam, BeamFunction, Mode
from kanegen.codegen.pipeline import Options

from .arms import CUBIC, Kernels, apart, states


def clamped() -> Mechanism:
    """A beam that is held fast: modes are all that moves."""
    builder = MechanismBuilder("clamped")
    modes = [Mode("d", y=CUBIC), Mode("e", z=BeamFunction("clamped-free", 1))]
    builder.flexible("beam", Beam(1, 1, modes, EI_y=10, EI_z=20), {"middle": "0.5"})
    builder.fixed("clamp", "base", "beam", rotation=(0, "0.3", 0))
    return builder.build()


def disordered() -> Mechanism:
    """Coordinates in no order, springs with other lengths at rest on one joint and on a mode, an actuator on a mode."""
    builder = MechanismBuilder("disordered")
    beam = Beam(
        1,
        1,
        [Mode("d", y=CUBIC), Mode("e", z=CUBIC)],
        EI_y=10,
        EI_z=20,
        appendages=[Appendage("0.5", 1, (0, 0, "0.1"))],
    )
    builder.flexible("beam", beam)
    builder.revolute("q", "base", "beam", (0, 0, 1), damping=1, friction=2, rotor_inertia="0.1")
    builder.body("hand", 1, (0, 0, 0), (1, 1, 1))
    builder.prismatic("s", "beam", "hand", (0, 1, 0), position=(1, 0, 0))
    builder.coordinates(["e", "s", "q", "d"])
    builder.actuator("q")
    builder.actuator("d", -1, "piezo")
    builder.torsional_spring("strip", "e", 3, 1, "0.1")
    builder.torsional_spring("coil", "q", 3, 1, "0.2")
    builder.torsional_spring("other coil", "q", 5, 0, "-0.3")
    return builder.build()


def named() -> Mechanism:
    """Names that C has taken."""
    builder = MechanismBuilder("names")
    modes = [Mode("q x", y=CUBIC), Mode("sin", z=CUBIC)]
    builder.flexible("double", Beam(1, 1, modes, EI_y=10, EI_z=20), {"int": "0.5"})
    builder.revolute("return", "base", "double", (0, 0, 1))
    return builder.build()


@pytest.mark.parametrize(
    ("mechanism", "options"),
    [
        (clamped(), Options()),
        (disordered(), Options()),
        (disordered(), Options(friction=True, gravity=(0.0, 0.0, 0.0))),
        (disordered(), Options(formulation="book_1983")),
        (named(), Options()),
    ],
    ids=["clamped", "disordered", "friction", "book", "named"],
)
def test_certified(mechanism: Mechanism, options: Options, tmp_path: Path) -> None:
    """Generation fails where a kernel disagrees with the point masses."""
    generated = pipeline.generate(mechanism, tmp_path, options)
    assert generated.record.worst is not None
    assert generated.record.worst.residual < 1e-12
    assert not generated.record.unchecked


def test_without_joints_no_motion_is_prescribed() -> None:
    assert "prescribed_motion_forces" not in KernelSources(clamped(), Options()).builds
    assert "prescribed_motion_forces" in KernelSources(disordered(), Options()).builds


def test_order_of_coordinates_is_one_of_names() -> None:
    """Another order permutes entries, and does no more."""
    mechanism = disordered()
    at = states(mechanism, 3)
    M = Kernels(mechanism)("mass_matrix", **at)
    assert apart(Kernels(mechanism, "book_1983")("mass_matrix", **at), M) < 1e-13
    usual = ["q", "d", "e", "s"]
    other = replace(mechanism, coordinates=tuple(usual))
    places = [mechanism.coordinates.index(name) for name in usual]
    permuted = Kernels(other)("mass_matrix", q=at["q"][:, places])
    assert apart(permuted, M[:, places][:, :, places]) < 1e-14


def test_a_truncated_set_says_so_in_its_header(tmp_path: Path) -> None:
    options = pipeline.Options(formulation="book_1983_truncated", kernels=("mass_matrix",))
    generated = pipeline.generate("flexible_two_link", tmp_path, options)
    assert not generated.record.checks
    header = " ".join(
        (tmp_path / "flexible_two_link.h").read_text(encoding="ascii").replace(" * ", " ").split()
    )
    assert "against the plain derivation of the same equations (book_1983_truncated)" in header
    assert "fulfil no law exactly" in header


def test_the_usual_formulation_has_a_name_of_its_own(tmp_path: Path) -> None:
    counts = [
        pipeline.generate(
            "flexible_two_link",
            tmp_path / name,
            pipeline.Options(formulation=name, kernels=("inverse_dynamics",)),
        )
        .kernels["inverse_dynamics"]
        .steps[-1]
        .counts
        for name in ("recursive", "flexible_links")
    ]
    assert counts[0] == counts[1]
