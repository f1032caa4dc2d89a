"""A study: the record of everything that the numbers of a sweep depend on, with its hash."""

from __future__ import annotations

import functools
import hashlib
import json
import platform
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from kanegen.arrays import FloatArray
from kanegen.errors import ModelError, shown
from kanegen.json_records import to_json
from kanegen.manifest import KernelSpec
from kanegen.simulation import simulate_many
from kanegen.simulation.arm import active_constraints
from kanegen.sweeps.draws import Draw, draw, drawn, points, whole
from kanegen.version import VERSION

GIVEN = ("t", "q", "v", "x")
"""What an output may depend on, at the end of a run."""

_TOGETHER = 1 << 16
"""Runs whose parameters are checked at once."""


@dataclass(frozen=True)
class Study:
    """A sweep, as far as its numbers depend on it.

    ``model`` is the robot's name, ``sources`` the SHA-256 of its C, ``version`` kanegen's, ``machine`` and ``target`` the
    kind of processor and its instruction set.  ``settings`` are those of ``simulate_many``.  ``q0``, ``v0`` and
    ``parameters`` hold for all runs but for what ``draws`` says; each point of the grid has ``samples`` with random numbers
    from ``seed``.  ``chunk`` runs are computed together.  ``units`` has the columns of the table in order, with their units.
    """

    model: str
    sources: tuple[str, ...]
    version: str
    machine: str
    target: str
    duration: float
    controller: str | None
    settings: Mapping[str, Any]
    q0: tuple[float, ...]
    v0: tuple[float, ...]
    parameters: Mapping[str, float]
    draws: tuple[Draw, ...]
    samples: int
    seed: int
    chunk: int
    outputs: tuple[str, ...]
    units: Mapping[str, str]

    @property
    def runs(self) -> int:
        """How many there are."""
        return points(self.draws) * self.samples

    @property
    def chunks(self) -> int:
        """How many there are."""
        return -(-self.runs // self.chunk)

    def span(self, index: int) -> tuple[int, int]:
        """The first run of a chunk, and the first one after it."""
        return index * self.chunk, min((index + 1) * self.chunk, self.runs)

    def given(self, first: int, last: int) -> dict[str, FloatArray]:
        """What differs among the runs from ``first`` to before ``last``, by column (n,)."""
        return drawn(self.draws, self.samples, self.seed, first, last)

    @functools.cached_property
    def digest(self) -> str:
        """The SHA-256 of the record."""
        return hashlib.sha256(json.dumps(to_json(self), sort_keys=True).encode()).hexdigest()


def study_of(
    arm: Any,
    duration: float,
    controller: str | None,
    settings: Mapping[str, Any],
    *,
    q0: Any,
    v0: Any,
    parameters: Mapping[str, Any],
    samples: int | None,
    seed: int,
    chunk: int,
    outputs: Sequence[str],
) -> tuple[Study, Any]:
    """The study of a robot but for its sources, as ``sweep`` is asked for it, and the robot with the parameters of all runs.

    Raises ModelError for what is wrong with draws and outputs, and what ``simulate_many`` raises for the rest.
    """
    draws: list[Draw] = []
    fixed = _fixed("parameters", "p", parameters, draws)
    arm = arm.with_parameters(fixed) if fixed else arm
    arm.of_states({one.column[2:]: np.ones(0) for one in draws})  # which says what is not live
    states = [_state(arm, "q", q0, draws), _state(arm, "v", v0, draws)]
    settings = json.loads(json.dumps(dict(settings), default=_listed))  # as they will be recorded
    specs = {name: spec for name, (spec, _) in arm.made_of(_named(outputs))[1].items()}
    nothing = np.zeros((0, arm.nq)), np.zeros((0, arm.nv))
    simulate_many(arm, *nothing, duration, controller, **settings)
    found = Study(
        model=arm.name,
        sources=(),
        version=VERSION,
        machine=platform.machine(),
        target=arm.target,
        duration=float(duration),
        controller=controller,
        settings=settings,
        q0=tuple(states[0].tolist()),
        v0=tuple(states[1].tolist()),
        parameters=dict(arm.parameters),
        draws=tuple(draws),
        samples=_samples(samples, draws),
        seed=whole("seed", seed, 0),
        chunk=whole("chunk", chunk, 1),
        outputs=tuple(specs),
        units=dict(_columns(arm, controller, draws, specs, rows="times" in settings)),
    )
    if found.runs >> 62:
        raise ModelError("sweep", f"has {found.runs} runs", "fewer than 2^62", "Give fewer values.")
    return found, arm


def check_parameters(arm: Any, study: Study) -> None:
    """Look at the parameters of all runs as ``with_parameters`` does.  Raises ModelError, which says in which runs."""
    if not any(one.column.startswith("p.") for one in study.draws):
        return
    for first in range(0, study.runs, _TOGETHER):
        last = min(first + _TOGETHER, study.runs)
        values = study.given(first, last).items()
        try:
            arm.of_states({column[2:]: x for column, x in values if column.startswith("p.")}, looks=False)
        except ModelError as error:
            where = f"{error.where}, of the runs from {first} on"
            raise ModelError(where, error.what, error.expected, error.cure) from None


def _fixed(where: str, prefix: str, given: Mapping[str, Any], draws: list[Draw]) -> dict[str, Any]:
    """What does not differ; what does is added to ``draws``."""
    if not isinstance(given, Mapping):
        raise ModelError(where, f"is {shown(given)}", "values by name", "Give them by name.")
    varied = {name: value for name, value in given.items() if isinstance(value, Mapping)}
    draws += [draw(f"{where}, {name}", f"{prefix}.{name}", value) for name, value in varied.items()]
    return {name: value for name, value in given.items() if name not in varied}


def _state(arm: Any, letter: str, given: Any, draws: list[Draw]) -> FloatArray:
    """q0 (nq,) or v0 (nv,) where nothing differs.  Raises ModelError, ValueError."""
    where, count = f"{letter}0", len(draws)
    of, places = (
        (arm.configuration, arm.coordinate_places) if letter == "q" else (arm.speeds, arm.speed_places)
    )
    state: FloatArray = of(_fixed(where, where, given, draws) if isinstance(given, Mapping) else given)
    if state.ndim != 1:
        raise ModelError(where, f"has the shape {state.shape}", "one state", "Give draws by name.")
    turned = {start + k for start in arm.quaternions for k in range(4)} if letter == "q" else set()
    for name in (one.column[3:] for one in draws[count:]):
        if name not in places:
            of({name: 0.0})  # which says so
        if len(places[name]) > 1 or turned.intersection(places[name]):
            raise ModelError(
                f"{where}, {name}",
                "is drawn, and is more than a number or an entry of a quaternion",
                "a coordinate or speed that is one number",
                f"Give {name} a fixed value.",
            )
    return state


def _samples(given: Any, draws: Sequence[Draw]) -> int:
    random = [one.column for one in draws if one.kind != "grid"]
    if not draws:
        raise ModelError(
            "sweep", "nothing differs among its runs", "a draw", "Give one, or simulate it once."
        )
    if given is None and random:
        raise ModelError("samples", "is missing", f"how often {random[0]} is drawn", "Give it.")
    found = whole("samples", 1 if given is None else given, 1)
    if found > 1 and not random:
        raise ModelError(
            "samples", f"is {found}", "something that is drawn", "Leave it out: there is a grid alone."
        )
    return found


def _named(outputs: Any) -> tuple[str, ...]:
    if isinstance(outputs, str) or not all(isinstance(name, str) for name in outputs):
        raise ModelError("outputs", f"is {shown(outputs)}", "a list of names of kernels", "Give one.")
    twice = [name for i, name in enumerate(outputs) if name in outputs[:i]]
    if twice:
        raise ModelError("outputs", f"has {twice[0]!r} twice", "each once", "Leave one out.")
    return tuple(outputs)


def _listed(value: Any) -> Any:
    """A setting that JSON does not have, as lists and numbers."""
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    raise TypeError(f"sweep: expected settings of numbers, texts and lists of them, got {shown(value)}")


def _columns(
    arm: Any, law: str | None, draws: Sequence[Draw], outputs: Mapping[str, KernelSpec], rows: bool
) -> Iterator[tuple[str, str]]:
    """The columns of the table in order, with their units."""
    yield "run", ""
    skeleton = arm.skeleton
    states = [one.name for one in arm.laws[law].states] if law in arm.laws else []
    kinds = (
        ("q", arm.coordinate_names, None if skeleton is None else skeleton.units),
        ("v", arm.speed_names, None if skeleton is None else skeleton.rates),
        ("x", states, None),
    )
    names = [
        (f"{letter}.{name}", unit)
        for letter, of, units in kinds
        for name, unit in zip(of, units or [""] * len(of), strict=True)
    ]
    units = {f"{name[0]}0{name[1:]}": unit for name, unit in names}
    units |= {f"p.{name}": parameter.unit for name, parameter in arm.parameter_table.items()}
    yield from ((one.column, units[one.column]) for one in draws)
    yield from (("status", ""), ("t", "s"), *names)
    for kernel, spec in outputs.items():
        strange = [x.name for x in spec.inputs if x.name not in GIVEN]
        if strange:
            raise ModelError(
                f"outputs, {kernel}",
                f"takes {', '.join(strange)}",
                "a kernel of t, q, v and the states x of a law",
                "Leave it out, and compute it from the table.",
            )
        for out in spec.outputs:
            name = kernel if len(spec.outputs) == 1 else f"{kernel}.{out.name}"
            yield from ((name + f".{k + 1}" * bool(out.shape), out.unit) for k in range(out.size))
    yield from (("accepted", ""), ("rejected", ""))
    if active_constraints(arm) is not None:
        yield "drift", ""
    if rows:
        forces = skeleton.forces if skeleton is not None else [""] * arm.nv
        tau = [(f"tau.{name}", unit) for name, unit in zip(arm.speed_names, forces, strict=True)]
        yield from ((f"rows.{name}", unit) for name, unit in (*names, *tau))
