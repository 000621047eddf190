"""The names that can be checked: each is a scenario, data that loads its spec only when it runs."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

from ..checker.language.scenario import Scenario

PACKAGES = {
    "kafka": "Kafka's idempotent producer, by protocol version",
    "replication": "Kafka with three replicas, and where followers cut their logs",
    "transactions": "Kafka's transactions",
    "drain": "Kafka's producer: which partition is sent next (drain)",
}
"""The packages of the scenarios of Kafka, with a heading for each."""
GROUPS = ("first", "classics", "producer", *list(PACKAGES)[1:])
"""A word for each group, in the order of `groups`."""
ALL = "all"
"""The word for all groups."""
MATRIX = Path(__file__).with_name("matrix.toml")
"""The matrix of all scenarios."""
_CLASSICS = "everystate.specs.classics"


def _classic(name: str, cls: str, title: str, **expected: int) -> Scenario:
    return Scenario(name, f"{_CLASSICS}.{name.replace('-', '_')}:{cls}", title, expected=expected)


def _producer(name: str, title: str, expected: dict[str, int], **constants: Any) -> Scenario:
    target = "everystate.specs.idem_producer:IdempotentProducer"
    return Scenario(name, target, title, constants=constants, expected=expected)


OWN: tuple[Scenario, ...] = (
    _producer("idem-producer", "Kafka's idempotent producer, 5 in flight and 5 remembered: safe", {}),
    _producer(
        "idem-producer/unsafe",
        "the same with 6 in flight and 5 remembered: a batch is written twice",
        {"NoDup": 18, "InOrder": 18},
        max_in_flight=6,
        window=5,
    ),
    _classic("die-hard", "DieHard", "measure exactly 4 gallons with two unmarked jugs", goal_not_reached=6),
    _classic("hour-clock", "HourClock", "a twelve-hour clock that shows only the hour"),
    _classic("live-hour-clock", "LiveHourClock", "the same clock goes on for ever, and comes round to every hour"),
    _classic("simple", "Simple", "why does some process end with y = 1? (Lamport's little program)"),
    _classic("channel", "Channel", "hand over values by flipping two bits"),
    _classic("hanoi", "Hanoi", "move a tower of disks to the last peg", not_solved=31),
    _classic("missionaries", "Missionaries", "bring missionaries and cannibals across a river", somebody_is_left=11),
    _classic("cat-boxes", "CatBoxes", "find a cat that moves to a neighbouring box every night"),
    _classic("coffee-can", "CoffeeCan", "take beans out of a can by twos: what colour is the last one?"),
    _classic("prisoner", "Prisoner", "prisoners who share one lamp find out that all have been in the room"),
    _classic("prisoners", "Prisoners", "prisoners who share two switches find out the same"),
    _classic("cigarette-smokers", "CigaretteSmokers", "a dealer offers two ingredients, the owner of the third smokes"),
    _classic("barrier", "Barrier", "processes wait for each other at a reusable barrier"),
    _classic("alternating-bit", "AlternatingBit", "send data over lossy lines, each datum numbered with one bit"),
    _classic("tcommit", "TCommit", "transaction commit, the specification: all commit, or all abort", deadlock=3),
    _classic("two-phase", "TwoPhase", "two-phase commit: a transaction manager collects votes and decides"),
    _classic("atomic-commit", "AtomicCommit", "participants commit all, or abort all, whoever crashes"),
    _classic("tcp", "Tcp", "two peers connect and part: the states of TCP"),
    _classic(
        "key-value-store", "KeyValueStore", "transactions on snapshots of a store reject what others have written"
    ),
    _classic("write-through-cache", "WriteThroughCache", "a write-through cache implements a memory"),
    _classic("fifo", "FIFO", "what is sent through a buffer between two channels arrives in its order"),
    _classic(
        "two-phase-symmetric", "SymmetricTwoPhase", "two-phase commit whose resource managers are interchangeable"
    ),
    _classic("token-ring", "TokenRing", "Dijkstra's self-stabilising ring gets down to a single token"),
    _classic("ewd840", "EWD840", "Dijkstra's termination detection in a ring"),
    _classic(
        "ewd840-liveness", "EWD840Liveness", "the same with a token that goes on: termination is detected some time"
    ),
    _classic("allocator", "Allocator", "clients share resources, and each gets what it asks for"),
    _classic("bakery", "Bakery", "Lamport's bakery, from every state of its inductive invariant"),
    _classic("voting", "Voting", "acceptors choose one value by voting in ballots: what Paxos refines"),
    _classic("paxos", "Paxos", "acceptors choose one value by messages that may be lost"),
    _classic("game-of-life", "GameOfLife", "Conway's cells on a small square, from every beginning"),
    _classic("chameneos", "Chameneos", "creatures meet in pairs and change their colour until the game is over"),
    _classic("grid", "Grid", "independent counters: a space of any size, for measuring"),
)


def scenarios() -> tuple[Scenario, ...]:
    """Every scenario, in the order in which they are listed; names are unique."""
    return tuple(scenario for found in groups().values() for scenario in found)


def groups() -> dict[str, tuple[Scenario, ...]]:
    """The scenarios under their headings."""
    producers = tuple(scenario for scenario in OWN if not scenario.target.startswith(_CLASSICS))
    classics = OWN[len(producers) :]
    own = {"A first example": producers, "Classics": classics}
    return own | {heading: _of(package) for package, heading in PACKAGES.items()}


def names() -> list[str]:
    """The names of all scenarios."""
    return [scenario.name for scenario in scenarios()]


def find(name: str) -> Scenario | None:
    """The scenario of a name."""
    own = next((scenario for scenario in OWN if scenario.name == name), None)
    return own or next((scenario for package in PACKAGES for scenario in _of(package) if scenario.name == name), None)


def _of(package: str) -> tuple[Scenario, ...]:
    try:
        module = importlib.import_module(f"everystate.specs.{package}")
    except ModuleNotFoundError:
        return ()
    return tuple(getattr(module, "SCENARIOS", ()))
