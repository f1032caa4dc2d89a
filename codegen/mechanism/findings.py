"""What is noticed about a description of a mechanism: wrong, doubtful, or merely good to know."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import Enum
from pathlib import Path

from kanegen.errors import ModelError, brief
from kanegen.model_warnings import model_was_read, warn

_log = logging.getLogger(__name__)


class Severity(Enum):
    """How much a finding matters.

    ERROR: the model is refused.  WARNING: what is computed is not what is written, or hardly what was meant by it:
    something was mended or left out; every reading of the model says so.  DOUBT: the model is used as it is written, and
    numbers in it look wrong; only ``kanegen doctor`` looks for these.  NOTE: nothing is wrong; it is said because it may
    surprise, or because it costs operations.
    """

    ERROR = "error"
    WARNING = "warning"
    DOUBT = "doubt"
    NOTE = "note"


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing noticed, in the parts of a ``ModelError``.

    ``where`` names the element ("joint 'q1', axis"), ``what`` the finding with the value found, ``expected`` what would
    have been right, ``cure`` what to do.  ``file`` and ``line`` (from 1) say where that is written, if in a file.
    """

    severity: Severity
    where: str
    what: str
    expected: str
    cure: str
    file: str | None = None
    line: int | None = None

    def __post_init__(self) -> None:
        """Shorten long names, as in errors."""
        for part in ("where", "what", "expected", "cure"):
            object.__setattr__(self, part, brief(getattr(self, part)))

    @property
    def place(self) -> str:
        """``file:line``, or as much of it as there is."""
        if self.file is None:
            return "" if self.line is None else f"line {self.line}"
        return self.file if self.line is None else f"{self.file}:{self.line}"

    @property
    def located(self) -> str:
        """``where`` with the place in front."""
        return f"{self.place}: {self.where}" if self.place else self.where

    def error(self) -> ModelError:
        """The error that refuses the model for this."""
        return ModelError(self.located, self.what, self.expected, self.cure)

    def __str__(self) -> str:
        return f"{self.located}: {self.what}; expected {self.expected}. {self.cure}"


def refuse(findings: Iterable[Finding]) -> None:
    """Raise the ModelError of the first ERROR, saying how many more there are."""
    errors = [finding for finding in findings if finding.severity is Severity.ERROR]
    if not errors:
        return
    error = errors[0].error()
    more = len(errors) - 1
    if more:
        others = "one more error" if more == 1 else f"{more} more errors"
        raise ModelError(
            error.where, error.what, error.expected, f"{error.cure} ({others}: kanegen doctor lists all.)"
        )
    raise error


def tell(findings: Iterable[Finding]) -> None:
    """Say what was noticed about a model that is used: warnings as ``ModelWarning``, the rest to the log.

    What is made of the model keeps the warnings with the names of files, without their folders.
    """
    model_was_read()
    for finding in findings:
        if finding.severity is Severity.WARNING:
            name = None if finding.file is None else Path(finding.file).name
            warn(str(finding), str(replace(finding, file=name)))
        else:
            _log.info("%s", finding)
