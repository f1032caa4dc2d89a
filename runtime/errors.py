"""The errors and warnings of kanegen, generator and runtime alike.  Each says what happened, where, and what to do.

All of them are ``KanegenError``; errors in arrays are ``TypeError`` and ``ValueError``, as everywhere in NumPy.  Every
room may import this module.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from difflib import get_close_matches
from pathlib import Path

from kanegen.limits import LONGEST_NAME, LONGEST_PART

_LONG_QUOTE = re.compile(rf"'[^']{{{LONGEST_NAME.value + 1},}}'")


def shortened(text: object, longest: int = LONGEST_NAME.value) -> str:
    """A text in one line: whole, or its beginning and its end where it is longer than so many characters."""
    line = " ".join(str(text).split())
    half = longest // 2
    return line if len(line) <= longest else f"{line[:half]}...{line[-half:]}"


def shown(value: object) -> str:
    """A value for a message, shortened, whatever its ``repr`` is or raises (an integer may have too many digits)."""
    try:
        return shortened(repr(value))
    except Exception:  # noqa: BLE001  (it is a user's own, and only for a message)
        return f"a value of type {type(value).__name__}"


def brief(text: str) -> str:
    """A part of a message with the names that it quotes, and itself, shortened: names may be of any length."""
    if len(text) <= LONGEST_NAME.value:
        return text
    quoted = _LONG_QUOTE.sub(lambda name: f"'{shortened(name[0][1:-1])}'", text)
    return quoted if len(quoted) <= LONGEST_PART.value else shortened(quoted, LONGEST_PART.value)


def counted(count: int, one: str, many: str | None = None) -> str:
    """A number with the noun it counts, ``one`` or ``many`` of them (by default with an s): "1 joint", "2 joints"."""
    return f"{count} {one if count == 1 else many or one + 's'}"


def nearest(name: str, known: Iterable[str], cutoff: float = 0.6) -> str | None:
    """The known name that is most like this one, None where none is."""
    found = get_close_matches(str(name), list(known), 1, cutoff)
    return found[0] if found else None


def did_you_mean(name: str, known: Iterable[str], otherwise: str) -> str:
    """The cure for a name that is not known: the most similar one that is, else what else to do."""
    near = nearest(name, known)
    return otherwise if near is None else f"Did you mean {near!r}?"


class KanegenError(Exception):
    """Base of all errors that kanegen raises itself."""


class ModelError(KanegenError, ValueError):
    """Something in the description of a mechanism is wrong.

    ``where`` names the element ("joint 'q1', axis"), ``what`` the finding with the offending value,
    ``expected`` what would have been right, ``cure`` what to do.  The message is these four in one sentence
    or two.  Long names in them are shortened.
    """

    def __init__(self, where: str, what: str, expected: str, cure: str) -> None:
        where, what, expected, cure = map(brief, (where, what, expected, cure))
        super().__init__(f"{where}: {what}; expected {expected}. {cure}")
        self.where = where
        self.what = what
        self.expected = expected
        self.cure = cure

    def __reduce__(self) -> tuple[type[ModelError], tuple[str, str, str, str]]:
        """Pickle by fields, so that the error crosses process boundaries."""
        return type(self), (self.where, self.what, self.expected, self.cure)


class NoInertiaError(ModelError):
    """Nothing with inertia resists one of the motions of a mechanism, which its accelerations need."""


class InternalError(KanegenError):
    """Something that kanegen did not expect: a fault of kanegen, whatever the model or the request is.

    ``doing`` says what was being done with what; ``__cause__`` is what happened.
    """

    def __init__(self, doing: str, cause: BaseException | str) -> None:
        told = cause if isinstance(cause, str) else f"{type(cause).__name__}: {shortened(cause)}"
        super().__init__(
            f"{doing} met an error that kanegen did not expect ({told}). This is a fault of kanegen: please report it, "
            "with the input if you can"
        )
        self.doing = doing
        self.told = told

    def __reduce__(self) -> tuple[type[InternalError], tuple[str, str]]:
        """Pickle by fields, so that the error crosses process boundaries."""
        return type(self), (self.doing, self.told)


class FileError(KanegenError, OSError):
    """A file or folder cannot be read or written; the message says which, and ``errno`` is the system's number."""

    def __init__(self, message: str, number: int | None = None) -> None:
        super().__init__(message)
        self.errno = number

    def __reduce__(self) -> tuple[type[FileError], tuple[str, int | None]]:
        """Pickle by fields, so that the error crosses process boundaries."""
        return type(self), (str(self), self.errno)


class ModelWarning(UserWarning):
    """Something in a model, or in how it is used, that changes what is computed from what its author may have meant."""


class CertificateError(KanegenError, ArithmeticError):
    """Generated kernels fail a check; the message says whether the model, the compiler or kanegen is at fault."""


class UnknownModelError(KanegenError):
    """The model is neither a built-in mechanism nor a file."""


class MissingKernelError(KanegenError):
    """The robot was loaded without this kernel; the message says how to get it."""


class MissingInertiaError(MissingKernelError):
    """The kernel does not exist for this mechanism, because no inertia resists one of its motions."""


class DeadCentreError(KanegenError):
    """The chosen speeds do not determine the motion here, or the equations of the mechanism themselves are singular.

    The force of a spring or damper is, too, where its ends meet: it has no direction there.
    """


class AssemblyError(KanegenError):
    """No configuration was found that satisfies the equations of position; the message says what stays open."""


class PositionError(KanegenError):
    """No position of the bodies was found that satisfies joints and drives; the message says what stays open."""


class InconsistentStateError(KanegenError, ValueError):
    """A state to start from violates the constraints; the message says which, by how much, and what to do."""


class IntegrationError(KanegenError):
    """A simulated state could not be brought back to the constraints.  ``t`` [s] is the time reached before."""

    def __init__(self, message: str, t: float) -> None:
        super().__init__(message)
        self.t = t

    def __reduce__(self) -> tuple[type[IntegrationError], tuple[str, float]]:
        """Pickle by fields, so that the error crosses process boundaries."""
        return type(self), (str(self), self.t)


class NotCompiledError(KanegenError):
    """The request needs compiled kernels, and this robot is interpreted."""


class ManifestError(KanegenError):
    """A manifest cannot be read, or belongs to other files than those beside it."""


class TargetError(KanegenError):
    """The instruction set asked for is unknown, or this processor lacks it."""


class CacheError(KanegenError):
    """The directory for compiled mechanisms cannot be used."""


class NoCompilerError(KanegenError):
    """There is no C compiler, or it lacks the headers of Python; the message says what to install."""


class BuildError(KanegenError):
    """The C compiler failed.

    ``command`` is the command line, ``output`` everything that the compiler printed, and ``source`` the directory in
    which the C was kept.
    """

    def __init__(self, command: str, output: str, source: Path) -> None:
        super().__init__(
            f"the C compiler failed\n  command: {command}\n  in:      {source}\n  output:\n{output.rstrip()}"
        )
        self.command = command
        self.output = output
        self.source = source

    def __reduce__(self) -> tuple[type[BuildError], tuple[str, str, Path]]:
        """Pickle by fields, so that the error crosses process boundaries."""
        return type(self), (self.command, self.output, self.source)
