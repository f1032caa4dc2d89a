"""Mechanisms of the catalogue as robots with kernels in body coordinates, compiled as they are derived."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import kanegen
from kanegen.codegen.derivation import euler_parameters
from kanegen.codegen.emit.model import Model
from kanegen.codegen.emit.writer import write_model
from kanegen.codegen.mechanism import Mechanism, catalogue
from kanegen.codegen.mechanism.speeds import described_speed
from kanegen.codegen.mechanism.values import numeric
from kanegen.codegen.passes.schedule import schedule
from kanegen.manifest import BodyCoordinates


@cache
def robot(name: str) -> kanegen.Robot:
    """The mechanism of that name with these kernels alone."""
    return compiled(catalogue.mechanism(name))


def compiled(mechanism: Mechanism) -> kanegen.Robot:
    """A mechanism with these kernels alone, without the passes that make them small."""
    directory = Path(mkdtemp()) / mechanism.name
    write_model(_model(mechanism), directory)
    return kanegen.load(directory)


def _model(mechanism: Mechanism) -> Model:
    programs = euler_parameters.programs(mechanism)
    coordinates = mechanism.coordinates
    speeds = tuple(getattr(s, "joint", described_speed(s)) for s in mechanism.speeds) or coordinates
    return Model(
        name=mechanism.name,
        prefix=mechanism.name,
        hash="0123456789abcdef" * 4,
        nq=len(coordinates),
        nv=len(speeds),
        coordinate_names=coordinates,
        joint_names=coordinates,
        body_names=tuple(body.name for body in mechanism.bodies),
        frame_names=(),
        gravity=tuple(float(numeric(g, mechanism)) for g in mechanism.gravity),
        kernels=tuple(schedule(program) for program in programs.values()),
        speed_names=speeds,
        home=tuple(float(numeric(q, mechanism)) for q in mechanism.home) or (0.0,) * len(coordinates),
        body_coordinates=BodyCoordinates(
            tuple(euler_parameters.names_of_bodies(mechanism)),
            tuple(euler_parameters.names_of_joints(mechanism)),
            tuple(row for row, _ in euler_parameters.names_of_constraints(mechanism)),
            tuple(euler_parameters.names_of_struts(mechanism)),
        ),
    )


@dataclass(frozen=True)
class Stub:
    """A robot with some of its members replaced."""

    inner: Any
    replaced: dict[str, Any]

    def __getattr__(self, name: str) -> Any:
        return self.replaced[name] if name in self.replaced else getattr(self.inner, name)


def stub(inner: Any, **replaced: Any) -> Stub:
    """``inner`` with other members."""
    return Stub(inner, replaced)
