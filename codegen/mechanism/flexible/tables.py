"""Flexible links from numbers: modal integrals and shapes at stations, as a finite-element program gives them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from kanegen.codegen.mechanism.flexible.appendages import MassMoments
from kanegen.codegen.mechanism.flexible.beam import read_square
from kanegen.codegen.mechanism.flexible.matrices import symmetrised_products
from kanegen.codegen.mechanism.flexible_records import FlexibleLink, ModalIntegrals, Station
from kanegen.codegen.mechanism.readers import inertia_tensor, read_value, read_vector
from kanegen.codegen.mechanism.records import Inertia, Matrix3
from kanegen.codegen.mechanism.values import Scalar
from kanegen.codegen.mechanism.vectors import matrix
from kanegen.errors import ModelError, counted

Numbers = Sequence[Scalar]


@dataclass(frozen=True)
class StationTable:
    """A place of the link [m] where something is attached, with displacement and rotation of every mode there."""

    position: Numbers
    displacements: Sequence[Numbers]
    rotations: Sequence[Numbers]


@dataclass(frozen=True)
class LinkTable:
    """A flexible link of any form by its modal integrals, in the frame of its near end, which no mode moves.

    ``mass`` [kg], ``center`` [m] and central ``inertia`` [kg m^2] of the undeflected link, as in MechanismBuilder.body; for
    every mode ``first`` = integral of phi dm (3) and ``mixed`` = integral of x phi^T dm (3, 3); for every pair of modes
    ``products`` = integral of phi_k phi_l^T dm (3, 3); the ``stiffness`` of the modes, and their ``damping``.  ``end`` is
    where joints and frames are attached, ``stations`` are the places of frames by name.  ``moments``, the integrals of
    x dm (3) and x x^T dm (3, 3), may stand in place of ``center`` and ``inertia``.
    """

    modes: Sequence[str]
    mass: Scalar
    center: Numbers
    inertia: Iterable[Scalar] | Iterable[Iterable[Scalar]]
    first: Sequence[Numbers]
    mixed: Sequence[Sequence[Numbers]]
    products: Sequence[Sequence[Sequence[Numbers]]]
    stiffness: Sequence[Numbers]
    end: StationTable
    damping: Sequence[Numbers] | None = None
    stations: Mapping[str, StationTable] = field(default_factory=dict)
    moments: tuple[Numbers, Sequence[Numbers]] | None = None

    def link(self, body: str) -> FlexibleLink:
        """The records of the flexible link that is this body.  Raises ModelError."""
        where = f"flexible link {body!r}"
        if isinstance(self.modes, str) or not isinstance(self.modes, Sequence):
            raise ModelError(f"{where}, modes", f"is {self.modes!r}", "a list of names", "Give a list.")
        if not isinstance(self.stations, Mapping):
            what = f"is {self.stations!r}"
            raise ModelError(
                f"{where}, stations", what, "StationTables by the names of frames", "Give a mapping."
            )
        count = len(self.modes)
        if not count:
            raise ModelError(where, "has no modes", "at least one", "Leave it rigid, or give it modes.")
        rigid = self._rigid(where)
        _counted(f"{where}, first", self.first, count)
        _counted(f"{where}, mixed", self.mixed, count)
        _counted(f"{where}, products", self.products, count)
        for k, row in enumerate(self.products):
            _counted(f"{where}, products of mode {self.modes[k]!r}", row, count)
        stiffness = read_square(f"{where}, stiffness", self.stiffness, count)
        damping = [[0] * count] * count if self.damping is None else self.damping
        return FlexibleLink(
            body,
            tuple(self.modes),
            ModalIntegrals(
                rigid.mass,
                rigid.first,
                rigid.second,
                tuple(read_vector(f"{where}, first", x) for x in self.first),
                tuple(_rows(f"{where}, mixed", x) for x in self.mixed),
                symmetrised_products(
                    [[_rows(f"{where}, products", x) for x in row] for row in self.products]
                ),
            ),
            stiffness,
            read_square(f"{where}, damping", damping, count),
            _station(f"{where}, end", self.end, count),
            tuple(
                (name, _station(f"{where}, frame {name!r}", x, count)) for name, x in self.stations.items()
            ),
        )

    def _rigid(self, where: str) -> MassMoments:
        """The moments of the undeflected link."""
        mass = read_value(f"{where}, mass", self.mass)
        if self.moments is not None:
            first, second = self.moments
            return MassMoments(
                mass, read_vector(f"{where}, moments", first), _rows(f"{where}, moments", second)
            )
        center = read_vector(f"{where}, mass centre", self.center)
        return MassMoments.of(Inertia(mass, center, inertia_tensor(f"{where}, inertia", self.inertia)))


def _counted(where: str, entries: Sequence[object], count: int) -> None:
    if not isinstance(entries, Sequence | np.ndarray) or isinstance(entries, str):
        raise ModelError(
            where,
            f"is {entries!r}",
            f"{counted(count, 'entry', 'entries')}, one for each mode",
            "Give a list.",
        )
    if len(entries) != count:
        raise ModelError(
            where,
            f"has {counted(len(entries), 'entry', 'entries')}",
            f"{count}, one for each mode",
            "Give as many.",
        )


def _rows(where: str, rows: Sequence[Numbers]) -> Matrix3:
    if not isinstance(rows, Sequence | np.ndarray) or isinstance(rows, str):
        raise ModelError(where, f"is {rows!r}", "3 rows of 3", "Give a list of rows.")
    if len(rows) != 3:
        raise ModelError(where, f"has {counted(len(rows), 'row')}", "3 rows of 3", "Give as many.")
    return matrix(read_vector(where, row) for row in rows)


def _station(where: str, table: StationTable, count: int) -> Station:
    if not isinstance(table, StationTable):
        raise ModelError(
            where,
            f"is {table!r}",
            "a StationTable",
            "Give position, displacements and rotations of every mode.",
        )
    _counted(f"{where}, displacements", table.displacements, count)
    _counted(f"{where}, rotations", table.rotations, count)
    return Station(
        read_vector(f"{where}, position", table.position),
        tuple(read_vector(f"{where}, displacements", x) for x in table.displacements),
        tuple(read_vector(f"{where}, rotations", x) for x in table.rotations),
    )
