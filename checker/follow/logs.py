"""Logs as files: JSON lines, bare text lines, or Parquet, each perhaps compressed; read entry by entry."""

from __future__ import annotations

import gzip
import itertools
import sys
import zlib
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, TextIO

from ..errors import EverystateError
from ..extras import require
from .events import Event, Place, no_event
from .vocabulary import Entry, Vocabulary

PARQUET = ".parquet"
LONGEST = 1 << 24
"""Characters of a line."""


def logs_in(path: str) -> list[str]:
    """The logs that a path names: itself, or all the files of a folder, by name."""
    place = Path(path)
    if path == "-" or not place.is_dir():
        return [path]
    found = sorted(str(p) for p in place.iterdir() if p.is_file() and not p.name.startswith((".", "_")))
    if not found:
        raise EverystateError("E442", None, path=path, what="file in it", needs="")
    return found


def entries(path: str) -> Iterator[Entry]:
    """Everything that a log holds, in order; E402 when it cannot be read, E440 where it is not text."""
    if path.endswith(PARQUET):
        yield from _rows(path)
        return
    number = 0
    try:
        with _opened(path) as file:
            for number in itertools.count(1):
                text = file.readline(LONGEST)
                if not text:
                    return
                if len(text) == LONGEST:
                    raise no_event(Place(path, number), f"it has more than {LONGEST:,} characters")
                yield Place(path, number), text.rstrip("\r\n")
    except UnicodeDecodeError:
        raise no_event(Place(path, number), "it is not text (UTF-8)") from None
    except (OSError, EOFError, zlib.error) as error:
        raise unreadable(path, error) from None


def events_of(path: str, words: Vocabulary) -> Iterator[Event]:
    """The events of a log in the words of the spec; E442 when there is none."""
    event = None
    for event in words.events(entries(path)):
        yield event
    if event is None:
        raise EverystateError("E442", None, path=path, what="event", needs=f"; {words.needs}" if words.needs else "")


def grouped(events: Iterable[Event], key: Callable[[Event], str]) -> dict[str, list[Event]]:
    """The events by run or by process, in the order in which these first appear."""
    found: dict[str, list[Event]] = {}
    for event in events:
        found.setdefault(key(event), []).append(event)
    return found


def _opened(path: str) -> TextIO:
    if path == "-":
        return sys.stdin
    if path.endswith(".gz"):
        return gzip.open(path, "rt", encoding="utf-8-sig")
    return open(path, encoding="utf-8-sig")


def _rows(path: str) -> Iterator[Entry]:
    """The rows of a Parquet file as objects; columns without a value are left out."""
    require("a Parquet log", "pyarrow")
    import pyarrow as pa
    import pyarrow.parquet as pq

    number = 0
    try:
        for batch in pq.ParquetFile(path).iter_batches(batch_size=4096):
            for row in batch.to_pylist():
                number += 1
                yield Place(path, number, row=True), _present(row)
    except (OSError, pa.ArrowException) as error:
        raise unreadable(path, error) from None


def _present(value: Any) -> Any:
    """A value without the empty fields that a column of objects gives to every row."""
    if isinstance(value, dict):
        return {name: _present(part) for name, part in value.items() if part is not None}
    return [_present(part) for part in value] if isinstance(value, list) else value


def unreadable(path: str, error: Exception) -> EverystateError:
    """E402 for a log."""
    text = getattr(error, "strerror", None) or " ".join(str(error).split()) or type(error).__name__
    return EverystateError("E402", None, path=path, reason=text[:1].lower() + text[1:])
