"""Reading a model file as its robot moves: angles rounded in the file are mended where that changes nothing that counts."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from pathlib import Path

from kanegen.codegen.derivation.sensitivity import difference_of_dynamics
from kanegen.codegen.mechanism.findings import tell
from kanegen.codegen.mechanism.fingerprint import fingerprint
from kanegen.codegen.mechanism.importers import ANGLE_TOLERANCE, WITH_ANGLES, Imported, read_file
from kanegen.codegen.mechanism.importers.formats import format_of
from kanegen.codegen.mechanism.records import Mechanism

AS_WRITTEN = 1e-15
"""Tolerance [rad] that only mends what doubles leave of a multiple of pi/2."""

NEGLIGIBLE = 1e-12
"""Relative change of forces and accelerations up to which an angle counts as the quarter turn that it was rounded from."""

_log = logging.getLogger(__name__)


def read_model(
    path: Path,
    *,
    floating_base: bool,
    allow_unphysical: bool,
    angle_tolerance: float | None,
    arguments: Mapping[str, str] | None = None,
) -> Mechanism:
    """The mechanism of a file; what was noticed about it is told.  Raises ModelError.

    Without a tolerance of the user's, angles within ``ANGLE_TOLERANCE`` of a multiple of pi/2 are taken for it, unless
    forces or accelerations then differ by more than ``NEGLIGIBLE``: they can hang on the twelfth digit.
    """

    def read(tolerance: float) -> Imported:
        return read_file(
            path,
            floating_base=floating_base,
            allow_unphysical=allow_unphysical,
            angle_tolerance=tolerance,
            arguments=arguments,
        )

    chosen = read(ANGLE_TOLERANCE if angle_tolerance is None else angle_tolerance)
    if angle_tolerance is None and not chosen.mechanism.constrained and format_of(path) in WITH_ANGLES:
        chosen = _as_written_where_it_counts(path, chosen, read(AS_WRITTEN))
    tell(chosen.findings)
    return chosen.mechanism


def _as_written_where_it_counts(path: Path, mended: Imported, written: Imported) -> Imported:
    """The reading with quarter turns, unless they change forces or accelerations."""
    if fingerprint(written.mechanism) == fingerprint(mended.mechanism):
        return mended
    apart = difference_of_dynamics(written.mechanism, mended.mechanism)
    if apart <= NEGLIGIBLE:
        return mended
    _log.info(
        "%s: angles rounded in the file are kept as written: quarter turns would change forces or accelerations by %.0e",
        path.name,
        apart,
    )
    return written
