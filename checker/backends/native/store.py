"""The exact state store, and the search loop around it: states in an arena, found through a table of 32-bit slots.

`context` describes a worker's context and a slot, `insertion` how workers store states without locks, `doubling` how
the table grows.
"""

from __future__ import annotations

from typing import Any

from .builder import I1, I16, I32, I64, PTR, Function
from .calls import Calls
from .context import Context, hashed
from .doubling import Doubling
from .insertion import Insertion
from .instructions import Module
from .interface import DONE, GROW, MULTIPLIERS, NARROW, CompressedLayout
from .plain import Plain
from .state_compressor import StateCompressor


class Store:
    """Emits the store and the search loop around the functions of a model."""

    def __init__(self, calls: Calls, module: Module, batch: int, compression: CompressedLayout | None) -> None:
        self.calls, self.module, self.batch = calls, module, batch
        self.words = calls.words
        self.kept = Plain(calls, module) if compression is None else StateCompressor(calls, module, compression)
        insertion = Insertion(calls, module, self.kept)
        self.insert = insertion.insert
        self.keep_inside = None if insertion.inside is not None else self._keep_inside()
        self._explore_levels(self._explore())
        self._receive()
        Doubling(module, self.kept)
        self._owners_of()

    # -- between expansion and insertion -------------------------------------------------------------------

    def _keep_inside(self) -> Function | None:
        """keep_inside(context, n) -> n: drops the successors outside a constraint, after evaluating their watches."""
        if self.calls.inside is None:
            return None
        fn = Function(self.module, "keep_inside", [PTR, I64], I64).private()
        context, b = Context(fn, fn.arguments[0]), fn.b
        out, actions, counters = context.array("out"), context.array("actions"), context.array("counters")
        sources = context.array("sources")
        kept = fn.local(fn.const(0))
        with fn.loop(fn.const(0), fn.arguments[1]) as i:
            words, action = fn.words(out, i, self.words), fn.load(actions, i, I16)
            with b.if_else(fn.call(self.calls.inside, *words)) as (inside, outside):
                with inside:
                    fn.put_words(out, fn.get(kept), words)
                    fn.store(actions, fn.get(kept), action)
                    fn.store(sources, fn.get(kept), fn.load(sources, i, I32))
                    fn.put(kept, b.add(fn.get(kept), fn.const(1)))
                with outside:
                    self.calls.count_outside(fn, words, counters)
        fn.done(fn.get(kept))
        return fn

    def _owner(self, fn: Function, value: Any, owners: Any) -> Any:
        """Which of some owners has a hash: from bits that neither the slot nor the tag uses alone."""
        b = fn.b
        mixed = b.lshr(b.mul(value, fn.const(MULTIPLIERS[1])), fn.const(32))
        return b.lshr(b.mul(mixed, owners), fn.const(32))

    def _owners_of(self) -> None:
        """owners_of(states, n, owners, out): the owner of each of n states."""
        fn = Function(self.module, "owners_of", [PTR, I64, I64, PTR])
        states, n, owners, out = fn.arguments
        with fn.loop(fn.const(0), n) as i:
            key = self.calls.key(fn, fn.words(states, i, self.words))
            fn.store(out, i, self._owner(fn, hashed(fn, key), owners))
        fn.done()

    # -- the search loop -----------------------------------------------------------------------------------

    def _explore(self) -> Function:
        """explore(context) -> DONE or GROW: expand cursor..end and store the successors, batch by batch."""
        fn = Function(self.module, "explore", [PTR], I64)
        context, b = Context(fn, fn.arguments[0]), fn.b
        status = fn.local(fn.const(-1))
        with fn.while_(lambda: b.icmp_signed("<", fn.get(status), fn.const(0))):
            left = b.sub(context.end, context.cursor)
            size = b.select(b.icmp_unsigned("<", left, fn.const(self.batch)), left, fn.const(self.batch))
            finished = b.icmp_unsigned("==", left, fn.const(0))
            claimed, own = b.load_atomic(context.array("claimed"), "monotonic", 8, I64), context.next
            used = b.select(b.icmp_unsigned(">", own, claimed), own, claimed)
            full = b.icmp_unsigned(">", b.add(used, context.slack), context.limit)
            full = b.or_(full, self.kept.full(fn, context))
            stop = b.select(finished, fn.const(DONE), b.select(full, fn.const(GROW), fn.const(-1)))
            fn.put(status, stop)
            with fn.if_(b.icmp_signed("<", stop, fn.const(0))):
                self._expand_batch(fn, context, size)
        fn.done(fn.get(status))
        return fn

    def _explore_levels(self, explore: Function) -> None:
        """explore_levels(context, ends, most, news, n) -> twice the number of levels that it has built, of at most so
        many, and one more if the table must grow before it continues.

        It continues what `explore` began, alone, and then the next levels, as long as a level is narrow and none of n
        counters, whose numbers are given, has counted anything. ends[i] is one past the last state of a level.
        """
        fn = Function(self.module, "explore_levels", [PTR, PTR, I64, PTR, I64], I64)
        pointer, ends, most, news, n = fn.arguments
        context, b = Context(fn, pointer), fn.b
        built, result, seen = fn.local(fn.const(0)), fn.local(fn.const(-1)), fn.local(fn.const(0))
        with fn.while_(lambda: b.icmp_signed("<", fn.get(result), fn.const(0))):
            status = fn.call(explore, pointer)
            with b.if_else(b.icmp_unsigned("==", status, fn.const(GROW))) as (full, whole):
                with full:
                    fn.put(result, b.add(b.add(fn.get(built), fn.get(built)), fn.const(1)))
                with whole:
                    start, end, counters = context.level_start, context.next, context.array("counters")
                    fn.store(ends, fn.get(built), end)
                    fn.put(built, b.add(fn.get(built), fn.const(1)))
                    with fn.loop(fn.const(0), n) as i:
                        fn.put(seen, b.or_(fn.get(seen), fn.load(counters, fn.load(news, i))))
                    wide = b.icmp_unsigned(">=", b.sub(b.sub(end, start), fn.const(1)), fn.const(NARROW))  # or empty
                    last = b.icmp_unsigned("==", fn.get(built), most)
                    stop = b.or_(b.or_(wide, last), b.icmp_unsigned("!=", fn.get(seen), fn.const(0)))
                    with b.if_else(stop) as (over, further):
                        with over:
                            fn.put(result, b.add(fn.get(built), fn.get(built)))
                        with further:
                            context.put("cursor", start)
                            context.put("end", end)
                            context.put("level_start", end)
        fn.done(fn.get(result))

    def _expand_batch(self, fn: Function, context: Context, size: Any) -> None:
        b, cursor = fn.b, context.cursor
        out, actions, sources = (context.array(n) for n in ("out", "actions", "sources"))
        counters = context.array("counters")
        states = self.kept.rows(fn, context, cursor, size)
        count = fn.local(fn.call(self.calls.expand, states, size, out, actions, sources, counters))
        if self.calls.step_flags:
            with fn.loop(fn.const(0), fn.get(count)) as i:
                before = fn.words(states, b.zext(fn.load(sources, i, I32), I64), self.words)
                self.calls.count_step(fn, fn.words(out, i, self.words), before, counters)
        if self.keep_inside is not None:
            fn.put(count, fn.call(self.keep_inside, fn.arguments[0], fn.get(count)))
        self.kept.before_insertion(fn, context, fn.get(count))
        fn.call(self.insert, fn.arguments[0], out, actions, fn.get(count), fn.const(0, I1))
        context.put("cursor", b.add(cursor, size))

    def _receive(self) -> None:
        """receive(context, states, actions, n) -> n stored: all, or fewer when the table must grow first.

        Of compressed states at most as many at once as a batch may have successors.
        """
        fn = Function(self.module, "receive", [PTR, PTR, PTR, I64], I64)
        pointer, states, actions, n = fn.arguments
        context, b = Context(fn, pointer), fn.b
        room = b.sub(context.limit, context.next)
        size = b.select(b.icmp_unsigned("<", room, n), room, n)
        self.kept.before_receiving(fn, context, states, size)
        fn.call(self.insert, pointer, states, actions, size, fn.const(1, I1))
        fn.done(size)
