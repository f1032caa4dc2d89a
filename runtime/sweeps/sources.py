"""The C of a robot as it is sent to other processes and machines, each of which builds the robot from it."""

from __future__ import annotations

import hashlib
import json
import os
import platform
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from kanegen.builds.extensions import generated
from kanegen.errors import KanegenError, TargetError
from kanegen.extension_source import TARGET_VARIABLE
from kanegen.kernel_sets import content_of, of_files
from kanegen.kernels.table import KernelSet
from kanegen.kernels.waiting import Waiting
from kanegen.manifest import FILE_NAME, manifest_text, parse_manifest
from kanegen.robot import Robot
from kanegen.sweeps.study import Study
from kanegen.version import VERSION


@dataclass(frozen=True)
class Sources:
    """Generated files by name, of each set of kernels that was generated together.

    ``outline`` is the manifest of a robot whose kernels were made apart; None where the first set is its own.
    """

    outline: bytes | None
    sets: tuple[Mapping[str, bytes], ...]

    @property
    def digests(self) -> tuple[str, ...]:
        """The SHA-256 of each set."""
        texts = [json.dumps(content_of(files), sort_keys=True) for files in self.sets]
        return tuple(hashlib.sha256(text.encode()).hexdigest() for text in texts)

    def robot(self, study: Study) -> Robot:
        """The robot of a study, compiled here or taken from the cache.

        Raises TargetError where this machine lacks the instruction set, KanegenError for another version of kanegen, and
        what compiling raises.
        """
        here, cure = platform.node(), f"Leave it out, or start the study anew with {TARGET_VARIABLE}=baseline"
        if study.version != VERSION:
            raise KanegenError(
                f"{here} has kanegen {VERSION}, and the study is of {study.version}, whose numbers may differ. Install the "
                "same version everywhere"
            )
        if study.machine != platform.machine():
            raise TargetError(
                f"{here} is of the kind {platform.machine()}, and the study for {study.machine}. Leave it out"
            )
        before = os.environ.get(TARGET_VARIABLE)
        os.environ[TARGET_VARIABLE] = study.target
        try:
            made = [of_files(parse_manifest(files[FILE_NAME], FILE_NAME), files) for files in self.sets]
        except TargetError as error:
            raise TargetError(f"{here}: the study is for {study.target}. {error}. {cure}") from None
        finally:
            if before is None:
                del os.environ[TARGET_VARIABLE]
            else:
                os.environ[TARGET_VARIABLE] = before
        main = made[0]
        if self.outline is not None:
            manifest = parse_manifest(self.outline, FILE_NAME)
            main = KernelSet(manifest, Waiting(manifest.name))
        of = {name: one for one in made for name in one.manifest.kernels}
        robot = Robot(main.manifest, main.backend, of.__getitem__)
        return robot.with_parameters(study.parameters) if study.parameters else robot


def sources_of(arm: Any, kernels: Iterable[str]) -> Sources:
    """The sources of these kernels of a robot, which are made where they wait.

    Raises MissingKernelError, and NotCompiledError for an interpreted robot.
    """
    manifest, found = arm.made_of(kernels)
    sets = [generated(folder) for folder in dict.fromkeys(folder for _, folder in found.values())]
    sets.sort(key=lambda one: one[0].digest != manifest.digest)
    own = bool(sets) and sets[0][0].digest == manifest.digest
    outline = None if own else manifest_text(manifest).encode()
    return Sources(outline, tuple(files for _, files in sets))
