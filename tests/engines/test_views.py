"""Views: whatever one returns, two states are taken for one exactly where the values are equal."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from everystate.checker import Array, Int, Map, Option, Record, Seq, Set, Spec, action, constraint, invariant, view
from everystate.checker.engines.explicit import exhaustive, python
from everystate.checker.engines.limits import Limits
from everystate.checker.engines.sampling.walk import walk
from everystate.checker.engines.symbolic import inductive
from everystate.checker.engines.symbolic.search import Question
from everystate.checker.errors import EverystateError
from everystate.checker.frontend.model import build
from everystate.checker.results.verdict import Kind, Verdict

Engine = Callable[..., Any]


class Pair(Record):
    one: int
    other: int


class Base(Spec):
    """Every combination of two numbers is reachable."""

    may_terminate = True

    def variables(self) -> None:
        self.a = Int(0, 3)
        self.b = Int(0, 3)
        self.pair = Map(["x", "y"], Int(0, 1))
        self.maybe = Option(Int(0, 1))
        self.queue = Seq(Int(0, 1), 2)
        self.members = Set(Int(0, 2))
        self.cells = Array(2, Int(0, 1))

    @action(v=range(4))
    def first(self, v: int) -> None:
        self.a = v

    @action(v=range(4))
    def second(self, v: int) -> None:
        self.b = v

    @action(v=range(2))
    def third(self, v: int) -> None:
        self.pair["y"] = v
        self.maybe = None if self.pair["y"] == 0 else v

    @action(v=range(2))
    def fourth(self, v: int) -> None:
        self.queue = [v] if self.b < 2 else [v, 0]
        self.members = {v}
        self.cells[1] = v


VIEWS: dict[str, tuple[Callable[[Any], Any], int]] = {
    "a dict": (lambda self: {"a": self.a, "b": self.b}, 16),
    "the values of a map": (lambda self: self.pair.values(), 2),
    "the items of a map": (lambda self: (list(self.pair.items()), self.a), 8),
    "a text": (lambda self: ("low" if self.a < 2 else "high", self.b), 8),
    "a number or nothing": (lambda self: self.a if self.b == 3 else None, 5),
    "an option": (lambda self: self.maybe, 2),
    "a short list or a long one": (lambda self: [self.a] if self.b < 2 else [self.b, self.a], 12),
    "what is nested": (lambda self: {"q": (self.queue, {"s": self.members}), "c": [self.cells[1], self.b]}, 20),
    "a slice": (lambda self: (self.b, self.queue[1:]), 8),
    "a new record": (lambda self: Pair(one=self.a // 2, other=(self.b, None)), 8),
    "a set of Python": (lambda self: {self.a, self.b}, 10),
    "a number as a key": (lambda self: {self.a: self.b // 2}, 8),
    "a range": (lambda self: range(self.a), 4),
    "nothing that changes": (lambda self: ("always", None, 3), 1),
    "a boolean here and a number there": (lambda self: (self.b, self.a == 1 if self.b == 0 else self.a), 14),
}


def viewed(returned: Callable[[Any], Any]) -> Spec:
    """The spec with a view."""

    class Viewed(Base):
        @view
        def seen(self) -> Any:
            return returned(self)

    return Viewed()


@pytest.mark.parametrize("name", VIEWS)
def test_states_are_told_apart_by(name: str, check: Engine) -> None:
    """the number of different values over all reachable states, which are visited as long as the view keeps all"""
    returned, distinct = VIEWS[name]
    assert check(viewed(returned)).distinct == distinct


def test_a_dict_hides_no_violation(check: Engine) -> None:
    class Hidden(Base):
        @view
        def seen(self) -> Any:
            return {"a": self.a, "b": self.b}

        @invariant
        def small(self) -> bool:
            """b stays below 3"""
            return self.b < 3

    result = check(Hidden())
    assert [(v.property, v.trace and len(v.trace.steps)) for v in result.violations] == [("small", 1)]


@pytest.mark.parametrize("engine", ["native", "python"])
@pytest.mark.parametrize("returned", [lambda self: (v for v in (self.a, self.b)), lambda self: 1.5, lambda self: self])
def test_what_identifies_nothing_is_refused(returned: Callable[[Any], Any], engine: str) -> None:
    with pytest.raises(EverystateError, match="E226") as found:
        spec = viewed(returned)
        python.check(spec) if engine == "python" else build(spec)
    assert found.value.where is not None and found.value.where.function == "seen"


def test_a_view_that_fails_is_a_violation(check: Engine) -> None:
    class Fails(Base):
        @view
        def seen(self) -> Any:
            """which part b is of 6"""
            return 6 // (self.b - 2), self.a

    result = check(Fails())
    assert result.verdict is Verdict.VIOLATED
    found = result.violations[0]
    assert (found.property, found.kind, found.error and found.error.code) == ("seen", Kind.PROPERTY_ERROR, "E306")
    assert found.trace is not None and len(found.trace.steps) == 1
    assert result.distinct == 13


def test_a_state_in_which_the_view_fails_is_none_of_those_before(check: Engine) -> None:
    """the least value of a failed expression equals that of the initial state"""

    class Fails(Base):
        @view
        def seen(self) -> Any:
            return self.cells[self.b] if self.b else 0

    result = check(Fails())
    assert [(v.property, v.error and v.error.code) for v in result.violations] == [("seen", "E303")]


@pytest.mark.parametrize("workers", [1, 2])
def test_a_state_outside_a_constraint_may_look_like_one_inside(workers: int) -> None:
    """in machine code it is cut off, and no state that was known"""

    class Halves(Spec):
        may_terminate = True

        def variables(self) -> None:
            self.a = Int(0, 3)
            self.b = Int(0, 3)

        @action(v=range(4))
        def first(self, v: int) -> None:
            self.a = v

        @action(v=range(4), w=range(4))
        def both(self, v: int, w: int) -> None:
            self.a, self.b = v, w

        @view
        def seen(self) -> Any:
            return self.a

        @constraint
        def small(self) -> bool:
            return self.b < 3

    result = exhaustive.check(build(Halves()), Limits(workers=workers))
    assert (result.distinct, result.generated) == (4, 81)
    assert any("pruned 16 successors;" in w for w in result.warnings)


def test_only_an_engine_that_merges_states_names_the_view(check: Engine) -> None:
    """a walk and a proof distinguish all states"""
    spec = viewed(lambda self: self.a)
    assert check(spec).conditions.views == ("seen",)
    assert walk(spec, 1, 2, seed=1).conditions.views == ()
    assert inductive.prove(build(spec), Question(0, seconds=60)).result.conditions.views == ()
