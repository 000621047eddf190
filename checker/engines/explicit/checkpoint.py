"""The work folder of a search on this machine: its levels, each written when it is complete.

run.json             what the run is about; a run that is resumed must be about the same
levels/00017         the states of a level, packed, one after the other
levels/00017.json    its manifest: a level counts when this file exists. It has the digest of the states, what was
                     counted by then, and a seal over run.json, the manifests before it and itself
lock                 held by the run that works in the folder

What is written is on the disk before it counts, so a run that is killed at any moment goes on from the last complete
level. Nothing is read while a search runs.
"""

from __future__ import annotations

import errno
import fcntl
import hashlib
import json
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from ...backends.native import Counters, Program
from ...errors import EverystateError
from ..path_notes import TakenPath
from ..saved_run import Seals, compare, damaged, named, number_of, read_facts, reading

BLOCK = 1 << 14
"""States that are written or read at a time."""
FULL = (errno.ENOSPC, errno.EDQUOT)


@dataclass(frozen=True)
class SavedLevel:
    """A level in a work folder: its states, the counters when it was complete, where each thing was first seen, and the
    paths that were taken first since the level before: the number of each, the first and the last level on which it may
    have been, and the words of the state."""

    number: int
    states: int
    digest: str
    counters: Sequence[int]
    first_seen: Sequence[tuple[int, int]]
    paths: Sequence[tuple[int, int, int, str]] = ()

    @property
    def taken(self) -> dict[int, TakenPath]:
        """The paths by their numbers."""
        return {path: TakenPath(bytes.fromhex(row), first, last) for path, first, last, row in self.paths}

    def check(self, number: int, counters: Counters) -> None:
        """ValueError where a search cannot have written this manifest."""
        digests = {"number": self.number, "states": self.states, "digest": self.digest}
        if not (self.number == number and _whole(self.states) and isinstance(self.digest, str)):
            raise ValueError(f"it says {json.dumps(digests)}")
        if not (
            isinstance(self.counters, list) and len(self.counters) == counters.size and all(map(_whole, self.counters))
        ):
            raise ValueError(f"it does not have {counters.size:,} counters")
        for key, level in self.first_seen:
            if not (type(key) is int and -2 <= key < counters.watches and type(level) is int and 0 < level <= number):
                raise ValueError(f"it says that {json.dumps(key)} was first seen on level {json.dumps(level)}")
        for path, taken in self.taken.items():
            within = 0 <= path < counters.paths and 0 < taken.first <= taken.last <= number
            if not within or len(taken.row) != 8 * counters.words:
                raise ValueError(f"it says that path {json.dumps(path)} was taken by {taken.row.hex()}")


def _whole(number: Any) -> bool:
    """Whether it is an integer in the range of a counter."""
    return type(number) is int and 0 <= number < 1 << 64


class Work:
    """A work folder that this process has locked."""

    def __init__(self, folder: Path, words: int, counters: Counters) -> None:
        self.folder, self.words, self.counters = folder, words, counters
        self.levels: list[SavedLevel] = []
        self._paths = 0
        self._seals = Seals({})

    # -- writing -------------------------------------------------------------------------------------------

    def keep(
        self, blocks: Iterator[Any], counters: Any, first_seen: dict[int, int], paths: dict[int, TakenPath]
    ) -> None:
        """Write a level, the next one; E626 where the disk is full."""
        number, digest, states = len(self.levels) + 1, hashlib.blake2b(), 0
        with self._writing():
            with open(self._place(number), "wb") as file:
                for block in blocks:
                    data = np.ascontiguousarray(block).tobytes()
                    digest.update(data)
                    file.write(data)
                    states += len(block)
                _to_disk(file)
            digests = [int(n) for n in counters]
            new = [(path, at.first, at.last, at.row.hex()) for path, at in islice(paths.items(), self._paths, None)]
            kept = SavedLevel(number, states, digest.hexdigest(), digests, sorted(first_seen.items()), new)
            self._write(f"{named(number)}.json", self._sealed(kept))
        self.levels.append(kept)
        self._paths = len(paths)

    def begin(self, facts: dict[str, Any]) -> None:
        """Start a new run: write its facts."""
        with self._writing():
            (self.folder / "levels").mkdir(exist_ok=True)
            self._write("run.json", json.dumps(facts))
        self._seals = Seals(facts)

    def _sealed(self, kept: SavedLevel) -> str:
        return json.dumps(self._seals.close(vars(kept)))

    def _write(self, name: str, text: str) -> None:
        """Write a whole file or nothing, and flush it to the disk."""
        place = self.folder / name
        part = place.with_suffix(".part")
        with open(part, "wb") as file:
            file.write(text.encode())
            _to_disk(file)
        part.rename(place)
        for folder in {place.parent, self.folder}:
            _folder_to_disk(folder)

    @contextmanager
    def _writing(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            reason = f"{error.strerror or error} ({self.folder})"
            if error.errno in FULL:
                raise EverystateError("E626", None, reason=reason) from None
            raise EverystateError("E620", None, work=self.folder, reason=reason) from None

    # -- reading -------------------------------------------------------------------------------------------

    def look(self, facts: dict[str, Any]) -> None:
        """Load the complete levels of a run with these facts; E620 for a name that is no folder, E627 where the folder
        is damaged."""
        self._seals = Seals(facts)
        numbers = [number_of(str(self.folder), path.name) for path in (self.folder / "levels").glob("*.json")]
        for number in range(1, max(numbers, default=0) + 1):
            self.levels.append(self._manifest(number))
            self._paths += len(self.levels[-1].paths)

    def _manifest(self, number: int) -> SavedLevel:
        with reading(number):
            manifest = json.loads((self.folder / f"{named(number)}.json").read_bytes())
            kept = SavedLevel(**self._seals.open(number, manifest))
            kept.check(number, self.counters)
        try:
            size = self._place(number).stat().st_size
        except OSError as error:
            raise damaged(number, f"its states cannot be read: {error}") from None
        if size != 8 * self.words * kept.states:
            raise damaged(number, f"{8 * self.words * kept.states:,} bytes were written, and there are {size:,}")
        return kept

    def states(self, kept: SavedLevel, most: int) -> Iterator[Any]:
        """The states of a level, in blocks of rows; E627 at the end if their digest is wrong."""
        digest = hashlib.blake2b()
        try:
            with open(self._place(kept.number), "rb") as file:
                while data := file.read(8 * self.words * max(1, min(most, BLOCK))):
                    digest.update(data)
                    yield np.frombuffer(data, np.uint64).reshape(-1, self.words)
        except OSError as error:
            raise damaged(kept.number, f"its states cannot be read: {error.strerror}") from None
        if digest.hexdigest() != kept.digest:
            raise damaged(kept.number, "its states do not have the digest that was written down")

    def _place(self, number: int) -> Path:
        return self.folder / named(number)


@contextmanager
def opened(folder: str, resume: bool, facts: dict[str, Any], program: Program) -> Iterator[Work]:
    """The work folder of a run, new or resumed, for this process alone. E620 to E624, E627."""
    place = Path(folder)
    work = Work(place, program.words, program.counters)
    try:
        _fitting(place, resume)
        place.mkdir(parents=True, exist_ok=True)
        lock = os.open(place / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise EverystateError("E620", None, work=folder, reason=error.strerror or error) from None
    try:
        _lock(lock, folder)
        _fitting(place, resume)
        if resume:
            compare(
                folder, facts, read_facts(folder, lambda: json.loads((place / "run.json").read_bytes()), target=str)
            )
            work.look(facts)
        else:
            work.begin(facts)
        yield work
    finally:
        os.close(lock)


def _fitting(folder: Path, resume: bool) -> None:
    """E623 where there is nothing to resume, E621 and E622 where the folder does not suit a new run."""
    begun = (folder / "run.json").exists()
    if resume and not begun:
        raise EverystateError("E623", None, work=folder)
    if not resume and begun:
        raise EverystateError("E621", None, work=folder)
    if begun or not folder.exists():
        return
    for path in sorted(folder.iterdir()):
        left = path.name in ("lock", "run.part") or (path.name == "levels" and not any(path.iterdir()))
        if not left:  # by a run that was killed before it had begun
            raise EverystateError("E622", None, work=folder, name=path.name)


def _lock(lock: int, folder: str) -> None:
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        raise EverystateError("E620", None, work=folder, reason="another run works in it") from None


def _to_disk(file: Any) -> None:
    file.flush()
    os.fsync(file.fileno())


def _folder_to_disk(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
