"""What a real transactional producer does where the model has no step, told where there is a JVM."""

from __future__ import annotations

from typing import Any

from bench.aborted_again import Told, story
from everystate.model.conformance.classes import kafka
from everystate.model.conformance.clock import Clock
from everystate.model.conformance.jobs import Job, work_all
from everystate.model.conformance.report import Report
from everystate.model.conformance.transactions.admission import Admission
from everystate.model.conformance.transactions.client import TransactionalClient
from everystate.model.conformance.transactions.coordinator import FIRST_PID, RealCoordinator
from everystate.model.conformance.transactions.leader import one_record


def told(line: Any) -> tuple[list[Told], list[tuple[str, str, str]]]:
    """T9.13, and T9.9 without TV2 and with it."""
    return story(line), [ended_with_nothing(tv2, commits) for tv2 in (False, True) for commits in (False, True)]


def ended_with_nothing(tv2: bool, commits: bool) -> tuple[str, str, str]:
    """T9.9: a transaction is ended to which nothing was added: state, request to the coordinator, end of the call."""
    client = TransactionalClient(1, tv2, Clock(1_000_000_000))
    client.init_transactions()
    client.told("NONE", (1000, 5))
    client.begin_transaction()
    if commits:
        client.commit()
    else:
        client.abort()
    assert client.last is not None
    return client.state(), str(client.asked()), client.last.ended


def elected_again(line: Any, jobs: list[Job]) -> tuple[list[bool], list[Report]]:
    """T1.9, whether a coordinator waits for its marker when the answer to that of its predecessor comes, and jobs.

    First where the predecessor is the same broker, then where it is another one.
    """
    return [still_waits(same_broker) for same_broker in (True, False)], work_all(line, jobs)


def still_waits(same_broker: bool) -> bool:
    """One marker is on its way when another term begins, and is answered then."""
    coordinator = RealCoordinator(0, None)
    coordinator.next_pid = FIRST_PID
    assert coordinator.initialize() == ("NONE", FIRST_PID, 0)
    assert coordinator.add_partition(FIRST_PID, 0, 0) == "NONE"
    assert coordinator.end(FIRST_PID, 0, True)[0] == "NONE"
    assert [marker.term for marker in coordinator.wanted().values()] == [0]
    [late] = coordinator.resign()
    if not same_broker:
        coordinator.start_broker()
    coordinator.elect()
    coordinator.hear(late, "NONE")
    assert [marker.term for marker in coordinator.wanted().values()] == [1]
    return coordinator.waiting()


REFUSALS = {
    "PRODUCER_FENCED": "INVALID_PRODUCER_EPOCH",
    "INVALID_PRODUCER_ID_MAPPING": "INVALID_PRODUCER_ID_MAPPING",
    "INVALID_TXN_STATE": "INVALID_TXN_STATE",
    "TRANSACTION_ABORTABLE": "TRANSACTION_ABORTABLE",
    "COORDINATOR_LOAD_IN_PROGRESS": "NOT_ENOUGH_REPLICAS",
    "COORDINATOR_NOT_AVAILABLE": "NOT_ENOUGH_REPLICAS",
    "NOT_COORDINATOR": "NOT_ENOUGH_REPLICAS",
    "NETWORK_EXCEPTION": "NOT_ENOUGH_REPLICAS",
}
"""T7.12: what a coordinator may say to a leader, and what the client hears."""


def admissions(line: Any, jobs: list[Job]) -> tuple[dict[int, Any], list[Report]]:
    """By transaction version what clients hear when the coordinator refuses, and jobs."""
    told = {}
    for tv in (0, 2):
        heard = {error: admission(tv, error).answer for error in REFUSALS}
        told[tv] = heard, admission(tv, "NONE").let_in, busy(tv)
    return told, work_all(line, jobs)


def admission(tv: int, error: str) -> Admission:
    """A request about which the coordinator says something."""
    guard = kafka("VerificationGuard")()
    found = Admission(0, tv, Clock(1_000_000), lambda *_: guard)
    found.receive(one_record((FIRST_PID, 3), 0))
    found.hear(error)
    assert not found.let_in or found.guard.equals(guard)
    return found


def busy(tv: int) -> list[str]:
    """T7.13: what becomes of a request as long as the coordinator says CONCURRENT_TRANSACTIONS."""
    found, seen = admission(tv, "CONCURRENT_TRANSACTIONS"), []
    while found.again is not None:
        found.ask_again()
        assert found.question is not None
        seen.append(f"{found.question.kind} {found.question.pid} {found.question.epoch}")
        found.clock.forward(60)
        found.hear("CONCURRENT_TRANSACTIONS")
    return [*seen, found.answer]
