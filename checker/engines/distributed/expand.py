"""The first half of a level: expand blocks of states, and send each successor to its owner.

The result for a block depends on that block alone, so a task may run again anywhere.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import pyarrow as pa

from ..stepping import Expander, parted
from .blocks import COUNTS, SUCCESSORS, Row, batch, pack, rows, unpack
from .meter import KERNEL, reported, spending
from .plan import Task
from .stats import Stats


def expand(task: Task, level: int, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Blocks of states of a level -> blocks of successors for their owners, and the counters."""
    with reported(task.clocks):
        yield from _expanded(task, level, Expander(task.kernel.value.compiled()), batches)


def _expanded(
    task: Task, level: int, expander: Expander, batches: Iterable[pa.RecordBatch]
) -> Iterator[pa.RecordBatch]:
    for row in rows(batches):
        expander.expansion.notes.clear()
        block = unpack(row, expander.shape.words)
        with spending(KERNEL):
            states, actions, counters = expander.successors(block)
        noted = expander.expansion.notes.noted({})
        counted = Row(COUNTS, row.owner, level, row.owner, row.seq, 0, Stats(b"", counters, noted).packed())
        yield batch(counted, task.routes)
        for owner, mine in parted(expander.compiled, states, task.owners):
            packed = pack(states[mine], actions[mine])
            yield batch(Row(SUCCESSORS, owner, level, row.owner, row.seq, len(mine), packed), task.routes)
