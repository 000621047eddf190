"""The tasks of a distributed search by themselves: what they give is a function of what they get."""

from __future__ import annotations

import hashlib
import itertools
import os
import random
import subprocess
import sys
from collections.abc import Generator, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

pytest.importorskip("pyspark")

from everystate.checker.backends.native import Program
from everystate.checker.engines.distributed import shards
from everystate.checker.engines.distributed.blocks import ANCHOR, COUNTS, STATES, STATS, SUCCESSORS, Row, batch, rows
from everystate.checker.engines.distributed.deduplication import Step, rebuild, settle
from everystate.checker.engines.distributed.expand import expand
from everystate.checker.engines.distributed.kernel import Kernel, kernel_of
from everystate.checker.engines.distributed.plan import Task, murmur3, routes
from everystate.checker.engines.distributed.run import packed
from everystate.checker.engines.distributed.stats import Mark, unpacked
from everystate.checker.engines.explicit.exhaustive import Exhaustive
from everystate.checker.engines.limits import Limits
from everystate.checker.errors import EverystateError
from everystate.checker.frontend import model
from everystate.specs.idem_producer import IdempotentProducer

NAMES = ("batches", "max_in_flight", "window", "max_sends", "resets", "bumps", "leader_changes")
NEW_RUN = itertools.count()


class Kept:
    """Stands for a broadcast variable and for an accumulator."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def add(self, term: Any) -> None:
        self.value.update(term)


@pytest.fixture(scope="module")
def search() -> Exhaustive:
    """13,022 states in 41 levels; levels 25 to 30 are used here."""
    constants = dict(zip(NAMES, (4, 3, 2, 4, 2, 2, 1), strict=True))
    found = Exhaustive(model.build(IdempotentProducer(**constants)), Limits())
    found.run()
    return found


@pytest.fixture(scope="module")
def kernel(search: Exhaustive) -> Kernel:
    return kernel_of(Program(search.model))


@pytest.fixture
def task(kernel: Kernel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Task:
    """Three partitions, blocks of 50 states."""
    monkeypatch.setenv("EVERYSTATE_SHARDS", str(tmp_path))
    return Task(f"run-{next(NEW_RUN)}", Kept(kernel), routes(3), 50, {}, Kept({}))


class Levels:
    """The stored levels up to a number, and what building the next one needs."""

    def __init__(self, search: Exhaustive, task: Task, number: int) -> None:
        self.task, self.number = task, number
        known = Exhaustive(search.model, Limits())
        known.store, known.levels, known.compiled = search.store, search.levels[:number], search.compiled
        self.rows, marks = packed(known, task)
        self.step = Step(number + 1, marks, 0, 0)

    def arriving(self, owner: int) -> list[Row]:
        """What a task of the next level gets: its mark, then successors and counts."""
        frontier = [batch(row, self.task.routes) for row in self.rows if row.level == self.number]
        found = [row for row in rows(expand(self.task, self.number + 1, frontier)) if row.owner == owner]
        return [Row(ANCHOR, owner, 0, owner, 0, 0, b""), *found]

    def history(self, owner: int) -> list[Row]:
        return [row for row in self.rows if row.owner == owner]


def called(function: Any, task: Task, step: Step, given: list[Row], *more: Any) -> list[Row]:
    batches = iter([batch(row, task.routes) for row in given])
    return [plain(row) for row in rows(function(task, step, *more, batches))]


def plain(row: Row) -> Row:
    return replace(row, payload=bytes(row.payload))


def rebuilt(levels: Levels, owner: int = 1) -> list[Row]:
    given = [*levels.arriving(owner), *levels.history(owner)]
    return called(rebuild, levels.task, levels.step, given, frozenset([owner]))


def test_owners_have_partitions_of_their_own_in_sparks_hash() -> None:
    assert [murmur3(n) for n in (0, 1, 2, -1 & 0xFFFFFFFF)] == [933211791, -559580957, 1765031574, -1604776387]
    for owners in (1, 2, 7, 100):
        assert [murmur3(route) % owners for route in routes(owners)] == list(range(owners))


@pytest.mark.parametrize("payload", [b"", b"states"])
def test_a_row_travels_as_it_is(payload: bytes) -> None:
    row = Row(COUNTS, 1, 2**31 - 1, 0, -(2**31), 2**40, payload)
    sent = batch(row, (0, -7))
    sent.validate(full=True)
    assert (sent.column("route").to_pylist(), list(rows([sent]))) == (
        [-7],
        [replace(row, payload=pa.py_buffer(payload))],
    )


def test_a_row_is_made_without_pandas() -> None:
    made = (
        "from everystate.checker.engines.distributed.blocks import Row, batch; batch(Row(0, 0, 1, 0, 0, 1, b''), (0,))"
    )
    line = f"import sys; {made}; print('pandas' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", line], capture_output=True, text=True).stdout == "False\n"


def test_a_partition_without_its_shard_gives_everything_back(search: Exhaustive, task: Task) -> None:
    levels = Levels(search, task, 25)
    given = levels.arriving(1)
    found = called(settle, task, levels.step, given)
    assert found[0].kind == ANCHOR
    assert sorted(map(repr, found[1:])) == sorted(repr(plain(row)) for row in given[1:])
    assert task.told.value == {(26, 1): None}


def test_all_partitions_together_find_the_next_level(search: Exhaustive, task: Task, kernel: Kernel) -> None:
    levels = Levels(search, task, 25)
    found = [row for owner in range(3) for row in rebuilt(levels, owner)]
    start, end = search.levels[25][0]
    assert sum(row.count for row in found if row.kind == STATES) == end - start
    told = [unpacked(row.payload, kernel.shape) for row in found if row.kind == STATS]
    first = [kernel.shape.counters.first(action) for action in range(len(kernel.shape.action_names))]
    assert sum(int(stats.counters[first].sum()) for stats in told) == end - start
    assert sorted(task.told.value) == [(26, 0), (26, 1), (26, 2)]


def test_the_next_level_goes_on_from_the_shard_that_is_there(search: Exhaustive, task: Task) -> None:
    before = Levels(search, task, 25)
    stats = rebuilt(before)[-1]
    mark = before.step.marks[1]
    now = Mark(26, mark.count + stats.count, bytes(stats.payload[:16]))
    levels = Levels(search, task, 26)
    assert levels.step.marks[1].count == now.count
    step = Step(27, {1: now}, 0, 0)
    found = called(settle, task, step, levels.arriving(1))
    assert {row.kind for row in found} == {STATES, STATS}
    again = Task("another-run", task.kernel, task.routes, task.block, {}, task.told)
    levels.task = again
    assert [r for r in rebuilt(levels) if r.kind == STATES] == [r for r in found if r.kind == STATES]


def test_a_task_that_runs_again_gives_the_same_rows(search: Exhaustive, task: Task) -> None:
    levels = Levels(search, task, 25)
    first = rebuilt(levels)
    assert called(settle, task, levels.step, levels.arriving(1)) == first
    assert rebuilt(levels) == first


def test_the_order_of_arrival_does_not_matter(search: Exhaustive, task: Task) -> None:
    levels = Levels(search, task, 25)
    first = rebuilt(levels)
    for seed in range(5):
        mark, *given = levels.arriving(1)
        random.Random(seed).shuffle(given)
        assert called(settle, task, levels.step, [mark, *given]) == first


@pytest.mark.parametrize("rows_taken", [0, 1, 3])
def test_a_task_that_dies_in_mid_work_leaves_a_shard_that_is_set_right(
    search: Exhaustive, task: Task, rows_taken: int
) -> None:
    levels = Levels(search, task, 25)
    first = rebuilt(levels)
    dying = settle(task, levels.step, iter([batch(row, task.routes) for row in levels.arriving(1)]))
    assert len(list(itertools.islice(dying, rows_taken + 1))) == rows_taken + 1
    assert isinstance(dying, Generator)
    dying.close()
    assert called(settle, task, levels.step, levels.arriving(1)) == first


def test_a_shard_of_another_course_is_not_believed(search: Exhaustive, task: Task) -> None:
    levels = Levels(search, task, 25)
    rebuilt(levels)
    wrong = replace(levels.step.marks[1], digest=bytes(16))
    found = called(settle, task, Step(26, {1: wrong}, 0, 0), levels.arriving(1))
    assert {row.kind for row in found} == {ANCHOR, SUCCESSORS, COUNTS}


def test_level_files_that_lack_states_are_noticed(search: Exhaustive, task: Task) -> None:
    levels = Levels(search, task, 25)
    del levels.rows[10]
    with pytest.raises(
        EverystateError, match=r"E627 level 25 is damaged: partition . holds .* states up to there, not"
    ):
        for owner in range(3):
            rebuilt(levels, owner)


def test_a_shard_that_another_task_holds_is_not_waited_for_long(
    search: Exhaustive, task: Task, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shards, "PATIENCE", 0.0)
    levels = Levels(search, task, 25)
    first = rebuilt(levels)
    with shards.shard_of(task.kernel.value.compiled(), task.run, 1, 3):
        assert called(settle, task, levels.step, levels.arriving(1))[0].kind == ANCHOR
        with pytest.raises(TimeoutError, match="partition 1 is locked"):
            rebuilt(levels)
    assert rebuilt(levels) == first


def test_a_full_disk_is_an_error_and_not_a_signal(
    search: Exhaustive, task: Task, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "posix_fallocate", full)
    with pytest.raises(OSError, match="No space left on device"):
        rebuilt(Levels(search, task, 25))


def test_tables_that_grow_find_everything_again(search: Exhaustive, task: Task) -> None:
    with shards.shard_of(task.kernel.value.compiled(), task.run, 0, 1) as shard:
        assert shard is not None
        states = np.unique(np.random.default_rng(1).integers(0, 1 << 60, (100_000, shard.words), np.uint64), axis=0)
        shard.empty()
        bits = shard.bits
        shard.put_back(states)
        assert (shard.count, shard.bits > bits) == (len(states), True)
        mark = Mark(3, shard.count, hashlib.blake2b(b"3", digest_size=16).digest())
        shard.commit(mark)
        shard.receive(np.ascontiguousarray(states[::-1]), np.zeros(len(states), np.uint16))
        assert shard.count == len(states)
        shard.begin()
        assert shard.stands_at(mark)
        shard.receive(states, np.zeros(len(states), np.uint16))
        assert shard.count == len(states)


def test_expanding_counts_what_the_search_counts(search: Exhaustive, task: Task, kernel: Kernel) -> None:
    every = Levels(search, task, len(search.levels))
    found = list(_expanded(task, every.rows))
    counted = np.sum([unpacked(r.payload, kernel.shape, 0).counters for r in found if r.kind == COUNTS], axis=0)
    generated = kernel.shape.counters.generated
    assert counted[generated] == search.workers[0].counters[generated] == 25_785


def _expanded(task: Task, given: list[Row]) -> Iterator[Row]:
    yield from rows(expand(task, 1, [batch(row, task.routes) for row in given]))


def test_a_partition_that_does_not_wait_leaves_nothing_to_read(search: Exhaustive, task: Task) -> None:
    """Spark ends a Python worker that leaves some of its input."""
    levels = Levels(search, task, 25)
    given = iter([batch(row, task.routes) for row in levels.arriving(1)])
    assert list(rebuild(task, levels.step, frozenset([0, 2]), given)) == []
    assert list(given) == []


def test_a_partition_stores_no_more_than_it_may(search: Exhaustive, task: Task) -> None:
    with shards.shard_of(task.kernel.value.compiled(), task.run, 0, 1) as shard:
        assert shard is not None
        states = np.unique(np.random.default_rng(1).integers(0, 1 << 60, (1000, shard.words), np.uint64), axis=0)
        shard.empty()
        shard.put_back(states[:100])
        bits = shard.bits
        shard.receive(states, np.zeros(len(states), np.uint16), 350)
        assert (shard.count, shard.bits) == (350, bits)
        assert (shard.states[:350] == states[:350]).all()
