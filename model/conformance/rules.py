"""The rules that a step exercised, derived from what Kafka did in it: the coverage of walks.

A rule counts where its effect was seen, not where it was evaluated. For the others ARGUED gives the reason.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from ..fault_table import actions
from ..records import ACKED, FAILED, FENCED, INVALID, NO_SEQUENCE, OUT_OF_ORDER, RETRIABLE, TOO_LARGE, UNKNOWN
from .driver import Move, Observation, Setup
from .facts import StepFacts, shown
from .mapping import OK, SURVIVORS
from .numbers import LAST_EPOCH

HANDLED = ("handle", *actions("answers"))
ELECTIONS = actions("elects")


class Facts(StepFacts):
    """One step of a producer with its brokers."""

    def at(self, name: str, partition: int | None = None) -> tuple[Any, Any]:
        """An observable before and after."""
        return self.before[name], self.after[name]

    @property
    def batch(self) -> int:
        """The batch of the step."""
        return self.move.arguments.get("batch", 0)

    @property
    def partition(self) -> int:
        """The partition of the step."""
        return self.move.arguments.get("partition", self.batch % self.setup.partitions)

    def answer(self) -> Any:
        """What a broker has just answered, or the client has just read; None in other steps."""
        name = f"connection to broker {self.move.arguments.get('broker', 0)}"
        if self.action in HANDLED:
            told = [entry for entry in self.after[name] if self.batch in entry[0] and len(entry) < 4]
            return told[0][1] if told else None
        if self.action == "read_answer":
            return self.before[name][0][1]
        return None

    def request(self) -> tuple[Any, ...]:
        """The request of the step as it was stamped: records, producer id, epoch, sequence."""
        name = f"connection to broker {self.move.arguments['broker']}"
        found: tuple[Any, ...] = next(entry for entry in self.before[name] if len(entry) == 4)
        return found

    def memory(self) -> tuple[int, tuple[Any, ...]]:
        """Epoch and ranges that the leader remembered for the producer of the request; epoch -1 for nothing."""
        known = self.before[f"remembered by broker {self.move.arguments['broker']} of partition {self.partition}"]
        return next((entry[1:] for entry in known if entry[0] == self.request()[1]), (-1, ()))

    def grew(self) -> bool:
        """Whether the log of the step's partition grew."""
        before, after = self.at(f"log of partition {self.partition}")
        return len(after) > len(before)

    def in_flight(self, after: bool = False) -> dict[int, tuple[Any, ...]]:
        """I(p) of the step's partition by batch."""
        found = (self.after if after else self.before)[f"in flight of partition {self.partition}"]
        return {entry[0]: entry for entry in found}

    def retried(self) -> bool:
        """Whether the batch whose answer was read waits for its retry."""
        return self.action == "read_answer" and self.batch in self.in_flight(True) and self.batch in self.in_flight()

    def bumps(self) -> bool:
        """Whether the step requested a bump for its partition."""
        return self.at(f"bump requested for partition {self.partition}") == (False, True)

    def unresolved(self) -> bool:
        """Whether a sequence of the step's partition was unresolved before it."""
        return bool(self.before[f"unresolved sequence of partition {self.partition}"] != NO_SEQUENCE)

    def became(self, result: str) -> bool:
        """Whether the batch of the step got this result."""
        before, after = self.at(f"result of record {self.batch}")
        return bool(after == result and before != result)

    def anything(self, name: str, test: Callable[[Any, Any], bool]) -> bool:
        """Whether a test holds before and after for any of the observables whose name begins so."""
        return any(test(self.before[key], self.after[key]) for key in self.before if key.startswith(name))


def _handled(answer: str, test: Callable[[Facts], bool] = lambda facts: True) -> Callable[[Facts], bool]:
    return lambda facts: facts.action == "handle" and facts.answer() == answer and test(facts)


def _read(answer: str, test: Callable[[Facts], bool] = lambda facts: True) -> Callable[[Facts], bool]:
    return lambda facts: facts.action == "read_answer" and facts.answer() == answer and test(facts)


def _done(*actions: str) -> Callable[[Facts], bool]:
    return lambda facts: facts.action in actions


def _survivor_is_fenced(facts: Facts) -> bool:
    """Whether a request of a closed connection came with an epoch that its leader knows to be over."""
    if facts.action != "handle_survivor":
        return False
    _, pid, epoch, _ = facts.before[SURVIVORS][0]
    known = facts.before[f"remembered by broker {facts.move.arguments['broker']} of partition {facts.partition}"]
    return any(entry[0] == pid and epoch < entry[1] for entry in known) and not facts.grew()


def _waits_for_id(facts: Facts) -> bool:
    """Whether nothing was sent, as there was no producer id."""
    name = "the producer waits for a producer id"
    return bool(facts.before[name]) and facts.action not in ("init_producer_id", "send", "send_again")


def _held_back(facts: Facts) -> bool:
    """Whether a sweep passed over an older batch on the wire."""
    expired = list(_expired(facts))
    partitions = facts.setup.partitions
    flight = [entry[0] for p in range(partitions) for entry in facts.after[f"in flight of partition {p}"]]
    return any(old < new and old % partitions == new % partitions for old in flight for new in expired)


def _epoch_begins(facts: Facts) -> bool:
    return facts.memory()[0] >= 0 and facts.request()[2] > facts.memory()[0]


def _expired(facts: Facts) -> Iterator[int]:
    """The records that a sweep expired."""
    for record in range(facts.setup.batches):
        if facts.action == "expire_batches" and facts.at(f"result of record {record}") == ("open", UNKNOWN):
            yield record


def _marked(before: int, after: int) -> bool:
    return after not in (before, NO_SEQUENCE)


def _held_by_pair(facts: Facts) -> bool:
    """Whether a partition has batches in flight of another pair than that of the producer."""
    pair, partitions = facts.after["producer id and epoch"], range(facts.setup.partitions)
    others = [p for p in partitions if facts.after[f"producer id and epoch of partition {p}"] != pair]
    return any(facts.after[f"in flight of partition {p}"] for p in others)


def _forgets(facts: Facts) -> bool:
    """Whether a restart left a replica that knew producers without any."""
    return facts.action in actions("restarts") and facts.anything("remembered by", lambda a, b: bool(a) and b == ())


RULES: dict[str, Callable[[Facts], bool]] = {
    "B1.1": lambda f: f.action == "reject" and f.answer() == INVALID,
    "B1.2": lambda f: f.action == "handle" and f.answer() == RETRIABLE,
    "B1.3": _done("refuse"),
    "B1.4": lambda f: f.action == "find_too_large" and f.answer() == TOO_LARGE,
    "B1.7": _done("roll"),
    "B1.8": _handled(OK, lambda f: not f.grew()),
    "B1.11": _handled(OK, Facts.grew),
    "B3": lambda f: _handled(FENCED)(f) or _survivor_is_fenced(f),
    "B4.1": _handled(OK, lambda f: f.grew() and f.memory()[0] < 0 and f.request()[3] > 0),
    "B4.2": _handled(OK, lambda f: f.grew() and _epoch_begins(f)),
    "B4.3": _handled(OUT_OF_ORDER, _epoch_begins),
    "B4.4": _handled(OUT_OF_ORDER, lambda f: not _epoch_begins(f)),
    "B5": _handled(OK, lambda f: f.grew() and len(f.memory()[1]) == 5),
    "B6.1": _read(OK, lambda f: f.setup.replicas > 1),
    "B6.3": lambda f: f.action == "shrink_isr" and bool(f.move.refused),
    "B6.4": _done("answer_late"),
    "B6.5": lambda f: f.action in ELECTIONS and bool(f.move.refused),
    "B7": _done("handle_survivor"),
    "C1.4": _done("init_producer_id"),
    "C2.2": _waits_for_id,
    "C2.1": lambda f: f.action == "send" and f.setup.max_in_flight == 1,
    "C2.3": _held_by_pair,
    "C2.4": lambda f: f.action == "send_again" and f.unresolved(),
    "C2.5": lambda f: f.action == "send_again" and len(f.in_flight()) > 1,
    "C2.6": _done("send"),
    "C3": lambda f: f.action == "disconnect",
    "C4.1": _read(TOO_LARGE, lambda f: len(f.in_flight(True)) > len(f.in_flight())),
    "C4.2": lambda f: f.retried() and f.answer() != TOO_LARGE,
    "C4.4": lambda f: f.action == "read_answer" and (f.became(FAILED) or f.became(UNKNOWN)),
    "C4.5": _read(OK, lambda f: f.became(ACKED)),
    "C4.5 late": _read(OK, lambda f: f.before[f"result of record {f.batch}"] == UNKNOWN),
    "C5.3": _read(OUT_OF_ORDER, lambda f: f.retried() and not f.bumps() and not f.unresolved()),
    "C5.4": _read(OUT_OF_ORDER, lambda f: f.retried() and f.bumps() and not f.unresolved()),
    "C5.5": _read(OUT_OF_ORDER, lambda f: f.retried() and f.bumps() and f.unresolved()),
    "C5.6": _read(OUT_OF_ORDER, lambda f: f.retried() and not f.bumps() and f.unresolved()),
    "C5.7": _read(RETRIABLE, Facts.retried),
    "C5.8": lambda f: f.action == "read_answer" and f.answer() in (INVALID, FENCED) and f.became(FAILED),
    "C6.2": _read(OUT_OF_ORDER, lambda f: f.became(FAILED) and f.bumps()),
    "C6.4": lambda f: f.action == "read_answer" and f.became(FAILED) and f.answer() != OUT_OF_ORDER and f.bumps(),
    "C6.4 late": lambda f: f.action == "read_answer" and f.became(UNKNOWN) and f.bumps(),
    "C6.5": lambda f: f.action == "read_answer" and (f.became(FAILED) or f.became(UNKNOWN)) and not f.bumps(),
    "C7.1": lambda f: any(True for _ in _expired(f)),
    "C7.1 held back": _held_back,
    "C7.2": lambda f: f.action == "expire_batches" and f.anything("unresolved sequence", _marked),
    "C7.3": lambda f: any(True for _ in _expired(f)) and not f.anything("unresolved sequence", _marked),
    "C8": lambda f: f.action == "start_loop" and f.anything("unresolved sequence", lambda a, b: a != b == NO_SEQUENCE),
    "C9.1": lambda f: (
        f.action == "start_loop" and f.at("producer id and epoch")[1][1] > f.before["producer id and epoch"][1]
    ),
    "C9.2": lambda f: (
        f.action == "start_loop"
        and f.at("producer id and epoch")[0][1] == LAST_EPOCH
        and f.after["producer id and epoch"][0] < 0
    ),
    "C9.3": lambda f: f.action == "start_loop" and f.anything("in flight", lambda a, b: a != b and bool(b)),
    "C9.4": lambda f: (
        f.action == "send"
        and f.before[f"producer id and epoch of partition {f.partition}"] != f.before["producer id and epoch"]
    ),
    "C10": lambda f: f.retried() and len(f.in_flight(True)) > 1,
    "C11": _read(TOO_LARGE, lambda f: len(f.in_flight(True)) > len(f.in_flight())),
    "C12": lambda f: (
        f.action == "send"
        and f.at(f"next sequence of partition {f.partition}")[1] < f.before[f"next sequence of partition {f.partition}"]
        and f.setup.first_sequence > 0
    ),
    "D1": lambda f: (
        f.setup.replicas > 1
        and f.anything("remembered by broker", lambda a, b: a != b)
        and f.action in ("fetch", "rejoin", "read_answer")
    ),
    "D3": _done(*ELECTIONS),
    "D4": lambda f: f.action in ELECTIONS and f.anything("log of", lambda a, b: len(b) < len(a)),
    "D5": lambda f: f.action == "restart_cleanly" and f.anything("remembered by", lambda a, b: a != b and bool(b)),
    "D6": _done("restart_after_crash", "crash_leader"),
    "D8": lambda f: _forgets(f) and not f.anything("log of", lambda a, b: not a),
    "D9": lambda f: f.action == "expire_producers" and f.anything("remembered by", lambda a, b: bool(a) and not b),
    "D10": lambda f: f.action == "delete_records" and f.anything("remembered by", lambda a, b: bool(a) and a == b),
    "D11": lambda f: _forgets(f) and f.anything("log of", lambda a, b: not a),
    "D15": _done("elect_uncleanly"),
    "D17": _done("lose_power"),
}


ARGUED = {
    "B1.5": "one definite error stands for all that come before the duplicate lookup (B1.1)",
    "B1.6": "as B1.5; the size by itself is B1.4",
    "B1.9": "its answer is counted as B3",
    "B1.10": "its answers are counted as B4.3 and B4.4",
    "B2": "counted as B1.8",
    "B4.5": "needs transactions",
    "B4.6": "needs transactions",
    "B4.7": "needs transactions",
    "B6.2": "counted as B6.1: the same answer",
    "B6.6": "counted as B3, B4.3 and B4.4: their answers do not wait",
    "B6.7": "an idempotent producer has acks = all",
    "C0": "a check at the start of a producer",
    "C1.1": "counted as C8",
    "C1.2": "a fatal error ends the producer",
    "C1.3": "counted as C9.1",
    "C1.5": "counted as C2.2",
    "C1.6": "every drain and every sweep is such a pass",
    "C1.7": "a step is a pass, or a poll; tests/conformance/passes.py has both in one",
    "C2.7": "one partition is drained at a time",
    "C4.3": "no broker since 1.1 answers 46",
    "C5.1": "no broker since 2.5 answers 59",
    "C5.2": "no broker since 2.5 answers 59",
    "C6.1": "a fatal error ends the producer",
    "C6.3": "no broker since 2.5 answers 59",
    "C13": "a producer is not closed; what a restart leaves is C4.4 and B7",
    "D2": "seen in what a leader remembers after each append (B1.11), which no follower has yet",
    "D7": "needs an upgrade from a release without snapshots",
    "D12": "both replicas exist from the start",
    "D13": "no compaction",
    "D14": "both replicas delete at once",
    "D16": "what follows a loss is counted as B4.1 and B4.4",
    "D18": "the controller chooses: `bench/elections.py` drives its class, D19 and D20 too",
    "D19": "as D18",
    "D20": "as D18",
}
"""Why a rule of the protocol is not counted."""

OF_THE_CLIENT = {rule: test for rule, test in RULES.items() if rule.startswith("C")}
"""The rules that a release without a log in Java can show; there the model simulates the others."""


def exercised(setup: Setup, move: Move, before: Observation, after: Observation) -> list[str]:
    """The rules whose effect was seen in a step."""
    rules = RULES if any(name.startswith("log of") for name in after) else OF_THE_CLIENT
    return shown(rules, Facts(setup, move, before, after))
