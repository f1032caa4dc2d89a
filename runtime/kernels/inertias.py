"""Inertias of many bodies, looked at in C."""

from __future__ import annotations

import functools
import math

import numpy as np
from numpy.typing import NDArray

from kanegen.arrays import native
from kanegen.csrc.extensions import integrators

_integrators = functools.cache(integrators)


def all_seen_possible(*numbers: NDArray[np.float64]) -> bool:
    """Whether all bodies are seen to be possible: mass, Ixx, Iyy, Izz, Ixy, Ixz, Iyz, arrays of one shape, or numbers.

    False where one of them is not, is too close to call, or nothing looks: where there is no C, or shapes differ.
    """
    module = _integrators()
    shapes = {x.shape for x in numbers if x.ndim}
    if module is None or len(shapes) > 1:
        return False
    count = math.prod(shapes.pop() if shapes else ())
    kept = [module.ffi.from_buffer("double[]", native(x)) for x in numbers]
    steps = [min(x.ndim, 1) for x in numbers]
    return bool(module.lib.kanegen_count_possible(count, kept, steps) == count)
