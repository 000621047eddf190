"""Detects a full disk, which is never reported as a difference between model and Kafka."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator

from ...checker.errors import EverystateError

FULL = "No space left on device"
MAPPED = "unsafe memory access operation"
"""Java's message when it cannot write a page of a mapped file, such as an index; the JVM may crash."""


def require_room(error: BaseException) -> None:
    """E711 when something failed because the disk for Kafka's logs is full."""
    if any(is_full(str(cause)) for cause in _causes(error)):
        raise no_room(tempfile.gettempdir()) from None


def is_full(words: str) -> bool:
    """Whether a message reports a full disk."""
    return FULL in words or MAPPED in words


def no_room(folder: str) -> EverystateError:
    """E711"""
    return EverystateError("E711", None, folder=folder, reason=FULL)


def _causes(error: BaseException) -> Iterator[object]:
    """An error, and its causes in Java."""
    cause: object = error
    while cause is not None:
        yield cause
        cause = cause.getCause() if hasattr(cause, "getCause") else None
