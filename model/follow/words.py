"""Common observations of the model in logs of Kafka: answers by their codes, and requests on a connection.

A log that is followed begins with the producer and an empty topic (`warm=0`), and each of its batches has one record,
as in the model: so sequences and offsets are the model's own. Events that a log does not show may happen unseen, as
often as the constants of the target allow.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Generic, TypeVar

from ..fault_table import TABLE, actions
from ..kafka import KafkaProducer
from ..records import APPENDED, DUPLICATE, FENCED, INVALID, NONE, OUT_OF_ORDER, RETRIABLE, TOO_LARGE, UNKNOWN_PRODUCER

K = TypeVar("K")
OUTCOMES = {
    "CLUSTER_AUTHORIZATION_FAILED": INVALID,
    "CORRUPT_MESSAGE": RETRIABLE,
    "DUPLICATE_SEQUENCE_NUMBER": DUPLICATE,
    "INVALID_PRODUCER_EPOCH": FENCED,
    "INVALID_RECORD": INVALID,
    "INVALID_TIMESTAMP": INVALID,
    "KAFKA_STORAGE_ERROR": RETRIABLE,
    "LEADER_NOT_AVAILABLE": RETRIABLE,
    "MESSAGE_TOO_LARGE": TOO_LARGE,
    "NOT_ENOUGH_REPLICAS": RETRIABLE,
    "NOT_ENOUGH_REPLICAS_AFTER_APPEND": RETRIABLE,
    "NOT_LEADER_OR_FOLLOWER": RETRIABLE,
    "OUT_OF_ORDER_SEQUENCE_NUMBER": OUT_OF_ORDER,
    "POLICY_VIOLATION": INVALID,
    "RECORD_LIST_TOO_LARGE": INVALID,
    "REQUEST_TIMED_OUT": RETRIABLE,
    "TOPIC_AUTHORIZATION_FAILED": INVALID,
    "UNKNOWN_PRODUCER_ID": UNKNOWN_PRODUCER,
    "UNKNOWN_TOPIC_OR_PARTITION": RETRIABLE,
}
"""The model's names for the errors of answers; of a success it knows the offset."""
NUMBERS = {
    0: NONE,
    2: "CORRUPT_MESSAGE",
    3: "UNKNOWN_TOPIC_OR_PARTITION",
    5: "LEADER_NOT_AVAILABLE",
    6: "NOT_LEADER_OR_FOLLOWER",
    7: "REQUEST_TIMED_OUT",
    10: "MESSAGE_TOO_LARGE",
    18: "RECORD_LIST_TOO_LARGE",
    19: "NOT_ENOUGH_REPLICAS",
    20: "NOT_ENOUGH_REPLICAS_AFTER_APPEND",
    29: "TOPIC_AUTHORIZATION_FAILED",
    31: "CLUSTER_AUTHORIZATION_FAILED",
    32: "INVALID_TIMESTAMP",
    44: "POLICY_VIOLATION",
    45: "OUT_OF_ORDER_SEQUENCE_NUMBER",
    46: "DUPLICATE_SEQUENCE_NUMBER",
    47: "INVALID_PRODUCER_EPOCH",
    56: "KAFKA_STORAGE_ERROR",
    59: "UNKNOWN_PRODUCER_ID",
    87: "INVALID_RECORD",
}
HANDLING = ["handle", *actions("answers")]
"""The actions in which a broker answers."""
LOSING = list(actions("loses"))
"""The actions after which a connection is lost."""
UNTOLD = (
    *(fault.action for fault in TABLE if not fault.logged),
    *("expire_batches", "fetch", "handle_survivor", "learn_leader", "rejoin", "start_loop"),
)
"""Actions that neither the producer's log nor a proxy shows, or not always."""
AT_MOST = 6
"""Unseen steps between two lines: five requests may be handled, and then the broker restart."""


class Unknown(ValueError):
    """A part of a log that cannot be translated."""


def answer(code: str, offset: int) -> str:
    """An answer in the form of the model's observations."""
    if (code == NONE) != (offset >= 0):
        raise Unknown(f"an answer {code} with the offset {offset}: a success has one, and an error has -1")
    if code == NONE:
        return f"{APPENDED} at {offset}"
    if code not in OUTCOMES:
        raise Unknown(f"the model knows no answer {code}")
    return OUTCOMES[code]


class Numbers(Generic[K]):
    """Brokers or producer ids by the order in which a log first has them: the first broker leads when it begins."""

    def __init__(self) -> None:
        self.known: dict[K, int] = {}

    def __getitem__(self, key: K) -> int:
        return self.known.setdefault(key, len(self.known))


# -- observations of the model -------------------------------------------------------------------------------


def _request(spec: KafkaProducer, batch: int) -> list[int]:
    state: Any = spec.batch[batch]
    return [spec.partition_of(batch), int(state.pid), int(state.epoch), int(state.position)]


def _answer(spec: KafkaProducer, batch: int, offset: int) -> str:
    """An answer; where the model knows only that the offset is that of another batch, any offset is right."""
    state: Any = spec.batch[batch]
    if state.outcome not in (APPENDED, NONE):
        return str(state.outcome)
    return f"{APPENDED} at {offset if state.position == spec.log_capacity else int(state.position)}"


def newest_request(spec: KafkaProducer, broker: int) -> list[int] | None:
    """The request that was written last: partition, producer id, epoch, sequence."""
    link: Any = spec.connection[broker]
    requests = list(link.requests)
    return _request(spec, requests[-1]) if len(requests) > link.handled else None


def next_request(spec: KafkaProducer, broker: int) -> list[int] | None:
    """The request that the broker handles next."""
    link: Any = spec.connection[broker]
    requests = list(link.requests)
    return _request(spec, requests[link.handled]) if len(requests) > link.handled else None


def newest_answer(spec: KafkaProducer, broker: int, offset: int) -> str | None:
    """The answer that the broker gave last; the offset is that of the log."""
    link: Any = spec.connection[broker]
    return _answer(spec, list(link.requests)[link.handled - 1], offset) if link.handled else None


def first_unanswered(spec: KafkaProducer, broker: int) -> list[int] | None:
    """The oldest request that has no answer: the broker answers a connection in order, so it is the next one."""
    return next_request(spec, broker)


OBSERVES = (newest_request, next_request, first_unanswered, newest_answer)

Event = Mapping[str, Any]
