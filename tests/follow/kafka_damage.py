"""Recorded runs of Kafka, damaged systematically: what must a damaged log be called, and is it?

Each line is dropped, doubled, exchanged with the next, cut short; each number in it is one more. What comes of it is an
error (E443), a deviation, `same` where the events are those of the whole log, or FOLLOWS though they are others.
`Brute` judges the latter once more in plain Python, state by state.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path
from typing import Any

from everystate.checker.cli.commands.follow import vocabulary
from everystate.checker.cli.sweeps import load
from everystate.checker.errors import EverystateError
from everystate.checker.follow import values
from everystate.checker.follow.answer import Follower
from everystate.checker.follow.candidates import UnseenActions
from everystate.checker.follow.events import Event, Place
from everystate.checker.follow.run import MOST
from everystate.checker.follow.sources import Order
from everystate.checker.frontend.model import build
from everystate.checker.language.concrete import Step, ValuesFrame, attempts, initial_states
from everystate.checker.language.concrete_machine import ConcreteMachine
from everystate.checker.language.machine import executing
from everystate.checker.language.state import State

RECORDED = Path(__file__).parent / "recorded"
WORDS = {"lines": "everystate.model.follow.lines", "frames": "everystate.model.follow.frames"}
LOGS = {"lines": ("producer.log", "broker.log"), "frames": ("proxy.jsonl",)}
SMALL = {"warm": 0, "replicas": 1, "batches": 5, "max_in_flight": 5, "spare": 4}
RUNS = {
    "expiry": {"expiries": 1, "disconnects": 1, "faults": 2},
}
NUMBER = re.compile(r"\d+")
STAMP = 24
"""Characters of the time that a line begins with."""


@dataclass(frozen=True)
class Damage:
    """What was done to which line, counted from 1."""

    kind: str
    line: int
    what: str
    lines: tuple[str, ...]


def damages(lines: Sequence[str]) -> Iterator[Damage]:
    """Every damage to a log, each by itself."""
    for at, line in enumerate(lines):
        before, after = tuple(lines[:at]), tuple(lines[at + 1 :])
        yield Damage("dropped", at + 1, line, (*before, *after))
        yield Damage("doubled", at + 1, line, (*before, line, line, *after))
        if after:
            yield Damage("swapped", at + 1, line, (*before, after[0], line, *after[1:]))
        for found in NUMBER.finditer(line, 0 if line.startswith("{") else STAMP):
            number = str(int(found[0]) + 1)
            told = f"{line[max(0, found.start() - 40) : found.start()]}<{found[0]}>{line[found.end() :][:10]}"
            yield Damage(
                "number", at + 1, told, (*before, line[: found.start()] + number + line[found.end() :], *after)
            )
        for part in (1, 2, 3):
            yield Damage("cut", at + 1, line, (*before, line[: len(line) * part // 4], *after))


def events(words: str, name: str, lines: Sequence[str]) -> list[Event] | str:
    """The events of a log, or the error that it is."""
    told = vocabulary(WORDS[words])
    try:
        return list(told.events((Place(name, number), line) for number, line in enumerate(lines, 1)))
    except EverystateError as error:
        return f"{error.code} {error.what}"


def bare(found: Sequence[Event]) -> str:
    """Events without their places and times."""
    return repr([replace(event, place=Place("", 0), time=None) for event in found])


@cache
def follower(words: str, run: str) -> Follower:
    told = vocabulary(WORDS[words])
    spec = load("everystate.model.kafka:KafkaProducer", {**SMALL, **RUNS[run]})
    return Follower(build(spec), "kafka", UnseenActions(told.unseen, told.at_most or 1), Order(), MOST, told.observes)


class Run:
    """A recorded run, and its logs as one reads them."""

    def __init__(self, name: str, words: str) -> None:
        self.name, self.words = name, words
        self.logs = {log: (RECORDED / name / log).read_text("utf-8").splitlines() for log in LOGS[words]}
        self.whole = {log: events(words, log, lines) for log, lines in self.logs.items()}
        self._known: dict[str, tuple[str, str]] = {}

    def becomes(self, log: str, lines: Sequence[str]) -> tuple[str, str, dict[str, Any]]:
        """(what a damaged log is, where or why, the events of all logs)."""
        found = events(self.words, log, lines)
        if isinstance(found, str):
            return "error", found, {}
        sources = {**self.whole, log: found}
        whole = self.whole[log]
        assert not isinstance(whole, str), whole
        if bare(found) == bare(whole):
            return "same", "", sources
        key = bare(found)
        if key not in self._known:
            self._known[key] = self._followed(list(sources.values()))
        return (*self._known[key], sources)

    def _followed(self, sources: Sequence[Any]) -> tuple[str, str]:
        try:
            answer = follower(self.words, self.name).follow(self.name, sources)
        except EverystateError as error:
            return "error", f"{error.code} {error.what}"
        return answer.verdict, str(answer.why.refused[0].event.place) if answer.why else ""


class Brute:
    """Plain Python: every state, every step, every order of the logs."""

    def __init__(self, words: str, run: str) -> None:
        told = vocabulary(WORDS[words])
        self.spec = load("everystate.model.kafka:KafkaProducer", {**SMALL, **RUNS[run]})
        self.unseen, self.at_most = set(told.unseen), told.at_most or 1
        self.names = {name: partial(function, self.spec) for name, function in told.observes.items()}
        self.instances = self.spec.instances
        self._steps: dict[tuple[State, int], list[State]] = {}

    def follows(self, logs: Sequence[Sequence[Event]]) -> bool:
        places = {((0,) * len(logs), state) for state in initial_states(self.spec)}
        for _ in range(sum(map(len, logs))):
            places = {
                ((*read[:n], read[n] + 1, *read[n + 1 :]), there)
                for read, state in self._with_unseen(places)
                for n, log in enumerate(logs)
                if read[n] < len(log)
                for there in self._through(state, log[read[n]])
            }
        return bool(places)

    def _with_unseen(self, places: set[tuple[Any, State]]) -> set[tuple[Any, State]]:
        fresh = places
        for _ in range(self.at_most):
            fresh = {
                (read, there)
                for read, state in fresh
                for number, instance in enumerate(self.instances)
                if instance.name in self.unseen
                for there in self._after(state, number)
            } - places
            places = places | fresh
        return places

    def _after(self, state: State, number: int) -> list[State]:
        if (state, number) not in self._steps:
            found = attempts(self.spec, state, self.instances[number])
            self._steps[state, number] = [step.state for step in found if isinstance(step, Step)]
        return self._steps[state, number]

    def _through(self, state: State, event: Event) -> Iterator[State]:
        if not self._holds(state, event.before):
            return
        if not event.actions:
            yield from [state] if self._holds(state, event.after) else []
            return
        for number, instance in enumerate(self.instances):
            given = {name: values.as_plain(value) for name, value in instance.arguments}
            if instance.name in event.actions and all(given[name] == v for name, v in event.arguments.items()):
                yield from (there for there in self._after(state, number) if self._holds(there, event.after))

    def _holds(self, state: State, said: Mapping[str, Any]) -> bool:
        with executing(ConcreteMachine()), self.spec._reading(ValuesFrame(self.spec, state.opened())):
            for path, data in said.items():
                text = f"len(spec.{path.removesuffix('.length')})" if path.endswith(".length") else f"spec.{path}"
                found = eval(path, dict(self.names)) if path.endswith(")") else eval(text, {"spec": self.spec})
                if values.as_plain(found) != data:
                    return False
        return True
