"""Doubles the table of a store: divides buckets between its halves, and gives displaced states a new slot."""

from __future__ import annotations

from typing import Any

from .builder import I16, I32, I64, PTR, Function
from .context import BUCKET, Context, Probe, hashed
from .instructions import Module, constant
from .interface import LANES, LANES_BITS
from .plain import Plain


class Doubling:
    """Emits `divide` and `reinsert` for one way of storing states."""

    def __init__(self, module: Module, kept: Plain) -> None:
        self.module, self.kept = module, kept
        self._divide()
        self._reinsert()

    def _divide(self) -> None:
        """divide(context, displaced, start, end) -> n: split the buckets start..end-1 between the halves of a table.

        A bucket splits into itself and its twin in the new half. The lowest bit of the tag decides, so no state is read
        and memory is accessed in order. The indexes of n displaced states are left over; `displaced` has space for one
        per slot.
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
        """Divide the slots of a bucket between itself and its twin, except those of displaced states."""
        b, zero = fn.b, constant(BUCKET, None)
        slots = b.load(here, BUCKET, align=64)
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
        probe, bucket = Probe(fn, context), fn.local(fn.const(0))
        with fn.loop(fn.const(0), fn.arguments[2]) as i:
            index = fn.load(fn.arguments[1], i)
            value = hashed(fn, self.kept.key(fn, context, index))
            position = probe.vacancy(bucket, value)
            fn.store(context.array("table"), position, probe.slot(value, index, position))
        fn.done()
