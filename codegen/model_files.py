"""Reading a model file as its robot moves: angles rounded in the file are mended where that changes nothing that counts."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Iterator
from pathlib import Path

from kanegen.codegen.derivation.sensitivity import difference_of_dynamics
from kanegen.codegen.mechanism.fingerprint import fingerprint
from kanegen.codegen.mechanism.importers import ANGLE_TOLERANCE, WITH_ANGLES, read_file
from kanegen.codegen.mechanism.importers.formats import format_of
from kanegen.codegen.mechanism.records import Mechanism

AS_WRITTEN = 1e-15
"""Tolerance [rad] that only mends what doubles leave of a multiple of pi/2."""

NEGLIGIBLE = 1e-12
"""Relative change of forces and accelerations up to which an angle counts as the quarter turn that it was rounded from."""

_log = logging.getLogger(__name__)


@contextlib.contextmanager
def _once() -> Iterator[None]:
    """What has been said of a file need not be said again."""
    importers = logging.getLogger("kanegen.codegen.mechanism")
    level = importers.level
    importers.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        importers.setLevel(level)


def read_model(
    path: Path, *, floating_base: bool, allow_unphysical: bool, angle_tolerance: float | None
) -> Mechanism:
    """The mechanism of a file.  Raises ModelError.

    Without a tolerance of the user's, angles within ``ANGLE_TOLERANCE`` of a multiple of pi/2 are taken for it, unless
    forces or accelerations then differ by more than ``NEGLIGIBLE``: they can hang on the twelfth digit.
    """

    def read(tolerance: float) -> Mechanism:
        return read_file(
            path,
            floating_base=floating_base,
            allow_unphysical=allow_unphysical,
            angle_tolerance=tolerance,
        ).mechanism

    mended = read(ANGLE_TOLERANCE if angle_tolerance is None else angle_tolerance)
    if angle_tolerance is not None or mended.constrained or format_of(path) not in WITH_ANGLES:
        return mended
    with _once():
        written = read(AS_WRITTEN)
    if fingerprint(written) == fingerprint(mended):
        return mended
    apart = difference_of_dynamics(written, mended)
    if apart <= NEGLIGIBLE:
        return mended
    _log.info(
        "%s: angles rounded in the file are kept as written: quarter turns would change forces or accelerations by %.0e",
        path.name,
        apart,
    )
    return written
