"""How bad a broken promise is, how often its failure happens, and what a change of settings costs."""

from __future__ import annotations

from collections.abc import Iterable

LEVELS = ("loss", "duplicate", "gap", "false failure", "refused writes", "delay")
"""From the worst to the least harm; `duplicate` is any silent change: twice, in another order, or not committed."""
OF_PROMISE = {
    "no-loss": "loss",
    "atomic": "loss",
    "no-duplicate": "duplicate",
    "order": "duplicate",
    "no-aborted-read": "duplicate",
    "no-gap": "gap",
    "true-failure": "false failure",
    "takes-writes": "refused writes",
    "no-hanging": "delay",
    "progress": "delay",
}
OFTEN, SOMETIMES, RARELY = "often", "sometimes", "rarely"
LIKELIHOOD = {
    "lost-connection": (OFTEN, "connections end with every restart of a broker and every fault of the network"),
    "refusal": (OFTEN, "replicas are out of sync during every restart of brokers"),
    "clean-restart": (OFTEN, "every upgrade and many changes of settings restart brokers"),
    "rolling-restart": (OFTEN, "every upgrade and many changes of settings restart all brokers"),
    "leader-change": (OFTEN, "leaders move with every restart, and when they are balanced"),
    "producer-restart": (OFTEN, "every deployment restarts the application"),
    "coordinator-change": (OFTEN, "coordinators move with every restart of a broker"),
    "leader-crash": (SOMETIMES, "processes and machines crash"),
    "slow-broker": (SOMETIMES, "a broker is overloaded or cut off for longer than delivery.timeout.ms"),
    "transaction-timeout": (SOMETIMES, "an application pauses for longer than transaction.timeout.ms"),
    "partitioned-broker": (RARELY, "the network splits the brokers, and clients reach both sides"),
    "power-cut": (RARELY, "a machine loses power, or is reset"),
    "lost-disk": (RARELY, "disks fail, and volumes are deleted"),
    "two-brokers": (RARELY, "two of the machines fail at a time"),
    "last-replica": (RARELY, "all others are out of sync, and then the last one fails"),
    "unclean-election": (RARELY, "all replicas in sync are gone at a time"),
    "unclean-coordinator": (
        RARELY,
        "an operator elects a replica of __transaction_state that is out of sync",
    ),
    "rejection": (RARELY, "a change of rights or sizes meets a lost connection"),
    "retention": (RARELY, "all records of a partition are deleted while a request is on its way"),
    "state-expiry": (RARELY, "a producer is silent for a day, and then a connection is lost"),
    "delayed-marker": (RARELY, "a request between brokers is executed after it was sent again"),
}
ORDER = (OFTEN, SOMETIMES, RARELY)


def level(promise: str) -> int:
    """The harm of a broken promise: 0 is the worst."""
    return LEVELS.index(OF_PROMISE.get(promise, "delay"))


def likelihood(failure: str) -> str:
    """How often a failure happens; two together are as likely as the less likely one."""
    return max(
        (LIKELIHOOD[part][0] for part in failure.split("+") if part in LIKELIHOOD), key=ORDER.index, default=RARELY
    )


def most_likely(failures: Iterable[str]) -> str:
    """The likelihood of the most likely of some failures, with its ground."""
    first = min(failures, key=lambda failure: ORDER.index(likelihood(failure)))
    grounds = {part: LIKELIHOOD[part][1] for part in first.split("+") if part in LIKELIHOOD}
    return f"{likelihood(first)}: {' and '.join(grounds.values())}"


COSTS = {
    "acks": "each record waits for the replicas in sync: one round trip between brokers more",
    "enable.idempotence": "",
    "max.in.flight.requests.per.connection": (
        "one request per round trip and broker: at most 500 a second at 2 ms, 20 at 50 ms; measure with "
        "`everystate throughput`"
    ),
    "retries": "a record that cannot be written fails after delivery.timeout.ms, not after a few tries",
    "delivery.timeout.ms": "a record that cannot be written holds back its partition for longer",
    "replication.factor": "three times the disk, and the traffic between brokers",
    "transaction.state.log.replication.factor": "three times the disk for decisions about transactions",
    "transaction.state.log.min.isr": "no transaction begins or ends while fewer replicas are there",
    "min.insync.replicas": "writes are refused while two of three replicas are away",
    "unclean.leader.election.enable": "a partition whose replicas in sync are all gone stays away until one returns",
    "transaction.version": "an upgrade of all brokers",
    "transaction.partition.verification.enable": "one request between brokers per transaction and partition",
}
"""What a change of a setting costs, in throughput or in availability; nothing where the text is empty."""
