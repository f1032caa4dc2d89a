"""Scenarios: motions of a mechanism that can be run by name, and what to look at in them."""

from __future__ import annotations

from dataclasses import dataclass

from kanegen.codegen.graph.late import sympy


@dataclass(frozen=True, slots=True)
class PrescribedMotion:
    """Coordinates are given as functions of time; the forces that this motion takes are wanted.

    ``q`` holds one expression in ``time`` [s] for each coordinate [rad, m]; the motion lasts ``duration`` [s].
    """

    name: str
    title: str
    source: str
    duration: float
    time: sympy.Symbol
    q: tuple[sympy.Expr, ...]


@dataclass(frozen=True, slots=True)
class ConservedMomentum:
    """A component of momentum that a motion must conserve, and how closely a simulation is to do so.

    ``component`` counts from 0: linear momentum [kg m/s], then angular momentum about the base origin [kg m^2/s], in
    the base frame.  ``name`` is its symbol, ``bound`` the largest change that is in order.
    """

    name: str
    title: str
    component: int
    bound: float

    @property
    def unit(self) -> str:
        """Of the component."""
        return "kg m/s" if self.component < 3 else "kg m²/s"


@dataclass(frozen=True, slots=True)
class ControlledMotion:
    """A control law of the mechanism, or no force (None), moves it from ``start`` [rad, m] at rest; the motion is wanted.

    ``targets`` are the coordinates that the law aims at, None for one that it leaves free.  ``watched`` names the
    coordinates that are drawn, ``deflected`` the flexible links whose ends are.  Steps are chosen for ``rtol`` and ``atol``.
    """

    name: str
    title: str
    source: str
    duration: float
    law: str | None
    start: tuple[float, ...]
    targets: tuple[float | None, ...]
    watched: tuple[str, ...]
    rtol: float
    atol: float
    conserved: ConservedMomentum | None = None
    deflected: tuple[str, ...] = ()


Scenario = PrescribedMotion | ControlledMotion
