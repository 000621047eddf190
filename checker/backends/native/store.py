"""The exact state store: states in an arena, found through a table of 32-bit slots.

A slot is zero or holds, from its low bits up: the index of a state plus one, a mark for a state that is not in
its home bucket, and in all the bits that are left a tag from the hash; so a probe touches the state itself only
when the tag agrees. Slots are probed by buckets of sixteen, a cache line that one vector comparison looks
through. Successors are stored in batches: hash all and prefetch their buckets, look at the buckets and prefetch
the states that they point at, then compare. This hides most of the two cache misses that a look-up costs.

The bits of the hash right above those that choose the bucket are the tag. So when the table doubles, the tag
says where a state goes, and no state is read.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir

from .builder import I1, I16, I32, I64, PTR, Function
from .functions import Functions

BATCH = 64
LANES_BITS = 4
LANES = 1 << LANES_BITS
BUCKET = ir.VectorType(I32, LANES)
MULTIPLIERS = (0x9E3779B97F4A7C15, 0xD6E8FEB86659FD93, 0xA0761D6478BD642F, 0xE7037ED1A0B428DB)

SLOTS = (
    "states",  # the arena of states
    "keys",  # the arena of keys: the same as states unless the spec has a view
    "table",  # the slots
    "bits",  # log2 of the number of slots
    "count",  # states stored
    "level_start",  # index of the first state of the level that is being built
    "via",  # the least action (u16) that led to each state of the level that is being built
    "cursor",  # the next state to expand
    "end",  # one past the last state to expand
    "limit",  # states that fit before the table must grow
    "out",  # successors of a batch ...
    "actions",  # ... their actions (u16)
    "sources",  # ... and the positions of their predecessors in the batch (u32)
    "counters",  # see program.Counters
    "always",  # groups of watches that are evaluated on every new state, as a mask ...
    "never",  # ... and those that have told all that they can
    "owners",  # workers, each of which owns the states with its share of the hashes
    "me",  # which of them this is
    "boxes",  # for each owner: a buffer of states on their way to it ...
    "box_actions",  # ... and of their actions
    "box_counts",  # ... and how many it holds
    "box_limit",  # a buffer with more than this must be sent off
)
SLOT = {name: i for i, name in enumerate(SLOTS)}
DONE, GROW, SEND = 0, 1, 2


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
        self.distribute = self._distribute()
        self._explore()
        self._receive()
        self._displaced()
        self._grow()
        self._owners_of()

    # -- insertion -----------------------------------------------------------------------------------------

    def _insert(self) -> Function:
        """insert(context, states, actions, n): store n successors and watch those that are new."""
        fn = Function(self.module, "insert", [PTR, PTR, PTR, I64]).private()
        pointer, states, actions, n = fn.arguments
        context, b = Context(fn, pointer), fn.b
        before = context.count
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
        self._watch_new(fn, context, before)
        fn.done()
        return fn

    def _prefetch_slots(self, fn: Function, context: Context, states: Any, size: Any, hashes: Any) -> None:
        probe = Probe(fn, context)
        with fn.loop(fn.const(0), size) as i:
            value = hashed(fn, self.functions.key(fn, fn.words(states, i, self.words)))
            fn.store(hashes, i, value)
            fn.prefetch(fn.at(probe.table, probe.home(value), BUCKET))

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
        b, probe, keys = fn.b, Probe(fn, context), context.array("keys")
        key = self.functions.key(fn, words)
        bucket, known, free = (fn.local(v) for v in (fn.const(0), fn.const(0), fn.const(0)))
        fn.put(bucket, probe.home(value))
        fn.put(known, fn.const(-1))
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
        with b.if_else(b.icmp_signed(">=", fn.get(known), fn.const(0))) as (old, new):
            with old:
                self._note_action(fn, context, fn.get(known), action)
            with new:
                self._append(fn, context, words, key, value, action, fn.get(free))

    def _same(self, fn: Function, a: list[Any], b: list[Any]) -> Any:
        difference = fn.const(0)
        for x, y in zip(a, b, strict=True):
            difference = fn.b.or_(difference, fn.b.xor(x, y))
        return fn.b.icmp_unsigned("==", difference, fn.const(0))

    def _note_action(self, fn: Function, context: Context, index: Any, action: Any) -> None:
        """A state of the level being built is new by its least action, whichever worker comes first."""
        b, start = fn.b, context.level_start
        with fn.if_(b.icmp_unsigned(">=", index, start)):
            via, at = context.array("via"), b.sub(index, start)
            known = fn.load(via, at, I16)
            fn.store(via, at, b.select(b.icmp_unsigned("<", action, known), action, known))

    def _append(
        self, fn: Function, context: Context, words: list[Any], key: list[Any], value: Any, action: Any, position: Any
    ) -> None:
        b, index = fn.b, context.count
        fn.put_words(context.array("states"), index, words)
        if self.functions.program.model.view:
            fn.put_words(context.array("keys"), index, key)
        fn.store(context.array("table"), position, Probe(fn, context).slot(value, index, position))
        fn.store(context.array("via"), b.sub(index, context.level_start), action)
        context.put("count", b.add(index, fn.const(1)))

    def _watch_new(self, fn: Function, context: Context, before: Any) -> None:
        """Evaluate on the new states the watches that their action may have changed, and those that hold already."""
        if not self.functions.state_flags:
            return
        b, states, counters = fn.b, context.array("states"), context.array("counters")
        always, never, via, start = context.always, context.never, context.array("via"), context.level_start
        with fn.loop(before, context.count) as i:
            needed = self.functions.needed(fn, fn.load(via, b.sub(i, start), I16))
            wanted = b.and_(b.or_(needed, always), b.not_(never))
            with fn.if_(b.icmp_unsigned("!=", wanted, fn.const(0))):
                self.functions.count_state(fn, fn.words(states, i, self.words), counters, wanted)

    def _displaced(self) -> None:
        """displaced(context) -> how many slots hold a state outside its home bucket."""
        fn = Function(self.module, "displaced", [PTR], I64)
        context, b = Context(fn, fn.arguments[0]), fn.b
        table, bits, found = context.array("table"), context.bits, fn.local(fn.const(0))
        with fn.loop(fn.const(0), b.shl(fn.const(1), bits)) as i:
            slot = b.zext(fn.load(table, i, I32), I64)
            fn.put(found, b.add(fn.get(found), b.and_(b.lshr(slot, bits), fn.const(1))))
        fn.done(fn.get(found))

    def _grow(self) -> None:
        """grow(context, displaced): double the table in place; `displaced` has room for one index each.

        A bucket splits into itself and its twin in the new half. The bit that decides is the lowest of the tag,
        so no state is read and memory is walked in order; only displaced states are hashed again.
        """
        fn = Function(self.module, "grow", [PTR, PTR])
        context, b, const = Context(fn, fn.arguments[0]), fn.b, fn.const
        bits, table = context.bits, context.array("table")
        buckets = b.shl(const(1), b.sub(bits, const(LANES_BITS)))
        indexes = b.sub(b.shl(const(1), bits), const(1))
        copy, waiting = fn.buffer(BUCKET, 1), fn.local(const(0))
        with fn.loop(const(0), buckets) as bucket:
            self._split(fn, context, (bucket, buckets, indexes), copy, waiting)
        context.put("bits", b.add(bits, const(1)))
        self._reinsert(fn, context, table, waiting)
        fn.done()

    def _split(self, fn: Function, context: Context, where: tuple[Any, Any, Any], copy: Any, waiting: Any) -> None:
        b, const, (bucket, buckets, indexes) = fn.b, fn.const, where
        bits, table = context.bits, context.array("table")
        home = fn.at(table, bucket, BUCKET)
        b.store(b.load(home, typ=BUCKET, align=64), copy, align=64)
        b.store(ir.Constant(BUCKET, None), home, align=64)
        ends = fn.buffer(I64, 2)
        fn.store(ends, 0, b.mul(bucket, const(LANES)))
        fn.store(ends, 1, b.mul(b.add(bucket, buckets), const(LANES)))
        with fn.loop(const(0), const(LANES)) as lane:
            slot = b.zext(fn.load(copy, lane, I32), I64)
            index, marked = b.and_(slot, indexes), b.lshr(slot, bits)
            used = fn.if_(b.icmp_unsigned("!=", slot, const(0)))
            with used, b.if_else(b.trunc(marked, I1)) as (away, at_home):
                with away:
                    fn.store(fn.arguments[1], fn.get(waiting), b.sub(index, const(1)))
                    fn.put(waiting, b.add(fn.get(waiting), const(1)))
                with at_home:
                    tag = b.lshr(marked, const(1))
                    side = b.and_(tag, const(1))
                    end = fn.load(ends, side)
                    fresh = b.shl(b.lshr(tag, const(1)), b.add(bits, const(2)))
                    fn.store(table, end, b.trunc(b.or_(fresh, index), I32))
                    fn.store(ends, side, b.add(end, const(1)))

    def _reinsert(self, fn: Function, context: Context, table: Any, waiting: Any) -> None:
        """Give displaced states a slot of the doubled table."""
        probe, keys, bucket = Probe(fn, context), context.array("keys"), fn.local(fn.const(0))
        with fn.loop(fn.const(0), fn.get(waiting)) as i:
            index = fn.load(fn.arguments[1], i)
            value = hashed(fn, fn.words(keys, index, self.key_words))
            position = probe.vacancy(bucket, value)
            fn.store(table, position, probe.slot(value, index, position))

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

    def _distribute(self) -> Function:
        """distribute(context, n) -> n: moves successors that others own into their boxes, keeps one's own."""
        fn = Function(self.module, "distribute", [PTR, I64], I64).private()
        context, b = Context(fn, fn.arguments[0]), fn.b
        out, actions, owners, me = context.array("out"), context.array("actions"), context.owners, context.me
        boxes, box_actions, counts = (context.array(n) for n in ("boxes", "box_actions", "box_counts"))
        kept = fn.local(fn.const(0))
        with fn.loop(fn.const(0), fn.arguments[1]) as i:
            words, action = fn.words(out, i, self.words), fn.load(actions, i, I16)
            owner = self._owner(fn, hashed(fn, self.functions.key(fn, words)), owners)
            with b.if_else(b.icmp_unsigned("==", owner, me)) as (mine, other):
                with mine:
                    fn.put_words(out, fn.get(kept), words)
                    fn.store(actions, fn.get(kept), action)
                    fn.put(kept, b.add(fn.get(kept), fn.const(1)))
                with other:
                    count = fn.load(counts, owner)
                    fn.put_words(fn.load(boxes, owner, PTR), count, words)
                    fn.store(fn.load(box_actions, owner, PTR), count, action)
                    fn.store(counts, owner, b.add(count, fn.const(1)))
        fn.done(fn.get(kept))
        return fn

    def _owner(self, fn: Function, value: Any, owners: Any) -> Any:
        """Which worker owns a hash: from bits that neither the slot nor the tag uses alone."""
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
        """explore(context) -> DONE, GROW or SEND: expand cursor..end and store the successors, batch by batch."""
        fn = Function(self.module, "explore", [PTR], I64)
        context, b, program = Context(fn, fn.arguments[0]), fn.b, self.functions.program
        room = fn.const(self.batch * program.most_successors)
        status = fn.local(fn.const(-1))
        with fn.while_(lambda: b.icmp_signed("<", fn.get(status), fn.const(0))):
            left = b.sub(context.end, context.cursor)
            size = b.select(b.icmp_unsigned("<", left, fn.const(self.batch)), left, fn.const(self.batch))
            finished = b.icmp_unsigned("==", left, fn.const(0))
            full = b.icmp_unsigned(">", b.add(context.count, room), context.limit)
            stop = b.select(finished, fn.const(DONE), b.select(full, fn.const(GROW), fn.const(-1)))
            fn.put(status, stop)
            with fn.if_(b.icmp_signed("<", stop, fn.const(0))):
                self._expand_batch(fn, context, size)
                sharing = b.icmp_unsigned(">", context.owners, fn.const(1))
                with fn.if_(sharing):
                    fn.put(status, self._full_box(fn, context))
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
        with fn.if_(b.icmp_unsigned(">", context.owners, fn.const(1))):
            fn.put(count, fn.call(self.distribute, fn.arguments[0], fn.get(count)))
        fn.call(self.insert, fn.arguments[0], out, actions, fn.get(count))
        context.put("cursor", b.add(cursor, size))

    def _full_box(self, fn: Function, context: Context) -> Any:
        b, counts, limit = fn.b, context.array("box_counts"), context.box_limit
        status = fn.local(fn.const(-1))
        fn.put(status, fn.const(-1))
        with fn.loop(fn.const(0), context.owners) as owner:
            full = b.icmp_unsigned(">", fn.load(counts, owner), limit)
            fn.put(status, b.select(full, fn.const(SEND), fn.get(status)))
        return fn.get(status)

    def _receive(self) -> None:
        """receive(context, states, actions, n) -> n stored: all, or fewer when the table must grow first."""
        fn = Function(self.module, "receive", [PTR, PTR, PTR, I64], I64)
        pointer, states, actions, n = fn.arguments
        context, b = Context(fn, pointer), fn.b
        room = b.sub(context.limit, context.count)
        size = b.select(b.icmp_unsigned("<", room, n), room, n)
        fn.call(self.insert, pointer, states, actions, size)
        fn.done(size)
