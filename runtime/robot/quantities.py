"""What is between the inputs and the outputs of a kernel: intermediate quantities by name."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from kanegen.arrays import FloatArray, Values, real_array
from kanegen.by_name import array_of
from kanegen.errors import KanegenError
from kanegen.manifest import Argument
from kanegen.robot.core import Core


class Quantities(Core):
    """The part of a robot that shows what it computes on the way."""

    def quantities(
        self,
        q: Values,
        v: Values | None = None,
        a: Values | None = None,
        *,
        t: ArrayLike | None = None,
        formulation: str = "kane",
        kernel: str = "inverse_dynamics",
    ) -> dict[str, FloatArray]:
        """Intermediate quantities (...,) by name in states q, v and a; v and a are 0 unless given.

        The time t [s] is that of ``at`` unless given.
        Of Kane's method all of them, whatever the kernel: w_E_x and pw_E_x_1, the angular velocity of body E and its partial
        for the first speed, vc_E_x and pvc_E_x_1 for the mass centre, T_E_x and R_E_x, Ki_E_1 and Ka_E_1 for what a body
        adds to generalized inertia and active forces, X_1_2 and so on.  ``kanegen.explain`` says what each means and along
        which axes; what equals another quantity has the name of that one.  Other formulations have those of a kernel as it
        is derived before any search.  NumPy evaluates them.

        Raises KanegenError for a robot of generated C, which has no model, ModelError for a formulation that does not know
        the model, and ValueError for wrong shapes.
        """
        if self._quantities_of is None:
            raise KanegenError(
                f"{self.name}: intermediate quantities are derived from a model, and this robot is of generated C"
            )
        nq, nv, rest = self._manifest.nq, self._manifest.nv, np.zeros(self._manifest.nv)
        given = (("q", nq, q), ("v", nv, rest if v is None else v), ("a", nv, rest if a is None else a))
        arrays = {
            name: real_array(
                "quantities", Argument(name, (n,)), array_of(self._manifest, "quantities", name, x)
            )
            for name, n, x in given
        }
        now = self._t if t is None else t
        time = real_array("quantities", Argument("t", ()), 0.0 if now is None else now)
        batch = np.broadcast_shapes(time.shape, *(array.shape[:-1] for array in arrays.values()))
        states = {name: np.broadcast_to(x, (*batch, x.shape[-1])) for name, x in arrays.items()}
        states["t"] = np.broadcast_to(time, batch)
        return self._quantities_of(formulation, kernel)(states, self.parameters)
