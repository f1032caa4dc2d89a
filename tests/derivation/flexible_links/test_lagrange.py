"""Arms as material particles: Newton's law and virtual work on where particles are, with nothing of the records.

Positions are computed from the sections' own displacements and rotations; their second derivatives in time are differences
at fifty digits, and those by coordinates complex steps.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import mpmath
import numpy as np
import pytest

from kanegen.codegen.mechanism import Mechanism, MechanismBuilder
from kanegen.codegen.mechanism.flexible import Appendage, Beam, Mode
from tests.mechanism.flexible.material_points import Bent, Carried, Described, Particles, doubles
from tests.mechanism.flexible.test_beam import carrying, constant, polynomial, slope

from .arms import CUBIC, Array, Kernels

GRAVITY = np.array([1.0, -9.0, -3.0])
TENSOR = np.diag([0.02, 0.03, 0.04])

Places = Callable[[Sequence[Any]], Any]
"""Where all particles are (p, 3), for coordinates of any kind of number."""


def beam(mode: str) -> Beam:
    """A light beam with a load at its end."""
    return Beam(
        1,
        1,
        [Mode(mode, y=CUBIC)],
        EI_z=40,
        damping_time="0.01",
        appendages=[Appendage(1, 1, (0, "0.1", 0), ("0.02", "0.03", "0.04"))],
    )


def of_beam() -> Described:
    """The same in Python's numbers."""
    mode = Bent(y=polynomial(0, 0, 1.5, -0.5), dy=slope(0, 0, 1.5, -0.5, length=1.0))
    load = Carried(1.0, 1.0, (0.0, 0.1, 0.0), TENSOR.tolist())
    return Described(1.0, constant(1.0), [mode], carried=[load])


def one_link() -> tuple[Mechanism, Places, Array]:
    """The beam of every kind of mode and load, on a hinge whose frame is turned; its places, and masses."""
    builder = MechanismBuilder("one", gravity=tuple(GRAVITY))
    builder.flexible("link", carrying().beam)
    builder.revolute("q", "base", "link", (0, 0, 1), position=(0, "0.2", 0), rotation=("0.4", 0, 0))
    particles = carrying().described.particles()

    def places(q: Sequence[Any]) -> Any:
        R = turn(0, 0.4) @ turn(2, q[0])
        return np.array([0, 0.2, 0]) + deflected(particles, q[1:]) @ R.T

    return builder.build(), places, particles.masses


def two_links() -> tuple[Mechanism, Places, Array]:
    """A beam, and behind it the beam of every kind of mode, on a hinge about y off its end."""
    builder = MechanismBuilder("two", gravity=tuple(GRAVITY))
    builder.flexible("first", beam("d"))
    builder.revolute("q1", "base", "first", (0, 0, 1))
    builder.flexible("second", carrying().beam)
    builder.revolute("q2", "first", "second", (0, 1, 0), position=("1.1", 0, "0.2"), rotation=(0, 0, "0.3"))
    inner, outer = of_beam().particles(), carrying().described.particles()
    mode = of_beam().modes[0]

    def places(q: Sequence[Any]) -> Any:
        R = turn(2, q[0])
        theta = q[1] * mode.rotation(1.0)
        tip = np.array([1.0, 0, 0]) + q[1] * mode.displacement(1.0)
        E = np.eye(3) + np.array(
            [[0, -theta[2], theta[1]], [theta[2], 0, -theta[0]], [-theta[1], theta[0], 0]]
        )
        second = deflected(outer, q[3:]) @ (turn(2, 0.3) @ turn(1, q[2])).T
        carried = tip + (np.array([0.1, 0, 0.2]) + second) @ E.T
        return np.concatenate([deflected(inner, q[1:2]), carried]) @ R.T

    return builder.build(), places, np.concatenate([inner.masses, outer.masses])


def turn(axis: int, angle: Any) -> Any:
    """About a coordinate axis, for doubles, complex numbers, and those of mpmath."""
    multiprecision = isinstance(angle, mpmath.mpf)
    c, s = (mpmath.cos(angle), mpmath.sin(angle)) if multiprecision else (np.cos(angle), np.sin(angle))
    found = np.eye(3).astype(object if multiprecision else type(c))
    j, k = (axis + 1) % 3, (axis + 2) % 3
    found[j, j], found[j, k], found[k, j], found[k, k] = c, -s, s, c
    return found


def deflected(particles: Particles, delta: Sequence[Any]) -> Any:
    """Places of particles in their link's axes."""
    found: Any = particles.places
    for amplitude, shape in zip(delta, particles.shapes, strict=True):
        found = found + amplitude * shape
    return found


def by_coordinates(places: Places, q: Array) -> Array:
    """dp/dq_k (n, p, 3): the error of a complex step of 1e-30 is below rounding."""
    steps = 1e-30j * np.eye(len(q))
    return np.array([np.imag(places(list(q + step))) / 1e-30 for step in steps])


def in_time(places: Places, q: Array, v: Array, a: Array) -> Array:
    """d2p/dt2 (p, 3) along q + v t + a t^2 / 2."""
    with mpmath.workdps(50):
        h = mpmath.mpf(10) ** -15

        def at(t: Any) -> Any:
            return places(
                [
                    mpmath.mpf(x) + t * mpmath.mpf(y) + t * t * mpmath.mpf(z) / 2
                    for x, y, z in zip(q, v, a, strict=True)
                ]
            )

        second = (at(h) - 2 * at(mpmath.mpf(0)) + at(-h)) / h**2
        return np.array(second, dtype=float)


@pytest.mark.parametrize("make", [one_link, two_links])
@pytest.mark.parametrize("seed", [0, 1])
def test_equations_of_particles(make: Callable[[], tuple[Mechanism, Places, Array]], seed: int) -> None:
    """Quadrature of the particles and some thousand roundings: 1e-11 of the largest force."""
    mechanism, places, masses = make()
    kernels, n = Kernels(mechanism), len(mechanism.coordinates)
    random = np.random.default_rng(seed)
    q, v, a = (random.uniform(-1, 1, n) * scale for scale in (0.3, 1, 2))
    J = by_coordinates(places, q)
    M = np.einsum("p,ipc,jpc->ij", masses, J, J)
    assert np.abs(kernels("mass_matrix", q=q) - M).max() < 1e-12 * np.abs(M).max()
    tau = np.einsum("p,ipc,pc->i", masses, J, in_time(places, q, v, a) - GRAVITY)
    elastic = 0.0
    for link in mechanism.flexible:
        at = [mechanism.coordinates.index(mode) for mode in link.modes]
        K, D = doubles(link.stiffness), doubles(link.damping)
        tau[at] += K @ q[at] + D @ v[at]
        elastic += float(q[at] @ K @ q[at] / 2)
    assert np.abs(kernels("inverse_dynamics", q=q, v=v, a=a) - tau).max() < 1e-11 * np.abs(tau).max()
    velocity = np.einsum("i,ipc->pc", v, J)
    kinetic = np.einsum("p,pc,pc->", masses, velocity, velocity) / 2
    assert kernels("kinetic_energy", q=q, v=v) == pytest.approx(kinetic, rel=1e-12)
    now = np.real(places(list(q.astype(complex))))
    height = -float(masses @ now @ GRAVITY)
    assert kernels("elastic_energy", q=q) == pytest.approx(elastic, rel=1e-12)
    assert kernels("potential_energy", q=q) == pytest.approx(height + elastic, rel=1e-12)
    momentum = [*(masses @ velocity), *(masses @ np.cross(now, velocity))]
    assert kernels("momentum", q=q, v=v) == pytest.approx(momentum, rel=1e-11, abs=1e-11)
    assert kernels("center_of_mass", q=q) == pytest.approx(masses @ now / masses.sum(), rel=1e-12, abs=1e-13)
