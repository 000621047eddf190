"""Watches that are evaluated on many states at once count what they count state by state."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest

from everystate.checker import Array, Int, Spec, action, invariant, reachable, require
from everystate.checker.backends.native import watching
from everystate.checker.backends.native.assembly import emit
from everystate.checker.backends.native.compile import Compiled, load
from everystate.checker.backends.native.program import Program
from everystate.checker.engines.explicit import exhaustive
from everystate.checker.engines.explicit.store import Store
from everystate.checker.engines.explicit.worker import NO_ACTION, Worker
from everystate.checker.frontend import model
from everystate.specs.idem_producer import IdempotentProducer

from .compressed_and_whole import facts, random_states

STATES = 1500
"""More than are watched at once, and no multiple of a vector."""


class Wide(Spec):
    """Every operator of a condition: sums, products, remainders, counts, positions that vary, truths."""

    def variables(self) -> None:
        self.row = Array(6, Int(-3, 4))
        self.at, self.big = Int(0, 5), Int(0, 1 << 40)

    @action
    def move(self) -> None:
        require(self.at < 5)
        self.at += 1

    @action
    def raise_one(self) -> None:
        require(self.row[self.at] < 4)
        self.row[self.at] += 1
        self.big = self.row[0] * self.row[0] + 7

    @invariant
    def small(self) -> bool:
        return self.row[self.at] * self.at - self.row[5] < 9

    @invariant
    def different(self) -> bool:
        below = (self.row[2] - 5) % 3 == 1
        return any(self.row[i] != self.row[i + 1] for i in range(5)) or self.big % 5 > 1 or below

    @reachable
    def high(self) -> bool:
        return all(item > 0 for item in self.row) and self.big // 3 > self.row.count(4)

    @reachable
    def some_sign(self) -> bool:
        divisor = -1 if self.row[3] == 0 else self.row[3]
        return (self.row[0] > 0) == (self.row[1] > 0) and self.row[0] * 9 // divisor < self.row[4] % divisor


def counted(spec: Spec, states: Callable[[Any], Any]) -> Any:
    """The counters after some states were stored."""
    program = Program(model.build(spec))
    code = Compiled(program, load(emit(program), quick=True))
    store = Store(code, 1 << 30)
    worker = Worker(store)
    worker.begin(1)
    worker.set("always", (1 << len(program.state_groups)) - 1)
    given = states(program.model.layout)
    assert worker.receive(given, np.full(len(given), NO_ACTION, np.uint16)) == len(given)
    return worker.counters.tolist()


@pytest.mark.parametrize("spec", [Wide(), IdempotentProducer(max_in_flight=6)])
def test_vectors_count_what_is_counted_state_by_state(spec: Spec, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watching, "WORTH", 1 << 30)
    drawn = partial(random_states, number=STATES, seed=5)
    one_by_one = counted(spec, drawn)
    monkeypatch.setattr(watching, "WORTH", 0)
    assert counted(spec, drawn) == one_by_one
    assert sum(map(bool, one_by_one)) >= 4


def test_only_what_takes_long_is_evaluated_in_vectors() -> None:
    program = Program(model.build(Wide()))
    groups = [watching.terms_of(program.watches()[k].term for k in group.watches) for group in program.state_groups]
    assert max(groups) < watching.WORTH and "@watch(" not in emit(program).replace('"', "")


def test_watches_with_little_in_common_are_parted(monkeypatch: pytest.MonkeyPatch) -> None:
    """one that was violated is evaluated on every state, which the others of its group would be, too"""
    traced = model.build(IdempotentProducer(max_in_flight=6, resets=1))
    together, before = Program(traced), facts(exhaustive.check(traced))
    assert [group.watches for group in together.state_groups] == [(0, 1), (2, 3)]
    monkeypatch.setattr(f"{Program.__module__}.LONG", 0)
    assert [group.watches for group in Program(traced).state_groups] == [(0,), (1,), (2, 3)]
    assert facts(exhaustive.check(traced)) == before
