"""Links by their modal integrals: a beam's own table is the beam again."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from kanegen.codegen.mechanism import Mechanism, MechanismBuilder, ModelError
from kanegen.codegen.mechanism.fingerprint import fingerprint
from kanegen.codegen.mechanism.flexible import Beam, LinkTable, StationTable
from kanegen.codegen.mechanism.flexible.appendages import rigid_inertia
from kanegen.codegen.mechanism.flexible_records import FlexibleLink, Station

from .material_points import Particles, apart, ratios, recorded, sums
from .test_beam import carrying


def table_of(link: FlexibleLink) -> LinkTable:
    """What a program that knows the link would print."""
    body, m = rigid_inertia(link.integrals), link.integrals

    def station(at: Station) -> StationTable:
        return StationTable(at.position, at.displacements, at.rotations)

    return LinkTable(
        link.modes,
        body.mass,
        body.center,
        body.tensor,
        m.mode_first,
        m.mode_mixed,
        m.mode_products,
        link.stiffness,
        station(link.end),
        link.damping,
        {name: station(at) for name, at in link.stations},
    )


def beam() -> Beam:
    return replace(carrying().beam, damping_time="0.01")


def arm(link: Beam | LinkTable, stations: dict[str, Fraction] | None = None) -> Mechanism:
    builder = MechanismBuilder("arm")
    builder.flexible("link", link, stations)
    builder.revolute("q", "base", "link", (0, 0, 1))
    return builder.build()


def test_table_of_a_beam_is_the_beam() -> None:
    """Also its exact numbers: second moments about the near end, from the central tensor of the table."""
    link = beam().link("link", [("within", Fraction(1, 2))])
    assert table_of(link).link("link") == link
    assert fingerprint(arm(beam(), {"within": Fraction(1, 2)})) == fingerprint(arm(table_of(link)))


def test_frames_of_stations_are_where_the_table_says() -> None:
    mechanism = arm(table_of(beam().link("link", [("within", Fraction(1, 2))])))
    frame = next(frame for frame in mechanism.frames if frame.name == "within")
    assert frame.body == "link"
    assert ratios(frame.position) == (Fraction(1, 2), 0, 0)


def test_table_of_particles() -> None:
    """As from a finite-element program: doubles, with their rounding, of a link that is no beam at all."""
    random = np.random.default_rng(5)
    masses, places = random.uniform(0.1, 1, 40), random.uniform(-1, 1, (40, 3))
    shapes = random.uniform(-1, 1, (2, 40, 3))
    m, x = masses, places
    center = m @ x / m.sum()
    r = x - center
    tensor = np.einsum("p,pk,pk->", m, r, r) * np.eye(3) - np.einsum("p,pi,pj->ij", m, r, r)
    table = LinkTable(
        ("a", "b"),
        m.sum(),
        center.tolist(),
        (tensor / 2 + tensor.T / 2).tolist(),
        np.einsum("p,kpi->ki", m, shapes).tolist(),
        np.einsum("p,pi,kpj->kij", m, x, shapes).tolist(),
        np.einsum("p,kpi,npj->knij", m, shapes, shapes).tolist(),
        [[3, 1], [1, 2]],
        StationTable((1, 0, 0), [(0, 1, 0), (0, 0, 1)], [(0, 0, 1), (1, 0, 0)]),
    )
    mechanism = arm(table)
    link = mechanism.flexible[0]
    assert apart(recorded(link.integrals), sums(Particles(masses, places, shapes))) < 1e-12
    assert ratios(link.damping) == ((0, 0), (0, 0))
    assert mechanism.coordinates == ("q", "a", "b")


def test_what_rounding_leaves_of_symmetry() -> None:
    """A finite-element program's matrices, asymmetric in the ninth digit, are those of the mean; more is no rounding."""
    table = table_of(arm(beam()).flexible[0])
    rows = [[float(x) for x in row] for row in table.stiffness]
    products = [[[[float(x) for x in r] for r in m] for m in row] for row in table.products]
    assert abs(rows[0][1]) > 0 or abs(rows[1][2]) > 0
    k, n = (0, 1) if rows[0][1] else (1, 2)
    rows[k][n] *= 1 + 2e-9
    products[k][n] = [[x * (1 + 2e-9) for x in r] for r in products[k][n]]
    link = arm(replace(table, stiffness=rows, products=products)).flexible[0]
    assert link.stiffness[k][n] == link.stiffness[n][k] != Fraction(str(rows[n][k]))
    assert float(link.stiffness[k][n]) == pytest.approx(rows[n][k], rel=2e-9)
    m = link.integrals.mode_products
    assert m[k][n] == tuple(zip(*m[n][k], strict=True))
    rows[k][n] *= 1.001
    with pytest.raises(ModelError, match="stiffness: is not symmetric"):
        arm(replace(table, stiffness=rows))
