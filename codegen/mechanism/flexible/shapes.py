"""Functions along a link over s = distance / length in [0, 1]: shapes of assumed modes, stiffness and mass per length."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from operator import index
from typing import Any

import mpmath

from kanegen.codegen.mechanism.values import Scalar, to_value
from kanegen.errors import ModelError

DIGITS = 40
"""Decimal digits in which functions that are no polynomials are evaluated."""


@dataclass(frozen=True, slots=True)
class Polynomial:
    """c0 + c1 s + c2 s^2 + ..., with exact coefficients: a sequence of numbers as people write them, or one number.

    Raises ModelError for what is no number.
    """

    coefficients: tuple[Fraction, ...]

    def __post_init__(self) -> None:
        """Make the coefficients exact."""
        given: Any = self.coefficients
        if isinstance(given, tuple) and all(type(c) is Fraction for c in given):
            return
        several = isinstance(given, Iterable) and not isinstance(given, str)
        object.__setattr__(self, "coefficients", self._exact(given if several else (given,)))

    @classmethod
    def of(cls, *coefficients: Scalar) -> Polynomial:
        """From numbers as people write them.  Raises ModelError for what is none."""
        return cls(cls._exact(coefficients))

    @staticmethod
    def _exact(coefficients: Iterable[Scalar]) -> tuple[Fraction, ...]:
        read = []
        for number in coefficients:
            try:
                value = to_value(number)
            except ValueError as error:
                raise ModelError("polynomial", str(error), "numbers", "Give c0, c1, c2, ...") from None
            if not isinstance(value, Fraction):
                raise ModelError(
                    "polynomial",
                    "a coefficient is an expression in parameters",
                    "numbers",
                    "A parameter may be the whole value; coefficients are numbers.",
                )
            read.append(value)
        return tuple(read)

    def at(self, s: Fraction) -> Fraction:
        """Its value."""
        value = Fraction(0)
        for c in reversed(self.coefficients):
            value = value * s + c
        return value

    def derived(self) -> Polynomial:
        """Its derivative by s."""
        return Polynomial(tuple(k * c for k, c in enumerate(self.coefficients))[1:])

    def times(self, other: Polynomial) -> Polynomial:
        """The product."""
        found = [Fraction(0)] * max(0, len(self.coefficients) + len(other.coefficients) - 1)
        for i, x in enumerate(self.coefficients):
            for j, y in enumerate(other.coefficients):
                found[i + j] += x * y
        return Polynomial(tuple(found))

    def integral(self) -> Fraction:
        """From 0 to 1."""
        return sum((c / (k + 1) for k, c in enumerate(self.coefficients)), Fraction(0))


def _digits(wave: mpmath.mpf) -> int:
    """Decimal digits to compute with: cosh and sinh are exp(wave) times as large as their difference that is wanted."""
    return DIGITS + 20 + int(wave / 2)


@dataclass(frozen=True, slots=True)
class Waves:
    """a cosh(k s) + b cos(k s) + c sinh(k s) + d sin(k s) + e s + f: what beams and rods vibrate in.

    ``wave`` is k, ``terms`` are a to f, all of DIGITS digits.
    """

    wave: mpmath.mpf
    terms: tuple[mpmath.mpf, ...]

    def at(self, s: Fraction | mpmath.mpf) -> mpmath.mpf:
        """Its value."""
        with mpmath.workdps(_digits(self.wave)):
            x = mpmath.mpf(s.numerator) / s.denominator if isinstance(s, Fraction) else s
            a, b, c, d, e, f = self.terms
            y = self.wave * x
            waves = a * mpmath.cosh(y) + b * mpmath.cos(y) + c * mpmath.sinh(y) + d * mpmath.sin(y)
            return waves + e * x + f

    def derived(self) -> Waves:
        """Its derivative by s."""
        with mpmath.workdps(_digits(self.wave)):
            a, b, c, d, e, _ = self.terms
            k = self.wave
            return Waves(k, (c * k, d * k, a * k, -b * k, mpmath.mpf(0), e))

    def scaled(self, factor: mpmath.mpf) -> Waves:
        """All of it times a number."""
        with mpmath.workdps(_digits(self.wave)):
            return Waves(self.wave, tuple(x * factor for x in self.terms))


_HIGHEST = 100
"""Number up to which integrals of natural modes keep their digits."""


@dataclass(frozen=True, slots=True)
class BeamFunction:
    """A natural mode of a uniform Bernoulli beam, for bending; ``number`` counts from 1.

    ``support`` is "clamped-free", scaled to 1 at the far end, "clamped-pinned", scaled to a mean square of 1, or
    "pinned-pinned" or "pinned-free", to waves of amplitude 1.  Functions of a beam that is pinned at its near end turn
    there; they are taken relative to the tangent at that end, so that the joint's coordinate stays the angle of its hub,
    and the far end moves by several times that amplitude.  ``number`` goes up to 100: integrals of higher functions lose
    digits.
    """

    support: str
    number: int

    SUPPORTS = ("clamped-free", "clamped-pinned", "pinned-pinned", "pinned-free")


@dataclass(frozen=True, slots=True)
class RodFunction:
    """A natural mode of a uniform rod that is held at its near end, for torsion: sin((number - 1/2) pi s)."""

    number: int


Shape = Polynomial | BeamFunction | RodFunction
"""What the modes of a link may be."""

Function = Polynomial | Waves | Callable[[float], float]
"""What may be integrated along a link."""


def function_of(where: str, shape: Shape | Iterable[Scalar]) -> Polynomial | Waves:
    """The function of a shape; an iterable of numbers is a polynomial's coefficients.  Raises ModelError."""
    if isinstance(shape, Polynomial):
        return shape
    if isinstance(shape, BeamFunction | RodFunction):
        try:
            number = 0 if isinstance(shape.number, bool) else index(shape.number)
        except TypeError:
            number = 0
        if number < 1:
            raise ModelError(
                where, f"has number {shape.number!r}", "1, 2, 3, ...", "Count modes from 1, the lowest."
            )
        if number > _HIGHEST:
            raise ModelError(
                where,
                f"has number {number}",
                f"at most {_HIGHEST}",
                "Take lower functions: slender beams do not vibrate like this.",
            )
        if isinstance(shape, RodFunction):
            return _rod(number)
        if shape.support not in BeamFunction.SUPPORTS:
            known = ", ".join(BeamFunction.SUPPORTS)
            raise ModelError(where, f"has support {shape.support!r}", f"one of {known}", "Give one of these.")
        return _beam(shape.support, number)
    if isinstance(shape, Iterable) and not isinstance(shape, str):
        try:
            return Polynomial.of(*shape)
        except ModelError as error:
            raise ModelError(where, error.what, error.expected, error.cure) from None
    raise ModelError(
        where,
        f"{shape!r} is no shape",
        "Polynomial, BeamFunction, RodFunction, or a polynomial's coefficients",
        "Give one of these.",
    )


@cache
def _rod(number: int) -> Waves:
    with mpmath.workdps(DIGITS + 20):
        zero = mpmath.mpf(0)
        return Waves((2 * number - 1) * mpmath.pi / 2, (zero, zero, zero, mpmath.mpf(1), zero, zero))


@cache
def _beam(support: str, number: int) -> Waves:
    """Solutions of y'''' = b^4 y with the ends' conditions, and the tangent at a pinned near end taken off."""
    with mpmath.workdps(_digits(mpmath.pi * (number + 1))):
        zero, one = mpmath.mpf(0), mpmath.mpf(1)
        if support == "pinned-pinned":
            b = number * mpmath.pi
            return Waves(b, (zero, zero, zero, one, -b, zero))
        if support == "clamped-free":
            b = _root(lambda x: mpmath.cos(x) + 1 / mpmath.cosh(x), (number - one / 2) * mpmath.pi)
            ratio = (mpmath.cosh(b) + mpmath.cos(b)) / (mpmath.sinh(b) + mpmath.sin(b))
            found = Waves(b, (one, -one, -ratio, ratio, zero, zero))
            return found.scaled(1 / found.at(one))
        b = _root(lambda x: mpmath.sin(x) - mpmath.cos(x) * mpmath.tanh(x), (number + one / 4) * mpmath.pi)
        if support == "clamped-pinned":
            ratio = (mpmath.cosh(b) - mpmath.cos(b)) / (mpmath.sinh(b) - mpmath.sin(b))
            return Waves(b, (one, -one, -ratio, ratio, zero, zero))
        share = mpmath.sin(b) / mpmath.sinh(b)
        return Waves(b, (zero, zero, share, one, -b * (share + 1), zero))


def _root(of: Callable[[mpmath.mpf], mpmath.mpf], near: mpmath.mpf) -> mpmath.mpf:
    return mpmath.findroot(of, near)


@dataclass(frozen=True)
class Mode:
    """An assumed mode: deflections y and z of the neutral axis, and ``twist`` about it, as functions of s = x / length.

    Deflections are per unit of the amplitude: with shapes that are 1 at the end, the amplitude is the deflection there [m].
    ``twist`` is an angle [rad/m].  Bending turns the sections by theta_z = dy/dx and theta_y = -dz/dx.  Shapes may also be
    given as the coefficients of a polynomial.
    """

    name: str
    y: Shape | Iterable[Scalar] = ()
    z: Shape | Iterable[Scalar] = ()
    twist: Shape | Iterable[Scalar] = ()


NOTHING = Polynomial(())
"""The function that is zero."""


@dataclass(frozen=True)
class Curve:
    """A mode's deflections, slopes and curvatures, by s; the slopes and curvatures are still to be divided by the length."""

    y: Polynomial | Waves
    z: Polynomial | Waves
    twist: Polynomial | Waves

    @property
    def deflection(self) -> tuple[Function, Function, Function]:
        """Of the neutral axis."""
        return NOTHING, self.y, self.z

    @property
    def slopes(self) -> tuple[Polynomial | Waves, Polynomial | Waves, Polynomial | Waves]:
        """theta_x, and -theta_y and theta_z times the length."""
        return self.twist, self.z.derived(), self.y.derived()

    @property
    def strains(self) -> tuple[Function, Function, Function]:
        """Derivatives of the slopes by s."""
        x, y, z = (slope.derived() for slope in self.slopes)
        return x, y, z


def curve_of(link: str, mode: Mode) -> Curve:
    """The functions of a mode of a link that is clamped at its near end.  Raises ModelError."""
    where = f"{link}, mode {mode.name!r}"
    y, z, twist = (
        function_of(f"{where}, {name}", shape)
        for name, shape in (("y", mode.y), ("z", mode.z), ("twist", mode.twist))
    )
    curve = Curve(y, z, twist)
    if all(isinstance(f, Polynomial) and not any(f.coefficients) for f in (y, z, twist)):
        raise ModelError(where, "is zero everywhere", "a shape in y, z or twist", "Give it a shape.")
    for name, shape in (("y", mode.y), ("z", mode.z)):
        if isinstance(shape, RodFunction):
            raise ModelError(
                f"{where}, {name}",
                "is the function of a rod in torsion, which would have a kink at the joint",
                "a shape that bends",
                "Use a BeamFunction or a polynomial from s^2 on.",
            )
    if isinstance(mode.twist, BeamFunction):
        raise ModelError(
            f"{where}, twist", "is the function of a beam in bending", "a rod's", "Use a RodFunction."
        )
    for name, f in (("y", y), ("z", z), ("twist", twist)):
        _clamped(f"{where}, {name}", f, "is not zero at the joint")
    for name, f in (("y", y), ("z", z)):
        _clamped(
            f"{where}, d{name}/dx",
            f.derived(),
            "is not zero at the joint, where the link would turn in its hub",
        )
    return curve


def _clamped(where: str, f: Polynomial | Waves, what: str) -> None:
    at_joint = f.at(Fraction(0))
    if abs(float(at_joint)) > 1e-30:
        raise ModelError(
            where,
            f"{what}: {float(at_joint):.6g}",
            "0: the joint's coordinate already moves the near end",
            "Take the rigid motion off the shape, as f(s) - f(0) - s f'(0).",
        )
