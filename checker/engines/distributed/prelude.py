"""The levels that this process has built, as blocks for the work folder."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from .blocks import STATES, Row, pack
from .expand import parted
from .plan import Task
from .stats import DIGEST, Mark

if TYPE_CHECKING:
    from ..exhaustive import Exhaustive


def packed(search: Exhaustive, task: Task) -> tuple[list[Row], dict[int, Mark]]:
    """Blocks of all states, and how far each partition is."""
    digests = [hashlib.blake2b(digest_size=DIGEST) for _ in range(task.owners)]
    counts, rows = [0] * task.owners, []
    for number, ranges in enumerate(search.levels, 1):
        for row in _blocks(search, task, number, search.store.rows(ranges)):
            digests[row.owner].update(row.payload)
            counts[row.owner] += row.count
            rows.append(row)
    last = len(search.levels)
    marks = {owner: Mark(last, counts[owner], digests[owner].digest()) for owner in range(task.owners)}
    return rows, marks


def _blocks(search: Exhaustive, task: Task, level: int, states: Any) -> Iterator[Row]:
    for owner, mine in parted(search.compiled, states, task.owners):
        for seq, at in enumerate(range(0, len(mine), task.block)):
            block = states[mine[at : at + task.block]]
            yield Row(STATES, owner, level, owner, seq, len(block), pack(block))
