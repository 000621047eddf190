"""A disk that is full is no difference between model and Kafka, whatever Kafka makes of it."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator

from ...checker.errors import EverystateError

FULL = "No space left on device"


def require_room(error: BaseException) -> None:
    """E711 when something failed for lack of room for Kafka's logs."""
    if any(FULL in str(cause) for cause in _causes(error)):
        raise EverystateError("E711", None, folder=tempfile.gettempdir(), reason=FULL) from None


def _causes(error: BaseException) -> Iterator[object]:
    """An error, and what Java says was its cause."""
    cause: object = error
    while cause is not None:
        yield cause
        cause = cause.getCause() if hasattr(cause, "getCause") else None
