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
WORDS = vocabulary("everystate.model.follow.frames")
LOG = "proxy.jsonl"
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


def events(lines: Sequence[str]) -> list[Event] | str:
    """The events of a log, or the error that it is."""
    try:
        return list(WORDS.events((Place(LOG, number), line) for number, line in enumerate(lines, 1)))
    except EverystateError as error:
        return f"{error.code} {error.what}"


def bare(found: Sequence[Event]) -> str:
    """Events without their places and times."""
    return repr([replace(event, place=Place("", 0), time=None) for event in found])


@cache
def follower(run: str) -> Follower:
    spec = load("everystate.model.kafka:KafkaProducer", {**SMALL, **RUNS[run]})
    unseen = UnseenActions(WORDS.unseen, WORDS.at_most or 1)
    return Follower(build(spec), "kafka", unseen, Order(), MOST, WORDS.observes)


class Run:
    """A recorded run, and its logs as one reads them."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.lines = (RECORDED / name / LOG).read_text("utf-8").splitlines()
        self.whole = events(self.lines)
        self._known: dict[str, tuple[str, str]] = {}

    def becomes(self, lines: Sequence[str]) -> tuple[str, str, Any]:
        """(what a damaged log is, where or why, its events)."""
        found = events(lines)
        if isinstance(found, str):
            return "error", found, []
        assert not isinstance(self.whole, str), self.whole
        key = bare(found)
        if key == bare(self.whole):
            return "same", "", found
        if key not in self._known:
            self._known[key] = self._followed(found)
        return (*self._known[key], found)

    def _followed(self, found: Sequence[Event]) -> tuple[str, str]:
        try:
            answer = follower(self.name).follow(self.name, [found])
        except EverystateError as error:
            return "error", f"{error.code} {error.what}"
        return answer.verdict, str(answer.why.refused[0].event.place) if answer.why else ""


class Brute:
    """Plain Python: every state, every step."""

    def __init__(self, run: str) -> None:
        self.spec = load("everystate.model.kafka:KafkaProducer", {**SMALL, **RUNS[run]})
        self.unseen, self.at_most = set(WORDS.unseen), WORDS.at_most or 1
        self.names = {name: partial(function, self.spec) for name, function in WORDS.observes.items()}
        self.instances = self.spec.instances
        self._steps: dict[tuple[State, int], list[State]] = {}

    def follows(self, log: Sequence[Event]) -> bool:
        states = set(initial_states(self.spec))
        for event in log:
            states = {there for state in self._with_unseen(states) for there in self._through(state, event)}
        return bool(states)

    def _with_unseen(self, states: set[State]) -> set[State]:
        fresh = states
        for _ in range(self.at_most):
            fresh = {
                there
                for state in fresh
                for number, instance in enumerate(self.instances)
                if instance.name in self.unseen
                for there in self._after(state, number)
            } - states
            states = states | fresh
        return states

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
