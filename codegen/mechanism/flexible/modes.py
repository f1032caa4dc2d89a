"""Assumed modes of a beam: what a user gives, and the functions that follow."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from kanegen.codegen.mechanism.flexible.shapes import (
    BeamFunction,
    Function,
    Polynomial,
    RodFunction,
    Shape,
    Waves,
    function_of,
)
from kanegen.codegen.mechanism.values import Scalar
from kanegen.errors import ModelError


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
