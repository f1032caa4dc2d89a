"""Which peer answers about which model."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path

from kanegen.codegen.mechanism.importers.model_file import format_of
from kanegen.codegen.mechanism.importers.urdf import text_as_meant
from kanegen.codegen.mechanism.records import Mechanism
from kanegen.codegen.peers import mujoco_engine, pinocchio_engine
from kanegen.codegen.peers.engine import Engine
from kanegen.codegen.peers.links import check_tree
from kanegen.codegen.peers.tree_peer import TreePeer


def _pinocchio(mechanism: Mechanism, file: Path | None) -> Engine:
    drives = any(joint.rotor_inertia != 0 for joint in mechanism.joints)  # Pinocchio looks for none in a URDF
    if file is not None and not drives and format_of(file) == "urdf":
        engine = _of_urdf(mechanism, file)
        if engine is not None:
            return engine
    return pinocchio_engine.of_mechanism(mechanism)


def _of_urdf(mechanism: Mechanism, file: Path) -> Engine | None:
    """Pinocchio on the file, or on one with the angles that the mechanism has in their place."""
    if mechanism.rounded is None:
        return pinocchio_engine.of_urdf(mechanism, str(file))
    with tempfile.TemporaryDirectory() as folder:
        meant = Path(folder) / file.name
        meant.write_text(text_as_meant(file, mechanism.rounded.tolerance), encoding="utf-8")
        return pinocchio_engine.of_urdf(mechanism, str(meant))


def _mujoco(mechanism: Mechanism, file: Path | None) -> Engine:
    if file is not None and format_of(file) == "mjcf":
        return mujoco_engine.of_mjcf(mechanism, file)
    return mujoco_engine.of_mechanism(mechanism)


ENGINES: Mapping[str, Callable[[Mechanism, Path | None], Engine]] = {
    "pinocchio": _pinocchio,
    "mujoco": _mujoco,
}
"""Peers by name."""


def open_peer(name: str, mechanism: Mechanism, model: str | os.PathLike[str] | Mechanism) -> TreePeer:
    """A peer for a mechanism that was read from ``model``: from the same file where both read it.

    Raises ModelError where the engine is not installed or the mechanism has what it cannot do.
    """
    check_tree(mechanism, name)
    is_file = isinstance(model, str | os.PathLike) and Path(model).is_file()
    return TreePeer(mechanism, ENGINES[name](mechanism, Path(model) if is_file else None))  # type: ignore[arg-type]
