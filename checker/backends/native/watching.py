"""Evaluates expensive watches on many new states at once, in vectors with a lane for each state.

A condition of a large model reads every record of a log, and took a third of a search state by state. New states are
collected. For each group of such watches the states that need it are laid out word by word, as far as the group reads
them, and its booleans are counted in vectors.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ...ir.expr import Expr, cells_of
from .builder import I8, I32, I64, PTR, Function
from .instructions import Module, VectorType
from .program import Group, Program, evaluated
from .terms import Terms

LANES = 8
"""States in a vector: 512 bits, which LLVM divides where the processor has shorter ones."""
VECTOR = VectorType(I64, LANES)
MOST = 512
"""States that are watched at once."""

WORTH = 100
"""Terms of a group of watches from which on vectors pay: they take longer to compile."""


def terms_of(roots: Iterable[Expr]) -> int:
    """How many terms there are to evaluate, each once."""
    return len(evaluated(roots))


def dear(program: Program) -> list[int]:
    """The groups of expensive watches, by their numbers."""
    watches = program.watches()
    terms = [terms_of(watches[k].term for k in group.watches) for group in program.state_groups]
    return [g for g, number in enumerate(terms) if number >= WORTH]


class Watching:
    """Emits `watch` for those groups of watches of a program that are expensive."""

    def __init__(self, program: Program, module: Module) -> None:
        self.program, self.module, self.words, self.layout = program, module, program.words, program.model.layout
        self.counts = {g: self._count(g, program.state_groups[g]) for g in dear(program)}
        if self.counts:
            self._watch()

    def _reads(self, group: Group) -> list[int]:
        """The words that the watches of a group look at."""
        watches, fields = self.program.watches(), self.layout.fields
        return sorted({fields[cell].word for cell in cells_of(watches[k].term for k in group.watches)})

    def _count(self, number: int, group: Group) -> Function:
        """count_NUMBER(block, n, counters): add the booleans of a group in n states, laid out word by word."""
        fn = Function(self.module, f"count_{number}", [PTR, I64, PTR]).private()
        block, n, counters = fn.arguments
        b, watches, counts = fn.b, self.program.watches(), [fn.local(fn.const(0)) for _ in group.watches]
        with fn.loop(fn.const(0), b.lshr(_whole(fn, n), fn.const(3))) as part:
            at = b.mul(part, fn.const(LANES))
            words: list[Any] = [None] * self.words
            for w in self._reads(group):
                words[w] = b.load(fn.at(fn.at(block, w * MOST), at), VECTOR, align=8)
            left = b.sub(n, at)
            full = b.icmp_unsigned(">=", left, fn.const(LANES))
            used = b.select(full, fn.const(-1), b.sub(b.shl(fn.const(1), b.and_(left, fn.const(63))), fn.const(1)))
            terms, lanes = Terms(fn, self.layout, words, lanes=LANES), b.trunc(used, I8)
            for count, watch in zip(counts, group.watches, strict=True):
                truths = b.and_(b.bitcast(terms(watches[watch].term), I8), lanes)
                fn.put(count, b.add(fn.get(count), b.zext(b.ctpop(truths), I64)))
        for count, watch in zip(counts, group.watches, strict=True):
            fn.increment(counters, self.program.counters.hits(watch), fn.get(count))
        fn.done()
        return fn

    def _watch(self) -> None:
        """watch(states, positions, wanted, n, counters): evaluate and count the watches of n states at some positions
        (u32), for each state the groups in its mask."""
        fn = Function(self.module, "watch", [PTR, PTR, PTR, I64, PTR]).inner()
        fn.llvm.attributes.append("noinline")
        states, positions, wanted, n, counters = fn.arguments
        b, block, some = fn.b, fn.buffer(I64, self.words * MOST), fn.buffer(I32, MOST + 1)
        for g, count in self.counts.items():
            number = fn.local(fn.const(0))
            with fn.loop(fn.const(0), n) as i:
                fn.store(some, fn.get(number), fn.load(positions, i, I32))
                bit = b.and_(b.lshr(fn.load(wanted, i), fn.const(g)), fn.const(1))
                fn.put(number, b.add(fn.get(number), bit))
            size = fn.get(number)
            with fn.if_(b.icmp_unsigned("!=", size, fn.const(0))):
                with fn.loop(fn.const(0), _whole(fn, size)) as i:
                    within = b.select(b.icmp_unsigned("<", i, size), i, b.sub(size, fn.const(1)))
                    at = fn.at(states, b.mul(b.zext(fn.load(some, within, I32), I64), fn.const(self.words)))
                    for w in self._reads(self.program.state_groups[g]):
                        fn.store(fn.at(block, w * MOST), i, fn.load(at, w))
                fn.call(count, block, size, counters)
        fn.done()


def _whole(fn: Function, n: Any) -> Any:
    """So many states in whole vectors."""
    return fn.b.and_(fn.b.add(n, fn.const(LANES - 1)), fn.const(-LANES))
