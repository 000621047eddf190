"""One state of the model as mapping.py reads it: the model's values in Kafka's numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...checker.language.concrete import Step
from ...checker.language.state import State
from ..generation import AT_DRAIN
from ..kafka import KafkaProducer
from ..records import ABSENT, DRAINED, NO_SEQUENCE, QUEUED, RETRYING, SENT
from .driver import OPEN, UNTOLD
from .numbers import Numbers

DRAINS = ("send", "send_again")
SWEEP, SURVIVOR = "expire_batches", "handle_survivor"
NEXT = (*DRAINS, "start_loop", SWEEP, "init_producer_id", "learn_leader", "fetch")
"""Actions that may come next without a fault, besides requests and answers: the producer's own, and those it waits
for."""


class View:
    """A state of the model, and the steps that may come next in it and are no faults (ModelSide.observe)."""

    def __init__(self, spec: KafkaProducer, numbers: Numbers, state: State, coming: Sequence[Step]) -> None:
        self.spec, self.numbers, self.coming = spec, numbers, coming
        self.state, self.values = state, state.values()

    def __getattr__(self, name: str) -> Any:
        return self.values[name]

    def ids(self, batch: int, size: int = 0) -> tuple[int, ...]:
        """The records of a batch."""
        whole = self.spec.too_large and batch == 0
        if not size:
            size = 2 if whole and self.batch[1].status == ABSENT else 1
        return tuple(range(batch, batch + size))

    def pair_of(self, partition: int) -> tuple[int, int]:
        """Producer id and epoch of a partition; up to 2.7.0 that of what is in flight, else the producer's."""
        entry = self.partition[partition]
        if self.spec.client.other_partitions != AT_DRAIN and not self.in_flight(partition):
            return self.numbers.pair(self.pid, self.epoch)
        return self.numbers.pair(entry.pid, entry.epoch)

    def stamp(self, pid: int, epoch: int, sequence: int, warm: int | None = None) -> tuple[int, int, int]:
        """Producer id, epoch and sequence of a batch; without a producer id the rest means nothing."""
        pair = self.numbers.pair(pid, epoch)
        return (*pair, self.numbers.sequence(sequence, warm) if pid >= 0 else -1)

    def is_foreign(self, entry: Any, at: int) -> bool:
        """Whether an entry of the log is another producer's."""
        return entry.batch == self.spec.foreign and at >= self.spec.warm

    def is_tracked(self, broker: int) -> bool:
        """Whether the model knows where the log of a replica begins: of a follower only if it may ever lead."""
        spec = self.spec
        return bool(self.leader == broker or spec.starts_apart or not spec.retentions)

    def memory(self, broker: int, partition: int) -> Any:
        """What a replica remembers, by producer id; without other producers."""
        if not (self.spec.may_be_asked(broker) and self.is_tracked(broker)):
            return UNTOLD
        found, entries = [], self.spec.own_log(broker, partition)
        for pid in range(self.spec.pids):
            places = list(self.spec.remembered(broker, partition, pid))
            known = [(entries[at], at < self.spec.warm) for at in places if not self.is_foreign(entries[at], at)]
            if known:
                ranges = tuple(self._range(entry, warm) for entry, warm in known)
                found.append((*self.numbers.pair(pid, known[-1][0].epoch), ranges))
        return tuple(found)

    def snapshots(self, broker: int, partition: int) -> Any:
        """The places of a replica's producer snapshots above the log start."""
        if not (self.spec.keeps_snapshots and self.spec.is_read_later(broker) and self.is_tracked(broker)):
            return UNTOLD
        return self._marked(self.replica[partition][broker].snapshots)

    def segments(self, broker: int, partition: int) -> Any:
        """The places above the log start where a replica's segments begin."""
        if not (self.spec.keeps_segments and self.spec.is_read_later(broker) and self.is_tracked(broker)):
            return UNTOLD
        return self._marked(self.replica[partition][broker].segments)

    def _marked(self, marks: Sequence[bool]) -> tuple[int, ...]:
        return tuple(at for at, marked in enumerate(marks) if marked)

    def _range(self, entry: Any, warm: bool) -> tuple[int, int]:
        first = self.numbers.sequence(entry.sequence, 0 if warm else None)
        return first, first + entry.size - 1

    def in_flight(self, partition: int) -> Any:
        """I(p), in order: batch, sequence, attempts, reopened."""
        found = []
        for b in self.spec.batches_of(partition):
            state, forgotten = self.batch[b], self.spec.keeps_identity and self.batch[b].forgotten == 1
            if state.status in (SENT, RETRYING) and not forgotten:
                sequence = self.numbers.sequence(state.sequence)
                found.append((b, sequence, state.attempts, bool(state.reopened)))
        return tuple(sorted(found, key=lambda each: each[1]))

    def unresolved(self, partition: int) -> int:
        """The unresolved sequence of a partition; of a producer that resets its id only whether there is one."""
        found = self.partition[partition].unresolved
        if not self.spec.client.bumps and found != NO_SEQUENCE:
            return 0
        return self.numbers.sequence(found)

    def result(self, record: int) -> str:
        """What the application knows of a record."""
        status = self.batch[0 if self.batch[record].status == ABSENT else record].status
        return OPEN if status in (QUEUED, RETRYING, SENT) else str(status)

    def loops(self) -> bool:
        """Whether the producer's next pass resolves or bumps."""
        return self.may("start_loop")

    def drains(self) -> list[int]:
        """The batches that the producer's next pass may take."""
        return [dict(step.action.arguments)["batch"] for step in self.coming if step.action.name in DRAINS]

    # -- what may come next --------------------------------------------------------------------------------

    def may(self, action: str, broker: int | None = None) -> bool:
        """Whether an action may come next, at a broker."""
        found = [dict(step.action.arguments) for step in self.coming if step.action.name == action]
        return any(broker is None or arguments.get("broker") == broker for arguments in found)

    def may_handle(self, broker: int) -> Any:
        """Whether a broker handles a request; before that the follower may have to fetch (B7)."""
        waits = self.may("fetch") or not self.spec.property_holds("LogFits", self.state)
        return self.may("handle", broker) or (UNTOLD if waits else False)

    def may_read(self, broker: int) -> Any:
        """Whether an answer is read; before that the follower may have to fetch (B6.1), or the pass has its sweep."""
        waits = self.may("fetch") or (self.overdue == DRAINED and (self.may("expire_batches") or self.loops()))
        return self.may("read_answer", broker) or (UNTOLD if waits else False)

    def executes_survivors(self) -> Any:
        """The brokers that may execute the next request of a closed connection."""
        fits = self.spec.property_holds("LogFits", self.state)
        return tuple(n for n in range(self.spec.replicas) if self.may(SURVIVOR, n)) if fits else UNTOLD

    def sweeps(self) -> tuple[int, ...]:
        """The batches that expire in a sweep, where one may come."""
        swept = [step.state.opened()["batch"] for step in self.coming if step.action.name == SWEEP]
        statuses = [self.batch[b].status for b in self.spec.sending]
        return tuple(b for after in swept for b, before in enumerate(statuses) if after[b].status != before)
