"""Compressed states beside whole ones: `python -m tests.engines.compressed_and_whole --specs 300 --rows 1000000`.

Searches of scenarios and of random specs, and a table of parts beside a dict.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
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
from everystate.checker.cli.targets import resolve
from everystate.checker.engines.explicit import compression, exhaustive, groups
from everystate.checker.engines.explicit.part_tables import PartTables
from everystate.checker.engines.limits import Limits
from everystate.checker.engines.symmetry import reduced
from everystate.checker.errors import EverystateError
from everystate.checker.frontend import explorer, model
from everystate.checker.ir.layout import Layout
from everystate.checker.ir.traced import Model
from everystate.specs import registry
from tests.agreement.dice import seeded
from tests.agreement.long import MAX_PATHS
from tests.agreement.readers import load
from tests.agreement.source import write

MOST = 300_000
"""States of a scenario, at most: those of large ones up to here."""


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


def main() -> int:
    """Every difference is an assertion."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--specs", type=int, default=300)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--scenarios", type=int, default=1000, help="of the list, at most")
    given = parser.parse_args()
    compression = CompressedLayout(((0, 2), (1,), (3,)), (0, 0, 1))
    for values, threads in ((1000, 1), (100_000, 1), (3000, 4)):
        print("rows:", table(Wide(), compression, random_rows(given.rows, values, values), threads), flush=True)
    with colliding(2):
        print("colliding:", table(Wide(), compression, random_rows(given.rows // 10, 300, 7), 3), flush=True)
    compared = states = 0
    with tempfile.TemporaryDirectory() as scratch:
        for seed in range(given.specs):
            traced = random_spec(seed, Path(scratch))
            if traced is not None:
                search = same(traced, 1 + seed % 3, max_states=20_000 if seed % 3 == 0 else None)
                compared, states = compared + 1, states + search.distinct
    print(f"random specs: {compared} of more than a word, {states:,} states", flush=True)
    for name in registry.names()[: given.scenarios]:
        traced = model.build(resolve(name).spec())
        search = same(traced, 1, max_states=MOST)
        print(f"{name}: {search.program.words} words, {search.distinct:,} states", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
