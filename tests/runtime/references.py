"""What motions are held against, and runs of the C integrators by hand."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numpy as np
from scipy.special import ellipj, ellipk

Q0, V0 = [1.5, -0.5], [0.0, 1.0]
"""Where motions of the double pendulum begin."""


def python_law(t: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """The law of the library, in Python."""
    return 3.0 * np.sin(2.0 * t) - 4.0 * q - 0.5 * v


def pendulum_solution(t: Any, amplitude: float = 2.0, length: float = 1.0) -> np.ndarray:
    """(q, v) of the pendulum released at rest: sin(q/2) = k sn(K - w t, k), k = sin(amplitude/2), w^2 = g/l."""
    k, omega = np.sin(amplitude / 2.0), np.sqrt(9.81 / length)
    sn, cn, dn, _ = ellipj(ellipk(k**2) - omega * np.asarray(t), k**2)
    return np.stack(
        [2.0 * np.arcsin(k * sn), -2.0 * k * omega * cn * dn / np.sqrt(1.0 - (k * sn) ** 2)], axis=-1
    )


def equal_steps(method: str, h: float) -> dict[str, Any]:
    """Settings for steps of h: methods that choose them land on sample instants, and accept every step."""
    return (
        {"method": method, "step": h}
        if method in ("rk4", "gauss4")
        else {"method": method, "sample_period": h, "rtol": 10.0, "atol": 10.0}
    )


def assert_order(errors: list[float], order: int) -> None:
    """Errors with successive halvings of the step show an order.

    An observed order differs from the order by O(h), which is below 0.35 for the steps used: the two leading terms of the
    error would have to differ by a factor of 20 for more. The smallest error compared is several hundred times the
    rounding error (1e-16 for one step, 1e-13 for a run).
    """
    observed = np.log2(np.array(errors[:-1]) / np.array(errors[1:]))
    assert np.abs(observed - order).max() < 0.35, observed


class Run:
    """A call of the C interface by hand; functions of the system are addresses by field and type."""

    def __init__(
        self,
        module: ModuleType,
        q: list[float],
        v: list[float],
        functions: dict[str, tuple[str, int]],
        constraints: dict[str, Any] | None = None,
        **options: Any,
    ) -> None:
        self.ffi, self.lib = module.ffi, module.lib
        pointers = {
            f: self.ffi.cast(f"kanegen_{kind} *", address) for f, (kind, address) in functions.items()
        }
        self.q, self.v = self.ffi.new("double[]", q), self.ffi.new("double[]", v)
        self.system = self.ffi.new("kanegen_system *", {"nq": len(q), "nv": len(v)})
        size = self.lib.kanegen_stiff_workspace_size(len(q), len(v))
        if constraints is None:
            for field, pointer in pointers.items():
                setattr(self.system, field, pointer)
        else:
            given = {field: x for field, x in {**pointers, **constraints}.items() if x is not None}
            self.constraints = self.ffi.new("kanegen_constraints *", given)
            self.system.nv, self.system.constraints = 1, self.constraints
            size = self.lib.kanegen_constrained_workspace_size(len(q), 1, 2, 2)
        defaults = {"t_end": 1.0, "rtol": 1e-9, "atol": 1e-12, "step": 0.01, "max_steps": 10_000}
        self.options = self.ffi.new("kanegen_options *", {**defaults, **options})
        self.rows = self.ffi.new("kanegen_rows *")
        self.done = self.ffi.new("kanegen_statistics *")
        self.workspace = self.ffi.new("double[]", size + 1)
        self.workspace[size] = 123.0

    def __call__(self, method: str) -> str:
        function = getattr(self.lib, f"kanegen_{method}")
        status = function(self.system, self.options, self.q, self.v, self.rows, self.workspace, self.done)
        assert self.workspace[len(self.workspace) - 1] == 123.0
        return str(self.ffi.string(self.ffi.cast("kanegen_status", status)))
