"""The exact state store: states in an arena, found through a table of 32-bit slots.

A slot is zero or holds, from its low bits up: the index of a state plus one, a mark for a state that is not in
its home bucket, and in all the bits that are left a tag from the hash; so a probe touches the state itself only
when the tag agrees. Slots are probed by buckets of sixteen, a cache line that one vector comparison looks
through. Successors are stored in batches: hash all and prefetch their buckets, look at the buckets and prefetch
the states that they point at, then compare. This hides most of the two cache misses that a look-up costs.

Workers share the store without locks. Indexes are claimed by the page; a state is written before its slot, and a
slot is taken by a compare-and-swap that expects it empty. Slots never change until the table doubles, so whoever
loses such a race looks through the bucket once more (A. Laarman, J. van de Pol, M. Weber: Boosting Multi-Core
Reachability Performance with Shared Hash Tables, FMCAD 2010).

The bits of the hash right above those that choose the bucket are the tag. So when the table doubles, the tag
says where a state goes, and no state is read.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir

from .builder import I1, I16, I32, I64, PTR, Function
from .functions import Functions

BATCH = 64
PAGE = 256
"""Indexes that a worker claims at once."""
LANES_BITS = 4
LANES = 1 << LANES_BITS
BUCKET = ir.VectorType(I32, LANES)
MULTIPLIERS = (0x9E3779B97F4A7C15, 0xD6E8FEB86659FD93, 0xA0761D6478BD642F, 0xE7037ED1A0B428DB)

SLOTS = (
    "states",  # the arena of states
    "keys",  # the arena of keys: the same as states unless the spec has a view
    "table",  # the slots
    "bits",  # log2 of the number of slots
    "stored",  # states that this worker stored
    "next",  # the index of the next state that it stores ...
    "page_end",  # ... which is in a page that ends here: then it claims another ...
    "claimed",  # ... from this counter that all workers share
    "crowd",  # whether other workers store states at the same time
    "level_start",  # index of the first state of the level that is being built
    "via",  # the least action (u16) that led to each state of the level that is being built
    "cursor",  # the next state to expand
    "end",  # one past the last state to expand
    "limit",  # indexes that fit before the table must grow ...
    "slack",  # ... of which so many are kept free for what the workers are about to store
    "out",  # successors of a batch ...
    "actions",  # ... their actions (u16)
    "sources",  # ... and the positions of their predecessors in the batch (u32)
    "counters",  # see program.Counters
    "always",  # groups of watches that are evaluated on every new state, as a mask ...
    "never",  # ... and those that have told all that they can
)
SLOT = {name: i for i, name in enumerate(SLOTS)}
DONE, GROW = 0, 1


class Context:
    """A worker's context as compiled code sees it."""

    def __init__(self, fn: Function, pointer: Any) -> None:
        self.fn, self.pointer = fn, pointer

    def __getattr__(self, name: str) -> Any:
        return self.fn.load(self.pointer, SLOT[name])

    def array(self, name: str) -> Any:
        """A slot that holds an address."""
        return self.fn.load(self.pointer, SLOT[name], PTR)

    def put(self, name: str, value: Any) -> None:
        """Assign a slot."""
        self.fn.store(self.pointer, SLOT[name], value)


def hashed(fn: Function, words: list[Any]) -> Any:
    """A 64-bit hash: multiply and fold, once for each word and once more."""
    b = fn.b
    value = fn.const(0x2545F4914F6CDD1D)
    for i, word in enumerate(words):
        value = b.mul(b.xor(value, word), fn.const(MULTIPLIERS[i % len(MULTIPLIERS)]))
        value = b.xor(value, b.lshr(value, fn.const(29)))
    value = b.mul(value, fn.const(MULTIPLIERS[-1]))
    return b.xor(value, b.lshr(value, fn.const(32)))


class Probe:
    """Looks into the table one bucket of 16 slots (a cache line) at a time."""

    def __init__(self, fn: Function, context: Context) -> None:
        self.fn, self.bits = fn, context.bits
        self.table = context.array("table")
        one = fn.const(1)
        self.indexes = fn.b.sub(fn.b.shl(one, self.bits), one)
        self.buckets = fn.b.lshr(self.indexes, fn.const(LANES_BITS))

    def home(self, value: Any) -> Any:
        """The bucket at which the search for a hash begins."""
        return self.fn.b.and_(value, self.buckets)

    def following(self, bucket: Any) -> Any:
        """The bucket in which the search goes on when one is full."""
        return self.fn.b.and_(self.fn.b.add(bucket, self.fn.const(1)), self.buckets)

    def slots(self, bucket: Any) -> Any:
        """The slots of a bucket as a vector."""
        return self.fn.b.load(self.fn.at(self.table, bucket, BUCKET), typ=BUCKET, align=64)

    def tag(self, value: Any) -> Any:
        """The bits of a hash that a slot keeps: those right above the bits that choose the bucket."""
        b, const = self.fn.b, self.fn.const
        kept = b.lshr(value, b.sub(self.bits, const(LANES_BITS)))
        return b.and_(kept, b.sub(b.shl(const(1), b.sub(const(31), self.bits)), const(1)))

    def candidates(self, slots: Any, value: Any) -> Any:
        """The used slots whose tag agrees with a hash, as 16 bits."""
        fn, b = self.fn, self.fn.b
        above = fn.splat(b.trunc(b.add(self.bits, fn.const(1)), I32), LANES)
        agree = b.icmp_unsigned("==", b.lshr(slots, above), fn.splat(b.trunc(self.tag(value), I32), LANES))
        return b.and_(b.bitcast(agree, I16), b.not_(self.empty(slots)))

    def empty(self, slots: Any) -> Any:
        """The unused slots, as 16 bits."""
        nothing = ir.Constant(BUCKET, None)
        return self.fn.b.bitcast(self.fn.b.icmp_unsigned("==", slots, nothing), I16)

    def index(self, bucket: Any, lane: Any) -> Any:
        """The index of the state that a used slot points at."""
        fn, b = self.fn, self.fn.b
        slot = fn.load(self.table, b.add(b.mul(bucket, fn.const(LANES)), lane), I32)
        return b.sub(b.and_(b.zext(slot, I64), self.indexes), fn.const(1))

    def slot(self, value: Any, index: Any, position: Any) -> Any:
        """What the slot at a position holds for a state; marked when it is not in the state's home bucket."""
        fn, b = self.fn, self.fn.b
        away = b.icmp_unsigned("!=", b.lshr(position, fn.const(LANES_BITS)), self.home(value))
        marked = b.or_(b.shl(self.tag(value), fn.const(1)), b.zext(away, I64))
        return b.trunc(b.or_(b.shl(marked, self.bits), b.add(index, fn.const(1))), I32)

    def vacancy(self, bucket: Any, value: Any) -> Any:
        """Emit a search for the first free position at or after a hash's home; `bucket` is a local to work with."""
        fn, b = self.fn, self.fn.b
        fn.put(bucket, self.home(value))

        def full() -> Any:
            return b.icmp_unsigned("==", self.empty(self.slots(fn.get(bucket))), fn.const(0, I16))

        with fn.while_(full):
            fn.put(bucket, self.following(fn.get(bucket)))
        lane = fn.trailing_zeros(self.empty(self.slots(fn.get(bucket))))
        return b.add(b.mul(fn.get(bucket), fn.const(LANES)), lane)


class Store:
    """Emits the store and the search loop around the functions of a model."""

    def __init__(self, functions: Functions, module: ir.Module, batch: int) -> None:
        self.functions, self.module, self.batch = functions, module, batch
        self.words, self.key_words = functions.words, functions.program.key_words
        self.insert = self._insert()
        self.keep_inside = self._keep_inside()
        self._explore()
        self._receive()
        self._divide()
        self._reinsert()
        self._owners_of()

    # -- insertion -----------------------------------------------------------------------------------------

    def _insert(self) -> Function:
        """insert(context, states, actions, n): store n successors and watch those that are new."""
        fn = Function(self.module, "insert", [PTR, PTR, PTR, I64]).private()
        pointer, states, actions, n = fn.arguments
        context, b = Context(fn, pointer), fn.b
        hashes = fn.buffer(I64, BATCH)
        start = fn.local(fn.const(0))
        with fn.while_(lambda: b.icmp_unsigned("<", fn.get(start), n)):
            base = fn.get(start)
            left = b.sub(n, base)
            size = b.select(b.icmp_unsigned("<", left, fn.const(BATCH)), left, fn.const(BATCH))
            first = fn.at(states, b.mul(base, fn.const(self.words)))
            self._prefetch_slots(fn, context, first, size, hashes)
            self._prefetch_states(fn, context, size, hashes)
            with fn.loop(fn.const(0), size) as i:
                action = fn.load(actions, b.add(base, i), I16)
                self._put(fn, context, fn.words(first, i, self.words), fn.load(hashes, i), action)
            fn.put(start, b.add(base, size))
        fn.done()
        return fn

    def _prefetch_slots(self, fn: Function, context: Context, states: Any, size: Any, hashes: Any) -> None:
        probe = Probe(fn, context)
        with fn.loop(fn.const(0), size) as i:
            value = hashed(fn, self.functions.key(fn, fn.words(states, i, self.words)))
            fn.store(hashes, i, value)
            fn.prefetch(fn.at(probe.table, probe.home(value), BUCKET), write=True)

    def _prefetch_states(self, fn: Function, context: Context, size: Any, hashes: Any) -> None:
        """Without a candidate it prefetches some other state: cheaper than a branch that is right half the time."""
        b, probe, keys = fn.b, Probe(fn, context), context.array("keys")
        with fn.loop(fn.const(0), size) as i:
            value = fn.load(hashes, i)
            candidates = probe.candidates(probe.slots(probe.home(value)), value)
            lane = b.and_(fn.trailing_zeros(candidates), fn.const(LANES - 1))
            index = probe.index(probe.home(value), lane)
            fn.prefetch(fn.at(keys, b.mul(index, fn.const(self.key_words))))

    def _put(self, fn: Function, context: Context, words: list[Any], value: Any, action: Any) -> None:
        """Find a state, or store it as a new one."""
        b, none = fn.b, fn.const(-1)
        key = self.functions.key(fn, words)
        bucket, known, free = (fn.local(v) for v in (fn.const(0), none, none))
        fn.put(known, none)
        searching = fn.local(fn.const(1, I1))
        fn.put(searching, fn.const(1, I1))
        with fn.while_(lambda: fn.get(searching)):
            self._search(fn, context, key, value, (bucket, known, free))
            old = b.icmp_signed(">=", fn.get(known), fn.const(0))
            with b.if_else(old) as (seen, unseen):
                with seen:
                    fn.put(searching, fn.const(0, I1))
                    fn.increment(context.array("counters"), self.functions.program.counters.known)
                    self._note_action(fn, context, fn.get(known), action)
                with unseen:
                    stored = self._append(fn, context, words, key, value, action, fn.get(free))
                    fn.put(searching, b.not_(stored))
                    with fn.if_(stored):
                        self._count_first(fn, context, action, 1)
                        self._watch(fn, context, words, action)

    def _search(self, fn: Function, context: Context, key: list[Any], value: Any, locals_: tuple[Any, ...]) -> None:
        """Set `known` to the index of the state with a key, else `free` to the position that it may take."""
        b, probe, keys = fn.b, Probe(fn, context), context.array("keys")
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
                same = self._same(fn, fn.words(keys, index, self.key_words), key)
                fn.put(known, b.select(same, index, fn.get(known)))
                fn.put(open_, b.select(same, fn.const(0, I16), b.and_(left, b.sub(left, fn.const(1, I16)))))
            empty = probe.empty(slots)
            vacant = b.add(b.mul(fn.get(bucket), fn.const(LANES)), fn.trailing_zeros(empty))
            some = b.icmp_unsigned("!=", empty, fn.const(0, I16))
            fn.put(free, b.select(some, vacant, fn.const(-1)))
            fn.put(bucket, probe.following(fn.get(bucket)))

    def _same(self, fn: Function, a: list[Any], b: list[Any]) -> Any:
        difference = fn.const(0)
        for x, y in zip(a, b, strict=True):
            difference = fn.b.or_(difference, fn.b.xor(x, y))
        return fn.b.icmp_unsigned("==", difference, fn.const(0))

    def _note_action(self, fn: Function, context: Context, index: Any, action: Any) -> None:
        """A state of the level being built is new by its least action, whichever worker comes first."""
        b, start = fn.b, context.level_start
        with fn.if_(b.icmp_unsigned(">=", index, start)):
            via = fn.at(context.array("via"), b.sub(index, start), I16)
            known = fn.local(fn.const(0, I16))
            fn.put(known, b.load(via, typ=I16))
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
        b, names = fn.b, len(self.functions.program.action_names)
        place = b.zext(action, I64)
        place = b.select(b.icmp_unsigned("<", place, fn.const(names)), place, fn.const(names))
        first = fn.const(self.functions.program.counters.first(0))
        fn.increment(context.array("counters"), b.add(place, first), by)

    def _append(
        self, fn: Function, context: Context, words: list[Any], key: list[Any], value: Any, action: Any, position: Any
    ) -> Any:
        """Store a new state whose slot goes to a free position; false if another worker took that meanwhile."""
        b = fn.b
        with fn.if_(b.icmp_unsigned("==", context.next, context.page_end), likely=False):
            page = b.atomic_rmw("add", context.array("claimed"), fn.const(PAGE), "monotonic")
            context.put("next", page)
            context.put("page_end", b.add(page, fn.const(PAGE)))
        index = context.next
        fn.put_words(context.array("states"), index, words)
        if self.functions.program.model.view:
            fn.put_words(context.array("keys"), index, key)
        fn.store(context.array("via"), b.sub(index, context.level_start), action)
        slot = Probe(fn, context).slot(value, index, position)
        address = fn.at(context.array("table"), position, I32)
        stored = fn.local(fn.const(1, I1))
        with b.if_else(b.icmp_unsigned("!=", context.crowd, fn.const(0))) as (crowd, alone):
            with crowd:
                swapped = b.cmpxchg(address, fn.const(0, I32), slot, "acq_rel", "acquire")
                fn.put(stored, b.extract_value(swapped, 1))
            with alone:
                b.store(slot, address)
                fn.put(stored, fn.const(1, I1))
        added = b.zext(fn.get(stored), I64)
        context.put("next", b.add(index, added))
        context.put("stored", b.add(context.stored, added))
        return fn.get(stored)

    def _watch(self, fn: Function, context: Context, words: list[Any], action: Any) -> None:
        """Evaluate on a new state the watches that its action may have changed, and those that hold already."""
        if not self.functions.state_flags:
            return
        b = fn.b
        wanted = b.and_(b.or_(self.functions.needed(fn, action), context.always), b.not_(context.never))
        with fn.if_(b.icmp_unsigned("!=", wanted, fn.const(0))):
            self.functions.count_state(fn, words, context.array("counters"), wanted)

    def _divide(self) -> None:
        """divide(context, displaced, start, end) -> n: split the buckets start..end-1 between the halves of a table.

        A bucket splits into itself and its twin in the new half. The bit that decides is the lowest of the tag,
        so no state is read and memory is walked in order. The indexes of n displaced states are left over; there
        is room for one for every slot.
        """
        fn = Function(self.module, "divide", [PTR, PTR, I64, I64], I64)
        context, b, const = Context(fn, fn.arguments[0]), fn.b, fn.const
        bits, table = context.bits, context.array("table")
        buckets = b.shl(const(1), b.sub(bits, const(LANES_BITS)))
        waiting = fn.local(const(0))
        with fn.loop(fn.arguments[2], fn.arguments[3]) as bucket:
            here, twin = fn.at(table, bucket, BUCKET), fn.at(table, b.add(bucket, buckets), BUCKET)
            self._split(fn, bits, here, twin, waiting)
        fn.done(fn.get(waiting))

    def _split(self, fn: Function, bits: Any, here: Any, twin: Any, waiting: Any) -> None:
        """Divide the slots of a bucket between itself and its twin, but for those of displaced states."""
        b, zero = fn.b, ir.Constant(BUCKET, None)
        slots = b.load(here, typ=BUCKET, align=64)
        mark = fn.splat(b.trunc(b.shl(fn.const(1), bits), I32), LANES)
        side = b.shl(mark, fn.splat(fn.const(1, I32), LANES))
        displaced, goes = (b.icmp_unsigned("!=", b.and_(slots, bit), zero) for bit in (mark, side))
        settled = b.and_(b.icmp_unsigned("!=", slots, zero), b.not_(displaced))
        fresh = b.and_(slots, b.not_(b.or_(mark, side)))
        b.store(zero, here, align=64)
        fn.store_compressed(fresh, here, b.and_(settled, b.not_(goes)))
        fn.store_compressed(fresh, twin, b.and_(settled, goes))
        indexes = b.sub(b.shl(fn.const(1), bits), fn.const(1))
        left = fn.local(fn.const(0, I16))
        fn.put(left, b.bitcast(displaced, I16))
        with fn.while_(lambda: b.icmp_unsigned("!=", fn.get(left), fn.const(0, I16))):
            slot = b.zext(b.extract_element(slots, fn.trailing_zeros(fn.get(left))), I64)
            fn.store(fn.arguments[1], fn.get(waiting), b.sub(b.and_(slot, indexes), fn.const(1)))
            fn.put(waiting, b.add(fn.get(waiting), fn.const(1)))
            fn.put(left, b.and_(fn.get(left), b.sub(fn.get(left), fn.const(1, I16))))

    def _reinsert(self) -> None:
        """reinsert(context, displaced, n): give displaced states a slot of the doubled table."""
        fn = Function(self.module, "reinsert", [PTR, PTR, I64])
        context = Context(fn, fn.arguments[0])
        probe, keys, bucket = Probe(fn, context), context.array("keys"), fn.local(fn.const(0))
        with fn.loop(fn.const(0), fn.arguments[2]) as i:
            index = fn.load(fn.arguments[1], i)
            value = hashed(fn, fn.words(keys, index, self.key_words))
            position = probe.vacancy(bucket, value)
            fn.store(context.array("table"), position, probe.slot(value, index, position))
        fn.done()

    # -- between expansion and insertion -------------------------------------------------------------------

    def _keep_inside(self) -> Function | None:
        """keep_inside(context, n) -> n: drops the successors outside a constraint, watching them all the same."""
        if self.functions.inside is None:
            return None
        fn = Function(self.module, "keep_inside", [PTR, I64], I64).private()
        context, b = Context(fn, fn.arguments[0]), fn.b
        out, actions, counters = context.array("out"), context.array("actions"), context.array("counters")
        kept = fn.local(fn.const(0))
        with fn.loop(fn.const(0), fn.arguments[1]) as i:
            words, action = fn.words(out, i, self.words), fn.load(actions, i, I16)
            with b.if_else(fn.call(self.functions.inside, *words)) as (inside, outside):
                with inside:
                    fn.put_words(out, fn.get(kept), words)
                    fn.store(actions, fn.get(kept), action)
                    fn.put(kept, b.add(fn.get(kept), fn.const(1)))
                with outside:
                    fn.increment(counters, self.functions.program.counters.outside)
                    self.functions.count_state(fn, words, counters)
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
            key = self.functions.key(fn, fn.words(states, i, self.words))
            fn.store(out, i, self._owner(fn, hashed(fn, key), owners))
        fn.done()

    # -- the search loop -----------------------------------------------------------------------------------

    def _explore(self) -> None:
        """explore(context) -> DONE or GROW: expand cursor..end and store the successors, batch by batch."""
        fn = Function(self.module, "explore", [PTR], I64)
        context, b = Context(fn, fn.arguments[0]), fn.b
        status = fn.local(fn.const(-1))
        with fn.while_(lambda: b.icmp_signed("<", fn.get(status), fn.const(0))):
            left = b.sub(context.end, context.cursor)
            size = b.select(b.icmp_unsigned("<", left, fn.const(self.batch)), left, fn.const(self.batch))
            finished = b.icmp_unsigned("==", left, fn.const(0))
            claimed, own = b.load_atomic(context.array("claimed"), "monotonic", 8, typ=I64), context.next
            used = b.select(b.icmp_unsigned(">", own, claimed), own, claimed)
            full = b.icmp_unsigned(">", b.add(used, context.slack), context.limit)
            stop = b.select(finished, fn.const(DONE), b.select(full, fn.const(GROW), fn.const(-1)))
            fn.put(status, stop)
            with fn.if_(b.icmp_signed("<", stop, fn.const(0))):
                self._expand_batch(fn, context, size)
        fn.done(fn.get(status))

    def _expand_batch(self, fn: Function, context: Context, size: Any) -> None:
        b, cursor = fn.b, context.cursor
        out, actions, sources = (context.array(n) for n in ("out", "actions", "sources"))
        counters = context.array("counters")
        states = fn.at(context.array("states"), b.mul(cursor, fn.const(self.words)))
        count = fn.local(fn.call(self.functions.expand, states, size, out, actions, sources, counters))
        if self.functions.step_flags:
            with fn.loop(fn.const(0), fn.get(count)) as i:
                before = fn.words(states, b.zext(fn.load(sources, i, I32), I64), self.words)
                self.functions.count_step(fn, fn.words(out, i, self.words), before, counters)
        if self.keep_inside is not None:
            fn.put(count, fn.call(self.keep_inside, fn.arguments[0], fn.get(count)))
        fn.call(self.insert, fn.arguments[0], out, actions, fn.get(count))
        context.put("cursor", b.add(cursor, size))

    def _receive(self) -> None:
        """receive(context, states, actions, n) -> n stored: all, or fewer when the table must grow first."""
        fn = Function(self.module, "receive", [PTR, PTR, PTR, I64], I64)
        pointer, states, actions, n = fn.arguments
        context, b = Context(fn, pointer), fn.b
        room = b.sub(context.limit, context.next)
        size = b.select(b.icmp_unsigned("<", room, n), room, n)
        fn.call(self.insert, pointer, states, actions, size)
        fn.done(size)
