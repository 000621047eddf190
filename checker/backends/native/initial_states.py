"""The initial states of a model, packed: every combination of the declared values, completed by @initial methods.

Combinations are enumerated by number, not stored; many of them variable by variable (see Prefixes). Blocks go through
the machine code of the @initial methods, one method after the other. The order is that of plain Python, with
duplicates. Plain Python is used where it needs few attempts, and where the methods were not traced.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import replace
from random import Random
from typing import Any

import numpy as np

from ...errors import EverystateError
from ...ir.initial_prefixes import Prefixes
from ...ir.initial_states import Declared, compare_values
from ...ir.traced import Model, TracedAction
from ...language import marks
from ...language.concrete import begun, check_constraints, each_initial, initial_states, none_begins
from ...language.state import State
from .program import Program
from .tiered_code import TieredCode

Cells = tuple[int, ...]
Told = Callable[[int, int], None]
COMBINATIONS = 1000
"""The minimum number of combinations of declared values that are cross-checked."""
BLOCK = 1 << 14
"""Combinations that are completed together."""


class TooManyInitialStates(Exception):
    """The initial states take more bytes than they may."""


class InitialStates:
    """The initial states of a model."""

    def __init__(self, model: Model) -> None:
        self.model, self.spec = model, model.spec
        self.words = model.layout.words
        self.compiled = [_Method(model, hook) for hook in model.beginning]
        self.plain = bool(self.spec._named(marks.INITIAL)) and not self.compiled

    def rows(self, most: int | None = None, on_progress: Told = lambda done, total: None) -> Any:
        """All of them, a row of words each; E118 for none, E134 when the constraints exclude all. TooManyInitialStates
        when they exceed the limit in bytes. `on_progress` gets the combinations done."""
        taken, found = 0, [np.zeros((0, self.words), np.uint64)]
        for block in self.blocks(on_progress):
            taken += block.nbytes
            if most is not None and taken > most:
                raise TooManyInitialStates
            found.append(block)
        rows = np.concatenate(found)
        check_constraints(self.spec, _States(self.model, rows))
        return rows

    def cells(self) -> Iterator[Cells]:
        """The same as cells."""
        return self._cells(self.rows())

    def each(self) -> Iterator[Cells]:
        """The same, made as they are needed; not checked against the constraints."""
        for block in self.blocks():
            yield from self._cells(block)

    def blocks(self, on_progress: Told = lambda done, total: None) -> Iterator[Any]:
        """All of them, some rows at a time; E118 when there is none."""
        if self.plain:
            found = [self.model.layout.pack(state.cells) for state in initial_states(self.spec)]
            yield np.array(found, np.uint64).reshape(len(found), self.words)
            return
        some, prefixes = False, Prefixes(self.model, BLOCK)
        for rows, at in prefixes.blocks() if prefixes.useful else self._combinations():
            if at:
                on_progress(at, prefixes.number)
            block = self._completed(rows)[0] if len(rows) else rows
            some = some or len(block) > 0
            yield block
        if not some:
            raise none_begins(self.spec)

    def _combinations(self) -> Iterator[tuple[Any, int]]:
        """All combinations, some rows at a time, and how many come before these."""
        declared = Declared(self.spec, self.model.layout)
        for at in range(0, declared.number, BLOCK):
            yield declared.rows(np.arange(at, min(at + BLOCK, declared.number), dtype=np.uint64)), at

    def _completed(self, rows: Any) -> tuple[Any, Any]:
        """Combinations completed by the @initial methods: states, and the positions of their combinations."""
        states, sources = rows, np.arange(len(rows))
        for method in self.compiled:
            states, where = method.completed(states)
            if where is None:
                self._fail(rows)
            sources = sources[where]
        return states, sources

    def _fail(self, rows: Any) -> None:
        """An @initial method fails on one of some combinations: plain Python gives the error."""
        for cells in self._cells(rows):
            begun(self.spec, cells)
        said = "an initial method fails on symbols, and on values it does not"
        raise EverystateError("E217", None, action=type(self.spec).__name__, reason=said)

    def _cells(self, rows: Any) -> Iterator[Cells]:
        return (self.model.layout.unpack(words) for words in rows.tolist())

    # -- cross-checked ------------------------------------------------------------------------------------

    def sample(self, most: int = COMBINATIONS, over: Callable[[], bool] = lambda: False) -> list[Cells]:
        """Initial states to cross-check, after so many compared combinations, or until time is `over`: the first ones
        and random ones, as many completed as not."""
        if self.plain:
            return [state.cells for state in itertools.islice(each_initial(self.spec), most)]
        compare_values(self.spec, over)
        declared, found = Declared(self.spec, self.model.layout), list[Cells]()
        dice, numbers = Random(0), [*range(min(most, declared.number))]
        if most < declared.number:
            numbers = sorted({*numbers[: most // 4], *(dice.randrange(declared.number) for _ in range(8 * most))})
        rows = declared.rows(np.array(numbers, np.uint64))
        states, sources = self._completed(rows)
        taken = sorted(set(sources.tolist()))
        refused = sorted(set(range(len(rows))).difference(taken))
        shares = [max(most // 2, most - len(rows) + len(some)) for some in (taken, refused)]
        chosen = [
            at for some, n in zip((taken, refused), shares, strict=True) for at in dice.sample(some, min(n, len(some)))
        ]
        dice.shuffle(chosen)
        for position in chosen:
            cells = next(self._cells(rows[position : position + 1]))
            symbols = list(self._cells(states[sources == position]))
            values = begun(self.spec, cells)
            if symbols != values:
                raise self._differs(cells, symbols, values)
            found += values
            if over():
                break
        return found

    def _differs(self, cells: Cells, symbols: list[Cells], values: list[Cells]) -> EverystateError:
        shown = ", ".join(f"{n} = {text}" for n, text in State(self.spec.domains, cells).shown().items())
        if len(symbols) != len(values):
            said = f"{len(symbols)} initial states come of it on symbols, {len(values)} on values"
        else:
            said = "another initial state comes of it on symbols than on values"
        return EverystateError("E217", None, action=type(self.spec).__name__, reason=f"{said}, with {shown}")


class _States:
    """Packed states that can be iterated several times."""

    def __init__(self, model: Model, rows: Any) -> None:
        self.model, self.rows = model, rows

    def __iter__(self) -> Iterator[State]:
        unpack = self.model.layout.unpack
        return (State(self.model.spec.domains, unpack(row.tolist())) for row in self.rows)


class _Method:
    """The machine code of one @initial method."""

    def __init__(self, model: Model, traced: TracedAction) -> None:
        alone = replace(model, actions=(traced,), properties=(), antecedents=(), view=(), beginning=())
        self.program = Program(alone)
        self.code = TieredCode(self.program).first()
        self.rows = max(1, BLOCK // self.program.most_successors)

    def completed(self, states: Any) -> tuple[Any, Any]:
        """(resulting states, the positions of their combinations), None for the positions where it fails on one."""
        found, positions = [states[:0]], [np.zeros(0, np.int64)]
        for at in range(0, len(states), self.rows):
            after, sources, failed = self._block(np.ascontiguousarray(states[at : at + self.rows]))
            if failed:
                return after, None
            found.append(after)
            positions.append(sources + at)
        return np.concatenate(found), np.concatenate(positions)

    def _block(self, block: Any) -> tuple[Any, Any, bool]:
        capacity = len(block) * self.program.most_successors
        out, sources = np.empty((capacity, self.program.words), np.uint64), np.empty(capacity, np.uint32)
        actions, counters = np.empty(capacity, np.uint16), np.zeros(self.program.counters.room, np.uint64)
        given = (out.ctypes.data, actions.ctypes.data, sources.ctypes.data, counters.ctypes.data)
        count = self.code.expand(block.ctypes.data, len(block), *given)
        return out[:count], sources[:count].astype(np.int64), bool(counters[self.program.counters.faults])
