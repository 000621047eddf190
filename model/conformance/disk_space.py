"""A disk that is full is no difference between model and Kafka, whatever Kafka makes of it."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator

from ...checker.errors import EverystateError

FULL = "No space left on device"
MAPPED = "unsafe memory access operation"
"""What Java says when it cannot write a page of a mapped file, such as an index: it may die of it."""


def require_room(error: BaseException) -> None:
    """E711 when something failed for lack of room for Kafka's logs."""
    if any(is_full(str(cause)) for cause in _causes(error)):
        raise no_room(tempfile.gettempdir()) from None


def is_full(words: str) -> bool:
    """Whether these are the words of a disk that is full."""
    return FULL in words or MAPPED in words


def no_room(folder: str) -> EverystateError:
    """E711"""
    return EverystateError("E711", None, folder=folder, reason=FULL)


def _causes(error: BaseException) -> Iterator[object]:
    """An error, and what Java says was its cause."""
    cause: object = error
    while cause is not None:
        yield cause
        cause = cause.getCause() if hasattr(cause, "getCause") else None
