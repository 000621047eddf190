"""Compressed states beside whole ones: searches of random specs, and a table of parts beside a dict."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from everystate.checker import Array, Int, Spec, action
from everystate.checker.backends.native import Compiled, Program, context, state_compressor
from everystate.checker.backends.native.assembly import Assembly
from everystate.checker.backends.native.compile import load as compiled
from everystate.checker.backends.native.interface import CompressedLayout
from everystate.checker.engines.explicit import compression, exhaustive, groups
from everystate.checker.engines.explicit.part_tables import PartTables
from everystate.checker.engines.limits import Limits
from everystate.checker.engines.symmetry import reduced
from everystate.checker.errors import EverystateError
from everystate.checker.frontend import explorer, model
from everystate.checker.ir.layout import Layout
from everystate.checker.ir.traced import Model
from tests.agreement.dice import seeded
from tests.agreement.readers import MAX_PATHS, load
from tests.agreement.source import write


class Wide(Spec):
    """Its states have four words."""

    def variables(self) -> None:
        self.cells = Array(4, Int(0, (1 << 60) - 1))

    @action
    def step(self) -> None:
        self.cells[0] = (self.cells[0] + 1) % 10


@contextmanager
def at_once(words: float = float("inf")) -> Iterator[None]:
    """Whatever is asked to be compressed is compressed from the first level on, even if that is not worth it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(compression, "FROM", 1)
        patch.setattr(groups, "WORTH", words)
        yield


def facts(result: Any) -> Any:
    """All that a reader is told, but for time and memory."""
    violations = [
        (v.property, v.kind, v.states, v.trace and [s.cells for s in v.trace.states]) for v in result.violations
    ]
    return (
        *(result.verdict, result.distinct, result.generated, result.depth, result.initial, result.coverage),
        *(result.warnings, result.held, result.stopped, violations),
    )


def same(traced: Model, workers: int = 1, **limits: Any) -> exhaustive.Exhaustive:
    """The search of compressed states, which has found what that of whole ones has found."""
    whole = exhaustive.check(traced, Limits(workers=workers, **limits))
    with at_once():
        search = exhaustive.Exhaustive(reduced(traced), Limits(workers=workers, compress=True, **limits))
        found = search.run()
    assert facts(found) == facts(whole)
    assert (search.store.part_tables is not None) == (search.program.words > 1 and found.distinct > 0)
    return search


def table(spec: Spec, compression: CompressedLayout, rows: Any, threads: int = 1) -> list[int]:
    """Put random rows into tables of parts, in several threads; the numbers must be those of a dict. How many."""
    program = Program(model.build(spec))
    code = Compiled(program, compiled(Assembly(program).text(compression), quick=True), compression)
    part_tables = PartTables(compression, 1 << 33)
    pieces = np.array_split(rows, threads)
    for part in range(0, max(map(len, pieces)), 1 << 12):
        here = [np.ascontiguousarray(piece[part : part + (1 << 12)]) for piece in pieces]
        part_tables.grow(code, sum(map(len, here)))
        with ThreadPoolExecutor(threads) as pool:
            numbers = list(pool.map(lambda some: _numbers(code, part_tables, some, threads > 1), here))
        for some, got in zip(here, numbers, strict=True):
            roots = part_tables.roots.packed(got)
            back = np.empty_like(some)
            code.decompress(roots.ctypes.data, part_tables.address, 0, 1, len(some), back.ctypes.data)
            assert (back == some).all()
            assert (part_tables.roots.numbers(roots) == got).all()
    known: list[dict[tuple[int, ...], int]] = [{} for _ in compression.groups]
    numbers_of_all = _numbers(code, part_tables, np.ascontiguousarray(rows), False)
    for row, got in zip(rows.tolist(), numbers_of_all.tolist(), strict=True):
        for g, group in enumerate(compression.groups):
            assert known[g].setdefault(tuple(row[w] for w in group), got[g]) == got[g]
    for group, values in zip(compression.groups, known, strict=True):
        assert len(set(values.values())) == len(values) == len(np.unique(rows[:, group], axis=0))
    return [len(values) for values in known]


def _numbers(code: Compiled, part_tables: PartTables, rows: Any, crowd: bool) -> Any:
    found = np.empty((len(rows), len(part_tables.compression.groups)), np.uint32)
    code.parted(part_tables.address, rows.ctypes.data, len(rows), int(crowd), found.ctypes.data)
    return found


def random_rows(number: int, values: int, seed: int) -> Any:
    """Random rows of four words that take so many values each."""
    dice = np.random.default_rng(seed)
    kinds = dice.integers(0, 1 << 60, (4, values), dtype=np.uint64)
    return np.stack([kinds[w][dice.integers(0, values, number)] for w in range(4)], axis=1)


def random_states(layout: Layout, number: int, seed: int) -> Any:
    """Random states of the domains, each cell a bit pattern that its field can hold."""
    dice = np.random.default_rng(seed)
    found = np.zeros((number, layout.words), np.uint64)
    for field in layout.fields:
        found[:, field.word] |= dice.integers(0, 1 << field.width, number, np.uint64) << np.uint64(field.shift)
    return found


@contextmanager
def colliding(bits: int) -> Iterator[None]:
    """All values of a part have one of few hashes."""
    plain = context.hashed
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            state_compressor, "hashed", lambda fn, words: fn.b.and_(plain(fn, words), fn.const((1 << bits) - 1))
        )
        yield


def random_spec(seed: int, folder: Path) -> Model | None:
    """The model of a random spec whose states have more than a word; None for others, and where it is refused."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(explorer, "MAX_PATHS", MAX_PATHS)
        try:
            traced = model.build(load(write(seeded(seed), seed % 2 == 0), folder))
            if traced.layout.words > 1:
                exhaustive.check(traced, Limits(max_states=1))
        except EverystateError:
            return None
    return traced if traced.layout.words > 1 else None
