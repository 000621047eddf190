"""The counts of a search add up, or it gives no verdict (E505), also where the cross-check looks at one state only."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from everystate.checker import Int, Spec, action, constraint, eventually, fair, invariant, require
from everystate.checker.backends.native import insertion
from everystate.checker.backends.native.interface import NO_NODE
from everystate.checker.engines.expansion import Expansion
from everystate.checker.engines.explicit import exhaustive, python, store
from everystate.checker.engines.limits import Limits
from everystate.checker.engines.temporal import graph
from everystate.checker.errors import EverystateError
from everystate.checker.frontend import model
from tests.plain import miscount


class Ways(Spec):
    """Each state has three predecessors, so that none is missed where one of them is passed over."""

    def variables(self) -> None:
        self.n = Int(0, 4999)

    @fair
    @action(by=(1, 60, 70))
    def go(self, by: int) -> None:
        self.n = (self.n + by) % 5000

    @invariant
    def small(self) -> bool:
        return self.n < 5000


class Bounded(Ways):
    @constraint
    def low(self) -> bool:
        return self.n < 4000


class Promised(Ways):
    @eventually
    def seven(self) -> bool:
        """seven is met"""
        return self.n == 7


class Twelve(Spec):
    may_terminate = True

    def variables(self) -> None:
        self.n = Int(0, 11)

    @action(by=(1, 2))
    def go(self, by: int) -> None:
        require(self.n + by < 12)
        self.n += by


def refused(said: str, cls: type[Spec] = Ways, limits: Limits | None = None) -> None:
    with pytest.raises(EverystateError, match="E505") as found:
        exhaustive.check(model.build(cls()), limits or Limits(cross_check=1))
    assert found.value.what == f"the counters of the search of {cls.__name__} do not add up: {said}"


@pytest.mark.parametrize(
    ("cls", "limits"),
    [
        (Ways, Limits()),
        (Ways, Limits(workers=2)),
        (Ways, Limits(max_states=2000)),
        (Bounded, Limits(workers=2)),
        (Promised, Limits()),
        (Twelve, Limits()),
    ],
)
def test_a_search_adds_up(cls: type[Spec], limits: Limits) -> None:
    exhaustive.check(model.build(cls()), limits)


@pytest.mark.parametrize("workers", [1, 2])
def test_a_state_that_is_passed_over_is_noticed(workers: int, monkeypatch: pytest.MonkeyPatch) -> None:
    plain, levels = store.shares, list[int]()

    def shares(ranges: Any, *given: Any) -> Any:
        levels.append(sum(end - start for start, end in ranges))
        (start, end), *others = ranges
        return plain([(start + (len(levels) == 20), end), *others], *given)

    monkeypatch.setattr(exhaustive, "shares", shares)
    refused("5,000 states were to be expanded, and 4,999 were", limits=Limits(workers=workers, cross_check=1))


def test_a_state_that_is_expanded_twice_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    plain = store.shares
    monkeypatch.setattr(exhaustive, "shares", lambda ranges, *given: plain([ranges[0], *ranges], *given))
    with pytest.raises(EverystateError, match=r"E505 .*: 5,000 states were to be expanded, and [0-9,]{5,} were"):
        exhaustive.check(model.build(Ways()), Limits(cross_check=1))


def test_a_successor_that_is_not_stored_is_noticed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("EVERYSTATE_CACHE", str(tmp_path))
    plain = insertion.Insertion._put

    def put(self: Any, fn: Any, context: Any, state: tuple[list[Any], list[Any]], *given: Any) -> None:
        with fn.if_(fn.b.icmp_unsigned("!=", state[0][0], fn.const(4999))):
            plain(self, fn, context, state, *given)

    monkeypatch.setattr(insertion.Insertion, "_put", put)
    refused("14,998 states were generated, and 14,995 arrived")


@pytest.mark.parametrize(
    ("counter", "said"),
    [
        (lambda c: c.generated, "15,001 successors, and 15,000 steps of actions"),
        (lambda c: c.taken(0), "15,000 successors, and 15,001 steps of actions"),
        (lambda c: c.first(0), "5,000 states are stored, and 5,001 were new"),
        (lambda c: c.outside, "15,001 states were generated, and 15,002 arrived"),
        (lambda c: c.expanded, "5,000 states were to be expanded, and 5,001 were"),
    ],
)
def test_what_is_counted_too_much_is_noticed(
    counter: Callable[[Any], int], said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    miscount(counter, monkeypatch)
    refused(said)


def test_a_step_that_the_graph_lacks_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    plain = graph.Numbers.of

    def of(self: Any, rows: Any) -> Any:
        found = plain(self, rows)
        found[(rows == 8).all(axis=1)] = NO_NODE
        return found

    monkeypatch.setattr(graph.Numbers, "of", of)
    refused("15,000 steps, 0 of them to the outside, and in the graph of all steps 15,000 and 3", Promised)


def test_a_block_that_the_graph_lacks_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    plain = Expansion.expand_instances
    monkeypatch.setattr(Expansion, "expand_instances", lambda self, block: plain(self, block[: max(1, len(block) - 1)]))
    message = "E505 the counters of the search of Promised do not add up: 15,000 steps"
    with pytest.raises(EverystateError, match=re.escape(message)):
        exhaustive.check(model.build(Promised()), Limits(cross_check=1))


def test_plain_python_passes_over_no_state(monkeypatch: pytest.MonkeyPatch) -> None:
    plain = python.Search._expand

    def expand(self: Any, state: Any, *given: Any) -> None:
        if state.n != 5:
            plain(self, state, *given)

    monkeypatch.setattr(python.Search, "_expand", expand)
    with pytest.raises(EverystateError, match=r"E505 .* do not add up: 12 states were to be expanded, and 11 were"):
        python.check(Twelve())
