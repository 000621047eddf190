"""The visited states of a partition, kept from level to level on the machine where its tasks run.

A shard is an optimisation: all its contents are in the level files too. Its files are in the scratch folder of the
application and mapped into memory. So it survives its worker and executor, and any Python worker of the machine can use
it (Spark gives a task to any idle worker). It holds exact states, in order of arrival, and a hash table to find them.

Its header has a mark for the last two complete levels: level, number of states, digest of all blocks that the partition
has given out. A task names the mark it needs, which the driver has from the files of the last level:

- the newest mark, and no work was begun on top of it: the shard is used as it is;
- that mark, but a worker died at work; or the mark before, since the task runs again: later states are
  dropped and the table is rebuilt from the earlier ones, in memory;
- another mark, or no shard: the partition is rebuilt from the level files (see deduplication).

A task locks its shard, because Spark may have given up another task that still runs.
"""

from __future__ import annotations

import fcntl
import os
import time
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from ...backends.native import Compiled
from ..explicit.store import Store
from ..explicit.worker import Worker
from ..memory import Region
from .regions import FileRegion
from .stats import DIGEST, Mark

ROOM = 1 << 40
"""Bytes of address space that a shard may take; on disk it takes only what it holds."""
CHUNK = 1 << 16
"""States that are stored again at a time."""
PATIENCE = 10.0
"""Seconds to wait for a shard that another task holds."""
OPEN = 64
"""Shards that a process keeps mapped."""
MARK = np.dtype([("level", np.uint64), ("count", np.uint64), ("digest", np.uint8, (DIGEST,))])
HEADER = np.dtype([("dirty", np.uint64), ("bits", np.uint64), ("marks", MARK, (2,))])


class KeptShard(Store):
    """The store of a partition in files of a folder, with its only worker.

    `begin` and `commit` enclose the work of a level.
    """

    def __init__(self, compiled: Compiled, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self._kept: list[FileRegion] = []
        super().__init__(compiled, ROOM)
        self.worker = Worker(self)
        self._header = FileRegion(folder / "header", HEADER.itemsize)
        self._header.take(HEADER.itemsize)
        self._head: Any = self._header.bytes[: HEADER.itemsize].view(HEADER)[0]
        self._least_bits = self.bits

    def _region(self, name: str, size: int) -> Region:
        region = FileRegion(self.folder / name, size)
        self._kept.append(region)
        return region

    # -- marks ---------------------------------------------------------------------------------------------

    def stands_at(self, mark: Mark) -> bool:
        """Bring the shard to a mark, if it has that mark or can return to it."""
        newest, before = (self._mark(i) for i in (0, 1))
        if mark == newest and not self._head["dirty"]:
            self._attach(int(self._head["bits"]), mark.count)
            return True
        if mark not in (newest, before):
            return False
        self.begin()
        self._put_mark(0, mark)
        self._put_mark(1, Mark(0, 0, bytes(DIGEST)))
        self._rewind(mark.count)
        self.commit(mark)
        return True

    def begin(self) -> None:
        """What follows is unfinished until `commit`."""
        self._head["dirty"] = 1

    def commit(self, mark: Mark) -> None:
        """The work of a level is complete."""
        if mark != self._mark(0):
            self._put_mark(1, self._mark(0))
            self._put_mark(0, mark)
        self._head["bits"] = self.bits
        self._head["dirty"] = 0

    def empty(self) -> None:
        """Start again without states."""
        self.begin()
        for i in (0, 1):
            self._put_mark(i, Mark(0, 0, bytes(DIGEST)))
        for region in self._kept:
            region.clear()
        self._attach(self._least_bits, 0)

    def _mark(self, i: int) -> Mark:
        mark = self._head["marks"][i]
        return Mark(int(mark["level"]), int(mark["count"]), mark["digest"].tobytes())

    def _put_mark(self, i: int, mark: Mark) -> None:
        kept = self._head["marks"][i]
        kept["digest"] = np.frombuffer(mark.digest, np.uint8)
        kept["level"], kept["count"] = mark.level, mark.count

    # -- states --------------------------------------------------------------------------------------------

    def _attach(self, bits: int, count: int) -> None:
        """Detect what another process may have changed."""
        self.bits = bits
        self.worker.look()
        self.open_level(count)
        self._take_table(bits)
        self._take_rows(count)

    def _rewind(self, count: int) -> None:
        table = self.table
        assert isinstance(table, FileRegion)
        table.clear()
        self._attach(self._least_bits, 0)
        self.put_back(self.states[:count])

    def put_back(self, states: Any) -> None:
        """Store states that are known to be new and have been judged before."""
        counters, never = self.worker.counters.copy(), self.worker.get("never")
        self.worker.set("never", (1 << 64) - 1)
        for at in range(0, len(states), CHUNK):
            part = states[at : at + CHUNK]
            self.open_level(self.count)
            self.receive(part, np.zeros(len(part), np.uint16))
        self.open_level(self.count)
        self.worker.set("never", never)
        self.worker.counters[:] = counters

    @property
    def count(self) -> int:
        """States stored."""
        return self.worker.get("next")

    def open_level(self, start: int) -> None:
        """States that are stored from now on belong to the level that begins at an index."""
        self.used = self.level_start = start
        self.worker.begin(1)

    def receive(self, states: Any, actions: Any, most: int = ROOM) -> None:
        """Store successors while there are fewer than `most` states; OSError when the disk is full."""
        self._take_rows(min(self.count + len(states), most))
        done = 0
        while done < len(states) and self.count < most:
            end = min(len(states), done + most - self.count)
            done += self.worker.receive(states[done:end], actions[done:end])
            if done < end:
                self.used = self.count
                self._take_table(self.bits + 1)
                self.grow([self.worker], 0)

    def _take_rows(self, rows: int) -> None:
        for region, words in ((self.arena, self.words), (self.keys, self.key_words)):
            assert isinstance(region, FileRegion)
            region.take(8 * words * rows)

    def _take_table(self, bits: int) -> None:
        assert isinstance(self.table, FileRegion)
        self.table.take(4 << bits)

    def close(self) -> None:
        """Release the files."""
        for region in [*self._kept, self._header]:
            region.close()


_open: OrderedDict[Path, KeptShard] = OrderedDict()


@contextmanager
def shard_of(compiled: Compiled, run: str, owner: int, owners: int) -> Iterator[KeptShard | None]:
    """The shard of a partition, locked; None when another task keeps it locked."""
    folder = _folder(run) / f"{owner}-of-{owners}"
    folder.mkdir(parents=True, exist_ok=True)
    lock = os.open(folder / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        if not _locked(lock):
            yield None
            return
        kept = _open.pop(folder, None)
        if kept is None or kept.compiled is not compiled:
            kept = KeptShard(compiled, folder)
        _open[folder] = kept
        while len(_open) > OPEN:
            _open.popitem(last=False)[1].close()
        yield kept
    finally:
        os.close(lock)


def _locked(lock: int) -> bool:
    until = time.monotonic() + PATIENCE
    while True:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
        except BlockingIOError:
            if time.monotonic() > until:
                return False
            time.sleep(0.05)


def _folder(run: str) -> Path:
    """The folder of shards: beside the blocks of this executor, in the application's folder, which the cluster removes.

    After a restart of the machine it is another folder: data in memory may not have reached the disk.
    """
    given = os.environ.get("EVERYSTATE_SHARDS")
    scratch = given or Path(os.environ["SPARK_LOCAL_DIRS"].split(",")[0]).parent
    boot = Path("/proc/sys/kernel/random/boot_id")
    since = boot.read_text().strip()[:8] if boot.exists() else "0"
    return Path(scratch) / f"everystate-{run}-{since}"
