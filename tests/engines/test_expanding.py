"""States of large models are expanded by the block: each has the steps that it has alone."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
import pytest

from everystate.checker import Array, Int, Spec, action, choose, eventually, require
from everystate.checker.backends.native import expanding, interface
from everystate.checker.backends.native.assembly import emit
from everystate.checker.backends.native.compile import load
from everystate.checker.backends.native.interface import batch_size
from everystate.checker.backends.native.program import Program
from everystate.checker.engines.explicit import exhaustive
from everystate.checker.engines.limits import Limits
from everystate.checker.frontend import model
from everystate.checker.ir.expr import Pool
from everystate.checker.ir.tree import Branch, Choice, Disabled, Update
from everystate.specs.idem_producer import IdempotentProducer

from .compressed_and_whole import facts, random_states, same

STATES = 2 * interface.BLOCK + 3


class Forked(Spec):
    """Guards behind conditions with steps on both sides, choices, errors, and states without a step."""

    def variables(self) -> None:
        self.row = Array(3, Int(0, 3))
        self.at, self.left = Int(0, 2), Int(0, 6)

    @action
    def move(self) -> None:
        require(self.left > 0)
        to = choose(range(3))
        if self.row[to] > 1:
            require(self.at != to)
            self.left -= 2
        elif self.row[self.at] == 0:
            require(self.left > 3)
            self.row[to] += choose(range(1, 3))
        else:
            self.row[self.at] += self.left % 3
        self.at = to


class Crowd(Spec):
    """16 instances, so it is large: each of two counters is set to each of eight values."""

    def variables(self) -> None:
        self.values = Array(2, Int(0, 7))

    @action(which=range(2), value=range(8))
    def assign(self, which: int, value: int) -> None:
        require(self.values[which] < value)
        self.values[which] = value


class AwaitedCrowd(Crowd):
    """With a temporal property, so instances are distinguished."""

    @eventually
    def both_are_full(self) -> object:
        return self.values[0] + self.values[1] == 14


class Code:
    """The machine code of a spec, not optimised."""

    def __init__(self, spec: Spec) -> None:
        self.program = Program(model.build(spec))
        self.engine = load(emit(self.program), quick=True)
        self.states = random_states(self.program.model.layout, STATES, 3)

    def expanded(self, name: str, size: int) -> tuple[Any, Any]:
        """(source, action, successor)s of the states, state by state, and the counters; so many states at once."""
        number, pointer = ctypes.c_uint64, ctypes.c_void_p
        kind = ctypes.CFUNCTYPE(number, pointer, number, pointer, pointer, pointer, pointer)
        function = kind(self.engine.get_function_address(name))
        room, rows = size * self.program.most_successors, []
        out, actions = np.zeros((room, self.program.words), np.uint64), np.zeros(room, np.uint16)
        sources, counters = np.zeros(room, np.uint32), np.zeros(self.program.counters.room, np.uint64)
        given = [array.ctypes.data for array in (out, actions, sources, counters)]
        for start in range(0, STATES, size):
            block = self.states[start : start + size]
            count = function(block.ctypes.data, len(block), *given)
            rows.append(np.column_stack([sources[:count] + np.uint32(start), actions[:count], out[:count]]))
        found = np.concatenate(rows)
        return found[np.argsort(found[:, 0], kind="stable")].tolist(), counters[: self.program.counters.size].tolist()


@pytest.mark.parametrize("spec", [Forked(), IdempotentProducer()])
def test_a_block_has_the_steps_of_its_states(spec: Spec, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(interface, "MANY", 1)
    code = Code(spec)
    steps, counters = alone = code.expanded("expand", 1)
    assert [code.expanded("expand_block", size) for size in (1, 7, 64, 100, interface.BLOCK)] == [alone] * 5
    counts = code.program.counters
    assert counters[counts.expanded] == STATES
    assert counters[counts.generated] == len(steps) > STATES // 2
    assert 0 < counters[counts.deadlocks] < STATES
    assert counters[counts.faults] > 0


def test_a_block_has_the_steps_of_each_instance(monkeypatch: pytest.MonkeyPatch) -> None:
    large = Code(AwaitedCrowd()).expanded("expand_instances", interface.BLOCK)[0]
    monkeypatch.setattr(interface, "MANY", 17)
    assert large == Code(AwaitedCrowd()).expanded("expand_instances", 1)[0]
    assert {action for _, action, *_ in large} == {*range(16)} - {0, 8}


@pytest.mark.parametrize("workers", [1, 2])
def test_a_search_by_the_block_finds_the_same(workers: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """counts, coverage and the states of the trace, also of compressed states and with few states in a chunk"""
    traced = model.build(IdempotentProducer(batches=7, max_in_flight=6, max_sends=3, resets=2))
    before = facts(exhaustive.check(traced))
    assert before[1] == 41_450
    monkeypatch.setattr(interface, "MANY", 1)
    monkeypatch.setattr(exhaustive, "CHUNK", 300)
    same(traced, workers)
    assert facts(exhaustive.check(traced, Limits(workers=workers))) == before


def test_models_with_many_instances_are_large() -> None:
    crowd, producer = Code(Crowd()), Code(IdempotentProducer())
    assert (crowd.program.instances, producer.program.instances) == (16, 5)
    assert (batch_size(crowd.program), batch_size(producer.program)) == (interface.BLOCK, 64)
    assert crowd.expanded("expand_block", interface.BLOCK) == crowd.expanded("expand", 1)
    assert not producer.engine.get_function_address("expand_block")
    assert exhaustive.check(crowd.program.model).distinct == 64


def test_where_a_tree_may_have_a_step() -> None:
    pool = Pool()
    a, b, c, d = (pool.var(cell, 0, 1, True) for cell in range(4))
    no, step = Disabled(None), Update(())
    assert expanding.possible(pool, no) is pool.false
    assert expanding.possible(pool, step) is pool.true
    assert expanding.possible(pool, Branch(a, Branch(b, no, step), no)) is pool.and_([a, pool.not_(b)])
    assert expanding.possible(pool, Choice((0, 1), (Branch(a, step, no), Branch(b, step, no)))) is pool.or_([a, b])
    fork = Branch(a, Branch(b, step, no), Branch(c, Branch(d, step, no), step))
    assert expanding.possible(pool, fork, 0) is pool.true
    assert expanding.possible(pool, fork, 1) is pool.ite(a, b, pool.true)
    assert expanding.possible(pool, fork, 2) is pool.ite(a, b, pool.ite(c, d, pool.true))
