"""Narration that depends on a condition, of actions and of properties."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from everystate.checker import Array, Int, Spec, action, display, invariant, narrate, require
from everystate.checker.engines.explicit.exhaustive import check
from everystate.checker.errors import EverystateError
from everystate.checker.frontend.model import build
from everystate.counterexamples import diagram_of


class Post(Spec):
    """Three letters, of which the second is late."""

    def variables(self) -> None:
        self.sent = Int(0, 3)
        self.late = Int(0, 1)

    @action
    def send(self) -> None:
        require(self.sent < 3)
        narrate(lambda: f"letter {self.sent}" if self.sent == 1 else "", at="Ann")
        self.sent += 1
        self.late = self.sent // 2 % 2

    @invariant
    def on_time(self) -> bool:
        """no letter is late"""
        late = self.late == 1
        narrate(lambda: f"letter {self.sent} is late" if late else "")
        return not late


def test_an_empty_text_tells_nothing() -> None:
    steps = [step for state in Post().initial_states() for step in Post().successors(state)]
    assert [step.narration for step in steps] == [()]


def test_a_text_that_is_a_function_is_called_when_the_story_is_told() -> None:
    trace = check(build(Post())).violations[0].trace
    assert trace is not None
    assert [[event["text"] for event in step.narration] for step in trace.steps] == [[], ["letter 1"]]


def test_a_property_says_what_is_broken() -> None:
    trace = check(build(Post())).violations[0].trace
    assert trace is not None and trace.witness["in words"] == "letter 2 is late"
    assert diagram_of(trace).broken == ("Invariant on_time violated: letter 2 is late", "expected: no letter is late")


class Grid(Spec):
    """Numbers that grow to 1."""

    def variables(self) -> None:
        self.rows = Array(3, Int(0, 1))

    @action(i=range(3))
    def up(self, i: int) -> None:
        require(self.rows[i] == 0 and all(self.rows[j] == 1 for j in range(i)))
        self.rows[i] = 1

    def low(self, limit: int) -> bool:
        return not any(self.rows[j] == 1 for j in range(1, limit))

    @invariant
    def small(self) -> bool:
        return all(self.low(limit) or any(n == 2 for n in range(2)) for limit in (1, 3))


def test_a_trace_shows_which_elements_decided_any_and_all() -> None:
    trace = check(build(Grid())).violations[0].trace
    assert trace is not None and list(trace.witness.items()) == [("rows", "[1, 1, 0]"), ("limit", 3), ("j", 1)]


class Strange(Spec):
    """Whatever is given for a text."""

    def variables(self) -> None:
        self.sent = Int(0, 1)

    @action
    def send(self) -> None:
        given: Any = [1]
        narrate(given, at=given, source=lambda: 1)  # type: ignore[arg-type]
        narrate(lambda: (n for n in given))  # type: ignore[arg-type, return-value]
        narrate(lambda: 1 // (self.sent - self.sent))  # type: ignore[arg-type, return-value]
        self.sent = 1

    @invariant
    def waits(self) -> bool:
        return self.sent == 0


def test_whatever_is_told_is_a_text() -> None:
    """a generator in a report as JSON was told to be our mistake (E503)"""
    trace = check(build(Strange())).violations[0].trace
    assert trace is not None
    first, second, third = json.loads(json.dumps(trace.steps[0].narration))
    assert (first["text"], first["at"], first["source"][:9]) == ("[1]", "[1]", "<function")
    assert second["text"].startswith("<generator") and third["text"].startswith("(no text: ")


class Drawn(Spec):
    """A state that is drawn as the class says."""

    drawn: Callable[[int], Any]

    def variables(self) -> None:
        self.n = Int(0, 1)

    @action
    def up(self) -> None:
        self.n = 1

    @display
    def tables(self) -> Any:
        return type(self).drawn(self.n)


@pytest.mark.parametrize(
    ("drawn", "told"),
    [
        (lambda n: n, "returned 0, which"),
        (lambda n: None, "returned None, which"),
        (lambda n: "text", "returned 'text', which"),
        (lambda n: [{"n": n}], r"returned \[{'n': 0}\], which"),
        (lambda n: {n: []}, r"returned {0: \[\]}, which"),
        (lambda n: {"n": n}, "returned 0 for a table, which"),
        (lambda n: {"n": "text"}, "returned 'text' for a table, which"),
        (lambda n: {"n": [n]}, "returned 0 for a row, which"),
        (lambda n: {"n": [{None: n}]}, "returned {None: 0} for a row, which"),
        (lambda n: {"n": {"m": {"l": []}}}, r"returned {.l.: \[\]} for a table, which"),
    ],
)
def test_what_is_drawn_are_tables(drawn: Callable[[int], Any], told: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """anything else was told to be our mistake (E503)"""
    monkeypatch.setattr(Drawn, "drawn", drawn, raising=False)
    with pytest.raises(EverystateError, match=f"E225 the display tables {told} is not a table"):
        Drawn()._shown(Drawn().initial_states()[0])


def test_tables_may_be_made_as_they_are_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    rows: Any = {"a": ({"n": k} for k in (1, 2)), "b": {"c": ({0: n} for n in "x")}}
    monkeypatch.setattr(Drawn, "drawn", lambda n: rows, raising=False)
    assert Drawn()._shown(Drawn().initial_states()[0]) == {"a": [{"n": 1}, {"n": 2}], "b": {"c": [{0: "x"}]}}
