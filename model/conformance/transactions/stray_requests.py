"""Stray requests and markers, from any sender at any time: so walks see every answer, not only those to valid clients.

They represent a zombie, a faulty client, or a request that was delayed for long, and need not fit the state. The
properties of the model do not hold then and are not checked; the answers and actions of Kafka are compared.
"""

from __future__ import annotations

from typing import Any, cast

from everystate.checker import Array, Int, action, narrate, require

from ...transactions.generation import TWICE
from ...transactions.properties import Properties
from ...transactions.records import CONCURRENT, NONE, NOWHERE, UNREAD, Request
from .coordinator_moves import END, RENEW, START, VERIFY

BOTH = (False, True)


def is_stray(action: str) -> bool:
    """Whether an action is a stray request or marker."""
    return action.startswith("stray_")


def straying(spec: Properties) -> StrayRequests:
    """A spec with stray requests; its own actions are unchanged."""
    kind = type(spec)
    found = kind if issubclass(kind, StrayRequests) else type(kind.__name__, (StrayRequests, kind), {})
    return cast(StrayRequests, found(**spec.constants))


def _pids(spec: Any) -> range:
    return range(spec.pids)


def _epochs(spec: Any) -> range:
    return range(spec.epochs + 1)


def _terms(spec: Any) -> range:
    return range(spec.failovers + 1)


def _tv2(spec: Any) -> tuple[bool, ...]:
    return BOTH if spec.rules.mixed else (spec.rules.epoch_per_transaction,)


def _verified(spec: Any) -> range:
    return spec.places if spec.rules.verifies else range(0)


class StrayRequests(Properties):
    """The model, and whatever else may be sent to coordinator and leaders."""

    def variables(self) -> None:
        super().variables()
        sequence = Int(0, self.transactions - 1)
        self.lowest = Array(self.partitions, Array(self.pids, sequence))
        self.first = Array(self.partitions, Array(self.pids, sequence))

    def is_duplicate(self, partition: int, request: Request) -> bool:
        """B2: a producer may have begun anywhere (T7.16), and what is before its first batch is no duplicate."""
        return super().is_duplicate(partition, request) and request.sequence >= self.first[partition][request.pid]

    def write(self, partition: int, slot: int) -> None:
        """The first batch of an epoch is noted."""
        request = self.request[partition][slot]
        known, first = self.known[partition][request.pid], self.first[partition][request.pid]
        goes_on = known.epoch == request.epoch and known.last >= 0
        self.first[partition][request.pid] = first if goes_on else request.sequence
        super().write(partition, slot)

    def take_guard(self, partition: int, slot: int) -> None:
        """T7.17: the VerificationStateEntry has the lowest sequence that was seen of its epoch, too."""
        request = self.request[partition][slot]
        guard, lowest = self.known[partition][request.pid].guard, self.lowest[partition][request.pid]
        lower = guard == request.epoch and request.sequence < lowest
        self.lowest[partition][request.pid] = request.sequence if guard < request.epoch or lower else lowest
        super().take_guard(partition, slot)

    def is_out_of_order(self, partition: int, request: Request) -> bool:
        """T7.17: nor may a batch go on whose sequence is above that, as long as the entry is there."""
        waits = self.known[partition][request.pid].guard >= 0
        above = waits and request.sequence > self.lowest[partition][request.pid]
        return above or super().is_out_of_order(partition, request)

    def while_writing(self, kind: str, pid: int, epoch: int, partition: int, fences: bool) -> str:
        """T1.4, T3.4, T3.5: the answer while what has been decided in this state is being written."""
        self.bump_of_a_fence(fences)
        if kind == VERIFY:
            return self.verify(pid, epoch, partition)
        ends_as_before = kind == END and not self.rules.epoch_per_transaction
        if kind in (START, RENEW) or (self.rules.pending_first and not ends_as_before):
            return CONCURRENT
        refused = self.refused(pid, epoch)
        return CONCURRENT if refused == NONE else refused

    def bump_of_a_fence(self, fences: bool) -> None:
        """T5.1, T5.3: a fence has its epoch in memory before it is written; TV2 from 4.0.1 on not."""
        if fences and (not self.rules.tv2_fences or self.rules.fence_bumps == TWICE):
            self.coordinator.epoch = min(self.coordinator.epoch + 1, self.epochs)

    def known_id(self) -> None:
        """An id of which the coordinator knows nothing refuses all; the model has no state for it."""
        require(self.coordinator.epoch >= 0)

    @action
    def stray_start(self) -> None:
        """InitProducerId without a pair (T2.2, T2.4, T2.5, T2.6)."""
        self.known_id()
        narrate(self.start_anew(), at="coordinator")

    @action(pid=_pids, epoch=_epochs)
    def stray_renew(self, pid: int, epoch: int) -> None:
        """InitProducerId with a pair (T2.3, T2.7, T2.8)."""
        self.known_id()
        narrate(self.renew(pid, epoch), at="coordinator")

    @action(pid=_pids, epoch=_epochs, partition="partitions")
    def stray_join(self, pid: int, epoch: int, partition: int) -> None:
        """AddPartitionsToTxn (T3.1 to T3.4)."""
        self.known_id()
        narrate(self.join(pid, epoch, partition), at="coordinator")

    @action(pid=_pids, epoch=_epochs, partition=_verified)
    def stray_verify(self, pid: int, epoch: int, partition: int) -> None:
        """A verification (T3.5, T3.6)."""
        self.known_id()
        narrate(self.verify(pid, epoch, partition), at="coordinator")

    @action(pid=_pids, epoch=_epochs, commit=BOTH)
    def stray_end(self, pid: int, epoch: int, commit: bool) -> None:
        """EndTxn (T4)."""
        self.known_id()
        narrate(self.end(pid, epoch, commit), at="coordinator")

    @action(partition="partitions", pid=_pids, epoch=_epochs, commit=BOTH, term=_terms, tv2=_tv2)
    def stray_marker(self, partition: int, pid: int, epoch: int, commit: bool, term: int, tv2: bool) -> None:
        """A marker of any coordinator (T7.3 to T7.7)."""
        narrate(self.mark(partition, pid, epoch, commit, term, tv2), at=self.name(partition))

    @action(partition="partitions", pid=_pids, epoch=_epochs, sequence="transactions")
    def stray_record(self, partition: int, pid: int, epoch: int, sequence: int) -> None:
        """A produce request on a closed connection (T7.1, T7.2, T7.8 to T7.16)."""
        self.known_id()
        request = self.request[partition][self.late]
        require(request.stage == NOWHERE)
        request.stage, request.pid, request.epoch, request.sequence = UNREAD, pid, epoch, sequence
        request.transaction = 0
