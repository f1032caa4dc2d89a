"""What can be wrong with flexible links: contradictory tables, modes without stiffness, company they cannot keep."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from kanegen.codegen.mechanism.features import Feature, require_known
from kanegen.codegen.mechanism.flexible_records import FlexibleLink, Station
from kanegen.codegen.mechanism.poses import Array, doubles
from kanegen.codegen.mechanism.records import Mechanism, Value
from kanegen.errors import ModelError, counted

_ROUNDED = 1e-9
"""Relative size of what counts as rounding in tables of a finite-element program."""


INSIDE = 0.99
"""Part of the way to the end from which on something is taken to be attached there."""

_BESIDE = 0.01
"""Distance from the line to the end, as part of its length, up to which a place is taken to be in the link."""

_PRINTED = 1e-5
"""What tables of six digits leave of eigenvalues that are zero, relative to the largest; contradictions are of order 1."""


def check_flexible(mechanism: Mechanism) -> None:
    """Raise ModelError for the first thing found wrong with the flexible links."""
    if not mechanism.flexible:
        return
    _check_company(mechanism)
    bodies = [body.name for body in mechanism.bodies]
    names = {joint.name for joint in mechanism.joints}
    seen: set[str] = set()
    for link in mechanism.flexible:
        where = f"flexible link {link.body!r}"
        if link.body not in bodies or link.body in seen:
            what = "is no body" if link.body not in bodies else "is described twice"
            raise ModelError(where, what, "each body once", "Mend its name.")
        seen.add(link.body)
        for mode in link.modes:
            if not isinstance(mode, str) or not mode or mode in names:
                raise ModelError(
                    f"{where}, mode {mode!r}",
                    "is the name of another coordinate or joint" if mode else "has no name",
                    "a name of its own",
                    "Rename it.",
                )
            names.add(mode)
        _check_stations(mechanism, link)
        _check_attachments(mechanism, link)
        _Link(mechanism, link).check()


def check_end(where: str, frame: str, links: Iterable[FlexibleLink]) -> None:
    """Raise ModelError where a frame that is to carry something is on the way to the end of a flexible link."""
    for link in links:
        if frame == link.body or frame in dict(link.stations):
            raise ModelError(
                where,
                f"the frame {frame!r} is not at the end of the flexible link {link.body!r}",
                "a frame at its end, where all that a flexible link carries is attached",
                "Give the link an appendage there, or add a frame at its end.",
            )


def _check_company(mechanism: Mechanism) -> None:
    known = {
        Feature.FLEXIBLE_LINKS,
        Feature.SPRINGS_OF_JOINTS,
        Feature.LOSSES_OF_JOINTS,
        Feature.ROTORS,
    }
    require_known(
        known,
        mechanism,
        "flexible links in a tree of revolute, prismatic and fixed joints",
        "Leave these out, or the links rigid.",
    )


def _check_stations(mechanism: Mechanism, link: FlexibleLink) -> None:
    where = f"flexible link {link.body!r}"
    for name, _ in link.stations:
        if all(frame.name != name or frame.body != link.body for frame in mechanism.frames):
            raise ModelError(
                where, f"the station {name!r} is no frame of it", "a frame of this body", "Add the frame."
            )


@dataclass(frozen=True)
class Attachment:
    """What is attached to a flexible link: its part of the way to the end, and its distance from that way, likewise."""

    where: str
    share: float
    beside: float


def attachments(mechanism: Mechanism, link: FlexibleLink) -> list[Attachment]:
    """What the end of a link carries; nothing where the end is at its beginning."""
    end = doubles(link.end.position, mechanism)
    own = {name for name, _ in link.stations} | {link.body}
    places = [(f"joint {j.name!r}", j.position) for j in mechanism.joints if j.parent == link.body]
    places += [
        (f"frame {f.name!r}", f.position)
        for f in mechanism.frames
        if f.body == link.body and f.name not in own
    ]
    found = []
    for where, position in places if end.any() else ():
        place = doubles(position, mechanism)
        share = float(place @ end / (end @ end))
        beside = float(np.linalg.norm(place - share * end) / np.linalg.norm(end))
        found.append(Attachment(where, share, beside))
    return found


def _check_attachments(mechanism: Mechanism, link: FlexibleLink) -> None:
    """What is attached rides on the end: a place on the way there is meant to be one along the link."""
    for found in attachments(mechanism, link):
        if 0 <= found.share < INSIDE and found.beside < _BESIDE:
            raise ModelError(
                found.where,
                f"is attached to flexible link {link.body!r} at {found.share:.6g} of the way to its end, which carries it",
                "the end of the link, or beyond",
                "Put masses along a link and at its hub among its appendages, and frames among its stations; what "
                "reaches back from the end hangs on a body that is fixed there, and what rides on the hub needs a hub that "
                "is a body of its own.",
            )


class _Link:
    """A link's tables in doubles."""

    def __init__(self, mechanism: Mechanism, link: FlexibleLink) -> None:
        self.mechanism, self.link, self.where = mechanism, link, f"flexible link {link.body!r}"
        self.count = len(link.modes)

    def check(self) -> None:
        """Raise ModelError."""
        link, m, count = self.link, self.link.integrals, self.count
        for what, length in (
            ("first", len(m.mode_first)),
            ("mixed", len(m.mode_mixed)),
            ("products", len(m.mode_products)),
        ):
            if length != count:
                raise ModelError(
                    f"{self.where}, {what}",
                    f"has {counted(length, 'entry', 'entries')}",
                    f"{count}, one for each mode",
                    "Give as many.",
                )
        for name, station in (("end", link.end), *link.stations):
            self._check_station(name, station)
        self._check_integrals()
        K = self._symmetric("stiffness", link.stiffness)
        weights = 1 / np.sqrt(np.maximum(np.diag(K), 1e-300))
        if (np.diag(K) <= 0).any() or np.linalg.eigvalsh(K * np.outer(weights, weights))[0] <= 1e-13:
            raise ModelError(
                f"{self.where}, stiffness",
                f"resists not every deflection: its diagonal is {self._shown(np.diag(K))}",
                "a positive definite matrix",
                "Give EI_z for bending in y, EI_y for bending in z and GJ for twist, or leave the mode out.",
            )
        D = self._symmetric("damping", link.damping)
        size = float(np.abs(D).max())
        if size and np.linalg.eigvalsh(D)[0] < -_ROUNDED * size:
            raise ModelError(
                f"{self.where}, damping", "feeds energy in", "a matrix that takes none", "Mend its entries."
            )

    def _check_station(self, name: str, station: Station) -> None:
        for what, values in (("displacements", station.displacements), ("rotations", station.rotations)):
            if len(values) != self.count:
                raise ModelError(
                    f"{self.where}, {name}, {what}",
                    f"has {counted(len(values), 'entry', 'entries')}",
                    f"{self.count}, one for each mode",
                    "Give as many.",
                )

    def _check_integrals(self) -> None:
        """The integrals belong together where they are those of some distribution of mass.

        Then the matrix of the products of 1, x, y, z and all components of the shapes, weighed by mass, has no negative
        eigenvalue, and that of the shapes alone none that is zero.
        """
        m, count = self.link.integrals, self.count
        size = 4 + 3 * count
        gram = np.zeros((size, size))
        gram[0, 0] = self._array(m.mass)
        gram[0, 1:4] = self._array(m.first)
        gram[1:4, 1:4] = self._array(m.second)
        for k in range(count):
            at = slice(4 + 3 * k, 7 + 3 * k)
            gram[0, at] = self._array(m.mode_first[k])
            gram[1:4, at] = self._array(m.mode_mixed[k])
            if len(m.mode_products[k]) != count:
                raise ModelError(
                    f"{self.where}, products of mode {self.link.modes[k]!r}",
                    f"has {counted(len(m.mode_products[k]), 'entry', 'entries')}",
                    f"{count}, one for each mode",
                    "Give as many.",
                )
            for n in range(count):
                gram[at, 4 + 3 * n : 7 + 3 * n] = self._array(m.mode_products[k][n])
        largest = float(np.abs(gram[4:, 4:]).max())
        if np.abs(gram[4:, 4:] - gram[4:, 4:].T).max() > _ROUNDED * largest:
            raise ModelError(
                f"{self.where}, products",
                "are not those of shapes: phi_k phi_l^T is not the transpose of phi_l phi_k^T",
                "integrals of phi_k phi_l^T dm for every pair of modes",
                "Mend the table.",
            )
        gram = np.triu(gram) + np.triu(gram, 1).T
        if gram[0, 0] <= 0:
            raise ModelError(f"{self.where}, mass", f"is {gram[0, 0]!r}", "more than 0", "Give its mass.")
        norms = np.sqrt(np.abs(np.diag(gram)))
        weights = np.where(norms > 0, 1 / np.where(norms > 0, norms, 1), 0)
        scaled = gram * np.outer(weights, weights)
        unlike = scaled[norms == 0].size and np.abs(gram[norms == 0]).max() > _ROUNDED * largest
        if unlike or np.linalg.eigvalsh(scaled)[0] < -_PRINTED:
            raise ModelError(
                f"{self.where}, integrals",
                "contradict one another: no distribution of mass has them",
                "integrals over the same mass, in the frame of the link's near end",
                "Check units, signs, and that all of them are taken from that frame.",
            )
        modal = np.zeros((count, count))
        for k in range(count):
            for n in range(count):
                modal[k, n] = np.trace(gram[4 + 3 * k : 7 + 3 * k, 4 + 3 * n : 7 + 3 * n])
        diagonal = np.sqrt(np.maximum(np.diag(modal), 0))
        for k, value in enumerate(diagonal):
            if not value > 0:
                raise ModelError(
                    f"{self.where}, mode {self.link.modes[k]!r}",
                    "moves no mass",
                    "a mode with inertia",
                    "Give section_y and section_z for twist, or an appendage with inertia; or leave the mode out.",
                )
        if np.linalg.eigvalsh(modal / np.outer(diagonal, diagonal))[0] < 1e-12:
            raise ModelError(
                f"{self.where}, modes",
                "are not independent, or so nearly dependent that doubles cannot tell them apart",
                "shapes of which none follows from the others",
                "Leave one of them out; in place of many powers of s take beam functions, or orthogonal polynomials.",
            )

    def _symmetric(self, what: str, rows: Sequence[Sequence[Value]]) -> Array:
        if len(rows) != self.count or any(len(row) != self.count for row in rows):
            raise ModelError(
                f"{self.where}, {what}",
                "is not square",
                f"{counted(self.count, 'row')} of {self.count}",
                "Give as many.",
            )
        found = self._array(rows)
        if np.abs(found - found.T).max() > _ROUNDED * np.abs(found).max():
            raise ModelError(
                f"{self.where}, {what}", "is not symmetric", "a symmetric matrix", "Mend its entries."
            )
        return found

    def _array(self, values: Any) -> Array:
        try:
            return doubles(values, self.mechanism)
        except OverflowError:
            raise ModelError(
                self.where, "has integrals beyond 1e308", "SI units", "Check the units."
            ) from None

    @staticmethod
    def _shown(values: Array) -> str:
        return ", ".join(f"{x:.6g}" for x in values)
