"""Which checks of the model of transactions represent a failure, for a producer with a transactional.id."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from . import durability, producer
from .checks import Check, Failure, Promise, Scope
from .settings import Settings

TARGET = "everystate.model.transactions:KafkaTransactions"
PROMISES = {
    "no-loss": Promise(
        "a transaction that is reported committed has all its records",
        "NoCommittedLost",
        "a committed transaction loses a record",
    ),
    "no-duplicate": Promise(
        "no record is committed twice, not even by a producer that was replaced",
        "NoDuplicate",
        "a record is committed twice",
    ),
    "no-gap": Promise(
        "no record is committed before an earlier one that is left out", "NoItemLeftOut", "a record is left out"
    ),
    "true-failure": Promise(
        "a transaction that is reported aborted is not read",
        "NoAbortedRead",
        "a transaction is read although it is reported aborted",
    ),
    "atomic": Promise(
        "a transaction is committed in all its partitions or in none",
        "Atomic",
        "half of a transaction is committed",
    ),
    "no-aborted-read": Promise(
        "a transaction is read only if its commit was asked for",
        "NoUncommittedRead",
        "a transaction is committed although no producer committed it",
    ),
    "no-hanging": Promise(
        "the coordinator knows every open transaction, and ends it",
        "NoHangingTransaction",
        "a transaction stays open for ever",
    ),
    "progress": Promise(
        "a producer ends only if another one has replaced it",
        "NoNeedlessEnd",
        "a producer ends although none has replaced it",
    ),
    "takes-writes": producer.PROMISES["takes-writes"],
}
BOUNDS = (
    "One transactional.id, two transactions of one record in each of one or two partitions, one to five faults of the "
    "failure, and epochs far from 32767. A request of a lost connection is executed at any later time, or never. "
    "Consumers read with isolation.level=read_committed. Not covered: consumer groups (sendOffsetsToTransaction), "
    "several transactional ids, several records of a transaction in a partition, the order of records, and "
    "failed writes to __transaction_state. Whether records survive lost disks and unclean elections, and whether the "
    "topic takes writes, is judged by the rules of replication."
)


UNCLEAN, OF_COORDINATOR = "unclean-election", "unclean-coordinator"
DECISIONS = (
    "every replica of __transaction_state that has the decision to commit may be lost "
    f"({durability.STATE_FACTOR}, {durability.STATE_NEEDED}): records of the transaction stay undecided"
)
BEHIND = (
    durability.BROKEN,
    "a replica of __transaction_state that lacks the decision to commit may be elected "
    f"({durability.STATE_FACTOR}, {durability.STATE_NEEDED})",
)
ORDER = "the model of transactions has one record of a transaction in a partition"


def protocol(settings: Settings) -> str:
    """The protocol version of the model; "" where it has none for these releases and settings."""
    client, server, version = settings.client, settings.server, settings["transaction.version"]
    verified, brokers = settings["transaction.partition.verification.enable"], server[:2]
    if client >= (4, 0, 0) and server >= (4, 0, 0) and version == 2:
        if brokers == (4, 0):
            return f"4.0.{min(server[2], 2)}"
        return f"4.{min(server[1], 3)}"
    if server >= (4, 3, 0) and client >= (4, 0, 0) and version == 1:
        return "4.3-without-tv2" if verified else "4.3-unverified"
    if server >= (4, 3, 0) and (3, 6, 0) <= client < (4, 0, 0) and version == 2 and verified:
        return "4.3-old-clients"
    if (3, 6, 0) <= client < (4, 0, 0) and (3, 6, 0) <= server < (4, 0, 0) and verified:
        return "3.9.2" if server >= (3, 9, 2) else "part-1"
    if (2, 7, 0) <= client < (3, 6, 0) and (2, 7, 0) <= server < (3, 6, 0):
        return "classic"
    return "2.5" if client < (2, 7, 0) and server < (2, 7, 0) else ""


def outside(settings: Settings) -> str:
    """Why the model has nothing like these releases."""
    if protocol(settings):
        return ""
    said = "" if settings["transaction.partition.verification.enable"] else ", transaction.partition.verification off"
    if settings.server >= (4, 0, 0):
        said = f", transaction.version={settings['transaction.version']}" + said
    return "the model of transactions has no protocol version for this client with these brokers" + said


def check(settings: Settings, findings: str = "", only: str = "", **constants: Any) -> Check:
    """A check with these faults, all of them in one behaviour; `findings` are pages by property."""
    apart = ("partitions", "sessions", "pids", "transactions", "hasty")
    faults = sum(number for name, number in constants.items() if name not in apart)
    pages = {name: f"transactions-{page}" for name, page in (pair.split("=") for pair in findings.split())}
    return Check({"generation": protocol(settings), **constants, "faults": faults}, pages, TARGET, tuple(only.split()))


def joins(settings: Settings) -> bool:
    """Whether the client itself adds partitions to a transaction, and asks for a new epoch: one without TV2."""
    return not protocol(settings).startswith("4.") or "-" in protocol(settings)


def pages(names: str, page: str) -> str:
    """The same page for several properties."""
    return " ".join(f"{name}={page}" for name in names.split())


READ = "Atomic NoUncommittedRead NoAbortedRead NoCommittedLost NoHangingTransaction NoNeedlessEnd NoDuplicate"
END, MARKER = pages(READ, "02-delayed-end"), pages(READ, "03-delayed-marker")
LATE = pages(READ, "01-hanging-transaction")
COMMITTING = pages(READ, "10-record-of-a-commit")
REFUSED = pages(READ, "27-refused-record-of-a-commit")
EXPIRED = pages(READ, "23-expired-id")


def lost_connection(s: Settings) -> list[Check]:
    """A connection is lost, and what was on it is sent again: records, EndTxn, InitProducerId, AddPartitionsToTxn."""
    found = [
        check(s, partitions=1, disconnects=2),
        check(s, END, late_ends=1),
        check(s, END, late_ends=1, aborts=1),
        check(s, "NoNeedlessEnd=20-late-init", partitions=1, late_starts=1),
    ]
    if joins(s):
        found.append(check(s, partitions=1, late_joins=1))
        found.append(check(s, "NoNeedlessEnd=22-joined-unheard", partitions=1, lost_joins=1))
    return found


def slow_broker(s: Settings) -> list[Check]:
    """A record expires, while its request is on the way; also during commitTransaction and abortTransaction."""
    verified = protocol(s) not in ("2.5", "classic", "4.3-unverified")
    page = COMMITTING if verified else LATE
    return [check(s, LATE, deadlines=1), check(s, page, partitions=1, deadlines=1, hasty=True)]


def coordinator_change(s: Settings) -> list[Check]:
    """Another broker becomes the coordinator; where the client asks for epochs, an answer is lost as well."""
    found = [check(s, failovers=1)]
    if joins(s):
        page = "NoNeedlessEnd=16-lost-answer"
        found.append(check(s, page, "NoNeedlessEnd", partitions=1, deadlines=1, lost_answers=1, failovers=1))
    return found


def delayed_marker(s: Settings) -> list[Check]:
    """The connection of the coordinator to a leader is lost, and a marker is executed late."""
    found = [check(s, MARKER, late_markers=1), check(s, MARKER, partitions=1, aborts=1, late_markers=1)]
    if protocol(s) == "4.3-old-clients":
        found.append(check(s, MARKER, "NoUncommittedRead", partitions=1, late_markers=1, timeouts=1))
    return found


def transaction_timeout(s: Settings) -> list[Check]:
    """The coordinator aborts a transaction that is ongoing for too long."""
    return [check(s, "NoNeedlessEnd=08-wrong-exception", timeouts=1)]


def producer_restart(s: Settings) -> list[Check]:
    """A further producer with the transactional.id starts, and the previous one continues."""
    zombie = "NoNeedlessEnd=09-zombie-bump"
    found = [check(s, partitions=1, sessions=2, takeovers=1)]
    return [*found, check(s, zombie, "NoNeedlessEnd", partitions=1, sessions=2, takeovers=1, deadlines=1)]


def state_expiry(s: Settings) -> list[Check]:
    """transactional.id.expiration.ms passes: the coordinator forgets the id, perhaps after a timeout and a takeover."""
    found = [
        check(s, EXPIRED, partitions=1, pids=2, expiries=1),
        check(s, EXPIRED, "NoHangingTransaction", partitions=1, pids=2, expiries=1, timeouts=1),
    ]
    if joins(s):
        more = {"partitions": 1, "sessions": 2, "transactions": 3, "pids": 3}
        found.append(check(s, EXPIRED, "NoUncommittedRead NoDuplicate", **more, expiries=1, takeovers=1, timeouts=1))
    return found


def refusal(s: Settings) -> list[Check]:
    """Leaders refuse two records for a while, as with too few replicas in sync."""
    return [check(s, refusals=2)]


def rejection(s: Settings) -> list[Check]:
    """A leader refuses a record for good, perhaps after commitTransaction, whose first request is executed later."""
    return [
        check(s, LATE, partitions=1, invalid_records=1, disconnects=1),
        check(s, REFUSED, partitions=1, hasty=True, invalid_records=1, disconnects=1),
    ]


def restart(s: Settings) -> list[Check]:
    """The leader changes and changes back, or the only replica restarts twice; the coordinator is on a broker, too."""
    return [check(s, elections=2, failovers=1)]


def rolling_restart(s: Settings) -> list[Check]:
    """Each of three brokers is restarted: those of leaders, and that of the coordinator, which may be one of them."""
    return [check(s, elections=3, failovers=2)]


def leader_change(s: Settings) -> list[Check]:
    """Leadership moves, with a lost connection, or moves back."""
    return [check(s, elections=1, disconnects=1), *restart(s)]


def retention(s: Settings) -> list[Check]:
    """Retention deletes every record, which changes no producer state (D10); or the only replica restarts then."""
    found = [check(s, partitions=1, disconnects=2)]
    return found if producer.replicas(s) > 1 else [*found, check(s, partitions=1, retentions=1, disconnects=1)]


def shorter_log(s: Settings, **more: Any) -> Check:
    """A leader lacks the end of the log, with acknowledged records and markers; a transaction was perhaps aborted."""
    return check(s, pages(READ, "26-unclean-election"), aborts=1, unclean_elections=1, **more)


def shorter_state(s: Settings, **more: Any) -> Check:
    """The coordinator lacks the end of its log; a transaction was perhaps aborted, or times out since."""
    return check(s, pages(READ, "29-coordinator-behind"), pids=2, aborts=1, timeouts=1, shorter_logs=1, **more)


def unclean_coordinator(s: Settings) -> list[Check]:
    """A replica of the coordinator's log that is behind is elected, which lacks nothing if all must be in sync."""
    return [shorter_state(s)] if decisions_may_lack(s) else [check(s, failovers=1)]


def decisions_may_lack(s: Settings) -> bool:
    """Whether a replica of the coordinator's log may be behind what is answered."""
    return bool(s[durability.STATE_NEEDED] < s[durability.STATE_FACTOR])


def after_loss(failure: str, otherwise: Callable[[Settings], list[Check]]) -> Callable[[Settings], list[Check]]:
    """What follows where a failure may take the end of the log, the coordinator's log, or both."""

    def found(s: Settings) -> list[Check]:
        shorter, decisions = loses_records(s, failure), durability.loses_decisions(s, failure)
        if shorter and decisions:
            kind = "shorter_logs" if failure == durability.POWER else "lost_logs"
            return [*otherwise(s), shorter_log(s, pids=2, **{kind: 1})]
        of_all = shorter_state(s) if failure == durability.POWER else check(s, pids=2, lost_logs=1)
        lost = [of_all] if decisions else []
        return [*otherwise(s), *lost, *([shorter_log(s)] if shorter else [])]

    return found


def loses_records(s: Settings, failure: str) -> bool:
    """Whether a leader may lack acknowledged records after a failure."""
    if failure == UNCLEAN:
        return bool(s["min.insync.replicas"] < s["replication.factor"])
    return producer.loses(s, failure)


def another_leads(s: Settings) -> list[Check]:
    """A broker is gone and another one leads, as after a crash."""
    return restart(s) if producer.replicas(s) > 1 else []


def verdict(settings: Settings, parts: list[str], promise: str) -> durability.Verdict | None:
    """What the rules of replication say, of the log of the coordinator as well; None where the model decides."""
    found = durability.verdict(settings, parts, promise)
    if promise != durability.LOSS or (found is not None and found[0] == durability.BROKEN):
        return found
    if any(durability.loses_decisions(settings, part) for part in parts):
        return durability.BROKEN, DECISIONS
    if OF_COORDINATOR in parts and decisions_may_lack(settings):
        return BEHIND
    if UNCLEAN in parts and loses_records(settings, UNCLEAN):
        return durability.BROKEN, "a replica that lacks acknowledged records may be elected"
    return (durability.KEPT, "each replica has every acknowledged record") if parts == [UNCLEAN] else found


BY_LEADER: dict[str, Callable[[Settings], list[Check]]] = {
    "refusal": refusal,
    "rejection": rejection,
    "clean-restart": restart,
    "rolling-restart": rolling_restart,
    "leader-crash": restart,
    "leader-change": leader_change,
    UNCLEAN: after_loss(UNCLEAN, restart),
    "retention": retention,
    durability.APART: after_loss(durability.APART, leader_change),
    **{
        name: after_loss(name, another_leads)
        for name in (durability.POWER, durability.DISK, durability.TWO, durability.LAST)
    },
}
"""Failures of the leader of a partition: the same as those of a producer without a transactional.id."""

FAILURES = {
    "lost-connection": Failure("a connection is lost, and a request of it is executed late", lost_connection),
    "slow-broker": Failure("the delivery timeout of a record passes", slow_broker),
    "transaction-timeout": Failure("transaction.timeout.ms passes", transaction_timeout),
    "coordinator-change": Failure("another broker becomes the coordinator", coordinator_change),
    OF_COORDINATOR: Failure(
        "a replica of __transaction_state that is not in sync is elected, by command or by a change of that topic",
        unclean_coordinator,
        lambda s: (
            f"with {durability.STATE_FACTOR}=1 no other broker can be the coordinator"
            if s[durability.STATE_FACTOR] == 1
            else ""
        ),
        asked=True,
    ),
    "delayed-marker": Failure("a marker of the coordinator is executed late", delayed_marker),
    "state-expiry": Failure("transactional.id.expiration.ms passes", state_expiry),
    "producer-restart": Failure("another producer takes over, and the previous one continues", producer_restart),
    **{name: replace(producer.FAILURES[name], checks=checks) for name, checks in BY_LEADER.items()},
}
SCOPE = Scope(
    PROMISES,
    FAILURES,
    BOUNDS,
    "No committed transaction loses a record",
    verdict,
    outside,
)
