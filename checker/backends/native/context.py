"""What a worker and compiled code share: the worker's context, and the table of slots, looked at bucket by bucket.

A slot is zero or holds, from its low bits up: the index of a state plus one, a mark for a state that is not in
its home bucket, and in all the bits that are left a tag from the hash; so a probe touches the state itself only
when the tag agrees. Slots are probed by buckets of sixteen, a cache line that one vector comparison looks
through. The bits of the hash right above those that choose the bucket are the tag. So when the table doubles, the
tag says where a state goes, and no state is read.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .builder import I16, I32, I64, PTR, Function
from .instructions import VectorType, constant
from .interface import HASH_SEED, LANES, LANES_BITS, MULTIPLIERS, SLOT

BUCKET = VectorType(I32, LANES)


class Context:
    """A worker's context as compiled code sees it, or another array of named 64-bit slots."""

    def __init__(self, fn: Function, pointer: Any, slots: Mapping[str, int] = SLOT) -> None:
        self.fn, self.pointer, self._slots = fn, pointer, slots

    def __getattr__(self, name: str) -> Any:
        return self.fn.load(self.pointer, self._slots[name])

    def array(self, name: str) -> Any:
        """A slot that holds an address."""
        return self.fn.load(self.pointer, self._slots[name], PTR)

    def put(self, name: str, value: Any) -> None:
        """Assign a slot."""
        self.fn.store(self.pointer, self._slots[name], value)

    def address(self, name: str) -> Any:
        """Where a slot is."""
        return self.fn.at(self.pointer, self._slots[name])


def same(fn: Function, a: Sequence[Any], b: Sequence[Any]) -> Any:
    """Whether some words are equal."""
    difference = fn.const(0)
    for x, y in zip(a, b, strict=True):
        difference = fn.b.or_(difference, fn.b.xor(x, y))
    return fn.b.icmp_unsigned("==", difference, fn.const(0))


def hashed(fn: Function, words: Sequence[Any]) -> Any:
    """A 64-bit hash: multiply and fold for each word, and once at the end."""
    b = fn.b
    value = fn.const(HASH_SEED)
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
        return self.fn.b.load(self.fn.at(self.table, bucket, BUCKET), BUCKET, align=64)

    def tag(self, value: Any) -> Any:
        """The bits of a hash in a slot: those directly above the bits that choose the bucket."""
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
        nothing = constant(BUCKET, None)
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
