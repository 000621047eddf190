"""Deliberate ways to break the models, one at a time: what a slip in the protocol's code would look like."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from everystate.checker import If, none_of
from everystate.model import KafkaProducer
from everystate.model.broker import Broker
from everystate.model.records import APPENDED, OUT_OF_ORDER
from everystate.specs.idem_producer import IdempotentProducer


@dataclass(frozen=True)
class Mutation:
    """One method that is replaced."""

    name: str
    cls: type
    method: str
    replacement: Callable[..., Any]


def _no_duplicate(self: Any, broker: int, request: Any) -> int:
    return -1


def _remembers_one_less(self: Any, broker: int) -> int:
    return int(self.retained) - 1


def _takes_gaps(self: Any, broker: int, request: Any) -> str:
    return APPENDED


def _no_fencing(self: Any, broker: int, request: Any) -> Any:
    p, sequence, epoch = self.partition_of(request.batch), request.sequence, request.epoch
    exists, known_epoch, last = self.last_known(broker, p, request.pid)
    follows = If(sequence == last + 1, APPENDED, self.out_of_order_answer(broker, request))
    newer = If(sequence == 0, APPENDED, OUT_OF_ORDER)
    known = If(epoch == known_epoch, follows, newer)
    return If(exists, known, self.answer_to_unknown(p, sequence))


def _any_order(self: Any, batch: int) -> bool:
    return True


def _answers_early(self: Any, broker: int, batch: int) -> None:
    return


def _retriable_is_success(self: Any, batch: int) -> None:
    self.completed(batch, -1, False)


def _keeps_sequences(self: Any, partition: int) -> None:
    return


def _sequence_stays(self: Any, sequence: int, size: int) -> int:
    return sequence


def _definite_is_success(self: Any, batch: int, outcome: str) -> None:
    self.completed(batch, -1, False)


def _never_next(self: Any, batch: int) -> bool:
    return False


def _always_next(self: Any, batch: int) -> bool:
    return True


def _wrong_offset(self: Any, broker: int, request: Any) -> Any:
    found = Broker.duplicate_of(self, broker, request)
    return If(found > 0, found - 1, found)


def _gives_up(self: Any, batch: int) -> bool:
    return False


def _forgets_what_is_out(self: Any) -> None:
    self.requests.clear()
    self.answers.clear()


def _bumps_early(self: Any, batch: int) -> bool:
    return True


def _skips_the_number(self: Any, batch: int, sequence: int) -> None:
    self.log.append(batch)
    self.next_expected = sequence


def _newest_first(self: Any) -> int:
    from everystate.checker import require

    for batch in reversed(range(self.batches)):
        if self.status[batch] == "pending":
            return int(batch)
    require(False)
    return 0


def _not_unknown(self: Any, partition: int, sequence: int) -> str:
    return APPENDED


CANDIDATES = [
    Mutation("the broker looks up no duplicates", KafkaProducer, "duplicate_of", _no_duplicate),
    Mutation("the broker remembers one batch less", KafkaProducer, "remembers", _remembers_one_less),
    Mutation("the broker takes gaps", KafkaProducer, "out_of_order_answer", _takes_gaps),
    Mutation("the broker forgets the epoch check", KafkaProducer, "refusal", _no_fencing),
    Mutation("the producer retries in any order", KafkaProducer, "is_first_in_flight", _any_order),
    Mutation("the broker answers before the high watermark", KafkaProducer, "answer_left", _answers_early),
    Mutation("the producer takes a retriable error for success", KafkaProducer, "retriable", _retriable_is_success),
    Mutation("a bump renumbers nothing", KafkaProducer, "restamp", _keeps_sequences),
    Mutation("sequences do not advance", KafkaProducer, "following", _sequence_stays),
    Mutation("the producer takes a definite error for success", KafkaProducer, "definite", _definite_is_success),
    Mutation("no batch is ever next in line", KafkaProducer, "next_in_line", _never_next),
    Mutation("every batch is next in line", KafkaProducer, "next_in_line", _always_next),
    Mutation("a duplicate is answered with another offset", KafkaProducer, "duplicate_of", _wrong_offset),
    Mutation("nothing is retried", KafkaProducer, "may_retry", _gives_up),
    Mutation("the broker takes any first sequence", KafkaProducer, "answer_to_unknown", _not_unknown),
    Mutation("what was on a lost connection is forgotten", IdempotentProducer, "drop_connection", _forgets_what_is_out),
    Mutation("any refused batch bumps the epoch", IdempotentProducer, "all_acked_before", _bumps_early),
    Mutation("the next expected number is one behind", IdempotentProducer, "append", _skips_the_number),
    Mutation("the newest batch is sent first", IdempotentProducer, "first_pending", _newest_first),
]
assert none_of is not None
