"""Reduced search against full: `python -m tests.agreement.reduced --specs 5000 --seed 1`.

Of each random spec a search in Python, full and reduced, must find the same: conditions, deadlocks, instances that have
steps, that fail, that break a property of steps. Of every `--native`-th one the two searches in machine code must
say the same: the verdict, each violation with its kind and its length, what holds, which actions are never enabled,
which implications are vacuous; and machine code must visit as many states as Python. `--catalogue` compares all specs
that can be checked by name instead, as far as they are small enough.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from everystate.checker.backends.interpreter import Cells, Valuation, outcomes
from everystate.checker.backends.native.initial_states import InitialStates
from everystate.checker.cli.targets import resolve
from everystate.checker.engines.explicit import exhaustive, reduced
from everystate.checker.engines.limits import Limits
from everystate.checker.errors import EverystateError
from everystate.checker.frontend import model
from everystate.checker.ir.independence import sought
from everystate.checker.ir.stubborn import Reduction, bits, mask, reduction
from everystate.checker.ir.traced import Model
from everystate.checker.results.result import Result
from everystate.specs import registry

from . import concurrent
from .dice import seeded
from .readers import load
from .source import write

Change = Callable[[Model, Reduction], Reduction]
MOST = 20_000
"""States of a space that is compared in machine code ..."""
SMALL = 1_500
"""... and in Python."""


@dataclass
class Searched:
    """What a search in Python has found: states by their level, and what was looked for."""

    levels: dict[Cells, int]
    conditions: set[int]
    deadlock: bool = False
    able: set[int] = field(default_factory=set)
    failing: set[int] = field(default_factory=set)
    breaking: set[tuple[int, int]] = field(default_factory=set)

    @property
    def found(self) -> tuple[Any, ...]:
        """All but the states."""
        return self.conditions, self.deadlock, self.able, self.failing, self.breaking


class TooLarge(Exception):
    """A space has more than SMALL states."""


def searched(traced: Model, tables: Reduction, reduce: bool, proviso: bool = True) -> Searched:
    """A breadth-first search on the interpreter. What fails is noted and not gone beyond."""
    looked = [*sought(traced), *traced.inside]
    judged = [term for p in traced.properties if p.steps for term in (p.term, *(e for e, _ in p.errors))]
    first = {traced.layout.unpack(row.tolist()): 1 for row in InitialStates(traced).rows()}
    found = Searched({}, set())

    def meet(cells: Cells, level: int) -> bool:
        """Whether a state is, or will be, expanded after a level."""
        value = Valuation(cells)
        if cells not in found.levels:
            found.conditions.update(i for i, term in enumerate(looked) if value(term))
            if not all(map(value, traced.inside)):
                return False
            found.levels[cells] = level + 1
        return found.levels[cells] > level

    for cells in first:
        meet(cells, 0)
    level, frontier = 1, list(found.levels)
    while frontier:
        for cells in frontier:
            value = Valuation(cells)
            false = mask(i for i, guard in enumerate(tables.guards) if not value(guard))
            able = tables.enabled(false)
            found.deadlock |= not able
            found.able.update(bits(able))

            def take(parts: int, cells: Cells = cells, level: int = level) -> bool:
                on = False
                for part in bits(parts):
                    for _, after in outcomes(tables.parts[part].tree, cells):
                        if not isinstance(after, tuple):
                            found.failing.add(part)
                            continue
                        step = Valuation(after, cells)
                        found.breaking.update((part, i) for i, term in enumerate(judged) if step(term))
                        on |= meet(after, level)
                return on

            moving = able & mask(i for i, part in enumerate(tables.parts) if value(part.moves))
            chosen = tables.chosen(able, false, moving) if reduce else able
            if not take(chosen) and proviso:
                take(able & ~chosen)
        level += 1
        frontier = [cells for cells, at in found.levels.items() if at == level]
        if len(found.levels) > SMALL:
            raise TooLarge
    return found


def compare_in_python(
    traced: Model, tally: Tally, change: Change = lambda traced, tables: tables, proviso: bool = True
) -> int | None:
    """Compare two searches in Python; `change` may plant a mistake. The states of the reduced one."""
    tables = change(traced, reduction(traced))
    try:
        full, fewer = searched(traced, tables, False), searched(traced, tables, True, proviso)
    except TooLarge:
        tally.skipped += 1
        return None
    assert full.found == fewer.found, f"{full.found} full, {fewer.found} reduced"
    assert fewer.levels.keys() <= full.levels.keys()
    tally.specs += 1
    tally.smaller += len(fewer.levels) < len(full.levels)
    tally.full += len(full.levels)
    tally.reduced += len(fewer.levels)
    return len(fewer.levels)


@dataclass
class Tally:
    """How much was compared."""

    specs: int = 0
    smaller: int = 0
    violated: int = 0
    errors: int = 0
    full: int = 0
    reduced: int = 0
    skipped: int = 0
    compiled: int = 0

    def __str__(self) -> str:
        return (
            f"{self.specs} specs in Python, {self.smaller} of them with fewer states: {self.full:,} full, "
            f"{self.reduced:,} reduced; {self.compiled} in machine code, {self.violated} of them violated, "
            f"{self.errors} with a failing action; {self.skipped} skipped"
        )


def told(result: Result) -> dict[str, Any]:
    """What a verdict says that must not depend on the reduction."""
    failing = any(v.error for v in result.violations)
    return {
        "verdict": result.verdict,
        "exit code": result.exit_code,
        "violations": sorted((v.property, v.kind.value, v.length or 0) for v in result.violations),
        "held": () if failing else result.held,
        "warnings": [] if failing else sorted(w.partition(";")[0] for w in result.warnings if _stays(w)),
    }


def _stays(warning: str) -> bool:
    return "never" in warning


def compare(traced: Model, tally: Tally, states: int | None = None, workers: int = 1, twice: int = 50) -> None:
    """Compare both searches of a spec in machine code; AssertionError where they differ, or where there are not as many
    states as are expected of the reduced one."""
    try:
        full = exhaustive.check(traced, Limits(workers=workers, max_states=MOST, cross_check=0))
        if full.stopped and "limit" in full.stopped:
            tally.skipped += 1
            return
        fewer = reduced.check(traced, Limits(workers=workers, cross_check=twice))
    except EverystateError as error:
        if error.code != "E141":
            raise
        tally.skipped += 1
        return
    one, other = told(full), told(fewer)
    assert one == other, "; ".join(f"{k}: {one[k]} full, {other[k]} reduced" for k in one if one[k] != other[k])
    failing = any(v.property == "error" for v in full.violations)
    assert failing or fewer.distinct <= full.distinct, (full.distinct, fewer.distinct)
    assert failing or states in (None, fewer.distinct), (fewer.distinct, states)
    tally.compiled += 1
    tally.violated += bool(full.violations)
    tally.errors += failing


def traced_of(source: str, folder: Path) -> Model | None:
    """The model of a source text; None if it cannot be traced, or has no initial state."""
    try:
        traced = model.build(load(source, folder))
        InitialStates(traced).rows()
    except EverystateError:
        return None
    return traced


def random_source(seed: int) -> str:
    """Every fourth spec is one of those that all readers are compared on; the others are processes."""
    dice = seeded(seed)
    return write(dice) if seed % 4 == 0 else concurrent.write(dice)


def main() -> int:
    """Compare many random specs, or those of the catalogue; every difference is printed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--specs", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--native", type=int, default=10, help="each so many specs are compared in machine code, too")
    parser.add_argument("--catalogue", action="store_true")
    given = parser.parse_args()
    tally, failed, start = Tally(), 0, time.monotonic()
    items = registry.names() if given.catalogue else range(given.seed, given.seed + given.specs)
    with tempfile.TemporaryDirectory() as folder:
        for item in items:
            try:
                one(item, Path(folder), tally, given)
            except Exception as error:
                failed += 1
                print(f"{item}: {type(error).__name__}: {error}", flush=True)
            if isinstance(item, int) and item % 500 == 499:
                print(f"{tally}; {failed} differ; {time.monotonic() - start:.0f} s", flush=True)
    print(f"{tally}; {failed} differ; {time.monotonic() - start:.0f} s")
    return 1 if failed else 0


def one(item: int | str, folder: Path, tally: Tally, given: argparse.Namespace) -> None:
    """Compare a spec of the catalogue, or a random one."""
    if isinstance(item, str):
        compare(model.build(resolve(item).spec()), tally, workers=given.workers)
        return
    traced = traced_of(random_source(item), folder)
    if traced is None:
        tally.skipped += 1
        return
    states = compare_in_python(traced, tally)
    if item % given.native == 0:
        compare(traced, tally, states, given.workers)


if __name__ == "__main__":
    raise SystemExit(main())
