"""Records of a flexible link: its modes at the places where something is attached, and its modal integrals.

A point of the link at x in its frame, when nothing is deflected, is at

    x + sum_k delta_k phi_k(x)

of the same frame, whose origin and axes are those of the link's near end: assumed modes phi_k move neither (Book 1983,
eq. 4).  delta_k are coordinates of the mechanism.
"""

from __future__ import annotations

from dataclasses import dataclass

from kanegen.codegen.mechanism.quantities import Matrix3, Value, Vector3


@dataclass(frozen=True, slots=True)
class ModalIntegrals:
    """Integrals over the mass of a link: dm, x dm, x x^T dm; for each mode phi_k dm and x phi_k^T dm; phi_k phi_l^T dm.

    Twice the matrices C_i, C_ik, C_ikj of Book 1983 (eqs 25, 28, 30) are made of these.  In kg, kg m, kg m^2 where shapes
    have no unit and amplitudes are in metres.
    """

    mass: Value
    first: Vector3
    second: Matrix3
    mode_first: tuple[Vector3, ...]
    mode_mixed: tuple[Matrix3, ...]
    mode_products: tuple[tuple[Matrix3, ...], ...]


@dataclass(frozen=True, slots=True)
class Station:
    """A place of a link that carries something: where it is undeflected [m], and what each mode does there.

    What is attached turns by theta = sum_k delta_k rotation_k, a small angle: its axes are those of 1 + skew(theta), not
    made orthogonal (Book 1983, eqs 5 to 7).
    """

    position: Vector3
    displacements: tuple[Vector3, ...]
    rotations: tuple[Vector3, ...]


@dataclass(frozen=True, slots=True)
class FlexibleLink:
    """The body of that name bends.

    ``modes`` names its coordinates.  ``stiffness`` K and ``damping`` D belong to the modal forces K delta +
    D ddelta/dt.  Joints and frames of this body are attached to its ``end``; frames that are named in ``stations``, there.
    """

    body: str
    modes: tuple[str, ...]
    integrals: ModalIntegrals
    stiffness: tuple[tuple[Value, ...], ...]
    damping: tuple[tuple[Value, ...], ...]
    end: Station
    stations: tuple[tuple[str, Station], ...] = ()

    def station(self, frame: str) -> Station | None:
        """The place of a frame that is not attached to the end, None for all others."""
        return dict(self.stations).get(frame)
