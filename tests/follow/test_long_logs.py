"""A long log takes no more memory than a short one, and comes to the same states again without taking their steps."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from everystate.checker.engines.expansion import Expansion
from everystate.checker.follow.answer import DEVIATES, FOLLOWS, LAST, Follower
from everystate.checker.follow.candidates import UnseenActions
from everystate.checker.follow.events import Event, Place, event_of
from everystate.checker.follow.logs import events_of
from everystate.checker.follow.sources import Order
from everystate.checker.follow.vocabulary import Vocabulary
from everystate.checker.frontend.model import build
from tests.agreement.readers import load

from .test_logs import SPEC

LOCK = SPEC.replace("class Lock", "class Generated")
LONG = 3_000


def turns(events: int) -> Iterator[Event]:
    for number in range(events):
        told = {"action": ("acquire", "release")[number % 2], "arguments": {"client": number // 2 % 3}}
        yield event_of(told, Place("log", number + 1))


@pytest.fixture
def follower(tmp_path: Path) -> Follower:
    return Follower(build(load(LOCK, tmp_path)), "lock", UnseenActions(("expire",)), Order())


def test_only_the_last_events_are_kept(follower: Follower) -> None:
    """Unless the whole behaviour is asked for; and it is told as before."""
    answer = follower.follow("log", [turns(LONG)], last=LAST)
    assert (answer.verdict, answer.events, len(answer.followed.fronts)) == (FOLLOWS, LONG, LAST + 1)
    [source] = answer.followed.sources
    assert len(source._events) <= LAST + 1 and len(answer.followed.sample.rows) == 1_000
    assert answer.behaviour is not None and len(answer.behaviour.trace.steps) == LAST
    whole = follower.follow("log", [turns(LONG)], last=None)
    assert whole.behaviour is not None and len(whole.behaviour.trace.steps) == LONG
    assert [step.label for step in whole.behaviour.trace.steps[-LAST:]] == [
        step.label for step in answer.behaviour.trace.steps
    ]


def test_where_it_ends_is_told_after_a_long_log_too(follower: Follower) -> None:
    def wrong() -> Iterator[Event]:
        yield from turns(LONG)
        yield event_of({"action": "release", "arguments": {"client": 1}}, Place("log", LONG + 1))

    answer = follower.follow("log", [wrong()], last=LAST)
    assert (answer.verdict, answer.events) == (DEVIATES, LONG) and answer.why is not None
    assert [str(each.event.place) for each in answer.why.refused] == [f"log, line {LONG + 1}"]
    assert answer.behaviour is not None and len(answer.behaviour.trace.steps) == LAST


def test_steps_that_are_known_are_not_taken_again(follower: Follower, monkeypatch: pytest.MonkeyPatch) -> None:
    """6 events, from what comes after 7; the states that unseen steps lead to are known as well."""
    taken: list[int] = []
    expand = Expansion.expand

    def counted(self: Expansion, block: object) -> object:
        taken.append(1)
        return expand(self, block)

    monkeypatch.setenv("EVERYSTATE_CROSS_CHECK", "off")
    monkeypatch.setattr(Expansion, "expand", counted)
    assert len(follower.search.follow([turns(LONG)], last=LAST).fronts) == LAST + 1
    assert len(taken) < 30


def test_lines_that_are_equal_stand_where_they_stand(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    path.write_text('{"action": "expire"}\n\n{"action": "expire"}\n{"action": "expire", "time": 1}\n')
    found = list(events_of(str(path), Vocabulary()))
    assert [(event.place.number, event.place.part, event.actions, event.time) for event in found] == [
        (1, 1, ("expire",), None),
        (3, 1, ("expire",), None),
        (4, 1, ("expire",), 1),
    ]
