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
import robots
from cffi import FFI
from simulated_arms import DECLARATIONS, SOURCE

import kanegen
from kanegen.builds import compiler
from kanegen.errors import NotCompiledError
from kanegen.manifest import LawRecord
from kanegen.simulation import Motion, simulate

CSRC = Path(importlib.util.find_spec("kanegen.csrc").origin).parent


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
    lossless: bool = True
    quaternions: tuple[int, ...] = ()
    laws: Mapping[str, LawRecord] = field(default_factory=dict)
    mode_names: tuple[str, ...] = ()
    link_ends: Mapping[str, Mapping[str, tuple[float, ...]]] = field(default_factory=dict)
    optional_kernels: tuple[str, ...] = ()
    depends_on_time: bool = False

    def at(self, t: Any) -> Arm:
        return self

    @property
    def coordinate_names(self) -> tuple[str, ...]:
        return tuple(f"q{i}" for i in range(self.nq))

    @property
    def speed_names(self) -> tuple[str, ...]:
        return tuple(f"v{i}" for i in range(self.nv))

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

    def prepared_address_of(self, name: str) -> int | None:
        return self.prepared_address

    def kernel_address(self, name: str) -> int:
        if self.interpreted:
            raise NotCompiledError(f"{self.name} is interpreted")
        return self._address(self.functions[name])

    def bind(self, name: str) -> Any:
        square = self.nv, self.nv
        sizes = {"t": 1, "T": (), "U": (), "v": self.nv, "tau": self.nv, "a": self.nv} | dict.fromkeys(
            ("dq", "dv", "dtau"), square
        )
        names = {
            "forward_dynamics": "q v tau a",
            "coordinate_rates": "q v qdot",
            "kinetic_energy": "q v T",
            "potential_energy": "q U",
            "forward_dynamics_derivatives": "q v tau dq dv dtau",
        }.get(name, "t q v tau").split()
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


def _body_energy(q: Any, v: Any) -> tuple[Any, Any]:
    return 0.5 * (v**2 * [1.0, 2.0, 3.0]).sum(axis=-1), 0.0 * q[..., 0]


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

    follower = library.ffi.new("prepared_follower *", {"stiffness": 1e4, "damping": 1e2})
    live = library.ffi.new("prepared_pendulum *", {"g_over_l": 4.0})
    return SimpleNamespace(
        pendulum=arm(
            "pendulum",
            1,
            1,
            _pendulum_energy,
            forward_dynamics="pendulum_dynamics",
            kinetic_energy="pendulum_kinetic",
            potential_energy="pendulum_potential",
            forward_dynamics_derivatives="pendulum_derivatives",
        ),
        oscillator=arm(
            "oscillator",
            1,
            1,
            forward_dynamics="oscillator_dynamics",
            forward_dynamics_derivatives="oscillator_derivatives",
        ),
        double_pendulum=arm(
            "double_pendulum",
            2,
            2,
            _double_pendulum_energy,
            forward_dynamics="double_pendulum_dynamics",
            forward_dynamics_derivatives="double_pendulum_derivatives",
            feedback_law="law",
        ),
        body=arm(
            "body",
            4,
            3,
            _body_energy,
            forward_dynamics="body_dynamics",
            coordinate_rates="body_rates",
            kinetic_energy="body_kinetic",
            potential_energy="body_potential",
        ),
        follower=arm(
            "follower",
            2,
            2,
            prepared=follower,
            forward_dynamics="follower_dynamics",
            forward_dynamics_derivatives="follower_derivatives",
        ),
        leaving=arm(
            "leaving",
            1,
            1,
            forward_dynamics="leaving_dynamics",
            forward_dynamics_derivatives="leaving_derivatives",
        ),
        exploding=arm(
            "exploding",
            1,
            1,
            forward_dynamics="exploding_dynamics",
            forward_dynamics_derivatives="exploding_derivatives",
        ),
        live_pendulum=arm(
            "live_pendulum",
            1,
            1,
            prepared=live,
            forward_dynamics="prepared_dynamics",
            swinging_law="prepared_law",
        ),
    )


@pytest.fixture(params=["compiled", "numpy"])
def in_numpy(arms: SimpleNamespace, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> bool:
    """Whether motions are simulated in NumPy, as on a machine without a compiler."""
    if request.param == "numpy":
        monkeypatch.setitem(sys.modules, "kanegen._integrators", None)  # importing it fails
    return bool(request.param == "numpy")


@pytest.fixture
def double_pendulum(arms: SimpleNamespace, in_numpy: bool) -> Any:
    """The double pendulum, simulated in C and in NumPy."""
    return replace(arms.double_pendulum, interpreted=in_numpy)


@pytest.fixture
def both(arms: SimpleNamespace, monkeypatch: pytest.MonkeyPatch) -> Callable[..., tuple[Motion, Motion]]:
    """Motions of two robots, of which the second is interpreted: the first in C, the second in NumPy."""

    def motions(compiled: Any, interpreted: Any, *arguments: Any, **settings: Any) -> tuple[Motion, Motion]:
        first = simulate(compiled, *arguments, **settings)
        with monkeypatch.context() as patch:
            patch.setitem(sys.modules, "kanegen._integrators", None)
            return first, simulate(interpreted, *arguments, **settings)

    return motions


# ---- robots whose C was written by hand, and where compiled ones are kept ----


@pytest.fixture(params=["compiled", "interpreted"])
def cart_pole(request: pytest.FixtureRequest) -> kanegen.Robot:
    """The cart with a pendulum, compiled and interpreted."""
    return robots.cart_pole() if request.param == "compiled" else robots.interpreted_cart_pole()


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache."""
    monkeypatch.setenv("KANEGEN_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def no_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine without any compiler."""
    monkeypatch.delenv("CC", raising=False)
    monkeypatch.setattr(compiler.shutil, "which", lambda _: None)
