"""From a compiled model to a mechanism."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

from kanegen.codegen.mechanism.axis_relations import as_meant
from kanegen.codegen.mechanism.builder import MechanismBuilder
from kanegen.codegen.mechanism.findings import Finding, tell
from kanegen.codegen.mechanism.importers.mjcf.bodies import Tree, add_bodies, with_resistance
from kanegen.codegen.mechanism.importers.mjcf.coupling import (
    add_equalities,
    notes,
)
from kanegen.codegen.mechanism.importers.mjcf.loops import independent_speeds
from kanegen.codegen.mechanism.importers.mjcf.names import Names
from kanegen.codegen.mechanism.importers.mjcf.placing import to_fraction
from kanegen.codegen.mechanism.importers.mjcf.source import Source, compiled
from kanegen.codegen.mechanism.importers.mjcf.springs import add_springs
from kanegen.codegen.mechanism.importers.mjcf.ties import joint_ties
from kanegen.codegen.mechanism.importers.mjcf.unsupported import disabled, doubtful, refuse_unsupported
from kanegen.codegen.mechanism.importers.model_file import Imported
from kanegen.codegen.mechanism.records import Mechanism
from kanegen.codegen.mechanism.rounded_angles import ANGLE_TOLERANCE
from kanegen.codegen.mechanism.speeds import JointRate
from kanegen.codegen.mechanism.validation import validated
from kanegen.errors import ModelError


def read(
    path: str | os.PathLike[str],
    *,
    floating_base: bool = False,
    allow_unphysical: bool = False,
    angle_tolerance: float = ANGLE_TOLERANCE,
) -> Imported:
    """The mechanism of an MJCF file.  Raises ModelError.

    ``floating_base`` lets the one body that stands on the world move freely, unless the file does so itself;
    ``angle_tolerance`` is as in ``read_file``, for angles in radians.
    """
    source = compiled(Path(path), angle_tolerance)
    return _imported(source, Path(path).stem, floating_base, allow_unphysical)


def from_mjcf(
    path_or_text: str | os.PathLike[str],
    *,
    floating_base: bool = False,
    allow_unphysical: bool = False,
    angle_tolerance: float = ANGLE_TOLERANCE,
) -> Mechanism:
    """The mechanism of an MJCF file, or of a text that is MJCF itself.  Raises ModelError."""
    if isinstance(path_or_text, str) and "<" in path_or_text:
        source = compiled(path_or_text, angle_tolerance)
        imported = _imported(source, "mechanism", floating_base, allow_unphysical)
    else:
        imported = read(
            path_or_text,
            floating_base=floating_base,
            allow_unphysical=allow_unphysical,
            angle_tolerance=angle_tolerance,
        )
    tell(imported.findings)
    return imported.mechanism


def _imported(source: Source, title: str, floating_base: bool, allow_unphysical: bool) -> Imported:
    mujoco, model = source.mujoco, source.model
    try:
        names = Names(mujoco, model)
        refuse_unsupported(mujoco, model, names)
        mechanism, noticed = _mechanism(mujoco, model, names, title, floating_base, allow_unphysical)

        def as_written() -> Mechanism:
            if source.written is None:
                return mechanism
            again = Names(mujoco, source.written)
            return _mechanism(mujoco, source.written, again, title, floating_base, allow_unphysical)[0]

        source.angles.computed()
        meant = as_meant(mechanism, source.angles, as_written)
    except ModelError as error:
        if source.file is None:
            raise
        raise ModelError(f"{source.file}: {error.where}", error.what, error.expected, error.cure) from None
    findings = [
        *source.findings,
        *names.findings,
        *noticed,
        *doubtful(mujoco, model, names),
        *notes(mujoco, model, names),
    ]
    located = tuple(replace(finding, file=source.file) for finding in findings)
    return Imported(meant, located, source.angles, described=mechanism)


def _mechanism(
    mujoco: ModuleType,
    model: Any,
    names: Names,
    title: str,
    floating_base: bool,
    allow_unphysical: bool,
) -> tuple[Mechanism, tuple[Finding, ...]]:
    """The mechanism, and what is idle in it or not quite as in MuJoCo."""
    weightless = disabled(mujoco, model, "GRAVITY")
    gravity = [0.0] * 3 if weightless else [float(g) for g in model.opt.gravity]
    builder = MechanismBuilder(_model_name(model) or title, gravity)
    tree = Tree(mujoco, model, names, builder, joint_ties(mujoco, model, names))
    add_bodies(tree, floating_base)
    loops = add_equalities(tree)
    add_springs(tree)
    if loops:
        builder.speeds([JointRate(name) for name in independent_speeds(tree)])
    mechanism = builder.build(allow_unphysical)
    if tree.resisting:
        joints = tuple(with_resistance(j, tree.resisting) for j in mechanism.joints)
        mechanism = replace(mechanism, joints=joints)
    home = tuple(to_fraction(tree.home[name]) for name in mechanism.coordinates)
    mechanism = validated(replace(mechanism, home=home if any(home) else ()), allow_unphysical)
    return mechanism, (*tree.ties.findings, *tree.findings)


def _model_name(model: object) -> str:
    """The model's own name: the first of the table of names; MuJoCo writes its own where the file has none."""
    names: bytes = model.names  # type: ignore[attr-defined]
    name = names.split(b"\0", 1)[0].decode("utf-8", "replace")
    return "" if name == "MuJoCo Model" else name
