"""Wrong machine code is noticed while a log is followed, whatever would be the answer."""

from __future__ import annotations

import pytest

from everystate.checker.errors import EverystateError
from everystate.checker.follow.answer import DEVIATES, FOLLOWS, Follower
from everystate.checker.follow.candidates import UnseenActions
from everystate.checker.follow.events import Event, Place
from everystate.checker.follow.sources import Order
from everystate.checker.frontend.model import build
from tests.planted import PLANTED, Everything


def log(*actions: str) -> list[Event]:
    return [Event(Place("log", number + 1), (action,)) for number, action in enumerate(actions)]


@pytest.mark.parametrize("name", ["an assignment", "a guard", "an error of an action"])
def test_what_is_planted_in_a_step_is_found(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """the log goes through the state in which the code is wrong, as a behaviour of the spec does"""
    monkeypatch.setenv("EVERYSTATE_CROSS_CHECK", "1000")
    spec, planting, where, said = PLANTED[name]
    follower = Follower(planting(build(spec())), "planted", UnseenActions(), Order())
    with pytest.raises(EverystateError) as found:
        follower.follow("log", [log(*["up"] * 9)])
    assert found.value.code == "E217", found.value
    assert where in found.value.what and said in found.value.what


def test_every_state_of_a_short_log_is_cross_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EVERYSTATE_CROSS_CHECK", "1000")
    follower = Follower(build(Everything()), "everything", UnseenActions(), Order())
    followed = follower.follow("log", [log(*["up"] * 9)])
    assert (followed.verdict, followed.cross_checked) == (FOLLOWS, 10)
    refused = follower.follow("log", [log(*["up"] * 10)])
    assert (refused.verdict, refused.events, refused.cross_checked) == (DEVIATES, 9, 10)


ASKED: list[int] = []


def counting(spec: Everything) -> bool:
    """Not a condition on the state."""
    ASKED.append(1)
    return spec.n == len(ASKED)


def test_what_an_event_calls_is_asked_once_more() -> None:
    """it may know more than the state: the log followed where nothing else was asked in between"""
    ASKED.clear()
    observed = [Event(Place("log", n), ("up",), after={"counting()": True}) for n in (1, 2)]
    follower = Follower(build(Everything()), "everything", UnseenActions(), Order(), observes={"counting": counting})
    with pytest.raises(EverystateError, match=r"E232 counting\(\) is not part of the state: evaluated again") as found:
        follower.follow("log", [observed])
    assert found.value.where is not None and found.value.where.function == "counting"


def adding(spec: Everything) -> int:
    spec.n += 1
    return int(spec.n)


def test_what_an_event_calls_changes_no_state() -> None:
    """it changed a copy, and the log followed: what was meant by it nobody knows"""
    observed = [Event(Place("log", 1), ("up",), after={"adding()": 2})]
    follower = Follower(build(Everything()), "everything", UnseenActions(), Order(), observes={"adding": adding})
    with pytest.raises(EverystateError, match=r"E232 adding\(\) is not part of the state: what an event calls looks"):
        follower.follow("log", [observed])
