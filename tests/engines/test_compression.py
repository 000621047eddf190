"""Compressed states: the same counts, traces and verdicts as with whole ones, in fewer bytes; nothing approximate."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from everystate.checker import (
    Array,
    Constant,
    Int,
    Interchangeable,
    Map,
    Spec,
    action,
    constraint,
    invariant,
    reachable,
    require,
    step_invariant,
    view,
)
from everystate.checker.backends.native import tiered_code
from everystate.checker.backends.native.compile import made
from everystate.checker.backends.native.interface import CompressedLayout
from everystate.checker.cli.main import main
from everystate.checker.engines.explicit import compression, exhaustive, groups, part_tables
from everystate.checker.engines.limits import Limits
from everystate.checker.frontend import model
from everystate.specs.idem_producer import IdempotentProducer

from .compressed_and_whole import Wide, at_once, colliding, facts, random_rows, random_spec, same, table

UNSAFE = {"batches": 7, "max_in_flight": 6, "max_sends": 3, "resets": 2, "bumps": 1, "leader_changes": 1}


class Counters(Spec):
    """Four counters, a word each."""

    top = Constant(5)
    may_terminate = True

    def variables(self) -> None:
        self.n = Array(4, Int(0, (1 << 60) - 1))

    @action(i=(0, 1, 2, 3))
    def up(self, i: int) -> None:
        require(self.n[i] < self.top)
        self.n[i] += 1

    @invariant
    def not_all(self) -> bool:
        return self.n[0] + self.n[1] + self.n[2] + self.n[3] < 4 * self.top

    @reachable
    def some(self) -> bool:
        return self.n[0] + self.n[3] == self.top


class Fenced(Counters):
    @constraint
    def low(self) -> bool:
        return self.n[0] + self.n[1] < 6

    @step_invariant
    def slow(self, before: Any) -> bool:
        return self.n[2] <= before.n[2] + 1 and self.n[3] != self.top


class Seen(Counters):
    @view
    def sums(self) -> Any:
        return (self.n[0] + self.n[1], self.n[2], self.n[3])


class Alike(Spec):
    """Processes that may be exchanged, with counters of a word each."""

    procs = Constant(3)
    may_terminate = True

    def variables(self) -> None:
        self.n = Map(Interchangeable(self.procs, "procs"), Int(0, (1 << 60) - 1))

    @action(p="procs")
    def up(self, p: int) -> None:
        require(self.n[p] < 3)
        self.n[p] += 1


@pytest.mark.parametrize(("spec", "distinct"), [(Counters, 6**4), (Fenced, 756), (Seen, 396), (Alike, 20)])
def test_folded_states_say_what_whole_ones_say(spec: type[Spec], distinct: int) -> None:
    traced = model.build(spec())
    for workers in (1, 3):
        assert same(traced, workers).distinct == distinct


@pytest.mark.thorough
def test_a_crowd_that_violates_has_the_same_traces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exhaustive, "CHUNK", 4)
    traced = model.build(IdempotentProducer(**UNSAFE))
    for workers in (1, 3):
        search = same(traced, workers)
        assert search.store.part_tables is not None
        assert search.distinct == 155_179 and len(search.store.part_tables.compression.groups) == 2


@pytest.mark.thorough
def test_states_are_folded_in_the_middle_of_a_search(monkeypatch: pytest.MonkeyPatch) -> None:
    """groups are chosen by what the states have shown so far: three, whose numbers fit into one word"""
    traced = model.build(IdempotentProducer(**UNSAFE))
    whole = exhaustive.check(traced)
    monkeypatch.setattr(compression, "FROM", 1000)
    for workers in (1, 2):
        search = exhaustive.Exhaustive(traced, Limits(compress=True, workers=workers))
        result = search.run()
        assert facts(result) == facts(whole)
        assert search.store.part_tables is not None
        assert search.store.part_tables.compression == CompressedLayout(((0,), (1,), (2,)), (0, 0, 0))
        assert result.bytes_per_state < 0.65 * whole.bytes_per_state
        taken = search.store.part_tables.counts
        if workers == 1:
            values = taken
        else:  # and numbers that a worker claimed for nothing
            assert all(claimed >= exact for claimed, exact in zip(taken, values, strict=True))
    assert values[0] == 508 and values[2] == 368


def test_optimised_code_folds_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EVERYSTATE_CACHE", str(tmp_path))
    monkeypatch.setattr(tiered_code, "made", lambda text, quick: made(text))
    for spec, distinct in ((Fenced, 756), (Seen, 396)):
        assert same(model.build(spec()), 2).distinct == distinct


@pytest.mark.thorough
def test_numbers_that_need_more_bits_get_them(monkeypatch: pytest.MonkeyPatch) -> None:
    """first from their neighbours in the word, then in one more word"""
    monkeypatch.setattr(groups, "WORD", 24)
    monkeypatch.setattr(groups, "SPARE", 0)
    laid: list[int] = []
    lie = part_tables.PartTables.lie
    monkeypatch.setattr(part_tables.PartTables, "lie", lambda self, roots: (laid.append(roots.words), lie(self, roots)))
    search = same(model.build(IdempotentProducer(**UNSAFE)), 2)
    assert search.distinct == 155_179
    assert laid[-1] > laid[0] and len(laid) > len(set(laid)), laid


def test_memory_that_gets_short_is_stretched() -> None:
    """with what whole states need at least, the search ends early; compressed it does not"""
    spec = IdempotentProducer(**UNSAFE)
    traced, limits = model.build(spec), Limits(max_memory=4 << 20, workers=2)
    search = exhaustive.Exhaustive(traced, limits)
    assert facts(search.run()) == facts(exhaustive.check(traced))
    assert search.store.part_tables is not None and search.store.bytes <= 4 << 20


def test_what_would_not_get_smaller_is_left_as_it_is() -> None:
    """every word is new in every state"""

    class Random(Spec):
        def variables(self) -> None:
            self.n = Array(3, Int(0, (1 << 60) - 1))

        @action
        def step(self) -> None:
            require(self.n[0] < 3000)
            for i in range(3):
                self.n[i] += 1

    search = exhaustive.Exhaustive(model.build(Random()), Limits(compress=True, deadlock=False))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(compression, "FROM", 100)
        result = search.run()
    assert (result.distinct, search.store.part_tables) == (3001, None)


def test_tables_of_parts_are_exact() -> None:
    """random rows beside a dict, in tables that double, by one thread and by four"""
    compression = CompressedLayout(((0, 2), (1,), (3,)), (0, 0, 1))
    table(Wide(), compression, random_rows(20_000, 300, 1))
    table(Wide(), compression, random_rows(20_000, 300, 2), threads=4)


def test_values_with_one_hash_are_told_apart() -> None:
    """all values of a part begin in one bucket of sixteen slots, with one tag"""
    with colliding(0):
        table(Wide(), CompressedLayout(((0, 1), (2, 3)), (0, 0)), random_rows(3000, 40, 3), threads=3)


@pytest.mark.parametrize("seed", [2, 3, 5])
def test_random_specs_agree(seed: int, tmp_path: Path) -> None:
    traced = next(filter(None, (random_spec(s, tmp_path) for s in range(100 * seed, 100 * seed + 50))))
    same(traced, seed % 3 + 1)


def test_the_command_line_compresses(capsys: pytest.CaptureFixture[str]) -> None:
    with at_once():
        assert main(["check", "idem-producer", "--compress", "-q"]) == 0
    assert capsys.readouterr().out.startswith("PROVED")
    for engine in ("python", "z3", "spark"):
        assert main(["check", "die-hard", "--compress", "--engine", engine]) == 2
        assert "--compress goes with --engine native" in capsys.readouterr().err
