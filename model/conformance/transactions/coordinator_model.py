"""The model of transactions as a driver: the observables of its coordinator and its leaders, in Kafka's terms."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from ....checker.language.concrete import Step, StepFailed, ValuesFrame, attempts, run
from ....checker.language.concrete_machine import NarratedRun
from ....checker.language.declarations import ActionInstance
from ....checker.language.state import State
from ...transactions.generation import ADDED, AT_LEAST, OLD_ID, TWICE
from ...transactions.records import (
    CLEARED,
    COMMITTING,
    CONCURRENT,
    GUARDED,
    NONE,
    OLD_EPOCH,
    ONGOING,
    PREPARE_ABORT,
    PREPARE_COMMIT,
    UNDECIDED,
)
from ..driver import UNTOLD, Observation
from ..stepping import NamedStepper
from .coordinator_moves import (
    ANSWERS,
    ASKED,
    ASKED_AGAIN,
    AT_MOST_ONE,
    BATCH,
    COMPLETING,
    COORDINATOR,
    DELAYED,
    EARLY,
    END,
    JOIN,
    LEADERS,
    MARKER,
    NEXT_PAIR,
    NOT_WRITTEN,
    RENEW,
    START,
    TO_CLIENT,
    TO_INIT,
    VERIFY,
    WAITS,
    WHILE_WRITING,
    WRITTEN,
    CoordinatorMove,
    Question,
    Setup,
    exceptions,
)
from .numbers import Numbers
from .stray_requests import is_stray

NOT_AVAILABLE = "COORDINATOR_NOT_AVAILABLE"
NEAR = 0.7
"""How often stray requests have nearly the coordinator's pair."""


@dataclass(frozen=True)
class AnsweredRequest:
    """A request in the model's numbers, and its answer."""

    kind: str
    answer: str
    pair: tuple[int, int] | None = None
    partition: int = -1
    commit: bool = False
    term: int = 0
    tv2: bool = False
    sequence: int = -1


class CoordinatorModel(NamedStepper):
    """The model in one state; `said` has the answers of coordinator and leaders in the last step."""

    def __init__(self, spec: Any) -> None:
        super().__init__(spec)
        self.numbers = Numbers(spec.epochs, spec.start_epoch)
        self.said: dict[str, Observation] = {COORDINATOR: {WRITTEN: UNTOLD, AT_MOST_ONE: True}, LEADERS: {}}
        self.refused: set[int] = set()

    def setup(self) -> Setup:
        """How Kafka begins."""
        spec = self.spec
        return Setup(
            spec.partitions,
            tuple(self.numbers.pid(pid) for pid in range(spec.pids)),
            2 if spec.rules.epoch_per_transaction else 0,
            spec.rules.cluster,
            self.pair(0, spec.start_epoch) if spec.start_epoch >= 0 else None,
            spec.late,
            spec.rules.log_has_ids,
            spec.rules.verifies,
        )

    def pair(self, pid: int, epoch: int) -> tuple[int, int]:
        """A producer id with an epoch, as Kafka has them."""
        return self.numbers.pid(pid), self.numbers.epoch(pid, epoch)

    # -- steps ---------------------------------------------------------------------------------------------

    def attempted(self, instance: ActionInstance) -> list[Step]:
        """No step where a stray request leads out of the model's domains."""
        return [
            step
            for step in attempts(self.spec, self.state, instance, kind=NarratedRun)
            if not isinstance(step, StepFailed)
        ]

    def misfit(self, step: Step) -> str:
        """A fence that failed (T5.3) leaves an epoch in memory that is not in the log; the model has one for both."""
        tc, rules = step.state.coordinator, self.spec.rules
        failed = rules.fence_bumps == TWICE and tc.state == ONGOING and tc.epoch == self.spec.epochs
        if failed:
            return "a fence fails, and leaves an epoch in memory that is not in the log (T5.3)"
        return "" if self.numbers.fits(tc.pid, tc.epoch) else "the epochs of the model are used up"

    def twin(self) -> CoordinatorModel:
        """Another one in the same state."""
        found: Any = super().twin()
        found.refused = set(self.refused)
        return found

    def likely(self, dice: random.Random) -> Callable[[ActionInstance], bool]:
        """Stray requests mostly have nearly the coordinator's pair."""
        tc, near = self.state.coordinator, dice.random() < NEAR

        def fitting(instance: ActionInstance) -> bool:
            given = dict(instance.arguments)
            if not near or not is_stray(instance.name) or "pid" not in given:
                return True
            return bool(given["pid"] == tc.pid and abs(given["epoch"] - tc.epoch) <= 1)

        return fitting

    def take(self, step: Step) -> CoordinatorMove:
        """Take a step; returns its move for Kafka."""
        before = self.advance(step)
        action, given = step.action.name, dict(step.action.arguments)
        tc = before.coordinator
        fresh = before.pids_used + 1 if tc.epoch >= 0 else tc.pid
        move = CoordinatorMove(action, given, self.numbers.pid(fresh))
        self.said = {COORDINATOR: self._writes(before, action), LEADERS: {}}
        asked = self._asked(before, action, given)
        self._note_refusals(before, asked if action == "write_marker" else None)
        if action == "mark_late":
            late = before.late_marker[given["partition"]]
            self.said[LEADERS][DELAYED] = self._marker(late, bool(late.commit))
        meanwhile = self._meanwhile(before, asked, action)
        move = replace(move, meanwhile=meanwhile, fails_first=self.said[COORDINATOR][NOT_WRITTEN] != UNTOLD)
        if asked is None:
            return move
        self._answers(before, asked, action, given)
        return replace(
            move,
            kind=asked.kind,
            pair=None if asked.pair is None else self.pair(*asked.pair),
            partition=asked.partition,
            commit=asked.commit,
            term=asked.term,
            tv2=asked.tv2,
            sequence=asked.sequence,
            answer=asked.answer if asked.kind == MARKER else "",
        )

    def _note_refusals(self, before: State, sent: AnsweredRequest | None) -> None:
        """T6.3: a partition whose marker is refused stays in the transaction, until another coordinator loads it."""
        tc = self.state.coordinator
        if not tc.state.startswith("Prepare") or before.coordinator.term != tc.term:
            self.refused.clear()
        elif sent is not None and sent.answer != NONE:
            self.refused.add(sent.partition)

    def _writes(self, before: State, action: str) -> Observation:
        tc = self.state.coordinator
        changed = [(str(each.state), int(each.pid), list(each.partitions)) for each in (before.coordinator, tc)]
        told = changed[0] != changed[1] and not action.startswith("elect_coordinator")
        return {WRITTEN: 1 if told else UNTOLD, AT_MOST_ONE: True}

    # -- while a record is being written -------------------------------------------------------------------

    def _meanwhile(self, before: State, asked: AnsweredRequest | None, action: str) -> tuple[Question, ...]:
        """Requests for the time in which a record is written; their answers, and where the write fails."""
        times_out, said = action.startswith("time_out"), self.said[COORDINATOR]
        said |= {WHILE_WRITING: UNTOLD, NOT_WRITTEN: UNTOLD}
        requests = asked is not None and asked.kind in (START, RENEW, JOIN, END)
        if said[WRITTEN] != 1 or before.coordinator.epoch < 0 or not (requests or times_out):
            return ()
        now, tc = before.coordinator, self.state.coordinator
        fences = now.state == ONGOING and tc.state == PREPARE_ABORT and (asked is None or asked.kind in (START, RENEW))
        questions = list(self._questions(int(now.pid), int(now.epoch)))
        answers = [self._ask(before, partial(self._while_writing, each, fences)) for each in questions]
        real = [replace(each, pair=self.pair(*each.pair) if each.pair else None) for each in questions]
        said[WHILE_WRITING] = exceptions(zip(real, answers, strict=True))
        epoch = int(self._ask(before, partial(self._epoch_in_memory, fences)))
        if (
            epoch == now.epoch or epoch < self.spec.epochs or self.spec.rules.fences_the_highest
        ):  # else the request cannot come again (T5.10)
            said[NOT_WRITTEN] = NOT_AVAILABLE if asked else "", str(now.state), "", *self.pair(int(now.pid), epoch)
        return tuple(real)

    def _questions(self, pid: int, epoch: int) -> Iterator[Question]:
        """Requests of the coordinator's producer, of an earlier or later one, and of another one."""
        other = (pid + 1) % self.spec.pids
        yield Question(START)
        yield from (Question(RENEW, (each, epoch)) for each in dict.fromkeys((pid, other)))
        epochs = (each for each in (epoch, epoch - 1, epoch + 1) if 0 <= each <= self.spec.epochs)
        for pair in dict.fromkeys((*((pid, each) for each in epochs), (other, epoch))):
            for kind in (JOIN, VERIFY) if self.spec.rules.verifies else (JOIN,):
                yield from (Question(kind, pair, partition) for partition in range(self.spec.partitions))
            yield from (Question(END, pair, commit=commit) for commit in (False, True))

    def _while_writing(self, question: Question, fences: bool) -> str:
        pid, epoch = question.pair or (-1, -1)
        return str(self.spec.while_writing(question.kind, pid, epoch, question.partition, fences))

    def _epoch_in_memory(self, fences: bool) -> int:
        self.spec.bump_of_a_fence(fences)
        return int(self.spec.coordinator.epoch)

    # -- requests ------------------------------------------------------------------------------------------

    def _asked(self, before: State, action: str, given: dict[str, Any]) -> AnsweredRequest | None:
        """The request of an action, with the model's answer to it."""
        spec = self.spec
        match action:
            case "initialize":
                return AnsweredRequest(START, NONE)
            case "initialize_over":
                return AnsweredRequest(START, CONCURRENT)
            case "stray_start":
                return AnsweredRequest(START, self._ask(before, spec.start_anew))
            case "start_late" if before.late_start.pid < 0:
                return AnsweredRequest(START, self._ask(before, spec.start_anew))
            case "start_late":
                pair = int(before.late_start.pid), int(before.late_start.epoch)
                return AnsweredRequest(RENEW, self._ask(before, lambda: spec.renew(*pair)), pair)
            case "bump" | "lose_answer" | "stray_renew":
                pair = self._pair_of(before, given)
                return AnsweredRequest(RENEW, self._ask(before, lambda: spec.renew(*pair)), pair)
            case "add_partition" | "lose_join" | "stray_join":
                return self._joins(before, self._pair_of(before, given), given["partition"])
            case "join_late":
                late = before.late_join
                return self._joins(before, (late.pid, late.epoch), int(late.partition))
            case "stray_verify":
                return self._verifies(before, self._pair_of(before, given), given["partition"])
            case "end_transaction" | "stray_end":
                commit = given.get("commit")
                if commit is None:
                    commit = before.producer[given["session"]].status == COMMITTING
                return self._ends(before, self._pair_of(before, given), bool(commit))
            case "end_late":
                late = before.late_end
                return self._ends(before, (late.pid, late.epoch), bool(late.commit))
            case "write_marker" | "elect_after_marker":
                tc = before.coordinator
                return self._mark(
                    before, given["partition"], (tc.pid, tc.epoch), commits(tc), int(tc.term), bool(tc.tv2)
                )
            case "mark_late":
                late = before.late_marker[given["partition"]]
                pair, tv2 = (late.pid, late.epoch), bool(late.tv2)
                return self._mark(before, given["partition"], pair, bool(late.commit), int(late.term), tv2)
            case "stray_marker":
                pair = self._pair_of(before, given)
                return self._mark(before, given["partition"], pair, given["commit"], given["term"], given["tv2"])
            case "elect_after_record":
                return self._appends(before, given["partition"], given["session"], action)
            case "receive" | "proceed":
                return self._appends(before, given["partition"], given["slot"], action)
            case "hear":
                request = before.request[given["partition"]][given["slot"]]
                ask = self._joins if spec.rules.outside == ADDED else self._verifies
                return ask(before, (request.pid, request.epoch), given["partition"])
        return None

    def _pair_of(self, before: State, given: dict[str, Any]) -> tuple[int, int]:
        """The pair of the requester: a producer, or a stray request."""
        if "pid" in given:
            return given["pid"], given["epoch"]
        me = before.producer[given["session"]]
        return int(me.pid), int(me.epoch)

    def _joins(self, before: State, pair: tuple[int, int], partition: int) -> AnsweredRequest:
        return AnsweredRequest(JOIN, self._ask(before, lambda: self.spec.join(*pair, partition)), pair, partition)

    def _verifies(self, before: State, pair: tuple[int, int], partition: int) -> AnsweredRequest:
        return AnsweredRequest(VERIFY, self._ask(before, lambda: self.spec.verify(*pair, partition)), pair, partition)

    def _ends(self, before: State, pair: tuple[int, int], commit: bool) -> AnsweredRequest:
        return AnsweredRequest(END, self._ask(before, lambda: self.spec.end(*pair, commit)), pair, commit=commit)

    def _mark(
        self, before: State, partition: int, pair: tuple[int, int], commit: bool, term: int, tv2: bool
    ) -> AnsweredRequest:
        answer = self._ask(before, lambda: self.spec.mark(partition, *pair, commit, term, tv2))
        return AnsweredRequest(MARKER, answer, pair, partition, commit, term, tv2)

    def _appends(self, before: State, partition: int, slot: int, action: str) -> AnsweredRequest:
        request = before.request[partition][slot]
        early = action == "receive" and self._is_refused_early(before, partition, request)
        answer = OLD_EPOCH if early else self._ask(before, lambda: self.spec.append(partition, slot))
        return AnsweredRequest(BATCH, answer, (request.pid, request.epoch), partition, sequence=int(request.sequence))

    def _is_refused_early(self, before: State, partition: int, request: Any) -> bool:
        """T7.15"""
        known = before.known[partition][request.pid]
        return bool(self.spec.rules.epoch_before_guard and request.epoch < known.epoch)

    def _ask(self, state: State, question: Callable[[], Any]) -> str:
        """The result of a method of the model in a state."""
        heard: list[Any] = []
        for _ in run(self.spec, state, lambda: heard.append(question())):
            break
        return str(heard[0])

    # -- answers -------------------------------------------------------------------------------------------

    def _answers(self, before: State, asked: AnsweredRequest, action: str, given: dict[str, Any]) -> None:
        """The answers to a request."""
        coordinator, leaders, tc = self.said[COORDINATOR], self.said[LEADERS], self.state.coordinator
        if asked.kind in (START, RENEW):
            pair = self.pair(tc.pid, tc.epoch) if asked.answer == NONE else (-1, -1)
            coordinator[TO_INIT] = asked.answer, *pair
        elif asked.kind == BATCH:
            self._answers_of_a_leader(before, asked, action, given)
        elif asked.kind == MARKER:
            leaders[ANSWERS[MARKER]] = asked.answer
        else:
            coordinator[ANSWERS[asked.kind]] = asked.answer
        if action == "hear":
            assert asked.pair is not None
            leaders[ASKED] = asked.kind, *self.pair(*asked.pair), asked.partition
            let_in = self.state.request[given["partition"]][given["slot"]].stage == CLEARED
            leaders[TO_CLIENT] = "" if let_in else self.spec.to_client(asked.answer)
        if asked.kind == END and asked.answer == NONE and self.spec.rules.epoch_per_transaction:
            overflown = tc.next_pid >= 0 and self.spec.rules.overflow_answer != OLD_ID
            coordinator[NEXT_PAIR] = self.pair(tc.next_pid, 0) if overflown else self.pair(tc.pid, tc.epoch)

    def _answers_of_a_leader(self, before: State, asked: AnsweredRequest, action: str, given: dict[str, Any]) -> None:
        partition, slot, leaders = given["partition"], given.get("slot", given.get("session")), self.said[LEADERS]
        waits = bool(self.state.request[partition][slot].stage == GUARDED)
        if action == "receive":
            leaders[WAITS] = waits
            leaders[EARLY] = self._is_refused_early(before, partition, before.request[partition][slot])
        if not waits:
            leaders[ANSWERS[BATCH]] = asked.answer

    # -- observations --------------------------------------------------------------------------------------

    def observe(self, seen: Sequence[str] = (COORDINATOR, LEADERS)) -> Observation:
        """Every observable of coordinator and leaders, or of one of them."""
        found = {**dict(self._coordinator()), **self.said[COORDINATOR]}
        return {**found, **dict(self._leaders()), **self.said[LEADERS]} if LEADERS in seen else found

    def _coordinator(self) -> Iterator[tuple[str, Any]]:
        tc, places = self.state.coordinator, range(self.spec.partitions)
        yield "the transactional id is known", bool(tc.epoch >= 0)
        preparing = tc.state.startswith("Prepare")
        if tc.epoch >= 0:
            yield "state", str(tc.state)
            yield "pending state", str(tc.state.replace("Prepare", "Complete")) if preparing else ""
            yield "producer id and epoch", self.pair(tc.pid, tc.epoch)
            yield "last epoch", self.numbers.epoch(tc.pid, tc.last_epoch)
            yield "next producer id", self.numbers.pid(tc.next_pid)
            yield "previous producer id", self.numbers.pid(tc.previous_pid)
            listed = tc.unmarked if preparing else tc.partitions
            yield "partitions", tuple(p for p in places if listed[p] or p in self.refused)
            yield "last record", self._record(tc)
        yield "it waits for markers", bool(tc.awaited)
        yield COMPLETING, self.may("complete")
        on_their_way = (p for p in places if self._can("write_marker", partition=p))
        yield "markers on their way", tuple((p, *self._marker(tc, commits(tc))) for p in on_their_way)

    def _can(self, action: str, **arguments: int) -> bool:
        """Whether an action is enabled here."""
        instance = self.instances.get((action, tuple(arguments.items())))
        return instance is not None and bool(self.steps(instance))

    def _record(self, tc: Any) -> tuple[Any, ...]:
        """The last record in the log."""
        partitions = tuple(p for p in range(self.spec.partitions) if tc.partitions[p])
        ids = (self.numbers.pid(tc.next_pid),) if self.spec.rules.log_has_ids else ()
        return (str(tc.state), *self.pair(tc.pid, tc.epoch), partitions, *ids)

    def _marker(self, of: Any, commit: bool) -> tuple[int, int, bool, int, bool]:
        """A marker of the coordinator, or one that was delayed, in the form of `coordinator_side.told`."""
        says_tv2 = bool(of.tv2) and self.spec.rules.marker_epoch != AT_LEAST
        return (*self.pair(of.pid, of.epoch), commit, int(of.term), says_tv2)

    def _leaders(self) -> Iterator[tuple[str, Any]]:
        spec, state = self.spec, self.state
        yield ASKED_AGAIN, tuple(self._asked_again())
        for p in range(spec.partitions):
            for pid in range(spec.pids):
                yield f"producer {self.numbers.pid(pid)} at the leader of {p}", self._known(pid, state.known[p][pid])
            log = state.log[p]
            with spec._reading(ValuesFrame(spec, state.values())):
                stable = int(spec.stable(p))
            yield f"stable records of {p}", stable
            fates = (str(log.entries[at].fate) if at < stable else UNDECIDED for at in range(log.end))
            yield f"records of {p} to a read_committed reader", tuple(fates)

    def _asked_again(self) -> Iterator[tuple[int, int]]:
        """T7.13: the requests without an answer as long as the coordinator is busy, by partition and slot."""
        busy = self.state.coordinator.state.startswith("Prepare")
        for p, requests in enumerate(self.state.request if busy else ()):
            for slot, request in enumerate(requests):
                if request.stage == GUARDED and not self._can("hear", partition=p, slot=slot):
                    yield p, slot

    def _known(self, pid: int, known: Any) -> tuple[Any, ...]:
        """Epoch, last sequence, whether a transaction is open, coordinator epoch, epoch of the guard."""
        epochs = [self.numbers.epoch(pid, each) for each in (known.epoch, known.guard)]
        return epochs[0], int(known.last), bool(known.first >= 0), int(known.term), epochs[1]


def commits(tc: Any) -> bool:
    """Whether a coordinator sends markers that commit."""
    return bool(tc.state == PREPARE_COMMIT)
