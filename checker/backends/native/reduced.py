"""Partial-order reduction in machine code: for each state the guards, a stubborn set by tables, the steps of its parts.

It implements `ir.stubborn` exactly as `Reduction.chosen` does in Python: the cross-check, which executes that, must
find the same sets. Sets of parts and of guards are arrays of words, a bit for each member.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ...ir.stubborn import Reduction
from .builder import I1, I16, I32, I64, PTR, Function
from .calls import Calls
from .instructions import Module, Table, constant
from .terms import Terms

Passed = Callable[[Function, Any, list[Any]], Any]
"""Emits, with a pointer to a worker's context and the words of a state, whether that is on a level that is complete."""
WORD = 64


def words_of(members: int) -> int:
    """The words of a set with a given maximum number of members."""
    return max(1, -(-members // WORD))


class ReducedExpansion:
    """Emits the expansion of states by some of their steps."""

    def __init__(self, calls: Calls, module: Module, reduction: Reduction, passed: Passed) -> None:
        self.calls, self.module, self.reduction, self.passed = calls, module, reduction, passed
        self.program, self.words = calls.program, calls.words
        self.size, self.guards = words_of(len(reduction.parts)), words_of(len(reduction.guards))
        self._dependent = self._table("dependent", reduction.dependent)
        self._enabling = self._table("enabling", reduction.enabling)
        self._needs = self._numbers("needs_of", [guard for needs in reduction.needs for guard in needs])
        ends = [sum(map(len, reduction.needs[:part])) for part in range(len(reduction.parts) + 1)]
        self._ends = self._numbers("ends_of", ends)
        self.truths = self._truths()
        self.cheapest = self._cheapest()
        self.closed = self._closed()
        self.choose = self._choose()
        self.take = self._take()
        self.expand = self._expand()
        self._having_fewer()

    # -- tables --------------------------------------------------------------------------------------------

    def _table(self, name: str, sets: Sequence[int]) -> Any:
        parts = [found >> WORD * w & (1 << WORD) - 1 for found in sets for w in range(self.size)]
        return self._numbers(name, parts)

    def _numbers(self, name: str, values: Sequence[int]) -> Any:
        return Table(self.module, name, [constant(I64, value) for value in values or [0]])

    def _row(self, fn: Function, table: Any, number: Any) -> list[Any]:
        return fn.words(table, number, self.size)

    def _set(self, fn: Function, pointer: Any) -> list[Any]:
        return [fn.load(pointer, w) for w in range(self.size)]

    def _put(self, fn: Function, pointer: Any, values: Sequence[Any]) -> None:
        for w, value in enumerate(values):
            fn.store(pointer, w, value)

    def _members(self, fn: Function, values: Sequence[Any]) -> Any:
        total = fn.const(0)
        for value in values:
            total = fn.b.add(total, fn.b.ctpop(value))
        return total

    def _has(self, fn: Function, pointer: Any, member: Any) -> Any:
        b = fn.b
        word = fn.load(pointer, b.lshr(member, fn.const(6)))
        return b.trunc(b.lshr(word, b.and_(member, fn.const(63))), I1)

    def _none(self, fn: Function, values: Sequence[Any]) -> Any:
        total = values[0]
        for value in values[1:]:
            total = fn.b.or_(total, value)
        return fn.b.icmp_unsigned("==", total, fn.const(0))

    # -- what holds in a state -----------------------------------------------------------------------------

    def _truths(self) -> Function:
        """truths(words..., false, enabled, moving, counters): the guards that are false, the parts that are enabled,
        and those of them that lead to another state."""
        fn = Function(self.module, "truths", [*[I64] * self.words, PTR, PTR, PTR, PTR]).private()
        *words, false, enabled, moving, counters = fn.arguments
        terms, counts = Terms(fn, self.calls.layout, words), self.program.counters
        holds = [terms(guard) for guard in self.reduction.guards]
        parts = []
        for needs in self.reduction.needs:
            value: Any = fn.const(1, I1)
            for guard in needs:
                value = fn.b.and_(value, holds[guard])
            parts.append(value)
        self._store_bits(fn, false, [fn.b.not_(value) for value in holds], self.guards)
        self._store_bits(fn, enabled, parts, self.size)
        moves = [terms(part.moves) for part in self.reduction.parts]
        self._store_bits(fn, moving, [fn.b.and_(x, y) for x, y in zip(parts, moves, strict=True)], self.size)
        for number in range(len(self.program.action_names)):
            some: Any = fn.const(0, I1)
            for part, value in zip(self.reduction.parts, parts, strict=True):
                if self.program.action_of[part.action] == number:
                    some = fn.b.or_(some, value)
            fn.increment(counters, counts.enabled(number), fn.b.zext(some, I64))
        fn.done()
        return fn

    def _store_bits(self, fn: Function, pointer: Any, values: Sequence[Any], size: int) -> None:
        for w in range(size):
            word: Any = fn.const(0)
            for at, value in enumerate(values[w * WORD : (w + 1) * WORD]):
                word = fn.b.or_(word, fn.b.shl(fn.b.zext(value, I64), fn.const(at)))
            fn.store(pointer, w, word)

    # -- stubborn sets -------------------------------------------------------------------------------------

    def _cheapest(self) -> Function:
        """cheapest(part, costly, false) -> the false guard of a part that fewest of some parts can make true."""
        fn = Function(self.module, "cheapest", [I64, PTR, PTR], I64).private()
        part, costly, false = fn.arguments
        b = fn.b
        best, least = fn.local(fn.const(0)), fn.local(fn.const(-1))
        unwanted = self._set(fn, costly)
        with fn.loop(fn.load(self._ends, part), fn.load(self._ends, b.add(part, fn.const(1)))) as at:
            guard = fn.load(self._needs, at)
            with fn.if_(self._has(fn, false, guard)):
                row = self._row(fn, self._enabling, guard)
                cost = self._members(fn, [b.and_(x, y) for x, y in zip(row, unwanted, strict=True)])
                less = b.icmp_unsigned("<", cost, fn.get(least))
                fn.put(best, b.select(less, guard, fn.get(best)))
                fn.put(least, b.select(less, cost, fn.get(least)))
        fn.done(fn.get(best))
        return fn

    def _closed(self) -> Function:
        """closed(first, enabled, false, moving, limit, chosen) -> how many parts of `chosen` move, which gets the
        enabled parts of the stubborn set around a part; `limit` when no fewer do."""
        fn = Function(self.module, "closed", [I64, PTR, PTR, PTR, I64, PTR], I64).private()
        first, enabled, false, moving, limit, chosen = fn.arguments
        b = fn.b
        todo, costly = fn.buffer(I64, self.size), fn.buffer(I64, self.size)
        able, moves = self._set(fn, enabled), self._set(fn, moving)
        for w in range(self.size):
            here = b.icmp_unsigned("==", b.lshr(first, fn.const(6)), fn.const(w))
            bit = b.select(here, b.shl(fn.const(1), b.and_(first, fn.const(63))), fn.const(0))
            fn.store(chosen, w, bit)
            fn.store(todo, w, bit)
        found = fn.local(fn.const(0))

        def going() -> Any:
            left = b.not_(self._none(fn, self._set(fn, todo)))
            return b.and_(left, b.icmp_unsigned("<", fn.get(found), limit))

        with fn.while_(going):
            part = self._lowest(fn, todo)
            more = fn.local(fn.const(0))
            fn.put(more, b.ptrtoint(fn.at(self._dependent, b.mul(part, fn.const(self.size))), I64))
            with fn.if_(b.not_(self._has(fn, enabled, part))):
                self._put(fn, costly, [b.and_(m, b.not_(c)) for m, c in zip(moves, self._set(fn, chosen), strict=True)])
                guard = fn.call(self.cheapest, part, costly, false)
                fn.put(more, b.ptrtoint(fn.at(self._enabling, b.mul(guard, fn.const(self.size))), I64))
            row = self._set(fn, b.inttoptr(fn.get(more), PTR))
            now = self._set(fn, chosen)
            fresh = [b.and_(x, b.not_(y)) for x, y in zip(row, now, strict=True)]
            both = [b.or_(x, y) for x, y in zip(row, now, strict=True)]
            self._put(fn, todo, [b.or_(x, y) for x, y in zip(self._set(fn, todo), fresh, strict=True)])
            self._put(fn, chosen, both)
            fn.put(found, self._members(fn, [b.and_(x, y) for x, y in zip(both, moves, strict=True)]))
        self._put(fn, chosen, [b.and_(x, y) for x, y in zip(self._set(fn, chosen), able, strict=True)])
        most = b.icmp_unsigned("<", fn.get(found), limit)
        fn.done(b.select(most, fn.get(found), limit))
        return fn

    def _lowest(self, fn: Function, pointer: Any) -> Any:
        """The lowest member of a set that is not empty; it is taken out."""
        b = fn.b
        values, word = self._set(fn, pointer), fn.const(self.size - 1)
        value: Any = None
        for w in reversed(range(self.size)):
            some = b.icmp_unsigned("!=", values[w], fn.const(0))
            word = b.select(some, fn.const(w), word)
            value = values[w] if value is None else b.select(some, values[w], value)
        fn.store(pointer, word, b.and_(value, b.sub(value, fn.const(1))))
        return b.add(b.mul(word, fn.const(WORD)), fn.trailing_zeros(value))

    def _choose(self) -> Function:
        """choose(false, enabled, moving, chosen) -> whether fewer parts of `chosen` than of `enabled` move."""
        fn = Function(self.module, "choose", [PTR, PTR, PTR, PTR], I1).private()
        false, enabled, moving, chosen = fn.arguments
        b = fn.b
        moves, tried, left = self._set(fn, moving), fn.buffer(I64, self.size), fn.buffer(I64, self.size)
        every = self._members(fn, moves)
        self._put(fn, chosen, self._set(fn, enabled))
        self._put(fn, left, moves)
        least = fn.local(fn.const(0))
        fn.put(least, every)

        def going() -> Any:
            some = b.not_(self._none(fn, self._set(fn, left)))
            return b.and_(some, b.icmp_unsigned(">", fn.get(least), fn.const(1)))

        with fn.while_(going):
            first = self._lowest(fn, left)
            size = fn.call(self.closed, first, enabled, false, moving, fn.get(least), tried)
            with fn.if_(b.icmp_unsigned("<", size, fn.get(least))):
                fn.put(least, size)
                self._put(fn, chosen, self._set(fn, tried))
        fn.done(b.icmp_unsigned("<", fn.get(least), every))
        return fn

    # -- steps ---------------------------------------------------------------------------------------------

    def _take(self) -> Function:
        """take(words..., parts, out, count, actions, sources, source, counters) -> count: the steps of some parts."""
        kinds = [*[I64] * self.words, PTR, PTR, I64, PTR, PTR, I64, PTR]
        fn = Function(self.module, "take", kinds, I64).private()
        words = fn.arguments[: self.words]
        parts, out, count, actions, sources, source, counters = fn.arguments[self.words :]
        b, counts = fn.b, self.program.counters
        end, number, left = fn.local(fn.const(0)), fn.local(fn.const(0)), fn.buffer(I64, self.size)
        fn.put(end, count)
        self._put(fn, left, self._set(fn, parts))
        with fn.while_(lambda: b.not_(self._none(fn, self._set(fn, left)))):
            part, start = self._lowest(fn, left), fn.get(end)
            after, nowhere = fn.llvm.block(), fn.llvm.block()
            blocks = [fn.llvm.block() for _ in self.reduction.parts]
            b.switch(part, nowhere, blocks)
            b.go_to(nowhere)
            b.unreachable()
            for k, (of, block) in enumerate(zip(self.reduction.parts, blocks, strict=True)):
                b.go_to(block)
                fn.put(end, fn.call(self.calls.parts[k], *words, out, start, counters))
                fn.put(number, fn.const(self.program.action_of[of.action]))
                b.branch(after)
            b.go_to(after)
            action = fn.get(number)
            fn.increment(counters, b.add(action, fn.const(counts.taken(0))), b.sub(fn.get(end), start))
            with fn.loop(start, fn.get(end)) as j:
                fn.store(actions, j, b.trunc(action, I16))
                fn.store(sources, j, b.trunc(source, I32))
        fn.done(fn.get(end))
        return fn

    def _expand(self) -> Function:
        """reduced_expand(context, states, n, out, actions, sources, counters): like `expand`, with the steps of a
        stubborn set, or with all where none of those leads on."""
        fn = Function(self.module, "reduced_expand", [PTR, PTR, I64, PTR, PTR, PTR, PTR], I64).private()
        pointer, states, n, out, actions, sources, counters = fn.arguments
        b, counts = fn.b, self.program.counters
        false, (enabled, moving, chosen) = fn.buffer(I64, self.guards), (fn.buffer(I64, self.size) for _ in range(3))
        count = fn.local(fn.const(0))
        with fn.loop(fn.const(0), n) as i:
            words, first = fn.words(states, i, self.words), fn.get(count)
            fn.call(self.truths, *words, false, enabled, moving, counters)
            stuck = self._none(fn, self._set(fn, enabled))
            fn.increment(counters, counts.deadlocks, b.zext(stuck, I64))
            fewer = fn.call(self.choose, false, enabled, moving, chosen)
            end = fn.call(self.take, *words, chosen, out, first, actions, sources, i, counters)
            fn.put(count, end)
            with fn.if_(fewer):
                on = self._leads_on(fn, pointer, out, first, end)
                fn.increment(counters, counts.reduced, b.zext(on, I64))
                with fn.if_(b.not_(on)):
                    rest = [b.xor(x, y) for x, y in zip(self._set(fn, enabled), self._set(fn, chosen), strict=True)]
                    self._put(fn, chosen, rest)
                    fn.put(count, fn.call(self.take, *words, chosen, out, end, actions, sources, i, counters))
            fn.increment(counters, counts.expanded)
        fn.increment(counters, counts.generated, fn.get(count))
        fn.done(fn.get(count))
        return fn

    def _having_fewer(self) -> None:
        """having_fewer(states, n, counters) -> in how many of n states some steps may be left out."""
        fn = Function(self.module, "having_fewer", [PTR, I64, PTR], I64)
        states, n, counters = fn.arguments
        false, (enabled, moving, chosen) = fn.buffer(I64, self.guards), (fn.buffer(I64, self.size) for _ in range(3))
        found = fn.local(fn.const(0))
        with fn.loop(fn.const(0), n) as i:
            fn.call(self.truths, *fn.words(states, i, self.words), false, enabled, moving, counters)
            fewer = fn.call(self.choose, false, enabled, moving, chosen)
            fn.put(found, fn.b.add(fn.get(found), fn.b.zext(fewer, I64)))
        fn.done(fn.get(found))

    def _leads_on(self, fn: Function, pointer: Any, out: Any, start: Any, end: Any) -> Any:
        """Emit: whether some of the successors start..end-1 will be expanded in a later level."""
        b = fn.b
        on, at = fn.local(fn.const(0, I1)), fn.local(fn.const(0))
        fn.put(on, fn.const(0, I1))
        fn.put(at, start)

        def going() -> Any:
            return b.and_(b.not_(fn.get(on)), b.icmp_unsigned("<", fn.get(at), end))

        with fn.while_(going):
            words = fn.words(out, fn.get(at), self.words)
            later = b.not_(self.passed(fn, pointer, words))
            if self.calls.inside is not None:
                later = b.and_(later, fn.call(self.calls.inside, *words))
            fn.put(on, later)
            fn.put(at, b.add(fn.get(at), fn.const(1)))
        return fn.get(on)
