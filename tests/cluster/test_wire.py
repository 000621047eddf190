"""Mistakes of the driver at the wire: each is noticed before anything is said of Kafka."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from everystate.model import KafkaProducer
from everystate.model.cluster import admin, side
from everystate.model.cluster.admin import NONE, Admin
from everystate.model.cluster.brokers import Brokers
from everystate.model.cluster.gate import NOTHING
from everystate.model.cluster.leadership import Leadership
from everystate.model.cluster.releases import BROKERS
from everystate.model.cluster.replicas import Replicas
from everystate.model.cluster.wire import SIZE, exchanged
from everystate.model.conformance.cluster import DivergentTail
from everystate.model.conformance.driver import OTHERS, UNTOLD, Move, NotJudged
from everystate.model.conformance.kafka_side import KafkaSide
from everystate.model.conformance.model_side import ModelSide
from everystate.model.conformance.process import run
from everystate.model.conformance.versions import release
from tests.cluster.attacks import PID, attacked

OTHER = "the driver took the answer to another request"


@pytest.mark.kafka
def test_mistakes_of_the_driver_are_noticed(paths: list[Path]) -> None:
    found: dict[str, Any] = run(release(pinned=BROKERS), paths, attacked)
    assert found == {
        "written_twice": ("the driver writes a request twice; what that leaves is not the producer's", 1, True),
        "answer_of_another": (OTHER, []),
        "late_answer_of_another": ("NONE", OTHER),
        "producer_id_of_another": OTHER,
        "probe_that_is_accepted": (
            "a request that was to be refused was not",
            1,
            [],
            [("max.message.bytes", "10")],
        ),
        "probe_that_is_refused": (
            ["CORRUPT_MESSAGE", "CORRUPT_MESSAGE", "MESSAGE_TOO_LARGE", "MESSAGE_TOO_LARGE", "CORRUPT_MESSAGE"],
            ["MESSAGE_TOO_LARGE"],
            [("max.message.bytes", "10"), ("max.message.bytes", None)],
            1,
        ),
        "probes": [(True, PID, 0, 0, True), (False, PID, 0, 0, True), (True, PID, 0, 1 << 20, True)],
        "answered_late": (["NONE"], ["REQUEST_TIMED_OUT"], True, True),
        "answered_before": (
            ["NONE"],
            "broker 0 had answered NOT_ENOUGH_REPLICAS_AFTER_APPEND before it gave up waiting",
        ),
        "read_before_a_late_one": ([], ["NONE"], ["REQUEST_TIMED_OUT"]),
        "producers_of_each_broker": ([{PID: (1, 4)}, {PID + 1: (0, 2)}, {}], [{PID + 1: (0, 2)}, None]),
    }


@pytest.mark.parametrize(
    "said", [b"", SIZE.pack(9)[:2], SIZE.pack(9) + b"12345"], ids=["nothing", "half-a-size", "half-an-answer"]
)
def test_an_answer_that_breaks_off_is_none(said: bytes) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def broker() -> None:
            line, _ = listener.accept()
            with line:
                line.recv(100)
                line.sendall(said)

        played = threading.Thread(target=broker)
        played.start()
        with pytest.raises(NotJudged, match=r"^a broker does not answer: "):
            exchanged(listener.getsockname()[1], b"request")
        played.join()


A, B = Leadership(0, 3, (0, 1)), Leadership(1, 4, (0, 1))


@pytest.mark.parametrize(
    ("moving", "before", "after", "now", "moved"),
    [
        (False, A, A, A, ""),
        (True, A, B, B, ""),
        (False, A, B, B, "broker 0 in epoch 3 with [0, 1] in sync became broker 1 in epoch 4 with [0, 1] in sync"),
        (False, A, A, B, "broker 0 in epoch 3 with [0, 1] in sync became broker 1 in epoch 4 with [0, 1] in sync"),
        (True, A, B, A, "broker 1 in epoch 4 with [0, 1] in sync became broker 0 in epoch 3 with [0, 1] in sync"),
        (
            False,
            A,
            A,
            Leadership(0, 3, (0,)),
            "broker 0 in epoch 3 with [0, 1] in sync became broker 0 in epoch 3 with [0] in sync",
        ),
    ],
    ids=["still", "as-told", "in-the-step", "after-it", "after-a-move", "in-sync-set"],
)
def test_a_difference_of_a_cluster_that_moved_by_itself_is_not_judged(
    monkeypatch: pytest.MonkeyPatch, moving: bool, before: Leadership, after: Leadership, now: Leadership, moved: str
) -> None:
    found = side.BrokersSide.__new__(side.BrokersSide)
    found.moving, found.before, found.after = moving, [before], [after]
    monkeypatch.setattr(side.BrokersSide, "_leadership", lambda self: [now])
    monkeypatch.setattr("time.sleep", lambda seconds: None)
    if moved:
        with pytest.raises(NotJudged) as caught:
            found.again(0)
        assert str(caught.value) == f"nobody had told the cluster to change who leads or is in sync: {moved}"
    else:
        assert [found.again(look) for look in range(8)] == [True] * 6 + [False] * 2


@pytest.mark.parametrize(
    ("action", "seen", "moved"),
    [
        ("send", [A], ""),
        ("send", [B], "broker 0 in epoch 3 with [0, 1] in sync became broker 1 in epoch 4 with [0, 1] in sync"),
        (
            "handle",
            [Leadership(0, 5, (0, 1))],
            "broker 0 in epoch 3 with [0, 1] in sync became broker 0 in epoch 5 with [0, 1] in sync",
        ),
        ("change_leader", [B], ""),
    ],
    ids=["still", "another-leader", "elected-again", "as-told"],
)
def test_a_cluster_that_moved_by_itself_is_not_judged_where_nothing_differs_either(
    monkeypatch: pytest.MonkeyPatch, action: str, seen: list[Leadership], moved: str
) -> None:
    """It took another way than the model: what it shows then is no proof of that way."""
    found = side.BrokersSide.__new__(side.BrokersSide)
    found.before = found.after = [A]
    monkeypatch.setattr(KafkaSide, "step", lambda self, move: None)
    monkeypatch.setattr(side.BrokersSide, "_leadership", lambda self: seen)
    monkeypatch.setattr(side.BrokersSide, "_led", lambda self: seen)
    if moved:
        with pytest.raises(NotJudged) as caught:
            found.step(Move(action, {}))
        assert str(caught.value) == f"nobody had told the cluster to change who leads or is in sync: {moved}"
    else:
        found.step(Move(action, {}))
        assert (found.before, found.after) == ([A], seen)


@pytest.mark.parametrize(
    ("told", "agreed"),
    [
        ([[B], [B]], True),
        ([[A], [B]], False),
        ([[A], [A]], False),
        ([[B], [Leadership(1, 4, (1,))]], False),
        ([[], []], False),
        ([[B, B], [B, A]], False),
    ],
    ids=["all", "one-is-behind", "all-are-behind", "in-sync-set", "nothing-yet", "one-partition"],
)
def test_an_election_is_over_when_every_broker_that_is_awake_knows_it(
    monkeypatch: pytest.MonkeyPatch, told: list[list[Leadership]], agreed: bool
) -> None:
    found = side.BrokersSide.__new__(side.BrokersSide)
    found.cluster = Brokers.__new__(Brokers)
    found.cluster.leader = 1
    nodes = [SimpleNamespace(running=True, paused=False, ports=SimpleNamespace(client=n)) for n in range(2)]
    asleep = SimpleNamespace(running=True, paused=True, ports=SimpleNamespace(client=2))
    found.brokers.servers = SimpleNamespace(brokers=[*nodes, asleep])  # type: ignore[assignment]
    monkeypatch.setattr(side, "leadership", lambda port: told[port])
    assert found._agreed() is agreed


def test_who_is_in_sync_is_asked_of_the_leader(monkeypatch: pytest.MonkeyPatch) -> None:
    """A follower that goes on said what was so before its pause, that all are: two of six walks were NOT JUDGED."""
    found = Replicas.__new__(Replicas)
    found.leader, found.admin = 1, Admin.__new__(Admin)
    nodes = [SimpleNamespace(running=True, paused=False, ports=SimpleNamespace(client=n)) for n in range(2)]
    found.servers, found.admin.port = SimpleNamespace(brokers=nodes), found._port_of_any  # type: ignore[assignment]
    monkeypatch.setattr(admin, "leadership", lambda port: [Leadership(1, 4, ((0, 1), (1,))[port])])
    assert (found._are_in_sync({0, 1}, 0), found._are_in_sync({1}, 0)) == (False, True)


def test_a_broker_itself_is_asked_whom_it_knows(monkeypatch: pytest.MonkeyPatch) -> None:
    """The Admin client asks the leader in its cache instead: a follower that had forgotten all was waited for in vain.

    One that is not ready is asked again.
    """
    found = Admin.__new__(Admin)
    found.bootstrap, found.alive = "127.0.0.1:7,127.0.0.1:8", lambda: None
    told: dict[int, list[Any]] = {7: [{0: (0, 0)}], 8: [{}, None]}
    monkeypatch.setattr(admin, "producers", lambda port, partition: told[port].pop())
    assert (found.producers(1), found.producers(0)) == ({}, {0: (0, 0)})
    assert told == {7: [], 8: []}


def test_retention_is_waited_for_where_a_broker_is_awake() -> None:
    """A follower that stands still deletes nothing and writes nothing: it was waited for in vain.

    The high watermark moves first: it was waited for a retention that deletes nothing above. One that is there, and out
    of the in-sync set, stands still meanwhile.
    """
    found = Brokers.__new__(Brokers)
    found.leader, found.asleep, found.away = 0, 1, {1}
    released: list[int] = []
    found._release = lambda offset: released.append(offset)  # type: ignore[method-assign]
    nodes = [SimpleNamespace(number=n, running=True, paused=n == 1, words=list) for n in range(2)]
    nodes[1].pause, nodes[1].resume = (lambda: setattr(nodes[1], "paused", True)), lambda: stood.append(True)
    stood: list[bool] = []
    found.servers = SimpleNamespace(brokers=nodes)  # type: ignore[assignment]
    end_and_records = (SimpleNamespace(end=2, batches=list), SimpleNamespace(end=2, batches=lambda: ["b0"]))
    found.logs = [[log] for log in end_and_records]
    waited, taken_back = [], []

    def until(what: str, condition: Callable[[], object]) -> None:
        waited.append((what, bool(condition())))

    found.admin = SimpleNamespace(set_topic=lambda *_: None, earliest=lambda _: 2, until=until)  # type: ignore[assignment]
    found._take_back = lambda brokers, of, change: taken_back.extend(brokers)  # type: ignore[method-assign]
    found.delete_records(0)
    assert waited == [("retention deletes every record", True), ("the segments are gone", True)]
    assert (taken_back, released, stood) == ([0], [2], [])
    found.asleep, nodes[1].paused = None, False
    found.delete_records(0)
    assert (taken_back, stood) == ([0, 0], [True])
    found.away, nodes[1].paused, found.logs[1] = set(), False, found.logs[0]
    found.delete_records(0)
    assert (taken_back, stood) == ([0, 0, 0, 1], [True])


def test_what_is_held_back_is_lost_before_a_follower_goes_on() -> None:
    """An answer from before retention brought it what was deleted, where it had to throw its log away (D12)."""
    found = Replicas.__new__(Replicas)
    found.leader, found.asleep, found.away, done = 0, 1, {1}, []
    found.setup = SimpleNamespace(replicas=2, partitions=1)  # type: ignore[assignment]
    found.gate = SimpleNamespace(cut=lambda: done.append("lost"), allow=lambda *_: done.append("let through"))  # type: ignore[assignment]
    follower = SimpleNamespace(resume=lambda: done.append("goes on"))
    found.servers = SimpleNamespace(brokers=[None, follower])  # type: ignore[assignment]
    found.admin = SimpleNamespace(until_leads=lambda *_: None, until=lambda *_: None)  # type: ignore[assignment]
    found.logs = [[SimpleNamespace(end=2)], []]
    found.rejoin(1)
    assert done[:3] == ["lost", "goes on", "let through"]
    assert found.in_sync


def asked(condition: Any) -> object:
    """Whom a condition asks about, or what another one answers."""
    return condition.args[0] if hasattr(condition, "args") else condition()


def replicas_of_a_follower_that_stands_still() -> tuple[Replicas, list[object]]:
    """Broker 0 leads, broker 1 stands still; and whom the driver waits for to be in sync."""
    found = Replicas.__new__(Replicas)
    found.leader, found.asleep, found.away, waited = 0, 1, {1}, []
    found.setup = SimpleNamespace(replicas=2, partitions=1, min_insync=2)  # type: ignore[assignment]
    found.gate = SimpleNamespace(data=0)  # type: ignore[assignment]
    node = SimpleNamespace(stop=list, kill=list, pause=list, start=list, ready=list, stopped_in_order=True)
    found.servers = SimpleNamespace(brokers=[node, node])  # type: ignore[assignment]
    found.wire = SimpleNamespace(open={}, lose=lambda node: None)  # type: ignore[assignment]
    found.admin = SimpleNamespace(until_leads=lambda *_: None, until=lambda _, are: waited.append(are.args[0]))  # type: ignore[assignment]
    found._release = lambda offset: None  # type: ignore[method-assign]
    found.afterlife, found.surviving, found.answers = [], [], {0: [], 1: []}
    found.client = SimpleNamespace(frames={0: [], 1: []}, lose=lambda node: None)  # type: ignore[assignment]
    return found, waited


def test_a_leader_that_restarts_waits_for_nobody_who_stands_still() -> None:
    """It was waited for the follower that is out of sync: 526 seconds, in vain."""
    found, waited = replicas_of_a_follower_that_stands_still()
    connection = SimpleNamespace(close=lambda: waited.append(set()))
    found.afterlife, found.surviving = [connection], [(0, None)]  # type: ignore[list-item]
    found.restart(0, True, Move("restart_cleanly", {"broker": 0}))
    assert waited == [{0}, set()]
    assert (found.afterlife, found.surviving) == ([], [])


def test_a_follower_that_restarts_is_held_out_of_the_in_sync_set_before_it_starts() -> None:
    found, waited = replicas_of_a_follower_that_stands_still()
    found.asleep, found.away, done = None, set(), []
    found.gate = SimpleNamespace(data=0, allow=lambda data, known: done.append(known))  # type: ignore[assignment]
    found.servers.brokers[1] = SimpleNamespace(  # type: ignore[call-overload]
        kill=lambda: done.append("killed"), start=lambda: done.append("started"), ready=list, stopped_in_order=False
    )
    found.admin.until = lambda what, condition: waited.append(asked(condition))  # type: ignore[method-assign]
    found.restart(1, False, Move("restart_after_crash", {"broker": 1}))
    assert done == ["killed", NOTHING, "started"]
    assert waited == [{0}, True, {0}]
    assert not found.in_sync


def test_a_leader_that_crashed_is_held_out_of_the_in_sync_set_before_it_starts() -> None:
    found, waited = replicas_of_a_follower_that_stands_still()
    found.asleep, found.away, found.leader_epoch, found.written, done = None, set(), 0, [[]], []
    found.beyond = {}
    found.gate = SimpleNamespace(data=0, allow=lambda data, known: done.append(known))  # type: ignore[assignment]
    found.servers.brokers[0] = SimpleNamespace(  # type: ignore[call-overload]
        kill=lambda: done.append("killed"), start=lambda: done.append("started"), ready=list, stopped_in_order=False
    )
    found._prepare = lambda broker, move: None  # type: ignore[method-assign]
    found.crash_leader(1, Move("crash_leader", {"broker": 1}, ends=(0,)))
    assert done == ["killed", 0, NOTHING, "started"]
    assert waited == [{1}, {1}]
    assert (found.leader, found.in_sync) == (1, False)


def test_who_is_out_of_the_in_sync_set_hears_nothing_until_it_is_to_be_in_again() -> None:
    """A record that the leader writes alone lets no fetch pass; nor does one that stands still fetch by itself."""
    found, done = Replicas.__new__(Replicas), []
    found.setup = SimpleNamespace(replicas=2, partitions=1)  # type: ignore[assignment]
    found.gate = SimpleNamespace(data=0, allow=lambda *to: done.append(to))  # type: ignore[assignment]
    found.rejoin = lambda broker: done.append("rejoins")  # type: ignore[method-assign]
    found.leader, found.known, found.asleep, found.away = 0, 0, None, {1}
    found._release(2)
    found.wake_all()
    assert done == ["rejoins"]
    found.away = set()
    found._release(3)
    found.wake_all()
    assert done == ["rejoins", (3, 3)]


def test_one_replica_that_restarts_leaves_nothing() -> None:
    found, waited = replicas_of_a_follower_that_stands_still()
    found.setup = SimpleNamespace(replicas=1, partitions=1, min_insync=1)  # type: ignore[assignment]
    found.asleep, found.away = None, set()
    found.restart(0, True, Move("restart_cleanly", {"broker": 0}))
    assert (waited, found.in_sync) == ([{0}], True)


def test_who_falls_behind_stands_still_and_is_waited_for_by_nobody() -> None:
    found, waited = replicas_of_a_follower_that_stands_still()
    found.asleep, found.away, done = None, set(), []
    found.gate = SimpleNamespace(data=0, allow=lambda data, known: done.append(known))  # type: ignore[assignment]
    found.admin.until = lambda what, condition: waited.append(asked(condition))  # type: ignore[method-assign]
    found.shrink(1, Move("shrink_isr", {"broker": 1}))
    assert [waited, done, found.asleep, found.in_sync] == [[{0}, True], [NOTHING], 1, False]


def unclean(own: int, others: int) -> tuple[Replicas, list[str]]:
    """Broker 0 leads and broker 1 stands still, with logs that end there; and what happens to them."""
    found, done = Replicas.__new__(Replicas), []
    nodes = [
        SimpleNamespace(pause=lambda n=n: done.append(f"{n} stops"), resume=lambda n=n: done.append(f"{n} goes on"))
        for n in range(2)
    ]
    found.servers = SimpleNamespace(brokers=nodes)  # type: ignore[assignment]
    found.setup = SimpleNamespace(replicas=2, partitions=1, min_insync=1)  # type: ignore[assignment]
    found.leader, found.leader_epoch, found.asleep, found.away = 0, 0, 1, {1}
    found.known, found.beyond, found.afterlife, found.surviving = 0, {}, [], []
    found.written = [[(at, (at,)) for at in range(own)]]
    found.logs = [[SimpleNamespace(end=own)], [SimpleNamespace(end=others)]]
    found.move = Move("send", {}, ends=(own,), uncut=(False,))
    found.lose = lambda broker, survivors=0: done.append(f"{broker} is lost")  # type: ignore[method-assign]
    found.admin = SimpleNamespace(  # type: ignore[assignment]
        until_leads=lambda who, _: done.append(f"{who} leads"),
        elect_uncleanly=lambda who, _: done.append(f"{who} is told"),
    )
    return found, done


def test_a_leader_stands_still_before_who_is_elected_uncleanly_goes_on() -> None:
    """Else that one fetches from it first, and is no longer as it was (D15)."""
    found, done = unclean(own=2, others=1)
    found.elect_uncleanly(1, Move("elect_uncleanly", {"broker": 1}, ends=(1,)))
    assert done == ["0 stops", "1 goes on", f"{NONE} leads", "1 is told", "0 is lost"]
    assert (found.leader, found.asleep, found.written, found.beyond) == (1, 0, [[(0, (0,))]], {})


def test_one_that_is_elected_before_it_fetches_has_what_it_had_or_is_not_judged() -> None:
    found, _ = unclean(own=3, others=1)
    found.elect_uncleanly(1, Move("elect_uncleanly", {"broker": 1}, ends=(1,), uncut=(False,)))
    assert found.beyond == {0: DivergentTail(1, [(1, (1,)), (2, (2,))], 0)}
    back = Move("elect_uncleanly", {"broker": 0}, replicated=((1, 0),), ends=(3,), uncut=(True,))
    found.move = back
    found.replicate(back.replicated)
    found.elect_uncleanly(0, back)
    assert (found.leader, found.beyond, len(found.written[0])) == (0, {}, 3)
    cut, _ = unclean(own=3, others=1)
    cut.elect_uncleanly(1, Move("elect_uncleanly", {"broker": 1}, ends=(1,), uncut=(False,)))
    cut.logs[0] = [SimpleNamespace(end=1)]
    with pytest.raises(
        NotJudged, match=r"^who leads partition 0 now has cut its log, or has not, as it was held back$"
    ):
        cut.elect_uncleanly(0, back)


def test_a_follower_that_is_held_back_fetches_nothing_and_cuts_nothing() -> None:
    found, _ = unclean(own=3, others=1)
    for found.asleep in (1, None):
        with pytest.raises(NotJudged, match="would have to fetch a part of what it lacks"):
            found.replicate([[0, 2]])
    found.beyond = {0: DivergentTail(1, [(1, (7,))], 1)}
    with pytest.raises(NotJudged, match="would have to cut its log while it is held back"):
        found.replicate([[0, 1]])
    found.move = Move("rejoin", {"broker": 1}, ends=(3,), uncut=(False,))
    found.replicate([[0, 3]])
    assert found.beyond == {}


def test_nobody_is_stopped_for_a_refusal_who_is_out_of_sync_already() -> None:
    found, done = Brokers.__new__(Brokers), []
    found.away = {1}
    found._end = lambda broker, clean: done.append("stopped")  # type: ignore[method-assign]
    found._without_follower(lambda: done.append("refused"))
    assert done == ["refused"]


def test_who_is_in_sync_is_compared_as_long_as_anything_asks() -> None:
    """Where nothing does, all are in the model, and the driver lets the follower come back right away."""
    spec = KafkaProducer(warm=0, batches=1, leader_crashes=1, clean_restarts=1, faults=2)
    model, found = ModelSide(spec), []
    for label in ("crash_leader(broker=1) choosing 0", "restart_cleanly(broker=1)"):
        [step] = [step for step in spec.successors(model.state) if step.label == label]
        move = model.take(step)
        found.append((move.in_sync_matters, model.observe(side.SEEN)["in-sync set of partition 0"]))
    assert found == [(True, (1,)), (False, UNTOLD)]


@pytest.mark.parametrize("matters", [True, False])
def test_a_follower_comes_back_where_nothing_asks_who_is_in_sync(
    matters: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    found, done = side.BrokersSide.__new__(side.BrokersSide), []
    found.cluster = Brokers.__new__(Brokers)
    found.cluster.away, found.before, found.after = {1}, [], []
    found.cluster.rejoin = lambda broker: done.append("rejoins")  # type: ignore[method-assign]
    monkeypatch.setattr(KafkaSide, "step", lambda self, move: None)
    monkeypatch.setattr(side.BrokersSide, "_led", lambda self: done.append("is waited for") or [])
    monkeypatch.setattr(side.BrokersSide, "_leadership", lambda self: [])
    found.step(Move("roll", {}, in_sync_matters=matters))
    assert done == ([] if matters else ["rejoins", "is waited for"])


def test_what_no_cluster_is_told_with_a_follower_that_stands_still() -> None:
    found, _ = replicas_of_a_follower_that_stands_still()
    with pytest.raises(NotJudged, match="stands still, so it is not restarted"):
        found.restart(1, True, Move("restart_cleanly", {"broker": 1}))
    with pytest.raises(NotJudged, match="the high watermark stands, and what waits for it until it times out"):
        found.shrink(1, Move("shrink_isr", {"broker": 1}, refused=(0,)))


def test_before_a_crash_no_answer_is_let_go_to_what_the_new_leader_is_to_lack() -> None:
    """It was, so the follower had what the model's lacked."""
    found, _ = replicas_of_a_follower_that_stands_still()
    found.away, found.known, released = set(), 0, list[int]()
    batches = [SimpleNamespace(ids=(n,), partition=0) for n in range(2)]
    waiting = [(SimpleNamespace(batch=batch), SimpleNamespace(offset=n)) for n, batch in enumerate(batches)]
    found.written = [[(n, (n,)) for n in range(2)]]
    found.replicate = lambda ends: None  # type: ignore[assignment,method-assign,misc]
    found._waiting = lambda broker: [each for each in waiting if each[1].offset + 1 not in released]  # type: ignore[misc,method-assign]
    found._release = lambda offset: released.append(offset)  # type: ignore[method-assign]
    found.admin.until = lambda what, condition: arrived.append(condition())  # type: ignore[method-assign]
    arrived: list[bool] = []
    found.logs = [[], [SimpleNamespace(end=1)]]
    found._prepare(1, Move("crash_leader", {"broker": 1}, ends=(1,)))
    assert (released, arrived) == ([1], [True])
    found.logs[1][0].end = 2
    with pytest.raises(NotJudged, match="the follower has fetched what the new leader of partition 0 is to lack"):
        found._prepare(1, Move("crash_leader", {"broker": 1}, ends=(1,)))
    found.known = 2
    with pytest.raises(NotJudged, match="that is not to leave cannot be held back: a later one was let go"):
        found._prepare(1, Move("crash_leader", {"broker": 1}, ends=(1,)))


def test_to_read_an_answer_lets_go_no_later_one() -> None:
    """It did, so the follower had the record of an answer that a crash of the leader was to take along."""
    found = Brokers.__new__(Brokers)
    frames = [SimpleNamespace(batch=SimpleNamespace(ids=(n,), partition=0)) for n in range(2)]
    found.client = SimpleNamespace(frames={0: frames})  # type: ignore[assignment]
    waiting = [(frame, SimpleNamespace(offset=n)) for n, frame in enumerate(frames)]
    found._waiting = lambda broker: waiting  # type: ignore[assignment,method-assign,return-value]
    released: list[int] = []
    found._release = lambda offset: released.append(offset)  # type: ignore[method-assign]
    found.wire = SimpleNamespace(to=lambda broker: SimpleNamespace(poll=None))  # type: ignore[assignment]
    found.admin = SimpleNamespace(until=lambda *_: (_ for _ in ()).throw(NotJudged("enough")))  # type: ignore[assignment]
    with pytest.raises(NotJudged, match="enough"):
        found.read(0)
    assert released == [1]


def test_another_producer_is_waited_for_until_its_record_is_written() -> None:
    """Its answer waits for a follower that is held back, so it was waited for until a deadline."""
    found = Brokers.__new__(Brokers)
    found.leader, found.logs, found.written, told = 0, [[SimpleNamespace(end=1)]], [[]], []

    def produce(partition: int, value: bytes, written: Callable[[], bool]) -> None:
        told.append(written())
        found.logs[0][0].end = 2
        told.append(written())

    found.admin = SimpleNamespace(produce_foreign=produce)  # type: ignore[assignment]
    found.append_foreign(0)
    assert (told, found.written) == ([False, True], [[(1, (OTHERS,))]])
