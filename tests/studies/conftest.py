"""The oracle's states of the Stanford Arm."""

from tests.derivation.conftest import states

__all__ = ["states"]
