"""What an audit must find, computed batch by batch with explicit sets of sequences."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from .generator import MODULUS, Batch

HALF = MODULUS // 2
NEAR = 16
Finding = tuple[str, int, int]
"""Kind, offset of the batch that shows it, amount."""


@dataclass
class Epoch:
    """Lifted sequences that were written, the highest with the holes in front of its batch, and the jumps."""

    written: set[int] = field(default_factory=set)
    top: int = -1
    top_holes: int = 0
    previous: int = 0
    jumps: list[tuple[range, int, int]] = field(default_factory=list)


def findings(batches: Sequence[Batch]) -> list[Finding]:
    """The findings of one producer, sorted; a log begins at offset 0, and an offset that no batch has is a hole."""
    found: list[Finding] = []
    ended = max((at for at, batch in enumerate(batches) if batch.control), default=-1)
    open_ = [batch.offset for batch in batches[ended + 1 :] if batch.transactional]
    found += [("open-transaction", offset, 0) for offset in open_[:1]]
    epochs: dict[int, Epoch] = {}
    newest = last_epoch = -1
    end = holes = 0
    recent: list[Batch] = []
    before: list[Batch] = []
    compared = 0
    last_holes = 0
    for batch in batches:
        holes += batch.offset - end
        end = batch.last_offset + 1
        if batch.control:
            newest, last_epoch = max(newest, batch.epoch), batch.epoch
            continue
        if batch.epoch < newest and last_epoch != batch.epoch:
            found.append(("epoch-regression", batch.offset, 0))
        epoch = epochs.get(batch.epoch)
        if epoch is None:
            epoch = Epoch(previous=batch.sequence)
            if not epochs:
                if batch.sequence:
                    kind = "first-sequence" if batch.sequence <= holes else "missing-start"
                    found.append((kind, batch.offset, batch.sequence))
            elif batch.epoch >= newest:
                if batch.sequence:
                    epoch.jumps.append((range(batch.sequence), holes - last_holes, batch.offset))
                if not batch.transactional:
                    found.append(("epoch-bump", batch.offset, 0))
                    before, compared = list(recent), 0
            epochs[batch.epoch] = epoch
        start = epoch.previous + (batch.sequence - epoch.previous + HALF) % MODULUS - HALF
        mine = set(range(start, start + batch.count))
        late = bool(epoch.written) and start <= epoch.top
        if late:
            found.append(("duplicate" if mine & epoch.written else "reordered", batch.offset, 0))
        else:
            first = not epoch.written
            if not first and start > epoch.top + 1:
                epoch.jumps.append((range(epoch.top + 1, start), holes - epoch.top_holes, batch.offset))
            if batch.last_sequence < batch.sequence or (batch.sequence == 0 and not first and start == epoch.top + 1):
                found.append(("wrap", batch.offset, 0))
        if not late and before and compared < NEAR:
            compared += 1
            same = [at for at, old in enumerate(before) if old.body == batch.body and old.epoch < batch.epoch]
            if same:
                found.append(("copy", batch.offset, len(before) - same[-1] - 1))
        epoch.written |= mine
        if max(mine) > epoch.top:
            epoch.top, epoch.top_holes = max(mine), holes
        epoch.previous = max(mine)
        newest, last_epoch, last_holes = max(newest, batch.epoch), batch.epoch, holes
        recent = [*recent, batch][-NEAR:]
    for epoch in epochs.values():
        for jump, between, offset in epoch.jumps:
            missing = len(jump) - sum(sequence in jump for sequence in epoch.written)
            if missing:
                found.append(("gap" if missing > between else "unproved-gap", offset, missing))
    return sorted(found)
