"""The error of this room: what is wrong with a model, where, what was expected, and how to mend it."""

from __future__ import annotations


class ModelError(ValueError):
    """Something in the description of a mechanism is wrong.

    ``where`` names the element ("joint 'q1', axis"), ``what`` the finding with the offending value,
    ``expected`` what would have been right, ``cure`` what to do.  The message is these four in one sentence
    or two.
    """

    def __init__(self, where: str, what: str, expected: str, cure: str) -> None:
        super().__init__(f"{where}: {what}; expected {expected}. {cure}")
        self.where = where
        self.what = what
        self.expected = expected
        self.cure = cure

    def __reduce__(self) -> tuple[type[ModelError], tuple[str, str, str, str]]:
        """Pickle by fields, so that the error crosses process boundaries."""
        return type(self), (self.where, self.what, self.expected, self.cure)
