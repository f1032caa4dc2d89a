"""Mechanisms to simulate, written by hand in C, and the compiled integrators."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest
from cffi import FFI

from kanegen.errors import NotCompiledError

CSRC = Path(importlib.util.find_spec("kanegen.motion").origin).parent / "csrc"

DECLARATIONS = """
/* Mass 1 kg at 1 m, and the linear oscillator of 1 rad/s. */
void pendulum_dynamics(const double *q, const double *v, const double *tau, double *a);
void oscillator_dynamics(const double *q, const double *v, const double *tau, double *a);

/* Two masses of 1 kg on two massless rods of 1 m, absolute angles from the vertical. */
void double_pendulum_dynamics(const double *q, const double *v, const double *tau, double *a);

/* A free rigid body, principal moments 1, 2, 3 kg m^2; unit quaternion (w, x, y, z), angular velocity in the body. */
void body_dynamics(const double *q, const double *v, const double *tau, double *a);
void body_rates(const double *q, const double *v, double *qdot);

/* Accelerations that lead out of their domain (not a number for q > 1) or to infinity in finite time. */
void leaving_dynamics(const double *q, const double *v, const double *tau, double *a);
void exploding_dynamics(const double *q, const double *v, const double *tau, double *a);

/* The pendulum with g / l (1/s^2) as a live parameter, and a law that swings with it. */
typedef struct { double g_over_l; } prepared_pendulum;
void prepared_dynamics(const void *prepared, const double *q, const double *v, const double *tau, double *a);
void prepared_law(const void *prepared, const double *t, const double *q, const double *v, double *tau);

/* tau = 3 sin 2t - 4 q - v / 2 for two joints, in both forms; the controller scales it by *(double *)data. */
void law(const double *t, const double *q, const double *v, double *tau);
void controller(double t, const double *q, const double *v, double *tau, void *data);

/* Tells that it was entered and then waits until told to go on; if that does not happen, tau is not a number. */
typedef struct { volatile int entered, go_on; } rendezvous;
void waiting_controller(double t, const double *q, const double *v, double *tau, void *data);
"""

SOURCE = """
#include <math.h>

void pendulum_dynamics(const double *q, const double *v, const double *tau, double *a)
{
    (void)v;
    a[0] = tau[0] - 9.81 * sin(q[0]);
}

void oscillator_dynamics(const double *q, const double *v, const double *tau, double *a)
{
    (void)v;
    a[0] = tau[0] - q[0];
}

void double_pendulum_dynamics(const double *q, const double *v, const double *tau, double *a)
{
    const double c = cos(q[0] - q[1]), s = sin(q[0] - q[1]);
    const double f1 = tau[0] - s * v[1] * v[1] - 2.0 * 9.81 * sin(q[0]);
    const double f2 = tau[1] + s * v[0] * v[0] - 9.81 * sin(q[1]);
    const double determinant = 2.0 - c * c;
    const double a1 = (f1 - c * f2) / determinant, a2 = (2.0 * f2 - c * f1) / determinant;
    a[0] = a1;
    a[1] = a2;
}

void body_dynamics(const double *q, const double *v, const double *tau, double *a)
{
    const double a1 = tau[0] - 1.0 * v[1] * v[2];
    const double a2 = (tau[1] + 2.0 * v[2] * v[0]) / 2.0;
    const double a3 = (tau[2] - 1.0 * v[0] * v[1]) / 3.0;
    (void)q;
    a[0] = a1;
    a[1] = a2;
    a[2] = a3;
}

void body_rates(const double *q, const double *v, double *qdot)
{
    qdot[0] = 0.5 * (-q[1] * v[0] - q[2] * v[1] - q[3] * v[2]);
    qdot[1] = 0.5 * (q[0] * v[0] + q[2] * v[2] - q[3] * v[1]);
    qdot[2] = 0.5 * (q[0] * v[1] + q[3] * v[0] - q[1] * v[2]);
    qdot[3] = 0.5 * (q[0] * v[2] + q[1] * v[1] - q[2] * v[0]);
}

void leaving_dynamics(const double *q, const double *v, const double *tau, double *a)
{
    (void)v;
    a[0] = tau[0] + sqrt(1.0 - q[0]);
}

void exploding_dynamics(const double *q, const double *v, const double *tau, double *a)
{
    (void)q;
    a[0] = tau[0] + v[0] * v[0];
}

typedef struct { double g_over_l; } prepared_pendulum;

void prepared_dynamics(const void *prepared, const double *q, const double *v, const double *tau, double *a)
{
    (void)v;
    a[0] = tau[0] - ((const prepared_pendulum *)prepared)->g_over_l * sin(q[0]);
}

void prepared_law(const void *prepared, const double *t, const double *q, const double *v, double *tau)
{
    (void)q;
    tau[0] = ((const prepared_pendulum *)prepared)->g_over_l * sin(t[0]) - v[0];
}

void law(const double *t, const double *q, const double *v, double *tau)
{
    for (int i = 0; i < 2; ++i) tau[i] = 3.0 * sin(2.0 * t[0]) - 4.0 * q[i] - 0.5 * v[i];
}

void controller(double t, const double *q, const double *v, double *tau, void *data)
{
    const double scale = data ? *(const double *)data : 1.0;
    law(&t, q, v, tau);
    for (int i = 0; i < 2; ++i) tau[i] *= scale;
}

typedef struct { volatile int entered, go_on; } rendezvous;

void waiting_controller(double t, const double *q, const double *v, double *tau, void *data)
{
    rendezvous *meeting = data;
    long spins = 0;
    (void)t, (void)q, (void)v;
    meeting->entered = 1;
    while (!meeting->go_on && spins < 20000000000L) ++spins;
    tau[0] = meeting->go_on ? 0.0 : NAN;
}
"""


@dataclass(frozen=True, eq=False)
class Arm:
    """A mechanism of the library below, with the members that a simulation uses.

    functions: the C function of each kernel. With ``interpreted`` it has no addresses to offer, and its methods, which
    call the same functions, are used.
    """

    name: str
    nq: int
    nv: int
    functions: Mapping[str, Any]
    energy: Callable[[Any, Any], Any] | None = None
    interpreted: bool = False
    prepared: Any = None
    library: ModuleType | None = field(default=None, repr=False)
    constraints: None = None
    quaternions: tuple[int, ...] = ()

    @property
    def coordinate_names(self) -> tuple[str, ...]:
        return tuple(f"q{i}" for i in range(self.nq))

    @property
    def speeds_are_rates(self) -> bool:
        return self.nq == self.nv

    @property
    def kernels(self) -> tuple[str, ...]:
        energies = () if self.energy is None else ("kinetic_energy", "potential_energy")
        return (*self.functions, *energies)

    @property
    def prepared_address(self) -> int | None:
        return None if self.prepared is None else self._address(self.prepared)

    def kernel_address(self, name: str) -> int:
        if self.interpreted:
            raise NotCompiledError(f"{self.name} is interpreted")
        return self._address(self.functions[name])

    def bind(self, name: str) -> Any:
        sizes = {"t": 1, "q": self.nq, "v": self.nv, "tau": self.nv, "a": self.nv}
        names = {"forward_dynamics": "q v tau a", "coordinate_rates": "q v qdot"}.get(
            name, "t q v tau"
        ).split()
        bound = _Bound()
        vars(bound).update({argument: np.zeros(sizes.get(argument, self.nq)) for argument in names})
        bound.run = lambda: self._call(name, *vars(bound).values())
        return bound

    def forward_dynamics(self, q: Any, v: Any, tau: Any) -> Any:
        return self._call("forward_dynamics", *map(np.ascontiguousarray, (q, v, tau)), np.empty(self.nv))

    def coordinate_rates(self, q: Any, v: Any) -> Any:
        return self._call("coordinate_rates", *map(np.ascontiguousarray, (q, v)), np.empty(self.nq))

    def kinetic_energy(self, q: Any, v: Any) -> Any:
        return self.energy(q, v)[0]

    def potential_energy(self, q: Any) -> Any:
        return self.energy(q, np.zeros((*q.shape[:-1], self.nv)))[1]

    def _address(self, pointer: Any) -> int:
        return int(self.library.ffi.cast("uintptr_t", pointer))

    def _call(self, name: str, *arrays: Any) -> Any:
        leading = () if self.prepared is None else (self.prepared,)
        self.functions[name](*leading, *(self.library.ffi.from_buffer("double[]", array) for array in arrays))
        return arrays[-1]


class _Bound:
    """A bound kernel; its arrays are its instance attributes."""

    __slots__ = ("__dict__", "run")

    def __call__(self) -> None:
        self.run()


def _pendulum_energy(q: Any, v: Any) -> tuple[Any, Any]:
    return 0.5 * v[..., 0] ** 2, -9.81 * np.cos(q[..., 0])


def _double_pendulum_energy(q: Any, v: Any) -> tuple[Any, Any]:
    coupling = v[..., 0] * v[..., 1] * np.cos(q[..., 0] - q[..., 1])
    kinetic = v[..., 0] ** 2 + 0.5 * v[..., 1] ** 2 + coupling
    return kinetic, -9.81 * (2.0 * np.cos(q[..., 0]) + np.cos(q[..., 1]))


def _build(script: Path, folder: Path) -> ModuleType:
    """The extension module that a cffi build script describes, compiled in a folder and imported."""
    specification = importlib.util.spec_from_file_location("build_script", script)
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return _import(module.ffibuilder, "kanegen._integrators", folder)


def _import(builder: FFI, name: str, folder: Path) -> ModuleType:
    specification = importlib.util.spec_from_file_location(name, builder.compile(tmpdir=str(folder)))
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


@pytest.fixture(scope="session")
def integrators(tmp_path_factory: pytest.TempPathFactory) -> ModuleType:
    """The compiled integrators, as built from the present sources, in the place where a simulation looks for them."""
    module = _build(CSRC / "build_integrators.py", tmp_path_factory.mktemp("integrators"))
    previous = sys.modules.get("kanegen._integrators")
    sys.modules["kanegen._integrators"] = module
    yield module
    if previous is None:
        del sys.modules["kanegen._integrators"]
    else:
        sys.modules["kanegen._integrators"] = previous


@pytest.fixture(scope="session")
def library(tmp_path_factory: pytest.TempPathFactory) -> ModuleType:
    """The C functions above."""
    builder = FFI()
    builder.cdef(DECLARATIONS)
    builder.set_source("simulated_arms", SOURCE, libraries=[] if sys.platform == "win32" else ["m"])
    return _import(builder, "simulated_arms", tmp_path_factory.mktemp("simulated_arms"))


@pytest.fixture(scope="session")
def arms(integrators: ModuleType, library: ModuleType) -> SimpleNamespace:
    """The mechanisms."""

    def arm(name: str, nq: int, nv: int, energy: Any = None, prepared: Any = None, **functions: str) -> Arm:
        pointers = {
            kernel: library.ffi.addressof(library.lib, function) for kernel, function in functions.items()
        }
        return Arm(name, nq, nv, pointers, energy, prepared=prepared, library=library)

    live = library.ffi.new("prepared_pendulum *", {"g_over_l": 4.0})
    return SimpleNamespace(
        pendulum=arm("pendulum", 1, 1, _pendulum_energy, forward_dynamics="pendulum_dynamics"),
        oscillator=arm("oscillator", 1, 1, forward_dynamics="oscillator_dynamics"),
        double_pendulum=arm(
            "double_pendulum",
            2,
            2,
            _double_pendulum_energy,
            forward_dynamics="double_pendulum_dynamics",
            feedback_law="law",
        ),
        body=arm("body", 4, 3, forward_dynamics="body_dynamics", coordinate_rates="body_rates"),
        leaving=arm("leaving", 1, 1, forward_dynamics="leaving_dynamics"),
        exploding=arm("exploding", 1, 1, forward_dynamics="exploding_dynamics"),
        live_pendulum=arm(
            "live_pendulum",
            1,
            1,
            prepared=live,
            forward_dynamics="prepared_dynamics",
            swinging_law="prepared_law",
        ),
    )


@pytest.fixture(params=["compiled", "interpreted"])
def double_pendulum(arms: SimpleNamespace, request: pytest.FixtureRequest) -> Any:
    """The double pendulum, simulated in C and in NumPy."""
    return replace(arms.double_pendulum, interpreted=request.param == "interpreted")
