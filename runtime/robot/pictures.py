"""Pictures of a robot."""

from __future__ import annotations

import os
from typing import Any

from numpy.typing import ArrayLike

from kanegen.arrays import Values
from kanegen.robot.core import Core
from kanegen.skeleton import Skeleton


class Pictures(Core):
    """The part of a robot that shows it."""

    @property
    def skeleton(self) -> Skeleton | None:
        """Its bodies and joints as the model describes them, for pictures; None for a robot of generated C, without a model.

        The model is read when this is first asked for.  Raises KanegenError where it has changed since.
        """
        return None if self._skeleton_of is None else self._skeleton_of()

    def plot(
        self,
        q: Values | None = None,
        *,
        ax: Any = None,
        path: str | os.PathLike[str] | None = None,
        t: ArrayLike | None = None,
    ) -> Any:
        """A stick figure of the mechanism at the configuration q (nq,), home by default: matplotlib's axes, in metres.

        Lines are bodies, from joint to joint; short thick lines axes of hinges, squares slides, circles ball joints; dots
        mass centres, their area in proportion to the mass; three short lines x (red), y (green) and z (blue) of a frame.
        Dashed lines are loops and springs.  ``ax``: axes in three dimensions to draw into; by default new ones of pyplot.
        ``path``: a file to write (.png, .svg, .pdf, …).

        Raises KanegenError where matplotlib is missing or cannot write the file, MissingKernelError for a robot loaded
        without the poses of its frames.
        """
        if t is not None:
            return self._at(t).plot(q, ax=ax, path=path)
        from kanegen.figures.stick_figure import plot

        return plot(self, self._one_configuration("plot", q), ax, path)
