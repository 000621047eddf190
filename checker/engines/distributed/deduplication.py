"""The second half of a level: each partition keeps the successors that it has not visited before.

Input of a task: the mark of the partition, the successors that it owns in blocks, and the counters of the expansion.
Output: its new states in blocks and one row of statistics. If its shard is missing, the rows are returned unchanged;
the driver then runs `rebuild` for such partitions, with the states of all levels as further input.

Blocks arrive in any order, so they are sorted first: a repeated task gives the same rows.
"""

from __future__ import annotations

import hashlib
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import chain

import numpy as np
import pyarrow as pa

from ...errors import EverystateError
from ..path_notes import merged
from .blocks import ANCHOR, COUNTS, STATES, STATS, SUCCESSORS, Row, batch, pack, rows, unpack, unpack_successors
from .meter import KERNEL, REBUILT, SPENT, reported, spending
from .plan import Task
from .shards import KeptShard, shard_of
from .stats import DIGEST, Mark, Stats, unpacked


@dataclass(frozen=True)
class Step:
    """The level to be built: the mark of each partition before it, the groups of watches to evaluate, and how many
    states each partition stores at the most."""

    level: int
    marks: dict[int, Mark]
    always: int
    never: int
    most: int = 1 << 62


@dataclass
class Arrived:
    """The input of a task, except for states."""

    owner: int = -1
    blocks: list[Row] = field(default_factory=list)
    counts: list[Row] = field(default_factory=list)

    def take(self, row: Row) -> None:
        """Sort a row in."""
        self.owner = row.owner
        if row.kind == SUCCESSORS:
            self.blocks.append(row)
        elif row.kind == COUNTS:
            self.counts.append(row)

    @property
    def everything(self) -> Iterator[Row]:
        """All rows, in an order that is independent of the order of arrival."""
        yield from sorted(self.counts, key=_place)
        yield from sorted(self.blocks, key=_place)


def _place(row: Row) -> tuple[int, int]:
    return row.source, row.seq


def settle(task: Task, step: Step, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Blocks of successors -> blocks of new states and statistics, or the same blocks when the shard is missing."""
    with reported(task.clocks):
        yield from _tried(task, step, batches)


def _tried(task: Task, step: Step, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    arrived = Arrived()
    for row in rows(batches):
        arrived.take(row)
    if arrived.owner < 0:
        return
    compiled = task.kernel.value.compiled()
    with shard_of(compiled, task.run, arrived.owner, task.owners) as shard:
        if shard is not None and shard.stands_at(step.marks[arrived.owner]):
            found = _settled(task, step, shard, arrived)
        else:
            task.told.add({(step.level, arrived.owner): None})
            mark = Row(ANCHOR, arrived.owner, step.level, 0, 0, 0, b"")
            found = iter([mark, *arrived.everything])
        for row in found:
            yield batch(row, task.routes)


def rebuild(
    task: Task, step: Step, waiting: frozenset[int], batches: Iterable[pa.RecordBatch]
) -> Iterator[pa.RecordBatch]:
    """The same for partitions that wait, with the states of all levels before in the input; it gives new states.

    One sequential pass over the partition. TimeoutError when another task keeps the shard locked: Spark then runs this
    one again. A partition that does not wait also reads its input to the end: Spark ends a Python worker with unread
    input, and the next task would have to start a new one.
    """
    with reported(task.clocks):
        ahead = rows(batches)
        first = next(ahead, None)
        if first is not None and first.owner in waiting:
            yield from _rebuilt(task, step, first, ahead)
        deque(ahead, maxlen=0)


def _rebuilt(task: Task, step: Step, first: Row, ahead: Iterator[Row]) -> Iterator[pa.RecordBatch]:
    compiled = task.kernel.value.compiled()
    arrived, mark = Arrived(), step.marks[first.owner]
    with shard_of(compiled, task.run, first.owner, task.owners) as shard:
        if shard is None:
            raise TimeoutError(f"partition {first.owner} is locked")
        shard.empty()
        SPENT[REBUILT] += 1
        for row in chain([first], ahead):
            if row.kind == STATES:
                states = unpack(row, shard.words)
                with spending(KERNEL):
                    shard.put_back(states)
            else:
                arrived.take(row)
        if shard.count != mark.count:
            reason = f"partition {first.owner} holds {shard.count:,} states up to there, not {mark.count:,}"
            raise EverystateError("E627", None, level=mark.level, reason=reason)
        shard.commit(mark)
        for row in _settled(task, step, shard, arrived):
            yield batch(row, task.routes)


def _settled(task: Task, step: Step, shard: KeptShard, arrived: Arrived) -> Iterator[Row]:
    """Store the successors; returns the new states, and the counters."""
    mark, owner = step.marks[arrived.owner], arrived.owner
    worker = shard.worker
    worker.counters[:] = 0
    worker.set("always", step.always)
    worker.set("never", step.never)
    shard.open_level(mark.count)
    shard.begin()
    for row in sorted(arrived.blocks, key=_place):
        successors = unpack_successors(row, shard.words)
        with spending(KERNEL):
            shard.receive(*successors, mark.count + step.most)
    digest = hashlib.blake2b(mark.digest, digest_size=DIGEST)
    for seq, at in enumerate(range(mark.count, shard.count, task.block)):
        states = shard.states[at : min(at + task.block, shard.count)]
        payload = pack(states)
        digest.update(payload)
        yield Row(STATES, owner, step.level, owner, seq, len(states), payload)
    shard.commit(Mark(step.level, shard.count, digest.digest()))
    counted = [unpacked(row.payload, task.kernel.value.shape, 0) for row in arrived.counts]
    counters = np.sum([worker.counters, *(stats.counters for stats in counted)], axis=0, dtype=np.uint64)
    told = Stats(digest.digest(), counters, merged(stats.noted for stats in counted))
    row = Row(STATS, owner, step.level, owner, 0, shard.count - mark.count, told.packed())
    task.told.add({(step.level, owner): (row.count, row.payload)})
    yield row
