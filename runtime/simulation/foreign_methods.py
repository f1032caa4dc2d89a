"""The integrators of SciPy and of SUNDIALS, fed with the equations of a mechanism: independent checks of the own methods.

What is integrated, forces, rows and works are those of every other method; only the steps are others'.  Their states are
not touched between steps, so that methods of several steps keep their past: where constraints or quaternions have drifted
by many tolerances, the integrator begins anew with the state brought back.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from kanegen.arrays import FloatArray
from kanegen.errors import KanegenError
from kanegen.extras import install_command
from kanegen.simulation.arm import SimulatedArm, kernel_function
from kanegen.simulation.hints import DERIVATIVES
from kanegen.simulation.motion import Status
from kanegen.simulation.numpy_integration import EPSILON, EndError, Integration
from kanegen.simulation.request import OWN, Request, obtain, why_not_stiff_method

NOT_COUNTED = 1e100
"""The tolerance of works, which have no part in errors."""

MOST_DRIFT = 100.0
"""Tolerances by which a state may have drifted before it is brought back."""

Jacobian = Callable[[float, FloatArray], FloatArray]
Step = tuple[float, FloatArray, Callable[[float], FloatArray]]
"""Where a step ends, the state there, and the interpolated state inside."""


class ForeignMethod:
    """An integrator of others; ``steps`` are those of one that begins at a state."""

    def __init__(self, run: Integration, arm: SimulatedArm) -> None:
        self._run = run
        self.request = run.request
        name = self.request.method
        self.library, _, self.name = name.partition(":")
        self.jacobian = None if self.name in EXPLICIT else _jacobian_of(run, arm)
        self.tolerances = np.full(run.y.size, NOT_COUNTED)
        self.tolerances[: run.n] = self.request.atol
        self._begin = {"scipy": _scipy_steps, "sundials": _sundials_steps}[self.library]

    def rate(self, t: float, y: FloatArray) -> FloatArray:
        """dy/dt, works included."""
        return self._run.rate_of_change(t, y)

    def advance(self, t_begin: float, t_end: float) -> None:
        """Advance the state from t_begin to t_end."""
        run = self._run
        if not np.isfinite(self.rate(t_begin, run.y)).all():
            raise EndError(Status.NOT_FINITE)
        while run.t < t_end:
            for t_next, y_next, inside in self._begin(self, run.t, run.y.copy(), t_end):
                run.write_rows_inside(t_next, inside)
                run.accept_step(t_next, y_next)
                if t_next < t_end:
                    run.write_rows_here()
                away = np.abs(run.y - y_next) / (self.tolerances + self.request.rtol * np.abs(y_next))
                if away.max() > MOST_DRIFT:
                    break

    def may_step(self) -> None:
        """Whether one more step may be taken.  Raises EndError."""
        self._run.may_step()


EXPLICIT = ("RK23", "RK45", "DOP853")


def _scipy_steps(method: ForeignMethod, t: float, y: FloatArray, t_end: float) -> Iterator[Step]:
    from scipy import integrate

    request = method.request
    given: dict[str, Any] = {"jac": method.jacobian} if method.jacobian is not None else {}
    rtol = max(request.rtol, 100 * EPSILON)  # the least that SciPy takes
    solver = getattr(integrate, method.name)(
        method.rate, t, y, t_end, rtol=rtol, atol=method.tolerances, max_step=request.max_step, **given
    )
    while solver.status == "running":
        method.may_step()
        solver.step()
        if solver.status == "failed":
            raise EndError(_failure(method, solver.t, solver.y))
        yield solver.t, solver.y.copy(), solver.dense_output()


def _sundials_steps(method: ForeignMethod, t: float, y: FloatArray, t_end: float) -> Iterator[Step]:
    from sksundae.cvode import CVODE

    request = method.request
    raised: list[BaseException] = []

    def guarded(function: Callable[[float, FloatArray], FloatArray], into: FloatArray, *state: Any) -> None:
        """What is raised must not pass through the library: it ends the integration, and is raised after that."""
        try:
            into[...] = function(*state) if not raised else np.nan
        except BaseException as error:  # noqa: BLE001  (raised again below)
            raised.append(error)
            into[...] = np.nan

    def rate(t: float, y: FloatArray, into: FloatArray) -> None:
        guarded(method.rate, into, t, y.copy())

    def jacobian(t: float, y: FloatArray, _: FloatArray, into: FloatArray) -> None:
        assert method.jacobian is not None
        guarded(method.jacobian, into, t, y.copy())

    given: dict[str, Any] = {"jacfn": jacobian} if method.jacobian is not None else {}
    solver = CVODE(
        rate,
        method=method.name,
        rtol=request.rtol,
        atol=method.tolerances,
        max_step=0.0 if np.isinf(request.max_step) else request.max_step,
        **given,
    )
    solver.init_step(t, y)

    def inside(at: float) -> FloatArray:
        return np.array(solver.step(at, method="normal", tstop=t_end).y)

    while t < t_end:
        method.may_step()
        found = solver.step(t_end, method="onestep", tstop=t_end)
        if raised:
            raise raised[0]
        if not found.success or not np.isfinite(found.y).all():
            raise EndError(_failure(method, t, y))
        if found.t > t:  # else it returns to where it was before rows inside the last step were asked for
            t, y = float(found.t), np.array(found.y)
            yield t, y, inside


def _failure(method: ForeignMethod, t: float, y: FloatArray) -> Status:
    finite = np.isfinite(y).all() and np.isfinite(method.rate(t, y)).all()
    return Status.STEP_UNDERFLOW if finite else Status.NOT_FINITE


def _jacobian_of(run: Integration, arm: SimulatedArm) -> Jacobian | None:
    """The derivatives of dy/dt by y, from the kernel of those of the accelerations; None where there is none.

    What the force adds is found by differences of the force alone.  Rows of works are left out: nothing depends on them.
    """
    if why_not_stiff_method(arm) is not None or DERIVATIVES not in (*arm.kernels, *arm.optional_kernels):
        return None
    obtain(arm, DERIVATIVES, run.request.method)
    derivatives, nv, n = kernel_function(arm, DERIVATIVES), arm.nv, run.n

    def jacobian(t: float, y: FloatArray) -> FloatArray:
        force = run.force(t, y)
        dq, dv, dtau = derivatives(y[:nv], y[nv : 2 * nv], force[:nv])
        found = np.zeros((y.size, y.size))
        found[:nv, nv : 2 * nv] = np.eye(nv)
        found[nv : 2 * nv, : 2 * nv] = np.hstack([dq, dv])
        for j in range(n if run.force_varies else 0):
            beside = y.copy()
            beside[j] += np.sqrt(EPSILON) * max(1.0, abs(y[j]))
            change = (run.force(t, beside) - force) / (beside[j] - y[j])
            found[nv : 2 * nv, j] += dtau @ change[:nv]
            found[2 * nv : n, j] = change[nv : nv + n - 2 * nv]
        return found

    return jacobian


def check_library(request: Request) -> None:
    """Raise KanegenError where the library of a foreign method is missing, ValueError for what it cannot do."""
    library, _, _ = request.method.partition(":")
    package = {"scipy": "scipy", "sundials": "scikit-sundae"}[library]
    try:
        if library == "scipy":
            import scipy.integrate  # noqa: F401
        else:
            import sksundae.cvode  # noqa: F401
    except ImportError:
        raise KanegenError(
            f"method {request.method!r} needs {package}, which is not installed. Install it: "
            f"{install_command(library, package)}"
        ) from None
    if request.events:
        raise ValueError(
            f"events end steps, and those of {request.method!r} are chosen by others. Use one of "
            f"{', '.join(map(repr, OWN))}"
        )
