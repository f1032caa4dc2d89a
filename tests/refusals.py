"""What refusals and warnings have to say, whatever their words: a kind, a place, what is wrong by a word or two, a cure.

The words of each kind of error are in ``test_wording``.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import pytest

from kanegen.errors import ModelError, ModelWarning


def refused(
    call: Callable[[], object], *words: str, kind: type[BaseException] = ModelError, where: str = ""
) -> Any:
    """The error of a call, of this kind, with these words in it; of a model, at this place and with a cure."""
    with pytest.raises(kind) as caught:
        call()
    error = caught.value
    assert all(word in str(error) for word in words), str(error)
    assert where in (error.where if isinstance(error, ModelError) else str(error)), str(error)
    assert not isinstance(error, ModelError) or error.cure
    return error


def warned(call: Callable[[], Any], *words: str, kind: type[Warning] = ModelWarning) -> Any:
    """What a call returns that warns once, with these words."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        found = call()
    assert [warning.category for warning in told] == [kind], [str(warning.message) for warning in told]
    assert all(word in str(told[0].message) for word in words), str(told[0].message)
    return found
