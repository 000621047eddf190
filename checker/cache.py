"""Where Everystate keeps what it would otherwise make or fetch again: compiled models, results, jars."""

from __future__ import annotations

import hashlib
import os
import tempfile
from contextlib import suppress
from pathlib import Path

SEAL = 32
"""Bytes at the beginning of an entry."""


def cache_folder() -> Path:
    """EVERYSTATE_CACHE, else the user's cache folder."""
    given = os.environ.get("EVERYSTATE_CACHE")
    if given:
        return Path(given)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "everystate"


def stored(place: Path) -> bytes | None:
    """What was written to an entry, if it is there, whole and the user's own; a damaged one is removed.

    An entry is sealed together with its name: what was written to another one is damaged here.
    """
    try:
        if not _ours(place):
            return None
        entry = place.read_bytes()
    except OSError:
        return None
    content = entry[SEAL:]
    if _seal(place, content) == entry[:SEAL]:
        return content
    with suppress(OSError):
        place.unlink()
    return None


def store(place: Path, content: bytes) -> None:
    """Write an entry as a whole; a cache that cannot be written only costs time."""
    beside = None
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=place.parent, delete=False) as file:
            beside = file.name
            file.write(_seal(place, content) + content)
        os.replace(file.name, place)
    except OSError:
        if beside is not None:
            with suppress(OSError):
                os.unlink(beside)


def _seal(place: Path, content: bytes) -> bytes:
    return hashlib.sha256(place.name.encode() + b"\0" + content).digest()


def _ours(place: Path) -> bool:
    """Whether a file is the user's own: what somebody else has put there is not executed."""
    user = getattr(os, "getuid", None)
    return user is None or place.stat().st_uid == user()
