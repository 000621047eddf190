"""What a real transactional producer does where the model has no step, told where there is a JVM."""

from __future__ import annotations

from typing import Any

from bench.aborted_again import Told, story
from bench.left_behind import stories
from everystate.model.conformance.by_kind import function, request_local, some
from everystate.model.conformance.classes import has_verifying_log, kafka
from everystate.model.conformance.clock import Clock
from everystate.model.conformance.jobs import Job, work_all
from everystate.model.conformance.report import Report
from everystate.model.conformance.transactions.admission import Admission
from everystate.model.conformance.transactions.client import TransactionalClient
from everystate.model.conformance.transactions.coordinator import FIRST_PID, RealCoordinator
from everystate.model.conformance.transactions.coordinator_moves import ANSWERS, BATCH, WAITS
from everystate.model.conformance.transactions.coordinator_side import attempt
from everystate.model.conformance.transactions.leader import Leaders, one_record
from everystate.model.conformance.transactions.numbers import HIGHEST


def told(line: Any) -> tuple[list[Told], list[tuple[str, str, str]], dict[str, str]]:
    """T9.13, T9.9 without TV2 and with it, and the last request of each story of T9.14 to T9.16."""
    with_nothing = [ended_with_nothing(tv2, commits) for tv2 in (False, True) for commits in (False, True)]
    return story(line), with_nothing, last_requests(line)


def last_requests(line: Any) -> dict[str, str]:
    """T9.14 to T9.16: the last request of each story, or the state where there is none."""
    return {
        name: (seen[-1].state if seen[-1].request == "-" else seen[-1].request) for name, seen in stories(line).items()
    }


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


def elected_again(line: Any, jobs: list[Job]) -> tuple[list[bool], list[Any], list[Report]]:
    """T1.9, whether a coordinator waits for its marker when the answer to that of its predecessor comes, and jobs.

    First where the predecessor is the same broker, then where it is another one; then T5.10 at the highest epoch.
    """
    told = [fence_not_written(), guard_taken_by_a_marker()]
    return [still_waits(same_broker) for same_broker in (True, False)], told, work_all(line, jobs)


def guard_taken_by_a_marker() -> str:
    """T7.15: what a batch is told that the coordinator let in, and whose guard a marker of a higher epoch has taken."""
    if not has_verifying_log():
        return ""
    leaders = Leaders(1, 0)
    try:
        leaders.receive(0, 0, (FIRST_PID, 0), 0)
        assert leaders.hear(0, 0, "NONE") == ""
        assert leaders.mark(0, (FIRST_PID, 1), False, 0, 0) == "NONE"
        return leaders.proceed(0, 0)
    finally:
        leaders.close()


def marker_too_large(line: Any) -> tuple[bool, bool, str, bool]:
    """T6.2: whether the handler throws, the marker is sent again, the answer to a join; and after a failover."""
    import jpype

    coordinator, throws = RealCoordinator(0, 0, None), False
    coordinator.next_pid = FIRST_PID
    coordinator.initialize()
    coordinator.add_partition(FIRST_PID, 0, 0)
    coordinator.end(FIRST_PID, 0, False)
    [marker] = coordinator.wanted().values()
    try:
        coordinator.hear(marker, "MESSAGE_TOO_LARGE")
    except jpype.JException:
        throws = True
    again, joined = bool(coordinator.wanted()), coordinator.add_partition(FIRST_PID, 0, 0)
    coordinator.fail_over()
    return throws, again, joined, bool(coordinator.wanted())


def second_before_first(line: Any, tv: int) -> list[tuple[str, str]]:
    """T7.16, T7.17: the answers to the second record of a producer that is not known, and then to the first one.

    First where the first one has left its guard, then where the broker did not know yet that it leads.
    """
    found = []
    for guarded in (True, False):
        leaders = Leaders(1, tv)
        try:
            if guarded:
                leaders.receive(0, 0, (FIRST_PID, 0), 0)
                leaders.forget(0, 0)
            found.append((written(leaders, 1), written(leaders, 0)))
        finally:
            leaders.close()
    return found


def written(leaders: Leaders, sequence: int) -> str:
    """The answer to a record, which the coordinator lets in."""
    found = leaders.receive(0, 0, (FIRST_PID, 0), sequence)
    if found[WAITS]:
        assert leaders.hear(0, 0, "NONE") == ""
        return leaders.proceed(0, 0)
    return str(found[ANSWERS[BATCH]])


def fence_not_written() -> list[Any]:
    """A fence is not written, and tried again, by InitProducerId and by a timeout; then by another coordinator."""
    coordinator, told = RealCoordinator(0, 0, (FIRST_PID, HIGHEST - 1)), []
    assert coordinator.add_partition(FIRST_PID, HIGHEST - 1, 0) == "NONE"
    coordinator.log.fails = True
    for _ in range(2):
        answer = attempt(coordinator.initialize)
        told.append(answer if isinstance(answer, str) else answer[0])
    attempt(coordinator.time_out)
    told.append(attempt(lambda: coordinator.end(FIRST_PID, HIGHEST - 1, False))[0])
    told.append((coordinator.metadata().state, coordinator.metadata().epoch))
    coordinator.fail_over()
    told.append(coordinator.initialize()[0])
    told.append((coordinator.metadata().state, coordinator.metadata().epoch))
    return told


def prepared_is_kept(line: Any) -> list[str]:
    """T2.10: InitProducerId that is to keep an ongoing transaction, then one as usual."""
    coordinator = RealCoordinator(2, 2, (FIRST_PID, 0))
    assert coordinator.add_partition(FIRST_PID, 0, 0) == "NONE"
    heard: list[Any] = []
    given = ("id", 60_000, False, True, some(None), function(heard.append, 1), request_local())
    coordinator.coordinator.handleInitProducerId(*given)
    return [str(heard[0].error().name()), coordinator.initialize()[0], coordinator.metadata().state]


def still_waits(same_broker: bool) -> bool:
    """One marker is on its way when another term begins, and is answered then."""
    coordinator = RealCoordinator(0, 0, None)
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
    told: dict[int, Any] = {}
    for tv in (0, 2):
        heard = {error: admission(tv, error).answer for error in REFUSALS}
        told[tv] = heard, admission(tv, "NONE").let_in, busy(tv), [queued(tv, *epochs) for epochs in QUEUED]
    return told, work_all(line, jobs)


def admission(tv: int, error: str) -> Admission:
    """A request about which the coordinator says something."""
    guard = kafka("VerificationGuard")()
    found = Admission(0, tv, Clock(1_000_000), lambda *_: guard)
    found.receive(one_record((FIRST_PID, 3), 0))
    found.hear(error)
    assert not found.let_in or found.guard.equals(guard)
    return found


QUEUED = ((3, 3), (3, 4), (4, 3))
"""T7.18: the epochs of two batches of one id that ask the same coordinator, before anything is sent."""


def queued(tv: int, first: int, second: int) -> tuple[str, str, list[int]]:
    """What the clients of two batches hear at once, and the epochs about which the coordinator is asked."""
    guard = kafka("VerificationGuard")()
    before = Admission(0, tv, Clock(1_000_000), lambda *_: guard)
    behind = Admission(0, tv, Clock(1_000_000), lambda *_: guard, before)
    before.queue(one_record((FIRST_PID, first), 0))
    behind.queue(one_record((FIRST_PID, second), 0))
    behind.ask()
    asked = behind.question
    assert asked is not None
    told = before.answer, behind.answer
    behind.hear("NONE")
    assert (before.let_in, behind.let_in) == (not told[0], not told[1])
    return *told, [asked.epoch]


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


def only_fence(line: Any, jobs: list[Job]) -> list[Any]:
    """T5.10 at the highest epoch alone."""
    return fence_not_written()
