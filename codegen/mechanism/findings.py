"""What is noticed about a description of a mechanism: wrong, doubtful, or merely good to know."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum

from kanegen.errors import ModelError


class Severity(Enum):
    """How much a finding matters.

    ERROR: the model is refused.  WARNING: it is used, but probably not as meant, or something in it was mended or left
    out.  NOTE: nothing is wrong; it is said because it may surprise, or because it costs operations.
    """

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


_LEVELS = {Severity.ERROR: logging.ERROR, Severity.WARNING: logging.WARNING, Severity.NOTE: logging.INFO}


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


def log(logger: logging.Logger, findings: Iterable[Finding]) -> None:
    """Tell the log of an importer, at the level of each finding."""
    for finding in findings:
        logger.log(_LEVELS[finding.severity], "%s", finding)
