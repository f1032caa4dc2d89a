"""One interface to the engines kanegen is measured against.

An engine is made from a URDF text and the names of its joints in the order of the coordinates.  Its calls take and give
rows in that order; :meth:`Engine.loop` gives the bare loop that a benchmark times, with everything that
can be prepared beforehand (the order of the chain, the arrays) prepared beforehand.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from kanegen.extras import install_command

Array = NDArray[np.float64]
Kernel = Literal["inverse_dynamics", "forward_dynamics"]
KERNELS: tuple[Kernel, ...] = ("inverse_dynamics", "forward_dynamics")


class PeerUnavailable(RuntimeError):
    """A peer cannot take part here: it is not installed, or does not build. The message says which and why."""


def library(module: str, name: str, package: str) -> Any:
    """An optional library, imported when an engine that needs it is made.

    Raises:
        PeerUnavailable: where it is not installed; the message says what installs it.
    """
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        if (error.name or module).split(".")[0] != module.split(".")[0]:
            raise PeerUnavailable(f"{name} needs {error.name}, which is not installed") from None
        raise PeerUnavailable(f"{name} is not installed ({install_command('peers', package)})") from None


class Engine(Protocol):
    """Inverse and forward dynamics of one mechanism by another library."""

    @property
    def name(self) -> str:
        """The library and the language it is called from."""

    def inverse_dynamics(self, q: Array, v: Array, a: Array) -> Array:
        """The generalized forces (n,) of one state, N m or N."""

    def forward_dynamics(self, q: Array, v: Array, tau: Array) -> Array:
        """The accelerations (n,) of one state, rad/s^2 or m/s^2."""

    def loop(self, kernel: Kernel, q: Array, v: Array, third: Array) -> Callable[[], object]:
        """A function that calls ``kernel`` once for every row of (count, n) inputs and keeps nothing."""


def order_of(names: Sequence[str], joints: Sequence[str]) -> list[int]:
    """Which of ``joints`` each of an engine's joints is.  Raises PeerUnavailable where they are not the same ones."""
    if sorted(names) != sorted(joints):
        raise PeerUnavailable(f"it reads the joints {', '.join(names)}")
    return [joints.index(name) for name in names]


def moving_joints(urdf: str) -> list[str]:
    """The names of the joints that are not fixed, in the order of the text."""
    joints = ET.fromstring(urdf).iter("joint")
    return [joint.attrib["name"] for joint in joints if joint.get("type", "fixed") != "fixed"]


def ordered_rows(order: list[int], *inputs: Array) -> list[tuple[Array, ...]]:
    """The rows of (count, n) inputs as tuples of contiguous (n,) arrays, their columns in ``order``."""
    columns = [np.ascontiguousarray(block[:, order]) for block in inputs]
    return [tuple(row) for row in zip(*columns, strict=True)]


def scattered(order: list[int], values: Any) -> Array:
    """Values (n,) in the order of a chain, put back in the order of the coordinates."""
    result = np.empty(len(order))
    result[order] = values
    return result
