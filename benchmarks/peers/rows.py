"""Engines that compute many states in one call, on processors: Pinocchio's pool, frax on JAX, mjbatch.

All are timed on one thread, Pinocchio's pool also on two.
"""

from __future__ import annotations

import os
import tempfile
import time
import warnings
import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.peers.engines import Array, Kernel, library, moving_joints, order_of
from benchmarks.peers.mujoco_engine import mujoco_model


@dataclass(frozen=True)
class RowsCall:
    """A call for all states at once; ``results`` (count, n) are those of the last run; ``clock`` in nanoseconds."""

    name: str
    run: Callable[[], object]
    results: Callable[[], Array]
    clock: Callable[[], int]


JAX_ON_ONE_PROCESSOR = {
    "JAX_PLATFORMS": "cpu",
    "JAX_ENABLE_X64": "1",
    "XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false",
    "OPENBLAS_NUM_THREADS": "1",
}
"""What frax recommends for a single processor."""

Inputs = tuple[Array, Array, Array]
"""q, v, and accelerations or forces, (count, n) each."""


def pinocchio_pool(urdf: str, joints: Sequence[str], kernel: Kernel, inputs: Inputs) -> Iterator[RowsCall]:
    """``rneaInParallel`` and ``abaInParallel``."""
    pinocchio = library("pinocchio", "Pinocchio", "pin")
    model = pinocchio.buildModelFromXML(urdf)
    order = order_of([str(name) for name in model.names][1:], joints)
    columns = [np.asfortranarray(block[:, order].T) for block in inputs]
    name = "rneaInParallel" if kernel == "inverse_dynamics" else "abaInParallel"
    for threads in (1, 2):
        pool, found = pinocchio.ModelPool(model, threads), np.zeros_like(columns[0])

        def run(threads: int = threads, pool: Any = pool, found: Array = found) -> None:
            getattr(pinocchio, name)(threads, pool, *columns, found)

        def results(found: Array = found) -> Array:
            return found.T[:, np.argsort(order)]

        yield RowsCall(
            f"Pinocchio, Python, {name}, {threads} thread{'s' * (threads > 1)}",
            run,
            results,
            time.perf_counter_ns,
        )


def frax_rows(urdf: str, joints: Sequence[str], kernel: Kernel, inputs: Inputs) -> Iterator[RowsCall]:
    """frax's algorithms, compiled by JAX for one processor, mapped over rows, double precision.

    Its time is that of the process, over all threads that JAX may use.
    """
    for name, value in JAX_ON_ONE_PROCESSOR.items():
        os.environ.setdefault(name, value)
    jax = library("jax", "frax", "frax")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of settings that versions of JAX do not all know
        robots = library("frax.core.robot", "frax", "frax")
    moving = moving_joints(urdf)
    order = order_of(moving, joints)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "robot.urdf"
        path.write_text(_with_inertials(urdf), encoding="utf-8")
        robot = robots.Robot(str(path), joint_ordering=moving)
    gravity = jax.numpy.array([0.0, 0.0, 9.81, 0.0, 0.0, 0.0])

    def inverse(q: Any, v: Any, a: Any) -> Any:
        return robot.rnea(q, v, a, gravity, None)

    def forward(q: Any, v: Any, tau: Any) -> Any:
        return robot.forward_dynamics(q, v, tau, None)

    mapped = jax.jit(jax.vmap(inverse if kernel == "inverse_dynamics" else forward))
    given = [jax.numpy.asarray(block[:, order]) for block in inputs]

    def run() -> Any:
        return mapped(*given).block_until_ready()

    yield RowsCall(
        "frax, JAX on the processor, vmap",
        run,
        lambda: np.array(run())[:, np.argsort(order)],
        time.process_time_ns,
    )


def _with_inertials(urdf: str) -> str:
    """The text with inertias of zero at links that have none, which frax does not read."""
    root = ET.fromstring(urdf)
    for link in root.iter("link"):
        if link.find("inertial") is None:
            inertial = ET.SubElement(link, "inertial")
            ET.SubElement(inertial, "origin", xyz="0 0 0", rpy="0 0 0")
            ET.SubElement(inertial, "mass", value="0")
            ET.SubElement(inertial, "inertia", dict.fromkeys(("ixx", "ixy", "ixz", "iyy", "iyz", "izz"), "0"))
    return ET.tostring(root, encoding="unicode")


def mjbatch_rows(urdf: str, joints: Sequence[str], kernel: Kernel, inputs: Inputs) -> Iterator[RowsCall]:
    """mjbatch's ``forward``, which has no inverse dynamics; states and forces stand in its arrays."""
    if kernel != "forward_dynamics":
        return
    mjbatch = library("mjbatch", "mjbatch", "mjbatch")
    model, order = mujoco_model(urdf, joints)
    batch = mjbatch.Batch(model, num_sims=len(inputs[0]), num_threads=1)
    names = ("qpos", "qvel", "qfrc_applied", "qacc")
    *given, found = (batch.bind(name) for name in names)
    for place, block in zip(given, inputs, strict=True):
        place[:] = block[:, order]
    yield RowsCall(
        "mjbatch, forward, 1 thread",
        batch.forward,
        lambda: np.array(found)[:, np.argsort(order)],
        time.perf_counter_ns,
    )


ROWS = (pinocchio_pool, frax_rows, mjbatch_rows)
