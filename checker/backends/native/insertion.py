"""Inserts successors into the store: known states are found, new ones are stored and their watches evaluated.

Successors are stored in batches: hash all and prefetch their buckets, read the buckets and prefetch the states they
point at, compare, and search for the others, which are nearly always new. This hides most of the two cache misses of a
look-up. Whether a successor is known is unpredictable, so it is no branch.

Workers share the store without locks. Indexes are claimed by the page; a state is written before its slot, and a slot
is taken by a compare-and-swap that expects it empty. Slots never change until the table doubles, so the loser of a race
searches the bucket once more (A. Laarman, J. van de Pol, M. Weber: Boosting Multi-Core Reachability Performance with
Shared Hash Tables, FMCAD 2010).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from .builder import I1, I16, I32, I64, PTR, Function
from .calls import Calls
from .context import BUCKET, Context, Probe, hashed, same
from .instructions import Module
from .interface import LANES, PAGE
from .plain import Plain
from .watching import MOST

BATCH = 64
HALF_A_LINE = 4
"""Words of half a cache line."""


class Insertion:
    """Emits `insert` for the functions of a model; `kept` is how its states are stored."""

    def __init__(self, calls: Calls, module: Module, kept: Plain) -> None:
        self.calls, self.module, self.kept = calls, module, kept
        self.words = calls.words
        self.inside = calls.inside if kept.constrained_last else None
        self.insert = self._insert()

    def _insert(self) -> Function:
        """insert(context, states, actions, n, received): store n successors and watch those that are new.

        States that were received are stored whether they are inside the constraint or not.
        """
        fn = Function(self.module, "insert", [PTR, PTR, PTR, I64, I1]).private()
        pointer, states, actions, n, received = fn.arguments
        context, b = Context(fn, pointer), fn.b
        seen, new = SeenSuccessors(fn), New(fn, states, context)
        start = fn.local(fn.const(0))
        with fn.while_(lambda: b.icmp_unsigned("<", fn.get(start), n)):
            base = fn.get(start)
            left = b.sub(n, base)
            size = b.select(b.icmp_unsigned("<", left, fn.const(BATCH)), left, fn.const(BATCH))
            first = fn.at(states, b.mul(base, fn.const(self.words)))
            self._prefetch_slots(fn, context, first, size, seen)
            self._prefetch_states(fn, context, size, seen)
            self._recognise(fn, context, (first, actions, base), size, seen)
            with fn.loop(fn.const(0), fn.get(seen.number)) as k:
                i = b.zext(fn.load(seen.open, k, I16), I64)
                position = b.add(base, i)
                words = fn.words(first, i, self.words)
                record = self.kept.record(fn, context, words, position)
                action = fn.load(actions, position, I16)
                with self._inside(fn, context, words, received):
                    self._put(fn, context, (words, record), fn.load(seen.hashes, i), (position, action), new)
            self._watch(fn, new, b.icmp_unsigned(">", fn.get(new.number), fn.const(MOST - BATCH)))
            fn.put(start, b.add(base, size))
        self._watch(fn, new, b.icmp_unsigned("!=", fn.get(new.number), fn.const(0)))
        fn.done()
        return fn

    @contextmanager
    def _inside(self, fn: Function, context: Context, words: list[Any], received: Any) -> Iterator[None]:
        """The body runs where a state that was not recognised is inside the constraint; outside it is watched."""
        if self.inside is None:
            yield
            return
        with fn.b.if_else(fn.b.or_(received, fn.call(self.inside, *words))) as (inside, outside):
            with inside:
                yield
            with outside:
                self.calls.count_outside(fn, words, context.array("counters"))

    def _prefetch_slots(self, fn: Function, context: Context, states: Any, size: Any, seen: SeenSuccessors) -> None:
        """Lines are prefetched in loops that do nothing else: so more requests are pending at once."""
        probe = Probe(fn, context)
        with fn.loop(fn.const(0), size) as i:
            fn.store(seen.hashes, i, hashed(fn, self.calls.key(fn, fn.words(states, i, self.words))))
        with fn.loop(fn.const(0), size) as i:
            fn.prefetch(fn.at(probe.table, probe.home(fn.load(seen.hashes, i)), BUCKET))

    def _prefetch_states(self, fn: Function, context: Context, size: Any, seen: SeenSuccessors) -> None:
        """Also note the indexes of the candidate states, which most successors equal; -1 where there is none.

        Where there is none the first state is prefetched, which costs nothing: cheaper than an unpredictable branch.
        The larger the table, the shorter the tags, so there may be several candidates.

        A space of large states leaves no cache for the actions that led to the level.
        """
        b, probe = fn.b, Probe(fn, context)
        via, start = context.array("via"), context.level_start
        with fn.loop(fn.const(0), size) as i:
            value = fn.load(seen.hashes, i)
            home = probe.home(value)
            candidates = probe.candidates(probe.slots(home), value)
            some = b.icmp_unsigned("!=", candidates, fn.const(0, I16))
            index = probe.index(home, b.and_(fn.trailing_zeros(candidates), fn.const(LANES - 1)))
            fn.store(seen.guesses, i, b.select(some, index, fn.const(-1)))
            others = b.and_(candidates, b.sub(candidates, fn.const(1, I16)))
            with fn.if_(b.icmp_unsigned("!=", others, fn.const(0, I16)), rarely=True):
                self._prefetch_state(fn, context, probe.index(home, fn.trailing_zeros(others)))
        with fn.loop(fn.const(0), size) as i:
            guess = fn.load(seen.guesses, i)
            self._prefetch_state(fn, context, _at_least_0(fn, guess))
            if self._large:
                fn.prefetch(fn.at(via, _at_least_0(fn, b.sub(guess, start)), I16))

    @property
    def _large(self) -> bool:
        """Whether the compared part of a state often spans two cache lines."""
        return self.kept.mark_words > HALF_A_LINE

    def _prefetch_state(self, fn: Function, context: Context, index: Any) -> None:
        mark = fn.at(self.kept.marks(context), fn.b.mul(index, fn.const(self.kept.mark_words)))
        fn.prefetch(mark)
        if self._large:
            fn.prefetch(fn.at(mark, self.kept.mark_words - 1))

    def _recognise(
        self, fn: Function, context: Context, batch: tuple[Any, Any, Any], size: Any, seen: SeenSuccessors
    ) -> None:
        """List the successors that differ from their candidates; each is then searched for."""
        b, (states, actions, base) = fn.b, batch
        marks, via = self.kept.marks(context), context.array("via")
        fn.put(seen.number, fn.const(0))
        with fn.loop(fn.const(0), size) as i:
            position, guess = b.add(base, i), fn.load(seen.guesses, i)
            words, action = fn.words(states, i, self.words), fn.load(actions, position, I16)
            mark = self.kept.mark(fn, words, self.kept.record(fn, context, words, position))
            some = b.icmp_signed(">=", guess, fn.const(0))
            found = fn.words(marks, b.select(some, guess, fn.const(0)), self.kept.mark_words)
            right = b.and_(some, same(fn, found, mark))
            number = fn.get(seen.number)
            fn.store(seen.open, number, b.trunc(i, I16))
            fn.put(seen.number, b.add(number, b.zext(b.not_(right), I64)))
            place = b.sub(guess, context.level_start)
            built = b.and_(right, b.icmp_signed(">=", place, fn.const(0)))
            before = fn.load(via, b.select(built, place, fn.const(0)), I16)
            with fn.if_(b.and_(built, b.icmp_unsigned("<", action, before)), rarely=True):
                self._note_action(fn, context, guess, action)
        known = b.sub(size, fn.get(seen.number))
        fn.increment(context.array("counters"), self.calls.program.counters.known, known)

    def _put(
        self,
        fn: Function,
        context: Context,
        state: tuple[list[Any], list[Any]],
        value: Any,
        given: tuple[Any, Any],
        new: New,
    ) -> None:
        """Find a state, or store it as a new one: its words and their stored form, its hash, its position and
        action."""
        b, none, (words, record), (position, action) = fn.b, fn.const(-1), state, given
        mark = self.kept.mark(fn, words, record)
        bucket, known, free = (fn.local(v) for v in (fn.const(0), none, none))
        fn.put(known, none)
        searching = fn.local(fn.const(1, I1))
        fn.put(searching, fn.const(1, I1))
        with fn.while_(lambda: fn.get(searching)):
            self._search(fn, context, mark, value, (bucket, known, free))
            old = b.icmp_signed(">=", fn.get(known), fn.const(0))
            fn.put(searching, fn.const(0, I1))
            with fn.if_(b.not_(old)):
                stored = self._append(fn, context, words, record, value, action, fn.get(free))
                fn.put(searching, b.not_(stored))
        # the rest is outside the loop: LLVM would evaluate watches before it, for known states too
        with b.if_else(b.icmp_signed(">=", fn.get(known), fn.const(0))) as (old, fresh):
            with old:
                fn.increment(context.array("counters"), self.calls.program.counters.known)
                self._note_action(fn, context, fn.get(known), action)
            with fresh:
                self._count_first(fn, context, action, 1)
                self._note(fn, context, new, words, position, action)

    def _search(self, fn: Function, context: Context, mark: list[Any], value: Any, locals_: tuple[Any, ...]) -> None:
        """Set `known` to the index of the state with a mark, else `free` to the position that it may take."""
        b, probe, marks = fn.b, Probe(fn, context), self.kept.marks(context)
        bucket, known, free = locals_
        fn.put(bucket, probe.home(value))
        fn.put(free, fn.const(-1))
        open_ = fn.local(fn.const(0, I16))

        def searching() -> Any:
            return b.icmp_signed("<", b.and_(fn.get(known), fn.get(free)), fn.const(0))

        with fn.while_(searching):
            slots = probe.slots(fn.get(bucket))
            fn.put(open_, probe.candidates(slots, value))
            with fn.while_(lambda: b.icmp_unsigned("!=", fn.get(open_), fn.const(0, I16))):
                left = fn.get(open_)
                index = probe.index(fn.get(bucket), fn.trailing_zeros(left))
                found = same(fn, fn.words(marks, index, self.kept.mark_words), mark)
                fn.put(known, b.select(found, index, fn.get(known)))
                fn.put(open_, b.select(found, fn.const(0, I16), b.and_(left, b.sub(left, fn.const(1, I16)))))
            empty = probe.empty(slots)
            vacant = b.add(b.mul(fn.get(bucket), fn.const(LANES)), fn.trailing_zeros(empty))
            some = b.icmp_unsigned("!=", empty, fn.const(0, I16))
            fn.put(free, b.select(some, vacant, fn.const(-1)))
            fn.put(bucket, probe.following(fn.get(bucket)))

    def _note_action(self, fn: Function, context: Context, index: Any, action: Any) -> None:
        """A state of the level being built is new by its least action, whichever worker comes first."""
        b, start = fn.b, context.level_start
        with fn.if_(b.icmp_unsigned(">=", index, start)):
            via = fn.at(context.array("via"), b.sub(index, start), I16)
            known = fn.local(fn.const(0, I16))
            fn.put(known, b.load(via, I16))
            less = b.icmp_unsigned("<", action, fn.get(known))
            with fn.if_(less):
                with b.if_else(b.icmp_unsigned("!=", context.crowd, fn.const(0))) as (crowd, alone):
                    with crowd:
                        fn.put(known, b.atomic_rmw("umin", via, action, "monotonic"))
                    with alone:
                        b.store(action, via)
                with fn.if_(b.icmp_unsigned("<", action, fn.get(known))):
                    self._count_first(fn, context, fn.get(known), -1)
                    self._count_first(fn, context, action, 1)

    def _count_first(self, fn: Function, context: Context, action: Any, by: int) -> None:
        b, names = fn.b, len(self.calls.program.action_names)
        place = b.zext(action, I64)
        place = b.select(b.icmp_unsigned("<", place, fn.const(names)), place, fn.const(names))
        first = fn.const(self.calls.program.counters.first(0))
        fn.increment(context.array("counters"), b.add(place, first), by)

    def _append(
        self,
        fn: Function,
        context: Context,
        words: list[Any],
        record: list[Any],
        value: Any,
        action: Any,
        position: Any,
    ) -> Any:
        """Store a new state whose slot goes to a free position; false if another worker took that meanwhile."""
        b = fn.b
        with fn.if_(b.icmp_unsigned("==", context.next, context.page_end), rarely=True):
            page = b.atomic_rmw("add", context.array("claimed"), fn.const(PAGE), "monotonic")
            context.put("next", page)
            context.put("page_end", b.add(page, fn.const(PAGE)))
        index = context.next
        fn.put_words(context.array("states"), index, self.kept.stored(fn, context, words, record))
        if self.calls.program.viewed:
            fn.put_words(context.array("keys"), index, self.calls.key(fn, words))
        fn.store(context.array("via"), b.sub(index, context.level_start), action)
        slot = Probe(fn, context).slot(value, index, position)
        address = fn.at(context.array("table"), position, I32)
        stored = fn.local(fn.const(1, I1))
        with b.if_else(b.icmp_unsigned("!=", context.crowd, fn.const(0))) as (crowd, alone):
            with crowd:
                swapped = b.cmpxchg(address, fn.const(0, I32), slot, "acq_rel", "acquire")
                fn.put(stored, swapped)
            with alone:
                b.store(slot, address)
                fn.put(stored, fn.const(1, I1))
        added = b.zext(fn.get(stored), I64)
        context.put("next", b.add(index, added))
        context.put("stored", b.add(context.stored, added))
        return fn.get(stored)

    def _note(self, fn: Function, context: Context, new: New, words: list[Any], position: Any, action: Any) -> None:
        """Evaluate on a new state the watches that its action may have changed, and those that hold already.

        Watches that are evaluated on many states at once are only listed.
        """
        if not self.calls.state_flags:
            return
        b = fn.b
        wanted = b.and_(b.or_(self.calls.needed(fn, action), context.always), b.not_(context.never))
        for g in range(len(self.calls.state_flags)):
            if g not in self.calls.dear:
                with fn.if_(b.trunc(b.lshr(wanted, fn.const(g)), I1)):
                    self.calls.count_group(fn, g, words, context.array("counters"))
        if self.calls.watch is not None:
            number, dear = fn.get(new.number), b.and_(wanted, fn.const(sum(1 << g for g in self.calls.dear)))
            fn.store(new.positions, number, b.trunc(position, I32))
            fn.store(new.wanted, number, dear)
            some = b.icmp_unsigned("!=", dear, fn.const(0))
            fn.put(new.number, b.add(number, b.zext(some, I64)))

    def _watch(self, fn: Function, new: New, when: Any) -> None:
        """Evaluate the watches of the states that are listed."""
        if self.calls.watch is None:
            return
        with fn.if_(when):
            number, counters = fn.get(new.number), new.context.array("counters")
            fn.call(self.calls.watch, new.states, new.positions, new.wanted, number, counters)
            fn.put(new.number, fn.const(0))


class SeenSuccessors:
    """The data of a batch of successors before they are stored: their hashes, the indexes of their candidates, and the
    positions of those that differ from them."""

    def __init__(self, fn: Function) -> None:
        self.hashes, self.guesses, self.open = fn.buffer(I64, BATCH), fn.buffer(I64, BATCH), fn.buffer(I16, BATCH)
        self.number = fn.local(fn.const(0))


class New:
    """New states whose watches are still to be evaluated: their positions, and which groups."""

    def __init__(self, fn: Function, states: Any, context: Context) -> None:
        self.states, self.context, self.number = states, context, fn.local(fn.const(0))
        self.positions, self.wanted = fn.buffer(I32, MOST), fn.buffer(I64, MOST)


def _at_least_0(fn: Function, value: Any) -> Any:
    """A number, or 0 where it is negative."""
    return fn.b.select(fn.b.icmp_signed(">", value, fn.const(0)), value, fn.const(0))
