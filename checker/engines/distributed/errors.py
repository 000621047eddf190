"""Translates failures of a cluster to errors of the catalogue."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, suppress

from ...errors import EverystateError
from ...spark.session import words

FULL = ("No space left on device", "Disk quota exceeded", "DSQuotaExceededException")
LINE = re.compile(r"^(?:Caused by: )?[\w.$]+(?:Error|Exception): (.+)$", re.MULTILINE)
DAMAGED = re.compile(r"E627 level (\S+) is damaged: (.+)")


@contextmanager
def translated() -> Iterator[None]:
    """E625 for a failed job, E626 for a full disk, E627 for inconsistent files; other exceptions pass."""
    try:
        yield
    except _failures() as error:
        raise _translated(error) from None


def passed_over() -> AbstractContextManager[None]:
    """Suppress errors of Spark: at the end of a run they would hide an earlier error."""
    return suppress(*_failures())


@contextmanager
def interrupts() -> Iterator[None]:
    """Raise Ctrl-C as KeyboardInterrupt: during a connect, Py4J fails while it handles the interrupt."""
    try:
        yield
    except _failures() as error:
        if isinstance(error.__context__, KeyboardInterrupt):
            raise KeyboardInterrupt from None
        raise


def _failures() -> tuple[type[Exception], ...]:
    from py4j.protocol import Py4JError, Py4JNetworkError
    from pyspark.errors import PySparkException

    return Py4JError, Py4JNetworkError, PySparkException, ConnectionError


def _translated(error: Exception) -> EverystateError:
    text = words(error)
    for sign in FULL:
        if sign in text:
            return EverystateError("E626", None, reason=sign[:1].lower() + sign[1:])
    damaged = DAMAGED.search(text)
    if damaged is not None:
        return EverystateError("E627", None, level=damaged[1], reason=damaged[2])
    lines = [match.strip() for match in LINE.findall(text)]
    reason = lines[-1] if lines else next((line.strip() for line in text.splitlines() if line.strip()), repr(error))
    return EverystateError("E625", None, reason=reason[:300])
