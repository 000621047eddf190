"""Where Everystate keeps what it would otherwise make or fetch again: compiled models, results, jars."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from pathlib import Path

SEAL = 32
"""Bytes at the beginning of an entry."""


def cache_folder() -> Path:
    """EVERYSTATE_CACHE, else the user's cache folder."""
    given = os.environ.get("EVERYSTATE_CACHE")
    if given:
        return Path(given)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "everystate"


def digest(*parts: str) -> str:
    """What names some texts."""
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()


def entry(kind: str, *key: str) -> Path:
    """The place of what is found by a key, among entries of one kind."""
    return cache_folder() / kind / digest(*key)


_UNUSED = ContextVar("everystate_cache_unused", default=False)


@contextmanager
def unused() -> Iterator[None]:
    """In the body nothing is read from the cache: what is wrong there is made again."""
    before = _UNUSED.set(True)
    try:
        yield
    finally:
        _UNUSED.reset(before)


def opened(place: Path) -> bytes | None:
    """What was written to an entry, if it can be read and is the user's own; ValueError where it is damaged.

    An entry is sealed together with its name: what was written to another one is damaged here.
    """
    if _UNUSED.get() or not ours(place):
        return None
    try:
        sealed = place.read_bytes()
    except OSError:
        return None
    content = sealed[SEAL:]
    if _seal(place, content) != sealed[:SEAL]:
        raise ValueError("seal")
    return content


def stored(place: Path) -> bytes | None:
    """The same; a damaged entry is removed, and nothing."""
    try:
        return opened(place)
    except ValueError:
        remove(place)
        return None


def remove(place: Path) -> None:
    """Remove an entry, as far as that is possible."""
    with suppress(OSError):
        place.unlink()


def store(place: Path, content: bytes) -> None:
    """Write an entry as a whole; a cache that cannot be written only costs time."""
    import tempfile  # most entries are only read

    beside = None
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=place.parent, delete=False) as file:
            beside = file.name
            file.write(_seal(place, content) + content)
        os.replace(file.name, place)
    except OSError:
        if beside is not None:
            remove(Path(beside))


def _seal(place: Path, content: bytes) -> bytes:
    return hashlib.sha256(place.name.encode() + b"\0" + content).digest()


def ours(place: Path) -> bool:
    """Whether a file is there, and the user's own: what somebody else has put there is not executed."""
    user = getattr(os, "getuid", None)
    try:
        owner = place.stat().st_uid
    except OSError:
        return False
    return user is None or owner == user()
