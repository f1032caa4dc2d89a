"""Everything that can be said of a mechanism, wherever it comes from."""

from __future__ import annotations

from kanegen.codegen.mechanism.doctor.checks import (
    check_attachments,
    check_inertias,
    check_joints,
    check_model_name,
    check_names,
)
from kanegen.codegen.mechanism.doctor.in_numbers import Place, of_mechanism
from kanegen.codegen.mechanism.doctor.resistance import check_resistance
from kanegen.codegen.mechanism.findings import Finding
from kanegen.codegen.mechanism.records import Mechanism


def examine(mechanism: Mechanism) -> tuple[Finding, ...]:
    """What is wrong or doubtful in a mechanism."""
    model = of_mechanism(mechanism)
    frames = [frame.name for frame in mechanism.frames]
    return (
        *check_model_name(model.place, mechanism.name, "mechanism"),
        *check_names(
            [Place(f"coordinate {name!r}") for name in mechanism.coordinates],
            mechanism.coordinates,
            "coordinate",
        ),
        *check_names([Place(f"frame {name!r}") for name in frames], frames, "frame"),
        *check_inertias(model),
        *check_joints(model),
        *check_resistance(mechanism),
        *check_attachments(mechanism),
    )
