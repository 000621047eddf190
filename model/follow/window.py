"""The Kafka model as a window that moves along a log: finished batches are forgotten, and the numbers start again.

A log of hundreds of batches needs the state of those that are not finished, and of the last five that are: no more is
remembered by a broker of Kafka. So `forget_batch` takes the oldest batch out, and all numbers behind it get smaller.
Faults have no budget here: how often something happened is what a log says.
"""

from __future__ import annotations

from everystate.checker import action, assumption, require

from ..kafka import KafkaProducer
from ..records import ACKED, APPENDED, FAILED, MISREPORTED, NONE, QUEUED, UNKNOWN, UNREAD, Entry

FINISHED = (ACKED, MISREPORTED, FAILED, UNKNOWN)


class ProducerLog(KafkaProducer):
    """What a producer of Kafka may write into its log, one partition at a time."""

    vocabulary = "everystate.model.follow.producer"

    @assumption
    def one_window(self) -> bool:
        """one partition, an empty topic, and nothing that a window cannot forget: deadlines, retentions, a modulus"""
        plain = self.partitions == 1 and self.warm == 0 and not self.modulus and not self.survivors
        return plain and not (self.deadlines or self.retentions or self.unclean_elections or self.rolls)

    def spend(self, kind: str) -> None:
        """A fault costs nothing."""
        super().spend(kind)
        self.faults_left = self.budget
        for counted in self.counted:
            setattr(self, f"{counted}_used", 0)

    @action
    def nothing_happens(self) -> None:
        """Where a log leaves open whether a broker failed, none did."""

    @action(renumber=(False, True))
    def forget_batch(self, renumber: bool) -> None:
        """The oldest batch is finished, and left out. `renumber`: it has a sequence of the current epoch."""
        require(self.batch[0].status in FINISHED)
        require(not any(0 in self.connection[n].requests for n in self.used_brokers))
        gone = self._gone()
        if renumber:
            self._renumber()
        self._move_answers(gone)
        self._move_log(gone)
        for link in (self.connection[n] for n in self.used_brokers):
            waiting = [b - 1 for b in link.requests]
            link.requests.clear()
            for b in waiting:
                link.requests.append(b)
        for b in self.sending[:-1]:
            self.batch[b] = self.batch[b + 1]
        self._begin(self.batches - 1)

    def _gone(self) -> int:
        """How many entries of the log are of the oldest batch, before any other."""
        log, number, leading = self.log[0], 0, True
        for at in range(self.log_capacity):
            leading = leading and at < log.end and log.entries[at].batch in (0, self.foreign)
            number += 1 if leading else 0
        return number

    def _renumber(self) -> None:
        """The sequences of the current epoch become smaller by one."""
        entry, log = self.partition[0], self.log[0]
        for b in self.sending:
            state = self.batch[b]
            if state.pid == entry.pid and state.epoch == entry.epoch:
                if state.position == state.sequence and state.outcome == UNREAD:
                    state.position = max(state.position - 1, 0)
                state.sequence = max(state.sequence - 1, 0)
        for at in range(self.log_capacity):
            here = log.entries[at]
            if here.pid == entry.pid and here.epoch == entry.epoch:
                here.sequence = max(here.sequence - 1, 0)
        entry.next_sequence = max(entry.next_sequence - 1, 0)
        entry.last_acked = max(entry.last_acked - 1, -1)

    def _move_answers(self, gone: int) -> None:
        """Answers that have come carry offsets."""
        for b in self.sending:
            state = self.batch[b]
            if state.outcome in (APPENDED, NONE) and state.position < self.log_capacity:
                state.position = max(state.position - gone, 0)

    def _move_log(self, gone: int) -> None:
        log = self.log[0]
        blank = Entry(batch=0, pid=self.no_pid, epoch=0, sequence=0, size=1)
        for at in range(self.log_capacity):
            there = at + gone < log.end
            moved = log.entries[min(at + gone, self.log_capacity - 1)]
            known = moved.batch != self.foreign and moved.batch != 0
            log.entries[at] = Entry(
                batch=(moved.batch - 1 if known else self.foreign) if there else blank.batch,
                pid=moved.pid if there else blank.pid,
                epoch=moved.epoch if there else 0,
                sequence=moved.sequence if there else 0,
                size=1,
            )
        log.end -= gone
        log.high_watermark = max(log.high_watermark - gone, 0)
        for r in range(self.replicas):
            replica = self.replica[0][r]
            replica.replicated = max(replica.replicated - gone, 0)
            for pid in range(self.pids):
                replica.start[pid] = max(replica.start[pid] - gone, 0)

    def _begin(self, batch: int) -> None:
        """A batch that was not sent yet."""
        state = self.batch[batch]
        state.status, state.outcome = QUEUED, UNREAD
        state.sequence, state.attempts, state.position = 0, 0, 0
        state.reopened, state.forgotten, state.carried = False, False, False
        state.pid, state.epoch = self.no_pid, 0
