"""Frozen records of modules that may be compiled, on their way from one process to another."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

Made = tuple[Any, tuple[Any, ...]]
"""What makes a record, and with what."""


def made_of(record: DataclassInstance) -> Made:
    """What ``__reduce__`` of a frozen record gives: pickle sets attributes of compiled classes, which these refuse."""
    return type(record), tuple(getattr(record, field.name) for field in fields(record))
