"""Compressed states: a state is cut into parts, each part is stored once, and a root has the numbers of its parts.

The words of a state are divided into groups that take few values together (`CompressedLayout`). Each group has an exact
table of its values, with a number for each; a root is these numbers side by side, in few words. Equal states have equal
roots and vice versa, so a look-up compares roots, and the search stays exact. The hash of a state is that of its words,
so the table of slots does not depend on compression.

A successor differs from its predecessor in few words. A group whose words are the same has the same number, so only
changed groups are looked up (A. Laarman, J. van de Pol, M. Weber: Parallel Recursive State Compression for Free, SPIN
2011, the source of part tables and of this shortcut; there the parts form a binary tree).

The slots of all changed parts of a batch are prefetched before the first look-up.

The position of a number in its word of the root is read from the tables, so that it can be widened.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .builder import I1, I16, I32, I64, PTR, Function
from .calls import Calls
from .context import BUCKET, Context, Probe, hashed, same
from .insertion import BATCH
from .instructions import Module
from .interface import LANES, PART, PART_SIZE, CompressedLayout
from .plain import Plain


class StateCompressor(Plain):
    """Emits the functions that compress and decompress the states of a program."""

    def __init__(self, calls: Calls, module: Module, compression: CompressedLayout) -> None:
        super().__init__(calls, module)
        self.compression, self.viewed = compression, calls.program.viewed
        if not self.viewed:
            self.mark_words = compression.roots
        self._finders = [self._find(number, len(words)) for number, words in enumerate(compression.groups)]
        self.fold_steps = None if self.viewed else self._fold_steps()
        self.decompressing = self._decompress()
        self._parted()
        self._refill()

    # -- interface of a state storage ----------------------------------------------------------------------

    @property
    def constrained_last(self) -> bool:
        """Roots are made before they are looked up, of states inside the constraint alone."""
        return False

    def record(self, fn: Function, context: Context, words: list[Any], position: Any) -> list[Any]:
        """Emit: the root of the successor at a position. With a view, only the roots of new states are made."""
        return [] if self.viewed else fn.words(context.array("roots"), position, self.compression.roots)

    def mark(self, fn: Function, words: list[Any], record: list[Any]) -> list[Any]:
        return self.calls.key(fn, words) if self.viewed else record

    def marks(self, context: Context) -> Any:
        return context.array("keys" if self.viewed else "states")

    def stored(self, fn: Function, context: Context, words: list[Any], record: list[Any]) -> list[Any]:
        return self.made(fn, context, words) if self.viewed else record

    def key(self, fn: Function, context: Context, index: Any) -> list[Any]:
        if self.viewed:
            return super().key(fn, context, index)
        return self._words_of(fn, context.array("states"), context.array("parts"), index)

    def rows(self, fn: Function, context: Context, start: Any, size: Any) -> Any:
        parents = context.array("parents")
        one = fn.const(1)
        fn.call(self.decompressing, context.array("states"), context.array("parts"), start, one, size, parents)
        return parents

    def before_insertion(self, fn: Function, context: Context, count: Any) -> None:
        if self.fold_steps is not None:
            fn.call(self.fold_steps, context.pointer, count)

    def before_receiving(self, fn: Function, context: Context, states: Any, count: Any) -> None:
        if not self.viewed:
            with fn.loop(fn.const(0), count) as i:
                fn.put_words(context.array("roots"), i, self.made(fn, context, fn.words(states, i, self.words)))

    def full(self, fn: Function, context: Context) -> Any:
        b, found = fn.b, fn.const(0, I1)
        for g in range(len(self.compression.groups)):
            part = Context(fn, self._part(fn, context.array("parts"), g), PART)
            claimed = b.load_atomic(part.address("claimed"), "monotonic", 8, I64)
            found = b.or_(found, b.icmp_unsigned(">", b.add(claimed, context.slack), part.limit))
        return found

    # -- parts ---------------------------------------------------------------------------------------------

    def _part(self, fn: Function, parts: Any, number: int) -> Any:
        return fn.at(parts, number * PART_SIZE)

    def _find(self, group: int, size: int) -> Function:
        """find(part, crowd, words...) -> the number of a value, which is stored if it is new.

        A worker that loses the race for a slot looks again; the number that it claimed stays unused.
        """
        fn = Function(self.module, f"find_{group}", [PTR, I64, *[I64] * size], I64).private()
        pointer, crowd, *words = fn.arguments
        part, b = Context(fn, pointer, PART), fn.b
        probe, entries, value = Probe(fn, part), part.array("entries"), hashed(fn, words)
        bucket, found, spare = fn.local(probe.home(value)), fn.local(fn.const(-1)), fn.local(fn.const(-1))
        with fn.while_(lambda: b.icmp_signed("<", fn.get(found), fn.const(0))):
            slots = probe.slots(fn.get(bucket))
            self._among(fn, probe, entries, slots, words, (bucket, found, value))
            with fn.if_(b.icmp_signed("<", fn.get(found), fn.const(0)), rarely=True):
                empty = probe.empty(slots)
                with b.if_else(b.icmp_unsigned("!=", empty, fn.const(0, I16))) as (vacant, full):
                    with vacant:
                        self._claim(fn, part, entries, words, crowd, spare)
                        position = b.add(b.mul(fn.get(bucket), fn.const(LANES)), fn.trailing_zeros(empty))
                        slot = probe.slot(value, fn.get(spare), position)
                        address = fn.at(probe.table, position, I32)
                        swapped = b.cmpxchg(address, fn.const(0, I32), slot, "acq_rel", "acquire")
                        fn.put(found, b.select(swapped, fn.get(spare), fn.const(-1)))
                    with full:
                        fn.put(bucket, probe.following(fn.get(bucket)))
        fn.done(fn.get(found))
        return fn

    def _among(
        self, fn: Function, probe: Probe, entries: Any, slots: Any, words: list[Any], locals_: tuple[Any, Any, Any]
    ) -> None:
        """Set `found` where one of the slots of a bucket is that of a value."""
        b, (bucket, found, value) = fn.b, locals_
        open_ = fn.local(fn.const(0, I16))
        fn.put(open_, probe.candidates(slots, value))
        with fn.while_(lambda: b.icmp_unsigned("!=", fn.get(open_), fn.const(0, I16))):
            left = fn.get(open_)
            index = probe.index(fn.get(bucket), fn.trailing_zeros(left))
            equal = same(fn, fn.words(entries, index, len(words)), words)
            fn.put(found, b.select(equal, index, fn.get(found)))
            fn.put(open_, b.select(equal, fn.const(0, I16), b.and_(left, b.sub(left, fn.const(1, I16)))))

    def _claim(self, fn: Function, part: Context, entries: Any, words: list[Any], crowd: Any, spare: Any) -> None:
        """Write a value under a new number, once."""
        b = fn.b
        with fn.if_(b.icmp_signed("<", fn.get(spare), fn.const(0))):
            claimed = part.address("claimed")
            with b.if_else(b.icmp_unsigned("!=", crowd, fn.const(0))) as (many, alone):
                with many:
                    fn.put(spare, b.atomic_rmw("add", claimed, fn.const(1), "monotonic"))
                with alone:
                    fn.put(spare, b.load(claimed, I64))
                    b.store(b.add(fn.get(spare), fn.const(1)), claimed)
            fn.put_words(entries, fn.get(spare), words)

    def _refill(self) -> None:
        """refill(group, part, old, n): give the numbers in the n slots of an old table a slot in the present one."""
        fn = Function(self.module, "refill", [I64, PTR, PTR, I64])
        group, pointer, old, n = fn.arguments
        part = Context(fn, pointer, PART)
        probe, bucket, b = Probe(fn, part), fn.local(fn.const(0)), fn.b
        half = b.lshr(probe.indexes, fn.const(1))
        for number, words in enumerate(self.compression.groups):
            with fn.if_(b.icmp_unsigned("==", group, fn.const(number))), fn.loop(fn.const(0), n) as i:
                slot = b.zext(fn.load(old, i, I32), I64)
                with fn.if_(b.icmp_unsigned("!=", slot, fn.const(0))):
                    index = b.sub(b.and_(slot, half), fn.const(1))
                    value = hashed(fn, fn.words(part.array("entries"), index, len(words)))
                    position = probe.vacancy(bucket, value)
                    fn.store(probe.table, position, probe.slot(value, index, position))
        fn.done()

    # -- compressing -------------------------------------------------------------------------------------------

    def _fold_steps(self) -> Function:
        """fold_steps(context, n): the roots of the n successors of a batch, from those of their predecessors."""
        fn = Function(self.module, "fold_steps", [PTR, I64]).private()
        context, b = Context(fn, fn.arguments[0]), fn.b
        out, parents, sources, roots = (context.array(name) for name in ("out", "parents", "sources", "roots"))
        parts, crowd = context.array("parts"), context.crowd
        before = fn.at(context.array("states"), b.mul(context.cursor, fn.const(self.compression.roots)))
        places = [Context(fn, self._part(fn, parts, g), PART) for g in range(len(self.compression.groups))]
        shifts = [part.shift for part in places]
        masks = [b.shl(part.mask, shift) for part, shift in zip(places, shifts, strict=True)]
        probes = [Probe(fn, part) for part in places]
        start, n = fn.local(fn.const(0)), fn.arguments[1]

        def changed(i: Any, source: Any) -> Iterator[tuple[int, list[Any]]]:
            """Emit a body for each group of the i-th successor that has changed."""
            words, old = fn.words(out, i, self.words), fn.words(parents, source, self.words)
            for g, group in enumerate(self.compression.groups):
                mine = [words[w] for w in group]
                with fn.if_(b.not_(same(fn, mine, [old[w] for w in group]))):
                    yield g, mine

        with fn.while_(lambda: b.icmp_unsigned("<", fn.get(start), n)):
            first = fn.get(start)
            left = b.sub(n, first)
            end = b.add(first, b.select(b.icmp_unsigned("<", left, fn.const(BATCH)), left, fn.const(BATCH)))
            with fn.loop(first, end) as i:
                for g, mine in changed(i, b.zext(fn.load(sources, i, I32), I64)):
                    fn.prefetch(fn.at(probes[g].table, probes[g].home(hashed(fn, mine)), BUCKET))
            with fn.loop(first, end) as i:
                source = b.zext(fn.load(sources, i, I32), I64)
                root = [fn.local(word) for word in fn.words(before, source, self.compression.roots)]
                for g, mine in changed(i, source):
                    found = fn.call(self._finders[g], places[g].pointer, crowd, *mine)
                    place = root[self.compression.places[g]]
                    kept = b.and_(fn.get(place), b.not_(masks[g]))
                    fn.put(place, b.or_(kept, b.shl(found, shifts[g])))
                fn.put_words(roots, i, [fn.get(word) for word in root])
            fn.put(start, end)
        fn.done()
        return fn

    def made(self, fn: Function, context: Context, words: list[Any]) -> list[Any]:
        root = [fn.const(0)] * self.compression.roots
        for g, (find, group, place) in enumerate(
            zip(self._finders, self.compression.groups, self.compression.places, strict=True)
        ):
            part = Context(fn, self._part(fn, context.array("parts"), g), PART)
            number = fn.call(find, part.pointer, context.crowd, *[words[w] for w in group])
            root[place] = fn.b.or_(root[place], fn.b.shl(number, part.shift))
        return root

    def _parted(self) -> None:
        """parted(parts, states, n, crowd, numbers): the numbers (u32) of the parts of n states."""
        fn = Function(self.module, "parted", [PTR, PTR, I64, I64, PTR])
        parts, states, n, crowd, numbers = fn.arguments
        b, groups = fn.b, self.compression.groups
        with fn.loop(fn.const(0), n) as i:
            words = fn.words(states, i, self.words)
            for g, group in enumerate(groups):
                found = fn.call(self._finders[g], self._part(fn, parts, g), crowd, *[words[w] for w in group])
                fn.store(numbers, b.add(b.mul(i, fn.const(len(groups))), fn.const(g)), b.trunc(found, I32))
        fn.done()

    def _decompress(self) -> Function:
        """decompress(roots, parts, start, step, n, out): the words of n states from one on, every step-th."""
        fn = Function(self.module, "decompress", [PTR, PTR, I64, I64, I64, PTR])
        roots, parts, start, step, n, out = fn.arguments
        with fn.loop(fn.const(0), n) as i:
            index = fn.b.add(start, fn.b.mul(i, step))
            fn.put_words(out, i, self._words_of(fn, roots, parts, index))
        fn.done()
        return fn

    def _words_of(self, fn: Function, roots: Any, parts: Any, index: Any) -> list[Any]:
        root, b = fn.words(roots, index, self.compression.roots), fn.b
        found: list[Any] = [None] * self.words
        for g, group in enumerate(self.compression.groups):
            part = Context(fn, self._part(fn, parts, g), PART)
            number = b.and_(b.lshr(root[self.compression.places[g]], part.shift), part.mask)
            for w, word in zip(group, fn.words(part.array("entries"), number, len(group)), strict=True):
                found[w] = word
        return found
