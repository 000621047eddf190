"""The state: what the coordinator, the leaders, the producers and the network remember.

A feature that a scenario does not use costs no bit: its domain has one value.
"""

from __future__ import annotations

from typing import Any

from everystate.checker import Array, Bool, Constant, Enum, Int, Spec, assumption, initial, require

from .generation import ADDED, GENERATIONS, Generation
from .records import ABORT as ABORT
from .records import (
    ABORTED,
    ACKED,
    COMMITTED,
    EMPTY,
    FAULTS,
    GONE,
    GUARDED,
    JOINED,
    NEW,
    NOTHING,
    NOWHERE,
    PENDING,
    SENT,
    STARTING,
    STATES,
    STATUSES,
    UNDECIDED,
    UNREAD,
    WAITING,
    Coordinator,
    End,
    Entry,
    Join,
    Log,
    Marker,
    Producer,
    ProducerState,
    Request,
    Start,
)
from .records import CLEARED as CLEARED
from .records import COMMIT as COMMIT


class Variables(Spec):
    """Variables of the model of transactions."""

    generation = Constant("4.3", "the protocol version of brokers and clients")
    partitions = Constant(2, "partitions that a transaction writes to, one record each")
    transactions = Constant(2, "transactions that are begun at most")
    sessions = Constant(1, "producers with the transactional id, one after the other")
    epochs = Constant(5, "the highest epoch: stands for 32767")
    start_epoch = Constant(-1, "the epoch that the transactional id has before the first producer starts, -1: none")
    pids = Constant(1, "producer ids that can be handed out")
    faults = Constant(1, "faults in a behaviour at most, of all kinds together")
    aborts = Constant(0, "transactions that the application aborts of itself")
    deadlines = Constant(0, "delivery timeouts of a record whose request is delayed")
    disconnects = Constant(0, "lost connections of a producer to a leader")
    late_starts = Constant(0, "InitProducerId requests that are delayed and sent again")
    late_joins = Constant(0, "AddPartitionsToTxn requests that are delayed and sent again")
    lost_joins = Constant(0, "answers to AddPartitionsToTxn that are lost, behind a record that send refuses")
    late_ends = Constant(0, "EndTxn requests that are delayed and sent again")
    late_markers = Constant(0, "markers that are delayed and sent again")
    timeouts = Constant(0, "transactions that the coordinator aborts by their timeout")
    failovers = Constant(0, "changes of the coordinator")
    lost_answers = Constant(0, "answers to the InitProducerId of an epoch bump that are lost")
    expiries = Constant(0, "times that the coordinator forgets the transactional id, which nobody has used for long")
    left_behind = Constant(False, "whether a coordinator may leave a marker on the way when another one follows")
    takeovers = Constant(0, "starts of a further producer while the first one goes on")
    elections = Constant(0, "changes of the leader of a partition, or restarts of it")
    unclean_elections = Constant(0, "elections of a replica that has not fetched for a while, or restarts with less")
    refusals = Constant(0, "records that a leader refuses for a while, such as with NOT_ENOUGH_REPLICAS")
    invalid_records = Constant(0, "records that a leader refuses for good, such as with INVALID_RECORD")
    retentions = Constant(0, "restarts of the only replica of a partition all of whose records are deleted")
    lost_logs = Constant(0, "times that the log of the coordinator is lost")
    shorter_logs = Constant(0, "elections of a coordinator whose replica has not fetched the end of its log")

    hasty = Constant(False, "whether commitTransaction and abortTransaction are called before all records are answered")

    goal = Constant(True, "whether all transactions can be committed, in some behaviour")

    may_terminate = True

    @assumption
    def generation_is_known(self) -> bool:
        """the generation is one of the table in docs/reference/rules-transactions.md"""
        return self.generation in GENERATIONS

    @assumption
    def epochs_suffice(self) -> bool:
        """there is an epoch below the exhausted ones, for whoever gets a fresh producer id"""
        return -1 <= self.start_epoch <= self.epochs and self.epochs >= 2

    # -- state ---------------------------------------------------------------------------------------------

    def variables(self) -> None:
        self.rules: Generation = GENERATIONS[self.generation]
        self.budget = min(self.faults, sum(getattr(self, kind) for kind in FAULTS))
        self.places = range(self.partitions)
        self.offsets = range(self.transactions + self.retentions)  # of the records of a log: some are written anew
        self.slots = range(self.sessions + 1)  # one request of each producer, and one of a closed connection
        self.late = self.sessions
        self.bumping = 0 if self.rules.epoch_per_transaction else self.sessions  # who sends InitProducerId for a bump
        self.joining = 0 if self.rules.outside == ADDED else self.sessions  # who sends AddPartitionsToTxn
        self.terms = self.failovers + self.shorter_logs  # changes of the coordinator
        # how often the coordinator forgets the transactional id
        self.forgets = self.expiries + self.lost_logs + self.shorter_logs
        follows = self.rules.tv2_fences and self.pids > 1  # the coordinator goes on with the next id by itself (T5.6)
        self.leaves = not self.rules.unknown_id_is_fatal and bool(self.joining) and bool(self.forgets or follows)
        elections = self.elections + self.unclean_elections
        lost = self.disconnects or elections or self.retentions or self.refusals
        self.resends = bool(lost or self.rules.verifies or self.hasty)  # whether a record may be sent again
        self._declare_coordinator()
        self._declare_leaders()
        self._declare_producers()
        self._declare_network()
        self._declare_budget()

    def _declare_coordinator(self) -> None:
        pid, epoch = Int(0, self.pids - 1), Int(-1, self.epochs)
        coordinator = Coordinator.of(
            state=Enum(*STATES),
            pid=pid,
            epoch=epoch,
            last_epoch=epoch,
            previous_pid=pid,
            next_pid=Int(-1, self.pids - 1),
            partitions=Array(self.partitions, Bool()),
            unmarked=Array(self.partitions, Bool()),
            awaited=Bool(),
            tv2=self._tv2(),
            term=Int(0, self.terms),
        )
        self.coordinator = coordinator
        if self.shorter_logs:  # a replica of its log that does not fetch any more
            self.coordinator_behind = Bool()
            self.old_coordinator = coordinator
        self.pids_used = Int(0, self.pids - 1)

    def _declare_leaders(self) -> None:
        state = ProducerState.of(
            epoch=Int(-1, self.epochs),
            last=Int(-1, self.transactions - 1),
            first=Int(-1, len(self.offsets) - 1),
            term=Int(0, self.terms),
            guard=Int(-1, self.epochs if self.rules.verifies else -1),
        )
        self.known = Array(self.partitions, Array(self.pids, state))
        entry = Entry.of(
            transaction=Int(0, self.transactions - 1),
            pid=Int(0, self.pids - 1),
            fate=Enum(UNDECIDED, COMMITTED, ABORTED),
        )
        log = Log.of(entries=Array(len(self.offsets), entry), end=Int(0, len(self.offsets)))
        self.log = Array(self.partitions, log)
        if self.unclean_elections:  # a replica that does not fetch any more, with what it knows of producers
            self.behind = Array(self.partitions, Bool())
            self.old_log = Array(self.partitions, log)
            self.old_known = Array(self.partitions, Array(self.pids, state))

    def _declare_producers(self) -> None:
        self.producer = Array(
            self.sessions,
            Producer.of(
                status=Enum(*STATUSES),
                pid=Int(0, self.pids - 1),
                epoch=Int(0, self.epochs),
                transaction=Int(0, self.transactions - 1),
                item=Int(0, self.transactions),
                knows_item=Bool(),
                bump=Bool(),
                parts=Array(self.partitions, Enum(WAITING, JOINED, SENT, ACKED, GONE)),
                next_sequence=Array(self.partitions, Int(0, self.transactions)),
            ),
        )
        if self.hasty:  # whether a record that was never acknowledged has used up the sequence before the next one
            self.gap = Array(self.sessions, Array(self.partitions, Bool()))
        if self.leaves:  # what a transaction has left behind for the next one
            self.left = Array(self.sessions, Array(self.partitions, Enum(WAITING, JOINED, PENDING)))
        self.begun = Int(0, self.transactions)
        self.item_of = Array(self.transactions, Int(0, self.transactions - 1))
        self.asked = Array(self.transactions, Enum(NOTHING, COMMIT, ABORT))
        self.misled = Bool() if self.rules.verifies else Int(0, 0)
        self.told = Array(self.transactions, Enum(UNDECIDED, COMMITTED, ABORTED))

    def _declare_network(self) -> None:
        pid, epoch = Int(0, self.pids - 1), Int(0, self.epochs)
        stages = (NOWHERE, UNREAD, GUARDED, CLEARED) if self.rules.verifies else (NOWHERE, UNREAD)
        request = Request.of(
            stage=Enum(*stages),
            guard=Bool() if self.rules.verifies else Int(0, 0),
            pid=pid,
            epoch=epoch,
            sequence=Int(0, self.transactions - 1),
            transaction=Int(0, self.transactions - 1),
        )
        self.request = Array(self.partitions, Array(len(self.slots), request))
        if self.late_starts:
            self.late_start = Start.of(waits=Bool(), pid=Int(-1, self.pids - 1), epoch=epoch)
        if self.late_joins:
            self.late_join = Join.of(waits=Bool(), pid=pid, epoch=epoch, partition=Int(0, self.partitions - 1))
        self.late_end = End.of(waits=self._if("late_ends"), pid=pid, epoch=epoch, commit=self._if("late_ends"))
        late = Bool() if self.late_markers or self.left_behind else Int(0, 0)
        marker = Marker.of(
            waits=late,
            pid=pid,
            epoch=epoch,
            commit=late,
            term=Int(0, self.terms),
            tv2=self._tv2(),
        )
        self.late_marker = Array(self.partitions, marker)

    def _declare_budget(self) -> None:
        self.faults_left = Int(0, self.budget, init=self.budget)
        self.counted = tuple(kind for kind in FAULTS if 0 < getattr(self, kind) < self.budget)
        for kind in self.counted:
            setattr(self, f"{kind}_used", Int(0, getattr(self, kind)))

    def _if(self, kind: str) -> Any:
        return Bool() if getattr(self, kind) else Int(0, 0)

    def _tv2(self) -> Any:
        always = int(self.rules.epoch_per_transaction)
        return Bool() if self.rules.mixed else Int(always, always)

    @initial
    def nothing_has_happened(self) -> None:
        """The transactional id has its first epoch, the first producer starts."""
        tc = self.coordinator
        tc.state, tc.epoch, tc.last_epoch, tc.next_pid = EMPTY, self.start_epoch, -1, -1
        if self.shorter_logs:
            old = self.old_coordinator
            old.state, old.epoch, old.last_epoch, old.next_pid = EMPTY, -1, -1, -1
        for p in self.places:
            for pid in range(self.pids):
                known = self.known[p][pid]
                known.epoch, known.last, known.first, known.guard = -1, -1, -1, -1
                if self.unclean_elections:
                    self.old_known[p][pid] = known
        for s in range(self.sessions):
            self.producer[s].status = NEW
        self.producer[0].status = STARTING
        if self.late_starts:
            self.late_start.pid = -1

    def may_spend(self, kind: str) -> bool:
        """Whether a fault of a kind can still happen."""
        used = getattr(self, f"{kind}_used") if kind in self.counted else 0
        return self.faults_left > 0 and (kind not in self.counted or used < getattr(self, kind))

    def spend(self, kind: str) -> None:
        """One fault of a kind: from the budget of the behaviour, and from the cap of the kind where it has one."""
        require(self.faults_left > 0)
        if kind in self.counted:
            used = getattr(self, f"{kind}_used")
            require(used < getattr(self, kind))
            setattr(self, f"{kind}_used", used + 1)
        self.faults_left -= 1

    # -- words ---------------------------------------------------------------------------------------------

    def stable(self, partition: int) -> int:
        """T8.1: the last stable offset, with every record replicated at once."""
        lowest = self.log[partition].end
        for pid in range(self.pids):
            first = self.known[partition][pid].first
            if first >= 0:
                lowest = min(lowest, first)
        return lowest

    def visible(self, partition: int, at: int) -> bool:
        """T8.2, T8.3: whether a read_committed reader returns the record at an offset."""
        return at < self.stable(partition) and self.log[partition].entries[at].fate == COMMITTED

    def items_visible(self, partition: int) -> int:
        """How many records a read_committed reader of a partition has seen."""
        return sum(self.visible(partition, at) for at in self.offsets)
