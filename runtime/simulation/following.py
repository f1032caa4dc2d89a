"""Following equations that decide all of a motion: numeric inverse kinematics along a path in time.

Where equations with time leave no freedom, rates follow from configuration and time alone, dq/dt = n(q, t).  From row to
row they lead by the classical method of Runge and Kutta; then equations of position are closed by Newton's method, which
stays on the way of closing that it is near to.  Steps are halved until closing changes next to nothing, and one and two
halves of it lead to the same.
"""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from kanegen.arrays import FloatArray
from kanegen.errors import DeadCentreError, IntegrationError
from kanegen.kernels.checks import MARGIN
from kanegen.quaternions import normalised
from kanegen.robot.assembly import closed_holding

AGREED = 1e-9
"""One step and two halves of it lead to the same within this [rad, units of length]: what no equation closes errs by a
fifteenth of it."""
ASTRAY = 1e-4
"""Equations close no farther [rad, units of length] from where rates lead: beside singular configurations there are other
ways to."""
NEAREST = 1e-10
"""Steps end no nearer to a singular configuration than this margin, the square of a sine: rates have ten digits there."""
HALVINGS = 30
"""After so many a step leads nowhere."""


class Following:
    """A robot without speeds, ``arm``, on its way through time."""

    def __init__(self, arm: Any) -> None:
        # Stages lie beside closed configurations, by less than they err; rows are closed.
        self._arm = arm.with_open_loops("ignore")
        self._units = np.array(arm.constraints.coordinate_units or (1.0,))
        self._closes = bool(arm.constraints.position)
        self._can_be_singular = MARGIN in arm.kernels

    def rows(self, start: FloatArray, times: FloatArray) -> FloatArray:
        """Configurations (k, nq) at times (k,), from the one (nq,) that belongs to the first of these.

        Raises IntegrationError where the equations lead no further.
        """
        found = [start]
        for t, end in itertools.pairwise(times.tolist()):
            found.append(self._followed(found[-1], t, end, 0))
        return np.array(found)

    def _followed(self, q: FloatArray, t: float, end: float, halvings: int) -> FloatArray:
        middle = 0.5 * (t + end)
        whole, half = self._step(q, t, end), self._step(q, t, middle)
        both = None if half is None else self._step(half, middle, end)
        if whole is not None and both is not None and (np.abs(whole - both) / self._units).max() <= AGREED:
            return both
        if halvings == HALVINGS or not t < middle < end:
            raise IntegrationError(
                f"{self._arm.name}: its equations cannot be followed beyond t = {t:.6g} s: they lead out of reach there, or "
                "through a singular configuration, at which the mechanism can go on in different ways",
                t,
            )
        return self._followed(self._followed(q, t, middle, halvings + 1), middle, end, halvings + 1)

    def _step(self, q: FloatArray, t: float, end: float) -> FloatArray | None:
        """The configuration at the end of a step; None where rates do not lead to one, or have no value on the way."""
        arm, h = self._arm, end - t

        def rates(at: float, q: FloatArray) -> FloatArray:
            found: FloatArray = arm.call("coordinate_rates", at, normalised(q, arm.quaternions))
            return found

        try:
            k1 = rates(t, q)
            k2 = rates(t + 0.5 * h, q + 0.5 * h * k1)
            k3 = rates(t + 0.5 * h, q + 0.5 * h * k2)
            k4 = rates(end, q + h * k3)
        except DeadCentreError:
            return None
        led = normalised(q + h / 6.0 * (k1 + 2.0 * (k2 + k3) + k4), arm.quaternions)
        found = closed_holding(arm.at(end), led, []) if self._closes else led
        if found is None or (np.abs(found - led) / self._units).max() > ASTRAY:
            return None
        if self._can_be_singular and float(arm.call(MARGIN, end, found).min()) < NEAREST:
            return None
        return found
