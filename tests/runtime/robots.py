"""Two mechanisms whose C was written by hand, their dynamics in plain NumPy, and interpreters for them."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

import kanegen
from kanegen.kernels.interpreted import InterpretedBackend
from kanegen.manifest import read_manifest

MODELS = Path(__file__).parent / "models"
CART_POLE = MODELS / "cart_pole"
LIVE_PENDULUM = MODELS / "live_pendulum"

GRAVITY = 9.81
CART, BOB, ROD = 2.0, 0.5, 0.8  # kg, kg, m


@functools.cache
def cart_pole() -> kanegen.Robot:
    """The compiled cart with a pendulum."""
    return kanegen.load(CART_POLE)


@functools.cache
def live_pendulum() -> kanegen.Robot:
    """The compiled pendulum with live parameters."""
    return kanegen.load(LIVE_PENDULUM)


def interpreted_cart_pole() -> kanegen.Robot:
    """The same mechanism, evaluated by the functions below."""
    manifest = read_manifest(CART_POLE)
    return kanegen.Robot(manifest, InterpretedBackend(manifest, CartPoleEvaluator()))


class CartPoleEvaluator:
    """Evaluates a few kernels as the interpreter of the generator would."""

    manifest = read_manifest(CART_POLE)

    def evaluate(
        self, kernel: str, arrays: Mapping[str, Any], parameters: Mapping[str, float]
    ) -> Mapping[str, Any]:
        assert parameters == {}
        if kernel == "inverse_dynamics":
            return {"tau": inverse_dynamics(arrays["q"], arrays["v"], arrays["a"])}
        if kernel == "mass_matrix":
            return {"M": mass_matrix(arrays["q"])}
        if kernel == "energies":
            return {"T": kinetic_energy(arrays["q"], arrays["v"]), "U": potential_energy(arrays["q"])}
        raise AssertionError(kernel)


def mass_matrix(q: Any) -> Any:
    c = np.cos(q[..., 1])
    one = np.ones_like(c)
    rows = [[(CART + BOB) * one, BOB * ROD * c], [BOB * ROD * c, BOB * ROD**2 * one]]
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)


def bias_forces(q: Any, v: Any) -> Any:
    s = np.sin(q[..., 1])
    return np.stack([-BOB * ROD * s * v[..., 1] ** 2, BOB * GRAVITY * ROD * s], axis=-1)


def inverse_dynamics(q: Any, v: Any, a: Any) -> Any:
    q, v, a = np.broadcast_arrays(q, v, a)
    return np.einsum("...ij,...j->...i", mass_matrix(q), a) + bias_forces(q, v)


def kinetic_energy(q: Any, v: Any) -> Any:
    return 0.5 * np.einsum("...i,...ij,...j->...", v, mass_matrix(q), v)


def potential_energy(q: Any) -> Any:
    return -BOB * GRAVITY * ROD * np.cos(q[..., 1])


def states(*batch: int, seed: int = 1) -> tuple[Any, Any, Any]:
    """Random coordinates, speeds and accelerations of a two-joint mechanism."""
    return tuple(np.random.default_rng(seed).uniform(-2.0, 2.0, (3, *batch, 2)))
