"""Which checks of the model of the producer represent a failure, for a producer without a transactional.id."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from . import durability
from .checks import Check, Failure, Promise, Scope
from .settings import Settings

TARGET = "everystate.model.liveness:Delivering"
PROMISES = {
    "no-loss": Promise("an acknowledged record is not lost", "AckedIsPersisted", "an acknowledged record is lost"),
    "no-duplicate": Promise("no record is written twice", "NoDuplicate", "a record is written twice"),
    "order": Promise("records are in the order of sending", "InOrder", "records get out of order"),
    "no-gap": Promise(
        "no record is acknowledged before an earlier one is written or failed",
        "NoGap",
        "a record is acknowledged while an earlier one is missing",
    ),
    "true-failure": Promise(
        "a record that is reported failed is not in the log",
        "NoFalseFailure",
        "a record is written although it is reported failed",
    ),
    "progress": Promise(
        "every record gets its result without waiting for delivery.timeout.ms",
        "every_record_has_a_result",
        "a record is retried until the delivery timeout",
    ),
    "takes-writes": Promise("the topic takes writes", "", "writes are refused"),
}
BOUNDS = (
    "One partition, 3 batches of one record, at most 3 in flight and 3 replicas, one to three faults of one failure; "
    "in lost-connection, leader-crash and leader-change 6 batches and 5 in flight (2 without idempotence). It has "
    "no disks: no-loss under power-cut, lost-disk, two-brokers, last-replica and partitioned-broker, and takes-writes, "
    "are judged by the rules of replication. Not covered: batches that split, log compaction, brokers of several "
    "releases."
)
MOST_RETRIES = 10
"""More retries than this are checked as no limit."""

# -- constants of the model --------------------------------------------------------------------------------


def replicas(settings: Settings) -> int:
    """Replicas in the model."""
    return min(int(settings["replication.factor"]), 3)


def flight(settings: Settings, most: int) -> int:
    """Requests in flight in the model; without idempotence two show whatever more would."""
    return min(int(settings["max.in.flight.requests.per.connection"]), most if settings.idempotent else 2)


def client(settings: Settings) -> str:
    """The generation of the client."""
    if not settings.idempotent:
        return "non-idempotent"
    if settings.client < (2, 7, 1):
        return "kip-360"
    return "kafka-12152" if settings.client < (3, 6, 0) else "current"


def server(settings: Settings) -> str:
    """The generation of the brokers."""
    return "kafka-12152" if settings.server < (3, 6, 0) else "current"


def check(settings: Settings, most: int = 3, findings: str = "", **faults: Any) -> Check:
    """A check with these faults, each as often as given, all of them in one behaviour."""
    in_flight, several = flight(settings, most), replicas(settings)
    kinds = sum(number for name, number in faults.items() if name not in ("survivors", "pids", "warm"))
    constants: dict[str, Any] = {"generation": client(settings)}
    if server(settings) != client(settings):
        constants["broker_generation"] = server(settings)
    constants |= {"acks": settings["acks"], "max_in_flight": in_flight}
    constants |= {"batches": max(in_flight + 1, 3) if most == 5 else 3, "replicas": several}
    constants["min_insync"] = min(int(settings["min.insync.replicas"]), several)
    if settings["retries"] <= MOST_RETRIES:
        constants["retries"] = settings["retries"]
    constants["spare"] = 4
    if settings.idempotent:
        constants["epochs"] = 4
    constants |= {**faults, "faults": kinds}
    pages = dict(pair.split("=") for pair in findings.split())
    pages |= {"every_record_has_a_result": "producer-13-only-the-delivery-timeout"}
    return Check(constants, pages if settings.idempotent else {}, TARGET)


FIVE = 5
"""As many in flight as a producer with idempotence may have."""
RESTART = "NoDuplicate=producer-01-restart"
BACK = "NoDuplicate=producer-05-leader-moves-back"


def lost_connection(s: Settings) -> list[Check]:
    """Two lost connections; a request of a closed one may still be executed."""
    return [check(s, FIVE, disconnects=2, survivors=1)]


def refusal(s: Settings) -> list[Check]:
    """NOT_ENOUGH_REPLICAS and the like: of the very first batch, too."""
    return [check(s, refusals=2), check(s, findings="NoGap=producer-06-first-batch", warm=0, refusals=1)]


def rejection(s: Settings) -> list[Check]:
    """A definite error of a batch, or of its retry."""
    two = "NoDuplicate=producer-02-definite-error NoFalseFailure=producer-02-definite-error"
    return [check(s, findings=two, disconnects=1, invalid_records=1)]


def slow_broker(s: Settings) -> list[Check]:
    """The delivery timeout passes, after a lost connection or an answer REQUEST_TIMED_OUT."""
    page = "NoDuplicate=producer-03-delivery-timeout"
    found = [check(s, findings=page, deadlines=1, disconnects=1, survivors=1)]
    if s["acks"] == "all" and replicas(s) > 1:
        found.append(check(s, findings=page, deadlines=1, late_errors=1))
    return found


def clean_restart(s: Settings) -> list[Check]:
    """The leader stops, another one leads, and leadership comes back."""
    if replicas(s) == 1:
        return [check(s, findings=RESTART, clean_restarts=1)]
    return [check(s, findings=BACK, leader_changes=2), check(s, findings=RESTART, leader_changes=1, clean_restarts=1)]


def rolling_restart(s: Settings) -> list[Check]:
    """One broker after the other, each perhaps before the one before is back in sync."""
    if replicas(s) == 1:
        return clean_restart(s)
    return [*clean_restart(s), check(s, findings=RESTART, clean_restarts=replicas(s))]


def broker_crash(s: Settings) -> list[Check]:
    """The leader crashes."""
    if replicas(s) == 1:
        return [check(s, findings=RESTART, crashes=1)]
    return [check(s, FIVE, findings=RESTART, leader_crashes=1)]


def leader_change(s: Settings) -> list[Check]:
    """Leadership moves, with a lost connection, or moves back."""
    four = "NoDuplicate=producer-04-old-and-new-leader"
    return [check(s, FIVE, findings=four, leader_changes=1, disconnects=1), check(s, findings=BACK, leader_changes=2)]


def unclean_election(s: Settings) -> list[Check]:
    """All followers fall behind, and one of them is elected."""
    return [check(s, isr_shrinks=replicas(s) - 1, unclean_elections=1)]


def retention(s: Settings) -> list[Check]:
    """Retention deletes every record, and a connection is lost; or the only replica restarts."""
    seven = "NoDuplicate=producer-07-state-is-gone"
    found = [check(s, retentions=1, disconnects=1)]
    return found if replicas(s) > 1 else [*found, check(s, findings=seven, retentions=1, clean_restarts=1)]


def expiry(s: Settings) -> list[Check]:
    """The producer state expires, and a connection is lost, or a request is refused."""
    seven = "NoDuplicate=producer-07-state-is-gone NoGap=producer-07-state-is-gone"
    return [check(s, findings=seven, expiries=1, disconnects=1), check(s, findings=seven, expiries=1, refusals=1)]


def producer_restart(s: Settings) -> list[Check]:
    """The producer starts again, and the application sends again what was not acknowledged."""
    return [check(s, producer_restarts=1, pids=2)]


def no_answer(s: Settings) -> str:
    """Why errors of a broker are not in the model."""
    return (
        "with acks=0 a broker closes the connection in place of an error; not in the model" if s["acks"] == "0" else ""
    )


def one_replica(s: Settings) -> str:
    """Why no other replica can lead."""
    return "with replication factor 1 no other broker can lead" if replicas(s) == 1 else ""


def after_loss(failure: str) -> Callable[[Settings], list[Check]]:
    """A broker is gone and another one leads, as after a crash; or the one that leads lacks the end of the log.

    Where all that is acknowledged is on more than one replica, a leader that lacks something came back alone in sync,
    and the others dropped what it lacks.
    """

    def found(s: Settings) -> list[Check]:
        falls_behind = {"isr_shrinks": replicas(s) - 1} if replicas(s) > 1 else {}
        acked_by_one = replicas(s) > 1 and s["acks"] != "all"  # then a crash of the leader is enough
        shorter = loses(s, failure) and not acked_by_one
        return [*broker_crash(s), *([check(s, findings=RESTART, **falls_behind, power_cuts=1)] if shorter else [])]

    return found


def loses(s: Settings, failure: str) -> bool:
    """Whether acknowledged records may be lost."""
    found = durability.verdict(s, [failure], durability.LOSS)
    return found is not None and found[0] == durability.BROKEN


FAILURES = {
    "lost-connection": Failure("two lost connections", lost_connection),
    "refusal": Failure("a retriable refusal, such as NOT_ENOUGH_REPLICAS", refusal, uncovered=no_answer),
    "rejection": Failure(
        "a final error (authorization, size, validation) and a lost connection", rejection, uncovered=no_answer
    ),
    "slow-broker": Failure("the delivery timeout passes, and a connection is lost or a request times out", slow_broker),
    "clean-restart": Failure("one broker, the leader, is restarted cleanly", clean_restart),
    "rolling-restart": Failure("every broker is restarted cleanly", rolling_restart),
    "leader-crash": Failure("the leader crashes", broker_crash),
    "leader-change": Failure(
        "leadership moves and back, or moves and a connection is lost", leader_change, one_replica
    ),
    "unclean-election": Failure(
        "a replica that is not in sync is elected",
        unclean_election,
        lambda s: (
            one_replica(s) or ("" if s["unclean.leader.election.enable"] else "unclean.leader.election.enable is false")
        ),
    ),
    "retention": Failure(
        "retention deletes every record, and a connection is lost or the only replica restarts",
        retention,
        lambda s: (
            "retention.ms and retention.bytes are -1"
            if s["retention.ms"] == s["retention.bytes"] == -1 and s["cleanup.policy"] == "delete"
            else ""
        ),
        lambda s: "log compaction is not in the model" if "compact" in s["cleanup.policy"] else "",
    ),
    "state-expiry": Failure(
        "the producer state expires, and a connection is lost or a request is refused",
        expiry,
        lambda s: "" if s.idempotent else "without idempotence brokers keep no producer state",
    ),
    "producer-restart": Failure("the producer restarts and sends again what was not acknowledged", producer_restart),
    durability.POWER: Failure(
        "a broker loses power, and the records that it has not flushed", after_loss(durability.POWER)
    ),
    durability.DISK: Failure("a broker loses its disk, and returns with an empty one", after_loss(durability.DISK)),
    durability.TWO: Failure(
        "two brokers lose their disks",
        after_loss(durability.TWO),
        lambda s: "with replication factor 1 this is lost-disk" if replicas(s) == 1 else "",
        asked=True,
    ),
    durability.APART: Failure(
        "the leader is cut off from the other brokers, while clients reach it", leader_change, one_replica
    ),
    durability.LAST: Failure(
        "the last replica that is in sync is lost",
        after_loss(durability.LAST),
        lambda s: "with replication factor 1 this is lost-disk" if replicas(s) == 1 else "",
    ),
}

SCOPE = Scope(
    PROMISES,
    FAILURES,
    BOUNDS,
    "No acknowledged record is lost",
    durability.verdict,
)
