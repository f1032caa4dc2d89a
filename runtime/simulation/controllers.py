"""The forms in which a controller is given to a simulation, told apart and checked."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from kanegen.arrays import FloatArray
from kanegen.boundary import calls_user
from kanegen.errors import nearest
from kanegen.laws import Law, from_text
from kanegen.manifest import LawRecord
from kanegen.simulation.arm import SimulatedArm
from kanegen.simulation.references import NO_INPUTS, LawInputs, checked_signals
from kanegen.simulation.request import checked_vector, real_numbers

C_CONTROLLER = "void(*)(double, const double *, const double *, double *, void *)"
_FIRST_ADDRESS = 0x10000
"""No system puts anything that programs use below this."""

C_LAW = "void(*)(const double *, const double *, const double *, double *)"


@dataclass(frozen=True)
class PythonController:
    """``function(t, q, v) -> tau``; ``function(t, q, v, x) -> (tau, xdot)`` with states; r last with signals."""

    function: Callable[..., Any]


@dataclass(frozen=True)
class CController:
    """A C function of type ``C_CONTROLLER`` at an address, and the address handed to it as its last argument."""

    address: int
    data: int


@dataclass(frozen=True)
class CLaw:
    """A C function of type ``C_LAW``, the form of a compiled kernel, at an address."""

    address: int


@dataclass(frozen=True)
class KernelController:
    """A kernel of the mechanism, with inputs t, q, v and output tau; x and xdot with states, r with signals."""

    name: str
    law: LawRecord


Controller = PythonController | CController | CLaw | KernelController | None


def recognize_controller(controller: Any, arm: SimulatedArm, data: Any = None) -> Controller:
    """The controller in its form; ``ValueError`` where it is none, or does not fit the mechanism."""
    recognized: Controller
    if isinstance(controller, str) and "(" in controller:
        controller = from_text(controller)
    controller = controller.controller(arm) if isinstance(controller, Law) else controller
    if controller is None:
        recognized = None
    elif isinstance(controller, str):
        recognized = _kernel(controller, arm)
    elif is_cdata(controller):
        recognized = c_function(controller, data)
    elif callable(controller):
        recognized = PythonController(controller)
    else:
        recognized = CController(_code_address("controller", controller), _data_address(data))
    if data is not None and not isinstance(recognized, CController):
        raise ValueError(
            f"controller_data belongs to a C function of type {C_CONTROLLER}, got {controller!r}"
        )
    return recognized


Force = Callable[..., FloatArray]
"""``force(t, q, v, x)``: (tau, xdot) as an array (nv + nx,), from all that is integrated."""


def law_inputs(controller: Controller, x0: Any, references: Mapping[str, Any], end: float) -> LawInputs:
    """What the controller has beside time and the state of the mechanism, in a motion until ``end``.

    Raises ValueError for what does not fit.
    """
    names: tuple[str, ...] | None = ()
    states: int | None = 0
    if isinstance(controller, KernelController):
        law = controller.law
        names, states = law.references, len(law.states)
        x0 = [state.value for state in law.states] if x0 is None else x0
    elif isinstance(controller, PythonController):
        names, states = _own(controller.function, "references"), None
        x0 = _own(controller.function, "x0") if x0 is None else x0
    signals = tuple(signal.until(end) for signal in checked_signals(names, references))
    x = np.zeros(0) if x0 is None else real_numbers(x0)
    if x.ndim != 1 or states not in (None, x.size) or not np.isfinite(x).all():
        count = "some" if states is None else f"({states},)"
        raise ValueError(f"x0: expected {count} finite numbers, one for each state of the law, got {x0!r}")
    return LawInputs(x, signals) if x.size or signals else NO_INPUTS


def _own(function: Any, attribute: str) -> Any:
    """What a law written as a class says of itself; callables that have any attribute one asks for say nothing."""
    found = getattr(function, attribute, None)
    return found if isinstance(found, tuple | list | np.ndarray) else None


def as_python(controller: Controller, arm: SimulatedArm, inputs: LawInputs = NO_INPUTS) -> Force | None:
    """Any controller as a Python callable."""
    if controller is None:
        return None
    if isinstance(controller, PythonController):
        return checked_force(controller.function, arm, inputs)
    if isinstance(controller, KernelController):
        return _bound_kernel(controller.name, arm, inputs)
    function = called_in_c(controller, arm.nv)
    return lambda t, q, v, x: function(t, q, v)


def _kernel(name: str, arm: SimulatedArm) -> KernelController:
    known_laws, record = _laws_of(arm), arm.laws.get(name, LawRecord())
    if name in known_laws:
        return KernelController(name, record)
    if name not in arm.kernels:
        reason = getattr(arm, "unavailable", {}).get(name)
        why = "" if reason is None else f": {reason.rstrip('.')}"
        raise ValueError(f"controller: {arm.name} has no law {name!r}{why}. {_laws_there_are(arm, name)}")
    arguments, wanted = _arguments(arm, name)
    if arguments != wanted:
        raise ValueError(
            f"controller: kernel {name!r} of {arm.name} is no control law: its arguments must be t, q, v and tau in "
            f"double precision, and are {', '.join(symbol for symbol, _, _ in arguments)}. {_laws_there_are(arm, name)}"
        )
    known_laws.add(name)
    return KernelController(name, record)


def _arguments(arm: SimulatedArm, name: str) -> tuple[list[Any], list[Any]]:
    """Name, type and size of what a kernel takes and gives, and what these are of a law of this name."""
    record = arm.laws.get(name, LawRecord())
    nx, signals = len(record.states), len(record.references)
    wanted = {"t": 1, "q": arm.nq, "v": arm.nv, "x": nx, "r": 3 * signals, "tau": arm.nv, "xdot": nx}
    arguments = [(symbol, array.dtype, array.size) for symbol, array in vars(arm.bind(name)).items()]
    return arguments, [(symbol, np.dtype(np.float64), size) for symbol, size in wanted.items() if size]


def _laws_there_are(arm: SimulatedArm, name: str) -> str:
    """The cure for a law that there is not."""
    laws = sorted(law for law in arm.kernels if operator.eq(*_arguments(arm, law)))
    if laws:
        near = nearest(name, laws)
        return f"It has {', '.join(laws)}." + (f" Did you mean {near!r}?" if near else "")
    return (
        "It has none: give one of kanegen.laws, such as pd(kp=100, kd=20), or load it with laws={'hold': ...} (--add-law on "
        "the command line)"
    )


_LAWS: WeakKeyDictionary[SimulatedArm, set[str]] = WeakKeyDictionary()


def _laws_of(arm: SimulatedArm) -> set[str]:
    """Kernels of the mechanism that have been found to be control laws, so that each is looked at once."""
    try:
        return _LAWS.setdefault(arm, set())
    except TypeError:  # an arm that cannot be referred to weakly is looked at every time
        return set()


def c_function(function: Any, data: Any, where: str = "controller") -> CController | CLaw:
    """A cffi function pointer, its type checked; ``where`` names it in errors."""
    kind = _ffi().typeof(function)
    for declaration in (C_CONTROLLER, C_LAW):
        if kind is _ffi().typeof(declaration):
            address = _address(where, int(_ffi().cast("uintptr_t", function)))
            return CController(address, _data_address(data)) if declaration is C_CONTROLLER else CLaw(address)
    raise ValueError(
        f"{where}: a C function must have type {C_CONTROLLER}, or {C_LAW} as a kernel has, got {kind.cname}"
    )


def _address(name: str, value: Any) -> int:
    try:
        address = operator.index(value)
    except TypeError:
        raise ValueError(
            f"{name} must be None, a callable, the name of a kernel, a C function pointer or its address, got {value!r}"
        ) from None
    if isinstance(value, bool) or not 0 < address < 2**64:
        raise ValueError(f"{name}: {value!r} is no address of a C function")
    return address


def _code_address(name: str, value: Any) -> int:
    """A bare integer as the address of a function: it must lie in memory that may be executed, where the system tells."""
    address = _address(name, value)
    if address < _FIRST_ADDRESS or not _may_be_executed(address):
        raise ValueError(
            f"{name}: {value!r} is no address of a C function: no code lies there in this process"
        )
    return address


def _may_be_executed(address: int) -> bool:
    """Whether code may lie at an address: what Linux says of the memory of this process; elsewhere, True."""
    try:
        lines = Path("/proc/self/maps").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return True
    for line in lines:
        extent, modes = line.split(maxsplit=2)[:2]
        begin, _, end = extent.partition("-")
        if int(begin, 16) <= address < int(end, 16):
            return "x" in modes
    return False


def _data_address(data: Any) -> int:
    if data is None:
        return 0
    is_pointer = is_cdata(data) and _ffi().typeof(data).kind in ("pointer", "array")
    is_address = isinstance(data, int) and 0 <= data < 2**64
    if not (is_pointer or is_address):
        raise ValueError(f"controller_data must be a cffi pointer or an address, got {data!r}")
    return int(_ffi().cast("uintptr_t", data))


@functools.cache
def _ffi() -> Any:
    """The C types; imported when a C function is first given, because it brings a parser of C with it."""
    from cffi import FFI

    return FFI()


def is_cdata(value: Any) -> bool:
    """Whether it is an object of cffi."""
    return type(value).__module__ == "_cffi_backend"


@calls_user
def controller_result(function: Callable[..., Any], *state: Any) -> Any:
    """What a controller in Python returns; what it raises is its own."""
    return function(*state)


def checked_force(function: Callable[..., Any], arm: SimulatedArm, inputs: LawInputs) -> Force:
    """What a Python controller returns, as a new array (nv + nx,)."""
    nx = inputs.x0.size

    def tau(given: Any) -> FloatArray:
        return _checked_vector("tau", arm.speeds(given) if isinstance(given, dict) else given, arm.nv)

    def call(t: float, q: FloatArray, v: FloatArray, x: FloatArray) -> FloatArray:
        found = controller_result(function, t, q, v, *inputs.of(t, x))
        if not nx:
            return tau(found)
        if not isinstance(found, tuple | list) or len(found) != 2:
            raise ValueError(f"the controller has states: expected (tau, xdot), got {found!r}")
        return np.concatenate([tau(found[0]), _checked_vector("xdot", found[1], nx)])

    return call


def _checked_vector(what: str, values: Any, length: int) -> FloatArray:
    try:
        return checked_vector(values, length)
    except ValueError as error:
        raise ValueError(f"{what} returned by the controller: {error}") from None


def _bound_kernel(name: str, arm: SimulatedArm, inputs: LawInputs) -> Force:
    bound = arm.bind(name)
    arrays = list(vars(bound).values())
    outputs = arrays[-2:] if inputs.x0.size else arrays[-1:]

    def call(t: float, q: FloatArray, v: FloatArray, x: FloatArray) -> FloatArray:
        for array, value in zip(arrays, (t, q, v, *inputs.of(t, x)), strict=False):
            array[...] = value
        bound()
        return np.concatenate(outputs).astype(np.float64)

    return call


def called_in_c(
    controller: CController | CLaw, size: int
) -> Callable[[float, FloatArray, FloatArray], FloatArray]:
    """What a C function gives, ``size`` numbers, at a time and state."""
    is_law = isinstance(controller, CLaw)
    function = _ffi().cast(C_LAW if is_law else C_CONTROLLER, controller.address)
    data = () if isinstance(controller, CLaw) else (_ffi().cast("void *", controller.data),)

    def call(t: float, q: FloatArray, v: FloatArray) -> FloatArray:
        found = np.zeros(size)
        state = _ffi().from_buffer("double[]", q), _ffi().from_buffer("double[]", v)
        time = _ffi().new("double[1]", [t]) if is_law else t
        function(time, *state, _ffi().from_buffer("double[]", found), *data)
        return found

    return call
