"""The result of a simulation."""

from __future__ import annotations

import enum
import functools
import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Self

import numpy as np

from kanegen.arrays import FloatArray, positive_number
from kanegen.errors import KanegenError
from kanegen.extras import install_command
from kanegen.files import write_whole
from kanegen.manifest import JointLimits

EnergyOf = Callable[[FloatArray, FloatArray, FloatArray], FloatArray]


class Status(enum.Enum):
    """How a simulation ended."""

    DONE = "the end was reached"
    STEP_UNDERFLOW = (
        "the step became too short for the resolution of time; the tolerance may be out of reach, or the motion runs "
        "into a singularity there"
    )
    EVENT = "an event ended it"
    STOPPED = "progress ended it"
    NOT_FINITE = "the state, its rate of change or the controller's tau became infinite or not a number"
    NOT_SOLVED = "a step was too long for its equations to be solved; take shorter steps"
    OPEN = "the state after a step could not be brought back to the constraints"
    TOO_MANY_STEPS = "max_steps were not enough; raise it, or loosen rtol and atol"


@dataclass(frozen=True)
class Statistics:
    """What a simulation did.

    status: how it ended. t: the time it reached, s; short of the duration unless the status is ``DONE``.
    accepted, rejected: steps. evaluations: of the forward dynamics. controller_calls: of any kind of controller.
    compiled: whether the steps were done in C, or by the NumPy implementation of the same schemes. linearisations:
    evaluations of the derivatives of the dynamics, by "rodas4". stiff_steps: accepted steps that the stability of "dopri5"
    limited, not their error; those of "rk4" that are as long as is stable, or longer. looks: rows and times between steps at
    which dy/dt of the interpolated motion was compared with the dynamics; defect: the largest difference, as a multiple of
    what there may be, and defect_t: where, s. Above 1, a jump in time was stepped over.
    """

    status: Status
    t: float
    accepted: int
    rejected: int
    evaluations: int
    controller_calls: int
    compiled: bool
    linearisations: int = 0
    stiff_steps: int = 0
    looks: int = 0
    defect: float = 0.0
    defect_t: float = 0.0


@dataclass(frozen=True)
class Moved:
    """What a motion is one of: names and limits of coordinates and speeds, the frames on which wrenches acted, and the names
    of its constraint forces.
    """

    name: str
    coordinates: tuple[str, ...]
    speeds: tuple[str, ...]
    limits: Mapping[str, JointLimits] = field(default_factory=dict)
    wrenches: tuple[str, ...] = ()
    constraints: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class Motion:
    """A simulated motion, one row per requested time.

    t (k,) s. q (k, nq) rad or m. v (k, nv) rad/s or m/s. tau (k, nv) N m or N: the force acting at that time; under
    sampled control the held one, at a sample instant the one held from then on. x (k, nx): the states of the controller.
    work (k, nv + wrenches) J: that of each force since the beginning, its power tau v integrated along with the motion, by
    the same method, so that energy less work stays as constant as the steps are exact where nothing else takes or gives any;
    then that of each wrench on a frame.
    Rows that the simulation did not reach (see ``statistics.status``) are not a number, except for t.  ``energy_of`` gives
    the energy (k,) of rows t, q and v.

    events: what happened, in order: t [s], the number of the event in the list that was given, and q (nq,) and v (nv,)
    there, before its action.

    of: names and limits of its mechanism.  arm: the robot that moved, None after pickling.

    drift: how far states and rows were found from the constraints at most: residuals of the equations of position, in
    their units, and the last correction of dq/dt, relative where rates exceed one.  None where there are none.
    """

    t: FloatArray
    q: FloatArray
    v: FloatArray
    tau: FloatArray
    statistics: Statistics
    energy_of: EnergyOf | None = None
    drift: float | None = None
    x: FloatArray = field(default_factory=lambda: np.zeros((0, 0)))
    work: FloatArray = field(default_factory=lambda: np.zeros((0, 0)))
    events: list[tuple[float, int, FloatArray, FloatArray]] = field(default_factory=list)
    of: Moved | None = field(default=None, repr=False)
    arm: Any = field(default=None, repr=False)

    @functools.cached_property
    def energy(self) -> FloatArray | None:
        """Kinetic and potential energy (k,), J; None where the mechanism lacks one of these kernels.

        Computed when it is first asked for.
        """
        if self.energy_of is None:
            return None
        reached = np.isfinite(self.q).all(axis=1) & np.isfinite(self.v).all(axis=1)
        energy = np.full(self.t.shape, np.nan)
        energy[reached] = self.energy_of(self.t[reached], self.q[reached], self.v[reached])
        return energy

    def __getstate__(self) -> dict[str, Any]:
        """State to be pickled: numbers alone, so that a motion outlives its robot."""
        return {**self.__dict__, "energy": self.energy, "energy_of": None, "arm": None}

    def within(self, rows: Any) -> Self:
        """The motion of some rows alone: their places, or a truth value (k,) for each."""
        held = {name: getattr(self, name)[rows] for name in ("t", "q", "v", "tau")}
        held |= {
            name: values[rows] for name in ("work", "x") if len(values := getattr(self, name)) == len(self.t)
        }
        return replace(self, **held)

    def to_csv(self, path: str | os.PathLike[str]) -> None:
        """Write the motion as comma-separated values, every number with 12 significant digits.

        The header is ``t,q1,…,v1,…,tau1,…,x1,…,energy``; there is no energy column where there is no energy. The file
        appears whole or not at all. Raises ``OSError`` where it cannot be written.
        """
        names = ["t"]
        columns = [self.t]
        for symbol, rows in (("q", self.q), ("v", self.v), ("tau", self.tau), ("x", self.x)):
            names += [f"{symbol}{index}" for index in range(1, rows.shape[1] + 1)]
            columns += list(rows.T)
        if self.energy is not None:
            names.append("energy")
            columns.append(self.energy)
        lines = [",".join(names)]
        # "#" keeps trailing zeros: 0.1 is written as 0.100000000000.
        lines += [
            ",".join(format(float(value), "#.12g") for value in row) for row in zip(*columns, strict=True)
        ]
        write_whole(Path(path), ("\n".join(lines) + "\n").encode("ascii"))

    def to_pandas(self) -> Any:
        """The motion as a data frame of pandas: its index t [s], its columns those of ``columns``.

        Raises KanegenError where pandas is missing.
        """
        pd = data_frames()
        return pd.DataFrame(dict(self.columns()), index=pd.Index(self.t, name="t"))

    def columns(self) -> Iterator[tuple[str, FloatArray]]:
        """The columns of the motion by name, but for t: q.NAME, v.NAME, tau.NAME, work.NAME, x.1, …, energy.

        Works of wrenches are called work.wrench.FRAME.
        """
        for symbol, rows in (
            ("q", self.q),
            ("v", self.v),
            ("tau", self.tau),
            ("work", self.work),
            ("x", self.x),
        ):
            yield from zip(self._names(symbol, rows.shape[1]), rows.T, strict=True)
        if self.energy is not None:
            yield "energy", self.energy

    def _names(self, symbol: str, count: int) -> list[str]:
        names = tuple(str(k + 1) for k in range(count))
        if self.of is not None and symbol != "x":
            names = self.of.coordinates if symbol in ("q", "qdot", "qddot") else self.of.speeds
            names = self.of.constraints if symbol == "lambda" else names
        if self.of is not None and symbol == "work":
            names += tuple(f"wrench.{frame}" for frame in self.of.wrenches)
        return [f"{symbol}.{name}" for name in names[:count]]

    def plot(self, path: str | os.PathLike[str] | None = None) -> Any:
        """Coordinates, speeds, forces and energies over time: a figure of matplotlib, with units, and limits of joints.

        ``path``: a file to write (.png, .svg, .pdf, …).  Raises KanegenError where matplotlib is missing or cannot write it.
        """
        from kanegen.figures.curves import plot

        return plot(self, path)

    def animate(
        self, path: str | os.PathLike[str], *, frames_per_second: int = 25, speed: float = 1.0
    ) -> None:
        """Write the moving stick figure into a file that ends in .gif or, where there is ffmpeg, .mp4.

        ``speed``: how many times faster than it is.  Raises KanegenError where the file cannot be written so, where
        matplotlib is missing, and for a motion that was pickled, which has lost its robot.
        """
        from kanegen.figures.stick_figure import animate

        if self.arm is None:
            raise KanegenError(
                "animate: this motion was pickled and has no robot any more: simulate it again"
            )
        reached = np.isfinite(self.q).all(axis=1)
        animate(
            self.arm,
            self.t[reached],
            self.q[reached],
            Path(path),
            max(1, round(positive_number("frames_per_second", frames_per_second))),
            positive_number("speed", speed),
        )


def data_frames() -> Any:
    """The module pandas.  Raises KanegenError where it is missing."""
    try:
        import pandas as pd
    except ImportError:
        raise KanegenError(
            f"to_pandas needs pandas, which is not installed. Install it: {install_command('tables', 'pandas')}"
        ) from None
    return pd
