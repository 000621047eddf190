"""One behaviour: every step of the model is done to Kafka's classes, then what both say and know is compared."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ....checker.language.concrete import Step, run
from ....checker.language.state import State
from ...transactions.generation import ADDED, OLD_ID, TWICE
from .coordinator import NOBODY, Marker, Metadata, RealCoordinator
from .coordinator_rules import Facts
from .leader import Leaders
from .numbers import Numbers
from .strays import Strays

UNKNOWN = "UNKNOWN_SERVER_ERROR"
"""What a client is answered when the coordinator throws."""

Seen = dict[str, Any]


class Sides:
    """Model and Kafka in one state; `step` says what differs after a step."""

    def __init__(self, spec: Strays) -> None:
        self.spec = spec
        [self.state] = spec.initial_states()
        self.numbers = Numbers(spec.epochs, spec.start_epoch)
        tv = 2 if spec.rules.epoch_per_transaction else 0
        seed = self.pair(0, spec.start_epoch) if spec.start_epoch >= 0 else None
        self.kafka = RealCoordinator(tv, seed)
        self.leaders = Leaders(spec, self.numbers)
        self.refused: set[int] = set()
        self.late: dict[int, Marker] = {}
        self.said: dict[str, tuple[Any, Any]] = {}
        self.requests: list[tuple[str, int, int, str]] = []

    def pair(self, pid: int, epoch: int) -> tuple[int, int]:
        """A producer id with an epoch, as Kafka has them."""
        return self.numbers.pid(pid), self.numbers.epoch(pid, epoch)

    def fits(self, step: Step) -> bool:
        """Whether the model still stands for Kafka behind a step.

        A fence that failed (T5.3) leaves an epoch in memory that is not in the log; the model has one epoch for both.
        """
        tc, rules = step.state.coordinator, self.spec.rules
        failed = rules.fence_bumps == TWICE and tc.state == "Ongoing" and tc.epoch == self.spec.epochs
        return self.numbers.fits(tc.pid, tc.epoch) and not failed

    def step(self, step: Step) -> dict[str, tuple[Any, Any]]:
        """Do a step on both sides; by what differs, the model's value and Kafka's."""
        before, after = self.state, step.state
        known = before.coordinator.epoch >= 0
        self.kafka.next_pid = self.numbers.pid(before.pids_used + 1 if known else 0)
        written = len(self.kafka.log.batches)
        self.said, self.requests = {}, []
        act = ACTIONS.get(step.action.name)
        if act is not None:
            act(self, before, after, **dict(step.action.arguments))
        self.state = after
        self._compare(before, after, len(self.kafka.log.batches) - written)
        return {name: pair for name, pair in self.said.items() if pair[0] != pair[1]}

    def hear(self, what: str, expected: Any, found: Any) -> None:
        """Model and Kafka have said something."""
        self.said[what] = expected, found

    def facts(self, action: str, before: State) -> list[Facts]:
        """What the last step has shown."""
        around = before.coordinator, self.state.coordinator, self.spec.rules.epoch_per_transaction, self.spec.epochs
        return [Facts(*request, action, *around) for request in self.requests or [("", -1, -1, "")]]

    def ask(self, state: State, question: Callable[[], Any]) -> Any:
        """What a method of the model returns in a state."""
        heard: list[Any] = []
        for _ in run(self.spec, state, lambda: heard.append(question())):
            break
        return heard[0]

    def close(self) -> None:
        """Let go of files."""
        self.leaders.close()

    # -- what is compared ----------------------------------------------------------------------------------

    def _compare(self, before: State, after: State, written: int) -> None:
        tc = after.coordinator
        preparing = tc.state.startswith("Prepare")
        if not preparing:
            self.refused.clear()
        found = self.kafka.metadata()
        self._compare_metadata(tc, found)
        self._compare_log(before.coordinator, tc, written)
        self.hear("whether it waits for markers", bool(tc.awaited), self.kafka.waiting())
        sent = self.kafka.wanted()
        unmarked = [p for p in range(self.spec.partitions) if tc.unmarked[p]] if preparing else []
        self.hear("partitions that are to get a marker", unmarked, sorted(sent))
        wanted = (*self.pair(tc.pid, tc.epoch), tc.state == "PrepareCommit", tc.term)
        for p in set(unmarked) & set(sent):
            marker = sent[p]
            self.hear(f"marker of {p}", wanted, (marker.pid, marker.epoch, marker.commit, marker.term))
        self.leaders.compare(self, after)

    def _compare_metadata(self, tc: Any, found: Metadata) -> None:
        if tc.epoch < 0:
            self.hear("metadata", NOBODY, found)
            return
        preparing = tc.state.startswith("Prepare")
        self.hear("state", str(tc.state), found.state)
        pending = tc.state.replace("Prepare", "Complete") if preparing else ""
        self.hear("pending state", pending, found.pending)
        self.hear("producer id and epoch", self.pair(tc.pid, tc.epoch), (found.pid, found.epoch))
        self.hear("last epoch", self.numbers.epoch(tc.pid, tc.last_epoch), found.last_epoch)
        self.hear("next producer id", self.numbers.pid(tc.next_pid), found.next_pid)
        before = found.pid if found.previous_pid < 0 else found.previous_pid
        self.hear("previous producer id", self.numbers.pid(tc.previous_pid), before)
        listed = tc.unmarked if preparing else tc.partitions
        partitions = {p for p in range(self.spec.partitions) if listed[p]} | self.refused
        self.hear("partitions", tuple(sorted(partitions)), found.partitions)

    def _compare_log(self, before: Any, tc: Any, written: int) -> None:
        records = self.kafka.log.records()
        changed = [(each.state, each.pid, list(each.partitions)) for each in (before, tc)]
        if changed[0] != changed[1]:
            self.hear("records written", 1, written)
        else:
            self.hear("at most one record is written", True, written <= 1)
        if written:
            last = records[-1]
            partitions = tuple(p for p in range(self.spec.partitions) if tc.partitions[p])
            self.hear("record: state", str(tc.state), last.state)
            self.hear("record: id and epoch", self.pair(tc.pid, tc.epoch), (last.pid, last.epoch))
            self.hear("record: partitions", partitions, last.partitions)
            if self.spec.rules.log_has_ids:
                self.hear("record: next producer id", self.numbers.pid(tc.next_pid), last.next_pid)

    # -- what is done --------------------------------------------------------------------------------------

    def asked(self, of: tuple[str, int, int], what: str, expected: str, request: Callable[[], str]) -> None:
        """A request is made of the coordinator; what it throws is UNKNOWN_SERVER_ERROR for who asks."""
        found = self.attempt(request)
        self.hear(f"answer to {what}", expected, found)
        self.requests.append((*of, found))

    def attempt(self, request: Callable[[], Any]) -> Any:
        """What a request gives."""
        import jpype

        try:
            return request()
        except jpype.JException as error:
            cause = error
            while cause.getCause() is not None:
                cause = cause.getCause()
            if str(cause.getClass().getSimpleName()) not in ("IllegalStateException", "IllegalArgumentException"):
                raise
            return UNKNOWN

    def end(self, before: State, after: State, pair: tuple[int, int], commit: bool) -> None:
        """EndTxn."""
        pid, epoch = pair
        answer = self.ask(before, lambda: self.spec.end(pid, epoch, commit))
        found = self.attempt(lambda: self.kafka.end(*self.pair(pid, epoch), commit))
        error = found if isinstance(found, str) else found[0]
        self.hear("answer to EndTxn", answer, error)
        self.requests.append(("end", pid, epoch, error))
        rules, tc = self.spec.rules, after.coordinator
        if error == "NONE" and rules.epoch_per_transaction:
            overflown = tc.next_pid >= 0 and rules.overflow_answer != OLD_ID
            goes_on = self.pair(tc.next_pid, 0) if overflown else self.pair(tc.pid, tc.epoch)
            self.hear("pair of the answer to EndTxn", goes_on, found[1:])

    def join(self, before: State, pair: tuple[int, int], partition: int) -> None:
        """AddPartitionsToTxn."""
        pid, epoch = pair
        answer = self.ask(before, lambda: self.spec.join(pid, epoch, partition))
        self.asked(
            ("join", pid, epoch),
            "AddPartitionsToTxn",
            answer,
            lambda: self.kafka.add_partition(*self.pair(pid, epoch), partition),
        )

    def verify(self, before: State, pair: tuple[int, int], partition: int) -> None:
        """A verification."""
        pid, epoch = pair
        answer = self.ask(before, lambda: self.spec.verify(pid, epoch, partition))
        self.asked(
            ("verify", pid, epoch),
            "verification",
            answer,
            lambda: self.kafka.verify_partition(*self.pair(pid, epoch), partition),
        )

    def initialize(self, answer: str, after: State, expected: tuple[int, int] | None = None) -> None:
        """InitProducerId, whose answer is known."""
        tc = after.coordinator
        pair = self.pair(tc.pid, tc.epoch) if answer == "NONE" else (-1, -1)
        given = None if expected is None else self.pair(*expected)
        found = self.attempt(lambda: self.kafka.initialize(given))
        found = (found, -1, -1) if found == UNKNOWN else found
        self.hear("answer to InitProducerId", (answer, *pair), found)
        self.requests.append(("start", -1, -1, found[0]) if expected is None else ("renew", *expected, found[0]))

    def renew(self, before: State, after: State, pair: tuple[int, int]) -> None:
        """InitProducerId with a pair."""
        pid, epoch = pair
        self.initialize(self.ask(before, lambda: self.spec.renew(pid, epoch)), after, pair)


# -- each action of the model that reaches the coordinator or a leader -------------------------------------


def initialize(side: Sides, before: State, after: State, session: int) -> None:
    side.initialize("NONE", after)


def initialize_over(side: Sides, before: State, after: State, session: int) -> None:
    side.initialize("CONCURRENT_TRANSACTIONS", after)


def bump(side: Sides, before: State, after: State, session: int) -> None:
    me = before.producer[session]
    side.renew(before, after, (me.pid, me.epoch))


def lose_answer(side: Sides, before: State, after: State, session: int) -> None:
    bump(side, before, after, session)


def join_late(side: Sides, before: State, after: State, nothing: int) -> None:
    late = before.late_join
    side.join(before, (late.pid, late.epoch), late.partition)


def add_partition(side: Sides, before: State, after: State, session: int, partition: int) -> None:
    me = before.producer[session]
    side.join(before, (me.pid, me.epoch), partition)


def end_transaction(side: Sides, before: State, after: State, session: int) -> None:
    me = before.producer[session]
    side.end(before, after, (me.pid, me.epoch), me.status == "committing")


def end_late(side: Sides, before: State, after: State, nothing: int) -> None:
    late = before.late_end
    side.end(before, after, (late.pid, late.epoch), bool(late.commit))


def time_out(side: Sides, before: State, after: State, nothing: int = 0) -> None:
    side.attempt(side.kafka.time_out)


def fail_over(side: Sides, before: State, after: State, nothing: int) -> None:
    """The answers to the old coordinator's requests come when the new one has begun, and change nothing (T1.9)."""
    side.refused.clear()
    for marker in side.kafka.fail_over():
        side.kafka.hear(marker, "NONE")


def complete(side: Sides, before: State, after: State) -> None:
    side.kafka.log.release()


def write_marker(side: Sides, before: State, after: State, partition: int) -> None:
    marker = side.kafka.wanted().get(partition)
    if marker is None:
        return  # told by the comparison of the markers that are wanted, before this step
    tc = before.coordinator
    commit = tc.state == "PrepareCommit"
    answer = side.ask(before, lambda: side.spec.mark(partition, tc.pid, tc.epoch, commit, tc.term))
    found = side.leaders.mark(partition, (marker.pid, marker.epoch), marker.commit, marker.term)
    side.hear("answer to the marker", answer, found or answer)
    side.requests.append(("marker", tc.pid, tc.epoch, found or answer))
    if answer != "NONE":
        side.refused.add(partition)
    side.kafka.hear(marker, found or answer)


def delay_marker(side: Sides, before: State, after: State, partition: int) -> None:
    side.late[partition] = side.kafka.lose(partition)


def mark_late(side: Sides, before: State, after: State, partition: int) -> None:
    late = before.late_marker[partition]
    marker = side.late.pop(partition)
    wanted = (*side.pair(late.pid, late.epoch), bool(late.commit), late.term)
    side.hear("the delayed marker", wanted, (marker.pid, marker.epoch, marker.commit, marker.term))
    _mark(side, before, partition, (late.pid, late.epoch), bool(late.commit), late.term)


def _mark(side: Sides, before: State, partition: int, pair: tuple[int, int], commit: bool, term: int) -> None:
    pid, epoch = pair
    answer = side.ask(before, lambda: side.spec.mark(partition, pid, epoch, commit, term))
    found = side.leaders.mark(partition, side.pair(pid, epoch), commit, term)
    side.hear("answer to the marker", answer, found or answer)
    side.requests.append(("marker", pid, epoch, found or answer))


def receive(side: Sides, before: State, after: State, partition: int, slot: int) -> None:
    side.leaders.receive(side, before, after, partition, slot)


def hear(side: Sides, before: State, after: State, partition: int, slot: int) -> None:
    """What the leader asks of the coordinator: to add the partition (TV2), or to verify it."""
    request = before.request[partition][slot]
    ask = side.join if side.spec.rules.outside == ADDED else side.verify
    ask(before, (request.pid, request.epoch), partition)


def proceed(side: Sides, before: State, after: State, partition: int, slot: int) -> None:
    side.leaders.proceed(side, before, partition, slot)


def delay(side: Sides, before: State, after: State, session: int, partition: int) -> None:
    side.leaders.delay(partition, session)


def stray_start(side: Sides, before: State, after: State) -> None:
    side.initialize(side.ask(before, side.spec.start_anew), after)


def stray_renew(side: Sides, before: State, after: State, pid: int, epoch: int) -> None:
    side.renew(before, after, (pid, epoch))


def stray_join(side: Sides, before: State, after: State, pid: int, epoch: int, partition: int) -> None:
    side.join(before, (pid, epoch), partition)


def stray_verify(side: Sides, before: State, after: State, pid: int, epoch: int, partition: int) -> None:
    side.verify(before, (pid, epoch), partition)


def stray_end(side: Sides, before: State, after: State, pid: int, epoch: int, commit: bool) -> None:
    side.end(before, after, (pid, epoch), commit)


def stray_marker(
    side: Sides, before: State, after: State, partition: int, pid: int, epoch: int, commit: bool, term: int
) -> None:
    _mark(side, before, partition, (pid, epoch), commit, term)


ACTIONS: dict[str, Callable[..., None]] = {
    act.__name__: act
    for act in (
        initialize,
        initialize_over,
        bump,
        lose_answer,
        join_late,
        add_partition,
        end_transaction,
        end_late,
        time_out,
        fail_over,
        complete,
        write_marker,
        delay_marker,
        mark_late,
        receive,
        hear,
        proceed,
        stray_start,
        stray_renew,
        stray_join,
        stray_verify,
        stray_end,
        stray_marker,
    )
}
ACTIONS |= {"time_out_at_last": time_out, "deadline": delay, "disconnect": delay}
