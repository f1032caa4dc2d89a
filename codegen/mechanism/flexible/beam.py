"""Slender beams: from mass and stiffness per length, and the shapes of modes, to the records of a flexible link."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from kanegen.codegen.graph import Expression, Graph, Kind
from kanegen.codegen.graph import linear as vec
from kanegen.codegen.mechanism.flexible.appendages import (
    Appendage,
    MassMoments,
    carrying,
    symmetric,
)
from kanegen.codegen.mechanism.flexible.matrices import symmetrised
from kanegen.codegen.mechanism.flexible.quadrature import check_nowhere_negative, integral, number
from kanegen.codegen.mechanism.flexible.shapes import (
    NOTHING,
    Curve,
    Function,
    Mode,
    Polynomial,
    Waves,
    curve_of,
)
from kanegen.codegen.mechanism.flexible_records import FlexibleLink, ModalIntegrals, Station
from kanegen.codegen.mechanism.readers import inertia_tensor, read_list, read_value, read_vector
from kanegen.codegen.mechanism.records import Inertia, Matrix3, Parameter, Value, Vector3
from kanegen.codegen.mechanism.validation.inertias import check_physical
from kanegen.codegen.mechanism.values import Lift, Scalar, plain
from kanegen.codegen.mechanism.vectors import matrix, vector
from kanegen.errors import ModelError, counted
from kanegen.limits import LARGEST_NUMBER


def share_of(x: Value, length: Value) -> Value:
    """x / length, as a number where it is one whatever the parameters are: l / 2 is half of l.

    What it is for some values of the parameters is the number, if x less that part of the length vanishes identically.
    """
    share = plain(x / length)
    if not (isinstance(x, Expression) and isinstance(length, Expression) and x.graph is length.graph):
        return share
    graph = x.graph
    reached = graph.reachable([x.ref, length.ref])
    names = sorted({graph.payloads[i][0] for i in reached if graph.kinds[i] is Kind.PARAMETER})
    some = [Parameter(name, Fraction(3 * k + 5, 7), "", "") for k, name in enumerate(names)]
    numbers = Lift(Graph(), some)
    whole = numbers(length).value
    if whole == 0:
        return share
    guess = numbers(x).value / whole
    return guess if plain(x - guess * length) == 0 else share


PerLength = Scalar | Polynomial | Callable[[float], float]
"""Something per length: one number (or an expression in parameters), or a function of s = distance / length."""


@dataclass(frozen=True)
class Beam:
    """A slender beam along x of its body's frame, clamped at x = 0 into the hub that its joint moves.

    ``length`` [m], ``mass_per_length`` [kg/m]; stiffness against bending in y (``EI_z``) and in z (``EI_y``) [N m^2], and
    against twist (``GJ``) [N m^2].  ``section_y`` and ``section_z`` [kg m] are the integrals of y^2 and z^2 over the mass of
    a section per length: rotary inertia, which slender beams leave out but in twist.  ``stiffness`` gives the matrix of
    the modes directly, in place of EI and GJ.  ``damping_time`` [s] is that of a material that damps with its rate of strain
    (Kelvin and Voigt): damping = damping_time * stiffness; ``damping`` gives that matrix directly.
    """

    length: Scalar
    mass_per_length: PerLength
    modes: Sequence[Mode]
    EI_y: PerLength = 0
    EI_z: PerLength = 0
    GJ: PerLength = 0
    section_y: PerLength = 0
    section_z: PerLength = 0
    stiffness: Sequence[Sequence[Scalar]] | None = None
    damping_time: Scalar = 0
    damping: Sequence[Sequence[Scalar]] | None = None
    appendages: Sequence[Appendage] = field(default_factory=tuple)

    def link(self, body: str, stations: Iterable[tuple[str, Scalar]] = ()) -> FlexibleLink:
        """The records of the flexible link that is this body; ``stations`` are frames at distances [m] along it.

        Raises ModelError.
        """
        return _Reading(body, self).link(stations)


class _Reading:
    """A beam as it is read; errors name what they are about."""

    def __init__(self, body: str, beam: Beam) -> None:
        self.where, self.body, self.beam = f"flexible link {body!r}", body, beam
        self.length = self._positive("length", read_value(f"{self.where}, length", beam.length))
        if isinstance(self.length, Fraction) and self.length**4 * LARGEST_NUMBER.value < 1:
            raise ModelError(
                f"{self.where}, length",
                f"is {float(self.length)!r} m",
                f"a length whose fourth power, by which stiffness is divided, is above 1/{LARGEST_NUMBER.value:.0e}",
                "Check its unit.",
            )
        self.modes = read_list(f"{self.where}, modes", beam.modes, Mode)
        self.appendages = read_list(f"{self.where}, appendages", beam.appendages, Appendage)
        if not self.modes:
            raise ModelError(self.where, "has no modes", "at least one", "Leave it rigid, or give it modes.")
        self.curves = [curve_of(self.where, mode) for mode in self.modes]
        self.mass = self._per_length("mass per length", beam.mass_per_length)
        self.sections = (
            self._per_length("section_y", beam.section_y),
            self._per_length("section_z", beam.section_z),
        )

    def link(self, stations: Iterable[tuple[str, Scalar]]) -> FlexibleLink:
        beam, count = self.beam, len(self.curves)
        integrals = self._integrals()
        for appendage in self.appendages:
            integrals = carrying(integrals, self.station("appendage", appendage.at), self._rigid(appendage))
        stiffness = self._stiffness()
        if beam.damping is not None:
            damping = self._square("damping", beam.damping)
        else:
            time = read_value(f"{self.where}, damping time", beam.damping_time)
            damping = tuple(tuple(plain(time * k) for k in row) for row in stiffness)
        assert count == len(stiffness)
        return FlexibleLink(
            self.body,
            tuple(mode.name for mode in self.modes),
            integrals,
            stiffness,
            damping,
            self._station_at(Fraction(1), (self.length, Fraction(0), Fraction(0))),
            tuple((frame, self.station(f"frame {frame!r}", at)) for frame, at in stations),
        )

    # -- reading -----------------------------------------------------------------------------------------------------

    def _positive(self, what: str, value: Value) -> Value:
        if isinstance(value, Fraction) and value <= 0:
            raise ModelError(f"{self.where}, {what}", f"is {float(value)!r}", "more than 0", "Mend it.")
        return value

    def _per_length(self, what: str, given: PerLength) -> tuple[Value, Function]:
        """A value times a function of s."""
        where = f"{self.where}, {what}"
        one = Polynomial((Fraction(1),))
        if isinstance(given, Polynomial) or (callable(given) and not isinstance(given, Expression)):
            check_nowhere_negative(where, given)
            return Fraction(1), given
        value = read_value(where, given)
        if isinstance(value, Fraction) and value < 0:
            raise ModelError(where, f"is {float(value)!r}", "at least 0", "Mend its sign.")
        return value, one

    def _square(self, what: str, rows: Sequence[Sequence[Scalar]]) -> tuple[tuple[Value, ...], ...]:
        count = len(self.curves)
        return read_square(f"{self.where}, {what}", rows, count)

    def _rigid(self, appendage: Appendage) -> MassMoments:
        where = f"{self.where}, appendage"
        mass = read_value(f"{where}, mass", appendage.mass)
        if isinstance(mass, Fraction) and mass < 0:
            raise ModelError(f"{where}, mass", f"is {float(mass)!r}", "at least 0", "Mend its sign.")
        tensor = inertia_tensor(f"{where}, inertia", appendage.inertia)
        numbers = tuple(tuple(x for x in row if isinstance(x, Fraction)) for row in tensor)
        if isinstance(mass, Fraction) and all(len(row) == 3 for row in numbers):
            check_physical(where, mass, numbers, "Check units, signs and the order of the entries.")
            if mass == 0 and any(any(row) for row in numbers):
                raise ModelError(
                    f"{where}, inertia",
                    "is given, and there is no mass to have it",
                    "a mass, or no moments",
                    "Give its mass.",
                )
        return MassMoments.of(Inertia(mass, read_vector(f"{where}, mass centre", appendage.center), tensor))

    # -- integrals ---------------------------------------------------------------------------------------------------

    def _integrals(self) -> ModalIntegrals:
        zero, s = Fraction(0), Polynomial((Fraction(0), Fraction(1)))
        m, (jy, jz), length = self.mass, self.sections, self.length
        mass = self._over(m)
        along = self._over(m, s) * length
        second = (
            (self._over(m, s, s) * length * length, zero, zero),
            (zero, self._over(jy), zero),
            (zero, zero, self._over(jz)),
        )
        mode_first, mode_mixed = [], []
        products: list[tuple[Matrix3, ...]] = []
        for k, curve in enumerate(self.curves):
            mode_first.append(vector(self._over(m, f) for f in curve.deflection))
            x, z_slope, y_slope = curve.slopes
            row = [self._over(m, s, f) * length for f in curve.deflection]
            # y (theta x (0, y, z))^T over a section, and likewise z
            by_y = [-self._over(jy, y_slope) / length, zero, self._over(jy, x)]
            by_z = [-self._over(jz, z_slope) / length, -self._over(jz, x), zero]
            mode_mixed.append(matrix((row, by_y, by_z)))
            mirrored = [matrix(vec.transpose(earlier[k])) for earlier in products]
            ahead = [matrix(self._product(curve, other)) for other in self.curves[k:]]
            products.append((*mirrored, symmetric(ahead[0]), *ahead[1:]))
        return ModalIntegrals(
            plain(mass),
            vector((along, zero, zero)),
            matrix(second),
            tuple(mode_first),
            tuple(mode_mixed),
            tuple(products),
        )

    def _product(self, one: Curve, other: Curve) -> list[list[Value]]:
        """phi phi'^T over the beam: of the neutral axis, and of what sections add as they turn."""
        found: list[list[Value]] = [
            [self._over(self.mass, f, g) for g in other.deflection] for f in one.deflection
        ]
        jy, jz = self.sections
        for across, column in ((jy, 0), (jz, 1)):
            ways, others = self._turning(one, column), self._turning(other, column)
            for i, (f, p) in enumerate(ways):
                for j, (g, r) in enumerate(others):
                    found[i][j] = found[i][j] + self._over(across, f, g) * p * r
        return found

    def _turning(self, curve: Curve, column: int) -> list[tuple[Function, Value]]:
        """theta x e_y or theta x e_z, each entry as a function and a factor: theta = (twist, -dz/dx, dy/dx)."""
        zero, one, per_length = Fraction(0), Fraction(1), 1 / self.length
        twist, z_slope, y_slope = curve.slopes
        if column == 0:
            return [(y_slope, -per_length), (NOTHING, zero), (twist, one)]
        return [(z_slope, -per_length), (twist, -one), (NOTHING, zero)]

    def _over(self, what: tuple[Value, Function], *factors: Function) -> Value:
        """The integral along the link of something per length times functions of s."""
        value, function = what
        if value == 0 or any(isinstance(f, Polynomial) and not any(f.coefficients) for f in factors):
            return Fraction(0)
        return value * integral(self.where, function, *factors) * self.length

    def _stiffness(self) -> tuple[tuple[Value, ...], ...]:
        """Book 1983, eqs 42 to 45."""
        beam = self.beam
        if beam.stiffness is not None:
            return self._square("stiffness", beam.stiffness)
        GJ, EI_y, EI_z = (
            self._per_length(name, given)
            for name, given in (("GJ", beam.GJ), ("EI_y", beam.EI_y), ("EI_z", beam.EI_z))
        )
        squared = self.length * self.length
        rows: list[tuple[Value, ...]] = []
        for k, one in enumerate(self.curves):
            row = [earlier[k] for earlier in rows]
            for other in self.curves[k:]:
                x, y, z = (
                    self._over(what, f, g)
                    for what, f, g in zip((GJ, EI_y, EI_z), one.strains, other.strains, strict=True)
                )
                row.append(plain(x / squared + (y + z) / (squared * squared)))
            rows.append(tuple(row))
        return tuple(rows)

    # -- stations ----------------------------------------------------------------------------------------------------

    def station(self, what: str, at: Scalar) -> Station:
        """The place at a distance [m] from the near end."""
        where = f"{self.where}, {what}"
        x = read_value(where, at)
        share = share_of(x, self.length)
        if isinstance(share, Expression):
            raise ModelError(
                where,
                "its distance is no constant part of the length",
                "two numbers, or a distance that is a part of a length that is a parameter, such as l / 2",
                "Use numbers for both, or parameters for both.",
            )
        if not 0 <= share <= 1:
            raise ModelError(
                where, f"is at {float(share):.6g} of the length", "between 0 and 1", "Mend its distance."
            )
        return self._station_at(share, (x, Fraction(0), Fraction(0)))

    def _station_at(self, s: Fraction, position: Vector3) -> Station:
        shifts, turns = [], []
        for curve in self.curves:
            shifts.append(vector((Fraction(0), _value(curve.y, s), _value(curve.z, s))))
            x, z_slope, y_slope = (_value(f, s) for f in curve.slopes)
            turns.append(vector((x, -z_slope / self.length, y_slope / self.length)))
        return Station(position, tuple(shifts), tuple(turns))


def _value(f: Polynomial | Waves, s: Fraction) -> Fraction:
    found = f.at(s)
    return found if isinstance(found, Fraction) else number(found)


def read_square(where: str, rows: Sequence[Sequence[Scalar]], count: int) -> tuple[tuple[Value, ...], ...]:
    """A square matrix of that many rows, symmetric where it is so but for rounding.  Raises ModelError."""
    if not isinstance(rows, Iterable) or not all(isinstance(row, Iterable) for row in rows):
        raise ModelError(
            where,
            f"is {rows!r}",
            f"{counted(count, 'row')} of {counted(count, 'number')}",
            "Give a list of rows.",
        )
    found = tuple(tuple(read_value(where, x) for x in row) for row in rows)
    if len(found) != count or any(len(row) != count for row in found):
        raise ModelError(
            where,
            f"has {counted(len(found), 'row')} of {', '.join(str(len(row)) for row in found) or 'nothing'}",
            f"{counted(count, 'row')} of {count}: one for each mode",
            "Give as many.",
        )
    return symmetrised(found)
