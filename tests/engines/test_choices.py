"""What may be chosen, and what a choice costs: as many steps of Python as there are alternatives, not timed."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from everystate.checker import (
    Array,
    Bool,
    Constant,
    Int,
    Map,
    Option,
    Record,
    Seq,
    Spec,
    action,
    choose,
    invariant,
    require,
)
from everystate.checker.engines.explicit import exhaustive, python
from everystate.checker.errors import EverystateError
from everystate.checker.frontend import choices
from everystate.checker.frontend.model import build
from everystate.checker.ir.tree import nodes
from everystate.checker.language.domains import options


class Chooser(Spec):
    """Goes to any of n places."""

    n = Constant(10)
    listed = Constant(False)

    def variables(self) -> None:
        self.at = Int(0, self.n)

    @action
    def go(self) -> None:
        to = choose(list(range(self.n)) if self.listed else range(self.n))
        require(self.at != 0)
        self.at = to


@pytest.mark.parametrize("listed", [False, True])
def test_tracing_a_choice_is_linear(listed: bool, calls: Callable[[Callable[[], Any]], int]) -> None:
    def built(n: int) -> object:
        return build(Chooser(n=n, listed=listed))

    few, many = (calls(partial(built, n)) for n in (100, 400))
    assert many < 5 * few


def test_a_choice_has_each_alternative_once() -> None:
    [traced] = build(Chooser(n=500)).actions
    assert sum(1 for _ in nodes(traced.tree)) == 1 + 2 * 500 + 500


class Worker(Record):
    busy = Bool()


class Pool(Spec):
    """A worker is chosen, and begins to work."""

    of = Constant("workers")
    may_terminate = True

    def variables(self) -> None:
        self.workers = Array(2, Worker)
        self.crowd = Seq(Worker, 2, init=[Worker(busy=False), Worker(busy=False)])
        self.by_name = Map(["ann", "bob"], Worker)
        self.maybe: Any = Seq(Option(Worker), 3, init=[None, Worker(busy=False), Worker(busy=False)])
        self.a, self.b = Seq(Int(0, 1), 2, init=[1]), Seq(Int(0, 1), 2, init=[1])

    @action
    def start(self) -> None:
        if self.of == "queues":
            channel = choose([self.a, self.b])
            require(channel)
            channel.popleft()
            return
        given: dict[str, Callable[[], Any]] = {
            "workers": lambda: self.workers,
            "elements": lambda: [self.workers[0], self.workers[1]],
            "copy": lambda: list(self.crowd),
            "crowd": lambda: self.crowd,
            "values": lambda: self.by_name.values(),
            "maybe": lambda: self.maybe,
        }
        worker = choose(given[self.of]())
        require(worker is not None)
        require(not worker.busy)
        worker.busy = True

    @invariant
    def the_second_never_goes_first(self) -> bool:
        places = [
            (self.workers[0].busy, self.workers[1].busy),
            (self.crowd[0].busy, self.crowd[1].busy),
            (self.by_name["ann"].busy, self.by_name["bob"].busy),
            (self.maybe[1].busy, self.maybe[2].busy),
            (len(self.a) == 0, len(self.b) == 0),
        ]
        return not any(second and not first for first, second in places)


@pytest.mark.parametrize("of", ["workers", "elements", "copy", "crowd", "values", "maybe", "queues"])
def test_each_reference_is_an_alternative_however_equal_they_are(of: str) -> None:
    results = exhaustive.check(build(Pool(of=of))), python.check(Pool(of=of))
    for result in results:
        [found] = result.violations
        assert found.trace is not None
        assert (result.distinct, result.generated, result.depth, len(found.trace.steps)) == (4, 5, 3, 1)


class Picks(Spec):
    """Chooses among equal values."""

    of = Constant("numbers")
    may_terminate = True

    def variables(self) -> None:
        self.n, self.on = Int(0, 3), Bool()
        self.queue = Seq(Int(0, 3), 3, init=[2, 1, 2])

    @action
    def pick(self) -> None:
        require(self.n == 0)
        given: dict[str, Callable[[], Any]] = {
            "numbers": lambda: [2, 2, 1],
            "queue": lambda: self.queue,
            "copy": lambda: list(self.queue),
            "pairs": lambda: [(2, 0), (1, 0), (2, 0)],
            "kinds": lambda: [1, True, 1],
        }
        value = choose(given[self.of]())
        if self.of == "kinds":
            self.on = not isinstance(value, bool)
            value = value + self.on
        self.n = value[0] if self.of == "pairs" else value


@pytest.mark.parametrize("of", ["numbers", "queue", "copy", "pairs", "kinds"])
def test_equal_values_of_one_class_count_once(of: str) -> None:
    for result in exhaustive.check(build(Picks(of=of))), python.check(Picks(of=of)):
        assert (result.distinct, result.generated, result.depth) == (3, 3, 2)


@pytest.mark.parametrize("of", ["workers", "queues"])
def test_a_lost_alternative_is_found_by_plain_python(of: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """the rule for what is an alternative is the tracer's alone"""
    monkeypatch.setattr(choices, "options", lambda given, references=False: options(given))
    monkeypatch.setattr(choices, "unchanging", lambda value: True)
    with pytest.raises(EverystateError, match="E217"):
        exhaustive.check(build(Pool(of=of)))
