"""Checks the sequence numbers of one producer in one log: a single pass over its batches in the order of offsets.

A broker accepts a batch only if it continues where the last one of its producer and epoch ended (B4.4), begins a newer
epoch at 0 (B4.2), or is of a producer that the broker does not know (B4.1). So almost every batch continues where the
one before it ended. Such a chain is one interval of sequences, found by whole columns; only the beginning of a chain is
examined by itself.

A batch is compared with the highest sequence of its epoch so far, and a jump is judged when all batches have been seen.
What fills it later is reordered, and what never appears is a gap. If as many offsets as sequences are missing in
between, nothing is proved. So the batch after a gap, a duplicate or a batch of an old epoch is not blamed for its
predecessor.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from .epochs import Array, Batch, Chain, Epoch, SequenceGap
from .schema import CONTROL, TRANSACTIONAL, WEAK, Columns
from .segment import MODULUS

NEAR = 16
"""Batches before and after a new epoch that are compared: more than can be in flight at the end of an epoch."""
KEPT = 1 << 20
"""Batches of a producer whose offsets are remembered, so that a duplicate can name its original."""


@dataclass(frozen=True)
class Finding:
    """A pattern in the batches of a producer: its kind, the batch that shows it, and the related one.

    `amount` counts sequences that are missing, or batches of the producer between the two. A `start` and a `jump` also
    depend on the missing offsets, see dataframes.py.
    """

    kind: str
    log: int
    producer_id: int
    batch: Batch
    other: Batch | None = None
    amount: int = 0
    text: str = ""


@dataclass
class Producer:
    """A producer id in one log, in the order of offsets; findings are given as soon as they are certain."""

    log: int
    producer_id: int
    newest: int = -1
    last_epoch: int = -1
    epochs: dict[int, Epoch] = field(default_factory=dict)
    recent: list[Batch] = field(default_factory=list)
    before: dict[int, tuple[int, Batch]] = field(default_factory=dict)
    compared: int = 0
    kept: int = 0
    open: Batch | None = None
    """The first batch of a transaction that no marker has ended so far."""

    def transactions(self, rows: Columns) -> None:
        """The transaction that is open after some more batches and markers."""
        marker = (rows["flags"] & CONTROL) != 0
        ended = np.flatnonzero(marker)
        first = int(ended[-1]) + 1 if len(ended) else 0
        self.open = None if first else self.open
        begun = np.flatnonzero((rows["flags"][first:] & TRANSACTIONAL) != 0)
        if self.open is None and len(begun):
            self.open = Chain(rows, np.zeros(len(marker), np.int64)).batch(first + int(begun[0]))

    def chain(self, chain: Chain, newest: int, fence: int) -> Iterator[Finding]:
        """Batches that follow each other; `newest` is the highest epoch so far, markers included.

        `fence` is the epoch that should have excluded them, where an older epoch returns, else -1.
        """
        first = chain.batch(0)
        epoch = first.epoch
        if fence >= 0:
            text = f"epoch {epoch} after epoch {fence}"
            yield self._finding("epoch-regression", first, self.recent[-1] if self.recent else None, 0, text)
        written = self.epochs.get(epoch)
        if written is None:
            written = Epoch()
            yield from self._new_epoch(written, first, newest)
            self.epochs[epoch] = written
        late = yield from self._sequences(written, chain)
        yield from self._copies(chain, late)
        tail = chain.part(max(0, len(chain) - NEAR), len(chain))
        self.recent = [*self.recent, *map(tail.batch, range(len(tail)))][-NEAR:]

    def _new_epoch(self, written: Epoch, first: Batch, newest: int) -> Iterator[Finding]:
        written.previous = first.first_sequence
        if not self.epochs:
            if first.first_sequence > 0:
                yield self._finding("start", first, None, first.first_sequence, "")
            return
        if first.epoch < newest:
            return
        other = self.recent[-1] if self.recent else None
        if first.first_sequence > 0:
            written.jumps.append(SequenceGap(0, first.first_sequence - 1, first, other))
        if not first.flags & TRANSACTIONAL:
            if other is not None:
                yield self._finding("epoch-bump", first, other, 0, f"epoch {other.epoch} to {first.epoch}")
            self.before = {b.content: (len(self.recent) - at - 1, b) for at, b in enumerate(self.recent) if b.content}
            self.compared = 0

    def _copies(self, chain: Chain, late: int) -> Iterator[Finding]:
        """Batches of a new epoch with the records of a batch of the epoch before, except those already late."""
        for at in range(late, min(len(chain), late + NEAR - self.compared) if self.before else late):
            batch = chain.batch(at)
            self.compared += 1
            newer, original = self.before.get(batch.content, (0, None))
            if original is not None and original.epoch < batch.epoch:
                yield self._finding("likely-copy" if batch.flags & WEAK else "copy", batch, original, newer, "")

    def _sequences(self, written: Epoch, chain: Chain) -> Generator[Finding, None, int]:
        """Compare a chain with what was written before; returns how many of its batches are not above all of that."""
        start = written.lift(chain.batch(0).first_sequence)
        length = chain.length()
        chain.lifted = start + np.concatenate([[0], np.cumsum(length[:-1])])
        end = int(chain.lifted[-1] + length[-1]) - 1
        yield from self._wraps(written, chain)
        late = int(np.searchsorted(chain.lifted, written.top, "right")) if written.starts else 0
        for at in range(late):
            yield from self._late(written, chain, at)
        if late:
            written.reach(int(chain.lifted[late - 1] + length[late - 1]) - 1, chain, late - 1)
        if late < len(chain):
            lowest = int(chain.lifted[late])
            if written.starts and lowest > written.top + 1:
                written.jumps.append(SequenceGap(written.top + 1, lowest - 1, chain.batch(late), written.top_batch))
            written.cover(lowest, end)
        written.reach(end, chain, len(chain) - 1)
        written.previous = end
        self._keep(written, chain)
        return late

    def _late(self, written: Epoch, chain: Chain, at: int) -> Iterator[Finding]:
        """A batch below the highest sequence: written before, or overtaken."""
        batch, first = chain.batch(at), int(chain.lifted[at])
        last = first + batch.last_offset - batch.base_offset
        if written.overlaps(first, last):
            original = written.original(first, last)
            same = original is not None and (original.first_sequence, original.last_sequence) == (
                batch.first_sequence,
                batch.last_sequence,
            )
            text = "" if same or original is None else "the ranges differ"
            if same and original is not None and original.content and batch.content:
                alike = "records of the same sizes and times" if batch.flags & WEAK else "the same records"
                text = alike if original.content == batch.content else "other records"
            yield self._finding("duplicate", batch, original, 0, text)
        else:
            yield self._finding("reordered", batch, written.top_batch, 0, "")
        written.cover(first, last)

    def _wraps(self, written: Epoch, chain: Chain) -> Iterator[Finding]:
        first, last = chain.columns["first_sequence"], chain.columns["last_sequence"]
        wrapped = last < first
        wrapped[1:] |= first[1:] == 0
        wrapped[0] |= bool(written.starts) and first[0] == 0 and int(chain.lifted[0]) == written.top + 1
        for at in np.flatnonzero(wrapped & ((chain.lifted > written.top) | (not written.starts))).tolist():
            yield self._finding("wrap", chain.batch(at), None, 0, "")

    def _keep(self, written: Epoch, chain: Chain) -> None:
        written.kept.append(chain)
        self.kept += len(chain)
        if self.kept > KEPT:
            for held in self.epochs.values():
                held.kept.clear()
            written.kept.append(chain)
            self.kept = len(chain)

    def finish(self) -> Iterator[Finding]:
        """The findings after all batches: jumps that were not filled, and an open transaction."""
        if self.open is not None:
            yield self._finding("open-transaction", self.open, None, 0, "no marker follows")
        for written in self.epochs.values():
            for jump in written.jumps:
                missing = written.missing(jump.first, jump.last)
                if missing:
                    text = f"sequences {jump.first % MODULUS} to {jump.last % MODULUS}"
                    if missing <= jump.last - jump.first:
                        text = f"{missing:,} of " + text
                    yield self._finding("jump", jump.batch, jump.other, missing, text)

    def _finding(self, kind: str, batch: Batch, other: Batch | None, amount: int, text: str) -> Finding:
        return Finding(kind, self.log, self.producer_id, batch, other, amount, text)


class Audit:
    """All producers, one after the other: columns sorted by log, producer id and offset, in chunks of any size."""

    def __init__(self) -> None:
        self.producer: Producer | None = None
        self.last: Columns | None = None

    def read(self, columns: Columns) -> Iterator[Finding]:
        """The findings that the next rows make certain."""
        columns = self._once(columns)
        data = (columns["flags"] & CONTROL) == 0
        data &= columns["first_sequence"] >= 0
        for begin, end in _groups(columns["log"], columns["producer_id"]):
            log, producer_id = int(columns["log"][begin]), int(columns["producer_id"][begin])
            if self.producer is None or (self.producer.log, self.producer.producer_id) != (log, producer_id):
                yield from self.finish()
                self.producer = Producer(log, producer_id)
            part = {name: values[begin:end] for name, values in columns.items()}
            self.producer.transactions(part)
            yield from _producer_rows(self.producer, part, data[begin:end])

    def finish(self) -> Iterator[Finding]:
        """The findings that are certain at the end of the current producer."""
        if self.producer is not None:
            yield from self.producer.finish()
        self.producer = None

    def _once(self, columns: Columns) -> Columns:
        """Without duplicates: batches that are in two files of the input, at the same offset."""
        keys = [columns[name] for name in ("log", "producer_id", "base_offset", "epoch", "first_sequence", "flags")]
        if not len(keys[0]):
            return columns
        again = np.ones(len(keys[0]), bool)
        for key in keys:
            again[1:] &= key[1:] == key[:-1]
        names = ("log", "producer_id", "base_offset", "epoch", "first_sequence", "flags")
        again[0] = self.last is not None and all(self.last[name][-1] == columns[name][0] for name in names)
        self.last = {name: values[-1:] for name, values in columns.items()}
        return {name: values[~again] for name, values in columns.items()} if again.any() else columns


def _groups(log: Array, producer_id: Array) -> Iterator[tuple[int, int]]:
    if not len(log):
        return
    changes = np.flatnonzero((log[1:] != log[:-1]) | (producer_id[1:] != producer_id[:-1])) + 1
    edges = [0, *changes.tolist(), len(log)]
    yield from pairwise(edges)


def _producer_rows(producer: Producer, rows: Columns, data: Array) -> Iterator[Finding]:
    """Rows of one producer, split into chains."""
    epoch = rows["epoch"]
    newest = np.maximum.accumulate(np.concatenate([[producer.newest], epoch]))
    returns = (epoch < newest[:-1]) & (epoch != np.concatenate([[producer.last_epoch], epoch[:-1]]))
    producer.newest, producer.last_epoch = int(newest[-1]), int(epoch[-1])
    fence = np.where(returns, newest[:-1], -1)
    if not data.all():
        rows, fence, newest = {name: values[data] for name, values in rows.items()}, fence[data], newest[1:][data]
    else:
        newest = newest[1:]
    first, last, epoch = rows["first_sequence"], rows["last_sequence"], rows["epoch"]
    if not len(first):
        return
    follows = (epoch[1:] == epoch[:-1]) & (first[1:] == (last[:-1].astype(np.int64) + 1) % MODULUS) & (fence[1:] < 0)
    edges = [0, *(np.flatnonzero(~follows) + 1).tolist(), len(first)]
    for begin, end in pairwise(edges):
        part = {name: values[begin:end] for name, values in rows.items()}
        yield from producer.chain(Chain(part, np.zeros(end - begin, np.int64)), int(newest[begin]), int(fence[begin]))
