"""Following against a judge that shares no code with it: a sample, and what larger ones found."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from everystate.checker.follow import depth
from everystate.checker.follow.answer import Answer, Follower
from everystate.checker.follow.candidates import UnseenActions
from everystate.checker.follow.events import Event, Place, event_of
from everystate.checker.follow.sources import Order
from everystate.checker.frontend.model import build
from tests.agreement.readers import load

from .attack import Attack

SPECS = 16
COUNTER = """
from everystate.checker import Int, Spec, action, action_constraint, choose, require


class Generated(Spec):
    may_terminate = True

    def variables(self):
        self.n = Int(0, 5)

    @action
    def draw(self):
        self.n = choose(range(3))

    @action(by=range(1, 4))
    def add(self, by):
        require(self.n + by < 5)
        self.n += by
"""
BOUNDED = """
    @action_constraint
    def slowly(self, before):
        return self.n < before.n + 2
"""


def followed(folder: Path, source: str, order: Order, *logs: list[Any]) -> Answer:
    follower = Follower(build(load(source, folder)), "counter", UnseenActions(), order)
    parts: list[list[Event]] = [
        [event_of(event, Place(f"log {n}", at)) for at, event in enumerate(log, 1)] for n, log in enumerate(logs)
    ]
    return follower.follow("logs", parts, last=None)


def test_a_sample_of_the_attack(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(depth, "WIDTH", 2)
    seen = Counter[str]()
    for seed in range(SPECS):
        attack = Attack(seed, tmp_path)
        attack.run(cli=seed % 10 == 0)
        seen += attack.seen
    assert seen["FOLLOWS"] > 35 and seen["DEVIATES"] > 30 and seen["several logs"] > 25, seen
    assert seen["reasons"] > 100 and seen["command line"] == 2, seen


def test_the_behaviour_that_is_told_keeps_what_each_event_says(tmp_path: Path) -> None:
    """Two logs draw at the same time: the last draw of the behaviour must be the one of the event that it names."""
    answer = followed(tmp_path, COUNTER, Order(), [{"action": "draw", "after": {"n": 1}}], [{"action": "draw"}])
    assert answer.behaviour is not None
    drawn = [step.state.n for step in answer.behaviour.trace.steps]
    assert list(map(str, answer.behaviour.events)) == ["draw(), with n = 1 after it", "draw()"] and drawn[0] == 1


def test_the_clock_of_a_later_event_orders_those_before_it(tmp_path: Path) -> None:
    """The first log has an event without a time, and then one that is earlier than that of the second log."""
    a: list[Any] = [{"action": "add", "arguments": {"by": 1}}, {"before": {"n": 1}, "time": 1.0}]
    b: list[Any] = [{"action": "add", "arguments": {"by": 2}, "time": 2.0}]
    assert followed(tmp_path, COUNTER, Order(True), a, b).verdict == "FOLLOWS"
    a[1] = {"before": {"n": 3}, "time": 1.0}
    answer = followed(tmp_path, COUNTER, Order(True), a, b)
    assert (answer.verdict, answer.events) == ("DEVIATES", 1)
    assert answer.why is not None and [str(each.event.place) for each in answer.why.refused] == ["log 0, line 2"]
    assert followed(tmp_path, COUNTER, Order(True, 1.0), a, b).verdict == "FOLLOWS"


def test_a_clock_that_goes_back_within_its_skew_orders_other_logs(tmp_path: Path) -> None:
    a: list[Any] = [{"action": "add", "arguments": {"by": 1}, "time": 5.0}, {"before": {"n": 3}, "time": 4.5}]
    b: list[Any] = [{"action": "add", "arguments": {"by": 2}, "time": 5.25}]
    assert followed(tmp_path, COUNTER, Order(True, 0.5), a, b).verdict == "DEVIATES"
    b[0]["time"] = 5.0
    assert followed(tmp_path, COUNTER, Order(True, 0.5), a, b).verdict == "FOLLOWS"


def test_what_an_action_constraint_leaves_out_is_told(tmp_path: Path) -> None:
    log = [{"action": "add", "arguments": {"by": 1}}, {"action": "add", "arguments": {"by": 2}}]
    assert followed(tmp_path, COUNTER, Order(), log).verdict == "FOLLOWS"
    answer = followed(tmp_path, COUNTER + BOUNDED, Order(), log)
    assert (answer.verdict, answer.events) == ("DEVIATES", 1) and answer.why is not None
    assert answer.why.refused[0].reasons == (("add(by=2) is excluded by the action constraint slowly", 1),)


SETS = """
from everystate.checker import Int, Set, Spec, action


class Generated(Spec):
    def variables(self):
        self.members = Set(range(12))

    @action(i=range(12))
    def add(self, i):
        self.members.add(i)

    def those(self):
        return self.members

    def halves(self):
        return {"low": {i for i in range(6) if i in self.members}, "high": [self.members]}
"""


def test_the_set_that_a_method_gives_has_no_order(tmp_path: Path) -> None:
    """Nor have those within what it gives, and as a value of a variable it may name one twice."""
    begin: list[Any] = [{"action": "add", "arguments": {"i": i}} for i in (2, 10)]
    for said in ([10, 2], [2, 10], [2, 10, 2]):
        told = {"members": said, "those()": said, "halves()": {"low": [2], "high": [said]}}
        assert followed(tmp_path, SETS, Order(), [*begin, {"after": told}]).verdict == "FOLLOWS"
    answer = followed(tmp_path, SETS, Order(), [*begin, {"after": {"those()": [2, True]}}])
    assert answer.why is not None
    assert answer.why.refused[0].reasons == (("those() is [2, 10], the log says [2, true]", 1),)
