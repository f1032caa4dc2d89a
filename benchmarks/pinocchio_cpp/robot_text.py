"""A URDF, read by Pinocchio itself, as the text that ``robot_model.hpp`` reads."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from benchmarks.drivers.build import BuildFailed
from kanegen.extras import install_command

try:
    import pinocchio
except ImportError:  # the peer is optional; model_text says so when it is asked for
    pinocchio = None

_AXES = {"X": (1.0, 0.0, 0.0), "Y": (0.0, 1.0, 0.0), "Z": (0.0, 0.0, 1.0)}
_KINDS = {"R": "revolute", "P": "prismatic"}


def model_text(urdf: str, coordinates: Sequence[str]) -> str:
    """What Pinocchio's own reader makes of a URDF, as lines for ``robot_model.hpp``.

    ``coordinates`` are the names of the joints in the order of the state rows.

    Raises:
        BuildFailed: where Pinocchio is not installed, and where its model has other joints.
    """
    if pinocchio is None:
        raise BuildFailed(f"Pinocchio C++: Pinocchio is not installed ({install_command('peers', 'pin')})")
    model = pinocchio.buildModelFromXML(urdf)
    names = [str(name) for name in model.names][1:]
    if sorted(names) != sorted(coordinates):
        raise BuildFailed(f"Pinocchio C++: it reads the joints {', '.join(names)}")
    lines = [_numbers(model.gravity.linear)]
    for number, name in enumerate(names, start=1):
        kind, axis = _kind_and_axis(model.joints[number])
        placement, inertia = model.jointPlacements[number], model.inertias[number]
        lines.append(
            f"{model.parents[number]} {kind} {_numbers(axis)} {list(coordinates).index(name)} "
            f"{_numbers(placement.rotation.ravel())} {_numbers(placement.translation)} "
            f"{_numbers([inertia.mass, *inertia.lever, *inertia.inertia.ravel()])}"
        )
    return "\n".join(lines) + "\n"


def _kind_and_axis(joint: Any) -> tuple[str, Iterable[float]]:
    name = str(joint.shortname()).removeprefix("JointModel")
    if len(name) == 2 and name[0] in _KINDS and name[1] in _AXES:
        return _KINDS[name[0]], _AXES[name[1]]
    for kind in _KINDS.values():
        if name == f"{kind.capitalize()}Unaligned":
            return kind, joint.extract().axis
    raise BuildFailed(f"Pinocchio C++: a joint of type {name} is not provided for")


def _numbers(values: Iterable[float]) -> str:
    return " ".join(repr(float(value)) for value in values)
