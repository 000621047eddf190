"""A step of the model of transactions as the producers see it: calls of the applications, and answers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from ....checker.language.concrete import Step, run
from ....checker.language.state import State
from ...transactions.properties import Properties
from ...transactions.records import COMMITTING, CONCURRENT, FENCED, JOINED, NONE, NOWHERE, READY
from ..driver import FOLLOWS

LEADER_SAYS = "leader of "
LEADER_GONE = ("elect", "elect_after_record", "elect_after_marker", "elect_uncleanly", "restart_empty")
"""The actions by which all requests to the leader of a partition are lost."""


@dataclass(frozen=True)
class ReceivedAnswer:
    """An answer that reaches a producer: of the leader of a partition, or of the coordinator (-1), with a pair."""

    session: int
    partition: int
    code: str
    pair: tuple[int, int] | None = None


@dataclass(frozen=True)
class ClientMove:
    """An action with its arguments, the transaction of its producer before the step, and the answer, if any.

    `late` is the partition whose leader has just appended a record that had expired; -1 for none.
    """

    action: str
    arguments: dict[str, int]
    transaction: int
    heard: ReceivedAnswer | None = None
    late: int = field(default=-1, metadata=FOLLOWS)

    @property
    def session(self) -> int:
        """The producer that acts, or that gets the answer; -1 for none."""
        return self.arguments.get("session", -1 if self.heard is None else self.heard.session)


def move_of(spec: Properties, before: State, step: Step) -> ClientMove:
    """The move of a step for the clients; pairs are in the model's numbers."""
    arguments = dict(step.action.arguments)
    earlier, later = before.values(), step.state.values()
    heard = _of_a_leader(spec, step)
    if heard is None and "session" in arguments:
        heard = _of_the_coordinator(spec, step.action.name, arguments, before, later)
    session = arguments.get("session", -1 if heard is None else heard.session)
    acting = later if step.action.name == "begin" else earlier
    transaction = acting["producer"][max(session, 0)].transaction
    return ClientMove(step.action.name, arguments, transaction, heard, _late(spec, before, step))


def _late(spec: Properties, before: State, step: Step) -> int:
    """The partition whose leader has appended what its producer has given up; -1 for none."""
    given = dict(step.action.arguments)
    if step.action.name not in ("receive", "proceed") or given["slot"] != spec.late:
        return -1
    partition, slot = given["partition"], given["slot"]
    answered = step.state.values()["request"][partition][slot].stage == NOWHERE
    return partition if answered and _asked(spec, before, lambda: spec.append(partition, slot)) == NONE else -1


def _of_a_leader(spec: Properties, step: Step) -> ReceivedAnswer | None:
    """The answer of a leader in the model; one on a closed connection is dropped."""
    if step.action.name not in ("receive", "hear", "proceed", "refuse", "reject"):
        return None
    for event in step.narration:
        for session in range(spec.sessions):
            source = str(event.get("source", ""))
            if event.get("target") == spec.who(session) and source.startswith(LEADER_SAYS):
                return ReceivedAnswer(session, int(source.removeprefix(LEADER_SAYS)), str(event["text"]))
    return None


def _of_the_coordinator(
    spec: Properties, action: str, arguments: dict[str, int], before: State, later: dict[str, Any]
) -> ReceivedAnswer | None:
    session = arguments["session"]
    me, was, tc = later["producer"][session], before.values()["producer"][session], later["coordinator"]
    pair = (int(tc.pid), int(tc.epoch)) if tc.next_pid < 0 else (int(tc.next_pid), 0)
    if action == "initialize":
        return ReceivedAnswer(session, -1, NONE, pair)
    if action == "initialize_over":
        return ReceivedAnswer(session, -1, CONCURRENT)
    if action == "bump":
        if me.status == READY:
            return ReceivedAnswer(session, -1, NONE, pair)
        return ReceivedAnswer(session, -1, CONCURRENT if me.status == was.status else FENCED)
    if action == "add_partition":
        code = NONE
        if me.parts[arguments["partition"]] != JOINED:
            code = _asked(spec, before, lambda: spec.refused(spec.producer[session].pid, spec.producer[session].epoch))
        return ReceivedAnswer(session, -1, code)
    if action == "end_transaction":
        commit = was.status == COMMITTING
        code = _asked(spec, before, lambda: spec.end(was.pid, was.epoch, commit))
        return ReceivedAnswer(session, -1, code, pair if spec.rules.epoch_per_transaction and code == NONE else None)
    return None


def _asked(spec: Properties, state: State, question: Callable[[], str]) -> str:
    """The answer of the model's coordinator in a state, whatever it does then."""
    found: list[str] = []
    for _ in run(spec, state, lambda: found.append(question())):
        pass
    return found[0]
